// SPDX-License-Identifier: Apache-2.0
#include "app/python/options.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <initializer_list>

#include "app/python/given.h"
#include "app/python/json_object.h"
#include "app/verb.h"

namespace cornerturn::python {
namespace {

namespace nb = nanobind;

/// A keyword that is none of the command line's; None is as good as nothing, as for options.
nb::object taken(nb::kwargs& options, const char* key, nb::object otherwise) {
    nb::object given = options.attr("pop")(key, nb::none());
    return given.is_none() ? otherwise : given;
}

std::string shown(const nb::object& given) { return text_of(nb::repr(given)); }

int threads_in(const nb::object& given) {
    int threads = 0;
    const bool whole = PyIndex_Check(given.ptr()) != 0;  // NumPy's numbers, too
    if (!whole || !nb::try_cast(nb::steal<nb::object>(PyNumber_Index(given.ptr())), threads, false))
        throw InputError(fmt::format("threads is {}, but must be a whole number", shown(given)));
    return checked_threads(threads);
}

/// Options of the program that are something else in Python.
void check_elsewhere(const nb::kwargs& keywords, const std::string& of) {
    struct Elsewhere {
        std::initializer_list<const char*> names;
        const char* instead;
    };
    static const Elsewhere places[] = {
        {{"output", "o"}, "name the file behind the echo, ct.focus(echo, \"slc.h5\"), or take image.write(\"slc.h5\")"},
        {{"png"}, "image.write(\"slc.png\") makes a picture"},
        {{"tiff", "sample_type", "compress"}, "image.write() takes it"},
        {{"report", "json"}, "image.report and image.quality tell what was done"},
        {{"dry_run"}, "ct.plan() says beforehand what would be done"},
        {{"frequency", "polarization", "channel", "swath", "burst"}, "ct.open() takes it, as it chooses among echoes"},
        {{"resume", "dump_stages", "merge", "descalloping", "measure_rates", "at_once"},
         "only the program has it, `cornerturn focus`"},
    };
    for (const Elsewhere& place : places)
        for (const char* name : place.names)
            if (keywords.contains(name))
                throw InputError(fmt::format("{}: {} is no keyword here; {}", of, name, place.instead));
}

}  // namespace

JobWishes job_wishes(nb::kwargs& options) {
    JobWishes wishes;
    wishes.progress = taken(options, "progress", nb::none());
    const nb::object stop = taken(options, "stop", nb::none());
    check_progress(wishes.progress);
    const StopRequest* given = nullptr;
    if (!stop.is_none() && !nb::try_cast(stop, given))
        throw InputError(fmt::format("stop is {}, but must be a cornerturn.StopRequest", shown(stop)));
    if (given != nullptr) wishes.stop = *given;
    wishes.threads = threads_in(taken(options, "threads", nb::int_(0)));
    return wishes;
}

std::string device_in(nb::kwargs& options, const std::string& otherwise) {
    return text_of(taken(options, "device", nb::str(otherwise.c_str())));
}

ImageRequest image_request(const nb::kwargs& keywords, const std::string& of, int threads) {
    check_elsewhere(keywords, of);
    ImageRequest request;
    request.job.threads = threads;
    read_words(
        words_of(keywords),
        [&](Verb& verb) {
            add_image_options(verb, request.job.image);
            add_map_options(verb, request.job);
            add_image_part_options(verb, request.job.frames.part);
        },
        of, "no such option; keywords are the options of `cornerturn focus --help`, with _ for -");
    const nb::gil_scoped_release free;
    request.options = options_of(request.job, request.remarks);
    request.job.tracks = GivenTracks(request.job.image);
    return request;
}

}  // namespace cornerturn::python

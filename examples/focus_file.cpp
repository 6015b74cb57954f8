// SPDX-License-Identifier: Apache-2.0
// Focuses a raw file into an RSLC, with progress; Ctrl-C stops it and leaves nothing behind.
// usage: focus_file RAW.h5 IMAGE.h5 [cpu|cuda]
#include <cornerturn/data/nisar/rslc_writer.h>
#include <cornerturn/data/raw_file.h>
#include <cornerturn/kernels/device/device.h>
#include <cornerturn/kernels/interrupt.h>
#include <cornerturn/pipeline/run/focus.h>

#include <csignal>
#include <cstdio>
#include <exception>

namespace ct = cornerturn;

namespace {

const ct::StopRequest stop;

void focus_file(const char* raw, const char* image, const char* device_name) {
    std::vector<std::string> warnings;
    const auto echo = ct::open_raw(raw, {}, warnings);
    const auto device = ct::open_device(device_name);
    ct::RslcFile file(image);
    const ct::Progress progress = [](std::string_view stage, double part) {
        std::fprintf(stderr, "\r%-60.*s %3.0f %%", static_cast<int>(stage.size()), stage.data(), 100 * part);
    };

    const ct::JobScope job(stop);  // what this thread does from here on stops on that request
    const ct::FocusReport report = ct::focus(*device, *echo, {.algorithm = "auto"}, file, progress);
    file.commit();  // before, there is no file of that name

    for (const std::string& warning : warnings) std::fprintf(stderr, "\n%s", warning.c_str());
    for (const std::string& warning : report.warnings) std::fprintf(stderr, "\n%s", warning.c_str());
    std::printf("%s by %s in %.2f s\n", image, report.setup.algorithm.c_str(), report.wall_s);
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 3) {
        std::fprintf(stderr, "usage: focus_file RAW.h5 IMAGE.h5 [cpu|cuda]\n");
        return 2;
    }
    std::signal(SIGINT, [](int) { stop.request(); });
    focus_file(argv[1], argv[2], argc > 3 ? argv[3] : "auto");
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}

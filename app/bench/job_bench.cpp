// SPDX-License-Identifier: Apache-2.0
#include "app/bench/job_bench.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <utility>

#include "app/bench/bench_folder.h"
#include "app/bench/process.h"
#include "data/files/disk_rate.h"
#include "data/files/file_descriptor.h"
#include "data/nisar/rslc_reader.h"
#include "kernels/errors.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/measure/point_analysis.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::int64_t least_of_preset = 2048;  // lines and samples of which spaceborne's targets are seen whole

/// X band from an aircraft: an aperture of 100 lines and a pulse of 200 samples, so that little scenes hold points that
/// are seen whole.
std::string little_scene(const JobRequest& request) {
    return fmt::format(
        "carrier_hz: 9.65e9\nprf_hz: 400\nsample_rate_hz: 100e6\nnear_range_m: 3000\nlines: {0}\nsamples: {1}\n"
        "chirp_slope_hz_s: 36e12\nchirp_duration_s: 2e-6\nvelocity_m_s: 120\nazimuth_bandwidth_hz: 180\n"
        "doppler_centroid_hz: 0\nsample_type: {2}\ntargets: [{{line: {3:.1f}, sample: {4:.1f}, amplitude: 2}}]\n",
        request.lines, request.samples, request.sample_type, static_cast<double>(request.lines / 2) + 0.3,
        static_cast<double>(request.samples / 4) + 0.4);
}

/// The largest error over the known targets that are seen whole; throws InputError where there is none.
double position_error_px(const std::string& path) {
    StoredImage file = open_rslc(path, {});
    const ImageView image = file.view();
    double largest = -1;
    for (const AnalysisTarget& target : known_targets(image.header())) {
        const PointAnalysis point = analyze_point(image, target);
        if (!point.refused.empty() || !point.fully_covered) continue;
        for (const AxisAnalysis* axis : {&point.range, &point.azimuth})
            largest = std::max(largest, std::abs(axis->position_error_px.value_or(HUGE_VAL)));
    }
    if (largest < 0)
        throw InputError(
            "bench job: no known target of the scene is seen whole, by which images are checked; take a "
            "larger --size or another --preset");
    return largest;
}

/// Out of the memory that the system keeps of files, where it is not all that there is of it (a disk in memory).
void forget(const std::string& path) {
    const FileDescriptor file(path, O_RDONLY);
    if (file.is_open()) posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
}

std::vector<std::byte> bytes_of(const std::string& path) {
    std::vector<std::byte> bytes(fs::file_size(path));
    plain_read(path, bytes);
    return bytes;
}

class JobMeasurement {
public:
    JobMeasurement(const JobRequest& request, const Progress& progress)
        : request_(request), progress_(progress), folder_("job", request.folder) {}

    JobBench run() {
        tell("scene", 0);
        simulate();
        forget(raw_);
        bench_.cold = times_of({focus()});
        image_ = bytes_of(slc_);
        bench_.image_bytes = image_.size();
        if (!right("focus", slc_)) return std::move(bench_);
        time_single();
        if (request_.scenes > 0) time_stream();
        ask_device();
        tell("done", 1);
        return std::move(bench_);
    }

private:
    void tell(const char* what, double done) const {
        if (progress_) progress_(what, done);
    }
    double ms(Words words) const { return process_ms(request_.program, words, folder_.path()); }
    Words with_device(Words words) const {
        words.insert(words.end(), {"--device", request_.device, "--threads", std::to_string(request_.threads)});
        return words;
    }

    void simulate() {
        const bool little = request_.lines < least_of_preset || request_.samples < least_of_preset;
        if (request_.preset.empty() && little) {
            const std::string scene = folder_.file("scene.yaml");
            std::ofstream(scene) << little_scene(request_);
            ms({"simulate", scene, "-o", raw_, "-q"});
            return;
        }
        ms({"simulate", request_.preset.empty() ? "spaceborne" : request_.preset, "-o", raw_, "-q", "--lines",
            std::to_string(request_.lines), "--samples", std::to_string(request_.samples), "--sample-type",
            request_.sample_type});
    }

    double focus() const { return ms(with_device({"focus", raw_, "-o", slc_, "-q"})); }

    bool right(const std::string& what, const std::string& path) {
        constexpr double most_px = 0.05;  // five times what verify allows: the image is right, not yet good
        const double error_px = position_error_px(path);
        bench_.position_error_px = std::max(bench_.position_error_px, error_px);
        if (error_px <= most_px) return true;
        bench_.wrong.push_back(
            fmt::format("{}: a target is {:.3f} px beside its place, at most {} are right", what, error_px, most_px));
        return false;
    }

    /// In turns, so that all see the same machine.
    void time_single() {
        std::vector<double> program, start, write, warm;
        for (int i = 0; i < request_.repeat; ++i) {
            tell("focus", 0.1 + 0.5 * i / request_.repeat);
            program.push_back(ms({"--version"}));
            start.push_back(ms(with_device({"bench", "job", "--start-only"})));
            const StageClock clock;
            plain_write(plain_, image_);
            write.push_back(1e3 * clock.total());
            warm.push_back(focus());
        }
        bench_.program = times_of(program);
        bench_.start = times_of(start);
        bench_.write = times_of(write);
        bench_.warm = times_of(warm);
    }

    void time_stream() {
        constexpr int most_turns = 3;
        const std::string jobs = folder_.file("jobs.yaml"), out = folder_.file("images");
        {
            std::ofstream list(jobs);
            list << "scenes:\n";
            for (int i = 0; i < request_.scenes; ++i) list << fmt::format("  - {{input: raw.h5, output: {}.h5}}\n", i);
        }
        std::vector<double> write, stream;
        const int turns = std::min(request_.repeat, most_turns);
        for (int i = 0; i < turns; ++i) {
            tell("stream", 0.6 + 0.35 * i / turns);
            write.push_back(write_all());
            stream.push_back(ms(with_device({"batch", jobs, "-o", out, "-q"})));
            if (i == 0 && !right("batch", fmt::format("{}/{}.h5", out, request_.scenes - 1))) return;
            fs::remove_all(out);
        }
        bench_.scenes = request_.scenes;
        bench_.stream_write = times_of(write);
        bench_.stream = times_of(stream);
    }

    double write_all() const {
        const std::string out = folder_.folder("plain-images");
        const StageClock clock;
        for (int i = 0; i < request_.scenes; ++i) {
            throw_if_interrupted();
            plain_write(fmt::format("{}/{}", out, i), image_);
        }
        const double ms = 1e3 * clock.total();
        fs::remove_all(out);
        return ms;
    }

    /// Which `auto` is, only the program knows.
    void ask_device() {
        const std::string report = folder_.file("report.json");
        ms(with_device({"focus", raw_, "-o", slc_, "-q", "--json", report}));
        bench_.device = nlohmann::json::parse(std::ifstream(report)).at("device");
    }

    const JobRequest& request_;
    const Progress& progress_;
    BenchFolder folder_;
    std::string raw_ = folder_.file("raw.h5"), slc_ = folder_.file("slc.h5"), plain_ = folder_.file("plain");
    std::vector<std::byte> image_;
    JobBench bench_;
};

}  // namespace

JobTimes times_of(const std::vector<double>& runs_ms) {
    const auto [least, greatest] = std::minmax_element(runs_ms.begin(), runs_ms.end());
    return {.median_ms = median_of(runs_ms),
            .least_ms = *least,
            .greatest_ms = *greatest,
            .runs = static_cast<int>(runs_ms.size())};
}

JobBench measure_job(const JobRequest& request, const Progress& progress) {
    return JobMeasurement(request, progress).run();
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "app/bench/io_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <random>

#include "app/bench/bench_folder.h"
#include "app/bench/bench_result.h"
#include "data/files/disk_rate.h"
#include "data/nisar/l0b_reader.h"
#include "data/nisar/l0b_writer.h"
#include "data/nisar/rslc_reader.h"
#include "data/nisar/rslc_writer.h"
#include "kernels/host/available_memory.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/echo/echo_conveyor.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/proof/scene.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "pipeline/verify/signal_to_error.h"

namespace cornerturn {
namespace {

using Samples = std::span<const std::complex<float>>;

/// Random samples in the geometry of the spaceborne preset.
Echo random_echo(const IoRequest& request) {
    Scene scene = preset_scene("spaceborne");
    scene.lines = request.lines;
    scene.samples = request.samples;
    scene.sample_type = SampleFormat::int8;
    scene.noise_db = 0;
    const BeamCentrePosition middle{static_cast<double>(request.lines) / 2, static_cast<double>(request.samples) / 2};
    scene.targets = {{SceneTarget{middle, 1.0, 0.0}}};
    Echo echo{.acquisition = describe(scene),
              .samples = std::vector<std::byte>(static_cast<std::size_t>(request.lines * request.samples * 2))};
    std::minstd_rand generator(1);
    for (auto& sample : echo.samples) sample = static_cast<std::byte>(generator() >> 8);
    return echo;
}

class IoMeasurement {
public:
    IoMeasurement(std::span<Device* const> devices, const IoRequest& request, const Progress& progress)
        : devices_(devices),
          device_(*devices.front()),
          request_(request),
          progress_(progress),
          folder_("io", request.folder) {
        const double samples = static_cast<double>(request.lines) * static_cast<double>(request.samples);
        const auto streams = static_cast<double>(devices.size() > 1 ? devices.size() : 0);
        require_memory(samples * (2 * 2 + 5 * 8 + streams * (2 + 8 + 8)),
                       fmt::format("bench io of {} x {}", request.lines, request.samples));
        echo_ = random_echo(request);
        options_.extent = request.extent;
        options_.software = "bench";
        write_l0b(raw_, echo_, L0bSamples::compact);
        std::vector<std::string> warnings;
        echo_.acquisition =
            read_l0b_header(raw_, {}, warnings);  // a file keeps pulse times, not their rate: the last bits differ
        setup_ = set_up_focus(device_, echo_.acquisition, options_);
        image_bytes_ = setup_.image.grid.pixels() * sizeof(std::complex<float>);
        input_ = device_.host_memory(echo_.samples.size());
        std::memcpy(input_.get(), echo_.samples.data(), echo_.samples.size());
        output_ = device_.host_memory(image_bytes_);
        std::memset(output_.get(), 1, image_bytes_);
        plain_write(plain_, echo_.samples);
    }

    IoBench run() {
        measure_reading();
        measure_upload();
        measure_host_to_host();  // leaves an image
        measure_download();
        measure_writing();
        measure_file_to_file();
        measure_stream_over_all();
        if (progress_) progress_("done", 1);
        return std::move(bench_);
    }

private:
    using Work = std::function<void()>;

    /// Both in turns, so that both see the same machine.
    void time(IoStep step, const Work& work, const Work& plain, bool endure = false) {
        if (!bench_.wrong.empty()) return;
        if (progress_) progress_(step.name, 0.15 * static_cast<double>(bench_.steps.size()));
        std::vector<double> ours, theirs;
        for (int i = 0; i < request_.repeat; ++i) {
            throw_if_interrupted();
            StageClock clock;
            plain();
            theirs.push_back(1e3 * clock.lap());
            work();
            ours.push_back(1e3 * clock.lap());
        }
        step.median_ms = median_of(std::move(ours));
        step.plain_ms = median_of(std::move(theirs));
        if (endure) {
            const double long_enough_s = std::min(2.0, 0.1 * request_.repeat);
            StageClock clock;
            int runs = 0;
            for (; runs == 0 || clock.total() < long_enough_s; ++runs) {
                throw_if_interrupted();
                work();
            }
            step.sustained_ms = 1e3 * clock.total() / runs;
        }
        bench_.steps.push_back(std::move(step));
    }

    bool right(const std::string& name, bool same) {
        if (!same) bench_.wrong.push_back(fmt::format("{}: the bytes that arrived are not those that left", name));
        return same;
    }

    /// The same image but for the rounding of transforms that are cut into blocks another way; how alike, or nothing if
    /// it is another one.
    std::optional<double> alike(const std::string& name, Samples got, Samples expected) {
        constexpr double least_db = 100;
        const bool same = std::memcmp(got.data(), expected.data(), expected.size_bytes()) == 0;
        const double db = same ? exact_db : std::min(exact_db, signal_to_error_db(got, expected));
        if (db >= least_db) return db;
        bench_.wrong.push_back(fmt::format(
            "{}: the image has a signal-to-error ratio of {:.1f} dB, at least {} are needed", name, db, least_db));
        return std::nullopt;
    }

    double echo_bytes() const { return static_cast<double>(echo_.samples.size()); }
    Samples image() const {
        return {reinterpret_cast<const std::complex<float>*>(output_.get()),
                image_bytes_ / sizeof(std::complex<float>)};
    }
    Image header() const {
        return {.acquisition = echo_.acquisition,
                .grid = setup_.image.grid,
                .processing = {.effective_velocity_m_s = velocities_m_s(setup_.image),
                               .range_window = {},
                               .azimuth_window = {},
                               .software = "bench"},
                .valid_columns = setup_.image.coverage.valid.intervals,
                .intervals_per_row = setup_.image.coverage.valid.intervals_per_row,
                .samples = {}};
    }

    void measure_reading() {
        std::vector<std::byte> got(echo_.samples.size());
        const auto read = [&] {
            std::vector<std::string> warnings;
            const auto source = open_l0b(raw_, {.threads = request_.threads}, warnings);
            const std::int64_t lines = chunk_lines(*source), line_bytes = request_.samples * 2;
            for (std::int64_t first = 0; first < request_.lines; first += lines) {
                const std::int64_t count = std::min(lines, request_.lines - first);
                source->read(first, count,
                             std::span(got).subspan(static_cast<std::size_t>(first * line_bytes),
                                                    static_cast<std::size_t>(count * line_bytes)));
            }
        };
        read();
        if (!right("read", got == echo_.samples)) return;
        time({.name = "read", .bytes = echo_bytes(), .check_db = exact_db}, read, [&] { plain_read(plain_, got); });
    }

    void measure_upload() {
        EchoInMemory source(echo_);
        EchoConveyor conveyor(device_);
        Matrix whole = device_.allocate(SampleFormat::int8, request_.lines, request_.samples);
        const auto upload = [&] {
            conveyor.start(source);
            conveyor.carry_into(whole, [](const EchoConveyor::Chunk&) {});
            device_.synchronize();
        };
        upload();
        std::vector<std::byte> got(echo_.samples.size());
        device_.download_as_stored(whole, got);
        if (!right("upload", got == echo_.samples)) return;
        time({.name = "upload", .bytes = echo_bytes(), .check_db = exact_db}, upload, [&] {
            device_.upload({input_.get(), echo_.samples.size()}, whole);
        });
    }

    void measure_host_to_host() {
        const std::span out(reinterpret_cast<std::complex<float>*>(output_.get()),
                            image_bytes_ / sizeof(std::complex<float>));
        HostToHost frames(device_, echo_.acquisition, setup_, input_.get(), out);
        const auto frame = [&] { frames.frame(); };
        frame();
        const Image expected = focus(device_, echo_, options_).image;
        const auto db = alike("host to host", image(), expected.samples);
        if (!db) return;
        Matrix echo = device_.allocate(SampleFormat::int8, request_.lines, request_.samples),
               matrix = device_.allocate(SampleFormat::complex64, setup_.image.grid.rows, setup_.image.grid.columns);
        time(
            {.name = "host to host", .bytes = echo_bytes() + static_cast<double>(image_bytes_), .check_db = *db}, frame,
            [&] {
                device_.upload({input_.get(), echo_.samples.size()}, echo);
                device_.download_as_stored(matrix, {output_.get(), image_bytes_});
            },
            true);
        std::memcpy(output_.get(), expected.samples.data(), image_bytes_);
    }

    void measure_stream_over_all() {
        if (devices_.size() < 2 || !bench_.wrong.empty()) return;
        if (progress_) progress_("stream", 0.95);
        bench_.stream = measure_stream(devices_, echo_, options_, request_.repeat);
        for (const std::string& wrong : bench_.stream->wrong) bench_.wrong.push_back("stream: " + wrong);
    }

    void measure_download() {
        if (!bench_.wrong.empty()) return;
        Matrix matrix = device_.allocate(SampleFormat::complex64, setup_.image.grid.rows, setup_.image.grid.columns);
        device_.upload({output_.get(), image_bytes_}, matrix);
        std::vector<std::byte> got(image_bytes_);
        const std::size_t row_bytes = static_cast<std::size_t>(matrix.columns) * sizeof(std::complex<float>);
        const auto download = [&] {
            device_.download_rows(matrix, [&](std::int64_t first, Samples rows) {
                std::memcpy(got.data() + static_cast<std::size_t>(first) * row_bytes, rows.data(), rows.size_bytes());
            });
        };
        download();
        if (!right("download", std::memcmp(got.data(), output_.get(), image_bytes_) == 0)) return;
        const auto target = device_.host_memory(image_bytes_);
        std::memset(target.get(), 1, image_bytes_);
        time({.name = "download", .bytes = static_cast<double>(image_bytes_), .check_db = exact_db}, download, [&] {
            device_.download_as_stored(matrix, {target.get(), image_bytes_});
        });
    }

    void measure_writing() {
        const std::string path = folder_.file("image.h5");
        const auto write = [&] {
            RslcFile file(path);
            file.begin(header());
            const std::int64_t columns = setup_.image.grid.columns,
                               rows = std::max<std::int64_t>(1, (2 << 20) / columns);
            for (std::int64_t first = 0; first < setup_.image.grid.rows; first += rows)
                file.write(first, image().subspan(static_cast<std::size_t>(first * columns),
                                                  static_cast<std::size_t>(
                                                      std::min(rows, setup_.image.grid.rows - first) * columns)));
            file.commit();
        };
        if (!bench_.wrong.empty()) return;
        write();
        const Image got = read_rslc(path);
        if (!right("write", std::memcmp(got.samples.data(), output_.get(), image_bytes_) == 0)) return;
        time({.name = "write", .bytes = static_cast<double>(image_bytes_), .check_db = exact_db}, write, [&] {
            plain_write(folder_.file("plain-image"), {output_.get(), image_bytes_});
        });
    }

    void measure_file_to_file() {
        const std::string path = folder_.file("focused.h5");
        const auto job = [&] {
            std::vector<std::string> warnings;
            const auto source = open_l0b(raw_, {.threads = request_.threads}, warnings);
            EchoSource* const frame = source.get();
            RslcFile file(path);
            focus_frames(device_, std::span(&frame, 1), options_, file);
            file.commit();
        };
        if (!bench_.wrong.empty()) return;
        job();
        const Image got = read_rslc(path);
        const auto db = alike("file to file", got.samples, image());
        if (!db) return;
        std::vector<std::byte> piece(echo_.samples.size());
        time(
            {.name = "file to file", .bytes = echo_bytes() + static_cast<double>(image_bytes_), .check_db = *db}, job,
            [&] {
                plain_read(plain_, piece);
                plain_write(folder_.file("plain-image"), {output_.get(), image_bytes_});
            },
            true);
    }

    std::span<Device* const> devices_;
    Device& device_;  // the first: the only one but for the stream
    const IoRequest& request_;
    const Progress& progress_;
    BenchFolder folder_;
    std::string raw_ = folder_.file("raw.h5"), plain_ = folder_.file("plain-echo");
    Echo echo_;
    FocusOptions options_;
    FocusSetup setup_;
    std::size_t image_bytes_ = 0;
    std::shared_ptr<std::byte> input_, output_;
    IoBench bench_;
};

}  // namespace

IoBench measure_io(std::span<Device* const> devices, const IoRequest& request, const Progress& progress) {
    return IoMeasurement(devices, request, progress).run();
}

}  // namespace cornerturn

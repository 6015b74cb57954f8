// SPDX-License-Identifier: Apache-2.0
#include "app/bench/host_to_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <future>

#include "kernels/host/same_job.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/echo/echo_conveyor.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/verify/signal_to_error.h"

namespace cornerturn {
namespace {

std::int64_t lines_at_once(const Acquisition& acquisition) {
    const Echo none{.acquisition = acquisition, .samples = {}};
    return chunk_lines(EchoInMemory(none));
}

/// A device with an echo and an image of its own, made in the thread that uses it, so that their memory is near.
class Stream {
public:
    Stream(Device& device, const Echo& echo, const FocusOptions& options)
        : acquisition_(echo.acquisition),
          setup_(set_up_focus(device, acquisition_, options)),
          samples_(setup_.image.grid.pixels()),
          echo_(device.host_memory(echo.samples.size())),
          image_(device.host_memory(samples_ * sizeof(std::complex<float>))) {
        std::memcpy(echo_.get(), echo.samples.data(), echo.samples.size());
        frames_ =
            std::make_unique<HostToHost>(device, acquisition_, setup_, echo_.get(),
                                         std::span(reinterpret_cast<std::complex<float>*>(image_.get()), samples_));
        frames_->frame();
    }
    void frame() { frames_->frame(); }
    std::span<const std::complex<float>> image() const {
        return {reinterpret_cast<const std::complex<float>*>(image_.get()), samples_};
    }

private:
    Acquisition acquisition_;
    FocusSetup setup_;
    std::size_t samples_;
    std::shared_ptr<std::byte> echo_, image_;
    std::unique_ptr<HostToHost> frames_;
};

template <class Work>
void side_by_side(std::size_t count, const Work& work) {
    std::vector<std::future<void>> threads;
    for (std::size_t i = 0; i < count; ++i)
        threads.push_back(std::async(std::launch::async, in_same_job([&work, i] { work(i); })));
    for (auto& thread : threads) thread.wait();
    for (auto& thread : threads) thread.get();
}

}  // namespace

HostToHost::HostToHost(Device& device, const Acquisition& acquisition, const FocusSetup& setup, const std::byte* echo,
                       std::span<std::complex<float>> image)
    : device_(device),
      acquisition_(acquisition),
      lines_at_once_(lines_at_once(acquisition)),
      runner_(device, former_named(setup.algorithm).form(acquisition, setup.image).algorithm,
              {.block_lines = lines_at_once_}),
      echo_(echo),
      image_(image) {
    for (auto& place : places_) place = device.stage(acquisition.format, lines_at_once_, acquisition.samples);
}

void HostToHost::frame() {
    const std::int64_t line_bytes =
        acquisition_.samples * static_cast<std::int64_t>(bytes_per_sample(acquisition_.format));
    std::size_t number = 0;
    for (std::int64_t first = 0; first < acquisition_.lines; first += lines_at_once_) {
        StagedLines& place = *places_[number++ % places_.size()];
        const Matrix sent =
            place.send_from(echo_ + first * line_bytes, std::min(lines_at_once_, acquisition_.lines - first));
        runner_.take_lines(sent, first);
        place.release();
    }
    device_.download(runner_.finish(), image_);
}

StreamBench measure_stream(std::span<Device* const> devices, const Echo& echo, const FocusOptions& options,
                           int frames) {
    constexpr double least_db = 100;
    StreamBench bench;
    bench.turns = 3;
    std::vector<std::unique_ptr<Stream>> streams(devices.size());
    side_by_side(devices.size(),
                 [&](std::size_t i) { streams[i] = std::make_unique<Stream>(*devices[i], echo, options); });
    bench.bytes = static_cast<double>(echo.samples.size() + streams[0]->image().size_bytes());
    const std::vector<std::complex<float>> expected(streams[0]->image().begin(), streams[0]->image().end());
    for (std::size_t i = 1; i < devices.size(); ++i)
        if (const double db = signal_to_error_db(streams[i]->image(), expected); !(db >= least_db))
            bench.wrong.push_back(
                fmt::format("{} (device {}): {:.1f} dB of signal to error against the first, the least is {:.0f} dB",
                            devices[i]->info().name, i + 1, db, least_db));
    if (!bench.wrong.empty()) return bench;

    const auto stream_ms = [&](std::size_t count) {
        const int all = frames * static_cast<int>(count);
        std::atomic<int> next{0};
        bench.frames.assign(count, 0);
        StageClock clock;
        side_by_side(count, [&](std::size_t i) {
            while (next++ < all) {
                throw_if_interrupted();
                streams[i]->frame();
                ++bench.frames[i];
            }
        });
        return 1e3 * clock.lap() / all;
    };
    std::vector<double> alone, together;
    for (int turn = 0; turn < bench.turns; ++turn) {
        alone.push_back(stream_ms(1));
        together.push_back(stream_ms(devices.size()));
    }
    bench.alone_ms = median_of(alone);
    bench.all_ms = median_of(together);
    return bench;
}

}  // namespace cornerturn

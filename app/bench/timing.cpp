// SPDX-License-Identifier: Apache-2.0
#include "app/bench/timing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/device/device_bench.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/echo/stage_clock.h"

namespace cornerturn {

double median_wall_ms(const std::function<void()>& work, int repeat) {
    std::vector<double> ms;
    for (int i = 0; i < repeat; ++i) {
        throw_if_interrupted();
        StageClock clock;
        work();
        ms.push_back(1e3 * clock.lap());
    }
    return median_of(std::move(ms));
}

double median_ms(Device& device, const std::function<void()>& work, int repeat) {
    device.bench().time_ms(work, std::min(4, repeat));
    std::vector<double> times;
    for (int i = 0; i < repeat; ++i) {
        throw_if_interrupted();
        times.push_back(device.bench().time_ms(work, 1));
    }
    return median_of(std::move(times));
}

Endurance endurance(Device& device, const std::function<void()>& work, int repeat) {
    constexpr int burst = 50;
    const double long_enough_ms = std::min(2000, 100 * repeat);
    double total_ms = device.bench().time_ms(work, burst);
    Endurance result{.burst_ms = total_ms / burst};
    int runs = burst;
    // Half a dozen rounds or so: few enough that the pauses between them do not cool anything.
    const int round = std::max(1, static_cast<int>(long_enough_ms / 6 / result.burst_ms));
    while (total_ms < long_enough_ms) {
        throw_if_interrupted();
        total_ms += device.bench().time_ms(work, round);
        runs += round;
    }
    result.sustained_ms = total_ms / runs;
    return result;
}

void add_endurance(BenchStep& step, Device& device, const std::function<void()>& work, int repeat) {
    const Endurance lasting = endurance(device, work, repeat);
    step.burst_ms = lasting.burst_ms, step.sustained_ms = lasting.sustained_ms;
}

double copy_gbytes_per_s(Device& device, const Matrix& from, Matrix& to, int repeat) {
    double best = 0;
    for (const CopyMethod method : {CopyMethod::library, CopyMethod::kernel}) {
        const double ms = median_ms(
            device, [&] { device.bench().copy(from, to, method); }, repeat);
        best = std::max(best, 2e-6 * static_cast<double>(from.bytes()) / ms);
    }
    return best;
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "app/bench/corner_turn_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "app/bench/bench_input.h"
#include "app/bench/timing.h"
#include "kernels/device/device_bench.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

void check_memory(const DeviceInfo& info, const TurnRequest& request) {
    const int matrices = info.shares_host_memory ? 3 : 2;  // on the host the numbers lie there once more
    const double padded =
        request.bytes() * static_cast<double>(request.row_pitch()) / static_cast<double>(request.columns);
    require_memory(info, request.bytes() + (matrices - 1) * padded,
                   fmt::format("bench corner-turn of {} x {}", request.rows, request.columns));
}

class CornerTurnMeasurement {
public:
    CornerTurnMeasurement(Device& device, const TurnRequest& request) : device_(device), request_(request) {
        check_memory(device.info(), request);
        in_ = device.allocate(request.format, request.rows, request.row_pitch());
        out_ = device.allocate(request.format, request.columns, request.rows);
        device.upload(std::as_bytes(std::span<const float>(random_numbers(in_.bytes() / sizeof(float)))), in_);
    }

    BenchResult run(const Progress& progress) {
        const auto variants = device_.bench().corner_turn_variants();
        for (std::size_t i = 0; i < variants.size() && bench_.wrong.empty(); ++i) {
            if (progress) progress(name_of(variants[i]), static_cast<double>(i) / static_cast<double>(variants.size()));
            measure(variants[i]);
        }
        if (bench_.wrong.empty()) measure_copy();
        if (bench_.wrong.empty()) measure_endurance();
        if (progress) progress("done", 1);
        return std::move(bench_);
    }

private:
    void measure(CornerTurnVariant variant) {
        try {
            require_corner_turn(device_.info().name, device_.bench().corner_turn_variants(), variant, request_.rows,
                                request_.columns, request_.row_pitch());
            if (!turns_exactly(variant)) return;
        } catch (const InputError& error) {
            bench_.left_out.emplace_back(error.what());
            return;
        } catch (const DeviceError& error) {
            if (variant != CornerTurnVariant::cublas) throw;
            bench_.left_out.emplace_back(error.what());
            return;
        }
        const auto work = [&] { turn(variant); };
        bench_.steps.push_back(
            {.name = std::string(name_of(variant)), .median_ms = median_ms(device_, work, request_.repeat)});
    }

    /// Last, for it heats: what comes after two seconds of work runs at the clocks that the power limit leaves.
    void measure_endurance() {
        add_endurance(
            bench_.step("production"), device_, [&] { turn(CornerTurnVariant::production); }, request_.repeat);
    }

    void turn(CornerTurnVariant variant) {
        device_.bench().corner_turn(variant == CornerTurnVariant::inplace ? out_ : in_, out_, variant,
                                    request_.columns);
    }
    /// As many bytes as are turned, however far apart the rows are.
    Matrix packed() const { return in_.reshaped(request_.rows, request_.columns); }

    /// Into an output that holds the matrix before its turn: what is not written shows.
    bool turns_exactly(CornerTurnVariant variant) {
        device_.bench().copy(packed(), out_);
        turn(variant);
        return exact(std::string(name_of(variant)), true);
    }

    bool exact(const std::string& name, bool turned) {
        const std::int64_t differences = device_.bench().count_differences(turned ? in_ : packed(), out_, turned);
        if (differences > 0)
            bench_.wrong.push_back(
                fmt::format("{}: {} of {} elements are wrong", name, differences, request_.rows * request_.columns));
        return differences == 0;
    }

    /// The ceiling: the faster of two copies.
    void measure_copy() {
        BenchStep timing{.name = "copy"};
        for (const CopyMethod method : {CopyMethod::library, CopyMethod::kernel}) {
            turn(CornerTurnVariant::production);
            device_.bench().copy(packed(), out_, method);
            if (!exact("copy", false)) return;
            const double ms = median_ms(
                device_, [&] { device_.bench().copy(packed(), out_, method); }, request_.repeat);
            timing.median_ms = timing.median_ms == 0 ? ms : std::min(timing.median_ms, ms);
        }
        bench_.steps.push_back(timing);
        const double bytes = 2 * request_.bytes();
        bench_.copy_gbytes_per_s = 1e-6 * bytes / timing.median_ms;
        for (BenchStep& step : bench_.steps) bench_.rate(step, bytes);
    }

    Device& device_;
    TurnRequest request_;
    Matrix in_, out_;
    BenchResult bench_;
};

}  // namespace

BenchResult measure_corner_turns(Device& device, const TurnRequest& request, const Progress& progress) {
    return CornerTurnMeasurement(device, request).run(progress);
}

}  // namespace cornerturn

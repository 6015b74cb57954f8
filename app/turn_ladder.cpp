// SPDX-License-Identifier: Apache-2.0
#include "app/turn_ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "app/timing.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

/// Numbers in [-1, 1) and none of them 0, for a library that multiplies by one and adds zero keeps every bit but the sign of a zero.
std::vector<float> random_numbers(std::size_t count) {
    std::vector<float> numbers(count);
    std::uint64_t state = 0x9E3779B97F4A7C15u;
    for (float& number : numbers) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;  // Marsaglia's xorshift
        number = static_cast<float>(static_cast<std::int32_t>(state >> 32) | 1) * 0x1p-31f;
    }
    return numbers;
}

void check_memory(const DeviceInfo& info, const TurnRequest& request) {
    const double needed = request.bytes() * (info.name.starts_with("cpu") ? 3 : 2);  // on the host the numbers lie there once more
    constexpr double mebibyte = 1024.0 * 1024.0;
    if (info.memory_free_bytes > 0 && needed > static_cast<double>(info.memory_free_bytes))
        throw InputError(fmt::format(
            "bench corner-turn of {} x {} needs {:.0f} MiB on {}, of which {:.0f} MiB are free; choose a smaller matrix", request.rows,
            request.columns, needed / mebibyte, info.name, static_cast<double>(info.memory_free_bytes) / mebibyte));
}

class Measurement {
public:
    Measurement(Device& device, const TurnRequest& request) : device_(device), request_(request) {
        check_memory(device.info(), request);
        in_ = device.allocate(request.format, request.rows, request.columns);
        out_ = device.allocate(request.format, request.columns, request.rows);
        device.upload(std::as_bytes(std::span<const float>(random_numbers(in_.bytes() / sizeof(float)))), in_);
    }

    TurnLadder run(const Progress& progress) {
        const auto variants = device_.corner_turn_variants();
        for (std::size_t i = 0; i < variants.size() && ladder_.wrong.empty(); ++i) {
            if (progress) progress(name_of(variants[i]), static_cast<double>(i) / static_cast<double>(variants.size()));
            measure(variants[i]);
        }
        if (ladder_.wrong.empty()) measure_copy();
        if (ladder_.wrong.empty()) measure_endurance();
        if (progress) progress("done", 1);
        return std::move(ladder_);
    }

private:
    void measure(CornerTurnVariant variant) {
        try {
            require_corner_turn(device_, variant, request_.rows, request_.columns);
            if (!turns_exactly(variant)) return;
        } catch (const InputError& error) {
            ladder_.left_out.emplace_back(error.what());
            return;
        } catch (const DeviceError& error) {
            if (variant != CornerTurnVariant::cublas) throw;
            ladder_.left_out.emplace_back(error.what());
            return;
        }
        const auto work = [&] { turn(variant); };
        ladder_.steps.push_back({.name = std::string(name_of(variant)), .median_ms = median_ms(device_, work, request_.repeat)});
    }

    /// Last, for it heats: what comes after two seconds of work runs at the clocks that the power limit leaves.
    void measure_endurance() {
        const Endurance lasting = endurance(device_, [&] { turn(CornerTurnVariant::production); });
        for (TurnTiming& step : ladder_.steps)
            if (step.name == name_of(CornerTurnVariant::production))
                step.burst_ms = lasting.burst_ms, step.sustained_ms = lasting.sustained_ms;
    }

    void turn(CornerTurnVariant variant) { device_.corner_turn(variant == CornerTurnVariant::inplace ? out_ : in_, out_, variant); }

    /// From an output that holds the unturned matrix: what is not written shows.
    bool turns_exactly(CornerTurnVariant variant) {
        device_.copy(in_, out_);
        turn(variant);
        return exact(std::string(name_of(variant)), true);
    }

    bool exact(const std::string& name, bool turned) {
        const std::int64_t differences = device_.count_differences(in_, out_, turned);
        if (differences > 0)
            ladder_.wrong.push_back(fmt::format("{}: {} of {} elements are wrong", name, differences, request_.rows * request_.columns));
        return differences == 0;
    }

    /// The ceiling: the faster of two copies.
    void measure_copy() {
        TurnTiming timing{.name = "copy"};
        for (const CopyMethod method : {CopyMethod::library, CopyMethod::kernel}) {
            device_.corner_turn(in_, out_);
            device_.copy(in_, out_, method);
            if (!exact("copy", false)) return;
            const double ms = median_ms(
                device_, [&] { device_.copy(in_, out_, method); }, request_.repeat);
            timing.median_ms = timing.median_ms == 0 ? ms : std::min(timing.median_ms, ms);
        }
        ladder_.steps.push_back(timing);
        const double bytes = request_.bytes();
        for (TurnTiming& step : ladder_.steps) {
            step.gbytes_per_s = 2e-6 * bytes / step.median_ms;
            step.k_eff = 2 * step.median_ms / timing.median_ms;
        }
        ladder_.copy_gbytes_per_s = ladder_.steps.back().gbytes_per_s;
    }

    Device& device_;
    TurnRequest request_;
    Matrix in_, out_;
    TurnLadder ladder_;
};

}  // namespace

const TurnTiming& TurnLadder::step(const std::string& name) const {
    for (const TurnTiming& timing : steps)
        if (timing.name == name) return timing;
    throw std::logic_error("the ladder has no step " + name);
}

TurnLadder measure_turn_ladder(Device& device, const TurnRequest& request, const Progress& progress) {
    return Measurement(device, request).run(progress);
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/step_runner.h"

#include <algorithm>

#include "kernels/device/noticing.h"
#include "kernels/device/resident_matrices.h"
#include "kernels/device/work_itself.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

Matrix storage_on(Device& device, std::size_t bytes) {
    const auto samples = static_cast<std::int64_t>((bytes + 7) / bytes_per_sample(SampleFormat::complex64));
    return device.allocate(SampleFormat::complex64, 1, samples);
}

/// What a step leaves, in a storage.
Matrix result_in(const Matrix& storage, const LoweredStep& step) {
    Matrix matrix = storage;
    matrix.format = step.format;
    return matrix.reshaped(step.result_rows, step.result_columns);
}

}  // namespace

StepRunner::StepRunner(Device& device, const Algorithm& algorithm, const LoweringHints& hints)
    : device_(device), lowered_(device.lower(algorithm, hints)), results_(lowered_.steps.size()) {
    results_[0] = result_in(storage_on(device, storage_bytes(lowered_.steps)[0]), lowered_.steps[0]);
}

void StepRunner::make_room() {
    if (second_made_) return;
    const std::size_t second_bytes = storage_bytes(lowered_.steps)[1];
    const Matrix storages[] = {results_[0], second_bytes > 0 ? storage_on(device_, second_bytes) : Matrix{}};
    const std::vector<std::size_t> places = storages_of(lowered_.steps);
    for (std::size_t i = 1; i < steps(); ++i) results_[i] = result_in(storages[places[i]], lowered_.steps[i]);
    second_made_ = true;
}

void StepRunner::take_lines(const Matrix& lines, std::int64_t first_line) {
    lowered_.steps[0].plan->run_lines(lines, first_line, results_[0]);
}

void StepRunner::run_step(std::size_t step, const Matrix& echo) {
    make_room();
    if (step == 0) return take_lines(echo, 0);
    lowered_.steps[step].plan->run(results_[step - 1], results_[step]);
}

/// Kernels read and write several samples at once, from where allocated memory begins on.
bool StepRunner::takes(const Matrix& room) const {
    constexpr std::uintptr_t alignment = 64;
    const LoweredStep& last = lowered_.steps.back();
    return steps() > 1 && device_.place() != host_memory_place && room.format == last.format &&
           room.rows == last.result_rows && room.columns == last.result_columns &&
           last.room_samples <= room.rows * room.columns &&
           reinterpret_cast<std::uintptr_t>(room.storage.get()) % alignment == 0;
}

void StepRunner::mark_end(std::size_t step) {
    if (ends_.size() <= step) ends_.push_back(device_.stopwatch());
    ends_[step]->start();
    ends_[step]->stop();
}

Matrix StepRunner::finish(const Progress& progress, const StageObserver& observer, const std::optional<Matrix>& room) {
    const bool ahead = !observer && device_.place() != host_memory_place, in_room = room && takes(*room);
    const auto tell = [&](std::size_t i, const Matrix& result) {
        const LoweredStep& step = lowered_.steps[i];
        if (observer) observer(step.name, result, step.rows, step.columns);
        if (progress) progress(step.name, static_cast<double>(i + 1) / static_cast<double>(steps()));
    };
    make_room();
    Matrix result = results_[0];
    std::size_t told = 0;
    const auto wait_for_steps = [&](std::size_t count) {
        for (; told < count; ++told) {
            ends_[told]->seconds();  // waits for it
            tell(told, {});
        }
    };
    for (std::size_t i = 0; i < steps(); ++i) {
        throw_if_interrupted();
        if (i > 0) {
            if (ahead && lowered_.steps[i].plan->needs_host()) wait_for_steps(i);  // it waits for the device itself
            result = in_room && i + 1 == steps() ? *room : results_[i];
            lowered_.steps[i].plan->run(results_[i - 1], result);
        }
        if (ahead) {
            mark_end(i);
        } else {
            device_.synchronize();
            tell(i, result);
        }
    }
    if (ahead) wait_for_steps(steps());
    return result;
}

bool StepRunner::notices_echo() const {
    const auto* const first = dynamic_cast<const Noticing*>(lowered_.steps.front().plan.get());
    return first != nullptr && first->notices() == Noticed::echo;
}

bool StepRunner::noticed_in_echo() { return dynamic_cast<Noticing&>(*lowered_.steps.front().plan).noticed(); }

bool StepRunner::surely_finite() {
    auto* const last = dynamic_cast<Noticing*>(lowered_.steps.back().plan.get());
    return last != nullptr && last->notices() == Noticed::result && !last->noticed();
}

Matrix StepRunner::run(Matrix echo, const Progress& progress, const StageObserver& observer) {
    take_lines(echo, 0);
    device_.synchronize();
    echo = {};
    return finish(progress, observer);
}

Matrix StepRunner::storage_for_input(std::int64_t rows, std::int64_t columns) {
    const SampleFormat native = device_.info().native;
    return device_.allocate(native, 1, std::max(rows * columns, lowered_.steps[0].room_samples))
        .reshaped(rows, columns);
}

Matrix StepRunner::run_native(const Matrix& in) {
    make_room();
    lowered_.steps[0].plan->run(in, results_[0]);
    run_rest();
    return results_.back();
}

void StepRunner::run_rest() {
    for (std::size_t i = 1; i < steps(); ++i) run_step(i, {});
}

bool StepRunner::decode_as(const EchoDecoding& decoding) { return lowered_.steps[0].plan->decode_as(decoding); }

std::unique_ptr<Recording> StepRunner::record(const Matrix& echo) {
    make_room();
    const auto work = [this, echo] {
        take_lines(echo, 0);
        run_rest();
    };
    const bool needs_host = std::any_of(lowered_.steps.begin(), lowered_.steps.end(),
                                        [](const LoweredStep& step) { return step.plan->needs_host(); });
    if (needs_host) return std::make_unique<WorkItself>(work);
    return device_.record(work);
}

const Matrix& StepRunner::result() {
    make_room();
    return results_.back();
}

}  // namespace cornerturn

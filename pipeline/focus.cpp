// SPDX-License-Identifier: Apache-2.0
#include "pipeline/focus.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

Matrix upload(Device& device, const Echo& echo) {
    Matrix matrix = device.allocate(echo.acquisition.format, echo.acquisition.lines, echo.acquisition.samples);
    device.upload(echo.samples, matrix);
    return matrix;
}

bool has_floating_point_samples(const Acquisition& acquisition) {
    return acquisition.format != SampleFormat::int8 && acquisition.format != SampleFormat::int16;
}

double processed_azimuth_bandwidth_hz(const Acquisition& acquisition, const FocusOptions& options) {
    if (options.azimuth_bandwidth_hz) return *options.azimuth_bandwidth_hz;
    // A window weights the band that it spans: it has to be the beam's. Without one, what lies beyond the beam does no harm.
    const bool windowed = options.azimuth_window.kind != Window::Kind::none;
    return windowed && acquisition.azimuth_bandwidth_hz ? *acquisition.azimuth_bandwidth_hz : acquisition.prf_hz;
}

/// Collects the time from one stage to the next.
class StageClock {
public:
    explicit StageClock(std::vector<StageTime>& stages) : stages_(stages) {}
    void stop(std::string_view name) {
        const auto now = std::chrono::steady_clock::now();
        stages_.push_back({std::string(name), std::chrono::duration<double>(now - since_).count()});
        since_ = now;
    }

private:
    std::vector<StageTime>& stages_;
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

ProcessingRecord processing_record(const Acquisition& acquisition, const FocusOptions& options, const FocusSetup& setup) {
    return {.algorithm = "rda",
            .doppler_centroid_hz = setup.doppler.centroid_hz,
            .doppler_source = setup.doppler.source,
            .effective_velocity_m_s = setup.plan.velocity_m_s,
            .velocity_source = setup.velocity_source,
            .range_bandwidth_hz = acquisition.chirp.bandwidth_hz(),
            .azimuth_bandwidth_hz = setup.plan.parameters.azimuth_bandwidth_hz,
            .range_window = options.range_window,
            .azimuth_window = options.azimuth_window,
            .software = options.software};
}

}  // namespace

FocusSetup set_up_focus(const Acquisition& acquisition, const FocusOptions& options, const DopplerEstimator& estimate) {
    FocusSetup setup;
    setup.doppler = choose_doppler(acquisition, options.doppler_centroid_hz, options.estimate_doppler, estimate);
    if (!setup.doppler.ambiguity_certain)
        setup.warnings.push_back(
            fmt::format("Doppler centroid {:.1f} Hz ({}); its multiple of the PRF is a guess: give --doppler-centroid if you know it",
                        setup.doppler.centroid_hz, setup.doppler.source));
    const VelocityChoice velocity = choose_velocity(acquisition, setup.doppler.centroid_hz, options.velocity_m_s);
    setup.velocity_source = velocity.source;
    setup.plan = plan_range_doppler(acquisition, {.doppler_centroid_hz = setup.doppler.centroid_hz,
                                                  .velocity_m_s = velocity.m_s,
                                                  .azimuth_bandwidth_hz = processed_azimuth_bandwidth_hz(acquisition, options),
                                                  .range_window = options.range_window,
                                                  .azimuth_window = options.azimuth_window,
                                                  .interpolation_taps = options.interpolation_taps,
                                                  .extent = options.extent,
                                                  .corner_turn = options.corner_turn});
    // Where neither file nor user knows the beam, its band is taken for the whole PRF, which it hardly ever fills: no ground for a warning.
    const bool beam_known = acquisition.azimuth_bandwidth_hz || options.azimuth_bandwidth_hz;
    if (beam_known && setup.plan.image_range_bandwidth_hz > acquisition.sample_rate_hz())
        setup.warnings.push_back(fmt::format(
            "squint widens the range spectrum of the image to {:.6g} MHz, more than the {:.6g} MHz of its sampling: the edges alias; a "
            "smaller --azimuth-bandwidth narrows it",
            setup.plan.image_range_bandwidth_hz / 1e6, acquisition.sample_rate_hz() / 1e6));
    return setup;
}

DopplerEstimate estimate_doppler_on(Device& device, const Echo& echo) {
    return estimate_doppler(echo, device.statistics(upload(device, echo), echo.acquisition.decoding).lag1);
}

void check_memory(const Device& device, const RangeDopplerPlan& plan) {
    const DeviceInfo info = device.info();
    const std::size_t needed = plan.device_bytes * (bytes_per_sample(info.native) / bytes_per_sample(SampleFormat::complex64));
    constexpr double mebibyte = 1024.0 * 1024.0;
    if (info.memory_free_bytes > 0 && needed > info.memory_free_bytes)
        throw InputError(fmt::format(
            "focusing to {} x {} samples needs {:.0f} MiB on {}, of which {:.0f} MiB are free; use a smaller scene or another --device",
            plan.grid.rows, plan.grid.columns, static_cast<double>(needed) / mebibyte, info.name,
            static_cast<double>(info.memory_free_bytes) / mebibyte));
}

FocusResult focus(Device& device, const Echo& echo, const FocusOptions& options, const Progress& progress, const StageObserver& observer) {
    const Acquisition& acquisition = echo.acquisition;
    FocusResult result;
    FocusReport& report = result.report;
    report.setup = set_up_focus(acquisition, options, [&] { return estimate_doppler_on(device, echo); });
    const RangeDopplerPlan& plan = report.setup.plan;
    check_memory(device, plan);
    check_corner_turns(device, acquisition, plan);
    report.warnings = report.setup.warnings;

    StageClock clock(report.stages);
    const auto timed = [&](std::string_view stage, double done) {
        clock.stop(stage);
        if (progress) progress(stage, done);
    };
    Matrix on_device = upload(device, echo);
    timed("upload", 0.0);
    if (has_floating_point_samples(acquisition)) {
        report.non_finite_samples = device.statistics(on_device, acquisition.decoding).non_finite;
        if (*report.non_finite_samples > 0)
            report.warnings.push_back(fmt::format("{} samples of the echo are not finite; taken as zero", *report.non_finite_samples));
        timed("statistics", 0.0);
    }
    const Matrix focused = focus_range_doppler(device, acquisition, plan, std::exchange(on_device, {}), timed, observer);

    result.image = {.acquisition = acquisition,
                    .grid = plan.grid,
                    .processing = processing_record(acquisition, options, report.setup),
                    .valid_columns = plan.valid_columns,
                    .samples = std::vector<std::complex<float>>(static_cast<std::size_t>(plan.grid.rows * plan.grid.columns))};
    device.download(focused, std::span(result.image.samples));
    timed("download", 1.0);
    report.transferred = device.transferred();
    return result;
}

}  // namespace cornerturn

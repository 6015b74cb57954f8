// SPDX-License-Identifier: Apache-2.0
#include "pipeline/focus.h"

#include <fmt/format.h>

#include <cmath>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

Matrix upload(Device& device, const Echo& echo) {
    Matrix matrix = device.allocate(echo.acquisition.format, echo.acquisition.lines, echo.acquisition.samples);
    device.upload(echo.samples, matrix);
    return matrix;
}

double processed_azimuth_bandwidth_hz(const Acquisition& acquisition, const FocusOptions& options) {
    if (options.azimuth_bandwidth_hz) return *options.azimuth_bandwidth_hz;
    // A window weights the band that it spans: it has to be the beam's. Without one, what lies beyond the beam does no harm.
    const bool windowed = options.azimuth_window.kind != Window::Kind::none;
    return windowed && acquisition.azimuth_bandwidth_hz ? *acquisition.azimuth_bandwidth_hz : acquisition.prf_hz;
}

}  // namespace

FocusSetup set_up_focus(Device& device, const Acquisition& acquisition, const FocusOptions& options, const DopplerEstimator& estimate) {
    FocusSetup setup;
    setup.doppler = choose_doppler(acquisition, options.doppler_centroid_hz, options.estimate_doppler, estimate);
    if (!setup.doppler.ambiguity_certain)
        setup.warnings.push_back(
            fmt::format("Doppler centroid {:.1f} Hz ({}); its multiple of the PRF is a guess: give --doppler-centroid if you know it",
                        setup.doppler.centroid_hz, setup.doppler.source));
    const VelocityChoice velocity = choose_velocity(acquisition, setup.doppler.centroid_hz, options.velocity_m_s);
    setup.velocity_source = velocity.source;
    ChainChoice choice = choose_chain(device, acquisition,
                                      {.doppler_centroid_hz = setup.doppler.centroid_hz,
                                       .velocity_m_s = velocity.m_s,
                                       .azimuth_bandwidth_hz = processed_azimuth_bandwidth_hz(acquisition, options),
                                       .range_window = options.range_window,
                                       .azimuth_window = options.azimuth_window,
                                       .interpolation_taps = options.interpolation_taps,
                                       .extent = options.extent,
                                       .precision = options.precision,
                                       .fft_lengths = options.fft_lengths,
                                       .corner_turn = options.corner_turn},
                                      options.chain);
    setup.plan = std::move(choice.plan);
    setup.chains_passed_over = std::move(choice.passed_over);
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

}  // namespace cornerturn

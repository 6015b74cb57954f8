// SPDX-License-Identifier: Apache-2.0
#include "pipeline/focus.h"

#include <fmt/format.h>

#include <cmath>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

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
    setup.image = plan_image(acquisition, {.doppler_centroid_hz = setup.doppler.centroid_hz,
                                                     .velocity = velocity.profile,
                                                     .azimuth_bandwidth_hz = processed_azimuth_bandwidth_hz(acquisition, options),
                                                     .range_window = options.range_window,
                                                     .azimuth_window = options.azimuth_window,
                                                     .interpolation_taps = options.interpolation_taps,
                                                     .extent = options.extent});
    plan_steps(device, acquisition, options, setup);
    // Where neither file nor user knows the beam, its band is taken for the whole PRF, which it hardly ever fills: no ground for a warning.
    const bool beam_known = acquisition.azimuth_bandwidth_hz || options.azimuth_bandwidth_hz;
    if (beam_known && setup.image.image_range_bandwidth_hz > acquisition.sample_rate_hz())
        setup.warnings.push_back(fmt::format(
            "squint widens the range spectrum of the image to {:.6g} MHz, more than the {:.6g} MHz of its sampling: the edges alias; a "
            "smaller --azimuth-bandwidth narrows it",
            setup.image.image_range_bandwidth_hz / 1e6, acquisition.sample_rate_hz() / 1e6));
    return setup;
}

void plan_steps(Device& device, const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    const Former& former = former_named(options.algorithm);
    setup.notes = former.form(acquisition, setup.image).notes;
    setup.memory = plan_memory(device, acquisition, setup.image, former, options.lowering, options.memory);
}

}  // namespace cornerturn

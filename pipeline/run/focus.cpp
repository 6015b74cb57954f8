// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/focus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "kernels/hyperbola.h"

namespace cornerturn {
namespace {

/// The beam's band; without a window, which has to span just that, with the ripple that its edges spill over (Fresnel: it has fallen to
/// some -30 dB within four times the root of the FM rate), as what is cut off there is missed in the response.
double band_of_beam_hz(const Acquisition& acquisition, const FocusOptions& options, double centroid_hz, const VelocityProfile& velocity) {
    const double beam_hz = *acquisition.azimuth_bandwidth_hz, range_m = acquisition.range_m(0);
    if (options.azimuth_window.kind != Window::Kind::none) return beam_hz;
    const double factor = migration_factor(centroid_hz, velocity(range_m), acquisition.wavelength_m());
    return beam_hz + 8 * std::sqrt(azimuth_fm_rate_hz_s(factor * range_m, factor, velocity(range_m), acquisition.wavelength_m()));
}

/// What the user gave; else what the beam fills where the file knows it, else the PRF, neither beyond what the geometry holds: of a high
/// PRF a slow platform uses little.
double processed_azimuth_bandwidth_hz(const Acquisition& acquisition, const FocusOptions& options, double centroid_hz,
                                      const VelocityProfile& velocity) {
    if (options.azimuth_bandwidth_hz) return *options.azimuth_bandwidth_hz;
    const double widest_hz = widest_azimuth_band_hz(acquisition, centroid_hz, velocity);
    if (!acquisition.azimuth_bandwidth_hz) return widest_hz;
    return std::min(band_of_beam_hz(acquisition, options, centroid_hz, velocity), widest_hz);
}

/// The velocity that the orbit gives at some lines, for what the image needs there.
VelocityProfile velocity_at(const Acquisition& acquisition, const FocusSetup& setup, double line) {
    return orbit_velocity(acquisition, setup.doppler.centroid_hz, acquisition.pulse_time_s(line));
}

/// Under squint another velocity sees the same rows in other lines: blocks take what any velocity along the scene needs.
void span_all_velocities(const Acquisition& acquisition, FocusSetup& setup) {
    constexpr int places = 5;
    LineSpan& lines = setup.image.lines_of_row;
    for (int i = 0; i < places; ++i) {
        const double line = static_cast<double>(acquisition.lines - 1) * i / (places - 1);
        const LineSpan there = with_velocity(setup.image, acquisition, velocity_at(acquisition, setup, line)).lines_of_row;
        lines = {std::max(lines.before, there.before), std::max(lines.behind, there.behind)};
    }
}

}  // namespace

ImagePlan FocusSetup::image_of(const Acquisition& acquisition, std::size_t block) const {
    return block_velocity.empty() ? image : with_velocity(image, acquisition, block_velocity[block]);
}

FocusSetup set_up_focus(Device& device, const Acquisition& acquisition, const FocusOptions& options, const DopplerEstimator& estimate) {
    FocusSetup setup;
    setup.doppler = choose_doppler(acquisition, options.doppler_centroid_hz, options.estimate_doppler, estimate);
    if (!setup.doppler.ambiguity_certain)
        setup.warnings.push_back(
            fmt::format("Doppler centroid {:.1f} Hz ({}); its multiple of the PRF is a guess: give --doppler-centroid if you know it",
                        setup.doppler.centroid_hz, setup.doppler.source));
    const VelocityChoice velocity = choose_velocity(acquisition, setup.doppler.centroid_hz, options.velocity_m_s);
    setup.velocity_source = velocity.source;
    const double azimuth_bandwidth_hz = processed_azimuth_bandwidth_hz(acquisition, options, setup.doppler.centroid_hz, velocity.profile);
    setup.image = plan_image(acquisition, {.doppler_centroid_hz = setup.doppler.centroid_hz,
                                           .velocity = velocity.profile,
                                           .azimuth_bandwidth_hz = azimuth_bandwidth_hz,
                                           .range_window = options.range_window,
                                           .azimuth_window = options.azimuth_window,
                                           .interpolation_taps = options.interpolation_taps,
                                           .extent = options.extent});
    plan_steps(device, acquisition, options, setup);
    if (!options.azimuth_bandwidth_hz && acquisition.azimuth_bandwidth_hz > azimuth_bandwidth_hz)
        setup.warnings.push_back(fmt::format("azimuthBandwidth of the file: of its {:.6g} Hz only {:.6g} Hz can be processed",
                                             *acquisition.azimuth_bandwidth_hz, azimuth_bandwidth_hz));
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
    setup.block_velocity.clear();
    if (setup.memory.blocks.size() == 1 || setup.velocity_source != "orbit") return;
    span_all_velocities(acquisition, setup);
    setup.memory = plan_memory(device, acquisition, setup.image, former, options.lowering, options.memory);
    for (const AzimuthBlock& block : setup.memory.blocks)
        setup.block_velocity.push_back(
            velocity_at(acquisition, setup, static_cast<double>(block.first_line) + 0.5 * static_cast<double>(block.lines - 1)));
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/range_bandwidth.h"

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "pipeline/formers/processed_band.h"

namespace cornerturn {
namespace {

constexpr int looks_along_strip = 257;  // sway has periods of seconds

/// A point's range frequencies in the image are those of the pulse times dR / dR0, by which its range grows with that
/// of its row. A pulse that was sent beside the reference sees it more or less steeply than one from there, which moves
/// them: by so much at most, at one range.
double moved_by_sway_hz(const Acquisition& acquisition, const ViewingGeometry& geometry, double range_m,
                        double azimuth_band_hz) {
    const double first_s = acquisition.pulse_time_s(0), last_s = acquisition.last_pulse_time_s(),
                 step_m = 1e-3 * range_m;
    double largest = 0;  // change of dR / dR0
    for (int look = 0; look < looks_along_strip; ++look) {
        const double row_s =
            geometry.zero_doppler_time_s(std::lerp(first_s, last_s, look / (looks_along_strip - 1.0)), range_m);
        const BeamCentre beam = geometry.beam_centre(row_s, range_m);
        const PlaceOfRange place_of = geometry.track().places(row_s);
        const DelayHistory near = geometry.track().delay_history(row_s, range_m - step_m),
                           far = geometry.track().delay_history(row_s, range_m + step_m);
        for (const double part : {-0.5, 0.0, 0.5}) {
            const double sent_s = beam.time_s + part * azimuth_band_hz / beam.rate_hz_s;
            if (!(row_s + sent_s >= first_s && row_s + sent_s <= last_s)) continue;
            const Place antenna = geometry.track().pulse_path(row_s + sent_s).start;
            const double flown_m = distance_m(antenna, place_of(range_m + step_m).place) -
                                   distance_m(antenna, place_of(range_m - step_m).place),
                         even_m = 0.5 * c_m_s * (far(sent_s) - near(sent_s));
            if (const double change = std::abs(flown_m - even_m) / (2 * step_m); std::isfinite(change))
                largest = std::max(largest, change);
        }
    }
    return largest * acquisition.carrier_hz;
}

}  // namespace

double widest_image_bandwidth_hz(const Acquisition& acquisition, const ViewingGeometry& geometry,
                                 const DopplerSurface& centroid_hz, const VelocityProfile& velocity,
                                 double azimuth_band_hz) {
    double widest_hz = 0;
    for (const double along : {0.0, 0.5, 1.0})
        for (const double across : {0.0, 0.5, 1.0}) {
            const double time_s = acquisition.pulse_time_s(along * static_cast<double>(acquisition.lines - 1)),
                         range_m = acquisition.range_m(across * static_cast<double>(acquisition.samples - 1));
            widest_hz = std::max(widest_hz, image_bandwidth_hz(acquisition, velocity, range_m,
                                                               centroid_hz(time_s, range_m), azimuth_band_hz));
        }
    // Readers expect spectra about those of the even flight: there has to be room on either side.
    double moved_hz = 0;
    for (const double across : {0.0, 0.5, 1.0})
        if (acquisition.flown_beside)
            moved_hz = std::max(
                moved_hz, moved_by_sway_hz(acquisition, geometry,
                                           acquisition.range_m(across * static_cast<double>(acquisition.samples - 1)),
                                           azimuth_band_hz));
    return widest_hz + 2 * moved_hz;
}

bool knows_range_bandwidth(const Acquisition& acquisition, const FocusOptions& options) {
    return (acquisition.azimuth_bandwidth_hz || options.azimuth_bandwidth_hz) && !options.map;
}

std::optional<ImageBandwidths> range_bandwidths_of_image(const Acquisition& acquisition, const FocusOptions& options) {
    if (acquisition.sums_all_pulses() || !knows_range_bandwidth(acquisition, options)) return std::nullopt;
    try {
        const ViewChoice view = choose_view(acquisition, options);
        const auto widest_hz = [&](double azimuth_band_hz) {
            return widest_image_bandwidth_hz(acquisition, *view.geometry, view.doppler.surface_hz,
                                             view.parameters.velocity, azimuth_band_hz);
        };
        return ImageBandwidths{.processed_hz = widest_hz(view.parameters.azimuth_bandwidth_hz),
                               .illuminated_hz = widest_hz(illuminated_band_hz(acquisition, view.parameters))};
    } catch (const InputError&) {
        return std::nullopt;  // set_up_focus tells why
    }
}

}  // namespace cornerturn

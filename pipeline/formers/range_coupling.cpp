// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/range_coupling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cornerturn {
namespace {

double mean_square_hz2(const Window& window, double bandwidth_hz) {
    constexpr int steps = 1000;
    double weights = 0, squares = 0;
    for (int i = 0; i < steps; ++i) {
        const double x = (i + 0.5) / steps - 0.5;
        weights += window(x);
        squares += window(x) * x * x;
    }
    return squares / weights * bandwidth_hz * bandwidth_hz;
}

/// A difference of couplings, at the edges of a band, near and far, as a phase at the corners of the range spectrum:
/// beyond the mean over range frequency, which azimuth compression takes care of.
template <class Difference>
double largest_rad(const Acquisition& acquisition, const ImagePlan& image, double band_hz,
                   const Difference& cycles_hz2) {
    const double edge_hz = acquisition.chirp.bandwidth_hz() / 2, beyond_mean = 0.5 * edge_hz * edge_hz * (1 - 1.0 / 3);
    double largest_cycles = 0;
    for (const double range_m : {image.swath.nearest_m, image.swath.farthest_m})
        for (const double side : {-0.5, 0.5})
            largest_cycles = std::max(
                largest_cycles, beyond_mean * std::abs(cycles_hz2(range_m, image.histories.middle.centroid_hz(range_m) +
                                                                               side * band_hz)));
    return 2 * std::numbers::pi * largest_cycles;
}

/// A term taken at (f_dc, middle range).
double error_of_range_filter_rad(const Acquisition& acquisition, const ImagePlan& image) {
    const RangeHistory& history = image.histories.middle;
    const double taken = history.coupling_cycles_hz2(history.middle_range_m(), image.parameters.doppler_centroid_hz);
    return largest_rad(acquisition, image, image.parameters.azimuth_bandwidth_hz,
                       [&](double range_m, double f_hz) { return history.coupling_cycles_hz2(range_m, f_hz) - taken; });
}

}  // namespace

double left_over_swath_rad(const Acquisition& acquisition, const ImagePlan& image) {
    const RangeHistory& history = image.histories.middle;
    return largest_rad(acquisition, image, image.parameters.azimuth_bandwidth_hz, [&](double range_m, double f_hz) {
        return history.coupling_cycles_hz2(range_m, f_hz) - history.coupling_cycles_hz2(history.middle_range_m(), f_hz);
    });
}

double jump_at_aliases_rad(const Acquisition& acquisition, const ImagePlan& image, bool over_chirp) {
    const RangeHistory& history = image.histories.middle;
    const double centroid_hz = image.parameters.doppler_centroid_hz, middle_m = history.middle_range_m(),
                 moved_hz = over_chirp ? moved_at_chirp_ends_hz(acquisition, image.parameters) : 0;
    return largest_rad(
        acquisition, image, illuminated_band_hz(acquisition, image.parameters) + 2 * moved_hz,
        [&](double, double f_hz) {
            const double of_bin_hz = centroid_hz + std::remainder(f_hz - centroid_hz, acquisition.prf_hz);
            return history.coupling_cycles_hz2(middle_m, f_hz) - history.coupling_cycles_hz2(middle_m, of_bin_hz);
        });
}

double part_at_aliases(const Acquisition& acquisition, const ImagePlan& image) {
    const double prf_hz = acquisition.prf_hz, beam_hz = illuminated_band_hz(acquisition, image.parameters),
                 moved_hz = moved_at_chirp_ends_hz(acquisition, image.parameters),
                 kept_hz = std::min(image.parameters.azimuth_bandwidth_hz + image.fades.azimuth_fade_hz, prf_hz);
    double most = 0;
    for (const double range_m : {image.swath.nearest_m, image.swath.farthest_m}) {
        const double aside_hz =
                         std::abs(image.histories.middle.centroid_hz(range_m) - image.parameters.doppler_centroid_hz),
                     beam_beyond_hz = 0.5 * beam_hz + moved_hz + aside_hz - 0.5 * prf_hz,
                     beyond_hz = std::min(beam_beyond_hz, 0.5 * kept_hz + aside_hz - 0.5 * prf_hz);
        if (!(beyond_hz > 0)) continue;
        // Of a corner of the spectrum, which is slanted by twice as much over the chirp, what is kept of it.
        const auto corner = [&](double hz) { return hz / beam_hz * std::min(0.5, 0.25 * hz / moved_hz); };
        most = std::max(most, corner(beam_beyond_hz) - corner(beam_beyond_hz - beyond_hz));
    }
    return most;
}

LossAtEdges loss_at_edges(const Acquisition& acquisition, const ImagePlan& image) {
    const RangeHistory& history = image.histories.middle;
    const double half_beam_hz = 0.5 * illuminated_band_hz(acquisition, image.parameters),
                 moved_hz = moved_at_chirp_ends_hz(acquisition, image.parameters),
                 half_kept_hz = 0.5 * std::min(image.parameters.azimuth_bandwidth_hz, acquisition.prf_hz),
                 seen_hz = std::min(half_beam_hz, half_kept_hz),
                 last_hz = std::min(half_beam_hz + moved_hz, half_kept_hz);
    LossAtEdges loss{.part = 0.5 * (part_beyond(half_beam_hz, moved_hz, seen_hz) -
                                    part_beyond(half_beam_hz, moved_hz, half_kept_hz))};
    for (const double range_m : {image.swath.nearest_m, image.swath.farthest_m})
        for (const double side : {-1.0, 1.0}) {
            const auto slant_m = [&](double off_hz) {
                return history.slant_m(range_m, history.centroid_hz(range_m) + side * off_hz);
            };
            loss.cells =
                std::max(loss.cells, std::abs(slant_m(last_hz) - slant_m(seen_hz)) / acquisition.range_spacing_m);
        }
    return loss;
}

RangeCoupling plan_range_coupling(const Acquisition& acquisition, const ImagePlan& image) {
    const double left = error_of_range_filter_rad(acquisition, image);
    return {.place = left < largest_coupling_left_rad ? CouplingPlace::range_filter : CouplingPlace::two_dimensional,
            .left_rad = left,
            .mean_square_hz2 = mean_square_hz2(image.parameters.range_window, acquisition.chirp.bandwidth_hz()),
            .centroid_hz = image.parameters.doppler_centroid_hz};
}

}  // namespace cornerturn

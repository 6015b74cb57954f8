// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/wavenumber.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/host/side_by_side.h"
#include "kernels/math/hyperbola.h"
#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/formers/processed_band.h"

namespace cornerturn {
namespace {

constexpr double largest_error_cycles = 1e-7;
constexpr int most_terms = 64;

constexpr std::size_t most_fitted = 65;

/// Of the chirp's band: so many that nine lie where the beam is at one Doppler frequency, however it moves over the
/// chirp.
std::size_t fitted_frequencies(const Acquisition& acquisition, const FormerParameters& parameters) {
    constexpr double within_beam = 9;
    const double moved =
        2 * moved_at_chirp_ends_hz(acquisition, parameters) / illuminated_band_hz(acquisition, parameters);
    constexpr double matters = 0.25;  // below, all of the chirp sees next to all of the beam
    return static_cast<std::size_t>(
        moved < matters ? within_beam : std::min<double>(most_fitted, std::ceil(within_beam * (1 + moved))));
}

/// The middles of equal parts of the chirp's band.
std::vector<double> middles(const Acquisition& acquisition, const ImagePlan& image) {
    std::vector<double> frequencies;
    const auto count = static_cast<double>(fitted_frequencies(acquisition, image.parameters));
    for (double j = 0; j < count; ++j)
        frequencies.push_back(image.parameters.doppler_centroid_hz +
                              acquisition.chirp.bandwidth_hz() * ((j + 0.5) / count - 0.5));
    return frequencies;
}

/// How much of a point lies so far from the beam's centre, in halves of the beam: next to nothing beyond its edge, and
/// smoothly so, as laws over Doppler frequency are polynomials.
double light_at(double of_half_beam) {
    constexpr double least = 1e-3;
    return least + 1 / (1 + std::pow(of_half_beam, 8));
}

}  // namespace

ReferenceSpectrum::ReferenceSpectrum(const RangeHistory& history, std::vector<double> range_frequencies_hz,
                                     double from_hz, double to_hz)
    : range_frequencies_hz_(std::move(range_frequencies_hz)) {
    const auto at = [&](double f_hz, double u_hz) { return history.wavenumber(f_hz, u_hz); };
    const auto over_doppler = [&](double tolerance, const auto& value) {
        return ChebyshevSeries::of(from_hz, to_hz, tolerance, most_terms, value);
    };
    // A shift of the frequency turns phases by its product with half the delay of the swath.
    const double tolerance_hz = largest_error_cycles / history.half_delay_s();
    laws_ = side_by_side(range_frequencies_hz_.size(), [&](std::size_t k) {
        const double u_hz = range_frequencies_hz_[k];
        return Laws{over_doppler(largest_error_cycles, [&](double f_hz) { return at(f_hz, u_hz).phase_cycles; }),
                    over_doppler(tolerance_hz,
                                 [&](double f_hz) {
                                     return u_hz + 0.5 * speed_of_light_m_s *
                                                       (at(f_hz, u_hz).cycles_per_m - at(f_hz, 0).cycles_per_m);
                                 }),
                    over_doppler(1e-7, [&](double f_hz) {
                        return std::sqrt(at(f_hz, 0).fm_rate_hz_s / at(f_hz, u_hz).fm_rate_hz_s);
                    })};
    });
}

DopplerUnion doppler_union(const Acquisition& acquisition, const ImagePlan& image) {
    double lowest_hz = INFINITY, highest_hz = -INFINITY;
    for (std::int64_t column = 0; column < image.grid.columns; ++column) {
        const double hz = image.histories.middle.centroid_hz(image.grid.range_m(static_cast<double>(column)));
        lowest_hz = std::min(lowest_hz, hz);
        highest_hz = std::max(highest_hz, hz);
    }
    const double half_hz = processed_half_band_hz(acquisition, image);
    return {
        .from_hz = lowest_hz - half_hz, .to_hz = highest_hz + half_hz, .centroid_change_hz = highest_hz - lowest_hz};
}

double processed_half_band_hz(const Acquisition& acquisition, const ImagePlan& image) {
    const double faded_hz = image.parameters.azimuth_bandwidth_hz + image.fades.azimuth_fade_hz;
    return std::min(0.5 * std::min(faded_hz, acquisition.prf_hz) * 1.02, image.histories.middle.half_band_hz());
}

double range_edge_hz(const Acquisition& acquisition, const ImagePlan& image) {
    const double bandwidth_hz = acquisition.chirp.bandwidth_hz();
    const double with_skirts_hz = std::min(0.7 * bandwidth_hz, 0.5 * acquisition.sample_rate_hz());
    const DopplerUnion band = doppler_union(acquisition, image);
    const double velocity_m_s = image.parameters.velocity(image.swath.middle_m());
    const auto exist = [&](double f_hz) {
        return frequencies_exist(-1.1 * with_skirts_hz, f_hz, velocity_m_s, acquisition.carrier_hz);
    };
    return exist(band.from_hz) && exist(band.to_hz) ? with_skirts_hz : 0.51 * bandwidth_hz;
}

AwayFromReference::AwayFromReference(const Acquisition& acquisition, const ImagePlan& image)
    : carrier_hz_(acquisition.carrier_hz),
      reference_m_(image.histories.middle.middle_range_m()),
      half_beam_hz_(0.5 * illuminated_band_hz(acquisition, image.parameters)),
      reference_(image.histories.middle, middles(acquisition, image), doppler_union(acquisition, image).from_hz,
                 doppler_union(acquisition, image).to_hz) {
    const auto count = static_cast<double>(reference_.size());
    for (double j = 0; j < count; ++j) weight_.push_back(image.parameters.range_window((j + 0.5) / count - 0.5));
}

AwayFromReference::Rest AwayFromReference::at(const RangeHistory::Column& column, double range_m,
                                              double doppler_hz) const {
    const std::size_t count = reference_.size();
    std::array<double, most_fitted> frequency, cycles, light;
    for (std::size_t j = 0; j < count; ++j) {
        const double u_hz = reference_.range_frequency_hz(j), proportion = 1 + u_hz / carrier_hz_;
        frequency[j] = reference_.image_hz(j, doppler_hz);
        cycles[j] = column.phase_cycles_at(doppler_hz, u_hz, carrier_hz_) - reference_.phase_cycles(j, doppler_hz) +
                    2 / speed_of_light_m_s * (range_m - reference_m_) * u_hz;
        light[j] = light_at((doppler_hz / proportion - column.centroid_hz) / half_beam_hz_);
    }
    const StraightLine line = line_through(count, [&](std::size_t j) {
        return LinePoint{frequency[j], cycles[j], weight_[j] * light[j]};
    });
    Rest rest{.phase_cycles = line(0), .delay_s = line.slope, .left_cycles = 0, .stretch = 0};
    const double brightest = *std::max_element(light.begin(), light.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t j = 0; j < count; ++j) {
        if (light[j] < 0.5 * brightest) continue;
        const double left = std::abs(cycles[j] - rest.phase_cycles - rest.delay_s * frequency[j]);
        if (left > rest.left_cycles || std::isnan(left)) rest.left_cycles = left;  // which stays then
    }
    const std::size_t last = count - 1;
    rest.stretch =
        (frequency[last] - frequency[0]) / (reference_.range_frequency_hz(last) - reference_.range_frequency_hz(0));
    return rest;
}

}  // namespace cornerturn

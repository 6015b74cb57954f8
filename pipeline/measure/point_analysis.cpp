// SPDX-License-Identifier: Apache-2.0
// Point-target analysis: search, refine, cut, measure.
#include "pipeline/measure/point_analysis.h"

#include <cmath>

#include "kernels/math/phasor.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/fits/parabola.h"
#include "pipeline/acquisition/track/reference_track.h"
#include "pipeline/measure/point_chip.h"
#include "pipeline/measure/point_theory.h"
#include "pipeline/proof/exact_pixels.h"

namespace cornerturn {

namespace {

constexpr double search_px = 4;  // how far the peak may lie from where it is expected

/// Elements per pixel of a cut: linear interpolation of the half-power points errs by 1e-5 px. Pixels that are a small
/// part of the response need no such division.
std::int64_t cut_finesse(double band) { return band < 0.05 ? static_cast<std::int64_t>(std::ceil(128 * band)) : 64; }

std::vector<double> grid_about(double centre, double step, std::int64_t half_count) {
    std::vector<double> positions;
    for (std::int64_t k = -half_count; k <= half_count; ++k)
        positions.push_back(centre + static_cast<double>(k) * step);
    return positions;
}

/// Peak of |chip| within half_count steps of a place, and between the steps.
PixelPosition peak_on_grid(const PointChip& chip, PixelPosition centre, double step, std::int64_t half_count) {
    const auto rows = grid_about(centre.row, step, half_count);
    const auto columns = grid_about(centre.column, step, half_count);
    const ComplexMatrix values = chip.at(rows, columns);
    std::int64_t best_row = 0;
    std::int64_t best_column = 0;
    for (std::int64_t i = 0; i < values.rows; ++i) {
        for (std::int64_t k = 0; k < values.columns; ++k) {
            if (std::norm(values(i, k)) > std::norm(values(best_row, best_column))) best_row = i, best_column = k;
        }
    }
    PixelPosition peak{rows[best_row], columns[best_column]};
    if (best_row > 0 && best_row + 1 < values.rows) {
        peak.row +=
            step * parabola_top(std::abs(values(best_row - 1, best_column)), std::abs(values(best_row, best_column)),
                                std::abs(values(best_row + 1, best_column)));
    }
    if (best_column > 0 && best_column + 1 < values.columns) {
        peak.column +=
            step * parabola_top(std::abs(values(best_row, best_column - 1)), std::abs(values(best_row, best_column)),
                                std::abs(values(best_row, best_column + 1)));
    }
    return peak;
}

PixelPosition find_peak(const PointChip& chip, PixelPosition expected) {
    PixelPosition peak = peak_on_grid(chip, expected, 1.0 / 8, static_cast<std::int64_t>(8 * search_px));
    for (double step : {1.0 / 32, 1.0 / 128, 1.0 / 512}) peak = peak_on_grid(chip, peak, step, 8);
    return peak;
}

Cut power_cut(const ComplexMatrix& values, double step_px) {
    Cut cut{step_px, {}};
    for (const auto& value : values.values) cut.power.push_back(std::norm(value));
    return cut;
}

/// Everything about one axis; `theory_cut` follows from the measured one's length.
AxisAnalysis axis_analysis(Cut measured, Cut theory, double band, double pixel_m) {
    AxisAnalysis axis;
    axis.measured = measure(measured, band, pixel_m);
    axis.theory = measure(theory, band, pixel_m);
    axis.cut = std::move(measured);
    axis.theory_cut = std::move(theory);
    return axis;
}

void measure_axes(const Image& image, const ResponseSupport& support, const PointChip& chip, PixelPosition peak,
                  PointAnalysis& result) {
    const ImageGrid& grid = image.grid;
    const double delay_per_pixel_s = 2.0 * grid.range_spacing_m / speed_of_light_m_s;
    const double range_band = support.range_bandwidth_hz * delay_per_pixel_s;
    const double azimuth_band = support.effective_azimuth_bandwidth_hz() * grid.time_spacing_s;
    const std::vector<double> row{peak.row};
    const std::vector<double> column{peak.column};
    const auto step_px = [](double band) { return 1.0 / static_cast<double>(cut_finesse(band)); };
    const auto count = [](double band) {
        return static_cast<std::int64_t>(std::ceil(12.5 / band)) * cut_finesse(band);
    };
    const double range_step = step_px(range_band), azimuth_step = step_px(azimuth_band);
    result.range =
        axis_analysis(power_cut(chip.at(row, grid_about(peak.column, range_step, count(range_band))), range_step),
                      theoretical_range_cut(support, range_step * delay_per_pixel_s, count(range_band), range_step),
                      range_band, grid.range_spacing_m);
    result.azimuth = axis_analysis(
        power_cut(chip.at(grid_about(peak.row, azimuth_step, count(azimuth_band)), column), azimuth_step),
        theoretical_azimuth_cut(support, azimuth_step * grid.time_spacing_s, count(azimuth_band), azimuth_step),
        azimuth_band, support.velocity_m_s * grid.time_spacing_s);
}

/// Of a satellite's target, what pulses illuminate as frequencies along rows: far beside the pulses these differ from
/// those of Doppler, as orbits are curved.
std::optional<DopplerBand> lit_along_rows(const Acquisition& acquisition, const PointTarget& truth) {
    if (!acquisition.orbit || !truth.illuminated_s || !truth.illuminated_band_hz ||
        !is_satellite(*acquisition.orbit, truth.illuminated_s->first_s))
        return std::nullopt;
    const OrbitTrack track(*acquisition.orbit, acquisition.identification.look_side, truth.height_m);
    const double row_s = truth.zero_doppler_time_s;
    const DelayHistory delay_s = track.delay_history(row_s, truth.range_m);
    const auto more_hz = [&](double pulse_time_s) {
        constexpr double step_s = 1e-3;
        const double at_s = pulse_time_s - row_s,
                     doppler_hz =
                         acquisition.carrier_hz * (delay_s(at_s - step_s) - delay_s(at_s + step_s)) / (2 * step_s);
        return row_frequency_hz(track, row_s, truth.range_m, pulse_time_s, acquisition.carrier_hz) - doppler_hz;
    };
    return DopplerBand{truth.illuminated_band_hz->low_hz + more_hz(truth.illuminated_s->last_s),
                       truth.illuminated_band_hz->high_hz + more_hz(truth.illuminated_s->first_s)};
}

/// Along an orbit ranges under squint do not change as the velocities of zero Doppler have it: the slope with which
/// image_range_frequency_hz is f0 (dR / dR0 - 1) in the middle of the band; none where range frequencies hardly change.
std::optional<double> slope_under_squint(const ResponseSupport& support, const RadarGeometry& geometry,
                                         const AnalysisTarget& target) {
    constexpr double squinted = 1e-3;  // of the carrier
    const double transverse_hz = 0.5 * speed_of_light_m_s * support.centre_hz() / support.velocity_m_s,
                 along_hz = std::sqrt(support.carrier_hz * support.carrier_hz - transverse_hz * transverse_hz);
    if (!(std::abs(transverse_hz) > squinted * support.carrier_hz)) return std::nullopt;
    const double growth = range_over_closest(geometry, {target.time_s, target.range_m}, target.height_m,
                                             support.centre_hz()),
                 slope = (support.carrier_hz * growth - along_hz) * along_hz / (transverse_hz * transverse_hz);
    return std::isfinite(slope) ? std::optional(slope) : std::nullopt;
}

}  // namespace

AnalysisTarget analysis_target(const PointTarget& truth) {
    return {truth.range_m, truth.zero_doppler_time_s, true, truth.amplitude, truth.height_m, truth.illuminated_band_hz};
}

ResponseSupport target_support(const Image& image, const AnalysisTarget& target) {
    const PixelPosition place = pixel_position(image.grid, target.range_m, target.time_s);
    ResponseSupport support = response_support(image, place.row, place.column);
    if (!target.illuminated_band_hz) return support;
    support.illuminated_band_hz = target.illuminated_band_hz;
    const RadarGeometry geometry = recorded_geometry(image.acquisition, support.velocity_m_s);
    const double velocity_m_s =
        apparent_velocity_m_s(geometry, {target.time_s, target.range_m}, target.height_m, support.centre_hz());
    if (std::isfinite(velocity_m_s)) support.velocity_m_s = velocity_m_s;
    if (const auto slope = slope_under_squint(support, geometry, target)) support.velocity_slope = *slope;
    return support;
}

std::vector<AnalysisTarget> known_targets(const Image& image) {
    std::vector<AnalysisTarget> targets;
    for (const PointTarget& point : image.acquisition.truth) {
        targets.push_back(analysis_target(point));
        if (const auto along_rows = lit_along_rows(image.acquisition, point))
            targets.back().illuminated_band_hz = along_rows;
    }
    return targets;
}

std::optional<PixelBlock> pixels_about(const Image& image, const AnalysisTarget& target) {
    const PixelPosition expected = pixel_position(image.grid, target.range_m, target.time_s);
    const ChipPlacement placement = place_chip(image, target_support(image, target), expected);
    return placement.shape ? std::optional(pixels_of(*placement.shape, expected)) : std::nullopt;
}

PointAnalysis analyze_point(const ImageView& view, const AnalysisTarget& target, const TripleProduct& multiply) {
    const Image& image = view.header();
    PointAnalysis result;
    result.target = target;
    const ImageGrid& grid = image.grid;
    const PixelPosition expected = pixel_position(grid, target.range_m, target.time_s);
    const ResponseSupport support = target_support(image, target);
    const ChipPlacement placement = place_chip(image, support, expected);
    if (!placement.shape) {
        result.refused = placement.reason;
        return result;
    }
    result.fully_covered = fully_covered(image, *placement.shape, expected);
    const PointChip chip(view, support, *placement.shape, expected, multiply);
    const PixelPosition peak = find_peak(chip, expected);
    const std::vector<double> row{peak.row};
    const std::vector<double> column{peak.column};
    const std::complex<double> value = chip.at(row, column)(0, 0);
    if (!(std::abs(value) > 0) || !std::isfinite(std::abs(value))) {
        result.refused = "where the image is zero or not finite";
        return result;
    }
    result.row = peak.row;
    result.column = peak.column;
    result.range_m = grid.range_m(peak.column);
    result.time_s = grid.time_s(peak.row);
    result.magnitude = std::abs(value);
    const Complex128 carrier = unit_phasor<double>(chip.carrier_cycles(peak));
    result.phase_deg = degrees(std::arg(value * std::complex<double>(carrier.re, carrier.im)));
    if (target.amplitude && std::abs(*target.amplitude) > 0) {
        const Complex128 truth = unit_phasor<double>(-2.0 * target.range_m / image.acquisition.wavelength_m());
        result.phase_error_deg =
            degrees(std::arg(value / (*target.amplitude * std::complex<double>(truth.re, truth.im))));
        result.magnitude_error_db =
            20.0 * std::log10(std::abs(value) / (std::abs(*target.amplitude) * illuminated_fraction(support)));
    }
    measure_axes(image, support, chip, peak, result);
    if (target.exact) {
        result.range.position_error_px = peak.column - expected.column;
        result.azimuth.position_error_px = peak.row - expected.row;
    }
    return result;
}

ResponsePicture oversampled_response(const ImageView& view, const PointAnalysis& point, double half_width_px,
                                     double step_px, const TripleProduct& multiply) {
    const Image& image = view.header();
    ResponsePicture picture;
    const PixelPosition expected = pixel_position(image.grid, point.target.range_m, point.target.time_s);
    const ResponseSupport support = target_support(image, point.target);
    const ChipPlacement placement = place_chip(image, support, expected);
    if (!placement.shape) return picture;
    const PointChip chip(view, support, *placement.shape, expected, multiply);
    const auto half_count = static_cast<std::int64_t>(std::lround(half_width_px / step_px));
    const ComplexMatrix values =
        chip.at(grid_about(point.row, step_px, half_count), grid_about(point.column, step_px, half_count));
    picture.rows = values.rows;
    picture.columns = values.columns;
    picture.step_px = step_px;
    for (const auto& value : values.values) picture.power.push_back(static_cast<float>(std::norm(value)));
    return picture;
}

}  // namespace cornerturn

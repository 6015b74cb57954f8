// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/doppler/doppler_fit.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "kernels/math/hyperbola.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/fits/surface_fit.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

/// Half the angle between the edges of the swath, seen from the antenna. Without an orbit nobody knows how steeply it
/// looks: as at 18 degrees off nadir.
double half_look_rad(const Acquisition& acquisition, const DopplerSurface& frame) {
    constexpr double steep = 3, most = 0.5;
    const double without_orbit = std::min(most, steep * frame.y_half / frame.y_centre);
    if (!acquisition.orbit || acquisition.orbit->time_s.size() < 2) return without_orbit;
    const StateVector state = interpolate(*acquisition.orbit, frame.x_centre);
    const auto look = [&](double range_m) {
        const GroundPoint point = zero_doppler_ground_point(state, range_m, acquisition.identification.look_side);
        return point.on_ellipsoid ? std::optional(unit(point.position_m - state.position_m)) : std::nullopt;
    };
    const auto near = look(frame.y_centre - frame.y_half), far = look(frame.y_centre + frame.y_half);
    return near && far ? 0.5 * std::acos(std::clamp(dot(*near, *far), -1.0, 1.0)) : without_orbit;
}

std::optional<double> speed_of(const Acquisition& acquisition, double time_s) {
    if (acquisition.orbit && acquisition.orbit->time_s.size() >= 2)
        return norm(interpolate(*acquisition.orbit, time_s).velocity_m_s);
    return acquisition.effective_velocity_m_s;
}

constexpr Power ladder[] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {0, 3}};

/// Of a term, nothing for a level that may be anything.
std::optional<double> deviation_of(const DopplerPrior& prior, const Power& power) {
    if (power.i > 0) return prior.over_time_hz;
    return power.j > 0 ? prior.over_range_hz[static_cast<std::size_t>(power.j - 1)] : prior.level_hz;
}

/// Level and slope over the swath about which phases of cells are unwrapped: where the slope may be so steep that they
/// turn around and many cells speak, that which brings most of them into line.
DopplerSurface unwrapped_about(const std::vector<DopplerCell>& cells, const DopplerPrior& prior, double prf_hz) {
    constexpr double step_prf = 0.05, turns_prf = 0.25, deviations = 3, surest_rad = 0.2, fewest_cells = 8,
                     least_gain = 10;
    const double per_radian_hz = prf_hz / (2 * std::numbers::pi);
    double weights = 0, squares = 0, noise = 0;
    std::vector<std::complex<double>> phasors;
    for (const DopplerCell& cell : cells) {
        const double error_rad = std::hypot(cell.error_hz / per_radian_hz, surest_rad),
                     weight = 1 / (error_rad * error_rad);
        phasors.push_back(weight * std::polar(1.0, std::arg(cell.lag1) -
                                                       prior.surface_hz(cell.time_s, cell.range_m) / per_radian_hz));
        weights += weight, squares += weight * weight, noise += weight * error_rad * error_rad;
    }
    const double count = weights * weights / squares, least = 0.5 * noise / weights;
    const auto sum = [&](double slope_hz) {
        std::complex<double> all = 0;
        for (std::size_t i = 0; i < cells.size(); ++i)
            all += phasors[i] *
                   std::polar(1.0, -slope_hz / per_radian_hz *
                                       (prior.surface_hz.scaled_range_m(cells[i].range_m) - prior.surface_hz.y_centre) /
                                       prior.surface_hz.y_half);
        return all;
    };
    // The logarithm of how likely a slope is where cells scatter by an unknown width.
    const double deviation_hz = prior.over_range_hz[0];
    const auto likelihood = [&](double slope_hz) {
        const double off = slope_hz / deviation_hz;
        return -count * std::log(1 - std::abs(sum(slope_hz)) / weights + least) - 0.5 * off * off;
    };
    // A slope of more than a PRF from cell to cell looks like a flatter one, whatever a damaged orbit may lead to.
    const double steepest_hz = std::min(deviations * deviation_hz, static_cast<double>(cells.size()) * prf_hz);
    double slope_hz = 0;
    if (count >= fewest_cells && steepest_hz > turns_prf * prf_hz) {
        double best = likelihood(0) + least_gain;
        for (double hz = -steepest_hz; hz <= steepest_hz; hz += step_prf * prf_hz)
            if (const double here = likelihood(hz); here > best) best = here, slope_hz = hz;
    }
    DopplerSurface about = prior.surface_hz + per_radian_hz * std::arg(sum(slope_hz));
    about.powers[0][1] += slope_hz;
    return about;
}

/// By how much the deviation of a mean grows because neighbours pull it alike: along the times of a range or the ranges
/// of a time, as if each followed the one before (Bartlett 1935).
double growth_along(const std::vector<DopplerCell>& cells, const std::vector<double>& pulls,
                    std::int64_t DopplerCell::*line, std::int64_t DopplerCell::*along) {
    std::vector<std::size_t> order(cells.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(cells[a].*line, cells[a].*along) < std::pair(cells[b].*line, cells[b].*along);
    });
    double products = 0, squares = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (cells[order[i]].*line != cells[order[i - 1]].*line) continue;
        products += pulls[order[i]] * pulls[order[i - 1]];
        squares += 0.5 * (pulls[order[i]] * pulls[order[i]] + pulls[order[i - 1]] * pulls[order[i - 1]]);
    }
    const double alike = squares > 0 ? std::clamp(products / squares, 0.0, 0.95) : 0.0;
    return std::sqrt((1 + alike) / (1 - alike));
}

/// By how much the deviation of a mean grows because frequencies are known but for multiples of the PRF: the more they
/// scatter, the less what lies within half of one tells where their middle is (Fisher 1993, Statistical Analysis of
/// Circular Data, circular dispersion).
double growth_by_wrapping(const std::vector<double>& left_hz, const std::vector<SurfacePoint>& points, double prf_hz) {
    double weights = 0, cosines = 0, of_twice = 0, squares = 0;
    for (std::size_t i = 0; i < left_hz.size(); ++i) {
        const double phase = 2 * std::numbers::pi * left_hz[i] / prf_hz, weight = points[i].weight;
        weights += weight, cosines += weight * std::cos(phase), of_twice += weight * std::cos(2 * phase);
        squares += weight * phase * phase;
    }
    if (!(squares > 0)) return 1;
    constexpr double least_mean = 1e-3;
    const double mean = std::max(cosines / weights, least_mean),
                 dispersion = (1 - of_twice / weights) / (2 * mean * mean);
    return std::max(1.0, std::sqrt(dispersion * weights / squares));
}

/// Cells about a prior surface, and least squares of some terms with it.
class Fit {
public:
    Fit(const std::vector<DopplerCell>& cells, const DopplerPrior& prior, double prf_hz, bool whole_beam)
        : cells_(cells),
          prior_(prior),
          prf_hz_(prf_hz),
          expected_scatter_hz_((whole_beam ? 0.005 : 0.2) * prf_hz),
          of_no_knowledge_hz_(prf_hz / std::sqrt(12.0)) {
        const DopplerSurface about = unwrapped_about(cells, prior, prf_hz);
        const double per_radian_hz = prf_hz / (2 * std::numbers::pi);
        for (const DopplerCell& cell : cells) {
            const double near_hz = about(cell.time_s, cell.range_m);
            points_.push_back(
                {.x = cell.time_s,
                 .y = cell.range_m,
                 .value = near_hz - prior.surface_hz(cell.time_s, cell.range_m) +
                          per_radian_hz * std::arg(cell.lag1 * std::polar(1.0, -near_hz / per_radian_hz))});
        }
        for (const Power& power : ladder)
            if (deviation_of(prior, power).value_or(1) > 0) terms_.push_back(power);
    }

    /// Weights settle together with the terms.
    void weigh() {
        constexpr int rounds = 12;
        for (int round = 0; round < rounds; ++round) {
            set_weights(scatter_hz_);
            const std::vector<double> left = left_of(solve(terms_));
            scatter_hz_ = scatter_beyond_errors_hz(left);
            left_ = left;
        }
        set_weights(scatter_hz_);
        // What lies half a PRF above pulls like what lies half a PRF below.
        std::vector<double> pulls;
        for (std::size_t i = 0; i < left_.size(); ++i)
            pulls.push_back(std::sin(2 * std::numbers::pi * left_[i] / prf_hz_) * points_[i].weight);
        const double growth = growth_along(cells_, pulls, &DopplerCell::stretch, &DopplerCell::group) *
                              growth_along(cells_, pulls, &DopplerCell::group, &DopplerCell::stretch) *
                              growth_by_wrapping(left_, points_, prf_hz_);
        for (SurfacePoint& point : points_) point.weight /= growth * growth;
        independent_ = effective_count() / (growth * growth);
    }

    DopplerFit result() {
        const LeastSquares all = solve(terms_);
        std::vector<Power> kept;
        for (std::size_t k = 0; k < terms_.size(); ++k) {
            const double value = std::abs(all.solution[k]);
            const auto deviation = deviation_of(prior_, terms_[k]);
            const bool level = k == 0, stands_out = value > prior_.standing_out * all.deviation[k];
            if (level ? stands_out || !deviation : stands_out && value < most_deviations * *deviation)
                kept.push_back(terms_[k]);
        }
        const LeastSquares fit = solve(kept);
        DopplerFit found{.surface_hz = prior_.surface_hz, .terms = static_cast<int>(kept.size())};
        for (std::size_t k = 0; k < kept.size(); ++k) found.surface_hz.powers[kept[k].i][kept[k].j] += fit.solution[k];
        found.error_hz =
            std::min(of_no_knowledge_hz_, all.deviation.front() * (1 + 1 / std::max(0.5, independent_ * independent_)));
        double squares = 0, weights = 0;
        for (const SurfacePoint& point : points_) {
            const double off = point.value - (found.surface_hz(point.x, point.y) - prior_.surface_hz(point.x, point.y));
            squares += point.weight * off * off, weights += point.weight;
        }
        found.scatter_hz = std::sqrt(squares / weights);
        return found;
    }

private:
    static constexpr double most_deviations = 3;

    LeastSquares solve(const std::vector<Power>& terms) const {
        std::vector<std::vector<double>> rows = rows_of(prior_.surface_hz, terms, points_);
        std::vector<double> right;
        for (const SurfacePoint& point : points_) right.push_back(std::sqrt(point.weight) * point.value);
        for (std::size_t k = 0; k < terms.size(); ++k)
            if (const auto deviation = deviation_of(prior_, terms[k])) {
                rows.emplace_back(terms.size(), 0.0)[k] = 1 / *deviation;
                right.push_back(0);
            }
        return least_squares(rows, right);
    }

    std::vector<double> left_of(const LeastSquares& fit) const {
        const DopplerSurface& prior_hz = prior_.surface_hz;
        const SmoothSurface zero{.x_centre = prior_hz.x_centre,
                                 .x_half = prior_hz.x_half,
                                 .y_centre = prior_hz.y_centre,
                                 .y_half = prior_hz.y_half};
        const DopplerSurface fitted(with_powers(zero, terms_, fit.solution), prior_hz.nadir_m);
        std::vector<double> left;
        for (const SurfacePoint& point : points_) left.push_back(point.value - fitted(point.x, point.y));
        return left;
    }

    double variance(std::size_t i, double scatter_hz) const {
        return cells_[i].error_hz * cells_[i].error_hz + scatter_hz * scatter_hz;
    }

    void set_weights(double scatter_hz) {
        constexpr double freedom = 4;
        for (std::size_t i = 0; i < points_.size(); ++i) {
            const double all = variance(i, scatter_hz), far = left_.empty() ? 0.0 : left_[i] * left_[i] / all;
            points_[i].weight = (freedom + 1) / (freedom + far) / all;
        }
    }

    double effective_count() const {
        double sum = 0, squares = 0;
        for (const SurfacePoint& point : points_) sum += point.weight, squares += point.weight * point.weight;
        return squares > 0 ? sum * sum / squares : 0;
    }

    /// What brings the mean of squares in deviations to 1 (DerSimonian and Laird 1986), outliers limited, together with
    /// what is expected before, which counts as one cell.
    double scatter_beyond_errors_hz(const std::vector<double>& left) const {
        constexpr double farthest = 9;
        const auto mean_square = [&](double scatter_hz) {
            double sum = 0, weights = 0;
            for (std::size_t i = 0; i < left.size(); ++i) {
                const double all = variance(i, scatter_hz);
                sum += std::min(farthest, left[i] * left[i] / all) / all, weights += 1 / all;
            }
            return sum / weights;
        };
        const double count = effective_count(), unknowns = static_cast<double>(terms_.size());
        const double wanted = std::max(0.1, 1 - unknowns / std::max(count, unknowns + 0.5));
        double low_hz = 0, high_hz = 100 * expected_scatter_hz_;
        if (mean_square(0) <= wanted) high_hz = 0;
        for (int i = 0; i < 40 && high_hz > low_hz; ++i) {
            const double middle_hz = 0.5 * (low_hz + high_hz);
            (mean_square(middle_hz) > wanted ? low_hz : high_hz) = middle_hz;
        }
        return std::sqrt((expected_scatter_hz_ * expected_scatter_hz_ + count * high_hz * high_hz) / (1 + count));
    }

    const std::vector<DopplerCell>& cells_;
    const DopplerPrior& prior_;
    double prf_hz_, expected_scatter_hz_, of_no_knowledge_hz_;
    std::vector<SurfacePoint> points_;  // values beyond the prior surface
    std::vector<Power> terms_;
    std::vector<double> left_;
    double scatter_hz_ = 0, independent_ = 0;
};

}  // namespace

DopplerPrior doppler_prior(const Acquisition& acquisition, const DopplerSurface& surface_hz, bool from_attitude,
                           bool whole_beam) {
    constexpr double attitude_rad = 0.2 * degree, pointing_rad = 3 * degree, unknown_speed_m_s = 7500;
    constexpr double slow_m_s = 1000, turn_of_satellite_rad_s = 0.01 * degree, turn_of_aircraft_rad_s = 0.5 * degree,
                     part_of_fm_rate = 0.1, fewest_apertures = 4, least_level_prf = 0.1;
    const DopplerSurface& frame = surface_hz;
    const std::optional<double> speed_m_s = speed_of(acquisition, frame.x_centre);
    const double level_hz = surface_hz(frame.x_centre, frame.y_centre), wavelength_m = acquisition.wavelength_m(),
                 per_radian_hz = 2 * speed_m_s.value_or(unknown_speed_m_s) / wavelength_m;
    const double pointing_hz =
        from_attitude ? attitude_rad * per_radian_hz : std::max(pointing_rad * per_radian_hz, std::abs(level_hz));
    const double look = half_look_rad(acquisition, frame);
    DopplerPrior prior{
        .surface_hz = surface_hz,
        .level_hz =
            from_attitude ? std::optional(std::max(least_level_prf * acquisition.prf_hz, pointing_hz)) : std::nullopt,
        .over_range_hz = {pointing_hz * look, 4 * pointing_hz * look * look, 8 * pointing_hz * look * look * look},
        .standing_out = from_attitude ? 4.0 : 3.0};
    if (!speed_m_s || !(*speed_m_s > 0) || !(std::abs(level_hz) < per_radian_hz)) return prior;
    const double factor = migration_factor(level_hz, *speed_m_s, wavelength_m),
                 fm_rate_hz_s = azimuth_fm_rate_hz_s(factor * frame.y_centre, factor, *speed_m_s, wavelength_m),
                 aperture_s = acquisition.azimuth_bandwidth_hz.value_or(acquisition.prf_hz) / fm_rate_hz_s,
                 turn_rad_s = *speed_m_s < slow_m_s ? turn_of_aircraft_rad_s : turn_of_satellite_rad_s;
    if (acquisition.burst) return prior;  // whose beam is steered evenly
    if (whole_beam || 2 * frame.x_half > fewest_apertures * aperture_s)
        prior.over_time_hz = frame.x_half * std::min(part_of_fm_rate * fm_rate_hz_s, turn_rad_s * per_radian_hz);
    return prior;
}

std::optional<DopplerFit> fit_doppler(const std::vector<DopplerCell>& cells, const DopplerPrior& prior, double prf_hz,
                                      bool whole_beam) {
    if (cells.empty()) return std::nullopt;
    Fit fit(cells, prior, prf_hz, whole_beam);
    fit.weigh();
    return fit.result();
}

}  // namespace cornerturn

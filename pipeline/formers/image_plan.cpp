// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/image_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "kernels/math/hyperbola.h"
#include "pipeline/formers/beam_widening.h"
#include "pipeline/formers/column_aperture.h"
#include "pipeline/formers/coverage.h"

namespace cornerturn {
namespace {

class Planner {
public:
    Planner(const Acquisition& acquisition, ImagePlan plan)
        : acquisition_(acquisition), plan_(std::move(plan)), geometry_(*plan_.geometry) {}

    ImagePlan make_grid() {
        check();
        plan_.fades = fades_of(acquisition_, plan_.parameters);
        plan_histories();
        plan_.swath = swath();
        if (const HistorySpan before = span_; span() != before) {
            plan_histories();
            plan_.swath = swath();
        }
        plan_range_axis();
        check_that_beam_moves_on();
        plan_azimuth_axis();
        plan_.reach = filter_reach();
        plan_.lines = row_lines(plan_.lines.per_row);
        if (plan_.parameters.extent == ImageExtent::valid && !plan_.parameters.part) cut_to_valid(acquisition_, plan_);
        return std::move(plan_);
    }

    ImagePlan make() {
        plan_ = make_grid();
        plan_.least = least_lengths();
        plan_.coverage.valid = valid_columns(acquisition_, plan_);
        if (const auto& part = plan_.parameters.part) cut_to_part(*part, plan_);
        plan_.geometry.widening = largest_widening(geometry_, plan_.grid);
        return std::move(plan_);
    }

    ImagePlan with_history_of_rows(std::int64_t first_row, std::int64_t rows) {
        const double half_rows = 0.5 * static_cast<double>(rows - 1),
                     middle_s = plan_.grid.time_s(static_cast<double>(first_row) + half_rows);
        std::optional<HistoryDrift> drift;
        if (!geometry_.steady() && rows > 1) {
            drift = history_drift(geometry_, middle_s, half_rows * plan_.grid.time_spacing_s, span(),
                                  illuminated_band_hz(acquisition_, plan_.parameters));
            if (drift->largest_cycles < least_drift_cycles) drift.reset();
        }
        plan_.histories.middle =
            geometry_.history(middle_s, span(), drift ? EchoPhase(drift->before_cycles) : EchoPhase{});
        plan_.histories.drift = std::move(drift);
        plan_.lines = row_lines(plan_.lines.per_row);
        return std::move(plan_);
    }

private:
    double velocity(double range_m) const { return plan_.parameters.velocity(range_m); }
    HistorySpan span() const { return history_span(acquisition_, plan_); }

    /// Where a line would be among even ones.
    double line_if_even(double line) const {
        if (!acquisition_.uneven()) return line;
        return (acquisition_.pulse_time_s(line) - acquisition_.first_pulse_time_s) * acquisition_.prf_hz;
    }
    std::int64_t most_uneven_lines() const {
        double most = 0;
        for (std::size_t i = 0; i < acquisition_.pulse_times_s.size(); ++i) {
            const auto line = static_cast<double>(i);
            most = std::max(most, std::abs(line_if_even(line) - line));
        }
        return static_cast<std::int64_t>(std::ceil(most));
    }

    void check() const {
        const double v = velocity(acquisition_.near_range_m);
        if (!(v > 0) || !std::isfinite(v))
            throw InputError(fmt::format("effective velocity {} m/s: must be positive; give --velocity", v));
        check_processed_band(acquisition_, plan_.parameters);
        if (acquisition_.chirp_samples() > static_cast<double>(acquisition_.samples))
            throw InputError(fmt::format("chirp has {:.0f} samples but each echo line only {}; check chirpDuration",
                                         acquisition_.chirp_samples(), acquisition_.samples));
    }

    /// Of the targets that the beam's centre sees in the middle of the echo, and at its ends.
    void plan_histories() {
        const double middle_m = closest_range_of_hyperbola_m(
            acquisition_, plan_.parameters, acquisition_.range_m(0.5 * static_cast<double>(acquisition_.samples - 1)));
        span_ = span();
        const auto at_line = [&](double line) {
            return geometry_.history(geometry_.zero_doppler_time_s(acquisition_.pulse_time_s(line), middle_m), span_);
        };
        plan_.histories.middle = at_line(0.5 * static_cast<double>(acquisition_.lines - 1));
        first_history_ = geometry_.steady() ? plan_.histories.middle : at_line(0);
        last_history_ =
            geometry_.steady() ? plan_.histories.middle : at_line(static_cast<double>(acquisition_.lines - 1));
    }

    /// Closest range of a target whose beam-centre echo begins at a given slant range, by the history.
    double closest_range_m(double slant_range_m) const {
        double range_m = closest_range_of_hyperbola_m(acquisition_, plan_.parameters, slant_range_m);
        for (int i = 0; i < 8; ++i)
            range_m -=
                plan_.histories.middle.slant_m(range_m, plan_.histories.middle.centroid_hz(range_m)) - slant_range_m;
        return range_m;
    }

    /// Closest ranges at its edges.
    Swath swath() const {
        if (acquisition_.samples < 2)
            throw InputError(
                fmt::format("swath: {} sample a line, at {:.1f} m; expected two or more, of which range "
                            "and Doppler can follow",
                            acquisition_.samples, acquisition_.near_range_m));
        const double first = closest_range_m(acquisition_.near_range_m);
        const double last = closest_range_m(acquisition_.far_range_m());
        const double last_slant_m = acquisition_.far_range_m();
        if (!std::isfinite(last - first))
            throw InputError(fmt::format(
                "range histories: at slant ranges of {:.1f} to {:.1f} m the track turns so much that targets do not "
                "run once through the {:.4g} Hz to either side of the centroid of {:.4g} Hz; narrow the band by "
                "--azimuth-bandwidth, or give a centroid that varies less over range by --doppler-centroid",
                acquisition_.near_range_m, last_slant_m, plan_.histories.middle.half_band_hz(),
                plan_.parameters.doppler_centroid_hz));
        if (!(last > first))
            throw InputError(fmt::format(
                "Doppler centroid: {:.6g} Hz in mid swath, but it varies so much over range that closest ranges come "
                "out as {} to {} m, for slant ranges of {:.1f} to {:.1f} m; give one that varies less by "
                "--doppler-centroid",
                plan_.parameters.doppler_centroid_hz, first, last, acquisition_.near_range_m, last_slant_m));
        return {.nearest_m = first, .farthest_m = last};
    }

    void plan_range_axis() {
        plan_.grid.range_spacing_m = acquisition_.range_spacing_m;
        plan_.grid.near_range_m = first_column_m(plan_.swath.nearest_m);
        constexpr double tolerance_cells =
            1e-3;  // flying on while the pulse travels shrinks the swath by parts of 1e-9
        plan_.grid.columns =
            static_cast<std::int64_t>(std::floor(
                (plan_.swath.farthest_m - plan_.grid.near_range_m) / acquisition_.range_spacing_m + tolerance_cells)) +
            1;
    }

    /// From a closest range on; of bursts at a multiple of the spacing, of a part on the columns of its whole.
    double first_column_m(double from_m) const {
        const double spacing_m = acquisition_.range_spacing_m;
        if (acquisition_.burst) return std::ceil(from_m / spacing_m) * spacing_m;
        if (!plan_.parameters.part) return from_m;
        const double of_whole_m = plan_.parameters.part->near_range_m;
        return of_whole_m + std::round((from_m - of_whole_m) / spacing_m) * spacing_m;
    }

    /// One that is turned back while the antenna flies on, as round a scene, shows some places twice and others not.
    void check_that_beam_moves_on() const {
        if (geometry_.steady() || acquisition_.burst) return;
        constexpr int steps = 8;
        constexpr double slowest = 0.02;  // of the antenna
        const double step = static_cast<double>(acquisition_.lines - 1) / steps;
        for (const double range_m : {plan_.swath.nearest_m, plan_.swath.middle_m(), plan_.swath.farthest_m}) {
            double before = -INFINITY;
            for (int i = 0; i <= steps; ++i) {
                const double time_s = geometry_.zero_doppler_time_s(acquisition_.pulse_time_s(i * step), range_m),
                             line = (time_s - acquisition_.first_pulse_time_s) * acquisition_.prf_hz;
                if (line - before < slowest * step)
                    throw InputError(fmt::format(
                        "beam centres at a closest range of {:.1f} m: while the antenna flies on by {:.0f} lines they "
                        "move by {:.1f} rows, and must by {:.1f}; check --doppler-centroid ({:.6g} Hz); of a flight "
                        "round the scene all pulses are summed by --grid local",
                        range_m, step, line - before, slowest * step, plan_.parameters.doppler_centroid_hz));
                before = line;
            }
        }
    }

    /// Rows lie on pulse times moved by whole pulses, from the earliest to the latest zero-Doppler time of any beam
    /// centre in the echo, which reaches half a line beyond its first and last.
    void plan_azimuth_axis() {
        const double prf = acquisition_.prf_hz, first = line_if_even(-0.5),
                     end = line_if_even(static_cast<double>(acquisition_.lines) - 0.5);
        double earliest = INFINITY, latest = -INFINITY;
        std::vector<double> first_line,
            end_line;  // zero-Doppler times of the targets under the beam at line 0 and behind the last
        const ColumnApertures apertures(acquisition_, plan_, plan_.parameters.azimuth_bandwidth_hz);
        const ChebyshevSeries first_s = over_range(first_history_, span_, 0, &RangeHistory::time_s),
                              last_s = over_range(last_history_, span_, 0, &RangeHistory::time_s);
        for (std::int64_t column = 0; column < plan_.grid.columns; ++column) {
            const double range_m = plan_.grid.range_m(static_cast<double>(column));
            const ColumnAperture g = apertures.at(column);
            first_line.push_back(first - first_s(range_m) * prf);
            end_line.push_back(end - last_s(range_m) * prf);
            earliest = std::min(earliest, first_line.back());
            latest = std::max(latest, end_line.back());
            LargestAperture& largest = plan_.aperture;
            largest.lines = std::max(largest.lines, (g.early_s + g.late_s) * prf);
            largest.migration_cells =
                std::max(largest.migration_cells, (g.farthest_m - g.nearest_m) / acquisition_.range_spacing_m);
        }
        place_rows(earliest, latest, first_line, end_line);
    }

    /// Between these lines; rows of a burst at whole multiples of its spacing since the epoch.
    void place_rows(double earliest, double latest, const std::vector<double>& first_line,
                    const std::vector<double>& end_line) {
        const double prf = acquisition_.prf_hz;
        ImageGrid& grid = plan_.grid;
        double line_of_row_0 = std::ceil(earliest), lines_apart = 1 / plan_.parameters.rows_per_pulse;
        grid.first_time_s = acquisition_.first_pulse_time_s + line_of_row_0 / prf;
        grid.time_spacing_s = lines_apart / prf;
        if (const auto& burst = acquisition_.burst) {
            grid.time_spacing_s = burst->row_spacing_s;
            lines_apart = burst->row_spacing_s * prf;
            const double earliest_s = acquisition_.first_pulse_time_s + earliest / prf;
            grid.first_time_s = std::ceil(earliest_s / grid.time_spacing_s) * grid.time_spacing_s;
            line_of_row_0 = earliest + (grid.first_time_s - earliest_s) * prf;
        }
        grid.rows = rows_between(line_of_row_0 / lines_apart, latest / lines_apart);
        const auto row_of = [&](double line) { return std::ceil((line - line_of_row_0) / lines_apart); };
        for (std::size_t column = 0; column < first_line.size(); ++column)
            plan_.coverage.beam_rows.push_back(
                {static_cast<std::int32_t>(row_of(first_line[column])),
                 static_cast<std::int32_t>(std::min(row_of(end_line[column]), static_cast<double>(grid.rows)))});
        plan_.lines.per_row = lines_apart;
        if (!acquisition_.burst) return;
        const std::size_t middle = first_line.size() / 2;
        plan_.lines.per_row =
            static_cast<double>(acquisition_.lines) * lines_apart / (end_line[middle] - first_line[middle]);
    }

    std::int64_t rows_between(double first_row, double end_row) const {
        constexpr double most_rows = 1 << 27;  // some twenty hours
        const double rows = std::ceil(end_row - first_row);
        if (!(rows >= 1 && rows <= most_rows))
            throw InputError(fmt::format(
                "beam centres of {} lines: their zero-Doppler times come out as {:.6g} lines from the first "
                "to the last, must be 1 to {:.0f}; check --doppler-centroid ({:.6g} Hz) and --velocity "
                "({:.6g} m/s); of a flight round the scene all pulses are summed by --grid local",
                acquisition_.lines, rows, most_rows, plan_.parameters.doppler_centroid_hz,
                velocity(plan_.swath.middle_m())));
        return static_cast<std::int64_t>(rows);
    }

    FilterReach filter_reach() const {
        // The coupling spreads the pulse by its group delay at the band edges.
        const double edge_hz = acquisition_.chirp.bandwidth_hz() / 2, step_hz = edge_hz / 100,
                     v = velocity(plan_.swath.middle_m());
        double spread_s = 0;
        for (double part : {-0.5, 0.5})
            for (double sign : {-1.0, 1.0}) {
                const double f_eta =
                    plan_.parameters.doppler_centroid_hz + part * plan_.parameters.azimuth_bandwidth_hz;
                const auto cycles = [&](double f) {
                    return secondary_range_cycles(plan_.swath.middle_m(), f, f_eta, v, acquisition_.carrier_hz);
                };
                spread_s =
                    std::max(spread_s, std::abs(cycles(sign * edge_hz) - cycles(sign * (edge_hz - step_hz))) / step_hz);
            }
        return {.range_samples = filter_reach_samples +
                                 static_cast<std::int64_t>(std::ceil(spread_s * acquisition_.sample_rate_hz())),
                .azimuth_lines =
                    static_cast<std::int64_t>(std::ceil(4 * acquisition_.prf_hz / plan_.fades.azimuth_fade_hz))};
    }

    /// A column's row 0 is seen `seen` lines behind line 0 at the beam's centre. That changes so slowly that some
    /// columns tell.
    RowLines row_lines(double per_row) const {
        if (acquisition_.burst) {  // which is one piece
            const std::int64_t all = acquisition_.lines + plan_.grid.rows;
            return {.before = all, .behind = all, .per_row = per_row};
        }
        const double delay_lines = image_delay_lines(acquisition_, plan_.grid);
        double before = -INFINITY, behind = -INFINITY, wrap = 0;
        const std::int64_t intervals = std::clamp<std::int64_t>(plan_.grid.columns - 1, 1, 128);
        for (std::int64_t i = 0; i <= intervals; ++i) {
            const std::int64_t column = (plan_.grid.columns - 1) * i / intervals;
            const double range_m = plan_.grid.range_m(static_cast<double>(column));
            const double seen = delay_lines + plan_.histories.middle.centre_time_s(range_m) * acquisition_.prf_hz;
            const FilterLines filter = filter_lines(acquisition_, plan_, range_m);
            before = std::max(before, filter.before - seen);
            behind = std::max(behind, filter.behind + seen);
            wrap = std::max({wrap, filter.before, filter.behind});
        }
        // Either end of an aperture may come first.
        const std::int64_t uneven = most_uneven_lines();
        return {.before = static_cast<std::int64_t>(std::ceil(before)) + 1 + uneven,
                .behind = static_cast<std::int64_t>(std::ceil(behind)) + 1 + uneven,
                .per_row = per_row,
                .beyond_echo = static_cast<std::int64_t>(std::ceil(wrap))};
    }

    /// A full image is padded by as much as the filters look beyond either end of the echo.
    FftLengths least_lengths() const {
        if (plan_.parameters.extent == ImageExtent::valid) return {acquisition_.samples, acquisition_.lines};
        return {acquisition_.samples + static_cast<std::int64_t>(std::ceil(acquisition_.chirp_samples())) +
                    plan_.reach.range_samples,
                acquisition_.lines + plan_.lines.beyond_echo};
    }

    const Acquisition& acquisition_;
    ImagePlan plan_;
    const ViewingGeometry& geometry_;
    HistorySpan span_;  // of these
    RangeHistory first_history_, last_history_;
};

/// A plan of which nothing is decided but what was asked for.
ImagePlan asked(const FormerParameters& parameters, const ViewingGeometry& geometry) {
    ImagePlan plan;
    plan.parameters = parameters;
    plan.geometry.shared = std::make_shared<ViewingGeometry>(geometry);
    return plan;
}

}  // namespace

ImagePlan with_history_of_rows(ImagePlan plan, const Acquisition& acquisition, std::int64_t first_row,
                               std::int64_t rows) {
    return Planner(acquisition, std::move(plan)).with_history_of_rows(first_row, rows);
}

double range_resolution_m(const Acquisition& acquisition) {
    return 0.886 * c_m_s / (2 * acquisition.chirp.bandwidth_hz());
}

double azimuth_resolution_m(const ImagePlan& image) {
    return 0.886 * image.parameters.velocity(image.swath.middle_m()) / image.parameters.azimuth_bandwidth_hz;
}

std::vector<double> velocities_m_s(const ImagePlan& image) {
    const ImageGrid& grid = image.map ? image.map->seen : image.grid;
    if (grid.columns == 0) return {image.parameters.velocity(image.swath.middle_m())};
    std::vector<double> velocities;
    for (std::int64_t column = 0; column < grid.columns; ++column)
        velocities.push_back(image.parameters.velocity(grid.range_m(static_cast<double>(column))));
    return velocities;
}

std::pair<double, double> velocity_bounds_m_s(const ImagePlan& image) {
    const std::vector<double> velocities = velocities_m_s(image);
    const auto [slowest, fastest] = std::minmax_element(velocities.begin(), velocities.end());
    return {*slowest, *fastest};
}

double image_delay_lines(const Acquisition& acquisition, const ImageGrid& grid) {
    constexpr double million = 1e6;
    return std::round((grid.first_time_s - acquisition.first_pulse_time_s) * acquisition.prf_hz * million) / million;
}

double most_band_shift_hz(const Acquisition& acquisition, const ImagePlan& image) {
    constexpr double part = 0.004;  // moves points by 0.002 px
    constexpr double least_part_of_prf = 0.002, most_part_of_prf = 0.02;
    const double range_m = image.swath.middle_m(), prf_hz = acquisition.prf_hz,
                 beam_hz = illuminated_band_hz(acquisition, image.parameters),
                 room_hz = 0.5 * (image.parameters.azimuth_bandwidth_hz - beam_hz),
                 rate_hz_s = image.histories.middle.fm_rate_hz_s(range_m, image.histories.middle.centroid_hz(range_m));
    // Where the beam's centre wanders along rows, the band has room for it beside its ripple.
    if (acquisition.motion) return std::max(least_part_of_prf * prf_hz, room_hz - 4 * std::sqrt(rate_hz_s));
    return std::clamp(part * beam_hz * room_hz / std::sqrt(rate_hz_s), least_part_of_prf * prf_hz,
                      most_part_of_prf * prf_hz);
}

ViewingGeometry straight_geometry(const Acquisition& acquisition, const FormerParameters& parameters) {
    return {std::make_shared<StraightTrack>(parameters.velocity),
            [hz = parameters.doppler_centroid_hz](double, double) { return hz; }, acquisition.carrier_hz};
}

ImagePlan plan_image(const Acquisition& acquisition, const FormerParameters& parameters,
                     const ViewingGeometry& geometry) {
    return Planner(acquisition, asked(parameters, geometry)).make();
}

ImagePlan plan_grid(const Acquisition& acquisition, const FormerParameters& parameters,
                    const ViewingGeometry& geometry) {
    return Planner(acquisition, asked(parameters, geometry)).make_grid();
}

ImagePlan plan_image(const Acquisition& acquisition, const FormerParameters& parameters) {
    return plan_image(acquisition, parameters, straight_geometry(acquisition, parameters));
}

}  // namespace cornerturn

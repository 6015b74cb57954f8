// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/image_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/errors.h"
#include "kernels/math/hyperbola.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/velocity.h"
#include "pipeline/formers/azimuth_filter.h"
#include "pipeline/formers/valid_area.h"

namespace cornerturn {
namespace {

constexpr std::int64_t filter_reach_samples =
    64;                              ///< keeps the response of a point over the main lobe and ten sidelobes
constexpr double least_fade = 0.01;  ///< of the PRF, where the beam fills it

/// Geometry of one image column seen from the beam.
struct BeamGeometry {
    double early_s, late_s;        ///< aperture before and after the beam centre
    double nearest_m, farthest_m;  ///< slant ranges passed within the aperture
};

using HistoryFunction = double (RangeHistory::*)(double range_m, double doppler_hz) const;
/// This far from the centroid of each range: a series over range, of which so many points tell all.
ChebyshevSeries over_range(const RangeHistory& history, const HistorySpan& span, double offset_hz, HistoryFunction of) {
    constexpr int points = 16;
    std::vector<double> values;
    for (const double range_m : chebyshev_points(span.from_m, span.to_m, points))
        values.push_back((history.*of)(range_m, history.centroid_hz(range_m) + offset_hz));
    return ChebyshevSeries::through(span.from_m, span.to_m, values);
}

/// Lines that a filter looks at before and after the beam centre.
struct FilterLines {
    double before = 0, behind = 0;
};

/// Rows of an interval that are not in another.
template <class Use>
void for_rows_beside(const Interval& rows, const Interval& other, const Use& use) {
    for (std::int32_t row = rows.first; row < std::min(rows.last, other.first); ++row) use(row);
    for (std::int32_t row = std::max(rows.first, other.last); row < rows.last; ++row) use(row);
}

class Planner {
public:
    Planner(const Acquisition& acquisition, const FormerParameters& parameters, const ViewingGeometry& geometry)
        : acquisition_(acquisition), geometry_(geometry) {
        plan_.parameters = parameters;
        plan_.seen_from.geometry = std::make_shared<ViewingGeometry>(geometry);
        processed_hz_ = parameters.azimuth_bandwidth_hz;
        // Where the file knows the beam, no echo comes from beyond it.
        illuminated_hz_ =
            std::min(parameters.azimuth_bandwidth_hz, acquisition.azimuth_bandwidth_hz.value_or(acquisition.prf_hz));
    }

    Planner(const Acquisition& acquisition, ImagePlan plan, const ViewingGeometry& geometry)
        : Planner(acquisition, plan.parameters, geometry) {
        plan_ = std::move(plan);
    }

    ImagePlan make() {
        check();
        plan_.reach = fades_of(acquisition_, plan_.parameters);
        plan_histories();
        plan_range_axis();
        plan_azimuth_axis();
        plan_filter_reach();
        plan_line_span();
        if (plan_.parameters.extent == ImageExtent::valid) cut_to_valid();
        plan_lengths();
        plan_valid_columns();
        plan_.range_resolution_m = 0.886 * c_m_s / (2 * acquisition_.chirp.bandwidth_hz());
        plan_.azimuth_resolution_m =
            0.886 * velocity(plan_.reference_range_m()) / plan_.parameters.azimuth_bandwidth_hz;
        return std::move(plan_);
    }

    ImagePlan seen_by(std::int64_t first_row, std::int64_t rows) {
        const double half_rows = 0.5 * static_cast<double>(rows - 1),
                     middle_s = plan_.grid.time_s(static_cast<double>(first_row) + half_rows);
        plan_.drift.reset();
        if (!geometry_.steady() && rows > 1) {
            plan_.drift = history_drift(geometry_, middle_s, half_rows * plan_.grid.time_spacing_s, span(),
                                        illuminated_band_hz(acquisition_, plan_.parameters));
            if (plan_.drift->largest_cycles < least_drift_cycles) plan_.drift.reset();
        }
        plan_.history =
            geometry_.history(middle_s, span(), plan_.drift ? EchoPhase(plan_.drift->before_cycles) : EchoPhase{});
        plan_line_span();
        return std::move(plan_);
    }

private:
    double velocity(double range_m) const { return plan_.parameters.velocity(range_m); }

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
        check_band();
        if (acquisition_.chirp_samples() > static_cast<double>(acquisition_.samples))
            throw InputError(fmt::format("chirp has {:.0f} samples but each echo line only {}; check chirpDuration",
                                         acquisition_.chirp_samples(), acquisition_.samples));
    }

    void check_band() const {
        const double centroid_hz = plan_.parameters.doppler_centroid_hz,
                     band_hz = plan_.parameters.azimuth_bandwidth_hz;
        const double degrees = std::asin(largest_squint_sine) / degree;
        const double widest_hz = widest_azimuth_band_hz(acquisition_, centroid_hz, plan_.parameters.velocity);
        // A narrower one gives points that are four times as long as the recording.
        const double narrowest_hz = 0.25 * acquisition_.prf_hz / static_cast<double>(acquisition_.lines);
        if (!(widest_hz >= narrowest_hz))
            throw InputError(
                fmt::format("Doppler centroid {:.6g} Hz: at {:.6g} m/s and a wavelength of {:.4g} m it leaves no band "
                            "within a squint of "
                            "{:.0f} degrees; check --doppler-centroid and --velocity",
                            centroid_hz, velocity(acquisition_.near_range_m), acquisition_.wavelength_m(), degrees));
        if (band_hz >= narrowest_hz && band_hz <= widest_hz) return;
        const double largest_hz = std::floor(widest_hz * 100) / 100;  // as told it has to go
        if (band_hz >= narrowest_hz && band_hz <= acquisition_.prf_hz)
            throw InputError(
                fmt::format("azimuth bandwidth {:.6g} Hz: about the Doppler centroid of {:.6g} Hz this reaches beyond "
                            "a squint of {:.0f} degrees, "
                            "the largest possible is {:.2f} Hz; give --azimuth-bandwidth or check --velocity",
                            band_hz, centroid_hz, degrees, largest_hz));
        throw InputError(fmt::format(
            "azimuth bandwidth {:.6g} Hz: must lie between {:.3g} Hz (points four times as long as the recording) and "
            "{:.2f} Hz ({}); give --azimuth-bandwidth",
            band_hz, narrowest_hz, largest_hz,
            widest_hz < acquisition_.prf_hz ? fmt::format("a squint of {:.0f} degrees", degrees) : "the PRF"));
    }

    /// Of the targets that the beam's centre sees in the middle of the echo, and at its ends.
    void plan_histories() {
        const double middle_m =
            closest_range_of_hyperbola_m(acquisition_.range_m(0.5 * static_cast<double>(acquisition_.samples - 1)));
        const auto at_line = [&](double line) {
            return geometry_.history(geometry_.zero_doppler_time_s(acquisition_.pulse_time_s(line), middle_m), span());
        };
        plan_.history = at_line(0.5 * static_cast<double>(acquisition_.lines - 1));
        first_history_ = geometry_.steady() ? plan_.history : at_line(0);
        last_history_ = geometry_.steady() ? plan_.history : at_line(static_cast<double>(acquisition_.lines - 1));
    }

    /// All closest ranges that the swath may hold, and the band with its fading edges as any frequency of the chirp
    /// sees it.
    HistorySpan span() const {
        const double first_m = undelayed_m(closest_range_of_hyperbola_m(acquisition_.near_range_m));
        const double last_m = undelayed_m(
            closest_range_of_hyperbola_m(acquisition_.range_m(static_cast<double>(acquisition_.samples - 1))));
        const double margin_m = std::min(0.02 * (last_m - first_m) + 4 * acquisition_.range_spacing_m, 0.1 * first_m);
        const double chirp_part = 0.5 * acquisition_.chirp.bandwidth_hz() / acquisition_.carrier_hz;
        const double half_hz = plan_.reach.pulse_reach_hz;
        return {
            .from_m = first_m - margin_m,
            .to_m = last_m + margin_m,
            .half_band_hz = half_hz + 1.1 * chirp_part * (std::abs(plan_.parameters.doppler_centroid_hz) + half_hz)};
    }

    /// What the beam sees of columns in a band of this width about their centroids.
    class Beam {
    public:
        Beam(const Planner& planner, double band_hz)
            : planner_(planner),
              half_hz_(0.5 * band_hz),
              centre_s_(series(0, &RangeHistory::time_s)),
              high_s_(series(half_hz_, &RangeHistory::time_s)),
              low_s_(series(-half_hz_, &RangeHistory::time_s)),
              high_m_(series(half_hz_, &RangeHistory::slant_m)),
              low_m_(series(-half_hz_, &RangeHistory::slant_m)) {}

        BeamGeometry at(std::int64_t column) const {
            const double range_m = planner_.plan_.grid.range_m(static_cast<double>(column)),
                         centre_s = centre_s_(range_m), low_m = low_m_(range_m), high_m = high_m_(range_m);
            const bool broadside = std::abs(planner_.plan_.history.centroid_hz(range_m)) <= half_hz_;
            return {.early_s = centre_s - high_s_(range_m),
                    .late_s = low_s_(range_m) - centre_s,
                    .nearest_m = broadside ? range_m + planner_.added_range_m(range_m) : std::min(low_m, high_m),
                    .farthest_m = std::max(low_m, high_m)};
        }

    private:
        ChebyshevSeries series(double offset_hz, HistoryFunction of) const {
            return over_range(planner_.plan_.history, planner_.span(), offset_hz, of);
        }

        const Planner& planner_;
        double half_hz_;
        ChebyshevSeries centre_s_, high_s_, low_s_, high_m_, low_m_;
    };

    /// The aperture with the fading edges of its band, at any frequency of the chirp as each sees a Doppler frequency
    /// at a time of its own, and the ends of the filter.
    FilterLines filter_lines(double range_m) const {
        const double prf = acquisition_.prf_hz, reach = static_cast<double>(plan_.reach.azimuth_lines);
        const double edge_hz = acquisition_.chirp.bandwidth_hz() / 2, centroid_hz = plan_.history.centroid_hz(range_m);
        const double faded_hz = plan_.reach.pulse_reach_hz;
        const double centre_s = plan_.history.centre_time_s(range_m);
        FilterLines lines;
        for (const double f_tau : {-edge_hz, edge_hz}) {
            const double carrier_part = acquisition_.carrier_hz / (acquisition_.carrier_hz + f_tau);
            const auto after_centre = [&](double f_eta) {
                return (plan_.history.time_s(range_m, f_eta * carrier_part) - centre_s) * prf;
            };
            lines.before = std::max(lines.before, reach - after_centre(centroid_hz + faded_hz));
            lines.behind = std::max(lines.behind, reach + after_centre(centroid_hz - faded_hz));
        }
        return lines;
    }

    double added_range_m(double range_m) const {
        return geometry_.track().added_range_m(
            acquisition_.pulse_time_s(0.5 * static_cast<double>(acquisition_.lines - 1)), range_m);
    }
    /// Without what a delay adds.
    double undelayed_m(double range_m) const { return range_m - added_range_m(range_m); }

    /// Closest range of a target whose beam-centre echo begins at a given slant range, roughly.
    double closest_range_of_hyperbola_m(double slant_range_m) const {
        double range = slant_range_m;
        for (int i = 0; i < 8; ++i)  // V changes by parts in a thousand over a swath: each turn gains three digits
            range = slant_range_m * migration_factor(plan_.parameters.doppler_centroid_hz, velocity(range),
                                                     acquisition_.wavelength_m());
        return range;
    }
    /// The same by the history.
    double closest_range_m(double slant_range_m) const {
        double range_m = closest_range_of_hyperbola_m(slant_range_m);
        for (int i = 0; i < 8; ++i)
            range_m -= plan_.history.slant_m(range_m, plan_.history.centroid_hz(range_m)) - slant_range_m;
        return range_m;
    }

    void plan_range_axis() {
        const double first = closest_range_m(acquisition_.near_range_m);
        const double last = closest_range_m(acquisition_.range_m(static_cast<double>(acquisition_.samples - 1)));
        const double last_slant_m = acquisition_.range_m(static_cast<double>(acquisition_.samples - 1));
        if (!std::isfinite(last - first))
            throw InputError(fmt::format(
                "range histories: at slant ranges of {:.1f} to {:.1f} m the track turns so much that targets do not "
                "run "
                "once through the {:.4g} Hz to either side of the centroid of {:.4g} Hz; narrow the band by "
                "--azimuth-bandwidth, or give a centroid that varies less over range by --doppler-centroid",
                acquisition_.near_range_m, last_slant_m, plan_.history.half_band_hz(),
                plan_.parameters.doppler_centroid_hz));
        if (!(last > first))
            throw InputError(fmt::format(
                "Doppler centroid: {:.6g} Hz in mid swath, but it varies so much over range that closest ranges come "
                "out "
                "as {} to {} m, for slant ranges of {:.1f} to {:.1f} m; give one that varies less by "
                "--doppler-centroid",
                plan_.parameters.doppler_centroid_hz, first, last, acquisition_.near_range_m, last_slant_m));
        plan_.grid.near_range_m = first;
        plan_.grid.range_spacing_m = acquisition_.range_spacing_m;
        constexpr double tolerance_cells =
            1e-3;  // flying on while the pulse travels shrinks the swath by parts of 1e-9
        plan_.grid.columns =
            static_cast<std::int64_t>(std::floor((last - first) / acquisition_.range_spacing_m + tolerance_cells)) + 1;
        plan_.nearest_m = first;
        plan_.farthest_m = last;
        plan_velocities();
    }

    void plan_velocities() {
        plan_.velocity_m_s.clear();
        for (std::int64_t column = 0; column < plan_.grid.columns; ++column)
            plan_.velocity_m_s.push_back(velocity(plan_.grid.range_m(static_cast<double>(column))));
    }

    /// Rows lie on pulse times moved by whole pulses, from the earliest to the latest zero-Doppler time of any beam
    /// centre in the echo, which reaches half a line beyond its first and last.
    void plan_azimuth_axis() {
        const double prf = acquisition_.prf_hz, first = line_if_even(-0.5),
                     end = line_if_even(static_cast<double>(acquisition_.lines) - 0.5);
        double earliest = INFINITY, latest = -INFINITY;
        std::vector<double> first_line,
            end_line;  // zero-Doppler times of the targets under the beam at line 0 and behind the last
        const Beam beam(*this, processed_hz_);
        const ChebyshevSeries first_s = over_range(first_history_, span(), 0, &RangeHistory::time_s),
                              last_s = over_range(last_history_, span(), 0, &RangeHistory::time_s);
        for (std::int64_t column = 0; column < plan_.grid.columns; ++column) {
            const double range_m = plan_.grid.range_m(static_cast<double>(column));
            const BeamGeometry g = beam.at(column);
            first_line.push_back(first - first_s(range_m) * prf);
            end_line.push_back(end - last_s(range_m) * prf);
            earliest = std::min(earliest, first_line.back());
            latest = std::max(latest, end_line.back());
            plan_.aperture_lines = std::max(plan_.aperture_lines, (g.early_s + g.late_s) * prf);
            plan_.migration_cells =
                std::max(plan_.migration_cells, (g.farthest_m - g.nearest_m) / acquisition_.range_spacing_m);
        }
        const double line_of_row_0 = std::ceil(earliest);
        plan_.grid.first_time_s = acquisition_.first_pulse_time_s + line_of_row_0 / prf;
        plan_.grid.time_spacing_s = 1.0 / prf;
        plan_.grid.rows = rows_between(line_of_row_0, latest);
        for (std::size_t column = 0; column < first_line.size(); ++column)
            plan_.covered_rows.push_back(
                {static_cast<std::int32_t>(std::ceil(first_line[column] - line_of_row_0)),
                 static_cast<std::int32_t>(
                     std::min(std::ceil(end_line[column] - line_of_row_0), static_cast<double>(plan_.grid.rows)))});
    }

    std::int64_t rows_between(double first_line, double end_line) const {
        constexpr double most_rows = 1 << 27;  // some twenty hours
        const double rows = std::ceil(end_line - first_line);
        if (!(rows >= 1 && rows <= most_rows))
            throw InputError(fmt::format(
                "beam centres of {} lines: their zero-Doppler times come out as {:.6g} lines from the first "
                "to the last, must be 1 to {:.0f}; check --doppler-centroid ({:.6g} Hz) and --velocity "
                "({:.6g} m/s); of a flight round the scene all pulses are summed by --grid local",
                acquisition_.lines, rows, most_rows, plan_.parameters.doppler_centroid_hz,
                velocity(plan_.reference_range_m())));
        return static_cast<std::int64_t>(rows);
    }

    void plan_filter_reach() {
        // The coupling spreads the pulse by its group delay at the band edges.
        const double edge_hz = acquisition_.chirp.bandwidth_hz() / 2, step_hz = edge_hz / 100,
                     v = velocity(plan_.reference_range_m());
        double spread_s = 0;
        for (double part : {-0.5, 0.5})
            for (double sign : {-1.0, 1.0}) {
                const double f_eta = plan_.parameters.doppler_centroid_hz + part * processed_hz_;
                const auto cycles = [&](double f) {
                    return secondary_range_cycles(plan_.reference_range_m(), f, f_eta, v, acquisition_.carrier_hz);
                };
                spread_s =
                    std::max(spread_s, std::abs(cycles(sign * edge_hz) - cycles(sign * (edge_hz - step_hz))) / step_hz);
            }
        plan_.reach.range_samples =
            filter_reach_samples + static_cast<std::int64_t>(std::ceil(spread_s * acquisition_.sample_rate_hz()));
        plan_.reach.azimuth_lines =
            static_cast<std::int64_t>(std::ceil(4 * acquisition_.prf_hz / plan_.reach.azimuth_fade_hz));
    }

    std::int64_t chirp_reach_samples() const {
        return static_cast<std::int64_t>(std::ceil(acquisition_.chirp_samples())) + 2 * plan_.reach.range_samples;
    }
    std::int64_t aperture_reach_lines() const {
        return static_cast<std::int64_t>(std::ceil(plan_.aperture_lines)) + 2 * plan_.reach.azimuth_lines;
    }

    /// A column's row 0 is seen `seen` lines behind line 0 at the beam's centre. That changes so slowly that some
    /// columns tell.
    void plan_line_span() {
        const double delay_lines = image_delay_lines(acquisition_, plan_);
        double before = -INFINITY, behind = -INFINITY, wrap = 0;
        const std::int64_t intervals = std::clamp<std::int64_t>(plan_.grid.columns - 1, 1, 128);
        for (std::int64_t i = 0; i <= intervals; ++i) {
            const std::int64_t column = (plan_.grid.columns - 1) * i / intervals;
            const double range_m = plan_.grid.range_m(static_cast<double>(column));
            const double seen = delay_lines + plan_.history.centre_time_s(range_m) * acquisition_.prf_hz;
            const FilterLines filter = filter_lines(range_m);
            before = std::max(before, filter.before - seen);
            behind = std::max(behind, filter.behind + seen);
            wrap = std::max({wrap, filter.before, filter.behind});
        }
        // Either end of an aperture may come first.
        const std::int64_t uneven = most_uneven_lines();
        plan_.lines_of_row = {static_cast<std::int64_t>(std::ceil(before)) + 1 + uneven,
                              static_cast<std::int64_t>(std::ceil(behind)) + 1 + uneven};
        plan_.wrap_lines = static_cast<std::int64_t>(std::ceil(wrap));
    }

    /// A full image is padded by as much as the filters look beyond either end of the echo.
    void plan_lengths() {
        plan_.least = {acquisition_.samples, acquisition_.lines};
        if (plan_.parameters.extent == ImageExtent::valid) return;
        plan_.least.range +=
            static_cast<std::int64_t>(std::ceil(acquisition_.chirp_samples())) + plan_.reach.range_samples;
        plan_.least.azimuth += plan_.wrap_lines;
    }

    FilterLines aperture_lines(const BeamGeometry& g) const {
        return {g.early_s * acquisition_.prf_hz, g.late_s * acquisition_.prf_hz};
    }

    /// Rows of a column for which so many lines about the beam centre, with whole chirps for all of the band's
    /// migration, lie in the echo, the chirps this far inside.
    Interval covered_with_margin(std::int64_t column, const BeamGeometry& g, const FilterLines& lines,
                                 double samples) const {
        const double first_m = acquisition_.range_m(samples);
        const double last_m =
            acquisition_.range_m(static_cast<double>(acquisition_.samples) - acquisition_.chirp_samples() - samples);
        if (g.nearest_m < first_m || g.farthest_m > last_m) return {};
        const Interval covered = plan_.covered_rows[static_cast<std::size_t>(column)];
        // Where a track turns, either end of an aperture may lie on the other side of its centre.
        const auto first = std::max(0, covered.first + static_cast<std::int32_t>(std::ceil(lines.before)));
        const auto last = std::min(static_cast<std::int32_t>(plan_.grid.rows),
                                   covered.last - static_cast<std::int32_t>(std::ceil(lines.behind)));
        return last > first ? Interval{first, last} : Interval{};
    }

    /// The rectangle of the grid of which every point is fully covered, even by the ends of the filters.
    void cut_to_valid() {
        const auto ends = static_cast<double>(plan_.reach.azimuth_lines);
        const auto samples = static_cast<double>(plan_.reach.range_samples + plan_.parameters.interpolation_taps / 2);
        Interval rows{0, static_cast<std::int32_t>(plan_.grid.rows)};
        std::int64_t first = plan_.grid.columns, last = 0;
        const Beam beam(*this, processed_hz_);
        for (std::int64_t column = 0; column < plan_.grid.columns; ++column) {
            const BeamGeometry g = beam.at(column);
            const FilterLines aperture = aperture_lines(g);
            const Interval covered =
                covered_with_margin(column, g, {aperture.before + ends, aperture.behind + ends}, samples);
            if (covered.last == 0) continue;
            rows = {std::max(rows.first, covered.first), std::min(rows.last, covered.last)};
            first = std::min(first, column);
            last = column + 1;
        }
        if (last <= first || rows.last <= rows.first)
            throw InputError(
                fmt::format("extent valid: {} lines x {} samples cover no point fully, for which an aperture takes {} "
                            "lines and a chirp {} samples "
                            "with "
                            "the ends of the filters, beside {:.0f} cells of migration; use --extent full, or narrow "
                            "the aperture by "
                            "--azimuth-bandwidth",
                            acquisition_.lines, acquisition_.samples, aperture_reach_lines(), chirp_reach_samples(),
                            plan_.migration_cells));
        const auto columns = [&](auto& table) { table = {table.begin() + first, table.begin() + last}; };
        columns(plan_.velocity_m_s);
        columns(plan_.covered_rows);
        plan_.grid.near_range_m = plan_.grid.range_m(static_cast<double>(first));
        plan_.grid.first_time_s = plan_.grid.time_s(rows.first);
        plan_.grid.columns = last - first;
        plan_.grid.rows = rows.last - rows.first;
        plan_.lines_of_row.before -= rows.first;
        plan_.lines_of_row.behind += rows.first;
        for (Interval& covered : plan_.covered_rows) covered = {0, static_cast<std::int32_t>(plan_.grid.rows)};
    }

    /// Whole aperture and whole chirp inside the echo, for all of the migration.
    void plan_valid_columns() {
        const auto columns = static_cast<std::int32_t>(plan_.grid.columns);
        if (!acquisition_.decoding.valid_samples.empty()) return plan_valid_columns_between_gaps();
        if (plan_.parameters.extent == ImageExtent::valid)
            return plan_.valid_columns.assign(static_cast<std::size_t>(plan_.grid.rows), Interval{0, columns});
        plan_.valid_columns.assign(static_cast<std::size_t>(plan_.grid.rows), Interval{});
        const auto begin = [&](std::int32_t row, std::int32_t column) {
            Interval& valid = plan_.valid_columns[static_cast<std::size_t>(row)];
            if (valid.last == 0) valid.first = column;
        };
        const auto end = [&](std::int32_t row, std::int32_t column) {
            plan_.valid_columns[static_cast<std::size_t>(row)].last = column;
        };
        // From column to column few rows come or go.
        const Beam beam(*this, illuminated_hz_);
        Interval before;
        for (std::int32_t column = 0; column <= columns; ++column) {
            Interval rows;
            if (column < columns) {
                const BeamGeometry g = beam.at(column);
                rows = covered_with_margin(column, g, aperture_lines(g), 0);
            }
            for_rows_beside(before, rows, [&](std::int32_t row) { end(row, column); });
            for_rows_beside(rows, before, [&](std::int32_t row) { begin(row, column); });
            before = rows;
        }
    }

    void plan_valid_columns_between_gaps() {
        const bool all = plan_.parameters.extent == ImageExtent::valid;
        const double band_hz = all ? processed_hz_ : illuminated_hz_,
                     delay_lines = image_delay_lines(acquisition_, plan_);
        const Beam beam(*this, band_hz);
        std::vector<ColumnNeed> needs;
        for (std::int64_t column = 0; column < plan_.grid.columns; ++column) {
            const double range_m = plan_.grid.range_m(static_cast<double>(column));
            const BeamGeometry g = beam.at(column);
            const FilterLines aperture = aperture_lines(g);
            const double centre = delay_lines + plan_.history.centre_time_s(range_m) * acquisition_.prf_hz;
            const auto sample = [&](double slant_m) {
                return (slant_m - acquisition_.near_range_m) / acquisition_.range_spacing_m;
            };
            needs.push_back({.first_line = centre - aperture.before,
                             .last_line = centre + aperture.behind,
                             .first_sample = sample(g.nearest_m),
                             .last_sample = sample(g.farthest_m) + acquisition_.chirp_samples(),
                             .rows = all ? Interval{0, static_cast<std::int32_t>(plan_.grid.rows)}
                                         : covered_with_margin(column, g, aperture, 0)});
        }
        ValidColumns valid = columns_between_gaps(acquisition_, needs, plan_.grid.rows);
        plan_.valid_columns = std::move(valid.intervals);
        plan_.intervals_per_row = valid.intervals_per_row;
    }

    const Acquisition& acquisition_;
    const ViewingGeometry& geometry_;
    ImagePlan plan_;
    RangeHistory first_history_, last_history_;
    double processed_hz_, illuminated_hz_;
};

}  // namespace

std::string_view name_of(ImageExtent extent) { return extent == ImageExtent::full ? "full" : "valid"; }

ImageExtent image_extent(std::string_view name) {
    for (const ImageExtent extent : {ImageExtent::full, ImageExtent::valid})
        if (name == name_of(extent)) return extent;
    throw InputError(fmt::format("extent '{}': unknown; choose full or valid", name));
}

ImagePlan seen_by(ImagePlan plan, const Acquisition& acquisition, const ViewingGeometry& geometry,
                  std::int64_t first_row, std::int64_t rows) {
    return Planner(acquisition, std::move(plan), geometry).seen_by(first_row, rows);
}

ImagePlan with_rows(ImagePlan plan, const Acquisition& acquisition, double first_time_s, std::int64_t rows) {
    const auto earlier =
        static_cast<std::int32_t>(std::lround((plan.grid.first_time_s - first_time_s) * acquisition.prf_hz));
    const std::int64_t later = rows - plan.grid.rows - earlier;
    if (earlier < 0 || later < 0) throw std::logic_error("an image can only be given more rows, not fewer");
    plan.grid.first_time_s = first_time_s;
    plan.grid.rows = rows;
    plan.lines_of_row.before += earlier;
    plan.lines_of_row.behind -= earlier;
    for (Interval& covered : plan.covered_rows) covered = {covered.first + earlier, covered.last + earlier};
    plan.valid_columns.insert(plan.valid_columns.begin(),
                              static_cast<std::size_t>(std::int64_t{earlier} * plan.intervals_per_row), Interval{});
    plan.valid_columns.resize(static_cast<std::size_t>(rows * plan.intervals_per_row));
    return plan;
}

ImagePlan rows_of(const ImagePlan& plan, std::int64_t first_row, std::int64_t count, std::int64_t lines, bool at_edge) {
    ImagePlan part = plan;
    part.grid.first_time_s = plan.grid.time_s(static_cast<double>(first_row));
    if (part.map) {
        part.map->grid.first_y = plan.map->grid.y(static_cast<double>(first_row));
        part.map->grid.rows = count;
    }
    part.grid.rows = count;
    const auto moved = [&](std::int32_t row) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(row - first_row, 0, count));
    };
    for (Interval& covered : part.covered_rows) covered = {moved(covered.first), moved(covered.last)};
    const auto first = plan.valid_columns.begin() + static_cast<std::ptrdiff_t>(first_row * plan.intervals_per_row);
    part.valid_columns.assign(first, first + static_cast<std::ptrdiff_t>(count * plan.intervals_per_row));
    if (plan.asked_pixels) {
        part.asked_pixels->clear();
        for (const ImagePixel& pixel : *plan.asked_pixels)
            if (pixel.row >= first_row && pixel.row < first_row + count)
                part.asked_pixels->push_back({pixel.row - first_row, pixel.column});
    }
    part.least.azimuth = lines + (at_edge && plan.parameters.extent == ImageExtent::full ? plan.wrap_lines : 0);
    return part;
}

double image_delay_lines(const Acquisition& acquisition, const ImagePlan& image) {
    constexpr double million = 1e6;
    return std::round((image.grid.first_time_s - acquisition.first_pulse_time_s) * acquisition.prf_hz * million) /
           million;
}

FilterReach fades_of(const Acquisition& acquisition, const FormerParameters& parameters) {
    const double prf_hz = acquisition.prf_hz, band_hz = parameters.azimuth_bandwidth_hz,
                 widest_hz = azimuth_fade * band_hz, beam_hz = illuminated_band_hz(acquisition, parameters),
                 ends_hz = band_hz + widest_hz;
    // A Doppler frequency goes with the radio frequency: at the chirp's ends the beam lies elsewhere.
    const double chirp_part = 0.5 * acquisition.chirp.bandwidth_hz() / acquisition.carrier_hz,
                 moved_hz = chirp_part * (std::abs(parameters.doppler_centroid_hz) + 0.5 * beam_hz),
                 beside_beam_hz = 0.5 * (prf_hz - beam_hz) - moved_hz;
    FilterReach reach{.pulse_fade_hz = widest_hz, .pulse_reach_hz = 0.5 * ends_hz};
    if (ends_hz > prf_hz && band_hz < acquisition.azimuth_bandwidth_hz.value_or(0)) {
        // A part of a beam ends as soon as the PRF makes it.
        reach.pulse_fade_hz = std::max(prf_hz - band_hz, least_fade * prf_hz);
        reach.pulse_reach_hz = 0.5 * (band_hz + reach.pulse_fade_hz);
    } else if (ends_hz > prf_hz) {
        // Pulses may be summed beyond the PRF, where a beam shows nothing; a ghost of 1 % is all that comes of it.
        reach.pulse_reach_hz = 0.5 * (parameters.keeps_beam ? std::max(prf_hz, beam_hz + 2 * widest_hz) : prf_hz);
    }
    reach.azimuth_fade_hz =
        parameters.keeps_beam ? std::min(widest_hz, std::max(beside_beam_hz, least_fade * prf_hz)) : widest_hz;
    return reach;
}

double beam_bandwidth_hz(const Acquisition& acquisition) {
    return acquisition.azimuth_bandwidth_hz.value_or(acquisition.prf_hz * 2 / 3);
}

double illuminated_band_hz(const Acquisition& acquisition, const FormerParameters& parameters) {
    return std::min(parameters.azimuth_bandwidth_hz, beam_bandwidth_hz(acquisition));
}

double most_band_shift_hz(const Acquisition& acquisition, const ImagePlan& image) {
    constexpr double part = 0.004;  // moves points by 0.002 px
    constexpr double least_part_of_prf = 0.002, most_part_of_prf = 0.02;
    const double range_m = image.reference_range_m(), prf_hz = acquisition.prf_hz,
                 beam_hz = illuminated_band_hz(acquisition, image.parameters),
                 room_hz = 0.5 * (image.parameters.azimuth_bandwidth_hz - beam_hz),
                 rate_hz_s = image.history.fm_rate_hz_s(range_m, image.history.centroid_hz(range_m));
    // Where the beam's centre wanders along rows, the band has room for it beside its ripple.
    if (acquisition.motion) return std::max(least_part_of_prf * prf_hz, room_hz - 4 * std::sqrt(rate_hz_s));
    return std::clamp(part * beam_hz * room_hz / std::sqrt(rate_hz_s), least_part_of_prf * prf_hz,
                      most_part_of_prf * prf_hz);
}

/// A point's range frequencies in the image are sqrt((f0 + f_tau)^2 - (c f_eta / 2V)^2) - f0: under squint each Doppler
/// frequency has its own band.
double image_bandwidth_hz(const Acquisition& acquisition, const VelocityProfile& velocity, double range_m,
                          double centroid_hz, double azimuth_band_hz) {
    const double carrier = acquisition.carrier_hz, edge_hz = acquisition.chirp.bandwidth_hz() / 2;
    double lowest = INFINITY, highest = -INFINITY;
    for (double part : {-0.5, 0.0, 0.5})
        for (double f_tau : {-edge_hz, edge_hz}) {
            const double transverse = 0.5 * c_m_s * (centroid_hz + part * azimuth_band_hz) / velocity(range_m);
            const double f_image = std::sqrt((carrier + f_tau) * (carrier + f_tau) - transverse * transverse) - carrier;
            lowest = std::min(lowest, f_image);
            highest = std::max(highest, f_image);
        }
    return highest - lowest;
}

ViewingGeometry straight_geometry(const Acquisition& acquisition, const FormerParameters& parameters) {
    return {std::make_shared<StraightTrack>(parameters.velocity),
            [hz = parameters.doppler_centroid_hz](double, double) { return hz; }, acquisition.carrier_hz};
}

ImagePlan plan_image(const Acquisition& acquisition, const FormerParameters& parameters,
                     const ViewingGeometry& geometry) {
    return Planner(acquisition, parameters, geometry).make();
}

ImagePlan plan_image(const Acquisition& acquisition, const FormerParameters& parameters) {
    return plan_image(acquisition, parameters, straight_geometry(acquisition, parameters));
}

}  // namespace cornerturn

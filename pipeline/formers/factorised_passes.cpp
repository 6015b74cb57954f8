// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/factorised_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "kernels/errors.h"
#include "kernels/math/chebyshev.h"
#include "kernels/math/fast_length.h"
#include "kernels/math/frequency.h"
#include "pipeline/formers/azimuth_filter.h"
#include "pipeline/formers/pixel_mesh.h"
#include "pipeline/formers/range_filter.h"

namespace cornerturn {
namespace {

/// By which the band of a block may be wider anywhere than it was found at a few places.
constexpr double band_margin = 1.02;

/// Columns by which the nodes of a strip go on beside it.
double columns_beside(const Factorisation& f) {
    return static_cast<double>(f.levels * (f.cell_taps / 2 + 2) + 16) / static_cast<double>(f.nodes_per_column);
}

/// Of compressed lines where the echo is white, over cycles per sample; each frequency has the most of its neighbours,
/// as squint shifts it.
PowerOverFrequency range_power(const Acquisition& echo, const ImagePlan& image) {
    constexpr std::size_t steps = 64;
    const std::int64_t length = fast_length(image.least.range);
    const auto filter = range_filter(
        echo.chirp, echo.sample_rate_hz(), length, image.reach.range_samples, image.parameters.range_window,
        [](double) { return 1.0; }, image.parameters.doppler_centroid_hz);
    std::vector<double> power(steps, 0.0);
    for (std::int64_t bin = 0; bin < length; ++bin) {
        const double cycles = std::abs(range_frequency_hz(bin, length, echo.sample_rate_hz())) / echo.sample_rate_hz();
        power[std::min(static_cast<std::size_t>(2 * steps * cycles), steps - 1)] +=
            std::norm(filter[static_cast<std::size_t>(bin)]);
    }
    PowerOverFrequency spread{.highest = 0.5, .power = power};
    for (std::size_t i = 0; i < steps; ++i)
        spread.power[i] = std::max({power[i], power[i > 0 ? i - 1 : 0], power[std::min(i + 1, steps - 1)]});
    return spread;
}

/// Arrivals at some places of the image, in some of the lines in which the window sees them.
class Passing {
public:
    Passing(const Acquisition& echo, const ImagePlan& image)
        : echo_(echo), image_(image), track_(image.geometry->track()), timing_(compressed_timing(echo, image, {})) {}

    struct Rates {
        double band_per_line = 0, line_rate_hz = 0;
    };
    /// The largest, anywhere along the track: at both edges of the swath, in rows a quarter of an aperture apart or
    /// less.
    Rates rates() const {
        Rates most;
        const double last_row = last(image_.grid.rows);
        const auto looks = static_cast<int>(
            image_.geometry->steady() ? 2 : std::clamp(std::ceil(8 * last_row / image_.aperture_lines), 2.0, 2000.0));
        for (int look = 0; look <= looks; ++look)
            for (const double column : {0.0, last(image_.grid.columns)}) {
                const Rates here = largest_at(last_row * look / looks, column);
                most.band_per_line = std::max(most.band_per_line, here.band_per_line);
                most.line_rate_hz = std::max(most.line_rate_hz, here.line_rate_hz);
            }
        return most;
    }

    /// How a line in the middle runs over the swath, on average and at most.
    struct AlongRow {
        double hz_per_column = 0, slide_per_column = 0, arch_cycles = 0;
    };
    AlongRow along_row() const {
        constexpr int looks = 16;
        AlongRow found;
        const double row = 0.5 * last(image_.grid.rows), columns = last(image_.grid.columns),
                     zero_doppler_s = image_.grid.time_s(row);
        const auto beam = [&](double column) {
            return image_.geometry->beam_centre(zero_doppler_s, image_.grid.range_m(column));
        };
        const PulsePath line = path(zero_doppler_s + beam(0.5 * columns).time_s);
        const auto at = [&](double column) { return arrival(timing_, line, place(row, column)); };
        for (int look = 0; look <= looks; ++look) {
            const double column = 1 + (columns - 2) * look / looks;
            const Arrival before = at(column - 1), here = at(column), behind = at(column + 1);
            const double hz =
                behind.row_hz - beam(column + 1).centroid_hz - before.row_hz + beam(column - 1).centroid_hz;
            found.hz_per_column += 0.5 * std::abs(hz) / (looks + 1);
            found.slide_per_column = std::max(found.slide_per_column, std::abs(behind.cell - here.cell - 1));
            found.arch_cycles =
                std::max(found.arch_cycles, 0.5 * std::abs(behind.cycles - 2 * here.cycles + before.cycles));
        }
        return found;
    }

    /// Largest error of laws, of a block's phase against that of the pixels and those of its first and last part
    /// against its own; blocks all along the track. Over the rows that see a block, with law_terms:
    double row_law_error_cycles(const Factorisation& f) const {
        const double last_column = last(image_.grid.columns);
        return largest_of_blocks(f, [&](int level, double line) {
            double most = 0;
            for (const double column : {0.0, 0.5 * last_column, last_column})
                if (const auto seen = rows_seen(f, level, line, column))
                    most = std::max(most, law_error_cycles(f, level, line, *seen, f.law_terms,
                                                           [&](double row) { return place(row, column); }));
            return most;
        });
    }
    /// and over the columns of strips of such a width and the nodes beside them, with column_terms.
    double column_law_error_cycles(const Factorisation& f, std::int64_t width) const {
        const double columns = last(image_.grid.columns), beside = columns_beside(f);
        return largest_of_blocks(f, [&](int level, double line) {
            double most = 0;
            for (double first = 0; first < columns; first += static_cast<double>(width)) {
                const Span strip{first, std::min(first + static_cast<double>(width) - 1, columns)},
                    nodes{strip.from - beside, strip.to + beside};
                if (const auto seen = rows_seen(f, level, line, 0.5 * (strip.from + strip.to)))
                    for (const double row : {seen->from, seen->to})
                        most = std::max(most, law_error_cycles(f, level, line, nodes, f.column_terms,
                                                               [&](double column) { return place(row, column); }));
            }
            return most;
        });
    }

    /// Whether in each line of a block the cells of its nodes follow each other as in its middle line, wherever nodes
    /// lie: also as far beside the image as those of the shortest blocks do.
    bool cells_follow(const Factorisation& f) const {
        const double columns = last(image_.grid.columns), beside = columns_beside(f);
        return largest_of_blocks(f, [&](int level, double line) {
                   double most = 0;
                   for (const double column : {-beside, 0.5 * columns, columns + beside})
                       if (const auto seen = rows_seen(f, level, line, std::clamp(column, 0.0, columns)))
                           for (const double row :
                                {seen->from - rows_beside(f), seen->from, seen->to, seen->to + rows_beside(f)})
                               most = std::max(most, slip_of_cells(f, level, line, row, column));
                   return most;
               }) < 1;
    }

    /// What lies in the corners of the rows and cells between which a block's nodes lie, as laws are fitted over all of
    /// them, in the nearest and the farthest strip of such a width.
    struct Corners {
        double slip = 0;            ///< slip_of_cells
        double columns_beside = 0;  ///< of the image
    };
    Corners corners(const Factorisation& f, std::int64_t width) const {
        const double columns = last(image_.grid.columns), strip = std::min(static_cast<double>(width) - 1, columns);
        Corners worst;
        worst.slip = largest_of_blocks(f, [&](int level, double line) {
            double most = 0;
            for (const Span& across : {Span{0, strip}, Span{columns - strip, columns}})
                for (const auto& [row, column] : corners_of(f, level, line, across)) {
                    most = std::max(most, slip_of_cells(f, level, line, row, column));
                    worst.columns_beside = std::max({worst.columns_beside, -column, column - columns});
                }
            return most;
        });
        return worst;
    }

private:
    static double rows_beside(const Factorisation& f) {
        double rows = 0;
        for (int level = 0; level < f.levels; ++level) rows += static_cast<double>(f.row_taps * f.step_of(level));
        return rows;
    }

    /// By how much the cells of a block's first or last part slide over those of its middle, from one column to the
    /// next: 0 where they keep step, 1 where they stand still or go twice as far; infinite where nothing follows.
    double slip_of_cells(const Factorisation& f, int level, double line, double row, double column) const {
        const double line_s = echo_.pulse_time_s(line),
                     child_lines = level > 0 ? static_cast<double>(f.lines_of(level - 1)) : 1.0,
                     off_s = 0.5 * (static_cast<double>(f.lines_of(level)) - child_lines) / echo_.prf_hz;
        const double far_away =
            8 * static_cast<double>(echo_.samples);  // places where nothing says how the track goes on
        const auto cells_per_column = [&](double time_s) {
            const PulsePath at = path(time_s);
            const double here = arrival(timing_, at, place(row, column)).cell;
            return std::abs(here) < far_away ? arrival(timing_, at, place(row, column + 1)).cell - here : NAN;
        };
        const double middle = cells_per_column(line_s);
        double most = 0;
        for (const double time_s : {line_s - off_s, line_s + off_s}) {
            const double slip = std::abs(cells_per_column(time_s) / middle - 1);
            most = std::isfinite(slip) ? std::max(most, slip) : INFINITY;
        }
        return middle > 0 ? most : INFINITY;
    }

    static constexpr double lines_apart = 8, rows_apart = 16;

    static double last(std::int64_t count) { return static_cast<double>(std::max<std::int64_t>(count, 1) - 1); }

    /// Over the aperture of a target, which its beam sees.
    Rates largest_at(double row, double column) const {
        const double range_m = image_.grid.range_m(column), zero_doppler_s = image_.grid.time_s(row),
                     reach_hz = image_.reach.pulse_reach_hz;
        Rates most;
        const int parts = image_.geometry->steady() ? 1 : 8;
        const BeamCentre beam = image_.geometry->beam_centre(zero_doppler_s, range_m);
        const double history_s = image_.history.centre_time_s(range_m);
        for (int part = -parts; part <= parts; ++part) {
            const double of_history_s =
                image_.history.time_s(range_m, image_.history.centroid_hz(range_m) + reach_hz * part / parts);
            const Rates here = at(row, column, zero_doppler_s + beam.time_s + of_history_s - history_s);
            most.band_per_line = std::max(most.band_per_line, here.band_per_line);
            most.line_rate_hz = std::max(most.line_rate_hz, here.line_rate_hz);
        }
        return most;
    }

    struct Span {
        double from = 0, to = 0;
    };

    template <class ErrorOf>
    double largest_of_blocks(const Factorisation& f, const ErrorOf& error_of) const {
        const double lines = static_cast<double>(echo_.lines);
        const auto blocks = static_cast<int>(
            image_.geometry->steady() ? 2 : std::clamp(std::ceil(8 * lines / image_.aperture_lines), 2.0, 200.0));
        double most = 0;
        for (int level = 0; level < f.levels; ++level)
            for (int i = 0; i <= blocks; ++i) most = std::max(most, error_of(level, i * (lines - 1) / blocks));
        return most;
    }

    /// Rows of the image that take a block about a line, in a column.
    std::optional<Span> rows_seen(const Factorisation& f, int level, double line, double column) const {
        const double line_s = echo_.pulse_time_s(line), range_m = image_.grid.range_m(column),
                     half_block = 0.5 * static_cast<double>(f.lines_of(level)) / image_.lines_per_row,
                     nodes = 0.5 * f.row_taps * static_cast<double>(f.step_of(level)),
                     reach_hz = image_.reach.pulse_reach_hz, centre_hz = image_.history.centroid_hz(range_m),
                     early_s = image_.history.time_s(range_m, centre_hz + reach_hz),
                     late_s = image_.history.time_s(range_m, centre_hz - reach_hz);
        const auto row_of = [&](double time_s) {
            return (time_s - image_.grid.first_time_s) / image_.grid.time_spacing_s;
        };
        const Span seen{std::max(row_of(line_s - late_s) - half_block - nodes, 0.0),
                        std::min(row_of(line_s - early_s) + half_block + nodes, last(image_.grid.rows))};
        return seen.to > seen.from ? std::optional(seen) : std::nullopt;
    }

    struct PixelPlace {
        double row, column;
    };
    std::vector<PixelPlace> corners_of(const Factorisation& f, int level, double line, Span strip) const {
        constexpr int looks = 4;
        Span rows{INFINITY, -INFINITY};
        for (const double column : {strip.from, strip.to})
            if (const auto seen = rows_seen(f, level, line, column))
                rows = {std::min(rows.from, seen->from), std::max(rows.to, seen->to)};
        if (!(rows.from < rows.to)) return {};
        double beside = 0;  // nodes, and again rows from which they are blended
        for (int above = level; above < f.levels; ++above)
            beside += 0.5 * static_cast<double>(f.row_taps * f.step_of(above));
        rows = {rows.from - beside, rows.to + beside};
        const PulsePath middle = path(echo_.pulse_time_s(line));
        const auto cell = [&](double row, double column) { return arrival(timing_, middle, place(row, column)).cell; };
        Span cells{INFINITY, -INFINITY};
        for (int look = 0; look <= looks; ++look) {
            const double row = rows.from - beside + (rows.to - rows.from + 2 * beside) * look / looks;
            cells = {std::min(cells.from, cell(row, strip.from)), std::max(cells.to, cell(row, strip.to))};
        }
        std::vector<PixelPlace> found;
        for (const double row : {rows.from, rows.to}) {
            found.push_back({row, column_in(cell, row, strip.from, cells.from)});
            found.push_back({row, column_in(cell, row, strip.to, cells.to)});
        }
        return found;
    }

    /// The column of a row that lies in a cell, by the secant from about there; NAN: none does.
    template <class CellOf>
    static double column_in(const CellOf& cell, double row, double column, double wanted) {
        double at = cell(row, column), next = column + wanted - at;
        for (int round = 0; round < 20 && std::abs(wanted - at) > 1e-3; ++round) {
            const double there = cell(row, next), step = (wanted - there) * (next - column) / (there - at);
            column = next, at = there;
            next = column + step;
        }
        return std::abs(wanted - at) < 1 ? column : NAN;
    }

    /// Of a block about a line, along a way through the image.
    template <class PlaceAt>
    double law_error_cycles(const Factorisation& f, int level, double line, Span span, int terms,
                            const PlaceAt& place_at) const {
        const double line_s = echo_.pulse_time_s(line),
                     child_lines = level > 0 ? static_cast<double>(f.lines_of(level - 1)) : 1.0,
                     off_s = 0.5 * (static_cast<double>(f.lines_of(level)) - child_lines) / echo_.prf_hz;
        const PulsePath middle = path(line_s), first = path(line_s - off_s), end = path(line_s + off_s);
        const auto cycles = [&](double at) {
            const Place there = place_at(at);
            const double own = arrival(timing_, middle, there).cycles;
            return std::array{own, arrival(timing_, first, there).cycles - own,
                              arrival(timing_, end, there).cycles - own};
        };
        std::array<std::vector<double>, 3> values;
        for (const double at : chebyshev_points(span.from, span.to, terms)) {
            const auto here = cycles(at);
            for (std::size_t i = 0; i < values.size(); ++i) values[i].push_back(here[i]);
        }
        std::array<ChebyshevSeries, 3> laws;
        for (std::size_t i = 0; i < laws.size(); ++i) laws[i] = ChebyshevSeries::through(span.from, span.to, values[i]);
        double most = 0;
        for (int look = 0; look <= 2 * terms; ++look) {
            const double at = span.from + (span.to - span.from) * look / (2 * terms);
            const auto here = cycles(at);
            for (std::size_t i = 0; i < laws.size(); ++i) most = std::max(most, std::abs(here[i] - laws[i](at)));
        }
        return most;
    }

    Place place(double row, double column) const {
        return track_.place(image_.grid.time_s(row), image_.grid.range_m(column));
    }
    PulsePath path(double time_s) const { return track_.pulse_path(time_s); }

    Rates at(double row, double column, double time_s) const {
        const double line = echo_.line_at(time_s);
        const PulsePath middle = path(time_s), before = path(echo_.pulse_time_s(line - 0.5 * lines_apart)),
                        behind = path(echo_.pulse_time_s(line + 0.5 * lines_apart));
        // Along a cell of the middle line the column follows the row.
        const auto cell = [&](double r, double c) { return arrival(timing_, middle, place(r, c)).cell; };
        const double columns_per_row =
            -(cell(row + 1, column) - cell(row - 1, column)) / (cell(row, column + 1) - cell(row, column - 1));
        const auto parted = [&](double rows) {
            const Place there = place(row + rows, column + columns_per_row * rows);
            return arrival(timing_, behind, there).cycles - arrival(timing_, before, there).cycles;
        };
        const Place here = place(row, column);
        const double band = (parted(0.5 * rows_apart) - parted(-0.5 * rows_apart)) / (lines_apart * rows_apart);
        const double hz = arrival(timing_, behind, here).row_hz - arrival(timing_, before, here).row_hz;
        return {std::abs(band), std::abs(hz) / lines_apart};
    }

    const Acquisition& echo_;
    const ImagePlan& image_;
    const Track& track_;
    CompressedTiming timing_;
};

/// Rows of nodes lie beyond the image, those of shorter blocks farther out; so do nodes in them, and the cells of a
/// block's own line run through the image's columns.
MeshMargin margin_of_nodes(const ImagePlan& image, const Factorisation& f, const Passing::Corners& corners) {
    double rows = 0;
    for (int level = 0; level < f.levels; ++level) rows += static_cast<double>(f.row_taps * f.step_of(level));
    const double columns = std::max(image.migration_cells, corners.columns_beside);
    return {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(std::ceil(columns_beside(f) + columns))};
}

/// Whether there is ground beside the image, which right below the antenna ends, where corners lie, with the cells that
/// guard them.
bool have_ground(const ImagePlan& image, const Factorisation& f, const Passing::Corners& corners) {
    if (image.geometry->track().over_terrain()) return true;
    const MeshMargin all = margin_of_nodes(image, f, corners), known = known_margin(image, all);
    return known.columns == all.columns ||
           static_cast<double>(known.columns) >= corners.columns_beside + 0.5 * columns_beside(f);
}

std::string levels_text(const Factorisation& f) {
    std::string text;
    for (int level = 0; level < f.levels; ++level)
        text += fmt::format("{}{} lines on every {}th row", level > 0 ? ", " : "", f.lines_of(level), f.step_of(level));
    return text;
}

}  // namespace

FactorisationNeeds factorisation_needs(const Acquisition& echo, const ImagePlan& image) {
    const Passing passing(echo, image);
    const Passing::Rates rates = passing.rates();
    const Passing::AlongRow along = passing.along_row();
    const double wider_by_range_band = 1 + 0.5 * echo.chirp.bandwidth_hz() / echo.carrier_hz;
    return {.error_db = image.parameters.error_db,
            .band_per_line = band_margin * wider_by_range_band * rates.band_per_line,
            .line_rate_hz = rates.line_rate_hz,
            .hz_per_column = along.hz_per_column,
            .slide_per_column = along.slide_per_column,
            .arch_cycles = along.arch_cycles,
            .window = doppler_window(image),
            .range_power = range_power(echo, image),
            .rows = image.grid.rows,
            .columns = image.grid.columns,
            .lines = echo.lines,
            .pixel_pulses = pixel_pulses(echo, image),
            .straight_line_samples =
                static_cast<double>(cells_per_sample(echo, image.parameters.error_db) * image.least.range)};
}

FactorisationPlan with_laws_that_hold(const Acquisition& echo, const ImagePlan& image, FactorisationPlan plan) {
    const Passing passing(echo, image);
    // The largest anywhere is at least twice what it is on average.
    const double most_cycles = 2 * plan.factors.tolerance / (2 * std::numbers::pi);
    const auto with_as_many = [&](int& terms, const char* why, const auto& error_cycles) {
        double error = 0;
        for (; terms <= most_law_terms; terms += 4)
            if ((error = error_cycles()) <= most_cycles) return;
        throw InputError(fmt::format(
            "--algorithm ffbp: {} so much that phases of blocks of lines would be off by {:.2g} cycles, at most {:.2g} "
            "hold --error-db {}: use --algorithm backprojection",
            why, error, most_cycles, image.parameters.error_db));
    };
    const std::int64_t strip = factorised_accumulation(echo, image, plan, {}).columns_of_strip();
    constexpr const char* not_followed =
        "--algorithm ffbp: ranges change so much over the rows that a block of lines sees that its cells do not follow "
        "them; use --algorithm backprojection";
    if (!passing.cells_follow(plan.factors)) throw InputError(not_followed);
    with_as_many(plan.factors.law_terms, "the track bends", [&] { return passing.row_law_error_cycles(plan.factors); });
    with_as_many(plan.factors.column_terms, "the look angle changes over the swath",
                 [&] { return passing.column_law_error_cycles(plan.factors, strip); });
    const auto corners = passing.corners(plan.factors, strip);
    if (!(corners.slip < 1 && have_ground(image, plan.factors, corners))) throw InputError(not_followed);
    return plan;
}

FineLines factorised_lines(const Acquisition& echo, const ImagePlan& image, const FactorisationPlan& plan) {
    const Factorisation& f = plan.factors;
    const double nodes = f.levels * (f.cell_taps / 2 + 1), cells = f.line_taps / 2 + 1;  // one nests in the other
    return beyond_the_swath(
        {.cells = plan.cells_per_column}, echo, image,
        nodes / static_cast<double>(f.nodes_per_column) + cells / static_cast<double>(plan.cells_per_column));
}

FactorisedAccumulation factorised_accumulation(const Acquisition& echo, const ImagePlan& image,
                                               const FactorisationPlan& plan, FineLines lines) {
    constexpr double room_bytes = 192.0 * (1 << 20);
    constexpr std::int64_t fewest_columns = 256;  // narrower strips are mostly edges
    const double column_bytes = plan.node_bytes_per_column;
    const auto columns = static_cast<double>(image.grid.columns);
    const double bytes = std::min(columns, std::max<double>(fewest_columns, room_bytes / column_bytes)) * column_bytes;
    FactorisedAccumulation pass{.sum = accumulation(echo, image, lines),
                                .factors = plan.factors,
                                .range_power = range_power(echo, image),
                                .cells_per_column = plan.cells_per_column,
                                .node_bytes_of_column = column_bytes,
                                .relative_cost = plan.cost,
                                .nodes_bytes = static_cast<std::size_t>(bytes)};
    pass.sum.geometry = [=, of_pixels = pass.sum.geometry, factors = plan.factors, strip = pass.columns_of_strip()] {
        AccumulationGeometry geometry = of_pixels();
        const Passing::Corners corners = Passing(echo, image).corners(factors, strip);
        geometry.around = places_around_pixels(echo, image, margin_of_nodes(image, factors, corners));
        return geometry;
    };
    return pass;
}

FormerNote note_of_factors(const ImagePlan& image, const FactorisationPlan& plan) {
    const Factorisation& f = plan.factors;
    return {.name = "factors",
            .text = fmt::format(
                "blocks of {}; {} taps between lines' cells, {} between nodes, {} between rows; laws of {} x {} terms; "
                "error {:.1f} dB foretold, {:.0f} allowed; {:.2g} of the cost of the exact sum",
                levels_text(f), f.line_taps, f.cell_taps, f.row_taps, f.law_terms, f.column_terms, plan.error_db,
                image.parameters.error_db, plan.cost),
            .key = "factorisation",
            .values = {{"block_lines", static_cast<double>(f.block_lines)},
                       {"merged", static_cast<double>(f.merged)},
                       {"levels", static_cast<double>(f.levels)},
                       {"row_step", static_cast<double>(f.row_step)},
                       {"nodes_per_column", static_cast<double>(f.nodes_per_column)},
                       {"row_band", f.row_band},
                       {"line_taps", static_cast<double>(f.line_taps)},
                       {"cell_taps", static_cast<double>(f.cell_taps)},
                       {"row_taps", static_cast<double>(f.row_taps)},
                       {"law_terms", static_cast<double>(f.law_terms)},
                       {"column_terms", static_cast<double>(f.column_terms)},
                       {"error_db", plan.error_db},
                       {"allowed_error_db", image.parameters.error_db},
                       {"cost", plan.cost}}};
}

FormerNote note_of_exact_sum(const ImagePlan& image, const std::string& why) {
    return {.name = "factors",
            .text = fmt::format("none, the sum is exact: {}", why),
            .key = "factorisation",
            .values = {{"allowed_error_db", image.parameters.error_db}, {"why_not", why}}};
}

}  // namespace cornerturn

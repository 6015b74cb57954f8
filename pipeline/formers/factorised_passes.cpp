// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/factorised_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/back_projection/factor_tree.h"
#include "kernels/errors.h"
#include "kernels/math/fast_length.h"
#include "kernels/math/frequency.h"
#include "pipeline/formers/block_passage.h"
#include "pipeline/formers/factor_fit.h"
#include "pipeline/formers/pixel_mesh.h"
#include "pipeline/formers/range_doppler_passes.h"

namespace cornerturn {
namespace {

/// By which the band of a block may be wider anywhere than it was found at a few places.
constexpr double band_margin = 1.02;

/// Rows of nodes lie beyond the image, those of shorter blocks farther out; so do nodes in them, and the cells of a
/// block's own line run through the image's columns.
MeshMargin margin_of_nodes(const LargestAperture& aperture, const Factorisation& f,
                           const BlockPassage::Corners& corners) {
    const double columns = std::max(aperture.migration_cells, corners.columns_beside);
    return {static_cast<std::int64_t>(rows_beside(f)),
            static_cast<std::int64_t>(std::ceil(columns_beside(f) + columns))};
}

/// Whether there is ground beside the image, which right below the antenna ends, where corners lie, with the cells that
/// guard them.
bool have_ground(const ImagePlan& image, const Factorisation& f, const BlockPassage::Corners& corners) {
    if (image.geometry->track().over_terrain()) return true;
    const MeshMargin all = margin_of_nodes(image.aperture, f, corners), known = known_margin(image, all);
    return known.columns == all.columns ||
           static_cast<double>(known.columns) >= corners.columns_beside + 0.5 * columns_beside(f);
}

/// As many terms as laws need over strips of the plan's width; why no number of them holds, else nothing.
std::string fit_laws(const Acquisition& echo, const ImagePlan& image, FactorisationPlan& plan, int most_column_terms) {
    const BlockPassage passage(echo, image);
    const std::int64_t strip = std::min(plan.widest_strip, image.grid.columns);
    if (!passage.cells_follow(plan.factors)) return cells_do_not_follow;
    std::string why = fit_terms(plan.factors.law_terms, most_law_terms, plan, image.parameters.error_db,
                                "the track bends", [&] { return passage.row_law_error_cycles(plan.factors); });
    if (why.empty())
        why = fit_terms(plan.factors.column_terms, most_column_terms, plan, image.parameters.error_db,
                        "the look angle changes over the swath",
                        [&] { return passage.column_law_error_cycles(plan.factors, strip); });
    if (!why.empty()) return fmt::format("--algorithm ffbp: {}: use --algorithm backprojection", why);
    const auto corners = passage.corners(plan.factors, strip);
    return corners.slip < 1 && have_ground(image, plan.factors, corners) ? "" : cells_do_not_follow;
}

std::string levels_text(const Factorisation& f) {
    std::string text;
    for (int level = 0; level < f.levels; ++level)
        text += fmt::format("{}{} lines on every {}th row", level > 0 ? ", " : "", f.lines_of(level), f.step_of(level));
    return text;
}

}  // namespace

PowerOverFrequency range_power(const Acquisition& echo, const ImagePlan& image, double shift_cycles) {
    constexpr std::size_t steps = 64;
    const std::int64_t length = fast_length(image.least.range);
    const auto filter = matched_filter(echo, image, length, image.parameters.doppler_centroid_hz)();
    std::vector<double> power(steps, 0.0);
    for (std::int64_t bin = 0; bin < length; ++bin) {
        const double cycles = std::abs(range_frequency_hz(bin, length, echo.sample_rate_hz())) / echo.sample_rate_hz();
        power[std::min(static_cast<std::size_t>(2 * steps * cycles), steps - 1)] +=
            std::norm(filter[static_cast<std::size_t>(bin)]);
    }
    const auto reach = static_cast<std::size_t>(std::max(1.0, std::ceil(2 * steps * shift_cycles)));
    const std::size_t all = shift_cycles > 0 ? steps + reach : steps;
    PowerOverFrequency spread{.highest = 0.5 * static_cast<double>(all) / steps, .power = {}};
    for (std::size_t i = 0; i < all; ++i) {
        const auto first = std::min(i - std::min(i, reach), steps), last = std::min(i + reach + 1, steps);
        double most = 0;
        for (std::size_t at = first; at < last; ++at) most = std::max(most, power[at]);
        // What lies as far on the other side of 0.
        for (std::size_t at = 0; at + i < reach && at < steps; ++at) most = std::max(most, power[at]);
        spread.power.push_back(most);
    }
    return spread;
}

FactorisationNeeds with_needs_of_image(FactorisationNeeds of_blocks, const Acquisition& echo, const ImagePlan& image) {
    FactorisationNeeds needs = std::move(of_blocks);
    needs.error_db = image.parameters.error_db;
    needs.range_part = 0.5 * echo.chirp.bandwidth_hz() / echo.carrier_hz;
    needs.band_per_line = band_margin * (1 + needs.range_part) * needs.band_per_line;
    needs.rows = image.grid.rows;
    needs.columns = image.grid.columns;
    needs.lines = echo.lines;
    needs.pixel_pulses = pixel_pulses(echo, image);
    needs.straight_line_samples =
        static_cast<double>(cells_per_sample(echo, image.parameters.error_db) * image.least.range);
    return needs;
}

FactorisationNeeds factorisation_needs(const Acquisition& echo, const ImagePlan& image) {
    const BlockPassage passage(echo, image);
    const BlockPassage::Rates rates = passage.rates();
    const BlockPassage::AlongRow along = passage.along_row();
    return with_needs_of_image({.band_per_line = rates.band_per_line,
                                .line_rate_hz = rates.line_rate_hz,
                                .hz_per_column = along.hz_per_column,
                                .slide_per_column = along.slide_per_column,
                                .arch_cycles = along.arch_cycles,
                                .window = doppler_window(image),
                                .range_power = range_power(echo, image)},
                               echo, image);
}

FactorisationPlan with_laws_that_hold(const Acquisition& echo, const ImagePlan& image, FactorisationPlan plan) {
    std::string why;
    const auto held = for_widest_strips(plan, why, [&](FactorisationPlan& tried, int most_column_terms) {
        return fit_laws(echo, image, tried, most_column_terms);
    });
    if (held) return *held;
    throw InputError(why);
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
    constexpr double over_hills = 2.1;  // times as long, to read each pixel at a height of its own (docs/limits.md)
    FactorisedAccumulation pass{
        .sum = accumulation(echo, image, lines),
        .factors = plan.factors,
        .range_power = range_power(echo, image),
        .cells_per_column = plan.cells_per_column,
        .node_bytes_of_column = plan.node_bytes_per_column,
        .widest_strip = plan.widest_strip,
        .relative_cost = (image.map && image.map->ground->has_relief() ? over_hills : 1) * plan.cost};
    pass.sum.geometry = [=, of_pixels = pass.sum.geometry, factors = plan.factors,
                         strip = std::min(plan.widest_strip, image.grid.columns)] {
        AccumulationGeometry geometry = of_pixels();
        const BlockPassage::Corners corners = BlockPassage(echo, image).corners(factors, strip);
        geometry.around = places_around_pixels(echo, image, margin_of_nodes(image.aperture, factors, corners));
        return geometry;
    };
    return pass;
}

FormerNote note_of_factors(const FormerParameters& parameters, const FactorisationPlan& plan) {
    const Factorisation& f = plan.factors;
    return {.name = "factors",
            .text = fmt::format(
                "blocks of {}; {} taps between lines' cells, {} between nodes, {} between rows; laws of {} x {} terms; "
                "error {:.1f} dB predicted, {:.0f} allowed; {:.2g} of the cost of the exact sum",
                levels_text(f), f.line_taps, f.cell_taps, f.row_taps, f.law_terms, f.column_terms, plan.error_db,
                parameters.error_db, plan.cost),
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
                       {"allowed_error_db", parameters.error_db},
                       {"cost", plan.cost}}};
}

FormerNote note_of_exact_sum(const FormerParameters& parameters, const std::string& why) {
    return {.name = "factors",
            .text = fmt::format("none, the sum is exact: {}", why),
            .key = "factorisation",
            .values = {{"allowed_error_db", parameters.error_db}, {"why_not", why}}};
}

}  // namespace cornerturn

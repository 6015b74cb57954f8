// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/spotlight_factors.h"
#include "pipeline/formers/factor_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/back_projection/factor_tree.h"
#include "kernels/errors.h"
#include "pipeline/formers/block_passage.h"
#include "pipeline/formers/map_mesh.h"
#include "pipeline/formers/pulse_weights.h"
#include "pipeline/formers/spotlight_passage.h"

namespace cornerturn {
namespace {

[[noreturn]] void refuse_map(const std::string& why) {
    throw InputError(fmt::format("--algorithm ffbp: {}; use --algorithm backprojection", why));
}

/// What blocks of lines can be at all on this map.
void check_rows(const SpotlightPassage& passage) {
    constexpr double least = 0.1, most = 1.9;  // samples: nodes of a row are taken for up to twice as far
    const SpotlightPassage::Pace pace = passage.pace();
    if (!(pace.least > least && pace.most < most))
        refuse_map(fmt::format(
            "along the rows of the map echoes come {:.2g} to {:.2g} samples later from pixel to pixel, and nodes of "
            "blocks of lines follow {} to {}: x would have to run away from the antenna or towards it (--grid plane "
            "of most files, or a --grid FILE), in steps of less than two samples",
            pace.least, pace.most, least, most));
}

/// Of no pulse; but blocks are polynomials of the window, which a sudden end is none of.
DopplerWindow with_soft_ends(DopplerWindow window) {
    if (window.weight.empty()) return window;
    const std::size_t inside = window.weight.size(), more = inside / 4;
    std::vector<float> weight;
    const auto fading = [&](std::size_t i, float from) {
        return static_cast<float>(from * (0.5 + 0.5 * std::cos(std::numbers::pi * static_cast<double>(i + 1) /
                                                               static_cast<double>(more + 1))));
    };
    for (std::size_t i = more; i-- > 0;) weight.push_back(fading(i, window.weight.front()));
    weight.insert(weight.end(), window.weight.begin(), window.weight.end());
    for (std::size_t i = 0; i < more; ++i) weight.push_back(fading(i, window.weight.back()));
    window.reach *= static_cast<double>(weight.size() - 1) / static_cast<double>(inside - 1);
    window.weight = std::move(weight);
    return window;
}

FactorisationNeeds needs_of(const Acquisition& echo, const ImagePlan& image, const SpotlightPassage& passage,
                            const HeightNeeds& heights, std::int64_t block_lines, double range_shift) {
    const SpotlightPassage::Rates rates = passage.rates(block_lines);
    const SpotlightPassage::AlongRow along = passage.along_row();
    FactorisationNeeds needs = with_needs_of_image(
        {.band_per_line = rates.band_per_line,
         .line_rate_hz = rates.line_rate_hz,
         .hz_per_column = along.hz_per_column,
         .slide_per_column = std::max(std::abs(passage.pace().least - 1), std::abs(passage.pace().most - 1)),
         .arch_cycles = along.arch_cycles,
         .window = with_soft_ends(pulse_weights(echo, image).window),
         .range_power = range_power(echo, image, range_shift)},
        echo, image);
    needs.heights = heights;
    return needs;
}

/// As many terms as laws need over strips of so many columns; why no number of them holds, else nothing.
std::string fit_laws_of_map(const ImagePlan& image, const SpotlightPassage& passage, FactorisationPlan& plan,
                            int most_column_terms) {
    const std::int64_t strip = std::min(plan.widest_strip, image.grid.columns);
    const double most_cycles = plan.factors.tolerance / std::numbers::pi;
    if (const double error = passage.height_law_error_cycles(); !(error <= most_cycles))
        return fmt::format(
            "heights of --dem change phases so much that their laws would be off by {:.2g} cycles, at "
            "most {:.2g} hold --error-db {}",
            error, most_cycles, image.parameters.error_db);
    const std::string why =
        fit_terms(plan.factors.law_terms, most_law_terms, plan, image.parameters.error_db,
                  "look angles change over the map", [&] { return passage.row_law_error_cycles(plan.factors); });
    return !why.empty() ? why
                        : fit_terms(plan.factors.column_terms, most_column_terms, plan, image.parameters.error_db,
                                    "the look angle changes along rows",
                                    [&] { return passage.column_law_error_cycles(plan.factors, strip); });
}

/// As with_laws_that_hold of strips.
FactorisationPlan with_laws(const ImagePlan& image, const SpotlightPassage& passage, const FactorisationPlan& plan) {
    if (!(passage.slip(plan.factors) < 1)) throw InputError(cells_do_not_follow);
    std::string why;
    const auto held = for_widest_strips(plan, why, [&](FactorisationPlan& tried, int most_column_terms) {
        return fit_laws_of_map(image, passage, tried, most_column_terms);
    });
    if (held) return *held;
    refuse_map(why);
}

MeshMargin margin_of(const SpotlightPassage& passage, const Factorisation& f) {
    const SpotlightPassage::Beside reach = passage.reach(f);
    return {static_cast<std::int64_t>(reach.rows) + 1, static_cast<std::int64_t>(std::ceil(reach.columns)) + 1};
}

/// Doppler windows lie about the centroid of the map's own smooth surface.
void centre_as_exact_sums(const Acquisition& echo, const MapView& map, PixelMesh& mesh) {
    for (std::int64_t i = 0; i < mesh.rows; ++i)
        for (std::int64_t k = 0; k < mesh.columns; ++k) {
            const double y = map.grid.y(mesh.row_step * static_cast<double>(i - 1)),
                         x = map.grid.x(mesh.column_step * static_cast<double>(k - 1));
            mesh.nodes[static_cast<std::size_t>(i * mesh.columns + k)].centroid_hz =
                middle_doppler_hz(echo, map, map.ground->at({x, y}).place);
        }
}

HeightNeeds heights_of(const SpotlightPassage& passage, const ImagePlan& image) {
    if (!image.map->ground->has_relief()) return {};
    return {.some = true,
            .rows = passage.beside().rows,
            .columns = passage.beside().columns,
            .most_lines = passage.longest_of_heights(tolerance_of(image.parameters.error_db))};
}

}  // namespace

std::optional<FactorisationPlan> spotlight_factorisation(const Acquisition& echo, const ImagePlan& image,
                                                         std::string& why) {
    constexpr int rounds = 8;
    const SpotlightPassage passage(echo, image, node_ground(*image.map));
    check_rows(passage);
    const HeightNeeds heights = heights_of(passage, image);
    // How long blocks are, and how far spectra shift in them, is known of a plan only; it holds where it was made for
    // no longer ones and no smaller shift.
    std::int64_t block_lines = 64;
    double shift = 0;
    for (int round = 0; round < rounds; ++round) {
        auto plan = cheapest_factorisation(needs_of(echo, image, passage, heights, block_lines, shift), why);
        if (!plan) return std::nullopt;
        const double shifted = passage.range_shift(plan->factors);
        if (plan->factors.block_lines >= block_lines && shifted <= shift) return with_laws(image, passage, *plan);
        block_lines = std::min(block_lines, plan->factors.block_lines);
        shift = std::max(shift, 1.1 * shifted);
    }
    why = "no length of blocks of lines was found whose rates it holds";
    return std::nullopt;
}

FineLines spotlight_lines(const Acquisition& echo, const ImagePlan& image, const FactorisationPlan& plan) {
    FineLines lines = factorised_lines(echo, image, plan);
    lines.before = lines.behind = static_cast<std::int64_t>(std::ceil(columns_beside(plan.factors))) + 4;
    return lines;
}

FactorisedAccumulation spotlight_accumulation(const Acquisition& echo, const ImagePlan& image,
                                              const FactorisationPlan& plan, FineLines lines) {
    FactorisedAccumulation pass = factorised_accumulation(echo, image, plan, lines);
    pass.raised = image.map->ground->has_relief();
    pass.nearer = SpotlightPassage(echo, image, {image.map->ground, 0}).nearer();
    pass.range_power = plan.range_power;
    pass.sum.window = with_soft_ends(pass.sum.window);
    pass.sum.geometry = [=] {
        NodeGround nodes = node_ground(*image.map);
        ImagePlan on_nodes = image;
        on_nodes.map->ground = nodes.ground;
        AccumulationGeometry geometry = accumulation(echo, on_nodes, lines).geometry();
        if (image.map->ground->has_relief()) centre_as_exact_sums(echo, *image.map, geometry.pixels);
        nodes.highest_m = geometry.largest_relief_m();
        const SpotlightPassage passage(echo, image, nodes);
        geometry.around = places_around_map(echo, on_nodes, margin_of(passage, plan.factors));
        return geometry;
    };
    return pass;
}

}  // namespace cornerturn

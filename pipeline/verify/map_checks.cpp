// SPDX-License-Identifier: Apache-2.0
#include "pipeline/verify/map_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "kernels/interrupt.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/measure/map_targets.h"
#include "pipeline/verify/allowance.h"

namespace cornerturn {

void check_map(const ImageExcerpt& image, const SeenTargets& seen, double noise, TerrainSource* terrain,
               ReferenceOutcome& outcome) {
    constexpr double band = 0.8;  // of the sampling rate: what a grid by resolution leaves (scene_grid)
    const MapGrid& grid = *image.header().map;
    const ImageView view = image.view();
    std::optional<MapTerrain> ground;
    if (terrain != nullptr) ground.emplace(grid, *terrain);
    const std::vector<MapTarget> targets = known_map_targets(image.header(), ground ? &*ground : nullptr);
    Worst across, down, phase, amplitude;
    std::size_t measured = 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        throw_if_interrupted();
        if (!seen.whole[i]) continue;
        if (!targets[i].truth) {
            outcome.remarks.push_back(fmt::format(
                "target {} is not judged: it {}", i + 1,
                targets[i].above_m
                    ? fmt::format("lies {:.4g} m {} the ground that the map shows", std::abs(*targets[i].above_m),
                                  *targets[i].above_m < 0 ? "below" : "above")
                    : "may not lie on the ground that the map shows"));
            continue;
        }
        const MapPointAnalysis point =
            analyze_map_point(ground ? flattened(view, *ground, targets[i]) : view, targets[i]);
        if (!point.refused.empty()) {
            outcome.remarks.push_back(fmt::format("target {} is not measured: {}", i + 1, point.refused));
            continue;
        }
        ++measured;
        const NoiseAllowance allowed = noise_allowance(point.magnitude * point.magnitude / noise, band);
        across.add(point.column - grid.column_at(targets[i].place.x), allowed.position_px, i);
        down.add(point.row - grid.row_at(targets[i].place.y), allowed.position_px, i);
        phase.add(degrees(std::arg(*point.over_truth)), allowed.phase_deg, i);
        if (targets[i].truth->whole)
            amplitude.add(20 * std::log10(std::abs(*point.over_truth)), allowed.amplitude_db, i);
    }
    outcome.checks.push_back(check_of_measured(measured, targets.size()));
    across.check("position error along x", largest_position_error_px, "px", outcome.checks);
    down.check("position error along y", largest_position_error_px, "px", outcome.checks);
    phase.check("phase error at the true places", largest_phase_error_deg, "deg", outcome.checks);
    amplitude.check("amplitude error at the true places", largest_amplitude_error_db, "dB", outcome.checks);
}

}  // namespace cornerturn

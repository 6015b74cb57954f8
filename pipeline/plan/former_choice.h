// SPDX-License-Identifier: Apache-2.0
// Choice of the algorithm where none is named: the cheapest of those that hold for the scene, on the given device,
// with the blocks that it takes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/steps/work_cost.h"
#include "pipeline/formers/former.h"
#include "pipeline/formers/prediction.h"
#include "pipeline/plan/focus_options.h"
#include "pipeline/plan/memory_plan.h"

namespace cornerturn {

/// The algorithm that makes images on maps.
inline constexpr const char* map_algorithm = "backprojection";

/// The cost of an algorithm, or why it does not hold.
struct FormerOffer {
    std::string_view algorithm = {};
    std::string refusal = {};  ///< "": it holds
    WorkCost cost = {};        ///< of all blocks, with what those compute several times where they overlap
    double seconds = 0;        ///< about, on the device at hand: without reading, planning and writing
    std::size_t blocks = 0;
    std::int64_t lines = 0;  ///< of all blocks
    /// Predicted error of an algorithm that holds: by blocks that share range histories, and by the ends of the beam's
    /// spectrum.
    std::optional<Prediction> predicted = {};
    std::optional<double> sums_error_db = {};  ///< beside that, of factorised sums

    bool holds() const { return refusal.empty(); }
};

/// The plan of an algorithm for a scene; only the offer, if it does not hold.
struct PlannedFormer {
    FormerOffer offer;
    ImagePlan image;  ///< with the lines that its blocks need
    std::vector<FormerNote> notes;
    MemoryPlan memory;
};

struct FormerChoice {
    PlannedFormer taken;
    std::vector<FormerOffer> offers;  ///< of all that were asked, in the order of all_formers()
};

/// Callbacks that answer questions about algorithms.
struct FormerQuestions {
    std::function<PlannedFormer(const Former&)> plan;
    /// Seconds once the scene's pixels are looked at, of exact sums: what they take hangs on how well these go
    /// together, and to see that takes a moment.
    std::function<double(const PlannedFormer&)> seconds_looked_at;
};

/// The cheapest that holds. Range-Doppler is asked first: where it holds and its blocks overlap little, others can
/// hardly be twice as fast, and are asked only if `all` are to be told. Exact sums are looked at where others would be
/// the next. Throws InputError where none holds.
FormerChoice cheapest_that_holds(const FormerQuestions& ask, bool all);

/// Its cost and predicted error, or why it does not hold, in one line.
std::string text_of(const FormerOffer& offer);

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// An algorithm of image formation: from an acquisition to a list of steps. Each is a page in this folder and a line in
// former.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/steps/algorithm.h"
#include "pipeline/formers/image_plan.h"

namespace cornerturn {

/// What an algorithm decided, for people and for reports.
struct FormerNote {
    std::string name;  ///< "range coupling"
    std::string text;  ///< for people
    std::string key;   ///< for reports: an object of this name with these members
    std::vector<std::pair<std::string, std::variant<double, std::string>>> values;
};

/// An image that an algorithm knows how to make.
struct Formation {
    ImagePlan image;
    Algorithm algorithm;
    std::vector<FormerNote> notes;
};

struct Former {
    std::string_view name;   ///< "rda"
    std::string_view title;  ///< "range-Doppler"
    /// What it holds for, with the name before it: "follows any track and squint". For the help of --algorithm.
    std::string_view holds_for;
    /// For an image that was planned (plan_image). Throws InputError where the algorithm does not hold for it.
    Formation (*form)(const Acquisition& acquisition, const ImagePlan& image);
    /// Whether every row has a range history of its own, so that a block may be as long as memory allows.
    bool follows_rows = false;
    /// Whether echoes may come later than geometry says (DelayedTrack).
    bool takes_delays = false;
    /// Whether each pixel is a sum by itself, so that a few of an image cost little (ImagePlan::asked_pixels).
    bool sums_pixels = false;
    /// Whether the azimuth window weighs pulses, not Doppler frequencies; the theory of point responses asks for it.
    bool weighs_pulses = false;
    /// Whether all ranges have the band about the centroid of mid swath, not each, or a few together, their own.
    bool one_band = false;
};

/// Throws InputError listing the names.
const Former& former_named(std::string_view name);
/// For names out of files, which may be those of other programs: nullptr where there is none.
const Former* find_former(std::string_view name);
/// "rda (range-Doppler), csa (chirp scaling)"
std::string former_names();
/// One more, of the host program's own: taken by its name from then on, but not by `auto`. Before the first job that
/// names it; throws std::logic_error where there is one of that name.
void add_former(const Former& former);
/// Those of the library, in the order of that text.
std::span<const Former> all_formers();

}  // namespace cornerturn

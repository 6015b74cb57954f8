// SPDX-License-Identifier: Apache-2.0
// All decisions before the first sample of a job is processed, in this order: Doppler, velocity and band
// (view_choice.h), the grid of the image, the algorithm with its blocks and memory. Later stages only read them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/acquisition/doppler_surface.h"
#include "pipeline/plan/focus_options.h"
#include "pipeline/plan/former_choice.h"

namespace cornerturn {

/// All decisions for one frame.
struct FocusSetup {
    DopplerChoice doppler;
    std::string velocity_source;
    SceneHeight height_m;             ///< of the ground, where an orbit tells the geometry
    std::string algorithm;            ///< that forms the image
    std::vector<FormerOffer> offers;  ///< of all algorithms that were asked, or of the named one
    std::string forced_over;          ///< why the algorithm does not hold, where it was forced; "" where it does
    ImagePlan image;
    std::vector<FormerNote> notes;        ///< of the algorithm
    Prediction relief;                    ///< by terrain that no smooth surface follows
    std::optional<Prediction> predicted;  ///< FormerOffer::predicted, and what relief adds
    MemoryPlan memory;
    /// Where the beam's centre lies on the pixels of the image, as frequencies along its rows; none where these are not
    /// those of zero Doppler.
    std::optional<DopplerSurface> image_doppler_hz;
    std::vector<std::string> warnings;
    std::vector<std::string> warnings_of_steps;  ///< which of these plan_steps told, and tells anew

    /// The image as one block sees it: its range histories are those of its own middle.
    ImagePlan image_of(const Acquisition& acquisition, std::size_t block) const;
};

/// Decides and plans. Throws InputError where options and acquisition do not go together, velocity or Doppler cannot be
/// known, or the memory does not suffice, and std::logic_error where the data have to tell and options.estimates does
/// not hold what they say (with_estimates).
FocusSetup set_up_focus(Device& device, const Acquisition& acquisition, const FocusOptions& options);

/// Completes what follows from setup.image: the algorithm's notes, blocks, memory.
void plan_steps(Device& device, const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup);

/// "frequency A HH"
std::string frame_name(const Acquisition& frame);

/// set_up_focus for frames whose images go into one file, the others as options_beside has it. All images get the rows
/// of one zero-Doppler axis and, within a frequency, the same columns; throws InputError where that cannot be.
std::vector<FocusSetup> set_up_frames(Device& device, std::span<const Acquisition* const> frames,
                                      const FocusOptions& options);

}  // namespace cornerturn

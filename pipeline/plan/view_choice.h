// SPDX-License-Identifier: Apache-2.0
// Decisions before an image is planned: Doppler centroid, velocity, track and processed band.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/acquisition/track/viewing_geometry.h"
#include "pipeline/formers/parameters.h"
#include "pipeline/plan/focus_options.h"

namespace cornerturn {

/// What the centroid of data is likely off by: deviations that are stated are three to six times what errors are. 0
/// where it is not from the data.
inline double likely_error_hz(const DopplerChoice& doppler) { return 0.25 * doppler.error_hz.value_or(0); }

struct ViewChoice {
    SceneHeight height_m;  ///< of the ground, where an orbit tells the geometry
    DopplerChoice doppler;
    std::string velocity_source;
    std::shared_ptr<const ViewingGeometry> geometry;
    FormerParameters parameters;
    std::vector<std::string> warnings;
};

/// Of what a former is asked for the part that options alone tell; Doppler, velocity and band are the view's.
FormerParameters parameters_by(const FocusOptions& options);

/// Throws what set_up_focus throws.
ViewChoice choose_view(const Acquisition& acquisition, const FocusOptions& options);

/// The Doppler centroid by options, file, attitude and data. Throws what choose_doppler throws, and std::logic_error
/// where the data have to tell and were not asked.
DopplerChoice doppler_by(const Acquisition& acquisition, const FocusOptions& options, const SceneHeight& height_m);
/// The same with `estimate` where the data have to tell.
DopplerChoice doppler_by(const Acquisition& acquisition, const FocusOptions& options, const SceneHeight& height_m,
                         const DopplerEstimator& estimate);

/// The Doppler centroid that set_up_focus would choose if the data told none: by options and file, else by orbit and
/// attitude; nothing where these do not tell it, or the options are refused.
std::optional<DopplerSurface> doppler_before_data(const Acquisition& acquisition, const FocusOptions& options);
/// The track of the rows of an image, where that is another one than the acquisition's: given, or for one that sways.
std::optional<Orbit> reference_of(const Acquisition& acquisition, const FocusOptions& options);
/// Heights that go with such options, which tell the centroid. Throws what set_up_focus throws.
SceneHeight height_of(const Acquisition& acquisition, const FocusOptions& options);

/// Whether the algorithm takes delays beside those of straight flight, where options have any: throws InputError.
void check_delays(const FocusOptions& options, const Former& former);

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// The Doppler centroid: given by the user or the file, or composed of baseband part and ambiguity.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/doppler/doppler_estimate.h"
#include "pipeline/acquisition/doppler_surface.h"
#include "pipeline/acquisition/ground/scene_height.h"
#include "pipeline/acquisition/parameter_source.h"
#include "pipeline/acquisition/track/track.h"

namespace cornerturn {

/// Who says what the Doppler centroid is.
enum class DopplerOrigin { option, file, orbit, estimate };

/// The same everywhere, over time of emission (since the epoch) and slant range.
DopplerSurface constant_doppler(const Acquisition& acquisition, double centroid_hz);
/// In the middle of the scene.
double in_the_middle_hz(const Acquisition& acquisition, const DopplerSurface& surface);
/// How a centroid varies over slant range, beyond its value at one: Hz/km, Hz/km^2 and Hz/km^3.
struct DopplerSlopes {
    std::vector<double> hz_per_km = {};
    std::optional<double> about_range_m = {};  ///< unset: the middle of the recorded swath
    friend bool operator==(const DopplerSlopes&, const DopplerSlopes&) = default;
};
DopplerSurface range_polynomial(const Acquisition& acquisition, double centroid_hz, const DopplerSlopes& slopes);

/// From centroids over zero-Doppler time and closest range, held beyond their scale, to those over time of emission and
/// slant range.
DopplerSurface doppler_of_echo(const Acquisition& acquisition, const Track& track, const DopplerSurface& of_pixels_hz);

struct DopplerChoice {
    double centroid_hz = 0;  ///< absolute, at the carrier of the acquisition, in the middle of the scene
    DopplerSurface surface_hz;
    DopplerOrigin origin = DopplerOrigin::estimate;
    std::string
        source;  ///< in words: "option", "file", or "estimated: ..." with what gave baseband and what the ambiguity
    bool ambiguity_certain = true;           ///< false: the multiple of the PRF is a guess, and `source` says so
    std::optional<double> error_hz = {};     ///< standard deviation of an estimate's baseband part in the middle
    std::vector<std::string> warnings = {};  ///< where attitude and file contradict each other
};
/// At another carrier (doppler_at_carrier_hz).
DopplerChoice at_carrier(DopplerChoice choice, double from_carrier_hz, double to_carrier_hz);

/// Which multiple of the PRF the data mean by all that they tell.
struct AmbiguityFromData {
    double near_hz = 0;     ///< the baseband centroid at that multiple
    double error_hz = 0;    ///< of the best method
    double confidence = 0;  ///< see ambiguity.h
    std::string how = {};   ///< in words
};
/// Nothing where no method applies.
std::optional<AmbiguityFromData> told_by_data(const Acquisition& acquisition, const DopplerEstimate& found);

/// Called only where the data have to be looked at.
using DopplerEstimator = std::function<DopplerEstimate()>;

/// Of an option that is `middle_hz` in the middle of the scene: "", or that the file's centroid, else attitude, lies a
/// tenth of the PRF or more beside it.
std::string contradicted_option(const Acquisition& acquisition, double middle_hz, const SceneHeight& height_m);

/// `option` goes before `from`. Automatic: the file's dopplerCentroid (of a table the middle: doppler_of_echo tells the
/// rest; a single number is the level of the shape that attitude has over the scene, or where the file has an effective
/// velocity, and with that straight flight, holds everywhere), else an estimate. An estimate has
/// its ambiguity and shape from orbit and attitude, else its ambiguity from the file's dopplerCentroid, else from the
/// data; over the scene it is the surface that its cells support (doppler_fit.h). Where the echo tells nothing,
/// attitude stands alone, and without that 0 is assumed; `data` is refused then, as `orbit` is without attitude
/// (InputError).
DopplerChoice choose_doppler(const Acquisition& acquisition, std::optional<double> option, ParameterSource from,
                             const DopplerEstimator& estimate, const SceneHeight& height_m = {});

/// Doppler frequency of ground points in the middle of the antenna beam: the plane across the antenna's long axis,
/// which is whichever of the frame's x and y lies along the flight; of a burst the cone about it, to which the beam is
/// steered. Nothing where orbit or attitude are missing or the
/// attitude is a placeholder: identity, not sideways to the flight, or a boresight that misses the ground or the
/// recorded swath.
std::optional<DopplerSurface> predicted_doppler(const Acquisition& acquisition, const SceneHeight& height_m = {});
/// The same at one time of emission and slant range.
std::optional<double> predicted_doppler_at_hz(const Acquisition& acquisition, double time_s, double range_m,
                                              const SceneHeight& height_m = {});
/// In the middle of the scene.
std::optional<double> predicted_doppler_centroid_hz(const Acquisition& acquisition, const SceneHeight& height_m = {});

}  // namespace cornerturn

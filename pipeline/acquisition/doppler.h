// SPDX-License-Identifier: Apache-2.0
// The Doppler centroid: what the user or the file says, or baseband part and ambiguity found separately.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/doppler_estimate.h"

namespace cornerturn {

/// Who says what the Doppler centroid is.
enum class DopplerOrigin { option, file, estimate };

struct DopplerChoice {
    double centroid_hz = 0;  ///< absolute, at the carrier of the acquisition
    DopplerOrigin origin = DopplerOrigin::estimate;
    std::string source;             ///< in words: "option", "file", or "estimated: ..." with what gave baseband and what the ambiguity
    bool ambiguity_certain = true;  ///< false: the multiple of the PRF is a guess, and `source` says so
};

/// Called only where the data have to be looked at.
using DopplerEstimator = std::function<DopplerEstimate()>;

/// `option` goes before the file's dopplerCentroid, that before an estimate; `force_auto` (the user wrote `auto`) goes straight to the
/// estimate. Its ambiguity comes from orbit and attitude, else from the file's dopplerCentroid, else from the data.
DopplerChoice choose_doppler(const Acquisition& acquisition, std::optional<double> option, bool force_auto,
                             const DopplerEstimator& estimate);

/// Doppler frequency at mid-scene of a ground point in the middle of the antenna beam. Nothing where orbit or attitude are missing or the
/// attitude is a placeholder: identity, not sideways to the flight, or a boresight that misses the ground or the recorded swath.
std::optional<double> predicted_doppler_centroid_hz(const Acquisition& acquisition);

}  // namespace cornerturn

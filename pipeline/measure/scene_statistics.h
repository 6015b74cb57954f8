// SPDX-License-Identifier: Apache-2.0
// Quality measures of an extended scene that need no truth.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/measure/image_view.h"
#include "pipeline/measure/point_analysis.h"

namespace cornerturn {

struct SceneStatistics {
    std::int64_t samples = 0;
    double mean_power = 0;
    double sharpness = 0;  ///< mean(p^2) / mean(p)^2 of the power p: 2 for speckle, more for focused points
    double entropy = 0;    ///< -sum q ln q, q = p / sum p: smaller where energy is gathered in few samples
    /// Where local estimates mean(p)^2 / var(p) gather: what homogeneous windows of 16 x 16 samples show; none where
    /// there is no window.
    std::optional<double> equivalent_looks;
    /// Mean power of the darkest hundredth of these windows: noise, and what else lies everywhere.
    std::optional<double> floor_power;
};

/// Of the samples that the image declares fully compressed, or of all where these are too few for a window. Samples
/// that are not finite count as zero; windows that hold a zero are left out. Two passes over the image.
SceneStatistics scene_statistics(const ImageView& image);

/// Where a point shines a second time: echoes of Doppler frequencies that lie `order` PRFs from those that the image
/// was made for.
struct AmbiguityEcho {
    int order = 0;  ///< of the PRF: -1, 1
    double time_s = 0, range_m = 0;
    double ratio_db = 0;  ///< energy there, less the background's, over the point's
    bool above_background = false;
};

/// Of the azimuth ambiguities of a measured point those that lie in the image: PRF / Ka earlier and later, moved in
/// range by the migration that belongs to their frequency. Energy is that in 2 x 48 rows by 2 x 12 columns about them,
/// and 2 x 12 by 2 x 12 about the point; the background is the median power beside them.
std::vector<AmbiguityEcho> azimuth_ambiguities(const ImageView& image, const PointAnalysis& point);

/// Mean power spectrum of an image over both frequencies, of up to 64 blocks of `size` x `size` samples (Hann window)
/// evenly spread over what is fully compressed: [azimuth][range], zero frequency at (size / 2, size / 2), in dB of its
/// greatest value.
std::vector<float> mean_spectrum_db(const ImageView& image, std::int64_t size);

}  // namespace cornerturn

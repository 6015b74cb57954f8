// SPDX-License-Identifier: Apache-2.0
// What analyze measures of an image: points against theory, and the quality of scenes that have none.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/echo/progress.h"
#include "pipeline/measure/map_points.h"
#include "pipeline/measure/scene_statistics.h"

namespace cornerturn {

/// Of an image on the zero-Doppler grid.
struct PointWishes {
    std::vector<AnalysisTarget> targets = {};      ///< empty: the brightest `peaks`, else those whose truth is known
    std::optional<int> peaks = {};                 ///< none: nine, where no targets are known
    std::optional<double> beam_bandwidth_hz = {};  ///< that the beam lights; none: the image's, else as bright points
                                                   ///< show
    bool scene = false;                            ///< as a whole, too; so are those without known targets
};

struct PointMeasures {
    std::vector<PointAnalysis> points;
    std::vector<std::vector<AmbiguityEcho>> ambiguities;  ///< of each
    std::optional<SceneStatistics> scene;
};

/// `header` is that of the view, and learns the beam's bandwidth. What was assumed is added to `remarks`. Throws
/// InputError for what cannot be, and where peaks were asked for and there are none; Interrupted on request. `progress`
/// is told of the scene and of each point.
PointMeasures measure_points(Image& header, const ImageView& image, const PointWishes& wishes,
                             const TripleProduct& multiply, std::vector<std::string>& remarks,
                             const Progress& progress = {});
nlohmann::json to_json(const Image& header, const PointMeasures& measures);

/// Of an image on a map, likewise.
struct MapWishes {
    std::vector<MapTarget> targets = {};
    std::optional<int> peaks = {};
    bool scene = false;
};

struct MapMeasures {
    std::vector<MapPointAnalysis> points;
    std::optional<SceneStatistics> scene;
};

MapMeasures measure_map(const ImageView& image, const MapWishes& wishes, const TripleProduct& multiply,
                        const Progress& progress = {});
nlohmann::json to_json(const Image& header, const MapMeasures& measures);

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// The mesh of pixels against the places themselves, found by the proof's own geometry and the track as it was flown.
#include "pipeline/formers/pixel_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/scene_geometry.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/small_scene.h"
#include "tests/pipeline/terrain_by_formula.h"

namespace cornerturn {
namespace {

Scene wide_aperture() {
    Scene scene = preset_scene("nisar");
    scene.lines = 9000;
    scene.samples = 4000;
    return scene;
}
Scene fine() {
    Scene scene = preset_scene("xfine");
    scene.samples = 2000;
    return scene;
}

/// Hills of some hundred metres, some km wide.
std::shared_ptr<TerrainSource> hills() {
    return std::make_shared<TerrainByFormula>(
        GeographicBox{-90, 90, -180, 180}, [](double latitude_deg, double longitude_deg) {
            return 400 + 250 * std::sin(60 * latitude_deg) * std::cos(47 * longitude_deg);
        });
}

struct MeshCase {
    const char* name;
    Scene scene;
    bool over_hills;
};
void PrintTo(const MeshCase& c, std::ostream* out) { *out << c.name; }

class PixelMeshPlaces : public testing::TestWithParam<MeshCase> {};

TEST_P(PixelMeshPlaces, AreThoseThatTheTrackSees) {
    const Scene& scene = GetParam().scene;
    const Acquisition acquisition = describe(scene);
    FocusOptions options = by("backprojection");
    options.memory.most_bytes = std::size_t{64} << 30;
    if (GetParam().over_hills) options.terrain = hills();
    options.force = GetParam().over_hills;  // of which the smooth surface misses some
    const FocusSetup setup = set_up_focus(*open_device("cpu"), acquisition, options);
    const ImageGrid& grid = setup.image.grid;
    const PixelMesh mesh = pixel_mesh(acquisition, setup.image);
    EXPECT_LT(mesh.rows * mesh.columns, grid.rows * grid.columns / 20) << "or it is hardly one";
    const SceneGeometry flown(scene);
    std::mt19937 random(7);
    const auto any_of = [&](std::int64_t count) {
        return static_cast<double>(std::uniform_int_distribution<std::int64_t>(0, count - 1)(random));
    };
    for (int i = 0; i < 400; ++i) {
        const double row = any_of(grid.rows), column = any_of(grid.columns);
        const double time_s = grid.time_s(row), range_m = grid.range_m(column);
        const PixelNode found = view_of(mesh).at(row, column);
        const Vec3 place{found.place.x_m, found.place.y_m, found.place.z_m},
            rise{found.rise.x_m, found.rise.y_m, found.rise.z_m};
        const StateVector antenna = flown.radar().track()(time_s);
        const double height_m = to_geodetic(place).height_m;
        const auto exact = [&](double at_m) {
            return place_at(antenna.position_m, antenna.velocity_m_s, range_m, 0, at_m, scene.look_side);
        };
        // A raised ellipsoid leaves heights by 1e-5 of them; where the mesh lies between its nodes does not show in the
        // delay.
        EXPECT_NEAR(height_m, setup.height_m(time_s, range_m), 0.02) << row << ", " << column;
        EXPECT_LT(norm(place + 20.0 * rise - exact(height_m + 20)), 0.02) << row << ", " << column;
        const BeamCentre beam = setup.image.geometry->beam_centre(time_s, range_m);
        const double half_s = 0.5 * setup.image.parameters.azimuth_bandwidth_hz / beam.rate_hz_s;
        for (const double part : {-1.0, 0.0, 1.0}) {
            const Vec3 seen_from = flown.radar().track()(time_s + beam.time_s + part * half_s).position_m;
            const double off_m = norm(place - seen_from) - norm(exact(height_m) - seen_from);
            EXPECT_LT(2 * std::abs(off_m) / acquisition.wavelength_m(), 2 * largest_mesh_error_cycles)
                << row << ", " << column << ", " << part;
        }
        EXPECT_NEAR(found.centroid_hz, beam.centroid_hz, 0.05);
        EXPECT_NEAR(found.phase_cycles,
                    -2 * range_m / acquisition.wavelength_m() +
                        0.5 * setup.image.parameters.doppler_centroid_hz * acquisition.chirp.duration_s,
                    1e-6);
    }
}

INSTANTIATE_TEST_SUITE_P(Scenes, PixelMeshPlaces,
                         testing::Values(MeshCase{"L band over hills", wide_aperture(), true},
                                         MeshCase{"L band", wide_aperture(), false},
                                         MeshCase{"X band, fine, over hills", fine(), true},
                                         MeshCase{"squinted over hills", squinted_scene(0.6, 6000, 2000), true}),
                         [](const auto& scene) {
                             std::string name;
                             for (const char c : std::string(scene.param.name))
                                 name += std::isalnum(static_cast<unsigned char>(c)) ? std::string(1, c) : "";
                             return name;
                         });

}  // namespace
}  // namespace cornerturn

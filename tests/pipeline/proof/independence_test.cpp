// SPDX-License-Identifier: Apache-2.0
// What proves must not rest on what is proved: neither simulator nor back-projection includes the range histories of
// the chain.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace cornerturn {
namespace {

/// A file of the tree and all of the tree that it includes, and so on.
void add_includes(const std::string& file, std::set<std::string>& seen) {
    if (!seen.insert(file).second) return;
    std::ifstream stream(std::filesystem::path(CORNERTURN_SOURCE_DIR) / file);
    ASSERT_TRUE(stream) << file;
    const std::regex include("^\\s*#include \"([^\"]+)\"");
    std::smatch match;
    for (std::string line; std::getline(stream, line);)
        if (std::regex_search(line, match, include)) add_includes(match[1], seen);
}

TEST(Independence, SimulatorAndBackProjectionShareNoRangeHistoryWithTheChain) {
    std::set<std::string> used;
    for (const char* file :
         {"kernels/back_projection/chip.h", "kernels/math/two_way_delay.h", "kernels/cpu/back_projection/chip.cpp",
          "kernels/cuda/back_projection/chip.cu", "pipeline/proof/aircraft.cpp", "pipeline/proof/exact_pixels.cpp",
          "pipeline/proof/geodesy.cpp", "pipeline/proof/radar_geometry.cpp", "pipeline/proof/presets.cpp",
          "pipeline/proof/scene_limits.cpp", "pipeline/proof/scene_targets.cpp", "pipeline/proof/scene_geometry.cpp",
          "pipeline/proof/simulator.cpp", "pipeline/proof/spotlight_pulses.cpp", "pipeline/proof/spotlight_scene.cpp",
          "pipeline/proof/trajectory.cpp", "pipeline/proof/turbulence.cpp"})
        add_includes(file, used);
    EXPECT_TRUE(used.count("pipeline/acquisition/orbit.h"));
    // All of the chain's geometry: hyperbola, velocities fitted to it, laws, and the algorithms themselves. A surface
    // holds numbers, whoever found them.
    const std::regex chain(
        "hyperbola|velocity|law|range_history|migration|pipeline/formers/|kernels/steps/|"
        "pipeline/acquisition/doppler(?!_surface)");
    for (const std::string& file : used) EXPECT_FALSE(std::regex_search(file, chain)) << file;
}

}  // namespace
}  // namespace cornerturn

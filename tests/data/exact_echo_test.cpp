// SPDX-License-Identifier: Apache-2.0
// Our echoes against those of another simulator, sample by sample: the same state vectors, targets and pointing give
// the same integers.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "data/nisar/l0b_reader.h"
#include "pipeline/proof/simulator.h"
#include "tests/data/product_fixture.h"
#include "tests/support/whole_files.h"

namespace cornerturn {
namespace {

struct Foreign {
    const char* name;
    Beam beam;  ///< that gives the file's quaternions
};

Scene scene_of(const Acquisition& a, const nlohmann::json& truth, const Foreign& foreign) {
    const auto& radar = truth.at("params");
    Scene scene;
    scene.carrier_hz = a.carrier_hz;
    scene.prf_hz = radar.at("prf");
    scene.sample_rate_hz = radar.at("fs");
    scene.near_range_m = a.near_range_m;
    scene.lines = a.lines;
    scene.samples = a.samples;
    scene.chirp_slope_hz_s = a.chirp.slope_hz_s;
    scene.chirp_duration_s = a.chirp.duration_s;
    scene.azimuth_bandwidth_hz = radar.at("ba");
    scene.look_side = a.identification.look_side;
    scene.first_pulse_time_s = a.first_pulse_time_s;
    if (radar.contains("steer")) {
        scene.orbit = *a.orbit;
        scene.beam = foreign.beam;
    } else {
        scene.velocity_m_s = radar.at("V");
        scene.doppler_centroid_hz = radar.at("fdc");
    }
    scene.targets.emplace();
    for (const auto& target : truth.at("targets"))
        scene.targets->push_back(
            {ZeroDopplerPosition{target.at("R0"), target.at("eta0").get<double>() - a.first_pulse_time_s},
             target.at("amp"), target.at("phase").get<double>() * 180 / std::numbers::pi});
    return scene;
}

template <class Integer>
std::vector<std::complex<double>> numbers(const Echo& echo) {
    std::vector<std::complex<double>> values(echo.samples.size() / (2 * sizeof(Integer)));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Integer pair[2];
        std::memcpy(pair, echo.samples.data() + i * sizeof pair, sizeof pair);
        values[i] = {static_cast<double>(pair[0]), static_cast<double>(pair[1])};
    }
    return values;
}

class ExactEcho : public testing::TestWithParam<Foreign> {};

TEST_P(ExactEcho, IsTheOneOfAnotherSimulator) {
    const std::string name = GetParam().name;
    const auto file = shared_file(name + ".h5"), truth = shared_file(name + "_truth.json");
    if (!file || !truth) GTEST_SKIP() << "shared data are not here";
    std::vector<std::string> warnings;
    const Echo foreign = read_l0b(*file, {}, warnings);
    const Echo ours = simulate(scene_of(foreign.acquisition, nlohmann::json::parse(std::ifstream(*truth)), GetParam()));
    const auto theirs = foreign.acquisition.format == SampleFormat::int8 ? numbers<std::int8_t>(foreign)
                                                                         : numbers<std::int16_t>(foreign);
    const auto model = numbers<float>(ours);
    ASSERT_EQ(model.size(), theirs.size());
    std::complex<double> inner = 0;
    double energy = 0;
    for (std::size_t i = 0; i < model.size(); ++i)
        inner += std::conj(model[i]) * theirs[i], energy += std::norm(model[i]);
    EXPECT_LT(std::abs(std::arg(inner)) * 180 / std::numbers::pi, 1e-3) << "phase of the whole echo, deg";
    std::size_t illuminated = 0, equal = 0;
    for (std::size_t i = 0; i < model.size(); ++i) {
        if (model[i] == 0.0) continue;
        const std::complex<double> scaled = inner.real() / energy * model[i];
        ++illuminated;
        equal += std::nearbyint(scaled.real()) == theirs[i].real() && std::nearbyint(scaled.imag()) == theirs[i].imag();
    }
    // The scale is not known to the last digit, and a line at the edge of a beam is a matter of 0.02 Hz.
    EXPECT_GT(static_cast<double>(equal) / static_cast<double>(illuminated), 0.99);
}

INSTANTIATE_TEST_SUITE_P(Files, ExactEcho,
                         testing::Values(Foreign{"orbit/steered", {Steering::zero_doppler, 0.020412984113467, 0}},
                                         Foreign{"orbit/squint", {Steering::fixed, -0.5, 0}},
                                         Foreign{"orbit/long", {Steering::fixed, 0.6, 0}},
                                         Foreign{"orbit/lband", {Steering::zero_doppler, -0.06913936009793768, 0}},
                                         Foreign{"points/xband", {}}, Foreign{"points/xband_squint", {}}),
                         [](const auto& one) {
                             const std::string name = one.param.name;
                             return name.substr(name.find('/') + 1);
                         });

}  // namespace
}  // namespace cornerturn

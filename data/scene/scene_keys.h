// SPDX-License-Identifier: Apache-2.0
// The keys of scene files, and the members that they stand for: where scenes are read and where they are written.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/host/names.h"
#include "pipeline/proof/scene.h"

namespace cornerturn {

inline constexpr Named<SampleFormat> sample_types[] = {
    {SampleFormat::complex64, "f32"}, {SampleFormat::int16, "int16"}, {SampleFormat::int8, "int8"}};

/// The numbers that a scene without preset must give.
inline const std::vector<std::pair<std::string, double Scene::*>> radar_numbers = {
    {"carrier_hz", &Scene::carrier_hz},
    {"prf_hz", &Scene::prf_hz},
    {"sample_rate_hz", &Scene::sample_rate_hz},
    {"near_range_m", &Scene::near_range_m},
    {"chirp_slope_hz_s", &Scene::chirp_slope_hz_s},
    {"chirp_duration_s", &Scene::chirp_duration_s},
    {"azimuth_bandwidth_hz", &Scene::azimuth_bandwidth_hz},
};

/// Those of a straight flight, and of it alone.
inline const std::vector<std::pair<std::string, double Scene::*>> flight_numbers = {
    {"velocity_m_s", &Scene::velocity_m_s},
    {"doppler_centroid_hz", &Scene::doppler_centroid_hz},
};

inline const std::vector<std::pair<std::string, double KeplerOrbit::*>> kepler_numbers = {
    {"altitude_m", &KeplerOrbit::altitude_m},           {"eccentricity", &KeplerOrbit::eccentricity},
    {"inclination_deg", &KeplerOrbit::inclination_deg}, {"node_deg", &KeplerOrbit::node_deg},
    {"perigee_deg", &KeplerOrbit::perigee_deg},         {"latitude_argument_deg", &KeplerOrbit::latitude_argument_deg},
};

inline const std::vector<std::pair<std::string, double PhaseError::*>> phase_error_numbers = {
    {"quadratic_rad", &PhaseError::quadratic_rad},
    {"sine_rad", &PhaseError::sine_rad},
    {"sine_cycles", &PhaseError::sine_cycles},
    {"walk_rad", &PhaseError::walk_rad},
};

inline const std::vector<std::pair<std::string, double Flight::*>> aircraft_numbers = {
    {"latitude_deg", &Flight::latitude_deg},
    {"longitude_deg", &Flight::longitude_deg},
    {"altitude_m", &Flight::altitude_m},
    {"heading_deg", &Flight::heading_deg},
    {"speed_m_s", &Flight::speed_m_s},
    {"acceleration_m_s2", &Flight::acceleration_m_s2},
    {"side_acceleration_m_s2", &Flight::side_acceleration_m_s2},
    {"turn_radius_m", &Flight::turn_radius_m},
};

}  // namespace cornerturn

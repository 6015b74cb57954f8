// SPDX-License-Identifier: Apache-2.0
// Description of a simulated echo: radar, geometry, noise and point targets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/proof/aircraft.h"
#include "pipeline/proof/phase_error.h"
#include "pipeline/proof/trajectory.h"

namespace cornerturn {

/// The target's echo at the moment when the beam centre sees it: line number and sample of the leading edge; both may
/// be fractions.
struct BeamCentrePosition {
    double line = 0;
    double sample = 0;
};

/// Closest approach: slant range R0 and zero-Doppler time in seconds after the first pulse.
struct ZeroDopplerPosition {
    double range_m = 0;
    double time_s = 0;
};

struct GroundPosition {
    double latitude_deg = 0;
    double longitude_deg = 0;
    friend bool operator==(const GroundPosition&, const GroundPosition&) = default;
};

struct SceneTarget {
    std::variant<BeamCentrePosition, ZeroDopplerPosition, GroundPosition> position;
    double amplitude = 1;
    double phase_deg = 0;
    std::optional<double> height_m = {};  ///< above the ellipsoid; unset: the scene's
};

/// Random scatterers, evenly spread where the beam centre sees these lines and samples; amplitudes are circular
/// Gaussian numbers.
struct ClutterPatch {
    double first_line = 0, last_line = 0;
    double first_sample = 0, last_sample = 0;
    std::int64_t scatterers = 0;
    double power_db = 0;  ///< mean of one, relative to a target of amplitude 1
    friend bool operator==(const ClutterPatch&, const ClutterPatch&) = default;
};

/// What the antenna's long axis is held along before yaw and pitch turn it.
enum class Steering {
    zero_doppler,  ///< the flight over the turning Earth: without yaw and pitch the beam sees Doppler 0 everywhere
    fixed,         ///< of satellites the flight in space, level; of aircraft the even flight amid the sway
    spotlight      ///< across the way to a place, on which the beam's centre is held
};

/// Pointing of an antenna on an orbit or an aircraft: yaw turns its forward end to the right, pitch up.
struct Beam {
    Steering steering = Steering::zero_doppler;
    double yaw_deg = 0;
    double pitch_deg = 0;
    GroundPosition spot = {};  ///< of a spotlight
    /// Of the spot, above the ellipsoid; unset: the scene's. Below the ground, or beyond it as seen from the antenna,
    /// the beam slides over the scene.
    std::optional<double> spot_height_m = {};
    friend bool operator==(const Beam&, const Beam&) = default;
};

/// Names and units are those of the keys of a scene file.
struct Scene {
    double carrier_hz = 0;
    double prf_hz = 0;
    double sample_rate_hz = 0;
    double near_range_m = 0;  ///< an echo whose leading edge is sample 0 comes from here
    std::int64_t lines = 0;
    std::int64_t samples = 0;
    double chirp_slope_hz_s = 0;  ///< negative: down-chirp
    double chirp_duration_s = 0;
    double velocity_m_s = 0;         ///< of a straight flight
    double doppler_centroid_hz = 0;  ///< of a straight flight, everywhere; absolute, may be far outside +-PRF/2
    double azimuth_bandwidth_hz =
        0;  ///< a line sees a target while its Doppler frequency is within half of this of the beam centre's
    std::optional<double> altitude_m = {};  ///< of a straight flight above the ellipsoid; unset: 0.6 of the near range
    std::variant<std::monostate, KeplerOrbit, Orbit, Flight> orbit = {};  ///< unset: a straight flight
    Beam beam = {};                                                       ///< on an orbit or an aircraft
    double height_m = 0;                                                  ///< of targets above the ellipsoid
    LookSide look_side = LookSide::right;
    SampleFormat sample_type = SampleFormat::complex64;  ///< or int8, int16
    std::optional<double> noise_db =
        {};  ///< mean noise power of a sample, relative to a target of amplitude 1; unset: no noise
    std::uint64_t seed = 1;
    double dither = 0;           ///< each pulse leaves up to this part of an interval early or late, at random
    double lost_lines = 0;       ///< part of the lines that are not recorded, at random
    bool transmit_gaps = false;  ///< nothing is received while other pulses are sent
    std::optional<std::vector<SceneTarget>> targets = {};  ///< unset: nine on a 3 x 3 grid
    std::vector<ClutterPatch> clutter = {};
    PhaseError phase_error = {};                   ///< of the lines of all targets and clutter
    std::vector<std::string> polarizations{"HH"};  ///< of the same pulses: equal but for their noise

    double first_pulse_time_s = 3600;  ///< since the epoch
    std::string epoch = "2026-01-01T00:00:00";

    double wavelength_m() const { return speed_of_light_m_s / carrier_hz; }
    double range_spacing_m() const { return speed_of_light_m_s / (2.0 * sample_rate_hz); }
    double doppler_low_hz() const { return doppler_centroid_hz - 0.5 * azimuth_bandwidth_hz; }
    double doppler_high_hz() const { return doppler_centroid_hz + 0.5 * azimuth_bandwidth_hz; }
    /// Or an aircraft: all but a straight flight.
    bool on_orbit() const { return !std::holds_alternative<std::monostate>(orbit); }
    bool spotlight() const { return on_orbit() && beam.steering == Steering::spotlight; }
    double mid_time_s() const { return first_pulse_time_s + 0.5 * static_cast<double>(lines - 1) / prf_hz; }
};

/// One of preset_names(). Throws InputError naming the choices.
Scene preset_scene(std::string_view name);
std::vector<std::string> preset_names();

/// Throws InputError where no echo could be made of the scene, or a target leaves no trace in it.
void validate(const Scene& scene);

/// The scene's own targets, or nine at near/mid/far range x early/mid/late time, off the pixel centres, no two in one
/// row or column, whose echoes lie wholly inside; of a spotlight on the plane of its scene (SpotlightScene). Throws
/// InputError if the echo is too small for nine.
std::vector<SceneTarget> scene_targets(const Scene& scene);

/// True coordinates, times since the epoch. The amplitude is the scene's own (not scaled for an integer sample type).
PointTarget locate(const Scene& scene, const SceneTarget& target);

/// One sentence for each target of which a part of aperture, migration or chirp is not recorded.
std::vector<std::string> coverage_warnings(const Scene& scene);

}  // namespace cornerturn

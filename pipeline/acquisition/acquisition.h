// SPDX-License-Identifier: Apache-2.0
// The immutable description of one recorded echo: when, where and how it was taken.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/math/speed_of_light.h"
#include "kernels/passes/echo_format.h"
#include "pipeline/acquisition/doppler_surface.h"
#include "pipeline/acquisition/orbit.h"
#include "pipeline/acquisition/phase_history.h"
#include "pipeline/acquisition/pulse_times.h"
#include "pipeline/acquisition/scene_plane.h"

namespace cornerturn {

inline constexpr double speed_of_light_m_s = c_m_s;

/// Linear frequency modulated pulse exp(j*pi*slope*(t - duration/2)^2), 0 <= t < duration.
struct Chirp {
    double slope_hz_s = 0;  ///< signed: negative for a down-chirp
    double duration_s = 0;
    /// As it was sent, one value for each sample from the leading edge on, where that differs from slope and duration.
    std::vector<std::complex<float>> replica = {};
    double bandwidth_hz() const { return (slope_hz_s < 0 ? -slope_hz_s : slope_hz_s) * duration_s; }
    /// Of one sample: see compressed_pulse.
    bool compressed() const { return replica.size() == 1; }
    friend bool operator==(const Chirp&, const Chirp&) = default;
};

/// A pulse that is compressed already: all of its band at one moment, as a chirp so short that no Doppler frequency
/// moves it.
inline Chirp compressed_pulse(double bandwidth_hz) {
    constexpr double duration_s = 1e-15;
    return {.slope_hz_s = bandwidth_hz / duration_s, .duration_s = duration_s, .replica = {1.0f}};
}

enum class LookSide { left, right };

/// From low to high, absolute.
struct DopplerBand {
    double low_hz = 0, high_hz = 0;
    friend bool operator==(const DopplerBand&, const DopplerBand&) = default;
};

/// From first to last, since the acquisition's epoch.
struct TimeSpan {
    double first_s = 0, last_s = 0;
    friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

/// A point scatterer of a simulated scene.
struct PointTarget {
    double range_m = 0;              ///< closest slant range R0
    double zero_doppler_time_s = 0;  ///< when the antenna is there, since the acquisition's epoch
    double beam_centre_time_s = 0;   ///< when the pulse leaves that finds it in the beam centre
    std::complex<double> amplitude = 1.0;
    double height_m = 0;  ///< above the ellipsoid
    std::optional<DopplerBand> illuminated_band_hz =
        {};  ///< Doppler frequencies at which recorded pulses illuminate it, at the carrier
    /// When these leave, with half an interval more at either end: where gusts make Doppler frequencies come twice,
    /// only this tells the pulses.
    std::optional<TimeSpan> illuminated_s = {};
    /// ECEF, of a spotlight's target. Where its file tells nothing else, its range is that from the nearest pulse, and
    /// times are when that one left.
    std::optional<Vec3> place_m = {};
    friend bool operator==(const PointTarget&, const PointTarget&) = default;
};

/// What identifies a data take. Copied from input to output.
struct Identification {
    std::string mission = "UNKNOWN";
    std::string instrument = {};  ///< empty: not known
    LookSide look_side = LookSide::right;
    std::string pass_direction = "ascending";  ///< "ascending" or "descending"
    std::uint32_t absolute_orbit_number = 0;
    std::uint32_t track_number = 0, frame_number = 0;  ///< of the mission's numbering; 0: not known
    std::string burst_id = {};                         ///< by its place on the Earth; empty: none, or not known
    std::string planned_datatake_id = "0";
    std::string planned_observation_id = "0";
    std::string bounding_polygon = "POLYGON EMPTY";
    bool dithered = false;    ///< intervals between pulses that vary on purpose
    bool mixed_mode = false;  ///< data of several radar modes
    friend bool operator==(const Identification&, const Identification&) = default;
};

class TrackOffset;

/// Of an antenna that sways, whose lines became those of an even flight, or count as such: how far it was off, and by
/// how much points may be off for it.
struct CompensatedMotion {
    double largest_distance_m = 0;
    double beam_hz = 0;    ///< Doppler bandwidth of the beam, the widest along rows
    double wander_hz = 0;  ///< of its centre along rows, to either side of the smooth centroid
    double position_px = 0, phase_deg = 0, width_percent = 0;
    friend bool operator==(const CompensatedMotion&, const CompensatedMotion&) = default;
};

/// Lines in equal steps that were interpolated from pulses which did not leave in such (UniformEcho).
struct InterpolatedLines {
    std::vector<double> pulse_times_s;  ///< when they left, or the even flight passed them
    double band = 0;                    ///< about the Doppler centroid, in parts of the PRF
    double chirp_ends_hz = 0;           ///< by which Doppler frequencies at the chirp's ends lie aside of that band's
    friend bool operator==(const InterpolatedLines&, const InterpolatedLines&) = default;
};

/// That of the times in products, where they count since another one: from that of GPS on, they would be known to a
/// quarter of a microsecond only, too coarse to compute with.
struct ProductEpoch {
    std::string epoch;
    double earlier_s = 0;  ///< by this than the acquisition's
    friend bool operator==(const ProductEpoch&, const ProductEpoch&) = default;
};

/// A stretch of the track during which the beam is steered from behind to ahead, so that a target is lit for a part of
/// the time only and all of a swath fits into the gaps of others (TOPS; De Zan & Monti Guarnieri 2006).
struct Burst {
    std::string swath;            ///< "IW1"
    std::int64_t number = 0;      ///< of its swath in the file, from 0 on
    double steering_rad_s = 0;    ///< angle of the beam's cone off broadside, ahead, by time
    double broadside_time_s = 0;  ///< when it is 0, since the epoch
    /// Of its image, whose rows lie at whole multiples of it since the epoch, and columns at whole multiples of the
    /// range spacing: images of neighbours fit each other pixel by pixel.
    double row_spacing_s = 0;
    friend bool operator==(const Burst&, const Burst&) = default;
};

/// Geometry and timing of an echo of `lines` pulses by `samples` range samples.
/// Times are seconds since `epoch`. `near_range_m` is c/2 times the delay from transmission to the sampling of column
/// 0, so that an echo whose *leading edge* is sample k comes from near_range_m + k * range_spacing_m (docs/theory.md).
struct Acquisition {
    Identification identification;
    std::string band = "LSAR";  ///< group below /science in the file: LSAR or SSAR
    std::string frequency = "A";
    std::string polarization = "HH";

    std::int64_t lines = 0;
    std::int64_t samples = 0;
    SampleFormat format = SampleFormat::complex64;
    EchoDecoding decoding;

    std::string epoch = "2000-01-01T00:00:00";
    std::optional<ProductEpoch> product_epoch = {};
    double first_pulse_time_s = 0;  ///< transmit time of line 0
    /// Of every line, where these are not in equal steps: dithered pulses, lost lines. Formers want equal ones: see
    /// UniformEcho.
    std::vector<double> pulse_times_s;
    std::optional<InterpolatedLines> interpolated;
    std::optional<CompensatedMotion> motion = {};  ///< where the orbit is not the one that was flown
    /// Lines as they were recorded, of pulses that left beside the orbit: their times are those when its antenna was
    /// next to each. For algorithms that sum pulses; null where pulses left from the orbit.
    std::shared_ptr<const TrackOffset> flown_beside = {};
    /// Phase that each line is to be multiplied with; empty: none.
    std::vector<double> line_phase_cycles;
    double prf_hz = 0;  ///< of the grid about which uneven pulses lie
    double carrier_hz = 0;
    double near_range_m = 0;
    double range_spacing_m = 0;
    Chirp chirp;

    std::optional<Orbit> orbit;
    std::optional<Orbit> local_track;  ///< instead, positions in a frame of the scene's own: x and y level, z up, at
                                       ///< rest with the targets
    /// Of a beam that was held on the scene: no rows of zero Doppler hold all of it, its pulses are summed on a map.
    std::shared_ptr<const PhaseHistory> phase_history = {};
    std::optional<SceneArea> scene = {};  ///< what the file says it is about
    std::optional<Attitude> attitude;
    bool steered_to_zero_doppler = false;  ///< by the platform's rule, where attitude does not tell
    std::optional<Burst> burst = {};
    std::optional<double> effective_velocity_m_s;  ///< of the file's own, where it carries one
    std::optional<double> doppler_centroid_hz;     ///< absolute, of the file's own, at this carrier
    /// Likewise, over zero-Doppler time (since the epoch) and closest range of the targets in the beam's centre, within
    /// the surface's scale.
    std::optional<DopplerSurface> doppler_of_pixels_hz;
    /// Doppler bandwidth of the beam, of the file's own; of a burst that over which a target is lit.
    std::optional<double> azimuth_bandwidth_hz;
    std::vector<PointTarget> truth;  ///< simulated scenes only
    std::vector<double>
        true_phase_error_rad;  ///< likewise: that each line was multiplied with by mistake, as exp(j phase)

    double sample_rate_hz() const { return speed_of_light_m_s / (2.0 * range_spacing_m); }
    double wavelength_m() const { return speed_of_light_m_s / carrier_hz; }
    double range_m(double sample) const { return near_range_m + sample * range_spacing_m; }
    double far_range_m() const { return range_m(static_cast<double>(samples - 1)); }
    /// Of its samples in memory, as they are stored.
    std::size_t sample_bytes() const { return static_cast<std::size_t>(lines * samples) * bytes_per_sample(format); }
    bool uneven() const { return !pulse_times_s.empty(); }
    /// Of pulses that are summed on a map, all of them, as no band of Doppler frequencies could be chosen.
    bool sums_all_pulses() const { return local_track || phase_history; }
    double pulse_time_s(double line) const { return time_of_line_s(first_pulse_time_s, prf_hz, pulse_times_s, line); }
    double last_pulse_time_s() const { return pulse_time_s(static_cast<double>(lines - 1)); }
    double line_at(double time_s) const { return line_at_time(first_pulse_time_s, prf_hz, pulse_times_s, time_s); }
    double chirp_samples() const { return chirp.duration_s * sample_rate_hz(); }
    friend bool operator==(const Acquisition&, const Acquisition&) = default;
};

/// A Doppler frequency of one carrier at another one: in the same direction it is proportional to the carrier.
inline double doppler_at_carrier_hz(double doppler_hz, double from_carrier_hz, double to_carrier_hz) {
    return doppler_hz * (to_carrier_hz / from_carrier_hz);  // the very same where the carriers are
}

/// An echo in host memory, samples as stored in the file: lines x samples, packed, row = line.
struct Echo {
    Acquisition acquisition;
    std::vector<std::byte> samples;
};

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// The azimuth band that is processed: how wide it may be, what of it targets are illuminated in, how it ends, and how
// wide it makes a point in range.
#pragma once

#include <cstdint>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/formers/parameters.h"

namespace cornerturn {

/// Of the processed band, over which weights fade out at either edge; widens a point by parts in a thousand at most.
inline constexpr double azimuth_fade = 1.0 / 16;

/// Over what weights end at either edge of the band.
struct BandFades {
    double azimuth_fade_hz = 0;  ///< of the azimuth filter
    double pulse_fade_hz = 0;    ///< of pulses that are summed
    double pulse_reach_hz = 0;   ///< from the centroid to where these end
    friend bool operator==(const BandFades&, const BandFades&) = default;
};

/// Keeps the response of a point over the main lobe and ten sidelobes.
inline constexpr std::int64_t filter_reach_samples = 64;
/// How far the filters look beyond chirp and aperture, at either end.
struct FilterReach {
    std::int64_t range_samples = 0;
    std::int64_t azimuth_lines = 0;
    friend bool operator==(const FilterReach&, const FilterReach&) = default;
};

/// Throws InputError for a band that reaches beyond the PRF or the largest squint, or is too narrow to see points.
void check_processed_band(const Acquisition& acquisition, const FormerParameters& parameters);

/// Weights of pulses fade out over a sixteenth of the band, a filter beside the beam as far as the PRF has room there:
/// what a fade takes of the beam itself widens points by as much and makes them weaker.
BandFades fades_of(const Acquisition& acquisition, const FormerParameters& parameters);

/// A Doppler frequency goes with the radio frequency: by how much the beam lies elsewhere at the chirp's ends, at most.
double moved_at_chirp_ends_hz(const Acquisition& acquisition, const FormerParameters& parameters);
/// Of the sum of two offsets that are spread evenly, to half a beam and by how much a chirp's ends move it, the part
/// that lies beyond.
double part_beyond(double half_beam_hz, double moved_hz, double kept_hz);
/// The part of a point's spectrum that filters of Doppler frequencies cut off there, where the beam is known.
inline constexpr double most_lost_at_chirp_ends = 0.01;  // more widens points by as much
double part_lost_at_chirp_ends(const Acquisition& acquisition, const FormerParameters& parameters);
/// The band that loses none of it, as far as PRF and geometry have room.
double band_to_chirp_ends_hz(const Acquisition& acquisition, const FormerParameters& parameters);

/// Of the beam. One that nobody knows is taken to fill two thirds of the PRF, as they do.
double beam_bandwidth_hz(const Acquisition& acquisition);
/// What targets are illuminated in: their phase is a mean over that.
double illuminated_band_hz(const Acquisition& acquisition, const FormerParameters& parameters);

/// Range bandwidth in the image of a point at a closest range, with this Doppler centroid: the chirp's, widened by the
/// skew of the support of an azimuth band under squint, and by its curvature.
double image_bandwidth_hz(const Acquisition& acquisition, const VelocityProfile& velocity, double range_m,
                          double centroid_hz, double azimuth_band_hz);

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// What an image will be off by for the soft ends of a beam's spectrum, for which the PRF has no room, and the part of
// the beam that may be processed instead.
#pragma once

#include "pipeline/formers/former.h"
#include "pipeline/formers/prediction.h"

namespace cornerturn {

/// Of the points that the beam lights longest (ImageGeometry::widening).
double widest_beam_hz(const Acquisition& acquisition, const ImagePlan& image);
/// With what its centre wanders along rows: of sums over pulses, which need no ripple beside it.
double whole_beam_hz(const Acquisition& acquisition, const ImagePlan& image);

/// Whether the PRF, or the rate of rows that lie closer, has room for a beam; it may be wider by a hundredth, as well
/// as beams are known.
bool has_room_for(double beam_hz, double rate_hz);

/// How far beams lie beside the middle of their band, at most: of ranges that share a filter's band, and of the ends of
/// a chirp, whose Doppler frequencies are higher and lower than the carrier's. Where the centroid is in doubt, by that,
/// too.
struct BeamAside {
    double range_hz = 0, chirp_hz = 0;
};
BeamAside beam_aside(const Acquisition& acquisition, const ImagePlan& image, const Former& former);

/// What points are off by as the soft ends of a beam's spectrum (Fresnel) lie beyond the PRF, where short apertures
/// fill nearly all of it: filters of Doppler frequencies cut them off, sums over pulses make rows too coarse for them,
/// and both show them at the other end. Of a beam that ends sharply, which keeps most there. Where a part of the beam
/// is processed, against the response of that part. Filters have their bands beside the beams of some ranges, and of
/// the chirp's ends. Rows of sums that have room for all that is processed lose no more than a filter's.
Prediction predicted_for_lost_ends(const Acquisition& acquisition, const ImagePlan& image, const Former& former,
                                   bool rows_have_room = false);

/// Of more than one row per pulse: the whole beam, and what few pulses need beside it.
FormerParameters parameters_of_finer_rows(const Acquisition& acquisition, const ImagePlan& image);

/// By how many rows for each pulse sums over pulses show the beam: as few as its spectrum needs room. More than one
/// where the beam is wider along rows than the PRF, as the antenna is turned ahead or was slower than its reference, or
/// where points would be off too far as its soft ends came back at the other end. Of a band that was given
/// (`band_given`), as it ends where somebody wants it, but for its width.
double rows_per_pulse_for(const Acquisition& acquisition, const ImagePlan& image, bool band_given);

/// How far beside a point's beam the columns that show its main lobe and sidelobes look, as they follow the centroid; 0
/// where that is next to nothing.
double lobes_aside_hz(const Acquisition& acquisition, const ImagePlan& image);

/// The band of a plan, for filters of Doppler frequencies; wider, as far as PRF and geometry have room, where more than
/// most_lost_at_chirp_ends or what lobes_aside_hz says would be cut off.
double band_of_whole_points_hz(const Acquisition& acquisition, const ImagePlan& image);

/// The band of the plan; where points would be off too far without the soft ends of the beam, the widest part of the
/// beam, at least nine tenths, of which they hardly are, or the one of which they are least; the band of the plan where
/// none holds.
double band_beside_lost_ends_hz(const Acquisition& acquisition, const ImagePlan& image, const Former& former);

}  // namespace cornerturn

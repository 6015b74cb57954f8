// SPDX-License-Identifier: Apache-2.0
// What points of sums over pulses are beside the theory of an even beam, though the sums are right: a flight that sways
// or turns lights a point's band unevenly, and the gain that makes all points equally bright falls over each of them.
#pragma once

#include "pipeline/formers/prediction.h"

namespace cornerturn {

/// Of points all over the image, on rows of zero Doppler: widths in range, and places along both axes. The pulses that
/// light a point give its spectrum, each with a place in it and as wide as the chirp; theory has the same number of
/// pulses at each Doppler frequency, as an even flight sees it. The gain goes with the FM rate; where pulses see a
/// point under so different angles that its image is resampled to a part of the echo's sample, its slope is some
/// thousandths of a pixel.
Prediction predicted_for_uneven_beam(const Acquisition& acquisition, const ImagePlan& image);

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// The passes of factorised back-projection: their numbers from those of the radar.
#pragma once

#include "kernels/back_projection/factorisation.h"
#include "kernels/passes/factorised_accumulation.h"
#include "pipeline/formers/back_projection_passes.h"

namespace cornerturn {

/// Of compressed lines where the echo is white, over cycles per sample; each frequency has the most of its neighbours,
/// as far as squint, or the shift of a block's spectra, moves it.
PowerOverFrequency range_power(const Acquisition& acquisition, const ImagePlan& image, double shift_cycles = 0);

/// `of_blocks`, which says how these are seen along lines and rows, with what echo and image tell beside. Its band of a
/// line is that of the carrier.
FactorisationNeeds with_needs_of_image(FactorisationNeeds of_blocks, const Acquisition& acquisition,
                                       const ImagePlan& image);

/// What the sum over this acquisition asks of blocks of its lines.
FactorisationNeeds factorisation_needs(const Acquisition& acquisition, const ImagePlan& image);

/// The plan with as many terms as laws need along the track as it is. Throws InputError where no number of them holds.
FactorisationPlan with_laws_that_hold(const Acquisition& acquisition, const ImagePlan& image, FactorisationPlan plan);

/// With cells for all nodes that pixels at the edges of the swath are interpolated of.
FineLines factorised_lines(const Acquisition& acquisition, const ImagePlan& image, const FactorisationPlan& plan);
FactorisedAccumulation factorised_accumulation(const Acquisition& acquisition, const ImagePlan& image,
                                               const FactorisationPlan& plan, FineLines lines);

FormerNote note_of_factors(const FormerParameters& parameters, const FactorisationPlan& plan);
FormerNote note_of_exact_sum(const FormerParameters& parameters, const std::string& why);

}  // namespace cornerturn

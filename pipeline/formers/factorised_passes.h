// SPDX-License-Identifier: Apache-2.0
// The passes of factorised back-projection: their numbers from those of the radar.
#pragma once

#include "kernels/factorisation.h"
#include "pipeline/formers/former.h"

namespace cornerturn {

/// What the sum over this acquisition asks of blocks of its lines.
FactorisationNeeds factorisation_needs(const Acquisition& acquisition, const ImagePlan& image);

FactorisedAccumulation factorised_accumulation(const Acquisition& acquisition, const ImagePlan& image,
                                               const FactorisationPlan& plan);

FormerNote note_of_factors(const ImagePlan& image, const FactorisationPlan& plan);
FormerNote note_of_exact_sum(const ImagePlan& image, const std::string& why);

}  // namespace cornerturn

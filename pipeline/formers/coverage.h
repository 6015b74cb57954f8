// SPDX-License-Identifier: Apache-2.0
// What of an image the echo covers fully: whole chirps and whole apertures, for all of the migration.
#pragma once

#include "pipeline/formers/image_plan.h"

namespace cornerturn {

/// Takes of the grid the rectangle of which every point is covered fully, even by the ends of the filters. Throws
/// InputError where there is none.
void cut_to_valid(const Acquisition& acquisition, ImagePlan& plan);

/// Takes of the grid and its tables what they have of these rows and columns, which lie on it. Throws std::logic_error
/// where that is nothing.
void cut_to_part(const ImageGrid& part, ImagePlan& plan);

/// Of each row of the grid.
ValidColumns valid_columns(const Acquisition& acquisition, const ImagePlan& plan);

}  // namespace cornerturn

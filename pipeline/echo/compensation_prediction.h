// SPDX-License-Identifier: Apache-2.0
// Predicted error of motion compensation, from the very weights that lines are made with.
#pragma once

#include "pipeline/echo/uniform_echo.h"
#include "pipeline/formers/prediction.h"

namespace cornerturn {

/// What points would be off by in lines with their motion compensated: targets all along the strip and over the swath,
/// whose exact delays to the pulses that lines are made of are held against those to the reference.
Prediction errors_of_compensation(const UniformEcho& even, const Acquisition& flown, const SceneHeight& height_m);

}  // namespace cornerturn

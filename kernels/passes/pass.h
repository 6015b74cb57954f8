// SPDX-License-Identifier: Apache-2.0
// The passes that cross the device interface. Each header in this folder holds one: its description (plain data, host
// tables) and its hooks (the formulas, host + device). Back ends own loops, launches and library calls, and no formula.
//
// Three kinds: line passes (line_pass.h; stolt_interpolation.h interpolates along its lines' spectra), gathers, line
// passes whose load interpolates along a law from line to line (azimuth_compression.h), and the sum over lines of
// time-domain back-projection (accumulation.h; factorised_accumulation.h).
#pragma once

#include "kernels/passes/accumulation.h"
#include "kernels/passes/azimuth_compression.h"
#include "kernels/passes/azimuth_image.h"
#include "kernels/passes/azimuth_spectrum.h"
#include "kernels/passes/decoded_echo.h"
#include "kernels/passes/factorised_accumulation.h"
#include "kernels/passes/phase_correction.h"
#include "kernels/passes/range_compression.h"
#include "kernels/passes/scaled_compression.h"
#include "kernels/passes/secondary_range_compression.h"
#include "kernels/passes/stolt_interpolation.h"

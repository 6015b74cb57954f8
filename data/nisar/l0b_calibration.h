// SPDX-License-Identifier: Apache-2.0
// Lines of a raw file that carry no echo.
#pragma once

#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/sample_reader.h"
#include "data/nisar/l0b_axes.h"

namespace cornerturn {

/// Lines whose calType is other than HPA (0) go through the calibration paths of the instrument; but some writers fill
/// calType with anything. The power tells: where marked lines are within 3 dB of unmarked ones beside them, or all
/// lines are marked, the mark means nothing; else they are left out like lines that are missing. To be called when
/// levels, gain and valid samples are known.
void leave_out_calibration(const h5::Reader& file, const L0bPaths& paths, const SampleMatrix& samples,
                           Acquisition& acquisition, Warnings& warnings);

/// Where some lines hold no valid sample but others do, pulses go uneven: these lines are missing.
void count_empty_lines_as_missing(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition,
                                  Warnings& warnings);

}  // namespace cornerturn

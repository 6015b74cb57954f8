// SPDX-License-Identifier: Apache-2.0
// Back-projection of lines that somebody else has compressed, onto any points:
//     sum over lines of line(delay) exp(j 2 pi f0 delay)
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/math/two_way_delay.h"
#include "pipeline/echo/progress.h"

namespace cornerturn {

/// lines x samples, packed, each with a point's peak at its delay and the phase -2 pi f0 delay there, at baseband. The
/// memory must outlive it.
struct CompressedLines {
    std::int64_t lines = 0, samples = 0;
    std::span<const std::complex<float>> values;
    double carrier_hz = 0;
    double near_range_m = 0;  ///< of sample 0: c/2 times the delay
    double range_spacing_m = 0;
    std::vector<PulsePath> paths;  ///< of the antenna, one for each line; of one that stops and goes without velocity
};

/// Points [row][column], wherever they are, in the coordinates of the paths. Neighbours that lie smoothly beside each
/// other are summed together, which is faster.
struct PointGrid {
    std::int64_t rows = 0, columns = 0;
    std::vector<Place> places;
};

struct BackProjectOptions {
    /// Cells to which each sample is made finer, by its spectrum; between cells lines run straight. 1: lines are taken
    /// as they are, straight between their samples.
    std::int64_t oversampling = 24;
    /// Lines go round, as sums over frequencies do: then what is between samples is exact up to the edges of the band,
    /// which is [-1/2, 1/2) of the sample rate. False: lines that were cut out of longer ones, with nothing around.
    bool periodic = true;
    /// Of what is summed together, to the same sums one by one in double precision.
    double signal_to_error_db = 100;
};

/// rows x columns sums. Lines and points go in blocks as memory allows. Throws InputError for what does not fit
/// together, DeviceError, and Interrupted on request.
void back_project(Device& device, const CompressedLines& lines, const PointGrid& points,
                  const BackProjectOptions& options, std::span<std::complex<float>> to, const Progress& progress = {});

}  // namespace cornerturn

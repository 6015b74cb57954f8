// SPDX-License-Identifier: Apache-2.0
// The interpolating load of azimuth compression over a turned matrix: cells x bins in, image columns x bins out.
#pragma once

#include "kernels/cuda/runtime/context.h"
#include "kernels/passes/azimuth_compression.h"
#include "kernels/passes/migration_law.h"

namespace cornerturn {

/// Slides a register window along range where laws describe the migration well enough; else evaluates the hook for
/// every sample.
class TurnedGather {
public:
    /// Keeps `hooks`, whose tables lie on the device. Throws std::logic_error for a number of taps that has no kernel.
    TurnedGather(const AzimuthCompression& pass, const AzimuthCompressionHooks& hooks);

    /// Image columns first_column ... into the rows of `out`, fft_length samples each, the azimuth filter applied.
    /// `pitch`: samples from row to row; 0: packed.
    void run(const Complex64* in, std::int64_t first_column, std::int64_t columns, Complex64* out, std::int64_t pitch,
             const Stream& stream) const;

    /// Columns that a thread takes together. Cut at multiples of them no work is done twice.
    std::int64_t chunk() const { return stepped() ? weight_steppings[stepping_].chunk : 1; }

    bool stepped() const { return stepping_ >= 0; }

private:
    AzimuthCompressionHooks hooks_;
    std::int64_t input_cells_;
    SincPolynomials<float> sinc_;
    int stepping_ = -1;  ///< index into weight_steppings; -1: sample by sample
    DeviceBuffer first_cell_, laws_, column_gain_;
};

}  // namespace cornerturn

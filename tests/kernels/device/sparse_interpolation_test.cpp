// SPDX-License-Identifier: Apache-2.0
// The migration correction of every device against interpolation written as a sparse matrix, which knows nothing of
// windows in registers, runs of equal cells or polynomials: on a GPU multiplied by cuSPARSE, and everywhere by the
// definition.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>

#include "kernels/passes/tables.h"
#include "tests/kernels/every_device.h"
#include "tests/kernels/host_passes.h"
#include "tests/kernels/hyperbolic_gather.h"
#include "tests/kernels/one_step.h"
#include "tests/kernels/sparse_matrix.h"

namespace cornerturn {
namespace {

/// Strong squint: over the band the curve of a column crosses several cells; some of it lies beyond the input.
HyperbolicGather squinted(int taps) {
    HyperbolicGather pass = c_band_gather(96, 150, 5.3);
    pass.columns = 131;
    pass.kernel = SincKernel::for_band(taps, 0.9);
    for (std::int64_t column = 0; column < pass.columns; ++column) {
        pass.velocity_m_s.push_back(7062 + 0.01 * static_cast<double>(column));
        pass.covered_rows.push_back({0, 96});
    }
    pass.weight.assign(96, 1.0 / 96);
    return pass;
}

AzimuthCompressionHooks hooks_of(const AzimuthCompression& pass) { return pass.hooks(HostTables{}); }

/// Row column * bins + bin reads the cells about the position of that column and bin, which lie at cell * bins + bin.
SparseMatrix interpolation(const AzimuthCompression& pass) {
    SparseMatrix matrix;
    matrix.columns = pass.input_cells * pass.fft_length;
    const AzimuthCompressionHooks hooks = hooks_of(pass);
    for (std::int64_t column = 0; column < pass.columns; ++column)
        for (std::int64_t bin = 0; bin < pass.fft_length; ++bin) {
            const double position = hooks.at(column, bin).position_cells;
            const auto base = static_cast<std::int64_t>(std::floor(position));
            for (std::int64_t cell = base - pass.kernel.taps / 2 + 1; cell <= base + pass.kernel.taps / 2; ++cell)
                if (cell >= 0 && cell < pass.input_cells)
                    matrix.add(cell * pass.fft_length + bin, pass.kernel.weight(static_cast<double>(cell) - position));
            matrix.end_row();
        }
    return matrix;
}

/// The rest of the pass on what the matrix gave: matched filter and inverse transform.
Samples compressed(const AzimuthCompression& pass, const Samples& gathered) {
    const AzimuthCompressionHooks hooks = hooks_of(pass);
    const auto bins = static_cast<std::size_t>(pass.fft_length);
    Samples image;
    for (std::int64_t column = 0; column < pass.columns; ++column) {
        Line spectrum;
        for (std::int64_t bin = 0; bin < pass.fft_length; ++bin) {
            const Migration m = hooks.at(column, bin);
            spectrum.push_back(m.gain * as_std(unit_phasor<double>(m.phase_cycles)) *
                               gathered[static_cast<std::size_t>(column) * bins + static_cast<std::size_t>(bin)]);
        }
        const Line line = fast_fourier(spectrum, pass.fft_length, +1);
        for (std::int64_t row = 0; row < pass.image_rows; ++row)
            image.push_back(line[static_cast<std::size_t>(hooks.store(0).source(row))]);
    }
    return image;
}

double db(double error) { return -20 * std::log10(error); }

class SparseInterpolation : public EveryDevice {};

TEST_P(SparseInterpolation, IsWhatTheGatherDoes) {
    for (const int taps : {8, 12, 16}) {
        SCOPED_TRACE(taps);
        const AzimuthCompression pass = squinted(taps).pass();
        const Samples in = noise(pass.input_cells * pass.fft_length);
        const Matrix on_device = put(pass.input_cells, pass.fft_length, in);
        Matrix out = device->allocate(native(), pass.columns, pass.image_rows);
        plan_of(*device, pass)->run(on_device, out);
        const Samples got = get(out);

        const SparseMatrix matrix = interpolation(pass);
        const Samples gathered = sparse_product(matrix, in);
        const Samples expected = compressed(pass, gathered);
        // Single precision with polynomials for weights reaches some 130 dB; double 200 (phases of 1e5 cycles keep
        // 1e-11).
        EXPECT_GT(db(relative_error(got, expected)), is_float() ? 100 : 190);

        if (!device->info().name.starts_with("cuda")) continue;
        if (const std::string reason = why_no_cusparse(); !reason.empty()) {
            std::cerr << "left out: " << reason << '\n';
            continue;
        }
        const Samples by_library = cusparse_product(*device, matrix, on_device);
        EXPECT_GT(db(relative_error(by_library, gathered)), 120);  // sums of 16 terms in single precision
        EXPECT_GT(db(relative_error(got, compressed(pass, by_library))), 100);
    }
}

TEST_P(SparseInterpolation, ShowsAShiftOfAHundredthOfACell) {
    const AzimuthCompression pass = squinted(8).pass();
    HyperbolicGather shifted = squinted(8);
    shifted.input_near_range_m += 0.01 * pass.range_spacing_m;
    const Samples in = noise(pass.input_cells * pass.fft_length);
    Matrix out = device->allocate(native(), pass.columns, pass.image_rows);
    plan_of(*device, shifted.pass())->run(put(pass.input_cells, pass.fft_length, in), out);
    EXPECT_LT(db(relative_error(get(out), compressed(pass, sparse_product(interpolation(pass), in)))), 50);
}

INSTANTIATE_TEST_SUITE_P(Devices, SparseInterpolation, every_device(), device_name);

}  // namespace
}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Range cell migration correction and azimuth compression: rows are image range lines.
//     load: gather across range along the exact hyperbola x azimuth matched filter -> inverse FFT -> store the rows that were covered
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/echo_format.h"
#include "kernels/hyperbola.h"
#include "kernels/interpolation.h"
#include "kernels/passes/line_pass.h"
#include "kernels/phasor.h"

namespace cornerturn {

struct AzimuthCompressionHooks;

/// in: input_cells x fft_length, native, range-Doppler domain. out: columns x image_rows, native: one row per image range column.
struct AzimuthCompression {
    static constexpr std::string_view title = "azimuth compression";

    std::int64_t input_cells = 0;
    std::int64_t fft_length = 0;
    std::int64_t columns = 0;     ///< image range columns
    std::int64_t image_rows = 0;  ///< image azimuth rows

    double carrier_hz = 0;
    double prf_hz = 0;
    double doppler_centroid_hz = 0;
    double input_near_range_m = 0;     ///< slant range of input cell 0 (that of the beam at its own Doppler frequency)
    double image_near_range_m = 0;     ///< R0 of image column 0
    double range_spacing_m = 0;        ///< of both
    double image_delay_s = 0;          ///< zero-Doppler time of image row 0 less the time of echo line 0
    double range_mean_square_hz2 = 0;  ///< mean square of the range frequencies, weighted by the range window
    /// What secondary range compression took away before: this range at every Doppler frequency (0: not done per frequency) ...
    double coupling_range_m = 0;
    double coupling_taken_cycles = 0;  ///< ... and this much mean phase at all of them

    std::vector<double> velocity_m_s;  ///< one per column
    /// One per bin: azimuth window and every constant gain; 0 outside the processed band, where no law is evaluated.
    std::vector<double> weight;
    /// Image rows of each column whose beam centre lies in the echo; the others are set to zero.
    std::vector<Interval> covered_rows;
    SincKernel kernel;

    /// A line of the image column after the other: the gather makes its spectrum.
    LineShape shape() const { return {columns, fft_length, fft_length, image_rows}; }
    template <class Tables>
    AzimuthCompressionHooks hooks(const Tables& tables) const;
};

/// What the gather needs at one (range column, azimuth bin).
struct Migration {
    double position_cells;  ///< where to read along range, in input cells
    double phase_cycles;    ///< of the azimuth matched filter
    double gain;            ///< amplitude of the azimuth matched filter
};

/// Migration of one azimuth bin at one velocity: position and phase run linearly with the closest range.
struct MigrationLaw {
    double cells_per_m;
    double cycles_per_m;
    double cycles;       ///< at range 0
    double gain_root_m;  ///< gain at a range of 1 m
};

struct AzimuthCompressionHooks {
    std::int64_t fft_length, image_rows;
    double carrier_hz, prf_hz, doppler_centroid_hz, input_near_range_m, image_near_range_m, range_spacing_m, image_delay_s;
    double range_mean_square_hz2, coupling_range_m, coupling_taken_cycles;
    const double* velocity_m_s;
    const double* weight;
    const Interval* covered_rows;

    CT_HOST_DEVICE double frequency_hz(std::int64_t bin) const {
        return azimuth_frequency_hz(bin, fft_length, prf_hz, doppler_centroid_hz);
    }
    CT_HOST_DEVICE double range_m(std::int64_t column) const { return image_near_range_m + static_cast<double>(column) * range_spacing_m; }

    /// All zeros where the weight is 0: out there the frequency need not even exist (beyond 2 V / lambda).
    CT_HOST_DEVICE MigrationLaw law(double f_eta, double bin_weight, double velocity) const {
        const bool evaluated = bin_weight > 0;
        const MigrationLaw there = law_in_band(evaluated ? f_eta : 0.0, bin_weight, velocity);
        return {.cells_per_m = evaluated ? there.cells_per_m : 0.0,
                .cycles_per_m = evaluated ? there.cycles_per_m : 0.0,
                .cycles = evaluated ? there.cycles : 0.0,
                .gain_root_m = evaluated ? there.gain_root_m : 0.0};
    }

    /// Of a frequency that exists. Without a branch, so that loops over bins become vector code.
    CT_HOST_DEVICE MigrationLaw law_in_band(double f_eta, double bin_weight, double velocity) const {
        const double wavelength_m = c_m_s / carrier_hz;
        const double factor = migration_factor(f_eta, velocity, wavelength_m);
        const double coupling_per_m = mean_secondary_range_cycles(1.0, factor, range_mean_square_hz2, carrier_hz);
        return {
            .cells_per_m = 1.0 / range_spacing_m / factor,
            // The echo carries -2 R0 D / lambda - 1/8 (stationary phase); a point keeps -2 R0 / lambda. Secondary range compression
            // left what its reference range and its mean phase do not tell.
            .cycles_per_m = 2.0 / wavelength_m * (factor - 1.0) + coupling_per_m,
            // The delay moves the zero-Doppler time of image row 0 to index 0.
            .cycles = 0.125 + f_eta * image_delay_s - coupling_range_m * coupling_per_m - coupling_taken_cycles,
            .gain_root_m = bin_weight * std::sqrt(azimuth_fm_rate_hz_s(1.0, factor, velocity, wavelength_m)),
        };
    }

    CT_HOST_DEVICE Migration at(const MigrationLaw& bin, double range) const {
        return {.position_cells = range * bin.cells_per_m - input_near_range_m / range_spacing_m,
                .phase_cycles = range * bin.cycles_per_m + bin.cycles,
                .gain = bin.gain_root_m * (1.0 / std::sqrt(range))};
    }
    CT_HOST_DEVICE Migration at(std::int64_t column, std::int64_t bin) const {
        return at(law(frequency_hz(bin), weight[bin], velocity_m_s[column]), range_m(column));
    }

    CT_HOST_DEVICE Interval covered(std::int64_t column) const { return covered_rows[column]; }
    CT_HOST_DEVICE StoreRule store(std::int64_t column) const { return {fft_length, covered_rows[column]}; }
};

template <class Tables>
AzimuthCompressionHooks AzimuthCompression::hooks(const Tables& tables) const {
    return {.fft_length = fft_length,
            .image_rows = image_rows,
            .carrier_hz = carrier_hz,
            .prf_hz = prf_hz,
            .doppler_centroid_hz = doppler_centroid_hz,
            .input_near_range_m = input_near_range_m,
            .image_near_range_m = image_near_range_m,
            .range_spacing_m = range_spacing_m,
            .image_delay_s = image_delay_s,
            .range_mean_square_hz2 = range_mean_square_hz2,
            .coupling_range_m = coupling_range_m,
            .coupling_taken_cycles = coupling_taken_cycles,
            .velocity_m_s = tables(velocity_m_s, "the velocities"),
            .weight = tables(weight, "the azimuth weights"),
            .covered_rows = tables(covered_rows, "the covered rows")};
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Range cell migration correction and azimuth compression: rows are image range lines.
//     load: gather across range along the migration x azimuth matched filter -> inverse FFT -> store the rows that were
//     covered
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/math/frequency.h"
#include "kernels/math/interpolation.h"
#include "kernels/math/phasor.h"
#include "kernels/passes/echo_format.h"
#include "kernels/passes/line_pass.h"

namespace cornerturn {

/// What the gather needs at one (range column, azimuth bin).
struct Migration {
    double position_cells;  ///< where to read along range, in input cells
    double phase_cycles;    ///< of the azimuth matched filter
    double gain;            ///< amplitude of the azimuth matched filter
};

/// Position, phase and gain of each image column as polynomials of the Doppler frequency, whatever the geometry that
/// they come from. In x = (f - centre) / half, [column][position, phase, gain][power]; the gain is that at a range of 1
/// m and without the weight: it falls with the root of the range.
struct MigrationTable {
    std::int64_t terms = 0;
    double half_hz = 1;
    std::vector<double> centre_hz;  ///< one per column
    std::vector<double> powers;
    friend bool operator==(const MigrationTable&, const MigrationTable&) = default;
};

struct AzimuthCompressionHooks;

/// Columns that share a band, where it moves little: so many that what a device does at a time mostly lies in one
/// group.
inline constexpr std::int64_t band_columns = 448;
/// The fewest: columns that a device gathers together share a band.
inline constexpr std::int64_t least_band_columns = 16;

/// in: input_cells x fft_length, native, range-Doppler domain. out: columns x image_rows, native: one row per image
/// range column.
struct AzimuthCompression {
    static constexpr std::string_view title = "azimuth compression";

    std::int64_t input_cells = 0;
    std::int64_t fft_length = 0;
    std::int64_t columns = 0;     ///< image range columns
    std::int64_t image_rows = 0;  ///< image azimuth rows

    double prf_hz = 0;
    double doppler_centroid_hz = 0;  ///< about which a bin's frequency is taken, and the weights lie
    double image_near_range_m = 0;   ///< R0 of image column 0
    double range_spacing_m = 0;

    MigrationTable laws;
    /// One per bin: azimuth window and every constant gain; 0 outside the processed band, where no law is evaluated.
    std::vector<double> weight;
    /// By how many bins the band lies higher in each group of columns_of_band columns; empty: nowhere.
    std::vector<std::int32_t> band_shift;
    std::int64_t columns_of_band = band_columns;
    /// Image rows of each column whose beam centre lies in the echo; the others are set to zero.
    std::vector<Interval> covered_rows;
    SincKernel kernel;

    /// A line of the image column after the other: the gather makes its spectrum.
    LineShape shape() const { return {columns, fft_length, fft_length, image_rows}; }
    template <class Tables>
    AzimuthCompressionHooks hooks(const Tables& tables) const;
};

struct AzimuthCompressionHooks {
    std::int64_t fft_length, image_rows;
    double prf_hz, doppler_centroid_hz, image_near_range_m, range_spacing_m;
    std::int64_t law_terms;
    double law_half_hz;
    const double *law_centre_hz, *law_powers, *weight;
    const std::int32_t* band_shift;  ///< nullptr: nowhere
    std::int64_t columns_of_band;
    const Interval* covered_rows;

    CT_HOST_DEVICE std::int64_t shift(std::int64_t column) const {
        return band_shift == nullptr ? 0 : band_shift[column / columns_of_band];
    }
    /// Absolute Doppler frequency of a bin: its alias in the PRF about the centre of the column's band.
    CT_HOST_DEVICE double frequency_hz(std::int64_t column, std::int64_t bin) const {
        const double moved_hz = static_cast<double>(shift(column)) * (prf_hz / static_cast<double>(fft_length));
        return azimuth_frequency_hz(bin, fft_length, prf_hz, doppler_centroid_hz + moved_hz);
    }
    CT_HOST_DEVICE double weight_at(std::int64_t column, std::int64_t bin) const {
        const std::int64_t of = (bin - shift(column)) % fft_length;
        return weight[of < 0 ? of + fft_length : of];
    }
    CT_HOST_DEVICE double range_m(std::int64_t column) const {
        return image_near_range_m + static_cast<double>(column) * range_spacing_m;
    }

    /// The laws of a column at a Doppler frequency, the gain as the table has it.
    CT_HOST_DEVICE Migration law(std::int64_t column, double frequency_hz) const {
        const double x = (frequency_hz - law_centre_hz[column]) / law_half_hz;
        const double *position = law_powers + 3 * law_terms * column, *phase = position + law_terms,
                     *gain = phase + law_terms;
        Migration at{0, 0, 0};
        for (std::int64_t k = law_terms; k-- > 0;) {
            at.position_cells = at.position_cells * x + position[k];
            at.phase_cycles = at.phase_cycles * x + phase[k];
            at.gain = at.gain * x + gain[k];
        }
        return at;
    }
    /// All zeros where the weight is 0: out there the frequency need not even exist (beyond 2 V / lambda).
    CT_HOST_DEVICE Migration at(std::int64_t column, std::int64_t bin) const {
        const double bin_weight = weight_at(column, bin);
        if (!(bin_weight > 0)) return {0, 0, 0};
        const Migration there = law(column, frequency_hz(column, bin));
        return {there.position_cells, there.phase_cycles, bin_weight * there.gain / std::sqrt(range_m(column))};
    }
    /// Of what all frequencies of a column share.
    CT_HOST_DEVICE double column_gain(std::int64_t column) const {
        return law_powers[3 * law_terms * column + 2 * law_terms] / std::sqrt(range_m(column));
    }

    CT_HOST_DEVICE Interval covered(std::int64_t column) const { return covered_rows[column]; }
    CT_HOST_DEVICE StoreRule store(std::int64_t column) const { return {fft_length, covered_rows[column]}; }
};

template <class Tables>
AzimuthCompressionHooks AzimuthCompression::hooks(const Tables& tables) const {
    return {.fft_length = fft_length,
            .image_rows = image_rows,
            .prf_hz = prf_hz,
            .doppler_centroid_hz = doppler_centroid_hz,
            .image_near_range_m = image_near_range_m,
            .range_spacing_m = range_spacing_m,
            .law_terms = laws.terms,
            .law_half_hz = laws.half_hz,
            .law_centre_hz = tables(laws.centre_hz, "the centres of the bands"),
            .law_powers = tables(laws.powers, "the migration laws"),
            .weight = tables(weight, "the azimuth weights"),
            .band_shift = band_shift.empty() ? nullptr : tables(band_shift, "the bands of the columns"),
            .columns_of_band = columns_of_band,
            .covered_rows = tables(covered_rows, "the covered rows")};
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Passes of range-Doppler for the hyperbola of a straight track, whose laws are known in closed form: fitted to what
// the passes take.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "kernels/math/chebyshev.h"
#include "kernels/math/hyperbola.h"
#include "kernels/passes/azimuth_compression.h"
#include "kernels/passes/secondary_range_compression.h"

namespace cornerturn {

/// Azimuth compression at a carrier, with a velocity to each column.
struct HyperbolicGather {
    std::int64_t input_cells = 0, fft_length = 0, columns = 0, image_rows = 0;
    double carrier_hz = 0, prf_hz = 0, doppler_centroid_hz = 0;
    double input_near_range_m = 0;  ///< slant range of input cell 0
    double image_near_range_m = 0, range_spacing_m = 0;
    double image_delay_s = 0;          ///< zero-Doppler time of image row 0 less the time of echo line 0
    double range_mean_square_hz2 = 0;  ///< mean square of the range frequencies
    double coupling_range_m = 0;       ///< of the secondary range compression that went before ...
    double coupling_taken_cycles = 0;  ///< ... and this much mean phase at all frequencies
    std::vector<double> velocity_m_s{}, weight{};
    std::vector<std::int32_t> band_shift{};
    std::vector<Interval> covered_rows{};
    SincKernel kernel{};
    double law_centre_drift_hz = 0;  ///< from column to column, of the frequency about which its laws are fitted

    /// In closed form, the gain at a range of 1 m and without the weight.
    Migration law(std::int64_t column, double frequency_hz) const {
        Migration law = at_range(at_velocity(frequency_hz, velocity_m_s[static_cast<std::size_t>(column)]), column);
        law.position_cells -= near_cells();
        return law;
    }

    /// Farthest processed frequency from the centre of its band.
    double half_band_hz() const {
        double half_hz = prf_hz / static_cast<double>(fft_length);
        for (std::int64_t bin = 0; bin < fft_length; ++bin)
            if (weight[static_cast<std::size_t>(bin)] > 0)
                half_hz = std::max(
                    half_hz,
                    std::abs(azimuth_frequency_hz(bin, fft_length, prf_hz, doppler_centroid_hz) - doppler_centroid_hz));
        return half_hz;
    }
    /// About which the laws of a column are fitted: the centre of its band.
    double centre_hz(std::int64_t column) const {
        const auto group = static_cast<std::size_t>(column / band_columns);
        const double shift = band_shift.empty() ? 0.0 : band_shift[group];
        return doppler_centroid_hz + shift * (prf_hz / static_cast<double>(fft_length)) +
               static_cast<double>(column) * law_centre_drift_hz;
    }

    /// The same for the columns of one group alone: its band moved by centroid and weights. That of other columns is
    /// not theirs.
    HyperbolicGather in_band_of(std::int64_t group) const {
        HyperbolicGather moved = *this;
        const std::int64_t shift = band_shift[static_cast<std::size_t>(group)];
        moved.band_shift.clear();
        moved.doppler_centroid_hz += static_cast<double>(shift) * (prf_hz / static_cast<double>(fft_length));
        for (std::int64_t bin = 0; bin < fft_length; ++bin)
            moved.weight[static_cast<std::size_t>(((bin + shift) % fft_length + fft_length) % fft_length)] =
                weight[static_cast<std::size_t>(bin)];
        return moved;
    }

    AzimuthCompression pass() const {
        return {.input_cells = input_cells,
                .fft_length = fft_length,
                .columns = columns,
                .image_rows = image_rows,
                .prf_hz = prf_hz,
                .doppler_centroid_hz = doppler_centroid_hz,
                .image_near_range_m = image_near_range_m,
                .range_spacing_m = range_spacing_m,
                .laws = table(),
                .weight = weight,
                .band_shift = band_shift,
                .covered_rows = covered_rows,
                .kernel = kernel};
    }

private:
    /// Position and phase run linearly with the closest range.
    struct Law {
        double cells_per_m, cycles_per_m, cycles, root_rate;
    };
    static constexpr double Law::*parts[] = {&Law::cells_per_m, &Law::cycles_per_m, &Law::cycles, &Law::root_rate};

    Law at_velocity(double frequency_hz, double velocity) const {
        const double wavelength_m = c_m_s / carrier_hz, sine = 0.5 * wavelength_m * frequency_hz / velocity;
        const double factor = migration_factor(frequency_hz, velocity, wavelength_m);
        const double coupling_per_m = mean_secondary_range_cycles(1.0, factor, range_mean_square_hz2, carrier_hz);
        return {
            .cells_per_m = 1.0 / range_spacing_m / factor,
            // The echo carries -2 R0 D / lambda - 1/8; a point keeps -2 R0 / lambda. D - 1 without loss of digits.
            .cycles_per_m = -2.0 / wavelength_m * (sine * sine / (1.0 + factor)) + coupling_per_m,
            .cycles = 0.125 + frequency_hz * image_delay_s - coupling_range_m * coupling_per_m - coupling_taken_cycles,
            .root_rate = std::sqrt(azimuth_fm_rate_hz_s(1.0, factor, velocity, wavelength_m))};
    }
    double near_cells() const { return input_near_range_m / range_spacing_m; }
    /// Counted from range 0.
    Migration at_range(const Law& law, std::int64_t column) const {
        const double range_m = image_near_range_m + static_cast<double>(column) * range_spacing_m;
        return {range_m * law.cells_per_m, range_m * law.cycles_per_m + law.cycles, law.root_rate};
    }

    /// As many terms as the slowest column needs: it bends most.
    int terms(double half_hz) const {
        std::int64_t slowest = 0;
        for (std::int64_t column = 0; column < columns; ++column)
            if (velocity_m_s[static_cast<std::size_t>(column)] < velocity_m_s[static_cast<std::size_t>(slowest)])
                slowest = column;
        const double centre = centre_hz(slowest),
                     far_m = image_near_range_m + static_cast<double>(columns) * range_spacing_m;
        const double velocity = velocity_m_s[static_cast<std::size_t>(slowest)];
        const auto series_of = [&](double Law::*part, double tolerance) {
            const auto law = [&](double f_hz) { return at_velocity(f_hz, velocity).*part; };
            return static_cast<int>(
                ChebyshevSeries::of(centre - half_hz, centre + half_hz, tolerance, 40, law).coefficients().size());
        };
        return std::max({series_of(&Law::cells_per_m, 2e-10 / far_m), series_of(&Law::cycles_per_m, 2e-10 / far_m),
                         series_of(&Law::root_rate, 1e-12 * at_velocity(centre, velocity).root_rate)});
    }

    /// Coefficients of the powers of (f - centre) / half of each part.
    std::vector<Law> fitted(double centre, double half_hz, double velocity, int count) const {
        std::vector<Law> at, powers(static_cast<std::size_t>(count));
        for (const double f_hz : chebyshev_points(centre - half_hz, centre + half_hz, count))
            at.push_back(at_velocity(f_hz, velocity));
        for (double Law::*part : parts) {
            std::vector<double> values;
            for (const Law& law : at) values.push_back(law.*part);
            const std::vector<double> of_part =
                ChebyshevSeries::through(centre - half_hz, centre + half_hz, values).powers();
            for (std::size_t k = 0; k < powers.size(); ++k) powers[k].*part = of_part[k];
        }
        return powers;
    }

    MigrationTable table() const {
        const double half_hz = half_band_hz();
        const int count = columns > 0 ? terms(half_hz) : 1;
        MigrationTable table{.terms = count, .half_hz = half_hz, .centre_hz = {}, .powers = {}};
        std::map<std::pair<double, double>, std::vector<Law>> fits;  // many columns share a velocity
        for (std::int64_t column = 0; column < columns; ++column) {
            const double centre = centre_hz(column), velocity = velocity_m_s[static_cast<std::size_t>(column)];
            std::vector<Law>& laws = fits[{centre, velocity}];
            if (laws.empty()) laws = fitted(centre, half_hz, velocity, count);
            table.centre_hz.push_back(centre);
            std::vector<Migration> powers;
            for (const Law& law : laws) powers.push_back(at_range(law, column));
            powers[0].position_cells -= near_cells();
            for (double Migration::*part : {&Migration::position_cells, &Migration::phase_cycles, &Migration::gain})
                for (const Migration& power : powers) table.powers.push_back(power.*part);
        }
        return table;
    }
};

/// C band from 1000 km, without columns' velocities and rows, and without weights. At the Doppler centroid column 0
/// lies in input cell `first_cell`.
inline HyperbolicGather c_band_gather(std::int64_t fft_length, std::int64_t cells, double first_cell,
                                      double centroid_hz = -6900) {
    HyperbolicGather gather{.input_cells = cells,
                            .fft_length = fft_length,
                            .columns = cells,
                            .image_rows = fft_length,
                            .carrier_hz = 5.3e9,
                            .prf_hz = 1257,
                            .doppler_centroid_hz = centroid_hz,
                            .image_near_range_m = 988e3,
                            .range_spacing_m = 4.64,
                            .image_delay_s = 3.9};
    gather.input_near_range_m =
        gather.image_near_range_m / migration_factor(centroid_hz, 7062, c_m_s / gather.carrier_hz) -
        first_cell * gather.range_spacing_m;
    return gather;
}

/// Secondary range compression for one range and velocity.
struct HyperbolicCoupling {
    std::int64_t azimuth_bins = 0, range_cells = 0, fft_length = 0;
    double carrier_hz = 0, sample_rate_hz = 0, prf_hz = 0, doppler_centroid_hz = 0, reference_range_m = 0,
           velocity_m_s = 0;

    double doppler_hz(std::int64_t bin) const {
        return azimuth_frequency_hz(bin, azimuth_bins, prf_hz, doppler_centroid_hz);
    }
    /// Whether an echo can have this Doppler frequency, at every range frequency.
    bool exists(std::int64_t bin) const {
        return frequencies_exist(-0.5 * sample_rate_hz, doppler_hz(bin), velocity_m_s, carrier_hz);
    }

    SecondaryRangeCompression pass() const {
        constexpr int terms = 12;
        const double half_hz = 0.5 * sample_rate_hz;
        SecondaryRangeCompression pass{.azimuth_bins = azimuth_bins,
                                       .range_cells = range_cells,
                                       .fft_length = fft_length,
                                       .sample_rate_hz = sample_rate_hz,
                                       .terms = terms - 2,
                                       .half_hz = half_hz,
                                       .powers = {}};
        for (std::int64_t bin = 0; bin < azimuth_bins; ++bin) {
            std::vector<double> cycles;
            for (const double f_hz : chebyshev_points(-half_hz, half_hz, terms))
                cycles.push_back(exists(bin) ? secondary_range_cycles(reference_range_m, f_hz, doppler_hz(bin),
                                                                      velocity_m_s, carrier_hz)
                                             : 0.0);
            const std::vector<double> powers = ChebyshevSeries::through(-half_hz, half_hz, cycles).powers();
            pass.powers.insert(pass.powers.end(), powers.begin() + 2, powers.end());
        }
        return pass;
    }
};

}  // namespace cornerturn

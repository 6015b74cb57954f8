// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/migration_table.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace cornerturn {
namespace {

/// What one column's laws are at a Doppler frequency.
class ColumnLaws {
public:
    ColumnLaws(const Acquisition& acquisition, const ImagePlan& image, const RangeCoupling& coupling,
               double middle_taken, double delay_s, double range_m)
        : acquisition_(acquisition),
          image_(image),
          coupling_(coupling),
          column_(image.histories.middle.column(range_m)),
          middle_hz_(image.parameters.doppler_centroid_hz),
          middle_taken_(middle_taken),
          delay_s_(delay_s),
          range_m_(range_m) {}

    double centroid_hz() const { return column_.centroid_hz; }
    std::size_t terms() const { return column_.phase_cycles.coefficients().size(); }
    Migration at(double offset_hz) const {
        return {position_cells(offset_hz), phase_cycles(offset_hz), column_.root_rate(offset_hz)};
    }

private:
    /// A Doppler frequency moves a pulse within itself: by -f / K, of which the range filter took away that of its own
    /// centroid.
    double position_cells(double offset_hz) const {
        const double near_s = 2 * (range_m_ - acquisition_.near_range_m) / speed_of_light_m_s;
        const double moved_s = (centroid_hz() + offset_hz - middle_hz_) / acquisition_.chirp.slope_hz_s;
        return (near_s + column_.migration_s(offset_hz) - moved_s) * acquisition_.sample_rate_hz();
    }

    double phase_cycles(double offset_hz) const {
        const Chirp& chirp = acquisition_.chirp;
        const double f = centroid_hz() + offset_hz, beyond = f - middle_hz_;
        const double of_pulse = beyond * (0.5 * (f + middle_hz_) / chirp.slope_hz_s - 0.5 * chirp.duration_s);
        // Secondary range compression for another range or frequency leaves a parabola over range frequency; its mean
        // is a phase.
        const double taken = coupling_.place == CouplingPlace::two_dimensional
                                 ? coupling_.taken_cycles_hz2(image_.histories.middle, f)
                                 : middle_taken_;
        const double root = column_.root_rate(offset_hz), carrier_hz = acquisition_.carrier_hz;
        const double left = f * f * range_m_ / (root * root * carrier_hz * carrier_hz) - taken;
        return column_.phase_cycles(offset_hz) + of_pulse - 0.5 * left * coupling_.mean_square_hz2 + 0.125 +
               f * delay_s_;
    }

    const Acquisition& acquisition_;
    const ImagePlan& image_;
    const RangeCoupling& coupling_;
    RangeHistory::Column column_;
    double middle_hz_, middle_taken_, delay_s_, range_m_;
};

/// Over which the centroid moves by no more than their band may lie aside.
std::int64_t columns_of_one_band(const Acquisition& acquisition, const ImagePlan& image) {
    const double most_hz = most_band_shift_hz(acquisition, image);
    std::int64_t columns = band_columns;
    while (columns > least_band_columns && 0.5 * centroid_moves_hz(image, columns) > most_hz)
        columns = std::max(least_band_columns, columns / 2 / least_band_columns * least_band_columns);
    return columns;
}

}  // namespace

MigrationTable tabulated(std::int64_t columns, std::int64_t terms, double half_hz,
                         const std::function<ColumnLaw(std::int64_t column)>& law_of) {
    MigrationTable table{.terms = terms, .half_hz = half_hz, .centre_hz = {}, .powers = {}};
    table.centre_hz.resize(static_cast<std::size_t>(columns));
    table.powers.resize(static_cast<std::size_t>(3 * terms * columns));
    const std::vector<double> offsets = chebyshev_points(-half_hz, half_hz, static_cast<int>(terms));
    const PowersThrough powers_through(static_cast<int>(terms));
#pragma omp parallel for
    for (std::int64_t column = 0; column < columns; ++column) {
        const ColumnLaw law = law_of(column);
        std::vector<double> position, phase, gain;
        for (const double offset_hz : offsets) {
            const Migration at = law.at(offset_hz);
            position.push_back(at.position_cells);
            phase.push_back(at.phase_cycles);
            gain.push_back(at.gain);
        }
        table.centre_hz[static_cast<std::size_t>(column)] = law.centroid_hz;
        double* to = table.powers.data() + 3 * terms * column;
        for (const auto* values : {&position, &phase, &gain}) {
            powers_through(values->data(), to);
            to += terms;
        }
    }
    return table;
}

MigrationTable migration_table(const Acquisition& acquisition, const ImagePlan& image, const RangeCoupling& coupling) {
    const double delay_s = image_delay_lines(acquisition, image.grid) / acquisition.prf_hz,
                 half_hz = image.histories.middle.half_band_hz();
    const std::int64_t columns = image.grid.columns;
    const double middle_taken = coupling.taken_cycles_hz2(image.histories.middle, image.parameters.doppler_centroid_hz);
    const auto laws_of = [&](std::int64_t column) {
        return ColumnLaws(acquisition, image, coupling, middle_taken, delay_s,
                          image.grid.range_m(static_cast<double>(column)));
    };
    const auto terms = static_cast<std::int64_t>(columns > 0 ? laws_of(0).terms() + 1 : 1);
    return tabulated(columns, terms, half_hz, [&](std::int64_t column) -> ColumnLaw {
        const auto laws = std::make_shared<ColumnLaws>(laws_of(column));
        return {laws->centroid_hz(), [laws](double offset_hz) { return laws->at(offset_hz); }};
    });
}

double centroid_moves_hz(const ImagePlan& image, std::int64_t columns) {
    const auto at_hz = [&](std::int64_t column) {
        return image.histories.middle.centroid_hz(
            image.grid.range_m(static_cast<double>(std::min(column, image.grid.columns - 1))));
    };
    double most = 0;
    for (std::int64_t first = 0; first < image.grid.columns; first += columns)
        most = std::max(most, std::abs(at_hz(first + columns) - at_hz(first)));
    return most;
}

double most_aside_hz(const Acquisition& acquisition, const ImagePlan& image) {
    return 0.5 * centroid_moves_hz(image, columns_of_one_band(acquisition, image));
}

ColumnBands column_bands(const Acquisition& acquisition, const ImagePlan& image, std::int64_t fft_length) {
    ColumnBands bands{.columns = columns_of_one_band(acquisition, image)};
    const double step_hz = acquisition.prf_hz / static_cast<double>(fft_length);
    for (std::int64_t first = 0; first < image.grid.columns; first += bands.columns) {
        const std::int64_t last = std::min(first + bands.columns, image.grid.columns) - 1;
        const double range_m = image.grid.range_m(0.5 * static_cast<double>(first + last));
        bands.shifts.push_back(static_cast<std::int32_t>(std::lround(
            (image.histories.middle.centroid_hz(range_m) - image.parameters.doppler_centroid_hz) / step_hz)));
    }
    if (std::all_of(bands.shifts.begin(), bands.shifts.end(), [](std::int32_t shift) { return shift == 0; })) return {};
    return bands;
}

}  // namespace cornerturn

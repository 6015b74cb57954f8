// SPDX-License-Identifier: Apache-2.0
// Back-projection in double precision of lines that hold all that range compression makes of the echo, between whose
// cells nothing is neglected: what factorised sums are held against, column by column.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/steps/steps.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/formers/back_projection_passes.h"
#include "pipeline/run/step_runner.h"

namespace cornerturn {

/// As far beyond the echo as parts of chirps reach.
inline FineLines whole_lines(const Acquisition& acquisition, const ImagePlan& image) {
    const std::int64_t reach = image.reach.range_samples;
    return {.cells = 8,
            .before = static_cast<std::int64_t>(std::ceil(acquisition.chirp_samples())) + reach,
            .behind = reach};
}

class ExactSum {
public:
    ExactSum(const Echo& echo, const ImagePlan& image)
        : sum_(accumulation(echo.acquisition, image, whole_lines(echo.acquisition, image))),
          geometry_(sum_.geometry()),
          lines_(static_cast<std::size_t>(sum_.lines * sum_.cells)) {
        const Acquisition& acquisition = echo.acquisition;
        const FineLines lines = whole_lines(acquisition, image);
        const Algorithm compression{
            .least = least_lengths(acquisition, image, lines), .steps = [&](const FftLengths& fft) {
                return Steps{
                    {"range_compression", "line", "range", fine_range_compression(acquisition, image, fft, lines)}};
            }};
        const auto device = open_device("cpu", 2);
        Matrix samples = device->allocate(acquisition.format, acquisition.lines, acquisition.samples);
        device->upload(echo.samples, samples);
        device->download(StepRunner(*device, compression, {}).run(samples), std::span(lines_));
    }

    /// Summed once for each pixel: several images are held against it.
    std::complex<double> at(std::int64_t row, std::int64_t column) {
        const auto [known, is_new] = known_.try_emplace(row * sum_.columns + column);
        if (is_new) known->second = summed(row, column);
        return known->second;
    }

private:
    std::complex<double> summed(std::int64_t row, std::int64_t column) const {
        const PixelNode pixel = view_of(geometry_.pixels).at(static_cast<double>(row), static_cast<double>(column));
        const DopplerWindowView window = view_of(sum_.window, sum_.window.weight.data());
        const Place place = raised(pixel, geometry_.relief_at_m(row * sum_.columns + column));
        std::complex<double> sum = 0;
        for (std::int64_t line = 0; line < sum_.lines; ++line) {
            const Arrival at = arrival(sum_.timing, geometry_.paths[static_cast<std::size_t>(line)], place);
            const double weight = window.at(at.row_hz - pixel.centroid_hz);
            if (weight == 0) continue;
            const Complex128 turned = unit_phasor<double>(at.cycles + pixel.phase_cycles);
            const Complex128 value = between_cells(line, at.cell);
            sum += weight * std::complex<double>(value.re * turned.re - value.im * turned.im,
                                                 value.re * turned.im + value.im * turned.re);
        }
        return pixel.gain * sum;
    }

    /// By the polynomial through ten cells, of which eight lie in a sample: errs by less than 1e-6.
    /// Each weight is the product of the distances to the cells before and behind, over that of the cells' own.
    Complex128 between_cells(std::int64_t line, double cell) const {
        constexpr int points = 10;
        constexpr double factor[points] = {-1.0 / 362880, 1.0 / 40320, -1.0 / 10080, 1.0 / 4320,   -1.0 / 2880,
                                           1.0 / 2880,    -1.0 / 4320, 1.0 / 10080,  -1.0 / 40320, 1.0 / 362880};
        const auto first = static_cast<std::int64_t>(std::floor(cell)) - points / 2 + 1;
        const double off = cell - static_cast<double>(first);
        double behind[points + 1];
        behind[points] = 1;
        for (int i = points; i-- > 0;) behind[i] = behind[i + 1] * (off - i);
        const std::complex<float>* const samples = lines_.data() + line * sum_.cells + first;
        double before = 1;
        Complex128 sum{0, 0};
        for (int i = 0; i < points; before *= off - i, ++i) {
            if (first + i < 0 || first + i >= sum_.cells) continue;
            const double weight = before * behind[i + 1] * factor[i];
            sum.re += weight * static_cast<double>(samples[i].real());
            sum.im += weight * static_cast<double>(samples[i].imag());
        }
        return sum;
    }

    Accumulation sum_;
    AccumulationGeometry geometry_;
    std::vector<std::complex<float>> lines_;
    std::unordered_map<std::int64_t, std::complex<double>> known_;  // by row and column
};

/// Energy of the error of each column to that of the exact sum there, of some of its rows.
inline std::vector<double> column_errors_db(const Image& image, ExactSum& exact) {
    constexpr std::int64_t looks = 32;
    std::vector<double> errors_db;
    for (std::int64_t column = 0; column < image.grid.columns; ++column) {
        double signal = 0, error = 0;
        for (std::int64_t look = 0; look < looks; ++look) {
            const std::int64_t row = (2 * look + 1) * image.grid.rows / (2 * looks);
            const std::complex<double> got(image.samples[static_cast<std::size_t>(row * image.grid.columns + column)]);
            if (got == 0.0) continue;  // not covered
            const std::complex<double> wanted = exact.at(row, column);
            signal += std::norm(wanted);
            error += std::norm(got - wanted);
        }
        errors_db.push_back(10 * std::log10(error / signal));
    }
    return errors_db;
}

/// No column errs by more.
inline void expect_columns_within(const Image& image, ExactSum& exact, double allowed_db) {
    const std::vector<double> errors_db = column_errors_db(image, exact);
    const auto worst = std::max_element(errors_db.begin(), errors_db.end());
    EXPECT_LE(*worst, allowed_db) << "column " << worst - errors_db.begin() << " of " << errors_db.size();
    testing::Test::RecordProperty("db", std::to_string(*worst));
}

}  // namespace cornerturn

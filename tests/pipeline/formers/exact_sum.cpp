// SPDX-License-Identifier: Apache-2.0
#include "tests/pipeline/formers/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/device/device.h"
#include "kernels/steps/steps.h"
#include "pipeline/formers/back_projection_passes.h"
#include "pipeline/run/step_runner.h"

namespace cornerturn {
namespace {

/// As far beyond the echo as parts of chirps reach.
FineLines whole_lines(const Acquisition& acquisition, const ImagePlan& image) {
    const std::int64_t reach = image.reach.range_samples;
    return {.cells = 8,
            .before = static_cast<std::int64_t>(std::ceil(acquisition.chirp_samples())) + reach,
            .behind = reach};
}

std::vector<std::complex<float>> compressed(const Echo& echo, const ImagePlan& image, const FineLines& lines,
                                            std::int64_t cells) {
    const Acquisition& acquisition = echo.acquisition;
    const Algorithm compression{.least = least_lengths(acquisition, image, lines), .steps = [&](const FftLengths& fft) {
                                    return Steps{{"range_compression", "line", "range",
                                                  fine_range_compression(acquisition, image, fft, lines)}};
                                }};
    const auto device = open_device("cpu", 2);
    Matrix samples = device->allocate(acquisition.format, acquisition.lines, acquisition.samples);
    device->upload(echo.samples, samples);
    std::vector<std::complex<float>> all(static_cast<std::size_t>(acquisition.lines * cells));
    device->download(StepRunner(*device, compression, {}).run(samples), std::span(all));
    return all;
}

/// By the polynomial through ten cells, of which eight lie in a sample: errs by less than 1e-6.
/// Each weight is the product of the distances to the cells before and behind, over that of the cells' own.
std::complex<double> between_cells(std::span<const std::complex<float>> line, double cell) {
    constexpr int points = 10;
    constexpr double factor[points] = {-1.0 / 362880, 1.0 / 40320, -1.0 / 10080, 1.0 / 4320,   -1.0 / 2880,
                                       1.0 / 2880,    -1.0 / 4320, 1.0 / 10080,  -1.0 / 40320, 1.0 / 362880};
    const auto first = static_cast<std::int64_t>(std::floor(cell)) - points / 2 + 1;
    const double off = cell - static_cast<double>(first);
    double behind[points + 1];
    behind[points] = 1;
    for (int i = points; i-- > 0;) behind[i] = behind[i + 1] * (off - i);
    double before = 1, re = 0, im = 0;
    for (int i = 0; i < points; before *= off - i, ++i) {
        if (first + i < 0 || first + i >= std::ssize(line)) continue;
        const double weight = before * behind[i + 1] * factor[i];
        const std::complex<float> sample = line[static_cast<std::size_t>(first + i)];
        re += weight * static_cast<double>(sample.real());
        im += weight * static_cast<double>(sample.imag());
    }
    return {re, im};
}

}  // namespace

ExactSum::ExactSum(const Echo& echo, const ImagePlan& image) {
    const FineLines fine = whole_lines(echo.acquisition, image);
    const Accumulation all = accumulation(echo.acquisition, image, fine);
    const AccumulationGeometry geometry = all.geometry();
    const DopplerWindowView window = view_of(all.window, all.window.weight.data());
    const std::vector<std::complex<float>> lines = compressed(echo, image, fine, all.cells);
    columns_ = all.columns;
    constexpr std::int64_t looks = 32;
    for (std::int64_t look = 0; look < looks; ++look) rows_.push_back((2 * look + 1) * all.rows / (2 * looks));

    struct Pixel {
        PixelNode node;
        Place place;
    };
    std::vector<Pixel> pixels;
    for (const std::int64_t row : rows_)
        for (std::int64_t column = 0; column < columns_; ++column) {
            const PixelNode node = view_of(geometry.pixels).at(static_cast<double>(row), static_cast<double>(column));
            pixels.push_back({node, raised(node, geometry.relief_at_m(row * columns_ + column))});
        }
    sums_.resize(pixels.size());
    // Line by line: neighbours find its cells in the processor's cache.
    for (std::int64_t line = 0; line < all.lines; ++line) {
        const PulsePath& path = geometry.paths[static_cast<std::size_t>(line)];
        const std::span cells =
            std::span(lines).subspan(static_cast<std::size_t>(line * all.cells), static_cast<std::size_t>(all.cells));
        for (std::size_t i = 0; i < pixels.size(); ++i) {
            const auto& [node, place] = pixels[i];
            const Arrival at = arrival(all.timing, path, place);
            const double weight = node.gain * window.at(at.row_hz - node.centroid_hz);
            if (weight == 0) continue;
            const Complex128 turn = unit_phasor<double>(at.cycles + node.phase_cycles);
            const std::complex<double> value = between_cells(cells, at.cell);
            sums_[i] += weight * std::complex<double>(value.real() * turn.re - value.imag() * turn.im,
                                                      value.real() * turn.im + value.imag() * turn.re);
        }
    }
}

std::vector<double> ExactSum::column_errors_db(const Image& image) const {
    std::vector<double> errors_db;
    for (std::int64_t column = 0; column < columns_; ++column) {
        double signal = 0, error = 0;
        for (std::size_t look = 0; look < rows_.size(); ++look) {
            const std::complex<double> got(image.samples[static_cast<std::size_t>(rows_[look] * columns_ + column)]);
            if (got == 0.0) continue;  // not covered
            const std::complex<double> wanted =
                sums_[look * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column)];
            signal += std::norm(wanted);
            error += std::norm(got - wanted);
        }
        errors_db.push_back(10 * std::log10(error / signal));
    }
    return errors_db;
}

void expect_columns_within(const Image& image, const ExactSum& exact, double allowed_db) {
    const std::vector<double> errors_db = exact.column_errors_db(image);
    const auto worst = std::max_element(errors_db.begin(), errors_db.end());
    EXPECT_LE(*worst, allowed_db) << "column " << worst - errors_db.begin() << " of " << errors_db.size();
    testing::Test::RecordProperty("db", std::to_string(*worst));
}

}  // namespace cornerturn

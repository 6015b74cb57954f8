// SPDX-License-Identifier: Apache-2.0
#include "pipeline/measure/multilook.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/errors.h"
#include "kernels/host/line_fft.h"
#include "kernels/host/line_loop.h"
#include "kernels/host/thread_limit.h"
#include "kernels/math/fast_length.h"
#include "kernels/math/phasor.h"
#include "pipeline/measure/point_chip.h"
#include "pipeline/measure/point_theory.h"

namespace cornerturn {
namespace {

constexpr double rounded = 0.125;  // of a look's band, at either edge
constexpr std::int64_t pixels_at_once = std::int64_t{4} << 20;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

float finite(float power) { return std::isfinite(power) ? power : 0.0f; }
Complex64 finite_or_zero(std::complex<float> v) {
    return std::isfinite(std::norm(v)) ? Complex64{v.real(), v.imag()} : Complex64{0, 0};
}

void average_samples(const ImageView& view, const MultilookOptions& options, int threads, const PowerRows& sink,
                     const Progress& progress) {
    const ImageGrid &grid = view.header().grid, cells = multilooked_grid(grid, options.looks);
    const auto [azimuth, range] = options.looks;
    const std::int64_t at_once = std::max<std::int64_t>(1, pixels_at_once / (grid.columns * azimuth));
    for (std::int64_t first = 0; first < cells.rows; first += at_once) {
        throw_if_interrupted();
        if (progress) progress("detection", static_cast<double>(first) / static_cast<double>(cells.rows));
        const std::int64_t rows = std::min(at_once, cells.rows - first);
        const Pixels pixels = view.read(
            {.first_row = first * azimuth, .rows = rows * azimuth, .first_column = 0, .columns = grid.columns});
        std::vector<float> power(at(rows * cells.columns));
#pragma omp parallel for schedule(static) num_threads(threads)
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t column = 0; column < cells.columns; ++column) {
                double sum = 0;
                for (std::int64_t i = row * azimuth; i < (row + 1) * azimuth; ++i)
                    for (std::int64_t k = column * range; k < (column + 1) * range; ++k)
                        sum += static_cast<double>(finite(std::norm(pixels.samples[at(i * grid.columns + k)])));
                power[at(row * cells.columns + column)] =
                    static_cast<float>(sum / static_cast<double>(azimuth * range));
            }
        sink(first, power);
    }
}

/// The looks of one axis: bands of one width side by side or overlapping, in cycles per sample about the processed
/// band's middle.
class SubBands {
public:
    SubBands(double band, std::int64_t looks, double overlap, const Window& window)
        : count_(looks),
          width_(band / (static_cast<double>(looks - 1) * (1 - overlap) + 1)),
          step_(width_ * (1 - overlap)),
          window_(window) {
        // Mean of the weight's square over the processed band, outside of which there is nothing.
        constexpr int steps = 4096;
        for (std::int64_t look = 0; look < count_; ++look) {
            double sum = 0;
            for (int i = 0; i < steps; ++i) sum += std::pow(shape(look, ((i + 0.5) / steps - 0.5) * band), 2);
            scale_.push_back(1 / std::sqrt(sum / steps));
        }
    }
    std::int64_t count() const { return count_; }
    double width() const { return width_; }
    /// At a frequency about the processed band's middle.
    double weight(std::int64_t look, double cycles) const { return scale_[at(look)] * shape(look, cycles); }

private:
    double shape(std::int64_t look, double cycles) const {
        const double off = cycles - (static_cast<double>(look) - 0.5 * static_cast<double>(count_ - 1)) * step_;
        const double x = std::abs(off - std::rint(off)) / width_;  // 1/2: the edge; the spectrum is a circle
        return window_(std::min(x, 0.5)) * fade_out((x - 0.5) / rounded + 0.5);
    }

    std::int64_t count_;
    double width_, step_;
    Window window_;
    std::vector<double> scale_;
};

/// One axis of a block: lines transformed, each look of them filtered and read at the middles of cells.
class LookFilter {
public:
    LookFilter(std::int64_t length, std::int64_t samples_of_cell, const SubBands& bands)
        : length_(length),
          samples_of_cell_(samples_of_cell),
          forward_(length, FftDirection::forward),
          inverse_(length, FftDirection::inverse) {
        const double middle = 0.5 * static_cast<double>(samples_of_cell - 1);
        for (std::int64_t look = 0; look < bands.count(); ++look) {
            std::vector<Complex64>& weights = weights_.emplace_back(at(length));
            for (std::int64_t k = 0; k < length; ++k) {
                const double cycles =
                    static_cast<double>(k < length / 2 ? k : k - length) / static_cast<double>(length);
                weights[at(k)] = static_cast<float>(bands.weight(look, cycles) / static_cast<double>(length)) *
                                 unit_phasor<float>(cycles * middle);
            }
        }
    }

    std::int64_t length() const { return length_; }
    void forward(Complex64* line) const { forward_(line); }
    /// From the spectrum of a line whose band lies about a carrier, at `first`, `first` + samples_of_cell ...: the
    /// middles of the cells that begin there.
    template <class Store>
    void look(const Complex64* spectrum, std::int64_t look, double carrier_cycles, std::int64_t first,
              std::int64_t cells, Complex64* work, Store store) const {
        const auto shift = static_cast<std::int64_t>(
            std::lround((carrier_cycles - std::floor(carrier_cycles)) * static_cast<double>(length_)));
        const std::vector<Complex64>& weights = weights_[at(look)];
        for (std::int64_t k = 0; k < length_; ++k)
            work[k] = spectrum[k] * weights[at(k >= shift ? k - shift : k - shift + length_)];
        inverse_(work);
        for (std::int64_t cell = 0; cell < cells; ++cell) store(cell, work[first + cell * samples_of_cell_]);
    }

private:
    std::int64_t length_, samples_of_cell_;
    std::vector<std::vector<Complex64>> weights_;  // of each look, about the band's middle
    LineFft<float> forward_, inverse_;
};

/// Where the band lies, at a row for all columns, in cycles per sample.
struct BandCentres {
    std::vector<double> azimuth;  ///< of each column
    double range = 0;             ///< in the middle of the row
};

BandCentres band_centres(const Image& header, double row) {
    BandCentres centres;
    const ImageGrid& grid = header.grid;
    for (std::int64_t column = 0; column < grid.columns; ++column)
        centres.azimuth.push_back(
            header.processing.doppler_hz(grid.time_s(row), grid.range_m(static_cast<double>(column))) *
            grid.time_spacing_s);
    ResponseSupport support = response_support(header, row, 0.5 * static_cast<double>(grid.columns - 1));
    support.beam_bandwidth_hz = {};  // all that was processed
    centres.range = carriers(support, grid).range_cycles;
    return centres;
}

/// Rows of a block: what is made of it, and around it what the filters reach.
struct Margins {
    std::int64_t cells_at_once = 0, reach = 0, length = 0;
};

/// A look's response, 92 dB down, ends 4 over the width of its rounded edge away.
Margins margins_of(double width, std::int64_t looks, std::int64_t columns, std::int64_t rows) {
    const auto reach = static_cast<std::int64_t>(std::ceil(4 / (rounded * width)));
    const std::int64_t wanted = std::clamp<std::int64_t>(pixels_at_once / columns, 4 * reach, 16384);
    const std::int64_t cells = std::max<std::int64_t>(1, std::min(wanted, rows) / looks);
    return {cells, reach, fast_length(cells * looks + 2 * reach)};
}

void average_bands(const ImageView& view, const MultilookOptions& options, int threads, const PowerRows& sink,
                   const Progress& progress) {
    const Image& header = view.header();
    const ImageGrid &grid = header.grid, cells = multilooked_grid(grid, options.looks);
    const ResponseSupport support =
        response_support(header, 0.5 * static_cast<double>(grid.rows), 0.5 * static_cast<double>(grid.columns));
    const double azimuth_band = std::min(1.0, support.azimuth_bandwidth_hz * grid.time_spacing_s),
                 range_band = std::min(1.0, support.range_bandwidth_hz * 2 * grid.range_spacing_m / speed_of_light_m_s);
    const SubBands azimuth_bands(azimuth_band, options.looks.azimuth, options.overlap, options.azimuth_window),
        range_bands(range_band, options.looks.range, options.overlap, options.range_window);
    const Margins margins = margins_of(azimuth_bands.width(), options.looks.azimuth, grid.columns, grid.rows);
    const auto range_reach = static_cast<std::int64_t>(std::ceil(4 / (rounded * range_bands.width())));
    const LookFilter across(fast_length(grid.columns + range_reach), options.looks.range, range_bands),
        down(margins.length, options.looks.azimuth, azimuth_bands);
    const LineBuffers<float> spectra(threads, std::max(across.length(), down.length())),
        works(threads, std::max(across.length(), down.length()));

    for (std::int64_t first = 0; first < cells.rows; first += margins.cells_at_once) {
        if (progress) progress("looks", static_cast<double>(first) / static_cast<double>(cells.rows));
        const std::int64_t rows = std::min(margins.cells_at_once, cells.rows - first),
                           first_row = first * options.looks.azimuth;
        const std::int64_t begin = std::max<std::int64_t>(0, first_row - margins.reach),
                           end = std::min(grid.rows, first_row + rows * options.looks.azimuth + margins.reach);
        const Pixels pixels =
            view.read({.first_row = begin, .rows = end - begin, .first_column = 0, .columns = grid.columns});
        const BandCentres centres = band_centres(
            header, static_cast<double>(first_row) + 0.5 * static_cast<double>(rows * options.looks.azimuth));
        std::vector<Complex64> looked(at((end - begin) * cells.columns));  // one range look
        std::vector<double> power(at(rows * cells.columns));
        for (std::int64_t range_look = 0; range_look < range_bands.count(); ++range_look) {
            for_each_line(end - begin, threads, [&](std::int64_t row) {
                Complex64 *spectrum = spectra.mine(), *work = works.mine();
                const auto from = pixels.samples.begin() + row * grid.columns;
                std::fill(std::transform(from, from + grid.columns, spectrum, finite_or_zero),
                          spectrum + across.length(), Complex64{0, 0});
                across.forward(spectrum);
                across.look(
                    spectrum, range_look, centres.range, 0, cells.columns, work,
                    [&](std::int64_t cell, Complex64 value) { looked[at(row * cells.columns + cell)] = value; });
            });
            for_each_line(cells.columns, threads, [&](std::int64_t column) {
                Complex64 *spectrum = spectra.mine(), *work = works.mine();
                std::fill_n(spectrum, down.length(), Complex64{0, 0});
                for (std::int64_t k = 0; k < end - begin; ++k) spectrum[k] = looked[at(k * cells.columns + column)];
                down.forward(spectrum);
                const double carrier = centres.azimuth[at(column * options.looks.range + options.looks.range / 2)];
                for (std::int64_t look = 0; look < azimuth_bands.count(); ++look)
                    down.look(spectrum, look, carrier, first_row - begin, rows, work,
                              [&](std::int64_t cell, Complex64 value) {
                                  power[at(cell * cells.columns + column)] +=
                                      static_cast<double>(value.re * value.re + value.im * value.im);
                              });
            });
        }
        std::vector<float> mean;
        const double looks = static_cast<double>(azimuth_bands.count() * range_bands.count());
        for (const double sum : power) mean.push_back(static_cast<float>(sum / looks));
        sink(first, mean);
    }
}

}  // namespace

ImageGrid multilooked_grid(const ImageGrid& grid, const Looks& looks) {
    if (looks.azimuth < 1 || looks.range < 1 || looks.azimuth > grid.rows || looks.range > grid.columns)
        throw InputError(
            fmt::format("looks {}x{}: an image of {} rows and {} columns has no cell of that size; give fewer",
                        looks.azimuth, looks.range, grid.rows, grid.columns));
    ImageGrid cells = grid;
    cells.rows = grid.rows / looks.azimuth;
    cells.columns = grid.columns / looks.range;
    cells.first_time_s = grid.time_s(0.5 * static_cast<double>(looks.azimuth - 1));
    cells.near_range_m = grid.range_m(0.5 * static_cast<double>(looks.range - 1));
    cells.time_spacing_s = grid.time_spacing_s * static_cast<double>(looks.azimuth);
    cells.range_spacing_m = grid.range_spacing_m * static_cast<double>(looks.range);
    return cells;
}

void multilook(const ImageView& image, const MultilookOptions& options, const PowerRows& rows,
               const Progress& progress) {
    if (!(options.overlap >= 0 && options.overlap < 1))
        throw InputError(fmt::format("overlap of looks is {}, expected 0 to less than 1", options.overlap));
    const int threads = thread_count(options.threads);
    if (options.domain == LookDomain::detected)
        average_samples(image, options, threads, rows, progress);
    else
        average_bands(image, options, threads, rows, progress);
    if (progress) progress("detected", 1);
}

}  // namespace cornerturn

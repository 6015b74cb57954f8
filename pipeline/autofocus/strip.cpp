// SPDX-License-Identifier: Apache-2.0
#include "pipeline/autofocus/strip.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/host/line_loop.h"
#include "kernels/math/fast_length.h"
#include "kernels/math/frequency.h"
#include "kernels/math/phasor.h"

namespace cornerturn {
namespace {

constexpr double stretch_apertures = 3;  // of a stretch's own rows
constexpr double guard_cells = 128;      // to which a blurred point may reach into the neighbour
constexpr std::int64_t margin_lines = 32;

/// Rows of the image that are one after the other in all its columns.
struct Stretch {
    std::int64_t first_row, rows;  // with those of the neighbours
    Interval own;
};

std::vector<Stretch> stretches(std::int64_t rows, double aperture_lines, double rows_per_cell) {
    const auto wanted = static_cast<std::int64_t>(std::ceil(stretch_apertures * aperture_lines));
    const std::int64_t count = std::max<std::int64_t>(1, (rows + wanted / 2) / std::max<std::int64_t>(1, wanted));
    const auto guard = static_cast<std::int64_t>(std::ceil(guard_cells * rows_per_cell));
    std::vector<Stretch> found;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t first = rows * i / count, last = rows * (i + 1) / count;
        const std::int64_t from = std::max<std::int64_t>(0, first - guard), to = std::min(rows, last + guard);
        found.push_back(
            {from, to - from, {static_cast<std::int32_t>(first - from), static_cast<std::int32_t>(last - from)}});
    }
    return found;
}

/// What a history says of one column, in lines and absolute frequencies.
struct ColumnTiming {
    double centroid_hz, half_band_hz;            // with all that was processed
    double earliest, latest;                     // lines after the zero-Doppler time that see a target, in that band
    double illuminated_first, illuminated_last;  // in the illuminated one

    ColumnTiming(const RangeHistory& history, double range_m, double prf_hz, double illuminated_band_hz)
        : centroid_hz(history.centroid_hz(range_m)), half_band_hz(std::min(history.half_band_hz(), prf_hz / 2)) {
        const auto line = [&](double offset_hz) { return history.time_s(range_m, centroid_hz + offset_hz) * prf_hz; };
        const double illuminated_hz = std::min(illuminated_band_hz / 2, half_band_hz);
        earliest = line(half_band_hz);
        latest = line(-half_band_hz);
        illuminated_first = line(illuminated_hz);
        illuminated_last = line(-illuminated_hz);
    }
};

/// Image columns of a stretch by how much of their power lies in few pixels.
std::vector<std::int64_t> columns_of_contrast(const StripImage& image, const Stretch& stretch,
                                              const StripLimits& limits) {
    const auto columns = static_cast<std::int64_t>(image.range_m.size());
    std::vector<double> score(image.range_m.size());
    for_each_line(columns, limits.threads, [&](std::int64_t column) {
        const std::complex<float>* from = image.samples.data() + column * image.grid.rows + stretch.first_row;
        double sum = 0;
        for (std::int64_t row = 0; row < stretch.rows; ++row)
            sum += std::pow(static_cast<double>(std::norm(from[row])), 2);
        score[static_cast<std::size_t>(column)] = sum;
    });
    std::vector<std::int64_t> order(score.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
        return score[static_cast<std::size_t>(a)] > score[static_cast<std::size_t>(b)];
    });
    order.resize(std::min(order.size(), static_cast<std::size_t>(limits.columns)));
    std::erase_if(order, [&](auto column) { return !(score[static_cast<std::size_t>(column)] > 0); });
    std::sort(order.begin(), order.end());
    return order;
}

/// Row r of the stretch lies rows_behind_line + r lines behind the piece's first one, at its zero-Doppler time.
void set_law(const RangeHistory& history, double range_m, const ColumnTiming& timing, double prf_hz,
             double rows_behind_line, StripPiece& piece) {
    const auto length = static_cast<std::int64_t>(piece.law.size());
    for (std::int64_t bin = 0; bin < length; ++bin) {
        const double f_hz = azimuth_frequency_hz(bin, length, prf_hz, timing.centroid_hz);
        if (std::abs(f_hz - timing.centroid_hz) > timing.half_band_hz) continue;
        const double cycles = history.phase_cycles(range_m, f_hz) + f_hz / prf_hz * rows_behind_line;
        piece.law[static_cast<std::size_t>(bin)] = unit_phasor<float>(-cycles);
    }
}

}  // namespace

Strip strip_of(const StripImage& image, const StripLimits& limits) {
    const double prf_hz = 1 / image.grid.time_spacing_s, middle_m = image.range_m[image.range_m.size() / 2];
    const RangeHistory middle = image.history(image.grid.time_s(0.5 * static_cast<double>(image.grid.rows - 1)));
    const ColumnTiming timing(middle, middle_m, prf_hz, image.illuminated_band_hz);
    Strip strip{.lines = image.lines,
                .aperture_lines = timing.illuminated_last - timing.illuminated_first,
                .rows_per_cell = prf_hz / image.illuminated_band_hz,
                .pieces = {}};
    const std::vector<Stretch> parts = stretches(image.grid.rows, strip.aperture_lines, strip.rows_per_cell);
    std::int64_t longest = 0;
    for (const Stretch& part : parts) longest = std::max(longest, part.rows);
    // An aperture more than in the middle may take a tenth more, at far range.
    strip.length =
        fast_length(longest + static_cast<std::int64_t>(1.1 * (timing.latest - timing.earliest)) + 4 * margin_lines);
    const StripTransforms transforms(strip.length);
    const LineBuffers<float> buffers(limits.threads, strip.length);
    for (const Stretch& part : parts) {
        const RangeHistory history = image.steady
                                         ? middle
                                         : image.history(image.grid.time_s(static_cast<double>(part.first_row) +
                                                                           0.5 * static_cast<double>(part.rows)));
        const std::vector<std::int64_t> columns = columns_of_contrast(image, part, limits);
        const std::size_t before = strip.pieces.size();
        strip.pieces.resize(before + columns.size());
        for_each_line(std::ssize(columns), limits.threads, [&](std::int64_t i) {
            const std::int64_t column = columns[static_cast<std::size_t>(i)];
            const double range_m = image.range_m[static_cast<std::size_t>(column)];
            const ColumnTiming seen(history, range_m, prf_hz, image.illuminated_band_hz);
            const double row_0_line =
                (image.grid.time_s(static_cast<double>(part.first_row)) - image.first_line_time_s) * prf_hz;
            StripPiece& piece = strip.pieces[before + static_cast<std::size_t>(i)];
            piece.first_line = static_cast<std::int64_t>(std::floor(row_0_line + seen.earliest)) - margin_lines;
            piece.first_row = part.first_row;
            piece.rows = part.own;
            const double rows_behind_line = row_0_line - static_cast<double>(piece.first_line);
            piece.illuminated_first = rows_behind_line + seen.illuminated_first;
            piece.illuminated_last = rows_behind_line + seen.illuminated_last;
            piece.law.resize(static_cast<std::size_t>(strip.length));
            set_law(history, range_m, seen, prf_hz, rows_behind_line, piece);
            Complex64* values = buffers.mine();
            std::fill_n(values, strip.length, Complex64{0, 0});
            const std::complex<float>* from = image.samples.data() + column * image.grid.rows + part.first_row;
            for (std::int64_t row = 0; row < part.rows; ++row) values[row] = {from[row].real(), from[row].imag()};
            transforms.expand(piece, values);
            piece.echo.assign(values, values + strip.length);
        });
    }
    return strip;
}

void StripTransforms::corrected(const StripPiece& piece, std::span<const Complex64> line_phasors,
                                Complex64* echo) const {
    std::copy(piece.echo.begin(), piece.echo.end(), echo);
    const std::int64_t first = std::max<std::int64_t>(0, -piece.first_line);
    const std::int64_t last = std::min(length_, std::ssize(line_phasors) - piece.first_line);
    for (std::int64_t n = first; n < last; ++n)
        echo[n] = line_phasors[static_cast<std::size_t>(piece.first_line + n)] * echo[n];
}

void StripTransforms::filter(const StripPiece& piece, bool conjugate, Complex64* values) const {
    const float scale = 1 / static_cast<float>(length_);
    forward_(values);
    for (std::int64_t bin = 0; bin < length_; ++bin) {
        const Complex64 law = scale * piece.law[static_cast<std::size_t>(bin)];
        values[bin] = (conjugate ? conj(law) : law) * values[bin];
    }
    inverse_(values);
}

void StripTransforms::impulse(const StripPiece& piece, std::int64_t row, Complex64* echo) const {
    const float scale = 1 / static_cast<float>(length_);
    for (std::int64_t bin = 0; bin < length_; ++bin) {
        const double cycles = -static_cast<double>(bin * row % length_) / static_cast<double>(length_);
        echo[bin] = scale * (unit_phasor<float>(cycles) * piece.law[static_cast<std::size_t>(bin)]);
    }
    inverse_(echo);
}

double entropy(const Strip& strip, std::span<const double> phase_rad, int threads) {
    const std::vector<Complex64> phasors = phasors_against(phase_rad);
    const StripTransforms transforms(strip.length);
    const LineBuffers<float> buffers(threads, strip.length);
    std::vector<double> powers(strip.pieces.size()), logs(powers.size());
    for_each_line(std::ssize(strip.pieces), threads, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        const StripPiece& piece = strip.pieces[at];
        Complex64* values = buffers.mine();
        transforms.corrected(piece, phasors, values);
        transforms.compress(piece, values);
        double sum = 0, log_sum = 0;
        for (std::int64_t n = 0; n < strip.length; ++n) {
            const double p = power(values[n]);
            if (!(p > 0)) continue;
            sum += p;
            log_sum += p * std::log(p);
        }
        powers[at] = sum;
        logs[at] = log_sum;
    });
    return entropy_of(std::accumulate(powers.begin(), powers.end(), 0.0),
                      std::accumulate(logs.begin(), logs.end(), 0.0));
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Back-projection of a chip on the CPU: lines shared among threads, each decoded once for all pixels, samples eight at a time.
#include "kernels/cpu/backproject.h"

#include <omp.h>

#include <algorithm>

#include "kernels/cpu/decoding_tables.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

constexpr int lanes = 8;

/// The part of one line that the chip needs, as numbers.
struct DecodedLine {
    std::int64_t first = 0;
    std::vector<double> re, im;

    template <class Reader>
    void decode(const Reader& reader, std::int64_t line, IndexRange samples) {
        first = samples.first;
        const auto count = static_cast<std::size_t>(samples.last - samples.first);
        re.resize(count);
        im.resize(count);
        for (std::size_t k = 0; k < count; ++k) {
            const Complex<double> value = reader(line, first + static_cast<std::int64_t>(k));
            re[k] = value.re;
            im[k] = value.im;
        }
    }
};

/// What correlate_pulse reads from.
struct LineSource {
    const double* re;
    const double* im;
    std::int64_t first;
    CT_HOST_DEVICE Complex<double> operator()(std::int64_t, std::int64_t sample) const { return {re[sample - first], im[sample - first]}; }
};

struct Pixel {
    double range_m = 0;
    double time_s = 0;
    IndexRange lines;
};

std::vector<Pixel> pixels_of(const BackprojectionChip& chip) {
    std::vector<Pixel> pixels;
    for (std::int64_t row = 0; row < chip.rows; ++row)
        for (std::int64_t column = 0; column < chip.columns; ++column) {
            Pixel pixel{.range_m = chip.first_range_m + static_cast<double>(column) * chip.column_spacing_m,
                        .time_s = chip.first_time_s + static_cast<double>(row) * chip.time_spacing_s,
                        .lines = {}};
            pixel.lines = recorded(aperture_lines(chip, pixel.range_m, pixel.time_s), chip.lines);
            pixels.push_back(pixel);
        }
    return pixels;
}

/// Adds one line to all pixels that have it in their aperture. `ranges_m` is scratch, one for each pixel.
template <class Reader>
void add_line(const Reader& reader, const BackprojectionChip& chip, const std::vector<Pixel>& pixels, std::int64_t line,
              DecodedLine& decoded, std::vector<double>& ranges_m, std::vector<std::complex<double>>& sums) {
    IndexRange needed{chip.samples, 0};
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        if (line < pixels[i].lines.first || line >= pixels[i].lines.last) continue;
        ranges_m[i] = range_at_line(chip, pixels[i].range_m, pixels[i].time_s, line);
        const IndexRange pulse = recorded(pulse_samples(chip, ranges_m[i]), chip.samples);
        if (pulse.first == pulse.last) continue;
        needed = {std::min(needed.first, pulse.first), std::max(needed.last, pulse.last)};
    }
    if (needed.first >= needed.last) return;
    decoded.decode(reader, line, needed);
    const LineSource source{decoded.re.data(), decoded.im.data(), decoded.first};
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        if (line < pixels[i].lines.first || line >= pixels[i].lines.last) continue;
        const Complex<double> term =
            carrier_phasor(chip, pixels[i].range_m, ranges_m[i]) * correlate_pulse<lanes>(source, chip, line, ranges_m[i], 0, lanes);
        sums[i] += std::complex<double>(term.re, term.im);
    }
}

template <class Reader>
std::vector<std::complex<double>> backproject(const Reader& reader, const BackprojectionChip& chip, int threads) {
    const std::vector<Pixel> pixels = pixels_of(chip);
    IndexRange lines{chip.lines, 0};
    for (const Pixel& pixel : pixels) lines = {std::min(lines.first, pixel.lines.first), std::max(lines.last, pixel.lines.last)};

    std::vector<std::vector<std::complex<double>>> sums(static_cast<std::size_t>(threads),
                                                        std::vector<std::complex<double>>(pixels.size()));
#pragma omp parallel num_threads(threads)
    {
        DecodedLine decoded;
        std::vector<double> ranges_m(pixels.size());
        auto& mine = sums[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(static)
        for (std::int64_t line = lines.first; line < lines.last; ++line)
            if (!interrupt_requested.load(std::memory_order_relaxed)) add_line(reader, chip, pixels, line, decoded, ranges_m, mine);
    }
    throw_if_interrupted();

    std::vector<std::complex<double>> chip_pixels(pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        for (const auto& part : sums) chip_pixels[i] += part[i];
        chip_pixels[i] /= model_energy(chip, pixels[i].range_m, pixels[i].time_s);
    }
    return chip_pixels;
}

}  // namespace

std::vector<std::complex<double>> backproject_on_cpu(const Matrix& echo, const EchoDecoding& decoding, const BackprojectionChip& chip,
                                                     int threads) {
    return with_component(echo.format, [&]<class Component>(std::type_identity<Component>) {
        return backproject(echo_reader<double, Component>(echo, decoding), chip, threads > 0 ? threads : omp_get_num_procs());
    });
}

}  // namespace cornerturn

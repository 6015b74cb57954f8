// SPDX-License-Identifier: Apache-2.0
// Back-projection of a chip on the CPU: lines shared among threads, each decoded once for all pixels, samples eight at
// a time.
#include "kernels/cpu/back_projection/chip.h"

#include <omp.h>

#include <algorithm>

#include "kernels/host/host_echo.h"
#include "kernels/host/thread_limit.h"
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
    CT_HOST_DEVICE Complex<double> operator()(std::int64_t, std::int64_t sample) const {
        return {re[sample - first], im[sample - first]};
    }
};

bool sees(const BackprojectionPixel& pixel, std::int64_t line) {
    return line >= pixel.lines.first && line < pixel.lines.last;
}

/// Sum and energy of the model, for each pixel.
struct Sums {
    explicit Sums(std::size_t pixels) : value(pixels), energy(pixels) {}
    std::vector<std::complex<double>> value;
    std::vector<double> energy;
};

/// Adds one line to all pixels that have it in their aperture. `pulses` is scratch, one for each pixel.
template <class Reader>
void add_line(const Reader& reader, const BackprojectionChip& chip, std::int64_t line, DecodedLine& decoded,
              std::vector<PulseEcho>& pulses, Sums& sums) {
    const PulsePath& path = chip.paths[static_cast<std::size_t>(line - chip.first_path)];
    IndexRange needed{chip.samples, 0};
    for (std::size_t i = 0; i < chip.pixels.size(); ++i) {
        if (!sees(chip.pixels[i], line)) continue;
        pulses[i] = pulse_echo(chip.timing, path, chip.pixels[i].place);
        sums.energy[i] += static_cast<double>(pulses[i].samples.last - pulses[i].samples.first);
        const IndexRange covered = recorded(pulses[i].samples, chip.samples);
        if (covered.first == covered.last) continue;
        needed = {std::min(needed.first, covered.first), std::max(needed.last, covered.last)};
    }
    if (needed.first >= needed.last) return;
    decoded.decode(reader, line, needed);
    const LineSource source{decoded.re.data(), decoded.im.data(), decoded.first};
    for (std::size_t i = 0; i < chip.pixels.size(); ++i) {
        if (!sees(chip.pixels[i], line)) continue;
        const Complex<double> term = correlate_pulse<lanes>(source, pulses[i], chip.samples, line, 0, lanes);
        sums.value[i] += std::complex<double>(term.re, term.im);
    }
}

template <class Reader>
std::vector<std::complex<double>> backproject(const Reader& reader, const BackprojectionChip& chip, int threads) {
    IndexRange lines{chip.lines, 0};
    for (const BackprojectionPixel& pixel : chip.pixels) {
        const IndexRange there = recorded(pixel.lines, chip.lines);
        if (there.first < there.last) lines = {std::min(lines.first, there.first), std::max(lines.last, there.last)};
    }
    std::vector<Sums> sums(static_cast<std::size_t>(threads), Sums(chip.pixels.size()));
    const StopRequest stop = JobScope::stop();
#pragma omp parallel num_threads(threads)
    {
        const JobScope job(stop);
        DecodedLine decoded;
        std::vector<PulseEcho> pulses(chip.pixels.size());
        Sums& mine = sums[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(static)
        for (std::int64_t line = lines.first; line < lines.last; ++line)
            if (!stop_requested()) add_line(reader, chip, line, decoded, pulses, mine);
    }
    throw_if_interrupted();

    std::vector<std::complex<double>> pixels(chip.pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        double energy = unrecorded_energy(chip.timing, chip.pixels[i].lines, chip.lines);
        for (const Sums& part : sums) pixels[i] += part.value[i], energy += part.energy[i];
        const Complex<double> phase = image_phasor(chip.timing, chip.pixels[i].range_m);
        pixels[i] *= energy > 0 ? std::complex<double>(phase.re, phase.im) / energy : 0.0;
    }
    return pixels;
}

}  // namespace

std::vector<std::complex<double>> backproject_on_cpu(const Matrix& echo, const EchoDecoding& decoding,
                                                     const BackprojectionChip& chip, int threads) {
    return with_component(echo.format, [&]<class Component>(std::type_identity<Component>) {
        return backproject(host_echo<double, Component>(echo.data<std::byte>(), echo.columns, decoding, 0), chip,
                           thread_count(threads));
    });
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/finer_echo.h"

#include <algorithm>
#include <cmath>

#include "kernels/host/line_loop.h"
#include "kernels/host/thread_limit.h"
#include "kernels/math/fast_length.h"
#include "pipeline/echo/decoded_lines.h"

namespace cornerturn {
namespace {

constexpr std::int64_t coarse = 8;  // parts of a sample in which the finer ones are counted
constexpr std::int64_t most_eighths = 8 * coarse;
constexpr std::int64_t guard = 64;  // samples between a line's end and its beginning
constexpr double room = 0.93;       // of the sampling rate: edges of interpolators fade beyond

std::int64_t finer(std::int64_t samples, std::int64_t eighths) { return (samples * eighths + coarse - 1) / coarse; }

/// Bins of a spectrum of `length` into one of `finer_length`, from which zeros were taken.
template <class Real>
void append_zeros(Complex<Real>* line, std::int64_t length, std::int64_t finer_length) {
    const std::int64_t negative = length / 2;
    std::copy_backward(line + length - negative, line + length, line + finer_length);
    std::fill(line + length - negative, line + finer_length - negative, Complex<Real>{0, 0});
}

std::vector<std::complex<float>> finer_replica(const std::vector<std::complex<float>>& replica, std::int64_t eighths) {
    if (replica.empty()) return {};
    if (replica.size() == 1)  // of a compressed pulse: all frequencies alike
        return {replica.front() * (static_cast<float>(eighths) / static_cast<float>(coarse))};
    const auto samples = static_cast<std::int64_t>(replica.size());
    const std::int64_t length = fast_length(samples + guard), finer_length = length * eighths / coarse;
    LineBuffer<double> line(finer_length);
    std::fill_n(line.data(), finer_length, Complex128{0, 0});
    for (std::int64_t i = 0; i < samples; ++i) {
        const std::complex<double> value(replica[static_cast<std::size_t>(i)]);
        line.data()[i] = {value.real(), value.imag()};
    }
    LineFft<double>(length, FftDirection::forward)(line.data());
    append_zeros(line.data(), length, finer_length);
    LineFft<double>(finer_length, FftDirection::inverse)(line.data());
    std::vector<std::complex<float>> finer_one;
    for (std::int64_t i = 0; i < finer(samples, eighths); ++i)
        finer_one.emplace_back(static_cast<float>(line.data()[i].re / static_cast<double>(length)),
                               static_cast<float>(line.data()[i].im / static_cast<double>(length)));
    return finer_one;
}

Acquisition finer(const Acquisition& echo, std::int64_t eighths) {
    Acquisition finer_one = echo;
    finer_one.samples = finer(echo.samples, eighths);
    finer_one.range_spacing_m *= static_cast<double>(coarse) / static_cast<double>(eighths);
    finer_one.chirp.replica = finer_replica(echo.chirp.replica, eighths);
    finer_one.format = SampleFormat::complex64;
    finer_one.decoding = {};
    finer_one.decoding.intervals_per_line = echo.decoding.intervals_per_line;
    for (const Interval held : echo.decoding.valid_samples)
        finer_one.decoding.valid_samples.push_back({static_cast<std::int32_t>(finer(held.first, eighths)),
                                                    static_cast<std::int32_t>(finer(held.last, eighths))});
    finer_one.line_phase_cycles.clear();
    return finer_one;
}

}  // namespace

FinerEcho::FinerEcho(EchoSource& source, std::int64_t eighths, int threads)
    : ForwardedEcho(source, finer(source.acquisition(), eighths)),
      threads_(thread_count(threads)),
      length_(fast_length(source.acquisition().samples + guard)),
      finer_length_(length_ * eighths / coarse),
      forward_(length_, FftDirection::forward),
      inverse_(finer_length_, FftDirection::inverse) {}

void FinerEcho::read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) {
    const std::int64_t samples = source_.acquisition().samples, finer_samples = acquisition_.samples;
    std::vector<Complex<float>> decoded(static_cast<std::size_t>(lines * samples));
    read_decoded(source_, first_line, lines, threads_, decoded);
    auto* out = reinterpret_cast<Complex<float>*>(to.data());
    const float scale = 1 / static_cast<float>(length_);
    const LineBuffers<float> buffers(threads_, finer_length_);
    for_each_line(lines, threads_, [&](std::int64_t i) {
        Complex<float>* line = buffers.mine();
        const Complex<float>* from = decoded.data() + i * samples;
        std::transform(from, from + samples, line, [&](Complex<float> value) { return scale * value; });
        std::fill(line + samples, line + length_, Complex<float>{0, 0});
        forward_(line);
        append_zeros(line, length_, finer_length_);
        inverse_(line);
        std::copy_n(line, finer_samples, out + i * finer_samples);
    });
}

std::optional<std::int64_t> eighths_for(double wide_hz, double sampled_hz) {
    if (!(wide_hz > sampled_hz)) return std::nullopt;
    const double eighths = std::ceil(coarse * wide_hz / (room * sampled_hz));
    return eighths <= most_eighths ? std::optional(static_cast<std::int64_t>(eighths)) : std::nullopt;
}

}  // namespace cornerturn

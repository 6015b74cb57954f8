// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/decoded_lines.h"

#include <cstddef>
#include <vector>

#include "kernels/host/host_echo.h"
#include "kernels/host/line_loop.h"
#include "kernels/math/phasor.h"

namespace cornerturn {
namespace {

template <class Component>
void decode(const Acquisition& echo, const std::byte* stored, std::int64_t first_line, std::int64_t lines, int threads,
            Complex<float>* to) {
    const auto reader = host_echo<float, Component>(stored, echo.samples, echo.decoding, first_line);
    for_each_line(lines, threads, [&](std::int64_t i) {
        const std::int64_t line = first_line + i;
        Complex<float>* out = to + i * echo.samples;
        for (std::int64_t sample = 0; sample < echo.samples; ++sample) out[sample] = reader(line, sample);
        if (echo.line_phase_cycles.empty()) return;
        const auto turn = unit_phasor<float>(echo.line_phase_cycles[static_cast<std::size_t>(line)]);
        for (std::int64_t sample = 0; sample < echo.samples; ++sample) out[sample] = turn * out[sample];
    });
}

}  // namespace

void read_decoded(EchoSource& source, std::int64_t first_line, std::int64_t lines, int threads,
                  std::span<Complex<float>> to) {
    const Acquisition& echo = source.acquisition();
    std::vector<std::byte> stored(static_cast<std::size_t>(lines * echo.samples) * bytes_per_sample(echo.format));
    source.read(first_line, lines, stored);
    with_component(echo.format, [&]<class Component>(std::type_identity<Component>) {
        decode<Component>(echo, stored.data(), first_line, lines, threads, to.data());
    });
}

}  // namespace cornerturn

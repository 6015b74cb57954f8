// SPDX-License-Identifier: Apache-2.0
// An echo resampled in range, for images whose range spectrum is wider than its sampling.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/host/line_fft.h"
#include "kernels/math/complex.h"
#include "pipeline/echo/forwarded_echo.h"

namespace cornerturn {

/// Lines with zeros appended to their range spectra: `eighths` / 8 times as many samples, as complex64 with gain and
/// phases of their lines applied. What lies within half the sampling rate is left as it is; a replica of the pulse is
/// resampled alike.
class FinerEcho final : public ForwardedEcho {
public:
    /// More than 8 eighths. The source must outlive it.
    FinerEcho(EchoSource& source, std::int64_t eighths, int threads = 0);

    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override;

private:
    int threads_;
    std::int64_t length_, finer_length_;  // of the transforms
    LineFft<float> forward_, inverse_;
};

/// How many samples hold an image so wide, where those of the echo do not and eight times as many do.
std::optional<std::int64_t> eighths_for(double wide_hz, double sampled_hz);

}  // namespace cornerturn

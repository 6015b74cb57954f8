// SPDX-License-Identifier: Apache-2.0
// An echo whose lines are sampled too coarsely for the image that they make, as one whose lines are not.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/host/fftw.h"
#include "kernels/math/complex.h"
#include "pipeline/run/focus.h"
#include "pipeline/run/forwarded_echo.h"

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

/// Squint and aperture widen the range spectrum of an image beyond that of its echo (docs/theory.md): sampled as the
/// echo is, its points could not be told from others between its samples. Nothing for an echo whose image its sampling
/// holds, for maps, whose spacing is asked for, where the beam is not known, and where the image would take more than
/// four times as many samples (set_up_focus refuses it). `options` are those with_estimates of the echo, or
/// options_beside them; `echo` must outlive what is returned; `remarks` gains a line.
std::unique_ptr<EchoSource> on_finer_samples(EchoSource& echo, const FocusOptions& options, int threads = 0,
                                             std::vector<std::string>* remarks = nullptr);

}  // namespace cornerturn

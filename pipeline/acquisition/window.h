// SPDX-License-Identifier: Apache-2.0
// Spectral windows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cornerturn {

/// A window over the normalised band x in [-1/2, 1/2], w(0) = 1.
struct Window {
    enum class Kind { none, kaiser, hamming, taylor };
    Kind kind = Kind::none;
    double beta = 0;          ///< kaiser
    int nbar = 4;             ///< taylor: number of nearly constant sidelobes
    double sidelobe_db = 35;  ///< taylor: their level below the peak, positive

    /// Weight at x in [-1/2, 1/2]; 0 outside.
    double operator()(double x) const;
    /// Over the band.
    double mean() const;
    /// Reads `none`, `kaiser:BETA`, `hamming`, `taylor:NBAR:SIDELOBE_DB` (or `taylor`). Throws InputError naming the
    /// choices.
    static Window parse(std::string_view text);
    /// The text that parse reads back.
    std::string name() const;
    friend bool operator==(const Window&, const Window&) = default;
};

/// Hann's window over `count` samples, at one of them; zero half a sample beyond either end.
double hann(std::int64_t sample, std::int64_t count);

/// 1 for x <= 0, 0 for x >= 1, between them the integral of the four-term Blackman-Harris window: what is faded over a
/// width w ends, on the other side of a Fourier transform, 4 / w away, 92 dB down.
double fade_out(double x);

}  // namespace cornerturn

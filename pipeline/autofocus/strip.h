// SPDX-License-Identifier: Apache-2.0
// Columns of a focused strip transformed back to the lines that they were made of, where a phase error over slow
// time is a factor. All estimators of autofocus work on it, whichever algorithm formed the image.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/host/line_fft.h"
#include "kernels/math/complex.h"
#include "kernels/passes/echo_format.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/acquisition/track/range_history.h"
#include "pipeline/autofocus/phase_estimate.h"

namespace cornerturn {

/// Columns of an image on the zero-Doppler grid, in order of range but not all there are.
struct StripImage {
    ImageGrid grid;                            ///< of the rows; near_range_m and columns say nothing here
    std::vector<double> range_m;               ///< closest range of each column
    std::vector<std::complex<float>> samples;  ///< range_m.size() x grid.rows, row = column of the image
    std::int64_t lines = 0;                    ///< of the echo, at the rows' spacing
    double first_line_time_s = 0;              ///< transmission, since the epoch
    double illuminated_band_hz = 0;            ///< of the Doppler frequencies, about the centroid, that hold echo
    bool steady = false;                       ///< range histories are those of any time
    std::function<RangeHistory(double zero_doppler_time_s)> history;
};

/// A stretch of a column. Value n of its echo belongs to line first_line + n.
struct StripPiece {
    std::int64_t first_line = 0;
    std::int64_t first_row = 0;    ///< of the image
    Interval rows;                 ///< of the stretch that are its own; those around them lie in neighbours, too
    double illuminated_first = 0;  ///< values of the echo that see row 0 of the stretch; row r is seen by those r later
    double illuminated_last = 0;
    std::vector<Complex64> echo;  ///< azimuth compression undone
    std::vector<Complex64> law;   ///< what does: spectrum of the echo / spectrum of the image; zeros outside the band
};

struct Strip {
    std::int64_t lines = 0;
    std::int64_t length = 0;  ///< of the pieces
    double aperture_lines = 0;
    double rows_per_cell = 1;  ///< azimuth resolution
    std::vector<StripPiece> pieces;

    /// Rows over which a phase error spreads a point that has one cycle in so many lines: rows x lines.
    double rows_times_lines() const { return aperture_lines * rows_per_cell; }
};

/// How much of an image becomes pieces.
struct StripLimits {
    std::int64_t columns = 192;  ///< of each stretch: those in which most of the power lies in few pixels
    int threads = 1;
};
Strip strip_of(const StripImage& image, const StripLimits& limits);

/// Between a piece's echo and its image, both of strip.length values. For several threads at once.
class StripTransforms {
public:
    explicit StripTransforms(std::int64_t length)
        : length_(length), forward_(length, FftDirection::forward), inverse_(length, FftDirection::inverse) {}

    /// The echo with its lines multiplied by these phasors.
    void corrected(const StripPiece& piece, std::span<const Complex64> line_phasors, Complex64* echo) const;
    void compress(const StripPiece& piece, Complex64* echo_to_image) const { filter(piece, true, echo_to_image); }
    void expand(const StripPiece& piece, Complex64* image_to_echo) const { filter(piece, false, image_to_echo); }
    /// expand of a single 1 at a row.
    void impulse(const StripPiece& piece, std::int64_t row, Complex64* echo) const;
    /// Unnormalised.
    void forward(Complex64* values) const { forward_(values); }

private:
    void filter(const StripPiece& piece, bool conjugate, Complex64* values) const;
    std::int64_t length_;
    LineFft<float> forward_, inverse_;
};

/// Entropy of the brightness of all pieces' pixels, -sum p ln p with p = |g|^2 / sum |g|^2 (Wahl et al. 1994 speak of
/// contrast; Xi, Liu and Ni, IEEE Trans. AES 35, 1999): the less, the sharper.
double entropy(const Strip& strip, std::span<const double> phase_rad, int threads);

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// A patch of the image around a point, both carriers moved to zero, that can be read between its samples.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "pipeline/acquisition/image.h"
#include "pipeline/measure/image_view.h"
#include "pipeline/measure/matrix_fourier.h"
#include "pipeline/measure/point_theory.h"

namespace cornerturn {

/// A place in the image, in pixels from the centre of pixel (0, 0).
struct PixelPosition {
    double row = 0;     ///< azimuth
    double column = 0;  ///< range
};

PixelPosition pixel_position(const ImageGrid& grid, double range_m, double time_s);

/// The carriers on which a point response sits, in cycles per pixel, absolute (not wrapped): the middle f of the band
/// along azimuth; along range the middle of all that the support holds, which under a narrow beam is -f0 (1 - cos
/// theta) with sin theta = lambda f / 2V, and under a wide one, whose support is a sector of a ring, lies lower.
struct Carriers {
    double azimuth_cycles = 0;
    double range_cycles = 0;
};

/// How much of the sampling rates a response fills. Under squint each range frequency has azimuth frequencies of its
/// own, f_eta about (f0 + f_tau) / f0 f_dc: together they may fill more than the sampling rate of the rows, which does
/// no harm where each of them fills less and is read for what it is. Of a spectrum that lies along a diagonal, as finer
/// samples of squinted images hold it, so is what noise and soft ends have beyond its ends.
struct SpectrumExtent {
    double azimuth = 0;  ///< of the rows' sampling rate, at one range frequency
    double range = 0;    ///< of the columns'
    double skew = 0;  ///< cycles per row that the middle moves by for each cycle per column; 0 where that need not be
};

SpectrumExtent spectrum_extent(const ResponseSupport& support, const ImageGrid& grid);

Carriers carriers(const ResponseSupport& support, const ImageGrid& grid);

/// How far a chip reaches from its centre pixel along one axis.
struct ChipReach {
    std::int64_t exact = 0;  ///< read as it is: main lobe, ten sidelobes and some slack
    std::int64_t full = 0;   ///< beyond that the samples fade to zero, so that the periodic continuation has no step
};

struct ChipShape {
    ChipReach azimuth;
    ChipReach range;
    std::int64_t row_step =
        1;  ///< rows from one that is read to the next: not all of them where the PRF is far above the band
};

/// Where the chip of a point lies; the fading margin shrinks near the edges of the image.
struct ChipPlacement {
    std::optional<ChipShape> shape;  ///< none if not even the exact part fits
    std::string reason;              ///< why not
};

ChipPlacement place_chip(const Image& image, const ResponseSupport& support, PixelPosition position);

/// Are all samples of the exact part fully compressed? Where the image does not tell, they are.
bool fully_covered(const Image& image, const ChipShape& shape, PixelPosition position);

/// The pixels that a chip is made of.
PixelBlock pixels_of(const ChipShape& shape, PixelPosition position);

class PointChip {
public:
    /// `reference` is where both carriers have phase zero.
    PointChip(const ImageView& image, const ResponseSupport& support, const ChipShape& shape, PixelPosition reference,
              const TripleProduct& multiply = triple_product);

    /// Demodulated image values at positions in image pixels.
    ComplexMatrix at(std::span<const double> rows, std::span<const double> columns) const;
    /// The phase of both carriers at a position, which demodulation took away, in cycles.
    double carrier_cycles(PixelPosition position) const;

private:
    std::int64_t first_row_;
    std::int64_t first_column_;
    std::int64_t row_step_;
    PixelPosition reference_;
    Carriers carriers_;
    BandlimitedPatch patch_;
};

}  // namespace cornerturn

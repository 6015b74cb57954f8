// SPDX-License-Identifier: Apache-2.0
// Two images of one scene, brought together by their axes: zero-Doppler time and slant range, or x and y of a map.
#pragma once

#include <string>
#include <vector>

#include "pipeline/measure/image_view.h"

namespace cornerturn {

/// An image and what complaints call it by.
struct NamedImage {
    std::string name;
    ImageView view;
};

/// The second image on the pixels of the first. Where its own pixels lie between those, it is interpolated (windowed
/// sinc of 16 taps about its carriers); a distance of up to a thousandth of a pixel is left as it is.
class CommonGrid {
public:
    /// Both times count from the same epoch. Throws InputError where spacings differ by more than a hundredth of a
    /// pixel over what is shared, or too little is shared; of maps also where pixels lie farther than that off each
    /// other, or only one is a map.
    CommonGrid(NamedImage first, NamedImage second);

    /// What both cover, in pixels of the first.
    const PixelBlock& shared() const { return shared_; }
    /// Whether one of them is an image on a map.
    bool on_maps() const { return first_header().map || second_header().map; }
    /// A pixel of the first less the pixel of the second at the same time and range.
    double row_shift() const { return row_shift_; }
    double column_shift() const { return column_shift_; }
    bool interpolates() const { return row_taps_.size() > 1 || column_taps_.size() > 1; }

    const Image& first_header() const { return first_.view.header(); }
    const Image& second_header() const { return second_.view.header(); }

    /// Samples at pixels of the first; zero outside an image. Rows that ascend over the calls are read fastest.
    Pixels first(const PixelBlock& block) const;
    Pixels second(const PixelBlock& block) const;

    /// Whether both say that these columns of a row are fully compressed.
    bool valid(std::int64_t row, const Interval& columns) const;

private:
    NamedImage first_, second_;
    double row_shift_ = 0, column_shift_ = 0;
    std::int64_t whole_rows_ = 0, whole_columns_ = 0;          // what is added to a pixel of the first
    std::vector<std::complex<float>> row_taps_, column_taps_;  // one: none to speak of
    PixelBlock shared_;
};

/// The mean frequency of samples along rows and columns, in cycles per sample: the phase of the autocorrelation at lag
/// one.
struct MeanFrequency {
    double row_cycles = 0, column_cycles = 0;
};
MeanFrequency mean_frequency(const std::complex<float>* samples, std::int64_t rows, std::int64_t columns,
                             std::int64_t stride);

}  // namespace cornerturn

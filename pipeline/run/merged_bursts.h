// SPDX-License-Identifier: Apache-2.0
// The bursts of a swath as one image.
#pragma once

#include <vector>

#include "pipeline/acquisition/image.h"
#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// How many whole steps of an axis ("rows", "columns") the beginnings of two images lie apart. Throws InputError where
/// they are not whole.
std::int64_t steps_apart(const char* axis, double from, double to, double step);
/// Rows of an image whose middle column is valid.
Interval whole_rows(const Image& image);
/// State vectors of both, those of the second where they meet.
Orbit joined(const Orbit& first, const Orbit& second);

/// Puts images of bursts, which come one after the other in the order of time, into one image on their common grid. Of
/// two that overlap each has the rows on its own side of the middle of those that both hold whole; rows that none has
/// are zero and not valid.
class MergedBursts final : public ImageSink {
public:
    /// `headers`: of the images that will come, without samples. Throws InputError where their grids do not fit each
    /// other. `to` must outlive it.
    MergedBursts(std::vector<Image> headers, ImageSink& to);

    void begin(const Image& header) override;
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override;
    /// Behind the last one.
    void finish();

    /// Without samples.
    const Image& header() const { return merged_; }

private:
    /// Where an image lies in the merged one, and which of its rows are taken.
    struct PlacedImage {
        std::int64_t row = 0, column = 0, columns = 0;
        Interval taken;  ///< in rows of the merged image
    };
    void place_images();
    void part_overlaps();
    void merge_valid_columns();
    void write_empty_until(std::int64_t row);

    std::vector<Image> headers_;
    Image merged_;
    std::vector<PlacedImage> placed_;
    ImageSink& to_;
    std::size_t begun_ = 0;
    std::int64_t written_ = 0;  ///< rows of the merged image
};

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// NITF 2.1 (MIL-STD-2500C) as far as SICD needs it (NGA.STND.0024-2): images of complex samples one behind the other,
// then one piece of XML.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "data/nisar/epoch.h"
#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn::nitf {

/// Rows of the image that are one image segment, and where their samples are in the file.
struct Segment {
    std::int64_t first_row = 0, rows = 0;
    std::uint64_t place = 0;
};

/// What two bands of a pixel are; as NITF's fields have it.
struct Pixels {
    std::string type = "R  ";                       ///< PVTYPE: real numbers, SI of signed ones, INT of unsigned ones
    int bits = 32;                                  ///< of a band
    std::array<std::string, 2> bands = {"I", "Q"};  ///< ISUBCAT

    std::int64_t bytes() const { return 2 * bits / 8; }
};

struct Contents {
    std::string title, origin;  ///< origin: who made it
    Epoch taken, written;
    std::int64_t rows = 0, columns = 0;  ///< of the image
    Pixels pixels = {};
    std::array<Geographic, 4> corners;  ///< first row and column, then clockwise
    std::string xml, xml_schema, xml_version, xml_date;
};

/// Headers are text; what lies between them are the samples.
struct Layout {
    struct PlacedText {
        std::uint64_t place = 0;
        std::string text;
    };
    std::vector<PlacedText> texts;
    std::vector<Segment> segments;
    std::uint64_t bytes = 0;

    /// Of the samples of an image segment.
    std::uint64_t bytes_of(std::size_t segment, const Contents& contents) const {
        return static_cast<std::uint64_t>(segments[segment].rows * contents.columns * contents.pixels.bytes());
    }
};

/// Throws InputError for more than NITF can hold: 99 999 999 columns, 1 TB.
Layout layout_of(const Contents& contents);

/// An image segment holds as many rows as make less than 10^10 bytes, and no more than 99 999 where there are several.
std::vector<Segment> segments_of(std::int64_t rows, std::int64_t columns, std::int64_t sample_bytes = 8);

}  // namespace cornerturn::nitf

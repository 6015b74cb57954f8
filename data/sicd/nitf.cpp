// SPDX-License-Identifier: Apache-2.0
#include "data/sicd/nitf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn::nitf {
namespace {

constexpr std::uint64_t largest_file = 999'999'999'999, largest_segment = 9'999'999'998, largest_xml = 999'999'999;

/// Fields of fixed width, one behind the other.
class Fields {
public:
    /// Left in its field, blanks behind it; what is longer is cut.
    Fields& text(std::string value, std::size_t width) {
        for (char& letter : value)
            if (static_cast<unsigned char>(letter) < 32 || static_cast<unsigned char>(letter) > 126) letter = '?';
        value.resize(width, ' ');
        text_ += value;
        return *this;
    }
    Fields& number(std::uint64_t value, std::size_t width) {
        const std::string digits = fmt::format("{:0{}d}", value, width);
        if (digits.size() != width) throw std::logic_error("NITF: a number is too long for its field");
        text_ += digits;
        return *this;
    }
    Fields& raw(const std::string& value) {
        text_ += value;
        return *this;
    }
    /// Unclassified, nothing else told.
    Fields& security() { return text("U", 167); }
    const std::string& str() const { return text_; }

private:
    std::string text_;
};

/// YYYYMMDDhhmmss
std::string date(const Epoch& epoch) {
    std::string digits;
    for (const char letter : epoch.text())
        if (letter >= '0' && letter <= '9') digits += letter;
    return digits;
}

/// ddmmssN or dddmmssE.
std::string angle(double degrees, int digits, const char* directions) {
    const auto seconds = static_cast<std::int64_t>(std::llround(std::abs(degrees) * 3600));
    return fmt::format("{:0{}d}{:02d}{:02d}{}", seconds / 3600, digits, seconds / 60 % 60, seconds % 60,
                       directions[degrees < 0 ? 1 : 0]);
}

/// Of the places between two corners on the line through the Earth, as the standard has it.
Geographic between(const Geographic& a, const Geographic& b, double part) {
    const auto on_ellipsoid = [](Geographic place) {
        place.height_m = 0;
        return point_of(place);
    };
    return geographic((1 - part) * on_ellipsoid(a) + part * on_ellipsoid(b));
}

std::string corners_of(const Contents& contents, const Segment& segment) {
    const auto& c = contents.corners;
    const double rows = static_cast<double>(std::max<std::int64_t>(contents.rows - 1, 1));
    const bool last = segment.first_row + segment.rows == contents.rows;
    const double top = static_cast<double>(segment.first_row) / rows,
                 bottom = last ? 1.0 : static_cast<double>(segment.first_row + segment.rows) / rows;
    std::string text;
    for (const Geographic& place :
         {between(c[0], c[3], top), between(c[1], c[2], top), between(c[1], c[2], bottom), between(c[0], c[3], bottom)})
        text += angle(place.latitude_deg, 2, "NS") + angle(place.longitude_deg, 3, "EW");
    return text;
}

std::string image_header(const Contents& contents, const std::vector<Segment>& segments, std::size_t number) {
    constexpr std::int64_t largest_block = 8192;
    const Segment& segment = segments[number];
    const auto block = [](std::int64_t size) { return static_cast<std::uint64_t>(size > largest_block ? 0 : size); };
    Fields fields;
    fields.text("IM", 2)
        .text(segments.size() == 1 ? "SICD000" : fmt::format("SICD{:03d}", number + 1), 10)
        .text(date(contents.taken), 14)
        .text("", 17 + 80)  // target and title
        .security()
        .text("0", 1)  // not encrypted
        .text(contents.origin, 42)
        .number(static_cast<std::uint64_t>(segment.rows), 8)
        .number(static_cast<std::uint64_t>(contents.columns), 8)
        .raw(fmt::format("{}NODISPLYSAR     {:02d}RG", contents.pixels.type, contents.pixels.bits))  // not for
                                                                                                     // display, places
                                                                                                     // in degrees
        .text(corners_of(contents, segment), 60)
        .raw("0NC2");  // no comments, not compressed, two bands
    for (const std::string& band : contents.pixels.bands) fields.text("", 2).text(band, 6).raw("N   0");
    fields
        .raw("0P00010001")  // the bands of a pixel together, one block
        .number(block(contents.columns), 4)
        .number(block(segment.rows), 4)
        .number(static_cast<std::uint64_t>(contents.pixels.bits), 2)
        .number(number + 1, 3)  // its level, and what it is attached to: the segment before, below which it begins
        .number(number, 3)
        .number(number == 0 ? 0 : static_cast<std::uint64_t>(segments[number - 1].rows), 5)
        .number(0, 5)
        .text("1.0", 4)
        .number(0, 5)
        .number(0, 5);
    return fields.str();
}

std::string polygon(const std::array<Geographic, 4>& corners) {
    std::string text;
    for (std::size_t i = 0; i <= 4; ++i) {
        const Geographic& place = corners[i % 4];
        text += fmt::format("{:+012.8f}{:+013.8f}", place.latitude_deg, place.longitude_deg);
    }
    return text;
}

std::string xml_header(const Contents& contents) {
    constexpr std::uint64_t own_fields = 773, not_computed = 99999;
    return Fields()
        .text("DE", 2)
        .text("XML_DATA_CONTENT", 25)
        .number(1, 2)
        .security()
        .number(own_fields, 4)
        .number(not_computed, 5)
        .text("XML", 8)
        .text(contents.written.text() + "Z", 20)
        .text(contents.origin, 40)
        .text("SICD Volume 1 Design & Implementation Description Document", 60)
        .text(contents.xml_version, 10)
        .text(contents.xml_date, 20)
        .text(contents.xml_schema, 120)
        .text(polygon(contents.corners), 125)
        .text("", 25 + 20 + 120 + 200)
        .str();
}

/// By size of file and image (MIL-STD-2500C, table A-10).
int complexity(std::uint64_t bytes, std::int64_t most_pixels) {
    if (bytes < 50 * (1ull << 20) && most_pixels <= 2048) return 3;
    if (bytes < (1ull << 30) && most_pixels <= 8192) return 5;
    if (bytes < 2 * (1ull << 30) && most_pixels <= 65536) return 6;
    return bytes < 10 * (1ull << 30) ? 7 : 9;
}

std::string file_header(const Contents& contents, const Layout& layout, std::size_t header_bytes,
                        const std::vector<std::string>& images, const std::string& xml) {
    Fields fields;
    const std::int64_t most_pixels = std::max(contents.rows, contents.columns);
    fields.text("NITF02.10", 9)
        .number(static_cast<std::uint64_t>(complexity(layout.bytes, most_pixels)), 2)
        .text("BF01", 4)
        .text(contents.origin, 10)
        .text(date(contents.written), 14)
        .text(contents.title, 80)
        .security()
        .number(0, 5)  // copies
        .number(0, 5)
        .text("0", 1)
        .raw(std::string(3, '\0'))  // background: black
        .text(contents.origin, 24)
        .text("", 18)
        .number(layout.bytes, 12)
        .number(header_bytes, 6)
        .number(images.size(), 3);
    for (std::size_t i = 0; i < images.size(); ++i)
        fields.number(images[i].size(), 6).number(layout.bytes_of(i, contents), 10);
    return fields
        .number(0, 3)  // graphics
        .number(0, 3)
        .number(0, 3)  // texts
        .number(1, 3)
        .number(xml.size(), 4)
        .number(contents.xml.size(), 9)
        .number(0, 3)
        .number(0, 5)
        .number(0, 5)
        .str();
}

}  // namespace

std::vector<Segment> segments_of(std::int64_t rows, std::int64_t columns, std::int64_t sample_bytes) {
    constexpr std::int64_t most_rows = 99999;
    const auto row_bytes = static_cast<std::uint64_t>(columns * sample_bytes);
    if (static_cast<std::uint64_t>(rows) * row_bytes <= largest_segment) return {{.first_row = 0, .rows = rows}};
    const std::int64_t at_once = std::min(static_cast<std::int64_t>(largest_segment / row_bytes), most_rows);
    std::vector<Segment> segments;
    for (std::int64_t first = 0; first < rows; first += at_once)
        segments.push_back({.first_row = first, .rows = std::min(at_once, rows - first)});
    return segments;
}

Layout layout_of(const Contents& contents) {
    constexpr std::int64_t most_pixels = 99'999'999;
    if (contents.rows < 1 || contents.columns < 1) throw std::logic_error("NITF: an image without pixels");
    if (std::max(contents.rows, contents.columns) > most_pixels || contents.xml.size() > largest_xml)
        throw InputError(fmt::format("NITF: holds up to {} rows and columns, not {} x {}; name the image .h5",
                                     most_pixels, contents.rows, contents.columns));
    Layout layout;
    layout.segments = segments_of(contents.rows, contents.columns, contents.pixels.bytes());
    std::vector<std::string> images;
    for (std::size_t i = 0; i < layout.segments.size(); ++i)
        images.push_back(image_header(contents, layout.segments, i));
    const std::string xml = xml_header(contents);
    const std::size_t header_bytes =
        file_header(contents, layout, 0, images, xml).size();  // numbers are as wide as ever
    std::uint64_t at = header_bytes;
    for (std::size_t i = 0; i < images.size(); ++i) {
        layout.texts.push_back({at, images[i]});
        at += images[i].size();
        layout.segments[i].place = at;
        at += layout.bytes_of(i, contents);
    }
    layout.texts.push_back({at, xml + contents.xml});
    layout.bytes = at + xml.size() + contents.xml.size();
    constexpr std::size_t most_segments = 999;
    if (layout.bytes > largest_file || images.size() > most_segments)
        throw InputError(
            fmt::format("NITF: holds up to {} bytes, not {}; name the image .h5", largest_file, layout.bytes));
    layout.texts.push_back({0, file_header(contents, layout, header_bytes, images, xml)});
    return layout;
}

}  // namespace cornerturn::nitf

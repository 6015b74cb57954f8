// SPDX-License-Identifier: Apache-2.0
#include "data/sicd/nitf_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "data/files/refusal.h"
#include "kernels/host/number_text.h"

namespace cornerturn::nitf {
namespace {

constexpr std::size_t security_bytes = 167;

/// Fields of fixed width, one behind the other.
class FieldReader {
public:
    FieldReader(const BinaryFile& file, const char* header, std::uint64_t at) : file_(file), header_(header), at_(at) {}

    std::string text(std::size_t width) {
        const std::vector<std::byte> bytes = file_.read(at_, width);
        at_ += width;
        return {reinterpret_cast<const char*>(bytes.data()), width};
    }
    std::uint64_t number(const char* name, std::size_t width) {
        const std::string digits = text(width);
        const auto value = number_from<std::uint64_t>(digits);
        if (!value) refuse(name, digits, fmt::format("{} digits", width));
        return *value;
    }
    void expect(const char* name, std::size_t width, std::string_view wanted, const char* why) {
        if (const std::string found = text(width); found != wanted)
            refuse(name, found, fmt::format("'{}': {}", wanted, why));
    }
    void skip(std::uint64_t bytes) { at_ += bytes; }
    std::uint64_t at() const { return at_; }
    [[noreturn]] void refuse(const char* name, const std::string& found, const std::string& expected) const {
        cornerturn::refuse(file_.name(), fmt::format("{}, field {} before byte {}: is '{}', expected {}", header_, name,
                                                     at_, shown(found), expected));
    }

private:
    const BinaryFile& file_;
    const char* header_;
    std::uint64_t at_;
};

/// A segment of the file: its header, and behind it what that is about.
struct SegmentPlace {
    std::uint64_t header = 0, data = 0, data_bytes = 0;
};
struct SegmentPlaces {
    std::vector<SegmentPlace> images, data;
};

/// Lengths of the headers and data of all segments of one kind, which lie one behind the other.
std::vector<SegmentPlace> listed(FieldReader& fields, const char* name, std::size_t header_width,
                                 std::size_t data_width, std::uint64_t& place) {
    std::vector<SegmentPlace> places(fields.number(name, 3));
    for (SegmentPlace& segment : places) {
        segment.header = place;
        segment.data = place + fields.number(name, header_width);
        segment.data_bytes = fields.number(name, data_width);
        place = segment.data + segment.data_bytes;
    }
    return places;
}

SegmentPlaces segment_places_of(const BinaryFile& file) {
    constexpr std::uint64_t before_length = 342;
    FieldReader fields(file, "NITF file header", before_length);
    if (const std::uint64_t told = fields.number("FL", 12); told > file.bytes())
        refuse(file.name(),
               fmt::format("has {} bytes, but its header tells {} (FL): it is cut off", file.bytes(), told));
    std::uint64_t place = fields.number("HL", 6);
    SegmentPlaces places;
    places.images = listed(fields, "NUMI", 6, 10, place);
    listed(fields, "NUMS", 4, 6, place);
    fields.number("NUMX", 3);
    listed(fields, "NUMT", 4, 5, place);
    places.data = listed(fields, "NUMDES", 4, 9, place);
    return places;
}

/// Of one image segment.
struct ImageHeader {
    std::string name;
    std::int64_t rows = 0, columns = 0;
    Pixels pixels;
};

void read_bands(FieldReader& fields, ImageHeader& image) {
    if (const std::uint64_t bands = fields.number("NBANDS", 1); bands != 2)
        fields.refuse("NBANDS", fmt::format("{}", bands), "2, the parts of a complex sample");
    for (std::string& band : image.pixels.bands) {
        fields.skip(2);
        band = fields.text(6);
        band = band.substr(0, band.find(' '));
        fields.skip(1 + 3);
        fields.expect("NLUTS", 1, "0", "samples are no indices");
    }
    fields.skip(1);
    fields.expect("IMODE", 1, "P", "both parts of a sample lie together");
    fields.expect("NBPR", 4, "0001", "SICD's samples lie in one block");
    fields.expect("NBPC", 4, "0001", "SICD's samples lie in one block");
}

ImageHeader image_header_of(const BinaryFile& file, const SegmentPlace& segment) {
    FieldReader fields(file, "NITF image header", segment.header);
    ImageHeader image;
    fields.expect("IM", 2, "IM", "an image segment");
    image.name = fields.text(10);
    fields.skip(14 + 17 + 80 + security_bytes);
    fields.expect("ENCRYP", 1, "0", "what is encrypted is not read");
    fields.skip(42);
    image.rows = static_cast<std::int64_t>(fields.number("NROWS", 8));
    image.columns = static_cast<std::int64_t>(fields.number("NCOLS", 8));
    image.pixels.type = fields.text(3);
    fields.skip(8 + 8);
    image.pixels.bits = static_cast<int>(fields.number("ABPP", 2));
    fields.skip(1);
    if (fields.text(1) != " ") fields.skip(60);
    fields.skip(80 * fields.number("NICOM", 1));
    fields.expect("IC", 2, "NC", "compressed samples are not read");
    read_bands(fields, image);
    return image;
}

void add_segment(const BinaryFile& file, const SegmentPlace& segment, const ImageHeader& image, Found& found) {
    if (found.segments.empty()) found.columns = image.columns, found.pixels = image.pixels;
    if (image.columns != found.columns || image.pixels.type != found.pixels.type ||
        image.pixels.bits != found.pixels.bits || image.pixels.bands != found.pixels.bands)
        refuse(file.name(),
               fmt::format("image segment {}: is of another kind than the first one", found.segments.size() + 1));
    const auto wanted = static_cast<std::uint64_t>(image.rows) * static_cast<std::uint64_t>(image.columns) *
                        static_cast<std::uint64_t>(image.pixels.bytes());
    if (image.rows < 1 || image.columns < 1 || segment.data_bytes != wanted)
        refuse(file.name(),
               fmt::format("image segment {}: has {} bytes, expected {} for {} x {} pixels", found.segments.size() + 1,
                           segment.data_bytes, wanted, image.rows, image.columns));
    if (segment.data > file.bytes() || wanted > file.bytes() - segment.data)
        refuse(file.name(), fmt::format("ends at byte {}, where samples to byte {} are expected", file.bytes(),
                                        segment.data + wanted));
    found.segments.push_back({.first_row = found.rows, .rows = image.rows, .place = segment.data});
    found.rows += image.rows;
}

/// Whether XML is SICD's: its outermost element, whatever its prefix and namespace.
bool is_sicd_xml(const std::vector<std::byte>& xml) {
    const std::string_view text(reinterpret_cast<const char*>(xml.data()), std::min<std::size_t>(xml.size(), 4096));
    return text.find("<SICD") != std::string_view::npos || text.find(":SICD") != std::string_view::npos;
}

}  // namespace

Found read_nitf(const BinaryFile& file) {
    const SegmentPlaces places = segment_places_of(file);
    Found found;
    for (const SegmentPlace& segment : places.data) {
        FieldReader fields(file, "NITF data extension", segment.header);
        fields.expect("DE", 2, "DE", "a data extension segment");
        if (!fields.text(25).starts_with("XML_DATA_CONTENT")) continue;
        found.xml = file.read(segment.data, static_cast<std::size_t>(segment.data_bytes));
        if (is_sicd_xml(found.xml)) break;
        found.xml.clear();
    }
    if (found.xml.empty()) refuse(file.name(), "is NITF without SICD's XML, expected a complex image as SICD has it");
    for (const SegmentPlace& segment : places.images) {
        FieldReader fields(file, "NITF image header", segment.header);
        fields.expect("IM", 2, "IM", "an image segment");
        if (fields.text(4) != "SICD") continue;  // such as a legend
        add_segment(file, segment, image_header_of(file, segment), found);
    }
    if (found.segments.empty()) refuse(file.name(), "has no image segment called SICD...");
    return found;
}

}  // namespace cornerturn::nitf

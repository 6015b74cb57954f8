// SPDX-License-Identifier: Apache-2.0
// What the XML of a CPHD file tells (NGA.STND.0068-1, sections 4 to 6), as far as images need it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/cphd/file_header.h"
#include "pipeline/acquisition/orbit.h"

namespace cornerturn::cphd {

enum class Domain { frequency, time };    ///< FX: samples over frequency; TOA: over the time of arrival
enum class SampleType { ci2, ci4, cf8 };  ///< complex integers of one and two bytes each, floats of four

constexpr std::size_t bytes_of(SampleType type) {
    return type == SampleType::ci2 ? 2 : type == SampleType::ci4 ? 4 : 8;
}

struct Channel {
    std::string name;
    std::uint64_t pulses = 0, samples = 0;
    std::uint64_t signal_offset = 0, pulses_offset = 0;  ///< bytes within their blocks
    std::string polarization;                            ///< transmit and receive letter
};

/// Where a parameter stands in the record of a pulse.
struct Field {
    std::uint64_t offset = 0, bytes = 0;
    bool whole = false;  ///< of 64-bit integers instead of floats
};

/// Least and greatest x, and y.
struct Rectangle {
    double least_x = 0, greatest_x = 0, least_y = 0, greatest_y = 0;
};

struct SceneCoordinates {
    Vec3 origin_m{};  ///< IARP, ECEF
    std::optional<std::array<Vec3, 2>> axes;
    std::optional<Rectangle> image_area;  ///< as it is written
    struct Corner {
        double latitude_deg = 0, longitude_deg = 0;
    };
    std::vector<Corner> corners;
    std::optional<Rectangle> image_grid_m, image_grid_pixels;  ///< ImageGrid: edges about the origin; first and last
};

/// A point of a simulated scene: a place of interest (GeoInfo) of this name, with what describes it.
struct ToldTarget {
    static constexpr const char *name = "SimulatedPointTarget", *height = "height_m", *magnitude = "amplitude",
                                *phase = "phase_deg", *first = "first_pulse_s", *last = "last_pulse_s";
    double latitude_deg = 0, longitude_deg = 0, height_m = 0;
    double amplitude = 1, phase_deg = 0;
    double first_pulse_s = 0, last_pulse_s = 0;  ///< between which it is seen, since the start of the collection
};

struct Metadata {
    std::string collector, collection_start;
    Domain domain = Domain::frequency;
    int sign = -1;  ///< SGN: phases are sign f TOA cycles
    SceneCoordinates scene;
    SampleType sample_type = SampleType::cf8;
    std::uint64_t pulse_bytes = 0;
    std::vector<Channel> channels;
    std::map<std::string, Field> fields;
    std::vector<ToldTarget> targets;

    std::uint64_t vector_bytes(const Channel& channel) const { return channel.samples * bytes_of(sample_type); }
};

/// Throws InputError naming the element, what it holds and what was expected. What channels tell of lies within the
/// blocks.
Metadata read_metadata(const BinaryFile& file, const FileHeader& header);

}  // namespace cornerturn::cphd

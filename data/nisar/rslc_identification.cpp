// SPDX-License-Identifier: Apache-2.0
// identification of an RSLC file: where it was taken, and its names in NISAR's way.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "data/nisar/product_parts.h"
#include "data/nisar/rslc_parts.h"
#include "kernels/host/letter_case.h"
#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn {
namespace {

/// As isce3 0.24 names them.
std::string polarization_code(const std::vector<std::string>& polarizations) {
    const std::set<std::string> set(polarizations.begin(), polarizations.end());
    const auto is = [&](std::set<std::string> other) { return set == other; };
    if (is({"HH"})) return "SH";
    if (is({"VV"})) return "SV";
    if (is({"HH", "HV"})) return "DH";
    if (is({"VV", "VH"})) return "DV";
    if (is({"LH", "LV"})) return "CL";
    if (is({"RH", "RV"})) return "CR";
    if (is({"HH", "VV"})) return "QD";
    return set.size() > 2 && set.count("HH") && set.count("VV") ? "QP" : "XX";
}

std::string mission_letters(const std::string& mission) {
    std::string letters;
    for (const char c : mission)
        if (std::isalnum(static_cast<unsigned char>(c)) && letters.size() < 5) letters += upper(c);
    return letters + std::string(5 - letters.size(), 'X');
}

/// Letters of IEEE 521.
std::string radar_band(double carrier_hz) {
    constexpr std::pair<double, const char*> bands[] = {{0.3e9, "VHF"}, {1e9, "P"}, {2e9, "L"},
                                                        {4e9, "S"},     {8e9, "C"}, {12e9, "X"}};
    for (const auto& [below_hz, name] : bands)
        if (carrier_hz < below_hz) return name;
    return carrier_hz < 18e9 ? "Ku" : carrier_hz < 27e9 ? "K" : "Ka";
}

}  // namespace

std::string granule_id(const Image& first, const std::vector<RslcContents>& contents) {
    const Identification& id = first.acquisition.identification;
    const Epoch epoch = epoch_of(first.acquisition);
    std::string bandwidths, polarizations;
    for (const char* frequency : {"A", "B"}) {
        const auto there = std::find_if(contents.begin(), contents.end(),
                                        [&](const RslcContents& c) { return c.frequency == frequency; });
        const bool has = there != contents.end();
        bandwidths +=
            fmt::format("{:02}", has ? std::clamp(std::lround(there->range_bandwidth_hz / 1e6), 0L, 99L) : 0L);
        polarizations += has ? polarization_code(there->polarizations) : "NA";
    }
    return fmt::format("{}_L1_OD_RSLC_000_{:03}_{}_{:03}_{}_{}_A_{}_{}_X00000_N_X_X_001", mission_letters(id.mission),
                       id.track_number, id.pass_direction == "descending" ? 'D' : 'A', id.frame_number, bandwidths,
                       polarizations, epoch.plus(first.grid.first_time_s).compact_text(),
                       epoch.plus(first.grid.last_time_s()).compact_text());
}

std::string bounding_polygon(const Image& image) {
    constexpr int points_per_edge = 11;
    const Acquisition& acquisition = image.acquisition;
    if (!acquisition.orbit) return "";
    return polygon_text(outline(*acquisition.orbit, acquisition.identification.look_side, image.grid,
                                image.processing.scene_height_m, points_per_edge));
}

void write_rslc_identification(h5::Writer& file, const std::string& group, const Image& first,
                               const std::vector<RslcContents>& contents) {
    const Identification& id = first.acquisition.identification;
    std::vector<std::string> frequencies;
    for (const RslcContents& content : contents) frequencies.push_back(content.frequency);
    const std::string polygon = bounding_polygon(first);
    write_identification(file, group, first.acquisition,
                         {.type = "RSLC",
                          .level = "L1",
                          .first_time_s = first.grid.first_time_s,
                          .last_time_s = first.grid.last_time_s(),
                          .frequencies = std::move(frequencies),
                          .bounding_polygon = polygon});
    const std::string polygon_path = group + "/boundingPolygon";
    file.attribute(polygon_path, "epsg", std::int32_t{4326});
    file.attribute(polygon_path, "ogr_geometry", "polygon");
    file.attribute(polygon_path, "description",
                   polygon.empty() ? "As the raw file has it: no orbit tells where the image lies"
                                   : "Outline of the image: longitude, latitude in degrees, metres above the WGS84 "
                                     "ellipsoid; counter-clockwise from first time and near range on");
    const auto text = [&](const char* name, const std::string& value, const std::string& description = "") {
        file.text(fmt::format("{}/{}", group, name), value, description);
    };
    file.number(group + "/trackNumber", id.track_number, "1", "0: not known");
    file.number(group + "/frameNumber", id.frame_number, "1", "0: not known");
    text("granuleId", granule_id(first, contents),
         "After NISAR's naming of granules; X and 0 where something is not known");
    text("instrumentName", id.instrument.empty() ? id.mission : id.instrument);
    text("radarBand", radar_band(first.acquisition.carrier_hz), "Letter of the carrier's band");
    text("processingType", "CUSTOM");
    text("processingCenter", "UNKNOWN");
    if (!first.processing.processed_at.empty()) text("processingDateTime", first.processing.processed_at, "UTC");
    text("productVersion", "0.1.0");
    text("productSpecificationVersion", "1.1.2",
         "Of the NISAR L1 RSLC layout, of which the rows that are here are a part");
}

}  // namespace cornerturn

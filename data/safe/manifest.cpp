// SPDX-License-Identifier: Apache-2.0
#include "data/safe/manifest.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "data/safe/ground_grid.h"
#include "kernels/host/letter_case.h"

namespace cornerturn::safe {
namespace {

/// From the first line of all stacks to the last.
struct Span {
    double first_s = INFINITY, last_s = -INFINITY;
};
Span span_of(const std::vector<BurstStack>& stacks) {
    Span span;
    for (const BurstStack& stack : stacks) {
        span.first_s = std::min(span.first_s, stack.first_time_s());
        span.last_s = std::max(span.last_s, stack.last_time_s());
    }
    return span;
}

std::string dmd_id(const ListedFile& file) { return file.id() + "Annotation"; }

void write_map(const NewElement& root, const std::vector<ListedFile>& files, const std::string& mode) {
    const NewElement package =
        root.in("informationPackageMap")
            .in("xfdu:contentUnit")
            .with("unitType", "SAFE Archive Information Package")
            .with("textInfo", fmt::format("Sentinel-1 {} Level-1 SLC Product", mode))
            .with("dmdID",
                  "acquisitionPeriod platform generalProductInformation measurementOrbitReference "
                  "measurementFrameSet")
            .with("pdiID", "processing");
    std::vector<std::string> described;  // by the files since the measurement before
    for (const ListedFile& file : files) {
        const NewElement unit = package.in("xfdu:contentUnit");
        unit.with("unitType", file.is_measurement() ? "Measurement Data Unit" : "Metadata Unit")
            .with("repID", file.schema);
        if (file.is_measurement())
            unit.with("dmdID", fmt::format("{}", fmt::join(std::exchange(described, {}), " ")));
        else
            described.push_back(dmd_id(file));
        unit.in("dataObjectPointer").with("dataObjectID", file.id());
    }
}

/// The element whose children tell it.
NewElement described(const NewElement& section, const char* id, const char* text, const char* kind = "DESCRIPTION",
                     const char* category = "DMD") {
    return section.in("metadataObject")
        .with("ID", id)
        .with("classification", kind)
        .with("category", category)
        .in("metadataWrap")
        .with("mimeType", "text/xml")
        .with("vocabularyName", "SAFE")
        .with("textInfo", text)
        .in("xmlData");
}

void write_processing(const NewElement& section, const ProcessingRecord& done, const std::string& input) {
    const NewElement processing =
        described(section, "processing", "Processing", "PROVENANCE", "PDI").in("safe:processing");
    processing.with("name", "SLC Processing");
    if (!done.processed_at.empty()) processing.with("start", done.processed_at).with("stop", done.processed_at);
    const std::size_t blank = done.software.find(' ');
    processing.in("safe:facility")
        .with("country", "not told")
        .with("name", "not told")
        .with("organisation", "not told")
        .with("site", "not told")
        .in("safe:software")
        .with("name", done.software.substr(0, blank))
        .with("version", blank == std::string::npos ? "" : done.software.substr(blank + 1));
    if (!input.empty())
        processing.in("safe:resource")
            .with("name", std::filesystem::path(input).filename().string())
            .with("role", "Level-0 Product");
}

void write_platform(const NewElement& section, const ProductFacts& facts, const std::vector<BurstStack>& stacks) {
    const NewElement platform = described(section, "platform", "Platform Description").in("safe:platform");
    platform.text("safe:familyName", "SENTINEL-1");
    platform.text("safe:number", std::string(1, facts.flight.satellite));
    const NewElement instrument = platform.in("safe:instrument");
    const NewElement family = instrument.in("safe:familyName").with("abbreviation", "SAR");
    family.set_text("Synthetic Aperture Radar");
    const NewElement mode = instrument.in("safe:extension").in("s1sarl1:instrumentMode");
    mode.text("s1sarl1:mode", mode_of(stacks.front()));
    std::set<std::string> swaths;
    for (const BurstStack& stack : stacks) swaths.insert(stack.swath().swath);
    for (const std::string& swath : swaths) mode.text("s1sarl1:swath", swath);
}

void write_orbit_reference(const NewElement& section, const ProductFacts& facts, const Identification& flown) {
    const NewElement orbit =
        described(section, "measurementOrbitReference", "Orbit Reference").in("safe:orbitReference");
    for (const auto& [name, number] : {std::pair("safe:orbitNumber", facts.flight.absolute_orbit),
                                       {"safe:relativeOrbitNumber", facts.flight.relative_orbit()}})
        for (const char* end : {"start", "stop"}) orbit.in(name).with("type", end).set_text(fmt::format("{}", number));
    const NewElement properties = orbit.in("safe:extension").in("s1:orbitProperties");
    properties.text("s1:pass", flown.pass_direction == "descending" ? "DESCENDING" : "ASCENDING");
    properties.text("s1:ascendingNodeTime", utc(facts.epoch, facts.node_s));
}

void write_product(const NewElement& section, const ProductFacts& facts, const std::vector<BurstStack>& stacks) {
    const NewElement product = described(section, "generalProductInformation", "General Product Information")
                                   .in("s1sarl1:standAloneProductInformation");
    product.count("s1sarl1:instrumentConfigurationID", facts.instrument_configuration);
    product.count("s1sarl1:missionDataTakeID", facts.flight.data_take);
    std::set<std::string> polarizations;
    for (const BurstStack& stack : stacks) polarizations.insert(stack.acquisition().polarization);
    for (const std::string& polarization : polarizations)
        product.text("s1sarl1:transmitterReceiverPolarisation", polarization);
    product.text("s1sarl1:productClass", "S");
    product.text("s1sarl1:productClassDescription", "SAR Standard L1 Product");
    product.text("s1sarl1:productComposition", "Individual");
    product.text("s1sarl1:productType", "SLC");
    product.text("s1sarl1:sliceProductFlag", "false");
}

void write_period(const NewElement& section, const ProductFacts& facts, const Span& span) {
    const NewElement period =
        described(section, "acquisitionPeriod", "Acquisition Period").in("safe:acquisitionPeriod");
    period.text("safe:startTime", utc(facts.epoch, span.first_s));
    period.text("safe:stopTime", utc(facts.epoch, span.last_s));
    const NewElement since_node = period.in("safe:extension").in("s1:timeANX");
    constexpr double ms_per_s = 1000;
    since_node.number("s1:startTimeANX", ms_per_s * (span.first_s - facts.node_s));
    since_node.number("s1:stopTimeANX", ms_per_s * (span.last_s - facts.node_s));
}

/// From the nearest and the farthest sub-swath.
void write_frame(const NewElement& section, const std::vector<BurstStack>& stacks) {
    const auto by_range = [](const BurstStack& a, const BurstStack& b) { return a.range_m(0) < b.range_m(0); };
    const BurstStack &near = *std::min_element(stacks.begin(), stacks.end(), by_range),
                     &far = *std::max_element(stacks.begin(), stacks.end(), by_range);
    std::string corners;
    const auto add = [&](const BurstStack& stack, bool first_line, std::int64_t sample) {
        const GroundView view = view_of(stack, first_line ? stack.bursts.front() : stack.bursts.back(),
                                        first_line ? 0 : stack.lines - 1, sample);
        corners += fmt::format("{}{:.6f},{:.6f}", corners.empty() ? "" : " ", view.place.latitude_deg,
                               view.place.longitude_deg);
    };
    add(near, true, 0);
    add(far, true, far.samples - 1);
    add(far, false, far.samples - 1);
    add(near, false, 0);
    described(section, "measurementFrameSet", "Frame Set")
        .in("safe:frameSet")
        .in("safe:frame")
        .in("safe:footPrint")
        .with("srsName", "http://www.opengis.net/gml/srs/epsg.xml#4326")
        .text("gml:coordinates", corners);
}

void write_metadata(const NewElement& root, const ProductFacts& facts, const std::vector<BurstStack>& stacks,
                    const std::vector<ListedFile>& files, const std::string& input) {
    const NewElement section = root.in("metadataSection");
    for (const ListedFile& file : files) {
        if (file.is_measurement()) continue;
        section.in("metadataObject")
            .with("ID", dmd_id(file))
            .with("classification", "DESCRIPTION")
            .with("category", "DMD")
            .in("dataObjectPointer")
            .with("dataObjectID", file.id());
    }
    const Image& first = stacks.front().first();
    write_processing(section, first.processing, input);
    write_platform(section, facts, stacks);
    write_orbit_reference(section, facts, first.acquisition.identification);
    write_product(section, facts, stacks);
    write_period(section, facts, span_of(stacks));
    write_frame(section, stacks);
}

void write_files(const NewElement& root, const std::vector<ListedFile>& files) {
    const NewElement section = root.in("dataObjectSection");
    for (const ListedFile& file : files)
        section.in("dataObject")
            .with("ID", file.id())
            .with("repID", file.schema)
            .in("byteStream")
            .with("mimeType", file.is_measurement() ? "application/octet-stream" : "text/xml")
            .with("size", static_cast<std::int64_t>(file.bytes))
            .in("fileLocation")
            .with("locatorType", "URL")
            .with("href", fmt::format("./{}", file.path));
}

}  // namespace

std::string ListedFile::id() const {
    std::string name = std::filesystem::path(path).stem();
    std::erase(name, '-');
    return fmt::format("{}{}", schema == "s1Level1ProductSchema" ? "product" : "", name);
}

pugi::xml_document manifest(const ProductFacts& facts, const std::vector<BurstStack>& stacks,
                            const std::vector<ListedFile>& files, const std::string& input) {
    pugi::xml_document document;
    const NewElement root(document.append_child("xfdu:XFDU"));
    for (const auto& [prefix, name] : {std::pair("gml", "http://www.opengis.net/gml"),
                                       {"xfdu", "urn:ccsds:schema:xfdu:1"},
                                       {"safe", "http://www.esa.int/safe/sentinel-1.0"},
                                       {"s1", "http://www.esa.int/safe/sentinel-1.0/sentinel-1"},
                                       {"s1sar", "http://www.esa.int/safe/sentinel-1.0/sentinel-1/sar"},
                                       {"s1sarl1", "http://www.esa.int/safe/sentinel-1.0/sentinel-1/sar/level-1"}})
        root.with(fmt::format("xmlns:{}", prefix).c_str(), name);
    const std::string mode = mode_of(stacks.front());
    root.with("version", fmt::format("esa/safe/sentinel-1.0/sentinel-1/sar/level-1/slc/standard/{}", lower(mode)));
    write_map(root, files, mode);
    write_metadata(root, facts, stacks, files, input);
    write_files(root, files);
    return document;
}

}  // namespace cornerturn::safe

// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/metadata.h"

#include <fmt/format.h>

#include "data/files/refusal.h"
#include "data/xml/xml_element.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn::cphd {
namespace {

constexpr std::uint64_t longest_xml = std::uint64_t{1} << 28;
constexpr std::uint64_t word_bytes = 8;

Vec3 vector_of(const XmlElement& element) {
    return {element.at("X").number(), element.at("Y").number(), element.at("Z").number()};
}

Domain domain_of(const XmlElement& element) {
    if (element.text() == "FX") return Domain::frequency;
    if (element.text() == "TOA") return Domain::time;
    element.refuse(fmt::format("is '{}', expected FX or TOA", shown(element.text())));
}

int sign_of(const XmlElement& element) {
    const double sign = element.number();
    if (sign != 1 && sign != -1) element.refuse(fmt::format("is '{}', expected +1 or -1", shown(element.text())));
    return static_cast<int>(sign);
}

SampleType sample_type_of(const XmlElement& element) {
    const std::string name = element.text();
    if (name == "CI2") return SampleType::ci2;
    if (name == "CI4") return SampleType::ci4;
    if (name == "CF8") return SampleType::cf8;
    element.refuse(fmt::format("is '{}', expected CI2, CI4 or CF8", shown(name)));
}

/// Edges about the origin, and the numbers of the first and last lines and samples.
void read_image_grid(const XmlElement& grid, SceneCoordinates& scene) {
    const auto axis = [&](const char* extent, const char* name, const char* origin, double(&pixels)[2],
                          double(&edges_m)[2]) {
        const XmlElement along = grid.at(extent);
        const double first = along.at(fmt::format("First{}", name)).number(),
                     count = along.at(fmt::format("Num{}s", name)).number(),
                     spacing_m = along.at(fmt::format("{}Spacing", name)).number(),
                     at_origin = grid.at(fmt::format("IARPLocation/{}", origin)).number();
        pixels[0] = first, pixels[1] = first + count - 1;
        edges_m[0] = (pixels[0] - at_origin - 0.5) * spacing_m, edges_m[1] = (pixels[1] - at_origin + 0.5) * spacing_m;
    };
    double lines[2], samples[2], x_m[2], y_m[2];
    axis("IAXExtent", "Line", "Line", lines, x_m);
    axis("IAYExtent", "Sample", "Sample", samples, y_m);
    scene.image_grid_pixels = Rectangle{lines[0], lines[1], samples[0], samples[1]};
    scene.image_grid_m = Rectangle{x_m[0], x_m[1], y_m[0], y_m[1]};
}

/// An axis of a surface of one height, which is told in degrees for each metre along it.
Vec3 axis_over_the_ellipsoid(const Vec3& origin_m, const XmlElement& degrees_per_m) {
    constexpr double along_m = 10;
    Geographic place = geographic(origin_m);
    place.latitude_deg += along_m * degrees_per_m.at("Lat").number();
    place.longitude_deg += along_m * degrees_per_m.at("Lon").number();
    return 1 / along_m * (point_of(place) - origin_m);
}

SceneCoordinates scene_of(const XmlElement& element) {
    SceneCoordinates scene;
    scene.origin_m = vector_of(element.at("IARP/ECF"));
    if (const auto plane = element.find("ReferenceSurface/Planar"))
        scene.axes = {vector_of(plane->at("uIAX")), vector_of(plane->at("uIAY"))};
    if (const auto level = element.find("ReferenceSurface/HAE"); level && level->find("uIAXLL"))
        scene.axes = {axis_over_the_ellipsoid(scene.origin_m, level->at("uIAXLL")),
                      axis_over_the_ellipsoid(scene.origin_m, level->at("uIAYLL"))};
    if (const auto area = element.find("ImageArea"))
        scene.image_area = Rectangle{area->at("X1Y1/X").number(), area->at("X2Y2/X").number(),
                                     area->at("X1Y1/Y").number(), area->at("X2Y2/Y").number()};
    for (const XmlElement& corner : element.all("ImageAreaCornerPoints/IACP"))
        scene.corners.push_back({corner.at("Lat").number(), corner.at("Lon").number()});
    if (const auto grid = element.find("ImageGrid")) read_image_grid(*grid, scene);
    return scene;
}

/// H, V and the circular ones; X for what is none of these.
char letter_of(const std::optional<XmlElement>& polarization) {
    const std::string name = polarization ? polarization->text() : "";
    if (name == "H" || name == "V") return name[0];
    if (name == "RHC" || name == "LHC") return name[0];
    return 'X';
}

Channel channel_of(const XmlElement& root, const XmlElement& element) {
    Channel channel{.name = element.at("Identifier").text(),
                    .pulses = element.at("NumVectors").count(),
                    .samples = element.at("NumSamples").count(),
                    .signal_offset = element.at("SignalArrayByteOffset").count(),
                    .pulses_offset = element.at("PVPArrayByteOffset").count(),
                    .polarization = "XX"};
    constexpr std::uint64_t most_pulses = std::uint64_t{1} << 24, most_samples = std::uint64_t{1} << 22;
    if (channel.pulses < 2 || channel.pulses > most_pulses)
        element.refuse(fmt::format("has {} vectors, expected 2 to {}", channel.pulses, most_pulses));
    if (channel.samples < 2 || channel.samples > most_samples)
        element.refuse(fmt::format("has {} samples, expected 2 to {}", channel.samples, most_samples));
    for (const XmlElement& parameters : root.all("Channel/Parameters"))
        if (parameters.at("Identifier").text() == channel.name)
            channel.polarization = {letter_of(parameters.find("Polarization/TxPol")),
                                    letter_of(parameters.find("Polarization/RcvPol"))};
    return channel;
}

/// Those of antennas, which stand a level deeper, are not needed.
void add_fields(const XmlElement& parameters, Metadata& metadata) {
    for (const XmlElement& parameter : parameters.children()) {
        const auto offset = parameter.find("Offset");
        if (!offset) continue;
        const Field field{.offset = offset->count() * word_bytes,
                          .bytes = parameter.at("Size").count() * word_bytes,
                          .whole = parameter.at("Format").text().find('I') != std::string::npos};
        const std::uint64_t record = metadata.pulse_bytes;
        if (offset->count() > record / word_bytes || field.bytes > record - field.offset)
            parameter.refuse(fmt::format("lies at words {} to {}, but NumBytesPVP is {}", offset->count(),
                                         offset->count() + parameter.at("Size").count(), record));
        metadata.fields.emplace(parameter.name(), field);
    }
}

/// Other places of interest than this program's own are no targets.
void add_targets(const XmlElement& root, Metadata& metadata) {
    for (const XmlElement& info : root.all("GeoInfo")) {
        if (info.attribute("name") != ToldTarget::name) continue;
        std::map<std::string, double> told;
        for (const XmlElement& description : info.all("Desc"))
            told.emplace(description.attribute("name").value_or(""), description.number());
        const auto point = info.find("Point");
        for (const char* needed :
             {ToldTarget::height, ToldTarget::magnitude, ToldTarget::phase, ToldTarget::first, ToldTarget::last})
            if (!told.contains(needed)) info.refuse(fmt::format("is a {} without {}", ToldTarget::name, needed));
        if (!point) info.refuse(fmt::format("is a {} without Point", ToldTarget::name));
        const double most_deg[] = {90, 360}, at_deg[] = {point->at("Lat").number(), point->at("Lon").number()};
        for (const int axis : {0, 1})
            if (std::abs(at_deg[axis]) > most_deg[axis])
                point->refuse(
                    fmt::format("is at {:.6g}, {:.6g} degrees, expected a place on the Earth", at_deg[0], at_deg[1]));
        if (std::abs(told.at(ToldTarget::height)) > 1e5)
            info.refuse(fmt::format("lies {:.6g} m above the ellipsoid, expected a place on the ground",
                                    told.at(ToldTarget::height)));
        metadata.targets.push_back({.latitude_deg = point->at("Lat").number(),
                                    .longitude_deg = point->at("Lon").number(),
                                    .height_m = told.at(ToldTarget::height),
                                    .amplitude = told.at(ToldTarget::magnitude),
                                    .phase_deg = told.at(ToldTarget::phase),
                                    .first_pulse_s = told.at(ToldTarget::first),
                                    .last_pulse_s = told.at(ToldTarget::last)});
    }
}

void check_extent(const BinaryFile& file, const FileHeader& header, const Metadata& metadata, const Channel& channel) {
    const std::string subject = fmt::format("{}: channel {}", file.name(), shown(channel.name));
    if (!header.pulses.holds(channel.pulses_offset, channel.pulses, metadata.pulse_bytes))
        refuse(subject, fmt::format("{} pulses of {} bytes from byte {} on go beyond the PVP block of {} bytes",
                                    channel.pulses, metadata.pulse_bytes, channel.pulses_offset, header.pulses.bytes));
    if (!header.signal.holds(channel.signal_offset, channel.pulses, metadata.vector_bytes(channel)))
        refuse(subject, fmt::format("{} vectors of {} samples from byte {} on go beyond the signal block of {} bytes",
                                    channel.pulses, channel.samples, channel.signal_offset, header.signal.bytes));
}

}  // namespace

Metadata read_metadata(const BinaryFile& file, const FileHeader& header) {
    if (header.xml.bytes > longest_xml)
        refuse(file.name(), fmt::format("its XML has {} bytes, at most {} are read", header.xml.bytes, longest_xml));
    const auto text = file.read(header.xml.first, static_cast<std::size_t>(header.xml.bytes));
    const XmlElement root = XmlElement::parse(file.name(), text);
    if (root.name() != "CPHD") root.refuse("expected the root element CPHD");
    Metadata metadata;
    if (const auto collector = root.find("CollectionID/CollectorName")) metadata.collector = collector->text();
    const XmlElement global = root.at("Global"), data = root.at("Data");
    metadata.collection_start = global.at("Timeline/CollectionStart").text();
    metadata.domain = domain_of(global.at("DomainType"));
    metadata.sign = sign_of(global.at("SGN"));
    metadata.scene = scene_of(root.at("SceneCoordinates"));
    if (const auto compressed = data.find("SignalCompressionID"))
        compressed->refuse(fmt::format("its samples are compressed ('{}'), which is not read; convert them to CF8",
                                       shown(compressed->text())));
    metadata.sample_type = sample_type_of(data.at("SignalArrayFormat"));
    metadata.pulse_bytes = data.at("NumBytesPVP").count();
    if (metadata.pulse_bytes < word_bytes || metadata.pulse_bytes > longest_xml)
        data.at("NumBytesPVP")
            .refuse(fmt::format("is {}, expected the bytes of a pulse's record", metadata.pulse_bytes));
    add_fields(root.at("PVP"), metadata);
    add_targets(root, metadata);
    for (const XmlElement& channel : data.all("Channel")) metadata.channels.push_back(channel_of(root, channel));
    if (metadata.channels.empty()) data.refuse("has no Channel");
    for (const Channel& channel : metadata.channels) check_extent(file, header, metadata, channel);
    return metadata;
}

}  // namespace cornerturn::cphd

// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/document.h"

#include <fmt/format.h>

#include <complex>

#include "data/cphd/record_layout.h"
#include "data/nisar/epoch.h"
#include "data/xml/new_element.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/ground/line_of_sight.h"

namespace cornerturn::cphd {
namespace {

constexpr const char *version = "1.1.0", *schema = "http://api.nsgreg.nga.mil/schema/cphd/1.1.0", *cod_name = "centre",
                     *dwell_name = "dwell";

const char* name_of(SampleType type) {
    return type == SampleType::ci2 ? "CI2" : type == SampleType::ci4 ? "CI4" : "CF8";
}

void write_collection(const NewElement& root) {
    const NewElement collection = root.in("CollectionID");
    collection.text("CollectorName", "SIMULATION");
    collection.text("CoreName", "cornerturn simulate");
    collection.text("CollectType", "MONOSTATIC");
    collection.in("RadarMode").text("ModeType", "SPOTLIGHT");
    collection.text("Classification", "UNCLASSIFIED");
    collection.text("ReleaseInfo", "UNRESTRICTED");
}

void write_global(const NewElement& root, const SpotlightPulses& echo) {
    const CollectionStart start = collection_start(echo.scene());
    const NewElement global = root.in("Global");
    global.text("DomainType", "FX");
    global.text("SGN", "-1");
    const NewElement times = global.in("Timeline");
    times.text("CollectionStart", start.text);
    times.number("TxTime1", echo.pulses().front().sent_s - start.since_epoch_s);
    times.number("TxTime2", echo.pulses().back().sent_s - start.since_epoch_s);
    const NewElement band = global.in("FxBand");
    band.number("FxMin", echo.first_hz());
    band.number("FxMax", echo.first_hz() + static_cast<double>(echo.samples() - 1) * echo.step_hz());
    const NewElement swath = global.in("TOASwath");
    swath.number("TOAMin", -0.5 * echo.window_s());
    swath.number("TOAMax", 0.5 * echo.window_s());
}

void write_angles(const NewElement& to, const Geographic& place) {
    to.number("Lat", place.latitude_deg);
    to.number("Lon", place.longitude_deg);
}

void write_corner(const NewElement& to, const char* name, double x_m, double y_m) {
    const NewElement corner = to.in(name);
    corner.number("X", x_m);
    corner.number("Y", y_m);
}

void write_scene(const NewElement& root, const SceneArea& area) {
    const NewElement scene = root.in("SceneCoordinates");
    scene.text("EarthModel", "WGS_84");
    const NewElement origin = scene.in("IARP");
    origin.vector("ECF", area.plane.origin_m);
    const Geographic place = geographic(area.plane.origin_m);
    const NewElement angles = origin.in("LLH");
    write_angles(angles, place);
    angles.number("HAE", place.height_m);
    const NewElement plane = scene.in("ReferenceSurface").in("Planar");
    plane.vector("uIAX", area.plane.x_axis);
    plane.vector("uIAY", area.plane.y_axis);
    const NewElement rectangle = scene.in("ImageArea");
    write_corner(rectangle, "X1Y1", area.least_x_m, area.least_y_m);
    write_corner(rectangle, "X2Y2", area.greatest_x_m, area.greatest_y_m);
    const NewElement corners = scene.in("ImageAreaCornerPoints");
    std::int64_t index = 0;  // clockwise
    for (const auto& [x_m, y_m] :
         {std::pair{area.least_x_m, area.least_y_m}, std::pair{area.least_x_m, area.greatest_y_m},
          std::pair{area.greatest_x_m, area.greatest_y_m}, std::pair{area.greatest_x_m, area.least_y_m}})
        write_angles(corners.in("IACP").with("index", ++index), geographic(area.plane.at(x_m, y_m)));
}

void write_data(const NewElement& root, const SpotlightPulses& echo, SampleType type) {
    const NewElement data = root.in("Data");
    const std::int64_t pulses = std::ssize(echo.pulses());
    data.text("SignalArrayFormat", name_of(type));
    data.count("NumBytesPVP", own_record_bytes());
    data.count("NumCPHDChannels", std::ssize(echo.scene().polarizations));
    std::int64_t number = 0;
    for (const std::string& polarization : echo.scene().polarizations) {
        const NewElement channel = data.in("Channel");
        channel.text("Identifier", polarization);
        channel.count("NumVectors", pulses);
        channel.count("NumSamples", echo.samples());
        channel.count("SignalArrayByteOffset",
                      number * pulses * echo.samples() * static_cast<std::int64_t>(bytes_of(type)));
        channel.count("PVPArrayByteOffset", number * pulses * own_record_bytes());
        ++number;
    }
    data.count("NumSupportArrays", 0);
}

void write_channels(const NewElement& root, const SpotlightPulses& echo) {
    const NewElement channels = root.in("Channel");
    const char* fixed = echo.pulses().front().reference_m == echo.pulses().back().reference_m ? "true" : "false";
    const auto write_fixed = [&](const NewElement& to, const std::string& behind) {
        to.text(("FXFixed" + behind).c_str(), "true");
        to.text(("TOAFixed" + behind).c_str(), "true");
        to.text(("SRPFixed" + behind).c_str(), fixed);
    };
    channels.text("RefChId", echo.scene().polarizations.front());
    write_fixed(channels, "CPHD");
    const double band_hz = static_cast<double>(echo.samples() - 1) * echo.step_hz();
    for (const std::string& polarization : echo.scene().polarizations) {
        const NewElement parameters = channels.in("Parameters");
        parameters.text("Identifier", polarization);
        parameters.count("RefVectorIndex", std::ssize(echo.pulses()) / 2);
        write_fixed(parameters, "");
        const NewElement letters = parameters.in("Polarization");
        letters.text("TxPol", polarization.substr(0, 1));
        letters.text("RcvPol", polarization.substr(1));
        parameters.number("FxC", echo.first_hz() + 0.5 * band_hz);
        parameters.number("FxBW", band_hz);
        parameters.number("TOASaved", echo.window_s());
        const NewElement times = parameters.in("DwellTimes");
        times.text("CODId", cod_name);
        times.text("DwellId", dwell_name);
    }
}

void write_fields(const NewElement& root) {
    const NewElement parameters = root.in("PVP");
    std::int64_t offset = 0;
    for (const OwnField& field : own_fields) {
        const NewElement to = parameters.in(field.name);
        to.count("Offset", offset);
        to.count("Size", field.words);
        to.text("Format", field.words == 3 ? "X=F8;Y=F8;Z=F8;" : "F8");
        offset += field.words;
    }
}

/// When the antenna was halfway to the point of reference, as the standard divides the time between.
double reference_time_s(const SpotlightPulse& pulse) {
    const double out_m = norm(pulse.sender.position_m - pulse.reference_m),
                 back_m = norm(pulse.receiver.position_m - pulse.reference_m);
    return pulse.sent_s + out_m / (out_m + back_m) * (pulse.received_s - pulse.sent_s);
}

/// From first to last pulse where all see the scene, else by the beam that slides along y.
struct Dwell {
    double centre_s, per_m, dwell_s;
};
Dwell dwell_of(const SpotlightPulses& echo, double start_s) {
    const double first_s = reference_time_s(echo.pulses().front()), last_s = reference_time_s(echo.pulses().back());
    if (echo.later_s_per_m() == 0) return {0.5 * (first_s + last_s) - start_s, 0, last_s - first_s};
    const double on_the_way_s = first_s - echo.pulses().front().sent_s;
    return {echo.centre_time_s() + on_the_way_s - start_s, echo.later_s_per_m(), echo.dwell_s()};
}

void write_dwell(const NewElement& root, const Dwell& dwell) {
    const NewElement times = root.in("Dwell");
    times.count("NumCODTimes", 1);
    const NewElement centre = times.in("CODTime");
    centre.text("Identifier", cod_name);
    centre.polynomial("CODTimePoly", std::vector<std::vector<double>>{{dwell.centre_s, dwell.per_m}});
    times.count("NumDwellTimes", 1);
    const NewElement length = times.in("DwellTime");
    length.text("Identifier", dwell_name);
    length.polynomial("DwellTimePoly", std::vector<std::vector<double>>{{dwell.dwell_s}});
}

void write_reference(const NewElement& root, const SpotlightPulses& echo, const Dwell& dwell, double start_s) {
    const SpotlightPulse& pulse = echo.pulses()[echo.pulses().size() / 2];
    const ScenePlane& plane = echo.area().plane;
    const StateVector between{0.5 * (pulse.sender.position_m + pulse.receiver.position_m),
                              0.5 * (pulse.sender.velocity_m_s + pulse.receiver.velocity_m_s)};
    const LineOfSight seen = line_of_sight(between, pulse.reference_m);
    const Vec3 from_origin_m = pulse.reference_m - plane.origin_m;
    const Vec3 on_plane_m{dot(from_origin_m, plane.x_axis), dot(from_origin_m, plane.y_axis),
                          dot(from_origin_m, plane.normal())};
    const NewElement to = root.in("ReferenceGeometry"), point = to.in("SRP");
    point.vector("ECF", pulse.reference_m);
    point.vector("IAC", on_plane_m);
    to.number("ReferenceTime", reference_time_s(pulse) - start_s);
    to.number("SRPCODTime", dwell.centre_s + dwell.per_m * on_plane_m[1]);
    to.number("SRPDwellTime", dwell.dwell_s);
    const NewElement antenna = to.in("Monostatic");
    antenna.vector("ARPPos", between.position_m);
    antenna.vector("ARPVel", between.velocity_m_s);
    antenna.text("SideOfTrack", seen.left ? "L" : "R");
    antenna.number("SlantRange", seen.slant_range_m);
    antenna.number("GroundRange", seen.ground_range_m);
    antenna.number("DopplerConeAngle", seen.cone_deg);
    antenna.number("GrazeAngle", seen.graze_deg);
    antenna.number("IncidenceAngle", seen.incidence_deg());
    antenna.number("AzimuthAngle", seen.azimuth_deg);
    antenna.number("TwistAngle", seen.twist_deg);
    antenna.number("SlopeAngle", seen.slope_deg);
    antenna.number("LayoverAngle", seen.layover_deg);
}

void write_truth(const NewElement& root, const SpotlightPulses& echo, double start_s) {
    for (const PointTarget& target : echo.truth()) {
        const Geographic place = geographic(*target.place_m);
        const NewElement info = root.in("GeoInfo").with("name", ToldTarget::name);
        const auto describe = [&](const char* name, double value) { info.in("Desc").with("name", name).set(value); };
        describe(ToldTarget::height, place.height_m);
        describe(ToldTarget::magnitude, std::abs(target.amplitude));
        describe(ToldTarget::phase, degrees(std::arg(target.amplitude)));
        describe(ToldTarget::first, target.illuminated_s->first_s - start_s);
        describe(ToldTarget::last, target.illuminated_s->last_s - start_s);
        write_angles(info.in("Point"), place);
    }
}

}  // namespace

CollectionStart collection_start(const Scene& scene) {
    const Epoch epoch = parse_epoch(scene.epoch).value_or(Epoch());
    const Epoch start{.seconds = epoch.plus(scene.first_pulse_time_s).seconds, .fraction = 0};
    return {start.text() + ".000000Z", start.seconds_since(epoch)};
}

std::string document(const SpotlightPulses& echo, SampleType type) {
    const double start_s = collection_start(echo.scene()).since_epoch_s;
    const Dwell dwell = dwell_of(echo, start_s);
    pugi::xml_document document;
    const NewElement root(document.append_child("CPHD"));
    root.with("xmlns", schema);
    write_collection(root);
    write_global(root, echo);
    write_scene(root, echo.area());
    write_data(root, echo, type);
    write_channels(root, echo);
    write_fields(root);
    write_dwell(root, dwell);
    write_reference(root, echo, dwell, start_s);
    write_truth(root, echo, start_s);
    return cornerturn::text_of(document);
}

FileHeader own_header(std::size_t xml_bytes, std::uint64_t pulse_bytes, std::uint64_t signal_bytes) {
    constexpr std::uint64_t longest_head = 512, step = 64, end_of_xml = 2;
    const auto next = [&](std::uint64_t byte) { return (byte + step - 1) / step * step; };
    FileHeader header{.version = version, .xml = {longest_head, xml_bytes}, .pulses = {}, .signal = {}};
    header.pulses = {next(longest_head + xml_bytes + end_of_xml), pulse_bytes};
    header.signal = {next(header.pulses.first + pulse_bytes), signal_bytes};
    return header;
}

std::string text_of(const FileHeader& header) {
    return fmt::format(
        "CPHD/{}\nXML_BLOCK_SIZE := {}\nXML_BLOCK_BYTE_OFFSET := {}\nPVP_BLOCK_SIZE := {}\n"
        "PVP_BLOCK_BYTE_OFFSET := {}\nSIGNAL_BLOCK_SIZE := {}\nSIGNAL_BLOCK_BYTE_OFFSET := {}\n"
        "CLASSIFICATION := UNCLASSIFIED\nRELEASE_INFO := UNRESTRICTED\n\f\n",
        header.version, header.xml.bytes, header.xml.first, header.pulses.bytes, header.pulses.first,
        header.signal.bytes, header.signal.first);
}

}  // namespace cornerturn::cphd

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cphd_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

constexpr double scale_of_integers = 1e-2;  // what AmpSF makes of a count

std::complex<double> turned(double cycles) {
    return std::polar(1.0, 2 * std::numbers::pi * (cycles - std::round(cycles)));
}

template <class Bits>
void put_bits(std::string& bytes, Bits bits) {
    for (int shift = 8 * (static_cast<int>(sizeof bits) - 1); shift >= 0; shift -= 8)
        bytes += static_cast<char>(bits >> shift & 0xff);
}
void put(std::string& bytes, double value) { put_bits(bytes, std::bit_cast<std::uint64_t>(value)); }
void put(std::string& bytes, const Vec3& value) {
    for (const double component : value) put(bytes, component);
}

std::vector<std::complex<double>> samples_of(const CphdScene& scene, const CphdScene::Channel& channel, int pulse) {
    const int count = scene.samples;
    std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(count));
    for (const CphdScene::Target& target : scene.targets) {
        const Vec3 place_m = CphdScene::place_m(target);
        if (!scene.sees(pulse, place_m)) continue;
        const double arrival_s = scene.arrival_s(pulse, place_m);
        for (int k = 0; k < count; ++k)
            spectrum[static_cast<std::size_t>(k)] +=
                channel.amplitude * target.amplitude *
                turned(scene.sign * (scene.first_hz(pulse) + k * scene.step_hz()) * arrival_s);
    }
    if (!scene.over_arrival_time) return spectrum;
    // 1.25 samples for each 1 / bandwidth, over the window.
    const double middle_hz = scene.first_hz(pulse) + 0.5 * (count - 1) * scene.step_hz();
    std::vector<std::complex<double>> arrivals(static_cast<std::size_t>(count));
    for (int s = 0; s < count; ++s)
        for (int k = 0; k < count; ++k)
            arrivals[static_cast<std::size_t>(s)] +=
                spectrum[static_cast<std::size_t>(k)] / static_cast<double>(count) *
                turned(-scene.sign * (scene.first_hz(pulse) + k * scene.step_hz() - middle_hz) *
                       ((s - count / 2) * 0.8 / scene.bandwidth_hz));
    return arrivals;
}

void put_sample(std::string& bytes, const std::string& type, std::complex<double> value, double gain) {
    for (const double part : {value.real(), value.imag()}) {
        if (type == "CF8") put_bits(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(part)));
        if (type == "CI4")
            put_bits(bytes, static_cast<std::uint16_t>(static_cast<std::int16_t>(std::lround(part / gain))));
        if (type == "CI2")
            put_bits(bytes, static_cast<std::uint8_t>(static_cast<std::int8_t>(std::lround(part / gain))));
    }
}

/// Fields stand in another order than in the XML, behind one that nobody knows.
std::string record_of(const CphdScene& scene, int pulse, double gain) {
    const double first_hz = scene.first_hz(pulse), last_hz = first_hz + (scene.samples - 1) * scene.step_hz();
    const Vec3 velocity_m_s{0, 0, scene.speed_m_s};
    std::string record;
    put_bits(record, static_cast<std::uint64_t>(pulse));
    put(record, scene.over_arrival_time ? -(scene.samples / 2) * 0.8 / scene.bandwidth_hz : first_hz);
    put(record, scene.over_arrival_time ? 0.8 / scene.bandwidth_hz : scene.step_hz());
    put(record, first_hz), put(record, last_hz);
    put(record, scene.antenna_m(scene.time_s(pulse))), put(record, velocity_m_s);
    put(record, scene.receiver_m(pulse)), put(record, velocity_m_s);
    put(record, scene.reference_m(pulse));
    put(record, scene.received_s(pulse));
    put(record, -0.5 * scene.window_s()), put(record, 0.5 * scene.window_s());
    put(record, scene.air_delay_s);
    for (int i = 0; i < 3; ++i) put(record, 0.0);  // aFDOP, aFRR1, aFRR2
    put(record, gain);
    put_bits(record, std::uint64_t{1});
    put(record, scene.time_s(pulse));
    return record;
}

std::string field(const char* name, int offset, int words = 1, const char* format = "F8") {
    return fmt::format("<{0}><Offset>{1}</Offset><Size>{2}</Size><Format>{3}</Format></{0}>", name, offset, words,
                       format);
}

std::string fields() {
    constexpr auto xyz = "X=F8;Y=F8;Z=F8;";
    return field("TxTime", 29) + field("TxPos", 5, 3, xyz) + field("TxVel", 8, 3, xyz) + field("RcvTime", 20) +
           field("RcvPos", 11, 3, xyz) + field("RcvVel", 14, 3, xyz) + field("SRPPos", 17, 3, xyz) +
           field("aFDOP", 24) + field("aFRR1", 25) + field("aFRR2", 26) + field("FX1", 3) + field("FX2", 4) +
           field("TOA1", 21) + field("TOA2", 22) + field("TDTropoSRP", 23) + field("SC0", 1) + field("SCSS", 2) +
           field("AmpSF", 27) + field("SIGNAL", 28, 1, "I8");
}

std::string vector_text(const char* name, const Vec3& v) {
    return fmt::format("<{0}><X>{1:.17g}</X><Y>{2:.17g}</Y><Z>{3:.17g}</Z></{0}>", name, v[0], v[1], v[2]);
}

/// That of the plane from -40 to 40 m, whatever the image area says.
std::string corner_points() {
    std::string text;
    int index = 0;
    constexpr double x_deg = 40 / 111319.49, y_deg = 40 / 110574.28;
    for (const auto& [x, y] : {std::pair{-1, -1}, std::pair{1, -1}, std::pair{1, 1}, std::pair{-1, 1}})
        text += fmt::format("<IACP index=\"{}\"><Lat>{:.12f}</Lat><Lon>{:.12f}</Lon></IACP>", ++index, y * y_deg,
                            x * x_deg);
    return text;
}

std::string xml_of(const CphdScene& scene, std::size_t recorded) {
    std::string data, parameters;
    const std::size_t value_bytes = scene.sample_type == "CI2" ? 2 : scene.sample_type == "CI4" ? 4 : 8;
    std::size_t signal_at = 0, pulses_at = 0;
    for (const CphdScene::Channel& channel : scene.channels) {
        data += fmt::format(
            "<Channel><Identifier>{}</Identifier><NumVectors>{}</NumVectors><NumSamples>{}</NumSamples>"
            "<SignalArrayByteOffset>{}</SignalArrayByteOffset><PVPArrayByteOffset>{}"
            "</PVPArrayByteOffset></Channel>",
            channel.name, recorded, scene.samples, signal_at, pulses_at);
        parameters += fmt::format(
            "<Parameters><Identifier>{}</Identifier><Polarization><TxPol>{}</TxPol><RcvPol>{}"
            "</RcvPol></Polarization></Parameters>",
            channel.name, channel.sent, channel.received);
        signal_at += recorded * static_cast<std::size_t>(scene.samples) * value_bytes;
        pulses_at += recorded * cphd_record_bytes;
    }
    return fmt::format(
        "<?xml version=\"1.0\"?><CPHD "
        "xmlns=\"http://api.nsgreg.nga.mil/schema/cphd/1.0.1\"><CollectionID><CollectorName>"
        "test</CollectorName></CollectionID><Global><DomainType>{}</DomainType><SGN>{:+d}</SGN><Timeline>"
        "<CollectionStart>2026-05-06T07:08:09.250000Z</CollectionStart></Timeline></Global><SceneCoordinates><IARP>{}"
        "</IARP><ReferenceSurface><Planar>{}{}</Planar></ReferenceSurface><ImageArea>{}</ImageArea>"
        "<ImageAreaCornerPoints>{}</ImageAreaCornerPoints><ImageGrid><IARPLocation><Line>39.5</Line><Sample>79.5"
        "</Sample></IARPLocation><IAXExtent><LineSpacing>1</LineSpacing><FirstLine>0</FirstLine><NumLines>80</NumLines>"
        "</IAXExtent><IAYExtent><SampleSpacing>0.5</SampleSpacing><FirstSample>0</FirstSample><NumSamples>160"
        "</NumSamples></IAYExtent></ImageGrid></SceneCoordinates><Data><SignalArrayFormat>{}</SignalArrayFormat>"
        "<NumBytesPVP>{}</NumBytesPVP><NumCPHDChannels>{}</NumCPHDChannels>{}</Data><Channel>{}</Channel><PVP>{}</PVP>"
        "</CPHD>",
        scene.over_arrival_time ? "TOA" : "FX", scene.told_sign, vector_text("ECF", {6378137.0, 0, 0}),
        vector_text("uIAX", {0, 1, 0}), vector_text("uIAY", {0, 0, 1}), scene.image_area, corner_points(),
        scene.sample_type, cphd_record_bytes, scene.channels.size(), data, parameters, fields());
}

std::string head_of(const std::string& xml, std::size_t pulse_bytes, std::size_t signal_bytes) {
    const std::size_t xml_at = 512, pulses_at = (xml_at + xml.size() + 2 + 63) / 64 * 64,
                      signal_at = (pulses_at + pulse_bytes + 63) / 64 * 64;
    return fmt::format(
        "CPHD/1.0.1\nXML_BLOCK_SIZE := {}\nXML_BLOCK_BYTE_OFFSET := {}\nPVP_BLOCK_SIZE := {}\n"
        "PVP_BLOCK_BYTE_OFFSET := {}\nSIGNAL_BLOCK_SIZE := {}\nSIGNAL_BLOCK_BYTE_OFFSET := {}\n"
        "CLASSIFICATION := UNCLASSIFIED\nRELEASE_INFO := UNRESTRICTED\n\f\n",
        xml.size(), xml_at, pulse_bytes, pulses_at, signal_bytes, signal_at);
}

}  // namespace

Vec3 CphdScene::antenna_m(double time_s) const {
    return {6378137.0 + height_m, -ground_range_m, speed_m_s * (time_s - middle_s())};
}

Vec3 CphdScene::reference_m(int pulse) const {
    return {6378137.0, 0, reference_speed_m_s * (time_s(pulse) - middle_s())};
}

double CphdScene::received_s(int pulse) const {
    const Vec3 to_m = reference_m(pulse);
    double delay_s = 0;
    for (int round = 0; round < 5; ++round)
        delay_s = (norm(antenna_m(time_s(pulse)) - to_m) + norm(antenna_m(time_s(pulse) + delay_s) - to_m)) /
                  speed_of_light_m_s;
    return time_s(pulse) + delay_s;
}

Vec3 CphdScene::receiver_m(int pulse) const { return antenna_m(receiver_stands ? time_s(pulse) : received_s(pulse)); }

double CphdScene::arrival_s(int pulse, const Vec3& place_m) const {
    const Vec3 sent_m = antenna_m(time_s(pulse)), at_m = receiver_m(pulse), to_m = reference_m(pulse);
    const double way_m = norm(sent_m - place_m) + norm(at_m - place_m) - norm(sent_m - to_m) - norm(at_m - to_m);
    return way_m / speed_of_light_m_s + (air_in_samples ? air_delay_s : 0.0);
}

bool CphdScene::sees(int pulse, const Vec3& place_m) const {
    if (beam_hz == 0) return true;
    const Vec3 sight_m = place_m - antenna_m(time_s(pulse));
    return std::abs(2 * speed_m_s * sight_m[2] / norm(sight_m) * carrier_hz / speed_of_light_m_s) <= 0.5 * beam_hz;
}

std::string CphdScene::file() const {
    std::string records, signal;
    const double gain = sample_type == "CF8"   ? 1.0
                        : sample_type == "CI4" ? 1e-2 * scale_of_integers
                                               : scale_of_integers;
    for (const Channel& channel : channels)
        for (int pulse = 0; pulse < pulses; ++pulse) {
            if (missing.contains(pulse)) continue;
            const double of_pulse = gain * (1 + 0.25 * (pulse % 4));
            records += record_of(*this, pulse, sample_type == "CF8" ? 1.0 : of_pulse);
            for (const std::complex<double>& value : samples_of(*this, channel, pulse))
                put_sample(signal, sample_type, value, of_pulse);
        }
    std::string xml = xml_of(*this, static_cast<std::size_t>(pulses) - missing.size());
    if (edit) edit(xml);
    std::string bytes = head_of(xml, records.size(), signal.size());
    const auto begin = [&](const char* block) { bytes.resize(block_of(bytes, block), '\0'); };
    begin("XML"), bytes += xml + "\f\n";
    begin("PVP"), bytes += records;
    begin("SIGNAL"), bytes += signal;
    return bytes;
}

std::size_t block_of(const std::string& file, const std::string& name) {
    const std::string key = name + "_BLOCK_BYTE_OFFSET := ";
    return std::stoul(file.substr(file.find(key) + key.size(), 20));
}

}  // namespace cornerturn

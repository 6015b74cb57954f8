// SPDX-License-Identifier: Apache-2.0
#include "data/sicd/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <pugixml.hpp>

#include "data/xml/new_element.h"
#include "pipeline/acquisition/ground/line_of_sight.h"

namespace cornerturn::sicd {
namespace {

using Element = NewElement;

void write_collection(const Element& sicd, const Image& image, const Geometry& geometry) {
    const Acquisition& acquisition = image.acquisition;
    const Element collection = sicd.in("CollectionInfo");
    const std::string mission = acquisition.identification.mission;
    collection.text("CollectorName", mission);
    collection.text("CoreName", fmt::format("{} {}", mission, utc_text(geometry.start)));
    collection.text("CollectType", "MONOSTATIC");
    collection.in("RadarMode")
        .text("ModeType", image.processing.sums_all_pulses() ? "SPOTLIGHT"
                          : acquisition.burst                ? "DYNAMIC STRIPMAP"
                                                             : "STRIPMAP");
    collection.text("Classification", "UNCLASSIFIED");
    const Element creation = sicd.in("ImageCreation");
    creation.text("Application", image.processing.software);
    if (const auto made = parse_epoch(image.processing.processed_at)) creation.text("DateTime", utc_text(*made));
}

void write_image_data(const Element& sicd, const Geometry& geometry, const PixelType& pixel) {
    const Element data = sicd.in("ImageData");
    data.text("PixelType", pixel.name);
    if (!pixel.amplitudes.empty()) {
        const Element table = data.in("AmpTable").with("size", std::ssize(pixel.amplitudes));
        for (std::int64_t code = 0; code < std::ssize(pixel.amplitudes); ++code)
            table.in("Amplitude").with("index", code).set(pixel.amplitudes[static_cast<std::size_t>(code)]);
    }
    data.count("NumRows", geometry.rows);
    data.count("NumCols", geometry.columns);
    data.count("FirstRow", 0);
    data.count("FirstCol", 0);
    const Element whole = data.in("FullImage");
    whole.count("NumRows", geometry.rows);
    whole.count("NumCols", geometry.columns);
    const Element centre = data.in("SCPPixel");
    centre.count("Row", geometry.scp_row);
    centre.count("Col", geometry.scp_column);
}

void write_places(const Element& sicd, const Geometry& geometry) {
    constexpr const char* names[] = {"1:FRFC", "2:FRLC", "3:LRLC", "4:LRFC"};
    const Element data = sicd.in("GeoData");
    data.text("EarthModel", "WGS_84");
    const Element centre = data.in("SCP");
    centre.vector("ECF", geometry.scp_m);
    const Element place = centre.in("LLH");
    place.number("Lat", geometry.scp.latitude_deg);
    place.number("Lon", geometry.scp.longitude_deg);
    place.number("HAE", geometry.scp.height_m);
    const Element corners = data.in("ImageCorners");
    for (std::size_t i = 0; i < 4; ++i) {
        const Element corner = corners.in("ICP").with("index", names[i]);
        corner.number("Lat", geometry.corners[i].latitude_deg);
        corner.number("Lon", geometry.corners[i].longitude_deg);
    }
}

void write_window(const Element& to, const Window& window) {
    const Element type = to.in("WgtType");
    const auto parameter = [&](const char* name, const std::string& value) {
        type.in("Parameter").with("name", name).set_text(value);
    };
    switch (window.kind) {
        case Window::Kind::none: return type.text("WindowName", "UNIFORM");
        case Window::Kind::hamming:
            type.text("WindowName", "HAMMING");
            parameter("COEFFICIENT", "0.54");
            break;
        case Window::Kind::kaiser:
            type.text("WindowName", "KAISER");
            parameter("BETA", fmt::format("{:.9g}", window.beta));
            break;
        case Window::Kind::taylor:
            type.text("WindowName", "TAYLOR");
            parameter("NBAR", fmt::format("{}", window.nbar));
            parameter("SLL", fmt::format("{:.9g}", -window.sidelobe_db));
            break;
    }
    constexpr std::int64_t samples = 257;
    const Element weights = to.in("WgtFunct").with("size", samples);
    for (std::int64_t i = 0; i < samples; ++i) {
        const double part = static_cast<double>(i) / (samples - 1) - 0.5;
        weights.in("Wgt").with("index", i + 1).set(window(part));
    }
}

void write_direction(const Element& grid, const char* name, const Direction& direction) {
    const Element to = grid.in(name);
    to.vector("UVectECF", direction.axis);
    to.number("SS", direction.spacing_m);
    to.number("ImpRespWid", direction.width_m);
    to.text("Sgn", "-1");
    to.number("ImpRespBW", direction.bandwidth);
    to.number("KCtr", direction.centre);
    to.number("DeltaK1", direction.offsets.low);
    to.number("DeltaK2", direction.offsets.high);
    to.polynomial("DeltaKCOAPoly", direction.offset);
    if (direction.window) write_window(to, *direction.window);
}

void write_grid(const Element& sicd, const Geometry& geometry) {
    const Element grid = sicd.in("Grid");
    const bool plane = !geometry.zero_doppler;
    grid.text("ImagePlane", plane ? "GROUND" : "SLANT");
    grid.text("Type", plane ? "PLANE" : "RGZERO");
    grid.polynomial("TimeCOAPoly", geometry.centre_time_s);
    write_direction(grid, "Row", geometry.row);
    write_direction(grid, "Col", geometry.column);
}

void write_timeline(const Element& sicd, const Acquisition& acquisition, const Geometry& geometry) {
    const Element timeline = sicd.in("Timeline");
    timeline.text("CollectStart", utc_text(geometry.start));
    timeline.number("CollectDuration", geometry.duration_s);
    if (acquisition.uneven() || !geometry.zero_doppler) return;  // no polynomial counts its pulses
    const Element set = timeline.in("IPP").with("size", std::int64_t{1}).in("Set").with("index", std::int64_t{1});
    set.number("TStart", geometry.pulses_s.low);
    set.number("TEnd", geometry.pulses_s.high);
    set.count("IPPStart", 0);
    set.count("IPPEnd", acquisition.lines - 1);
    set.polynomial("IPPPoly", Polynomial{-geometry.pulses_s.low * acquisition.prf_hz, acquisition.prf_hz});
}

void write_track(const Element& sicd, const Geometry& geometry) {
    const Element track = sicd.in("Position").in("ARPPoly");
    track.polynomial("X", geometry.track.position_m[0]);
    track.polynomial("Y", geometry.track.position_m[1]);
    track.polynomial("Z", geometry.track.position_m[2]);
}

/// SICD's word for one of ours.
std::string polarization(char letter) {
    if (letter == 'R') return "RHC";
    if (letter == 'L') return "LHC";
    return letter == 'H' || letter == 'V' ? std::string(1, letter) : "UNKNOWN";
}
struct Polarizations {
    std::string sent, both;
};
Polarizations polarizations(const std::string& name) {
    if (name.size() != 2) return {"UNKNOWN", "UNKNOWN"};
    const std::string sent = polarization(name[0]), received = polarization(name[1]);
    if (sent == "UNKNOWN" || received == "UNKNOWN") return {"UNKNOWN", "UNKNOWN"};
    return {sent, sent + ":" + received};
}

void write_radar(const Element& sicd, const Acquisition& acquisition) {
    const Element radar = sicd.in("RadarCollection");
    const double band_hz = acquisition.chirp.bandwidth_hz(), low_hz = acquisition.carrier_hz - 0.5 * band_hz,
                 high_hz = acquisition.carrier_hz + 0.5 * band_hz;
    const Element frequency = radar.in("TxFrequency");
    frequency.number("Min", low_hz);
    frequency.number("Max", high_hz);
    if (acquisition.chirp.slope_hz_s != 0 && acquisition.chirp_samples() >= 1) {  // else compressed pulses
        const Element wave =
            radar.in("Waveform").with("size", std::int64_t{1}).in("WFParameters").with("index", std::int64_t{1});
        wave.number("TxPulseLength", acquisition.chirp.duration_s);
        wave.number("TxRFBandwidth", band_hz);
        wave.number("TxFreqStart", acquisition.chirp.slope_hz_s > 0 ? low_hz : high_hz);
        wave.number("TxFMRate", acquisition.chirp.slope_hz_s);
        wave.text("RcvDemodType", "CHIRP");
        wave.number("RcvWindowLength", static_cast<double>(acquisition.samples) / acquisition.sample_rate_hz());
        wave.number("ADCSampleRate", acquisition.sample_rate_hz());
        wave.number("RcvFMRate", 0);
    }
    const Polarizations names = polarizations(acquisition.polarization);
    radar.text("TxPolarization", names.sent);
    radar.in("RcvChannels")
        .with("size", std::int64_t{1})
        .in("ChanParameters")
        .with("index", std::int64_t{1})
        .text("TxRcvPolarization", names.both);
}

void write_formation(const Element& sicd, const Image& image, const Geometry& geometry) {
    const Acquisition& acquisition = image.acquisition;
    const double band_hz = std::min(image.processing.range_bandwidth_hz, acquisition.chirp.bandwidth_hz());
    const Element formation = sicd.in("ImageFormation");
    const Element channels = formation.in("RcvChanProc");
    channels.count("NumChanProc", 1);
    channels.count("ChanIndex", 1);
    formation.text("TxRcvPolarizationProc", polarizations(acquisition.polarization).both);
    formation.number("TStartProc", geometry.pulses_s.low);
    formation.number("TEndProc", geometry.pulses_s.high);
    const Element frequency = formation.in("TxFrequencyProc");
    frequency.number("MinProc", acquisition.carrier_hz - 0.5 * band_hz);
    frequency.number("MaxProc", acquisition.carrier_hz + 0.5 * band_hz);
    formation.text("ImageFormAlgo", geometry.zero_doppler ? "RMA" : "OTHER");
    formation.text("STBeamComp", "NO");
    formation.text("ImageBeamComp", "NO");
    formation.text("AzAutofocus", image.processing.autofocus ? "GLOBAL" : "NO");
    formation.text("RgAutofocus", "NO");
    const Element step = formation.in("Processing");
    step.text("Type", fmt::format("cornerturn {}", image.processing.algorithm));
    step.text("Applied", "true");
}

void write_centre(const Element& sicd, const Geometry& geometry) {
    const double time_s = geometry.centre_time_s[0][0];
    const StateVector antenna{geometry.track.position(time_s), geometry.track.velocity(time_s)};
    const LineOfSight seen = line_of_sight(antenna, geometry.scp_m);
    const Element to = sicd.in("SCPCOA");
    to.number("SCPTime", time_s);
    to.vector("ARPPos", antenna.position_m);
    to.vector("ARPVel", antenna.velocity_m_s);
    to.vector("ARPAcc", geometry.track.acceleration(time_s));
    to.text("SideOfTrack", seen.left ? "L" : "R");
    to.number("SlantRange", seen.slant_range_m);
    to.number("GroundRange", seen.ground_range_m);
    to.number("DopplerConeAng", seen.cone_deg);
    to.number("GrazeAng", seen.graze_deg);
    to.number("IncidenceAng", seen.incidence_deg());
    to.number("TwistAng", seen.twist_deg);
    to.number("SlopeAng", seen.slope_deg);
    to.number("AzimAng", seen.azimuth_deg);
    to.number("LayoverAng", seen.layover_deg);
}

/// Power of stored numbers into sigma0 and beta0, where the image's file told a calibration.
void write_radiometry(const Element& sicd, const Image& image, const Geometry& geometry, double step) {
    if (!image.radiometry || !image.radiometry->calibrated) return;
    const auto scp_row = static_cast<double>(geometry.scp_row), scp_column = static_cast<double>(geometry.scp_column);
    const auto span = [](double spacing_m, double scp, std::int64_t count) {
        return Reach{-scp * spacing_m, (static_cast<double>(count - 1) - scp) * spacing_m};
    };
    const auto of = [&](const PowerFactor& factor) {
        return fitted(
            [&](double x, double y) {
                const PixelPlace ours =
                    geometry.ours({scp_row + x / geometry.row.spacing_m, scp_column + y / geometry.column.spacing_m});
                return step * step * factor.at(ours.row, ours.column);
            },
            span(geometry.row.spacing_m, scp_row, geometry.rows),
            span(geometry.column.spacing_m, scp_column, geometry.columns));
    };
    const Element to = sicd.in("Radiometric");
    to.polynomial("SigmaZeroSFPoly", of(image.radiometry->sigma0));
    to.polynomial("BetaZeroSFPoly", of(image.radiometry->beta0));
}

void write_zero_doppler(const Element& sicd, const Image& image, const Geometry& geometry) {
    const std::string& algorithm = image.processing.algorithm;
    const Element rma = sicd.in("RMA");
    rma.text("RMAlgoType", algorithm == "omegak" ? "OMEGA_K" : algorithm == "csa" ? "CSA" : "RG_DOP");
    rma.text("ImageType", "INCA");
    const Element inca = rma.in("INCA");
    inca.polynomial("TimeCAPoly", geometry.zero_doppler->closest_time_s);
    inca.number("R_CA_SCP", geometry.zero_doppler->closest_range_m);
    inca.number("FreqZero", image.acquisition.carrier_hz);
    inca.polynomial("DRateSFPoly", geometry.zero_doppler->rate_factor);
    inca.polynomial("DopCentroidPoly", geometry.zero_doppler->centroid_hz);
    inca.text("DopCentroidCOA", "true");
}

}  // namespace

std::string utc_text(const Epoch& epoch) {
    constexpr double per_s = 1e6;
    auto part = static_cast<std::int64_t>(std::llround(epoch.fraction * per_s));
    Epoch whole{.seconds = epoch.seconds, .fraction = 0};
    if (part == static_cast<std::int64_t>(per_s)) ++whole.seconds, part = 0;
    return fmt::format("{}.{:06d}Z", whole.text(), part);
}

std::string metadata(const Image& image, const Geometry& geometry, const PixelType& pixel) {
    pugi::xml_document document;
    const Element sicd(document.append_child("SICD"));
    sicd.with("xmlns", schema);
    write_collection(sicd, image, geometry);
    write_image_data(sicd, geometry, pixel);
    write_places(sicd, geometry);
    write_grid(sicd, geometry);
    write_timeline(sicd, image.acquisition, geometry);
    write_track(sicd, geometry);
    write_radar(sicd, image.acquisition);
    write_formation(sicd, image, geometry);
    write_centre(sicd, geometry);
    write_radiometry(sicd, image, geometry, pixel.step);
    if (geometry.zero_doppler) write_zero_doppler(sicd, image, geometry);
    return text_of(document);
}

}  // namespace cornerturn::sicd

// SPDX-License-Identifier: Apache-2.0
#include "data/sicd/xml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/nisar/epoch.h"
#include "data/sicd/polynomial.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/image_radiometry.h"

namespace cornerturn::sicd {
namespace {

constexpr std::uint64_t highest_order = 30;

Polynomial polynomial_in(const XmlElement& element) {
    Polynomial polynomial(element.attribute_count("order1", highest_order) + 1);
    for (const XmlElement& coefficient : element.all("Coef"))
        polynomial[coefficient.attribute_count("exponent1", polynomial.size() - 1)] = coefficient.number();
    return polynomial;
}
Polynomial2 polynomial2_in(const XmlElement& element) {
    const std::uint64_t order1 = element.attribute_count("order1", highest_order),
                        order2 = element.attribute_count("order2", highest_order);
    Polynomial2 polynomial(order1 + 1, Polynomial(order2 + 1));
    for (const XmlElement& coefficient : element.all("Coef"))
        polynomial[coefficient.attribute_count("exponent1", order1)][coefficient.attribute_count("exponent2", order2)] =
            coefficient.number();
    return polynomial;
}

Vec3 vector_in(const XmlElement& element) {
    return {element.at("X").number(), element.at("Y").number(), element.at("Z").number()};
}

double positive_in(const XmlElement& element) {
    const double value = element.number();
    if (!(value > 0)) element.refuse(fmt::format("is {}, expected a number above 0", value));
    return value;
}

std::int64_t whole_in(const XmlElement& element) {
    constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
    const std::uint64_t value = element.count();
    if (value > most) element.refuse(fmt::format("is {}, expected at most {}", value, most));
    return static_cast<std::int64_t>(value);
}

std::string text_at(const XmlElement& sicd, const char* path, const std::string& usual = {}) {
    const auto found = sicd.find(path);
    return found ? found->text() : usual;
}

/// Coordinates of pixels about the scene's centre point.
struct PixelAxis {
    double spacing_m = 0, first_m = 0;  ///< of the first row or column
    double at_m(double index) const { return first_m + index * spacing_m; }
};

class MetadataReader {
public:
    explicit MetadataReader(const XmlElement& sicd) : sicd_(sicd) {}

    Contents read() {
        read_pixels();
        read_identity();
        read_times();
        read_track();
        const std::string type = sicd_.at("Grid/Type").text();
        if (type == "RGZERO" && sicd_.find("RMA/INCA")) {
            read_zero_doppler();
            read_radiometry();
        } else if (type == "PLANE") {
            read_plane();
            read_radiometry();
        } else {
            contents_.image.grid.rows = contents_.rows;
            contents_.image.grid.columns = contents_.columns;
        }
        return std::move(contents_);
    }

private:
    Acquisition& acquisition() { return contents_.image.acquisition; }
    ProcessingRecord& made() { return contents_.image.processing; }

    void read_pixels() {
        const XmlElement data = sicd_.at("ImageData"), type = data.at("PixelType");
        contents_.rows = whole_in(data.at("NumRows"));
        contents_.columns = whole_in(data.at("NumCols"));
        if (type.text() == "RE16I_IM16I")
            contents_.kind = PixelKind::int16;
        else if (type.text() == "AMP8I_PHS8I")
            contents_.kind = PixelKind::amplitude_phase8;
        else if (type.text() != "RE32F_IM32F")
            type.refuse(fmt::format("is '{}', expected RE32F_IM32F, RE16I_IM16I or AMP8I_PHS8I", type.text()));
        if (contents_.kind == PixelKind::amplitude_phase8) read_amplitudes(data);
        const XmlElement centre = data.at("SCPPixel"), grid = sicd_.at("Grid");
        const auto axis = [&](const char* direction, const char* first, const char* middle) {
            const double spacing_m = positive_in(grid.at(fmt::format("{}/SS", direction)));
            return PixelAxis{spacing_m, (static_cast<double>(whole_in(data.at(first))) -
                                         static_cast<double>(whole_in(centre.at(middle)))) *
                                            spacing_m};
        };
        down_ = axis("Row", "FirstRow", "Row");
        across_ = axis("Col", "FirstCol", "Col");
    }

    /// Without a table codes are amplitudes.
    void read_amplitudes(const XmlElement& data) {
        constexpr std::uint64_t last_code = 255;
        for (std::uint64_t code = 0; code <= last_code; ++code)
            contents_.amplitudes.push_back(static_cast<double>(code));
        for (const XmlElement& amplitude : data.all("AmpTable/Amplitude"))
            contents_.amplitudes[amplitude.attribute_count("index", last_code)] = amplitude.number();
    }

    void read_identity() {
        Acquisition& a = acquisition();
        a.identification.mission = text_at(sicd_, "CollectionInfo/CollectorName", "UNKNOWN");
        a.identification.look_side =
            text_at(sicd_, "SCPCOA/SideOfTrack", "R") == "L" ? LookSide::left : LookSide::right;
        a.polarization.clear();
        for (const char letter : text_at(sicd_, "ImageFormation/TxRcvPolarizationProc"))
            if (letter == 'H' || letter == 'V' || letter == 'R' || letter == 'L') a.polarization += letter;
        const std::string both = text_at(sicd_, "ImageFormation/TxRcvPolarizationProc");
        if (both == "RHC:H" || both == "RHC:V" || both == "LHC:H" || both == "LHC:V")
            a.polarization = {both[0], both[4]};
        if (a.polarization.size() != 2) a.polarization = "";
        if (const auto frequency = sicd_.find("RadarCollection/TxFrequency")) {
            const double low_hz = frequency->at("Min").number(), high_hz = frequency->at("Max").number();
            a.carrier_hz = 0.5 * (low_hz + high_hz);
            made().range_bandwidth_hz = high_hz - low_hz;
        }
        if (const auto wave = sicd_.find("RadarCollection/Waveform/WFParameters")) {
            if (const auto length = wave->find("TxPulseLength")) a.chirp.duration_s = length->number();
            if (const auto rate = wave->find("TxFMRate")) a.chirp.slope_hz_s = rate->number();
        }
        made().software = "unknown";
        if (const auto creation = sicd_.find("ImageCreation")) {
            made().software = text_at(*creation, "Application", "unknown");
            if (const auto when = parse_epoch(text_at(*creation, "DateTime"))) made().processed_at = when->text();
        }
        made().algorithm = algorithm();
        made().doppler_source = made().velocity_source = "file";
        made().scene_height_m = sicd_.at("GeoData/SCP/LLH/HAE").number();
        made().range_window = window("Grid/Row");
        made().azimuth_window = window("Grid/Col");
    }

    /// Ours by the name that our writer gave it.
    std::string algorithm() const {
        for (const XmlElement& step : sicd_.all("ImageFormation/Processing/Type")) {
            constexpr std::string_view ours = "cornerturn ";
            if (const std::string name = step.text(); name.starts_with(ours)) return name.substr(ours.size());
        }
        return text_at(sicd_, "ImageFormation/ImageFormAlgo", "unknown");
    }

    /// Of those that have a name here; others count as none, as their weights tell no formula.
    Window window(const std::string& direction) const {
        const auto type = sicd_.find(direction + "/WgtType");
        const std::string name = type ? text_at(*type, "WindowName") : "";
        const auto parameter = [&](const char* wanted, double usual) {
            for (const XmlElement& one : type->all("Parameter"))
                if (one.attribute("name") == wanted) return one.number();
            return usual;
        };
        if (name == "HAMMING" && std::abs(parameter("COEFFICIENT", 0.54) - 0.54) < 1e-6)
            return {.kind = Window::Kind::hamming};
        if (name == "KAISER" && parameter("BETA", -1) >= 0)
            return {.kind = Window::Kind::kaiser, .beta = parameter("BETA", 0)};
        if (name != "TAYLOR") return {};
        constexpr double most_nbar = 100, most_db = 200;
        const double nbar = parameter("NBAR", 4), sidelobe_db = std::abs(parameter("SLL", 35));
        if (!(nbar >= 2 && nbar <= most_nbar && sidelobe_db > 0 && sidelobe_db <= most_db)) return {};
        return {.kind = Window::Kind::taylor, .nbar = static_cast<int>(nbar), .sidelobe_db = sidelobe_db};
    }

    /// Times count from the whole second in which the collection begins.
    void read_times() {
        const XmlElement start = sicd_.at("Timeline/CollectStart");
        const auto epoch = parse_epoch(start.text());
        if (!epoch) start.refuse(fmt::format("is '{}', expected a time", start.text()));
        acquisition().epoch = Epoch{.seconds = epoch->seconds}.text();
        start_s_ = epoch->fraction;
        duration_s_ = positive_in(sicd_.at("Timeline/CollectDuration"));
        Acquisition& a = acquisition();
        a.first_pulse_time_s = start_s_;
        if (const auto set = sicd_.find("Timeline/IPP/Set")) {
            const double first_s = set->at("TStart").number(), last_s = set->at("TEnd").number();
            a.first_pulse_time_s = start_s_ + first_s;
            a.lines = whole_in(set->at("IPPEnd")) - whole_in(set->at("IPPStart")) + 1;
            if (a.lines > 1 && last_s > first_s) a.prf_hz = static_cast<double>(a.lines) / (last_s - first_s);
            const Polynomial count = polynomial_in(set->at("IPPPoly"));
            if (count.size() == 2 && count[1] > 0) a.prf_hz = count[1];
        }
    }

    /// State vectors that bring ARPPoly back, over the collection and the rows of the image.
    void read_track() {
        const XmlElement polynomial = sicd_.at("Position/ARPPoly");
        track_.position_m = {polynomial_in(polynomial.at("X")), polynomial_in(polynomial.at("Y")),
                             polynomial_in(polynomial.at("Z"))};
    }
    void sample_track(double first_s, double last_s) {
        constexpr int count = 41;
        const double low = std::min(first_s, 0.0), high = std::max({last_s, duration_s_, low + 1e-3});
        Orbit orbit;
        for (int i = 0; i < count; ++i) {
            const double at = std::lerp(low, high, static_cast<double>(i) / (count - 1));
            orbit.add(start_s_ + at, {track_.position(at), track_.velocity(at)});
        }
        const double speed = norm(orbit.velocity_m_s[count / 2]);
        if (!(speed > 0) || !std::isfinite(norm(orbit.position_m.front()) + norm(orbit.position_m.back()) + speed))
            sicd_.at("Position/ARPPoly").refuse("tells no flight, expected positions that change with time");
        acquisition().orbit = orbit;
    }

    void read_zero_doppler() {
        const XmlElement inca = sicd_.at("RMA/INCA"), time = inca.at("TimeCAPoly");
        const Polynomial closest_s = polynomial_in(time);
        const double slope = closest_s.size() > 1 ? closest_s[1] : 0;
        if (slope == 0) time.refuse("tells one time for all columns, expected times that change with them");
        ImageGrid& grid = contents_.image.grid;
        grid.rows = contents_.columns, grid.columns = contents_.rows;
        grid.time_spacing_s = std::abs(slope) * across_.spacing_m;
        grid.range_spacing_m = down_.spacing_m;
        grid.near_range_m = inca.at("R_CA_SCP").number() + down_.at_m(0);
        if (!(grid.near_range_m > 0))
            inca.refuse(fmt::format("near range is {} m, expected above 0", grid.near_range_m));
        const double last = static_cast<double>(contents_.columns - 1);
        contents_.order = slope < 0 ? RowOrder::columns_backwards : RowOrder::columns;
        const double first_y = across_.at_m(slope < 0 ? last : 0);
        const double first_s = closest_s[0] + slope * first_y;
        grid.first_time_s = start_s_ + first_s;
        constexpr double most_px = 0.01;
        for (const double column : {0.0, 0.5 * last, last}) {
            const double y = across_.at_m(column), bend = value_at(closest_s, y) - closest_s[0] - slope * y;
            if (!(std::abs(bend) <= most_px * grid.time_spacing_s))
                time.refuse(fmt::format("lies up to {:.3g} columns off a straight line, expected times in equal steps",
                                        std::abs(bend) / grid.time_spacing_s));
        }
        sample_track(first_s, first_s + grid.time_spacing_s * last);
        read_acquisition(inca);
        read_doppler(inca, closest_s);
    }

    void read_acquisition(const XmlElement& inca) {
        const ImageGrid& grid = contents_.image.grid;
        Acquisition& a = acquisition();
        a.carrier_hz = positive_in(inca.at("FreqZero"));
        a.near_range_m = grid.near_range_m, a.range_spacing_m = grid.range_spacing_m;
        a.samples = grid.columns;
        if (a.lines == 0) a.lines = grid.rows;
        if (!(a.prf_hz > 0)) a.prf_hz = 1 / grid.time_spacing_s;
        const double speed = across_.spacing_m / grid.time_spacing_s;
        made().range_bandwidth_hz = 0.5 * speed_of_light_m_s * positive_in(sicd_.at("Grid/Row/ImpRespBW"));
        made().azimuth_bandwidth_hz = speed * positive_in(sicd_.at("Grid/Col/ImpRespBW"));
    }

    /// Effective velocity is that of R^2 = R_CA^2 + DRateSF V_CA^2 (t - t_CA)^2.
    void read_doppler(const XmlElement& inca, const Polynomial& closest_s) {
        const XmlElement factor = inca.at("DRateSFPoly");
        const Polynomial2 rate_factor = polynomial2_in(factor), centre_s = polynomial2_in(sicd_.at("Grid/TimeCOAPoly"));
        std::optional<Polynomial2> centroid_hz;
        if (const auto found = inca.find("DopCentroidPoly")) centroid_hz = polynomial2_in(*found);
        const ImageGrid& grid = contents_.image.grid;
        const auto speed_m_s = [&](double x, double y) {
            const double square = value_at(rate_factor, x, y);
            if (!(square > 0)) factor.refuse(fmt::format("is {} in the image, expected above 0", square));
            return std::sqrt(square) * norm(track_.velocity(value_at(closest_s, y)));
        };
        const auto doppler_hz = [&](double x, double y) {
            if (centroid_hz) return value_at(*centroid_hz, x, y);
            const double later_s = value_at(centre_s, x, y) - value_at(closest_s, y), v = speed_m_s(x, y),
                         range_m = std::hypot(grid.near_range_m + x - down_.at_m(0), v * later_s);
            return -2 / acquisition().wavelength_m() * v * v * later_s / range_m;
        };
        const double y_middle = across_.at_m(0.5 * static_cast<double>(contents_.columns - 1));
        for (std::int64_t row = 0; row < contents_.rows; ++row)
            made().effective_velocity_m_s.push_back(speed_m_s(down_.at_m(static_cast<double>(row)), y_middle));
        made().doppler_centroid_hz = doppler_hz(down_.at_m(0.5 * static_cast<double>(contents_.rows - 1)), y_middle);
        fit_doppler(doppler_hz, closest_s);
    }

    template <class Doppler>
    void fit_doppler(const Doppler& doppler_hz, const Polynomial& closest_s) {
        constexpr int places = 9;
        constexpr double same_hz = 1e-6;
        std::vector<SurfacePoint> points;
        bool varies = false;
        for (int i = 0; i < places; ++i)
            for (int k = 0; k < places; ++k) {
                const double part_y = static_cast<double>(i) / (places - 1),
                             part_x = static_cast<double>(k) / (places - 1),
                             y = across_.at_m(part_y * static_cast<double>(contents_.columns - 1)),
                             x = down_.at_m(part_x * static_cast<double>(contents_.rows - 1));
                points.push_back({.x = start_s_ + value_at(closest_s, y),
                                  .y = contents_.image.grid.near_range_m + x - down_.at_m(0),
                                  .value = doppler_hz(x, y)});
                varies = varies || std::abs(points.back().value - made().doppler_centroid_hz) > same_hz;
            }
        if (!varies) return;
        constexpr int most_time = 2, most_range = 3;
        made().doppler_surface_hz =
            surface_through(points,
                            powers_up_to(static_cast<int>(std::min<std::int64_t>(most_time, contents_.columns - 1)),
                                         static_cast<int>(std::min<std::int64_t>(most_range, contents_.rows - 1))),
                            acquisition().orbit);
    }

    /// Columns go along x, rows against y; both count from the scene's centre point.
    void read_plane() {
        const XmlElement grid = sicd_.at("Grid");
        const Vec3 down = vector_in(grid.at("Row/UVectECF")), across = vector_in(grid.at("Col/UVectECF"));
        constexpr double right = 1e-3;
        if (!(std::abs(norm(down) - 1) < right && std::abs(norm(across) - 1) < right &&
              std::abs(dot(down, across)) < right))
            grid.refuse("Row/UVectECF and Col/UVectECF are no unit vectors at right angles, as those of a plane are");
        contents_.image.grid.rows = contents_.rows, contents_.image.grid.columns = contents_.columns;
        contents_.image.map =
            MapGrid{.projection = MapProjection::on(
                        {.origin_m = vector_in(sicd_.at("GeoData/SCP/ECF")), .x_axis = across, .y_axis = -1.0 * down}),
                    .rows = contents_.rows,
                    .columns = contents_.columns,
                    .first_x = across_.at_m(0),
                    .x_step = across_.spacing_m,
                    .first_y = -down_.at_m(0),
                    .y_step = -down_.spacing_m};
        made().scene_height_m = 0;  // above that plane
        sample_track(0, duration_s_);
        if (made().algorithm == "OTHER") made().algorithm = "unknown";
    }

    /// Of coordinates of SICD's image; where one of the two is not told, by the incidence angle.
    void read_radiometry() {
        const auto sigma = sicd_.find("Radiometric/SigmaZeroSFPoly"), beta = sicd_.find("Radiometric/BetaZeroSFPoly");
        if (!sigma && !beta) return;
        Image& image = contents_.image;
        const auto nodes = [&](const XmlElement& element) {
            const Polynomial2 factor = polynomial2_in(element);
            return power_factor(image.grid, [&](double row, double column) {
                if (contents_.order == RowOrder::rows) return value_at(factor, down_.at_m(row), across_.at_m(column));
                const double across =
                    contents_.order == RowOrder::columns ? row : static_cast<double>(contents_.columns - 1) - row;
                return value_at(factor, down_.at_m(column), across_.at_m(across));
            });
        };
        Radiometry known = radiometry_of(image);  // the sine of the angle, for now
        const PowerFactor sine = known.sigma0;
        const auto times = [&](PowerFactor factor, bool sine_below) {
            for (std::size_t i = 0; i < factor.at_nodes.size(); ++i)
                factor.at_nodes[i] *= sine_below ? 1 / sine.at_nodes[i] : sine.at_nodes[i];
            return factor;
        };
        known.beta0 = beta ? nodes(*beta) : times(nodes(*sigma), true);
        known.sigma0 = sigma ? nodes(*sigma) : times(nodes(*beta), false);
        known.calibrated = true;
        image.radiometry = known;
    }

    const XmlElement& sicd_;
    Contents contents_;
    PixelAxis down_, across_;
    double start_s_ = 0, duration_s_ = 0;  ///< of the collection, since the epoch
    TrackPolynomial track_;
};

}  // namespace

Contents read_metadata(const XmlElement& sicd) { return MetadataReader(sicd).read(); }

}  // namespace cornerturn::sicd

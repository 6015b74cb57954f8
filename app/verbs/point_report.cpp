// SPDX-License-Identifier: Apache-2.0
// Point-target measurements as a table for people and as JSON for programs.
#include "app/verbs/point_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cornerturn {

namespace {

std::string optional_number(const std::optional<double>& value, const char* format) {
    return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

std::string axis_line(const std::string& number, const char* name, const std::string& place, const AxisAnalysis& axis) {
    const CutMetrics& is = axis.measured;
    const CutMetrics& should = axis.theory;
    return fmt::format(
        "{:>3} {:<8}{:>18} {:>9} |{:>9.4f} {:>8.4f} {:>+7.2f} {:>9.4f} |{:>8.2f} {:>7.2f} {:>+6.2f} |{:>8.2f} {:>7.2f} "
        "{:>+6.2f}\n",
        number, name, place, optional_number(axis.position_error_px, "{:+.4f}"), is.irw_px, should.irw_px,
        100.0 * (is.irw_px / should.irw_px - 1.0), is.irw_m, is.pslr_db, should.pslr_db, is.pslr_db - should.pslr_db,
        is.islr_db, should.islr_db, is.islr_db - should.islr_db);
}

nlohmann::json metrics_json(const CutMetrics& metrics) {
    return {{"irw_px", metrics.irw_px},
            {"irw_m", metrics.irw_m},
            {"pslr_db", metrics.pslr_db},
            {"islr_db", metrics.islr_db}};
}

nlohmann::json axis_json(const AxisAnalysis& axis) {
    nlohmann::json json{{"measured", metrics_json(axis.measured)}, {"theory", metrics_json(axis.theory)}};
    if (axis.position_error_px) json["position_error_px"] = *axis.position_error_px;
    return json;
}

std::string band_text(const Image& image) {
    const auto& processing = image.processing;
    std::string text =
        fmt::format("range {:.6g} MHz ({}), azimuth {:.6g} Hz ({})", 1e-6 * processing.range_bandwidth_hz,
                    processing.range_window.name(), processing.azimuth_bandwidth_hz, processing.azimuth_window.name());
    if (image.acquisition.azimuth_bandwidth_hz)
        text += fmt::format(", beam {:.6g} Hz", *image.acquisition.azimuth_bandwidth_hz);
    return text + fmt::format(", Doppler centroid {:.6g} Hz", processing.doppler_centroid_hz);
}

}  // namespace

std::string point_table(const Image& image, const std::vector<PointAnalysis>& points) {
    std::string text = fmt::format("Theory of the processed bands: {}\n", band_text(image));
    text += fmt::format("{:>3} {:<8}{:>18} {:>9} |{:>9} {:>8} {:>7} {:>9} |{:>8} {:>7} {:>6} |{:>8} {:>7} {:>6}\n", "#",
                        "axis", "peak at", "off px", "IRW px", "theory", "diff %", "IRW m", "PSLR dB", "theory", "diff",
                        "ISLR dB", "theory", "diff");
    for (std::size_t k = 0; k < points.size(); ++k) {
        const PointAnalysis& point = points[k];
        if (!point.refused.empty()) {
            text += fmt::format("{:>3} not measured: {:.3f} m, {:.6f} s is {}\n", k + 1, point.target.range_m,
                                point.target.time_s, point.refused);
            continue;
        }
        text += axis_line(std::to_string(k + 1), "range", fmt::format("{:.4f} m", point.range_m), point.range);
        text += axis_line("", "azimuth", fmt::format("{:.7f} s", point.time_s), point.azimuth);
        text += fmt::format("    peak    magnitude {:.6g}, phase {:+.3f} deg", point.magnitude, point.phase_deg);
        if (point.phase_error_deg)
            text += fmt::format("; against the truth {:+.3f} dB, {:+.3f} deg", *point.magnitude_error_db,
                                *point.phase_error_deg);
        text += point.fully_covered ? "\n" : "; outside the area that the image declares fully compressed\n";
    }
    return text;
}

nlohmann::json point_json(const PointAnalysis& point) {
    nlohmann::json json{{"target",
                         {{"range_m", point.target.range_m},
                          {"zero_doppler_time_s", point.target.time_s},
                          {"exact", point.target.exact}}}};
    if (!point.refused.empty()) {
        json["refused"] = point.refused;
        return json;
    }
    json["peak"] = {{"row", point.row},
                    {"column", point.column},
                    {"range_m", point.range_m},
                    {"zero_doppler_time_s", point.time_s},
                    {"magnitude", point.magnitude},
                    {"phase_deg", point.phase_deg}};
    if (point.phase_error_deg) json["peak"]["phase_error_deg"] = *point.phase_error_deg;
    if (point.magnitude_error_db) json["peak"]["magnitude_error_db"] = *point.magnitude_error_db;
    json["fully_covered"] = point.fully_covered;
    json["range"] = axis_json(point.range);
    json["azimuth"] = axis_json(point.azimuth);
    return json;
}

nlohmann::json points_json(const Image& image, const std::vector<PointAnalysis>& points) {
    nlohmann::json json{{"range_window", image.processing.range_window.name()},
                        {"azimuth_window", image.processing.azimuth_window.name()},
                        {"range_bandwidth_hz", image.processing.range_bandwidth_hz},
                        {"azimuth_bandwidth_hz", image.processing.azimuth_bandwidth_hz},
                        {"doppler_centroid_hz", image.processing.doppler_centroid_hz},
                        {"targets", nlohmann::json::array()}};
    if (image.acquisition.azimuth_bandwidth_hz) json["beam_bandwidth_hz"] = *image.acquisition.azimuth_bandwidth_hz;
    for (const PointAnalysis& point : points) json["targets"].push_back(point_json(point));
    return json;
}

}  // namespace cornerturn

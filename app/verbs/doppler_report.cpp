// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/doppler_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pipeline/acquisition/doppler/ambiguity.h"

namespace cornerturn {
namespace {

using Json = nlohmann::ordered_json;

constexpr int table_times = 3, table_ranges = 5;

/// Times of emission from the first line to the last, and slant ranges whose echoes are recorded as a whole.
std::vector<double> times_s(const Acquisition& a, int count) {
    std::vector<double> times;
    for (int i = 0; i < count; ++i) times.push_back(a.pulse_time_s(static_cast<double>(a.lines - 1) * i / (count - 1)));
    return times;
}
std::vector<double> ranges_m(const Acquisition& a, int count) {
    const double last = std::max(1.0, static_cast<double>(a.samples - 1) - a.chirp_samples());
    std::vector<double> ranges;
    for (int i = 0; i < count; ++i) ranges.push_back(a.range_m(last * i / (count - 1)));
    return ranges;
}

int multiple_of(const DataParameters& found, double prf_hz) {
    return static_cast<int>(std::lround(found.doppler.centroid_hz / prf_hz));
}

std::string surface_text(const Acquisition& a, const DopplerSurface& surface_hz) {
    std::string text = fmt::format("{:>22}", "slant range, m");
    const std::vector<double> ranges = ranges_m(a, table_ranges);
    for (const double range : ranges) text += fmt::format("{:>12.1f}", range);
    for (const double time : times_s(a, table_times)) {
        text += fmt::format("\n{:>20.3f} s", time);
        for (const double range : ranges) text += fmt::format("{:>12.1f}", surface_hz(time, range));
    }
    return text + '\n';
}

Json surface_json(const Acquisition& a, const DopplerSurface& surface_hz) {
    Json values = Json::array();
    for (const double time : times_s(a, table_times)) {
        Json row = Json::array();
        for (const double range : ranges_m(a, table_ranges)) row.push_back(surface_hz(time, range));
        values.push_back(std::move(row));
    }
    return {
        {"time_s", times_s(a, table_times)}, {"slant_range_m", ranges_m(a, table_ranges)}, {"hz", std::move(values)}};
}

std::string middle_text(const DataParameters& found, double prf_hz) {
    const double middle_hz = found.doppler.centroid_hz;
    const int multiple = multiple_of(found, prf_hz);
    return fmt::format("{:.1f} {} Hz = {:.1f} Hz {:+d} PRF, the multiple with a confidence of {:.4f}{}", middle_hz,
                       std::isfinite(found.error_hz) ? fmt::format("+- {:.1f}", found.error_hz) : "(error unknown)",
                       middle_hz - multiple * prf_hz, multiple, found.confidence,
                       found.confidence < certain_confidence ? ": NOT CERTAIN" : "");
}

}  // namespace

std::string doppler_table(const Acquisition& a, const DataParameters& found) {
    const DopplerEstimate& e = found.estimate;
    const double prf = a.prf_hz, middle_hz = found.doppler.centroid_hz;
    std::string text;
    const auto line = [&](std::string_view name, const std::string& value) {
        text += fmt::format("{:<22}{}\n", name, value);
    };
    line("echo", fmt::format("{} lines x {} samples, {} {}, PRF {:.3f} Hz, {:.6g} GHz", a.lines, a.samples, a.frequency,
                             a.polarization, prf, a.carrier_hz / 1e9));
    text += '\n';
    if (e.baseband_hz)
        text += fmt::format("Doppler centroid by the data, in Hz ({} cells of the {})\n{}\n", e.cells.size(),
                            e.whole_beam ? "image" : "echo", surface_text(a, found.doppler.surface_hz));
    line("by data, mid-scene",
         e.baseband_hz ? middle_text(found, prf) : "no answer: the echo holds no signal that neighbouring lines share");
    line("  phase slope",
         e.absolute_hz ? fmt::format("{:.0f} +- {:.0f} Hz, over range frequency", *e.absolute_hz, e.absolute_error_hz)
                       : "no answer: too few samples beyond the chirp, or too few lines");
    line("  range walk",
         e.walk_hz ? fmt::format("{:.0f} +- {:.0f} Hz, between two looks that correlate {:.0f} deviations above noise",
                                 *e.walk_hz, e.walk_error_hz, found.looks->standing_out)
                   : "no answer: too little that both looks show (no contrast, or few lines)");
    if (found.geometry_hz)
        line("by orbit and attitude",
             fmt::format(
                 "{:.1f} Hz in mid-scene{}", in_the_middle_hz(a, *found.geometry_hz),
                 found.geometry_confidence
                     ? fmt::format(", {:+.1f} Hz from the data; its multiple with a confidence of {:.4f}",
                                   in_the_middle_hz(a, *found.geometry_hz) - middle_hz, *found.geometry_confidence)
                     : ", to which the data have nothing to say"));
    else
        line("by orbit and attitude", "not known");
    if (found.file_hz) line("the file's own", fmt::format("{:.1f} Hz", *found.file_hz));
    text += '\n';
    line("effective velocity",
         found.velocity ? fmt::format("{:.2f} +- {:.2f} m/s by the azimuth FM rate of the data, at R0 = {:.0f} m",
                                      found.velocity->velocity_m_s, found.velocity->error_m_s, found.velocity->range_m)
                        : "the data do not tell it");
    if (found.velocity && found.velocity->orbit_velocity_m_s)
        line("  by the orbit", fmt::format("{:.2f} m/s, of its FM rate there", *found.velocity->orbit_velocity_m_s));
    if (found.file_velocity_m_s) line("  the file's own", fmt::format("{:.2f} m/s", *found.file_velocity_m_s));
    return text;
}

Json doppler_json(const std::string& input, const Acquisition& a, const DataParameters& found) {
    const DopplerEstimate& e = found.estimate;
    const int multiple = multiple_of(found, a.prf_hz);
    Json methods = Json::object();
    if (e.absolute_hz) methods["phase_slope"] = {{"centroid_hz", *e.absolute_hz}, {"error_hz", e.absolute_error_hz}};
    if (e.walk_hz)
        methods["range_walk"] = {{"centroid_hz", *e.walk_hz},
                                 {"error_hz", e.walk_error_hz},
                                 {"deviations_above_noise", found.looks->standing_out},
                                 {"tiles", found.looks->tiles}};
    Json cells = Json::array();
    for (const DopplerCell& cell : e.cells)
        cells.push_back({{"time_s", cell.time_s},
                         {"slant_range_m", cell.range_m},
                         {"hz", absolute_hz(cell, found.doppler.surface_hz, a.prf_hz)},
                         {"error_hz", cell.error_hz}});
    Json json{{"input", input},
              {"frequency", a.frequency},
              {"polarization", a.polarization},
              {"prf_hz", a.prf_hz},
              {"data",
               {{"centroid_hz", found.doppler.centroid_hz},
                {"error_hz", found.error_hz},
                {"baseband_hz", found.doppler.centroid_hz - multiple * a.prf_hz},
                {"ambiguity", multiple},
                {"confidence", found.confidence},
                {"certain", found.confidence >= certain_confidence},
                {"methods", std::move(methods)},
                {"centroid", surface_json(a, found.doppler.surface_hz)},
                {"cells_of", e.whole_beam ? "image" : "echo"},
                {"cells", std::move(cells)}}}};
    if (found.geometry_hz)
        json["geometry"] = {{"centroid_hz", in_the_middle_hz(a, *found.geometry_hz)},
                            {"confidence", found.geometry_confidence ? Json(*found.geometry_confidence) : Json()},
                            {"centroid", surface_json(a, *found.geometry_hz)}};
    if (found.file_hz) json["file"] = {{"centroid_hz", *found.file_hz}};
    Json& velocity = json["effective_velocity"] = Json::object();
    if (found.velocity)
        velocity["data"] = {{"m_s", found.velocity->velocity_m_s},
                            {"error_m_s", found.velocity->error_m_s},
                            {"closest_range_m", found.velocity->range_m}};
    if (found.velocity && found.velocity->orbit_velocity_m_s)
        velocity["orbit"] = {{"m_s", *found.velocity->orbit_velocity_m_s}};
    if (found.file_velocity_m_s) velocity["file"] = {{"m_s", *found.file_velocity_m_s}};
    json["warnings"] = found.warnings;
    return json;
}

std::vector<LineChart> doppler_charts(const Acquisition& a, const DataParameters& found) {
    constexpr int points = 65;
    constexpr Colour of_cells{150, 150, 150}, of_data{200, 30, 30}, of_geometry{40, 90, 200};
    const double middle_s = times_s(a, 3)[1], middle_m = ranges_m(a, 3)[1], first_s = a.pulse_time_s(0);
    LineChart range{.title = fmt::format("Doppler centroid, PRF {:.2f} Hz, confidence in the multiple {:.3f}", a.prf_hz,
                                         found.confidence),
                    .x_title = "slant range, km",
                    .y_title = "Hz",
                    .curves = {}};
    LineChart time{.title = fmt::format("in mid-swath, {:.1f} km", middle_m / 1e3),
                   .x_title = "time since the first line, s",
                   .y_title = "Hz",
                   .curves = {}};
    const auto add = [](LineChart& chart, double x, double y) {
        chart.curves.back().x.push_back(x);
        chart.curves.back().y.push_back(y);
    };
    const DopplerSurface& data_hz = found.doppler.surface_hz;
    for (LineChart* chart : {&range, &time})
        chart->curves.push_back({.name = "cells", .x = {}, .y = {}, .joined = false, .colour = of_cells});
    for (const DopplerCell& cell : found.estimate.cells) {
        const double off_hz = absolute_hz(cell, data_hz, a.prf_hz) - data_hz(cell.time_s, cell.range_m);
        add(range, cell.range_m / 1e3, data_hz(middle_s, cell.range_m) + off_hz);
        add(time, cell.time_s - first_s, data_hz(cell.time_s, middle_m) + off_hz);
    }
    const auto curves = [&](const DopplerSurface& surface_hz, const char* name, Colour colour) {
        for (LineChart* chart : {&range, &time})
            chart->curves.push_back({.name = name, .x = {}, .y = {}, .colour = colour});
        for (const double r : ranges_m(a, points)) add(range, r / 1e3, surface_hz(middle_s, r));
        for (const double t : times_s(a, points)) add(time, t - first_s, surface_hz(t, middle_m));
    };
    if (found.geometry_hz) curves(*found.geometry_hz, "orbit and attitude", of_geometry);
    curves(data_hz, "data", of_data);
    return {range, time};
}

}  // namespace cornerturn

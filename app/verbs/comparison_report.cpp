// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/comparison_report.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "pipeline/acquisition/degree.h"

namespace cornerturn {
namespace {

using Json = nlohmann::ordered_json;

std::string offset_text(const OffsetStatistics& offset, bool on_maps) {
    if (offset.chips == 0) return "no chip matches";
    const auto text = [](const Spread& s) {
        return fmt::format("{:+.4f} px (mean {:+.4f}, deviation {:.4f})", s.median, s.mean, s.deviation);
    };
    return fmt::format("{} {}, {} {}, medians of {} chips", on_maps ? "down" : "azimuth", text(offset.azimuth_px),
                       on_maps ? "across" : "range", text(offset.range_px), offset.chips);
}

Json offset_json(const OffsetStatistics& offset) {
    const auto axis = [](const Spread& spread) {
        return Json{{"median", spread.median}, {"mean", spread.mean}, {"deviation", spread.deviation}};
    };
    return {{"chips", offset.chips}, {"azimuth_px", axis(offset.azimuth_px)}, {"range_px", axis(offset.range_px)}};
}

}  // namespace

std::string comparison_text(const ImageComparison& c) {
    std::string text;
    const auto line = [&](const char* name, const std::string& value) {
        text += fmt::format("{:<23}{}\n", name, value);
    };
    line("compared",
         fmt::format("{} samples and {} chips of {} rows x {} columns shared{}{}", c.samples, c.chips, c.shared.rows,
                     c.shared.columns, c.interpolated ? "; B interpolated onto the grid of A" : "",
                     c.non_finite > 0 ? fmt::format("; {} samples not finite, left out", c.non_finite) : ""));
    if (c.row_shift != 0 || c.column_shift != 0)
        line("grids",
             fmt::format("the first pixel of B lies at row {:+.6g}, column {:+.6g} of A", c.row_shift, c.column_shift));
    line("offset of samples", offset_text(c.complex_offset, c.on_maps));
    line("offset of power", offset_text(c.detected_offset, c.on_maps));
    line("amplitude correlation", fmt::format("{:.6f}", c.amplitude_correlation));
    line("coherence", fmt::format("median {:.6f}, mean {:.6f}", c.coherence_median, c.coherence_mean));
    line("phase of A B*",
         fmt::format("mean {:+.3f} deg, rms {:.3f} deg about it, ramp {:+.3g} deg a row and {:+.3g} deg a column",
                     c.phase_mean_deg, c.phase_rms_deg, c.phase_ramp_azimuth_deg_px, c.phase_ramp_range_deg_px));
    line("signal to error",
         fmt::format("{:.2f} dB as they are, {:.2f} dB with B times {:.6g} at {:+.3f} deg", c.signal_to_error_db,
                     c.signal_to_error_with_gain_db, std::abs(c.gain), std::arg(c.gain) / degree));
    return text;
}

Json comparison_json(const ImageComparison& c) {
    return {{"shared",
             {{"first_row", c.shared.first_row},
              {"rows", c.shared.rows},
              {"first_column", c.shared.first_column},
              {"columns", c.shared.columns}}},
            {"grid_shift_px", {{"azimuth", c.row_shift}, {"range", c.column_shift}}},
            {"interpolated", c.interpolated},
            {"samples", c.samples},
            {"non_finite_samples", c.non_finite},
            {"chips", c.chips},
            {"offset_of_samples", offset_json(c.complex_offset)},
            {"offset_of_power", offset_json(c.detected_offset)},
            {"amplitude_correlation", c.amplitude_correlation},
            {"coherence", {{"median", c.coherence_median}, {"mean", c.coherence_mean}}},
            {"phase",
             {{"mean_deg", c.phase_mean_deg},
              {"rms_deg", c.phase_rms_deg},
              {"ramp_azimuth_deg_px", c.phase_ramp_azimuth_deg_px},
              {"ramp_range_deg_px", c.phase_ramp_range_deg_px}}},
            {"identical", c.samples > 0 && c.signal_to_error_db == std::numeric_limits<double>::infinity()},
            {"gain", {{"magnitude", std::abs(c.gain)}, {"phase_deg", std::arg(c.gain) / degree}}},
            {"signal_to_error_db", c.signal_to_error_db},
            {"signal_to_error_with_gain_db", c.signal_to_error_with_gain_db}};
}

Json comparison_json(const ImageComparison& c, const std::optional<TrackMatch>& tracks) {
    Json json{{"on_maps", c.on_maps}};
    if (tracks) json["tracks"] = {{"apart_m", tracks->largest_distance_m}, {"later_s", tracks->later_s}};
    json.update(comparison_json(c));
    return json;
}

}  // namespace cornerturn

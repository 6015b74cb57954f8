// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/scene_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace cornerturn {
namespace {

double decibel(double power) { return 10 * std::log10(power); }

}  // namespace

std::string scene_text(const SceneStatistics& s) {
    if (!(s.mean_power > 0)) return fmt::format("scene: {} samples, all dark\n", s.samples);
    std::string text =
        fmt::format("scene: {} samples, mean power {:.2f} dB, sharpness {:.6g}, entropy {:.4f} (all alike: {:.4f})\n",
                    s.samples, decibel(s.mean_power), s.sharpness, s.entropy, std::log(static_cast<double>(s.samples)));
    if (s.equivalent_looks)
        text += fmt::format(
            "       {:.3f} equivalent looks where it is homogeneous, floor {:.2f} dB ({:.2f} dB below the mean)\n",
            *s.equivalent_looks, decibel(*s.floor_power), decibel(s.mean_power / *s.floor_power));
    return text;
}

nlohmann::json scene_json(const SceneStatistics& s) {
    nlohmann::json json{
        {"samples", s.samples}, {"mean_power", s.mean_power}, {"sharpness", s.sharpness}, {"entropy", s.entropy}};
    if (s.equivalent_looks) json["equivalent_looks"] = *s.equivalent_looks;
    if (s.floor_power) json["floor_power"] = *s.floor_power;
    return json;
}

std::string ambiguity_text(const std::vector<std::vector<AmbiguityEcho>>& of_targets) {
    std::string text;
    for (std::size_t i = 0; i < of_targets.size(); ++i)
        for (const AmbiguityEcho& a : of_targets[i])
            text += fmt::format(
                "{:>3} azimuth ambiguity {:+d} PRF at {:.7f} s, {:.4f} m: {} {:.1f} dB of the target's energy\n", i + 1,
                a.order, a.time_s, a.range_m, a.above_background ? "" : "below", a.ratio_db);
    return text;
}

nlohmann::json ambiguities_json(const std::vector<AmbiguityEcho>& ambiguities) {
    nlohmann::json json = nlohmann::json::array();
    for (const AmbiguityEcho& a : ambiguities)
        json.push_back({{"order", a.order},
                        {"zero_doppler_time_s", a.time_s},
                        {"range_m", a.range_m},
                        {"ratio_db", a.ratio_db},
                        {"above_background", a.above_background}});
    return json;
}

}  // namespace cornerturn

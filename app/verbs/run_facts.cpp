// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/run_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>

#include "app/verbs/known_sums.h"
#include "data/files/input_state.h"
#include "data/terrain/terrain_file.h"

namespace cornerturn {
namespace {

std::string exact(double value) { return fmt::format("{:.17g}", value); }

void add_file(const std::string& name, const std::string& path, RunFacts& facts) {
    const InputState state = input_state(path);
    facts.emplace_back(name, std::filesystem::absolute(path).lexically_normal().string());
    facts.emplace_back(name + "'s size", fmt::format("{} bytes", state.bytes));
    facts.emplace_back(name + "'s time of change", state.modified);
}

/// Any number of threads makes the same image: a processor's description ends with it.
std::string model_of(const DeviceInfo& device) {
    return device.shares_host_memory ? device.description.substr(0, device.description.rfind(", "))
                                     : device.description;
}

/// Any of a model, and any number of them, make the same image.
std::string models_of(std::span<const DeviceInfo> devices) {
    std::set<std::string> models;
    for (const DeviceInfo& device : devices)
        models.insert(fmt::format("{} ({})", device.name.substr(0, device.name.find(':')), model_of(device)));
    return fmt::format("{}", fmt::join(models, " and "));
}

const char* name_of(ParameterSource source) {
    switch (source) {
        case ParameterSource::data: return "data";
        case ParameterSource::orbit: return "orbit";
        case ParameterSource::automatic: break;
    }
    return "auto";
}

std::string doppler_text(const FocusOptions& options) {
    if (!options.doppler_centroid_hz) return name_of(options.doppler_from);
    std::string text = exact(*options.doppler_centroid_hz);
    if (!options.doppler_slopes) return text;
    for (const double slope : options.doppler_slopes->hz_per_km) text += fmt::format(",{}", exact(slope));
    return options.doppler_slopes->about_range_m
               ? fmt::format("{}@{}", text, exact(*options.doppler_slopes->about_range_m))
               : text;
}

std::string map_text(const std::optional<MapRequest>& map) {
    if (!map) return "none";
    if (!map->grid)
        return fmt::format("{}, {} m", map->projection ? map->projection->name() : "utm", exact(map->spacing_m));
    const MapGrid& grid = *map->grid;
    return fmt::format("{}, {} x {} from {} and {} by {} and {}", grid.projection.name(), grid.rows, grid.columns,
                       exact(grid.first_x), exact(grid.first_y), exact(grid.x_step), exact(grid.y_step));
}

void add_frame(const Acquisition& frame, const FocusSetup& setup, RunFacts& facts) {
    const ImagePlan& plan = setup.image;
    const LoweringReport& lowering = setup.memory.lowering;
    const auto [slowest, fastest] = velocity_bounds_m_s(plan);
    const auto add = [&](const char* name, std::string value) {
        facts.emplace_back(fmt::format("{} of {} {}", name, frame.frequency, frame.polarization), std::move(value));
    };
    add("the algorithm", setup.algorithm);
    add("the Doppler centroid", exact(setup.doppler.centroid_hz) + " Hz");
    add("the velocity", fmt::format("{} to {} m/s ({})", exact(slowest), exact(fastest), setup.velocity_source));
    add("the azimuth bandwidth", exact(plan.parameters.azimuth_bandwidth_hz) + " Hz");
    add("the image", fmt::format("{} rows x {} columns from {} s and {} m", plan.grid.rows, plan.grid.columns,
                                 exact(plan.grid.first_time_s), exact(plan.grid.near_range_m)));
    add("the chain", fmt::format("{}, transforms of {} and {}", name_of(lowering.chain), lowering.fft_lengths.range,
                                 lowering.fft_lengths.azimuth));
    add("the number of azimuth blocks",
        fmt::format("{} of {} rows", setup.memory.blocks.size(), setup.memory.blocks.front().rows));
}

}  // namespace

RunFacts run_facts(const std::string& input, std::span<const DeviceInfo> devices, const RunFacts& parameters) {
    RunFacts facts{{"--device", models_of(devices)}};
    add_file("the input", input, facts);
    facts.insert(facts.end(), parameters.begin(), parameters.end());
    return facts;
}

RunFacts parameter_facts(int compression, const FocusOptions& options) {
    RunFacts facts{{"the program", options.software}};
    const auto add = [&](const char* name, std::string value) { facts.emplace_back(name, std::move(value)); };
    const auto add_number = [&](const char* name, const std::optional<double>& value, const char* otherwise) {
        add(name, value ? exact(*value) : otherwise);
    };
    add("--compress", fmt::format("{}", compression));
    add("--algorithm", options.algorithm);
    add("--force", options.force ? "given" : "not given");
    add("--doppler-centroid", doppler_text(options));
    add_number("--velocity", options.velocity_m_s, name_of(options.velocity_from));
    add("--height", exact(options.height_m) + " m");
    add("--dem", options.terrain ? fmt::format("SHA-256 {}, heights {}", known_sha256(options.terrain->name()),
                                               heights_of(*options.terrain))
                                 : "not given");
    add("--range-delay", exact(options.range_delay_m) + " m");
    add("--troposphere", options.troposphere ? "standard" : "none");
    add_number("--azimuth-bandwidth", options.azimuth_bandwidth_hz, "not given");
    add("--range-window", options.range_window.name());
    add("--azimuth-window", options.azimuth_window.name());
    add("--rcmc-taps", fmt::format("{}", options.interpolation_taps));
    add("--error-db", exact(options.error_db));
    add("--grid", map_text(options.map));
    add("--autofocus", std::string(name_of(options.autofocus)));
    add("--extent", std::string(name_of(options.extent)));
    add("--precision", std::string(name_of(options.lowering.precision)));
    add("--chain", options.lowering.chain ? std::string(name_of(*options.lowering.chain)) : "auto");
    add("--corner-turn", std::string(name_of(options.lowering.corner_turn)));
    return facts;
}

void add_plan_facts(std::span<EchoSource* const> frames, std::span<const FocusSetup> setups, RunFacts& facts) {
    facts.emplace_back("the number of images", fmt::format("{}", frames.size()));
    for (std::size_t i = 0; i < frames.size(); ++i) add_frame(frames[i]->acquisition(), setups[i], facts);
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "data/files/image_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "data/files/refusal.h"
#include "pipeline/acquisition/fits/surface_fit.h"

namespace cornerturn {
namespace {

// Of the Doppler centroid over the image, and of the velocity over its columns.
constexpr int fact_rows = 3, fact_columns = 17;
constexpr std::size_t most_state_vectors = 1000;

double part_of(int index, int count, std::int64_t pixels) {
    return static_cast<double>(index) / (count - 1) * static_cast<double>(pixels - 1);
}

/// Blanks between numbers, each with as many digits as tell it.
std::string numbers_text(const std::vector<double>& numbers) { return fmt::format("{}", fmt::join(numbers, " ")); }

bool all_alike(const std::vector<double>& values) {
    return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

std::string axis_text(double first, double step, const char* name) {
    return fmt::format("{} + {} {}", first, step, name);
}

std::string doppler_text(const Image& image) {
    const ProcessingRecord& made = image.processing;
    if (!made.doppler_surface_hz) return numbers_text({made.doppler_centroid_hz});
    std::vector<double> values{made.doppler_centroid_hz};
    for (int i = 0; i < fact_rows; ++i)
        for (int k = 0; k < fact_columns; ++k)
            values.push_back(made.doppler_hz(image.grid.time_s(part_of(i, fact_rows, image.grid.rows)),
                                             image.grid.range_m(part_of(k, fact_columns, image.grid.columns))));
    if (all_alike(values)) values.resize(1);
    return numbers_text(values);
}

std::string velocity_text(const Image& image) {
    const std::vector<double>& all = image.processing.effective_velocity_m_s;
    if (all.empty())
        return image.acquisition.effective_velocity_m_s ? numbers_text({*image.acquisition.effective_velocity_m_s})
                                                        : "";
    if (all_alike(all)) return numbers_text({all.front()});
    std::vector<double> values;
    for (int k = 0; k < fact_columns; ++k)
        values.push_back(all[static_cast<std::size_t>(part_of(k, fact_columns, std::ssize(all)))]);
    return numbers_text(values);
}

/// Seven numbers for each: time, position, velocity.
std::string orbit_text(const Orbit& orbit) {
    std::vector<double> values;
    for (std::size_t i = 0; i < orbit.time_s.size(); ++i) {
        values.push_back(orbit.time_s[i]);
        values.insert(values.end(), orbit.position_m[i].begin(), orbit.position_m[i].end());
        values.insert(values.end(), orbit.velocity_m_s[i].begin(), orbit.velocity_m_s[i].end());
    }
    return numbers_text(values);
}

/// Origin, x axis and y axis in ECEF; centre of the first pixel and the steps, x and y.
std::string plane_text(const MapGrid& map) {
    std::vector<double> values;
    for (const Vec3& vector :
         {map.projection.plane->origin_m, map.projection.plane->x_axis, map.projection.plane->y_axis})
        values.insert(values.end(), vector.begin(), vector.end());
    for (const double value : {map.first_x, map.x_step, map.first_y, map.y_step}) values.push_back(value);
    return numbers_text(values);
}

class Facts {
public:
    Facts(const std::string& file, const std::map<std::string, std::string>& facts) : file_(file), facts_(facts) {}

    std::optional<std::string> text(const char* name) const {
        const auto found = facts_.find(name);
        return found == facts_.end() ? std::nullopt : std::optional(found->second);
    }
    [[noreturn]] void refuse(const char* name, const std::string& expected) const {
        cornerturn::refuse(file_, fmt::format("{} is '{}', expected {}", name, shown(*text(name)), expected));
    }
    /// Of as many finite numbers as one of `counts` says.
    std::vector<double> numbers(const char* name, const std::vector<std::size_t>& counts) const {
        const auto found = text(name);
        if (!found) return {};
        auto values = numbers_of(*found);
        if (!values || std::find(counts.begin(), counts.end(), values->size()) == counts.end())
            refuse(name, fmt::format("{} numbers", fmt::join(counts, " or ")));
        return *values;
    }
    std::optional<double> number(const char* name) const {
        const auto values = numbers(name, {1});
        return values.empty() ? std::nullopt : std::optional(values[0]);
    }
    std::optional<double> positive(const char* name) const {
        const auto value = number(name);
        if (value && !(*value > 0)) refuse(name, "a number above 0");
        return value;
    }
    /// "FIRST + STEP name".
    struct Axis {
        double first, step;
    };
    std::optional<Axis> axis(const char* name) const {
        const auto found = text(name);
        if (!found) return std::nullopt;
        const std::size_t plus = found->find(" + "), end = found->find_last_of(' ');
        if (plus == std::string::npos || end <= plus + 2) refuse(name, "FIRST + STEP and row or column");
        const auto first = numbers_of(found->substr(0, plus)),
                   step = numbers_of(found->substr(plus + 3, end - plus - 3));
        if (!first || !step || first->size() != 1 || step->size() != 1 || !(step->front() > 0))
            refuse(name, "FIRST + STEP and row or column, the step above 0");
        return Axis{first->front(), step->front()};
    }
    /// Numbers with blanks between them, all of them finite; none for anything else.
    static std::optional<std::vector<double>> numbers_of(std::string_view text) {
        std::vector<double> values;
        const char *at = text.data(), *const end = at + text.size();
        while (true) {
            at = std::find_if(at, end, [](char letter) { return letter != ' ' && letter != '\n' && letter != '\t'; });
            if (at == end) return values;
            double value = 0;
            const auto [next, error] = std::from_chars(at, end, value);
            if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
            values.push_back(value);
            at = next;
        }
    }

private:
    const std::string& file_;
    const std::map<std::string, std::string>& facts_;
};

void take_identity(const Facts& facts, Image& image) {
    Acquisition& a = image.acquisition;
    a.identification.mission = facts.text("MISSION").value_or(a.identification.mission);
    a.polarization = facts.text("POLARIZATION").value_or("");
    if (const auto side = facts.text("LOOK_SIDE")) {
        if (*side != "left" && *side != "right") facts.refuse("LOOK_SIDE", "left or right");
        a.identification.look_side = *side == "left" ? LookSide::left : LookSide::right;
    }
    a.carrier_hz = facts.positive("CARRIER_HZ").value_or(0);
    ProcessingRecord& made = image.processing;
    made.algorithm = facts.text("ALGORITHM").value_or("unknown");
    made.software = facts.text("SOFTWARE").value_or("unknown");
    made.processed_at = facts.text("PROCESSED_AT").value_or("");
    made.scene_height_m = facts.number("SCENE_HEIGHT_M").value_or(0);
    made.terrain = facts.text("TERRAIN").value_or("");
    made.range_bandwidth_hz = facts.positive("RANGE_BANDWIDTH_HZ").value_or(0);
    made.azimuth_bandwidth_hz = facts.positive("AZIMUTH_BANDWIDTH_HZ").value_or(0);
    made.range_window = Window::parse(facts.text("RANGE_WINDOW").value_or("none"));
    made.azimuth_window = Window::parse(facts.text("AZIMUTH_WINDOW").value_or("none"));
    made.doppler_source = made.velocity_source = "file";
    if (const auto beam_hz = facts.positive("BEAM_BANDWIDTH_HZ")) a.azimuth_bandwidth_hz = beam_hz;
}

void take_axes(const Facts& facts, Image& image) {
    const auto times = facts.axis("ZERO_DOPPLER_TIME_S"), ranges = facts.axis("SLANT_RANGE_M");
    if (!times || !ranges) return;
    if (!(ranges->first > 0)) facts.refuse("SLANT_RANGE_M", "a range above 0");
    image.grid.first_time_s = times->first, image.grid.time_spacing_s = times->step;
    image.grid.near_range_m = ranges->first, image.grid.range_spacing_m = ranges->step;
    Acquisition& a = image.acquisition;
    a.lines = image.grid.rows, a.samples = image.grid.columns;
    a.first_pulse_time_s = times->first;
    a.near_range_m = ranges->first, a.range_spacing_m = ranges->step;
    a.prf_hz = facts.positive("PRF_HZ").value_or(1 / times->step);
}

void take_doppler(const Facts& facts, Image& image) {
    constexpr std::size_t all = 1 + fact_rows * fact_columns;
    const auto values = facts.numbers("DOPPLER_CENTROID_HZ", {1, all});
    if (values.empty()) return;
    const ImageGrid& grid = image.grid;
    image.processing.doppler_centroid_hz = values[0];
    if (values.size() == 1) return;
    std::vector<SurfacePoint> points;
    for (int i = 0; i < fact_rows; ++i)
        for (int k = 0; k < fact_columns; ++k)
            points.push_back({.x = grid.time_s(part_of(i, fact_rows, grid.rows)),
                              .y = grid.range_m(part_of(k, fact_columns, grid.columns)),
                              .value = values[static_cast<std::size_t>(1 + i * fact_columns + k)]});
    image.processing.doppler_surface_hz =
        surface_through(points,
                        powers_up_to(std::min<int>(2, static_cast<int>(grid.rows) - 1),
                                     std::min<int>(3, static_cast<int>(grid.columns) - 1)),
                        image.acquisition.orbit);
}

void take_velocity(const Facts& facts, Image& image) {
    const auto values = facts.numbers("EFFECTIVE_VELOCITY_M_S", {1, fact_columns});
    if (values.empty()) return;
    for (std::int64_t column = 0; column < image.grid.columns; ++column) {
        const double place =
            values.size() == 1 || image.grid.columns == 1
                ? 0.0
                : static_cast<double>(column) / static_cast<double>(image.grid.columns - 1) * (fact_columns - 1);
        const auto left = std::min(static_cast<std::size_t>(place), values.size() - 1),
                   right = std::min(left + 1, values.size() - 1);
        image.processing.effective_velocity_m_s.push_back(
            std::lerp(values[left], values[right], place - static_cast<double>(left)));
    }
}

void take_orbit(const Facts& facts, Image& image) {
    const auto text = facts.text("ORBIT");
    if (!text) return;
    const auto values = Facts::numbers_of(*text);
    if (!values || values->size() < 14 || values->size() % 7 != 0)
        facts.refuse("ORBIT", "time, position and velocity of two state vectors or more");
    Orbit orbit;
    for (std::size_t at = 0; at < values->size(); at += 7) {
        const double* const v = values->data() + at;
        if (!orbit.time_s.empty() && !(v[0] > orbit.time_s.back())) facts.refuse("ORBIT", "times that increase");
        orbit.add(v[0], {{v[1], v[2], v[3]}, {v[4], v[5], v[6]}});
    }
    image.acquisition.orbit = orbit;
}

void take_plane(const Facts& facts, Image& image) {
    const auto v = facts.numbers("PLANE", {13});
    if (v.empty()) return;
    const ScenePlane plane{.origin_m = {v[0], v[1], v[2]}, .x_axis = {v[3], v[4], v[5]}, .y_axis = {v[6], v[7], v[8]}};
    if (v[10] == 0 || v[12] == 0) facts.refuse("PLANE", "steps other than 0");
    image.map = MapGrid{.projection = MapProjection::on(plane),
                        .rows = image.grid.rows,
                        .columns = image.grid.columns,
                        .first_x = v[9],
                        .x_step = v[10],
                        .first_y = v[11],
                        .y_step = v[12]};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> image_facts(const Image& image) {
    const Acquisition& a = image.acquisition;
    const ProcessingRecord& made = image.processing;
    std::vector<std::pair<std::string, std::string>> facts;
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) facts.emplace_back(name, value);
    };
    const auto add_number = [&](const char* name, double value) {
        if (value > 0) add(name, fmt::format("{}", value));
    };
    add("MISSION", a.identification.mission);
    add("POLARIZATION", a.polarization);
    add("LOOK_SIDE", a.identification.look_side == LookSide::left ? "left" : "right");
    add_number("CARRIER_HZ", a.carrier_hz);
    add("ALGORITHM", made.algorithm);
    add("SOFTWARE", made.software);
    add("PROCESSED_AT", made.processed_at);
    add("SCENE_HEIGHT_M", fmt::format("{}", made.scene_height_m));
    add("TERRAIN", made.terrain);
    add_number("RANGE_BANDWIDTH_HZ", made.range_bandwidth_hz);
    add_number("AZIMUTH_BANDWIDTH_HZ", made.azimuth_bandwidth_hz);
    add("RANGE_WINDOW", made.range_window.name());
    add("AZIMUTH_WINDOW", made.azimuth_window.name());
    add_number("BEAM_BANDWIDTH_HZ", a.azimuth_bandwidth_hz.value_or(0));
    add("EPOCH", a.epoch);
    if (image.map && image.map->projection.plane) add("PLANE", plane_text(*image.map));
    if (image.map || !image.grid.has_axes()) return facts;
    add("ZERO_DOPPLER_TIME_S", axis_text(image.grid.first_time_s, image.grid.time_spacing_s, "row"));
    add("SLANT_RANGE_M", axis_text(image.grid.near_range_m, image.grid.range_spacing_m, "column"));
    add_number("PRF_HZ", a.prf_hz);
    add("DOPPLER_CENTROID_HZ", doppler_text(image));
    add("EFFECTIVE_VELOCITY_M_S", velocity_text(image));
    if (a.orbit && a.orbit->time_s.size() >= 2 && a.orbit->time_s.size() <= most_state_vectors)
        add("ORBIT", orbit_text(*a.orbit));
    return facts;
}

void take_image_facts(const std::string& file, const std::map<std::string, std::string>& given, Image& image) {
    const Facts facts(file, given);
    take_identity(facts, image);
    image.acquisition.epoch = facts.text("EPOCH").value_or(image.acquisition.epoch);
    take_plane(facts, image);
    if (image.map) return;
    take_axes(facts, image);
    take_orbit(facts, image);
    if (!image.grid.has_axes()) return;
    take_doppler(facts, image);
    take_velocity(facts, image);
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "data/navigation/orbit_file.h"

#include <fmt/format.h>

#include <cmath>
#include <pugixml.hpp>
#include <stdexcept>
#include <string_view>

#include "data/files/refusal.h"
#include "data/nisar/epoch.h"
#include "kernels/host/number_text.h"

namespace cornerturn {
namespace {

/// "UTC=2025-06-15T05:18:42.000000".
Epoch time_of(const std::string& path, const pugi::xml_node& vector) {
    std::string_view text = vector.child_value("UTC");
    if (text.starts_with("UTC=")) text.remove_prefix(4);
    const auto time = parse_epoch(text);
    if (!time) refuse(path, fmt::format("OSV: UTC is \"{}\", expected UTC=YYYY-MM-DDThh:mm:ss", shown(text)));
    return *time;
}

double number_of(const std::string& path, const pugi::xml_node& vector, const char* name) {
    const std::string_view text = vector.child_value(name);
    const auto value = finite_number_from(text);
    if (!value) refuse(path, fmt::format("OSV: {} is \"{}\", expected a number", name, shown(text)));
    return *value;
}

void check_steps(const std::string& path, const Orbit& orbit, double first_s, double last_s) {
    if (orbit.time_s.size() < 4 || orbit.time_s.front() > first_s || orbit.time_s.back() < last_s)
        refuse(path, fmt::format("has {} state vectors within a minute of the pulses and does not cover them; take the "
                                 "orbit file of their day",
                                 orbit.time_s.size()));
    const double step_s = (orbit.time_s.back() - orbit.time_s.front()) / static_cast<double>(orbit.time_s.size() - 1);
    constexpr double tolerance_s = 1e-3;
    for (std::size_t i = 1; i < orbit.time_s.size(); ++i)
        if (std::fabs(orbit.time_s[i] - orbit.time_s[i - 1] - step_s) > tolerance_s)
            refuse(path, fmt::format("state vectors lie {} and {} s apart, expected equal steps",
                                     orbit.time_s[i] - orbit.time_s[i - 1], step_s));
}

}  // namespace

Orbit read_orbit_file(const std::string& path, const std::string& epoch, double first_s, double last_s) {
    constexpr double beside_s = 60;
    const auto since = parse_epoch(epoch);
    if (!since) throw std::logic_error("an epoch that is no time");
    pugi::xml_document document;
    if (const auto parsed = document.load_file(path.c_str()); !parsed)
        refuse(path, fmt::format("is no orbit file (EOF): {}", parsed.description()));
    const pugi::xml_node vectors = document.child("Earth_Explorer_File").child("Data_Block").child("List_of_OSVs");
    if (!vectors) refuse(path, "has no Data_Block/List_of_OSVs, expected an orbit file (EOF)");
    const std::string_view frame = document.child("Earth_Explorer_File")
                                       .child("Earth_Explorer_Header")
                                       .child("Variable_Header")
                                       .child_value("Ref_Frame");
    if (!frame.empty() && frame != "EARTH_FIXED")
        refuse(path, fmt::format("Ref_Frame is \"{}\", expected EARTH_FIXED", shown(frame)));
    Orbit orbit;
    for (const pugi::xml_node& vector : vectors.children("OSV")) {
        const double time_s = time_of(path, vector).seconds_since(*since);
        if (time_s < first_s - beside_s || time_s > last_s + beside_s) continue;
        if (!orbit.time_s.empty() && !(time_s > orbit.time_s.back()))
            refuse(path, "state vectors do not ascend in time");
        const auto three = [&](const char* x, const char* y, const char* z) {
            return Vec3{number_of(path, vector, x), number_of(path, vector, y), number_of(path, vector, z)};
        };
        orbit.add(time_s, {three("X", "Y", "Z"), three("VX", "VY", "VZ")});
    }
    check_steps(path, orbit, first_s, last_s);
    return orbit;
}

}  // namespace cornerturn

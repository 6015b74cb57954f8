// SPDX-License-Identifier: Apache-2.0
#include "data/sentinel1/element_pattern.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "data/files/binary_file.h"
#include "data/files/refusal.h"
#include "data/xml/xml_element.h"
#include "kernels/host/number_text.h"
#include "pipeline/acquisition/degree.h"

namespace cornerturn {
namespace {

/// Between blanks.
std::vector<double> numbers_in(const XmlElement& element) {
    const std::string text = element.text();
    constexpr std::string_view blanks = " \t\r\n";
    std::vector<double> numbers;
    for (std::size_t at = text.find_first_not_of(blanks); at != std::string::npos;
         at = text.find_first_not_of(blanks, at)) {
        const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
        const std::string_view word(text.data() + at, end - at);
        const auto number = finite_number_from(word);
        if (!number) element.refuse(fmt::format("\"{}\" is no number", shown(word)));
        numbers.push_back(*number);
        at = end;
    }
    return numbers;
}

ElementPattern pattern_of(const XmlElement& parameters) {
    const XmlElement pattern = parameters.at("azimuthAntennaElementPattern"), values = pattern.at("values");
    const double step_deg = pattern.at("azimuthAngleIncrement").number();
    if (!(step_deg > 0 && step_deg < 1))
        pattern.refuse(fmt::format("steps of {} degrees, expected some of 1", step_deg));
    std::vector<double> gain_db = numbers_in(values);
    if (gain_db.size() % 2 == 0 || gain_db.size() < 3)
        values.refuse(
            fmt::format("{} values, expected an odd number, of which the middle one is broadside", gain_db.size()));
    for (const double value : gain_db)
        if (std::fabs(value) > 60) values.refuse(fmt::format("{} dB, expected less than 60", value));
    return {step_deg * degree, std::move(gain_db)};
}

}  // namespace

ElementPattern sentinel1_tile_pattern(double wavelength_m) {
    constexpr double antenna_m = 12.3;
    constexpr int tiles = 14;
    return ElementPattern::of_aperture(antenna_m / tiles, wavelength_m);
}

ElementPattern read_element_pattern(const std::string& path, const Acquisition& burst) {
    const BinaryFile file(path);
    constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;
    if (file.bytes() > most_bytes)
        refuse(path,
               fmt::format("{} bytes, expected an auxiliary file (AUX_CAL) of at most {}", file.bytes(), most_bytes));
    const XmlElement root = XmlElement::parse(path, file.read(0, static_cast<std::size_t>(file.bytes())));
    const std::string& swath = burst.burst.value().swath;
    for (const XmlElement& parameters : root.all("calibrationParamsList/calibrationParams")) {
        const auto is = [&](const char* name, const std::string& value) {
            const auto element = parameters.find(name);
            return element && element->text() == value;
        };
        if (is("swath", swath) && is("polarisation", burst.polarization)) return pattern_of(parameters);
    }
    refuse(path, fmt::format("has no calibrationParamsList/calibrationParams of {} {}, expected ESA's auxiliary file "
                             "AUX_CAL (s1a-aux-cal.xml)",
                             swath, burst.polarization));
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/proof/exact_pixels.h"

#include <algorithm>
#include <cmath>

#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/track/state_vector_check.h"

namespace cornerturn {
namespace {

bool covers(const Orbit& orbit, const Acquisition& acquisition) {
    return orbit.time_s.size() >= 2 && is_followed(orbit, acquisition.first_pulse_time_s) &&
           is_followed(orbit, acquisition.last_pulse_time_s());
}

/// The line at which a place has a frequency along its aperture.
double line_of(const RadarGeometry& geometry, const Vec3& place_m, double zero_doppler_time_s, double aperture_hz) {
    constexpr double first_step_lines = 64;
    return RadarGeometry::crossing(
        [&](double line) { return geometry.aperture_hz(line, place_m, zero_doppler_time_s); }, aperture_hz,
        geometry.line_at(zero_doppler_time_s), first_step_lines);
}

}  // namespace

RadarGeometry recorded_geometry(const Acquisition& acquisition, double velocity_m_s) {
    if (acquisition.orbit && covers(*acquisition.orbit, acquisition))
        return {acquisition, interpolated_track(*acquisition.orbit)};
    const double altitude_m =
        0.6 * acquisition.near_range_m;  // any will do: what is seen of a straight line depends on range alone
    return {acquisition, straight_track({{wgs84_equatorial_radius_m + altitude_m, 0, 0}, {0, 0, velocity_m_s}},
                                        acquisition.first_pulse_time_s)};
}

IndexRange aperture_lines(const RadarGeometry& geometry, const Vec3& place_m, double zero_doppler_time_s,
                          DopplerBand band) {
    // Frequencies fall with time.
    return {static_cast<std::int64_t>(std::floor(line_of(geometry, place_m, zero_doppler_time_s, band.high_hz))) + 1,
            static_cast<std::int64_t>(std::floor(line_of(geometry, place_m, zero_doppler_time_s, band.low_hz))) + 1};
}

BackprojectionChip backprojection_chip(const Acquisition& acquisition, const RadarGeometry& geometry,
                                       const std::vector<ClosestApproach>& pixels, double height_m, DopplerBand band) {
    BackprojectionChip chip{.lines = acquisition.lines,
                            .samples = acquisition.samples,
                            .timing = geometry.timing(),
                            .first_path = acquisition.lines,
                            .paths = {},
                            .pixels = {}};
    std::int64_t end = 0;
    for (const ClosestApproach& pixel : pixels) {
        const Vec3 place_m = geometry.zero_doppler_place(pixel, height_m);
        chip.pixels.push_back(
            {to_place(place_m), pixel.range_m, aperture_lines(geometry, place_m, pixel.time_s, band)});
        const IndexRange lines = recorded(chip.pixels.back().lines, acquisition.lines);
        if (lines.first < lines.last)
            chip.first_path = std::min(chip.first_path, lines.first), end = std::max(end, lines.last);
    }
    for (std::int64_t line = chip.first_path; line < end; ++line)
        chip.paths.push_back(geometry.path(static_cast<double>(line)));
    return chip;
}

bool fully_recorded(const BackprojectionChip& chip, const BackprojectionPixel& pixel) {
    const auto holds = [](IndexRange inner, std::int64_t count) { return inner.first >= 0 && inner.last <= count; };
    if (!holds(pixel.lines, chip.lines) || pixel.lines.first >= pixel.lines.last) return false;
    for (std::int64_t line = pixel.lines.first; line < pixel.lines.last; ++line) {
        const PulsePath& path = chip.paths[static_cast<std::size_t>(line - chip.first_path)];
        if (!holds(pulse_echo(chip.timing, path, pixel.place).samples, chip.samples)) return false;
    }
    return true;
}

double apparent_velocity_m_s(const RadarGeometry& geometry, const ClosestApproach& approach, double height_m,
                             double doppler_hz) {
    const Vec3 place_m = geometry.zero_doppler_place(approach, height_m);
    const double line = line_of(geometry, place_m, approach.time_s, doppler_hz);
    constexpr double reach_lines = 20;  // each way: rounding of Doppler is 1e-5 of what it changes by
    const double per_line_hz =
        (geometry.doppler_hz(line + reach_lines, place_m) - geometry.doppler_hz(line - reach_lines, place_m)) /
        (2 * reach_lines);
    const double half_wavelength_m = 0.5 * speed_of_light_m_s / geometry.timing().carrier_hz;
    const double rate_hz_s = per_line_hz / (geometry.pulse_time_s(line + 1) - geometry.pulse_time_s(line));
    const double range_m = 0.5 * speed_of_light_m_s * geometry.delay_s(line, place_m),
                 range_rate_m_s = half_wavelength_m * doppler_hz;
    return std::sqrt(range_rate_m_s * range_rate_m_s - range_m * half_wavelength_m * rate_hz_s);
}

double range_over_closest(const RadarGeometry& geometry, const ClosestApproach& approach, double height_m,
                          double doppler_hz) {
    const double line = line_of(geometry, geometry.zero_doppler_place(approach, height_m), approach.time_s, doppler_hz);
    const double step_m = 1e-4 * approach.range_m;
    const auto range_m = [&](double closest_m) {
        return 0.5 * speed_of_light_m_s *
               geometry.delay_s(line, geometry.zero_doppler_place({approach.time_s, closest_m}, height_m));
    };
    return (range_m(approach.range_m + step_m) - range_m(approach.range_m - step_m)) / (2 * step_m);
}

}  // namespace cornerturn

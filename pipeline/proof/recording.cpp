// SPDX-License-Identifier: Apache-2.0
#include "pipeline/proof/recording.h"

#include <algorithm>
#include <cmath>

#include "pipeline/proof/counted_random.h"

namespace cornerturn {
namespace {

constexpr double guard_s = 1e-6;  // of the receiver before and behind a transmission

/// Of every pulse that is sent.
std::vector<double> sent_s(const Scene& scene, const Acquisition& even) {
    std::vector<double> times_s;
    for (std::int64_t line = 0; line < scene.lines; ++line) {
        const bool end = line == 0 || line == scene.lines - 1;
        const double moved =
            end ? 0
                : scene.dither *
                      (2 * unit(mix(mix(scene.seed ^ purpose("dither")) + static_cast<std::uint64_t>(line))) - 1);
        times_s.push_back(even.pulse_time_s(static_cast<double>(line) + moved));
    }
    return times_s;
}

/// Samples of a pulse sent at `time_s` that no other's sending covers: what lies between these, in order.
std::vector<Interval> between_transmissions(const Scene& scene, const Acquisition& even,
                                            const std::vector<double>& times_s, double time_s) {
    const double rate_hz = scene.sample_rate_hz, first_s = time_s + 2 * even.near_range_m / speed_of_light_m_s;
    const double last_s = first_s + static_cast<double>(scene.samples) / rate_hz;
    std::vector<Interval> open;
    std::int32_t begin = 0;
    const auto close = [&](std::int32_t end) {
        if (end > begin) open.push_back({begin, end});
    };
    const auto sample_at = [&](double s) {
        return static_cast<std::int32_t>(
            std::clamp(std::ceil((s - first_s) * rate_hz), 0.0, static_cast<double>(scene.samples)));
    };
    const double reach_s = scene.chirp_duration_s + guard_s;
    for (auto sent = std::lower_bound(times_s.begin(), times_s.end(), first_s - reach_s);
         sent != times_s.end() && *sent - guard_s < last_s; ++sent) {
        close(sample_at(*sent - guard_s));
        begin = std::max(begin, sample_at(*sent + reach_s));
    }
    close(static_cast<std::int32_t>(scene.samples));
    return open;
}

void mark_gaps(const Scene& scene, const Acquisition& even, const std::vector<double>& times_s, Acquisition& recorded) {
    std::vector<std::vector<Interval>> open;
    std::size_t most = 1;
    for (std::int64_t line = 0; line < recorded.lines; ++line) {
        open.push_back(between_transmissions(scene, even, times_s, recorded.pulse_time_s(static_cast<double>(line))));
        most = std::max(most, open.back().size());
    }
    EchoDecoding& decoding = recorded.decoding;
    decoding.intervals_per_line = static_cast<int>(most);
    for (std::vector<Interval>& of_line : open) {
        of_line.resize(most);
        decoding.valid_samples.insert(decoding.valid_samples.end(), of_line.begin(), of_line.end());
    }
}

/// The scene's phase error at the times of the pulses that are recorded.
std::vector<double> phase_errors_rad(const Scene& scene, const Acquisition& even, const Acquisition& recorded) {
    if (!scene.phase_error.any()) return {};
    const std::vector<double> of_even = phases_rad(scene.phase_error, scene.lines);
    if (!recorded.uneven()) return of_even;
    std::vector<double> phases;
    for (std::int64_t line = 0; line < recorded.lines; ++line) {
        const double place = std::clamp(even.line_at(recorded.pulse_time_s(static_cast<double>(line))), 0.0,
                                        static_cast<double>(scene.lines - 1));
        const auto below = static_cast<std::size_t>(place), above = std::min(below + 1, of_even.size() - 1);
        phases.push_back(std::lerp(of_even[below], of_even[above], place - std::floor(place)));
    }
    return phases;
}

}  // namespace

Acquisition timing_of(const Scene& scene) {
    Acquisition acquisition;
    acquisition.lines = scene.lines;
    acquisition.samples = scene.samples;
    acquisition.format = scene.sample_type;
    acquisition.epoch = scene.epoch;
    acquisition.first_pulse_time_s = scene.first_pulse_time_s;
    acquisition.prf_hz = scene.prf_hz;
    acquisition.carrier_hz = scene.carrier_hz;
    acquisition.near_range_m = scene.near_range_m;
    acquisition.range_spacing_m = scene.range_spacing_m();
    acquisition.chirp = {scene.chirp_slope_hz_s, scene.chirp_duration_s};
    acquisition.identification.look_side = scene.look_side;
    acquisition.identification.dithered = scene.dither > 0;
    return acquisition;
}

Acquisition recording_of(const Scene& scene) {
    const Acquisition even = timing_of(scene);
    Acquisition recorded = even;
    const std::vector<double> times_s = sent_s(scene, even);
    if (scene.dither > 0 || scene.lost_lines > 0) {
        for (std::int64_t line = 0; line < scene.lines; ++line) {
            const bool end = line == 0 || line == scene.lines - 1;
            if (end ||
                unit(mix(mix(scene.seed ^ purpose("lost")) + static_cast<std::uint64_t>(line))) >= scene.lost_lines)
                recorded.pulse_times_s.push_back(times_s[static_cast<std::size_t>(line)]);
        }
        recorded.lines = static_cast<std::int64_t>(recorded.pulse_times_s.size());
    }
    recorded.true_phase_error_rad = phase_errors_rad(scene, even, recorded);
    if (scene.transmit_gaps) mark_gaps(scene, even, times_s, recorded);
    return recorded;
}

}  // namespace cornerturn

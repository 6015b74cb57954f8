// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/l0b_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "data/nisar/uniform_axis.h"

namespace cornerturn {
namespace {

/// The pulse times' name has been spelled UTCtime and UTCTime.
std::string pulse_times_path(const h5::Reader& file, const L0bPaths& paths) {
    for (const std::string& name : file.children(paths.transmit)) {
        const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
        constexpr std::string_view wanted = "utctime";
        if (std::equal(name.begin(), name.end(), wanted.begin(), wanted.end(), same)) return paths.transmit + "/" + name;
    }
    return paths.transmit + "/UTCtime";
}

}  // namespace

void read_pulse_times(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition, Warnings& warnings) {
    const std::string path = pulse_times_path(file, paths);
    std::vector<double> times =
        file.numbers(path, {.rows = acquisition.lines, .columns = {}, .meaning = "one for each line of " + paths.samples});
    check_increasing(file, path, times, "s");

    const auto epoch = read_axis_epoch(file, path), orbit_epoch = read_axis_epoch(file, paths.product + "/lowRateTelemetry/orbit/time");
    const Epoch reference = epoch ? *epoch : orbit_epoch.value_or(epoch_of(acquisition));
    if (!epoch)
        warnings.push_back(fmt::format("{}: {} has no units attribute: times taken as seconds since {}{}", file.file_name(), path,
                                       reference.text(), orbit_epoch ? ", as the orbit's" : ""));
    acquisition.epoch = reference.text();  // whole seconds; the fraction goes into the times
    acquisition.first_pulse_time_s = times.front() + reference.fraction;

    const auto nominal = file.optional_number(paths.transmit + "/nominalAcquisitionPRF");
    if (nominal) check_positive(file, paths.transmit + "/nominalAcquisitionPRF", *nominal, "Hz");
    if (times.size() < 2) {
        if (!nominal)
            file.refuse(path,
                        "holds a single pulse time, from which no PRF follows; expected at least 2, or nominalAcquisitionPRF beside it");
        acquisition.prf_hz = *nominal;
        return;
    }
    acquisition.prf_hz = static_cast<double>(times.size() - 1) / (times.back() - times.front());
    const Deviation worst = deviation_from_line(times);
    const double rounding_s = 2 * std::numeric_limits<double>::epsilon() * std::max(std::abs(times.front()), std::abs(times.back()));
    if (worst.value > 1e-3 / acquisition.prf_hz + rounding_s)
        file.refuse(path, fmt::format("is not uniform: line {} lies {:.3g} s ({:.3g} pulse intervals) beside a constant PRF of {:.6g} Hz; "
                                      "expected less than 0.001 intervals",
                                      worst.index, worst.value, worst.value * acquisition.prf_hz, acquisition.prf_hz));
    if (nominal && std::abs(*nominal / acquisition.prf_hz - 1) > 0.01)
        file.refuse(paths.transmit + "/nominalAcquisitionPRF",
                    fmt::format("is {:.6g} Hz, but the times in {} say {:.6g} Hz; expected agreement within 1 %", *nominal, path,
                                acquisition.prf_hz));
}

void read_slant_range(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition) {
    const std::string path = paths.transmit + "/slantRange";
    const AxisPaths axis{.values = path,
                         .spacing = paths.transmit + "/slantRangeSpacing",
                         .unit = "m",
                         .meaning = "one for each sample of " + paths.samples};
    const auto [first, spacing] = read_uniform_axis(file, axis, acquisition.samples);
    check_positive(file, path, first, "m");
    acquisition.near_range_m = first;
    acquisition.range_spacing_m = spacing;
}

void read_pulse(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition) {
    const std::string carrier_path = paths.transmit + "/centerFrequency", duration_path = paths.transmit + "/chirpDuration";
    const std::string slope_path = paths.transmit + "/chirpSlope", bandwidth_path = paths.transmit + "/rangeBandwidth";
    acquisition.carrier_hz = file.number(carrier_path);
    acquisition.chirp = {.slope_hz_s = file.number(slope_path), .duration_s = file.number(duration_path)};
    check_positive(file, carrier_path, acquisition.carrier_hz, "Hz");
    check_positive(file, duration_path, acquisition.chirp.duration_s, "s");
    if (acquisition.chirp.slope_hz_s == 0) file.refuse(slope_path, "is 0 Hz/s, expected a signed frequency rate");

    const double sample_rate = acquisition.sample_rate_hz(), bandwidth = acquisition.chirp.bandwidth_hz();
    if (acquisition.carrier_hz <= sample_rate)
        file.refuse(
            carrier_path,
            fmt::format("is {:.6g} Hz, below the sample rate of {:.6g} Hz (c / 2 slantRangeSpacing); expected a radar's carrier frequency",
                        acquisition.carrier_hz, sample_rate));
    constexpr double highest_carrier_hz = 1e12;
    if (acquisition.carrier_hz > highest_carrier_hz)
        file.refuse(carrier_path,
                    fmt::format("is {:.6g} Hz; expected a radar's carrier frequency, at most 1e12 Hz", acquisition.carrier_hz));
    if (acquisition.chirp_samples() > static_cast<double>(acquisition.samples))
        file.refuse(duration_path,
                    fmt::format("is {:.6g} s, {:.0f} samples at {:.6g} Hz; expected a chirp no longer than the line of {} samples",
                                acquisition.chirp.duration_s, acquisition.chirp_samples(), sample_rate, acquisition.samples));
    if (bandwidth > sample_rate * (1 + 1e-6))
        file.refuse(
            slope_path,
            fmt::format(
                "is {:.6g} Hz/s, which in {:.6g} s (chirpDuration) sweeps {:.6g} Hz; expected no more than the sample rate of {:.6g} Hz",
                acquisition.chirp.slope_hz_s, acquisition.chirp.duration_s, bandwidth, sample_rate));
    if (const auto stated = file.optional_number(bandwidth_path); stated && std::abs(*stated / bandwidth - 1) > 0.1)
        file.refuse(bandwidth_path,
                    fmt::format("is {:.6g} Hz, but chirpSlope times chirpDuration is {:.6g} Hz; expected agreement within 10 %", *stated,
                                bandwidth));
}

}  // namespace cornerturn

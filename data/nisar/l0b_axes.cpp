// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/l0b_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "data/nisar/uniform_axis.h"
#include "kernels/host/letter_case.h"

namespace cornerturn {
namespace {

/// The pulse times' name has been spelled UTCtime and UTCTime.
std::string pulse_times_path(const h5::Reader& file, const L0bPaths& paths) {
    for (const std::string& name : file.children(paths.transmit)) {
        if (lower(name) == "utctime") return paths.transmit + "/" + name;
    }
    return paths.transmit + "/UTCtime";
}

/// Intervals of the train between the first pulse and each: lost ones leave a hole, dither is less than half an
/// interval. `nominal_hz`: where the file tells it; else the shorter ones of the steps tell, so that half and more may
/// be lost.
std::vector<std::int64_t> places_in_train(const std::vector<double>& times, std::optional<double> nominal_hz) {
    std::vector<double> steps;
    for (std::size_t i = 1; i < times.size(); ++i) steps.push_back(times[i] - times[i - 1]);
    std::sort(steps.begin(), steps.end());
    double interval_s = nominal_hz ? 1 / *nominal_hz : steps[steps.size() / 10];
    std::vector<double> single;
    for (const double step : steps)
        if (std::lround(step / interval_s) <= 1) single.push_back(step);
    if (!single.empty()) interval_s = single[single.size() / 2];
    std::vector<std::int64_t> places{0};
    for (std::size_t i = 1; i < times.size(); ++i)
        places.push_back(places.back() +
                         std::max<std::int64_t>(1, std::llround((times[i] - times[i - 1]) / interval_s)));
    return places;
}

/// Pulses that are dithered or lack some.
void take_uneven(const h5::Reader& file, const std::string& path, std::vector<double> times, const Epoch& reference,
                 std::optional<double> nominal_hz, Acquisition& acquisition, Warnings& warnings) {
    const std::vector<std::int64_t> places = places_in_train(times, nominal_hz);
    const auto last = places.back();
    if (last > 2 * acquisition.lines)
        file.refuse(
            path,
            fmt::format(
                "is no train of pulses: {} of them take the time of {}; expected no more than half of them missing",
                acquisition.lines, last + 1));
    const double interval_s = (times.back() - times.front()) / static_cast<double>(last);
    double largest = 0;
    for (std::size_t i = 1; i < times.size(); ++i) {
        const double intervals = (times[i] - times[i - 1]) / interval_s;
        largest = std::max(largest, std::abs(intervals - static_cast<double>(places[i] - places[i - 1])));
        if (intervals < 0.4)
            file.refuse(path, fmt::format("is no train of pulses: line {} follows after {:.2g} of an interval of "
                                          "{:.6g} s; expected dither of less than half an interval",
                                          i, intervals, interval_s));
    }
    acquisition.prf_hz = 1 / interval_s;
    for (double& time_s : times) time_s += reference.fraction;
    acquisition.pulse_times_s = std::move(times);
    warnings.push_back(
        fmt::format("{}: {} is uneven: intervals differ by up to {:.1f} % from that of {:.6g} Hz, {} of {} pulses are "
                    "missing; lines are interpolated to equal steps",
                    file.file_name(), path, 100 * largest, acquisition.prf_hz, last + 1 - acquisition.lines, last + 1));
}

}  // namespace

void read_pulse_times(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition, Warnings& warnings) {
    const std::string path = pulse_times_path(file, paths);
    std::vector<double> times = file.numbers(
        path, {.rows = acquisition.lines, .columns = {}, .meaning = "one for each line of " + paths.samples});
    check_increasing(file, path, times, "s");

    const auto epoch = read_axis_epoch(file, path),
               orbit_epoch = read_axis_epoch(file, paths.product + "/lowRateTelemetry/orbit/time");
    const Epoch reference = epoch ? *epoch : orbit_epoch.value_or(epoch_of(acquisition));
    if (!epoch)
        warnings.push_back(fmt::format("{}: {} has no units attribute: times taken as seconds since {}{}",
                                       file.file_name(), path, reference.text(),
                                       orbit_epoch ? ", as the orbit's" : ""));
    acquisition.epoch = reference.text();  // whole seconds; the fraction goes into the times
    acquisition.first_pulse_time_s = times.front() + reference.fraction;

    const auto nominal = file.optional_number(paths.transmit + "/nominalAcquisitionPRF");
    if (nominal) check_positive(file, paths.transmit + "/nominalAcquisitionPRF", *nominal, "Hz");
    if (times.size() < 2) {
        if (!nominal)
            file.refuse(path,
                        "holds a single pulse time, from which no PRF follows; expected at least 2, or "
                        "nominalAcquisitionPRF beside it");
        acquisition.prf_hz = *nominal;
        return;
    }
    acquisition.prf_hz = static_cast<double>(times.size() - 1) / (times.back() - times.front());
    const Deviation worst = deviation_from_line(times);
    const double rounding_s =
        2 * std::numeric_limits<double>::epsilon() * std::max(std::abs(times.front()), std::abs(times.back()));
    constexpr double even = 1e-3;  // of an interval
    if (worst.value > even / acquisition.prf_hz + rounding_s)
        take_uneven(file, path, std::move(times), reference, nominal, acquisition, warnings);
    if (nominal && std::abs(*nominal / acquisition.prf_hz - 1) > 0.01)
        file.refuse(paths.transmit + "/nominalAcquisitionPRF",
                    fmt::format("is {:.6g} Hz, but the times in {} say {:.6g} Hz; expected agreement within 1 %",
                                *nominal, path, acquisition.prf_hz));
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

namespace {

/// A column of complex numbers.
std::vector<std::complex<float>> read_complex(const h5::Reader& file, const std::string& path) {
    const h5::Dataset data = file.dataset(path);
    const auto extents = h5::shape(data);
    constexpr hsize_t most = hsize_t{1} << 24;
    if (extents.size() != 1 || extents[0] > most || h5::class_of(h5::type_of(data)) != H5T_COMPOUND)
        file.refuse(path, fmt::format("holds {} of {}, expected one axis of complex numbers (r, i)",
                                      h5::shape_text(data), h5::type_text(h5::type_of(data))));
    std::vector<std::complex<float>> values(extents[0]);
    const h5::Type type = h5::complex_type(H5T_NATIVE_FLOAT);
    file.read(data, type, values.data(), path);
    return values;
}

/// Slope of a sampled chirp by the mean turn of its phase from sample to sample.
double slope_of(const std::vector<std::complex<float>>& samples, double sample_rate_hz) {
    std::complex<double> turn = 0;
    for (std::size_t k = 0; k + 2 < samples.size(); ++k) {
        const std::complex<double> a(samples[k]), b(samples[k + 1]), c(samples[k + 2]);
        turn += c * std::conj(b) * std::conj(b) * a;
    }
    return std::arg(turn) / (2 * std::numbers::pi) * sample_rate_hz * sample_rate_hz;
}

/// chirpWaveform, where it is a chirp like that of slope and duration, and yet another one.
void read_replica(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition, Warnings& warnings) {
    const std::string path = paths.transmit + "/chirpWaveform";
    if (!file.exists(path)) return;
    Chirp& chirp = acquisition.chirp;
    std::vector<std::complex<float>> replica = read_complex(file, path);
    const double rate_hz =
        file.optional_number(paths.transmit + "/rangeSamplingFrequency").value_or(acquisition.sample_rate_hz());
    const double slope_hz_s = slope_of(replica, rate_hz), seconds = static_cast<double>(replica.size()) / rate_hz;
    double power = 0;
    for (const auto& value : replica) power += std::norm(std::complex<double>(value));
    if (std::abs(rate_hz / acquisition.sample_rate_hz() - 1) > 1e-6 || std::abs(seconds / chirp.duration_s - 1) > 0.1 ||
        !(std::abs(slope_hz_s / chirp.slope_hz_s - 1) < 0.05) || !(power > 0)) {
        warnings.push_back(fmt::format(
            "{}: {}: {} samples at {:.6g} Hz that sweep {:.4g} Hz/s are not the chirp of chirpDuration ({:.4g} s), "
            "chirpSlope ({:.4g} Hz/s) and the echo's sampling: not used",
            file.file_name(), path, replica.size(), rate_hz, slope_hz_s, chirp.duration_s, chirp.slope_hz_s));
        return;
    }
    const auto scale = static_cast<float>(std::sqrt(static_cast<double>(replica.size()) / power));
    double difference = 0;
    for (std::size_t k = 0; k < replica.size(); ++k) {
        replica[k] *= scale;
        const double t = static_cast<double>(k) / rate_hz - 0.5 * chirp.duration_s;
        difference +=
            std::norm(std::complex<double>(replica[k]) - std::polar(1.0, std::numbers::pi * chirp.slope_hz_s * t * t));
    }
    constexpr double same = 1e-6;  // of the power
    if (difference > same * static_cast<double>(replica.size())) chirp.replica = std::move(replica);
}

}  // namespace

void read_line_phase(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition) {
    const std::string path = paths.receive + "/basebandPhaseCorrection";
    if (!file.exists(path)) return;
    const std::vector<std::complex<float>> factors = read_complex(file, path);
    if (static_cast<std::int64_t>(factors.size()) != acquisition.lines)
        file.refuse(path, fmt::format("has {} values, expected one for each of the {} lines of {}", factors.size(),
                                      acquisition.lines, paths.samples));
    std::vector<double> cycles;
    for (const auto& factor : factors) {
        if (!(std::abs(std::abs(factor) - 1) < 0.1))
            file.refuse(path, fmt::format("holds {} + {}j at line {}, expected factors of modulus 1", factor.real(),
                                          factor.imag(), cycles.size()));
        cycles.push_back(std::arg(std::complex<double>(factor)) / (2 * std::numbers::pi));
    }
    const bool none = std::all_of(cycles.begin(), cycles.end(), [](double c) { return c == 0; });
    if (!none) acquisition.line_phase_cycles = std::move(cycles);
}

void read_pulse(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition, Warnings& warnings) {
    const std::string carrier_path = paths.transmit + "/centerFrequency",
                      duration_path = paths.transmit + "/chirpDuration";
    const std::string slope_path = paths.transmit + "/chirpSlope", bandwidth_path = paths.transmit + "/rangeBandwidth";
    acquisition.carrier_hz = file.number(carrier_path);
    acquisition.chirp = {.slope_hz_s = file.number(slope_path), .duration_s = file.number(duration_path)};
    check_positive(file, carrier_path, acquisition.carrier_hz, "Hz");
    check_positive(file, duration_path, acquisition.chirp.duration_s, "s");
    if (acquisition.chirp.slope_hz_s == 0) file.refuse(slope_path, "is 0 Hz/s, expected a signed frequency rate");

    const double sample_rate = acquisition.sample_rate_hz(), bandwidth = acquisition.chirp.bandwidth_hz();
    if (acquisition.carrier_hz <= sample_rate)
        file.refuse(carrier_path, fmt::format("is {:.6g} Hz, below the sample rate of {:.6g} Hz (c / 2 "
                                              "slantRangeSpacing); expected a radar's carrier frequency",
                                              acquisition.carrier_hz, sample_rate));
    constexpr double highest_carrier_hz = 1e12;
    if (acquisition.carrier_hz > highest_carrier_hz)
        file.refuse(carrier_path, fmt::format("is {:.6g} Hz; expected a radar's carrier frequency, at most 1e12 Hz",
                                              acquisition.carrier_hz));
    if (acquisition.chirp_samples() > static_cast<double>(acquisition.samples))
        file.refuse(
            duration_path,
            fmt::format(
                "is {:.6g} s, {:.0f} samples at {:.6g} Hz; expected a chirp no longer than the line of {} samples",
                acquisition.chirp.duration_s, acquisition.chirp_samples(), sample_rate, acquisition.samples));
    if (bandwidth > sample_rate * (1 + 1e-6))
        file.refuse(slope_path,
                    fmt::format("is {:.6g} Hz/s, which in {:.6g} s (chirpDuration) sweeps {:.6g} Hz; expected no more "
                                "than the sample rate of {:.6g} Hz",
                                acquisition.chirp.slope_hz_s, acquisition.chirp.duration_s, bandwidth, sample_rate));
    if (const auto stated = file.optional_number(bandwidth_path); stated && std::abs(*stated / bandwidth - 1) > 0.1)
        file.refuse(
            bandwidth_path,
            fmt::format("is {:.6g} Hz, but chirpSlope times chirpDuration is {:.6g} Hz; expected agreement within 10 %",
                        *stated, bandwidth));
    read_replica(file, paths, acquisition, warnings);
}

}  // namespace cornerturn

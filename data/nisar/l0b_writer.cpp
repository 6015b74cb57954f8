// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/l0b_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "data/hdf5/hdf5_writer.h"
#include "data/nisar/product_parts.h"
#include "data/nisar/surface_table.h"
#include "data/nisar/valid_intervals.h"
#include "kernels/errors.h"
#include "kernels/math/phasor.h"

namespace cornerturn {
namespace {

constexpr std::int64_t chunk_target_bytes = 2 << 20;

/// What is stored for each sample of an echo.
struct Storage {
    h5::Type type;
    SampleFormat format = SampleFormat::complex64;
    std::vector<float> levels;  ///< of lut16
};

/// Levels of indices that are two's-complement integers.
std::vector<float> identity_levels() {
    std::vector<float> levels(65536);
    for (int k = 0; k < 65536; ++k) levels[static_cast<std::size_t>(k)] = static_cast<float>(k < 32768 ? k : k - 65536);
    return levels;
}

Storage storage_of(const Acquisition& acquisition, L0bSamples samples) {
    const bool integer = acquisition.format == SampleFormat::int8 || acquisition.format == SampleFormat::int16;
    const SampleFormat format =
        integer && samples == L0bSamples::interchange ? SampleFormat::lut16 : acquisition.format;
    switch (format) {
        case SampleFormat::int8: return {h5::complex_type(H5T_STD_I8LE), format, {}};
        case SampleFormat::int16: return {h5::complex_type(H5T_STD_I16LE), format, {}};
        case SampleFormat::float16: return {h5::complex_type(h5::float16_type()), format, {}};
        case SampleFormat::lut16:
            return {h5::complex_type(H5T_STD_U16LE), format, integer ? identity_levels() : acquisition.decoding.levels};
        case SampleFormat::complex64: return {h5::complex_type(H5T_IEEE_F32LE), format, {}};
        case SampleFormat::complex128: return {h5::complex_type(H5T_IEEE_F64LE), format, {}};
        case SampleFormat::float32: break;
    }
    throw std::logic_error("not a sample format of an echo");
}

/// Copies samples to the form they are stored in. Only int8 changes: sign extension makes two's-complement indices of
/// 16 bits.
void encode(SampleFormat from, SampleFormat to, std::span<const std::byte> samples, std::byte* out) {
    if (from != SampleFormat::int8 || to != SampleFormat::lut16) {
        std::copy(samples.begin(), samples.end(), out);
        return;
    }
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const auto value = static_cast<std::int16_t>(static_cast<std::int8_t>(samples[i]));
        std::memcpy(out + 2 * i, &value, sizeof value);
    }
}

void write_samples(h5::Writer& file, const std::string& path, EchoSource& echo, const Storage& storage) {
    const Acquisition& acquisition = echo.acquisition();
    const std::size_t from_bytes = static_cast<std::size_t>(acquisition.samples) * bytes_per_sample(acquisition.format);
    const std::size_t to_bytes = static_cast<std::size_t>(acquisition.samples) * bytes_per_sample(storage.format);
    const std::int64_t chunk_lines =
        std::clamp<std::int64_t>(chunk_target_bytes / static_cast<std::int64_t>(to_bytes), 1, acquisition.lines);
    const h5::Dataset data = file.chunked(path, storage.type, acquisition.lines, acquisition.samples,
                                          {.rows = chunk_lines, .columns = acquisition.samples});
    std::vector<std::byte> chunk(static_cast<std::size_t>(chunk_lines) * to_bytes),
        read(static_cast<std::size_t>(chunk_lines) * from_bytes);
    for (std::int64_t line = 0; line < acquisition.lines; line += chunk_lines) {
        const std::int64_t lines = std::min(chunk_lines, acquisition.lines - line);
        const auto as_read = std::span(read).first(static_cast<std::size_t>(lines) * from_bytes);
        echo.read(line, lines, as_read);
        encode(acquisition.format, storage.format, as_read, chunk.data());
        file.write_chunk(data, line, 0, chunk);
    }
    file.attribute(path, "units", "DN");
    file.attribute(path, "description", "Raw echo, row = pulse");
}

std::vector<std::complex<float>> waveform_of(const Acquisition& acquisition) {
    const Chirp& chirp = acquisition.chirp;
    if (!chirp.replica.empty()) return chirp.replica;
    std::vector<std::complex<float>> waveform;
    for (double t = 0; t < chirp.duration_s; t = static_cast<double>(waveform.size()) / acquisition.sample_rate_hz()) {
        const Complex64 value =
            unit_phasor<float>(0.5 * chirp.slope_hz_s * (t - 0.5 * chirp.duration_s) * (t - 0.5 * chirp.duration_s));
        waveform.emplace_back(value.re, value.im);
    }
    return waveform;
}

/// As the lines are stored: what they are still to be multiplied with.
std::vector<std::complex<float>> phase_correction_of(const Acquisition& acquisition) {
    std::vector<std::complex<float>> factors(static_cast<std::size_t>(acquisition.lines), 1.0f);
    for (std::size_t line = 0; line < acquisition.line_phase_cycles.size(); ++line) {
        const Complex64 factor = unit_phasor<float>(acquisition.line_phase_cycles[line]);
        factors[line] = {factor.re, factor.im};
    }
    return factors;
}

void write_axes(h5::Writer& file, const std::string& transmit, const Acquisition& acquisition) {
    std::vector<double> times(static_cast<std::size_t>(acquisition.lines)),
        ranges(static_cast<std::size_t>(acquisition.samples));
    std::vector<std::uint32_t> index(times.size());
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = acquisition.pulse_time_s(static_cast<double>(i));
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i] = acquisition.range_m(static_cast<double>(i));
    file.numbers(transmit + "/UTCtime", times, time_units(acquisition.epoch), "Transmit time of each pulse");
    file.numbers(transmit + "/radarTime", times, "seconds", "Same as UTCtime");
    file.numbers(transmit + "/rangeLineIndex", index, "1");
    file.numbers(transmit + "/calType", std::vector<std::uint8_t>(times.size(), 0), "",
                 "HPA=0, LNA=1, BYPASS=2, INVALID=255");
    file.numbers(transmit + "/slantRange", ranges, "meters", "Of echoes whose leading edge is the sample");
    file.number(transmit + "/slantRangeSpacing", acquisition.range_spacing_m, "meters");
    file.number(transmit + "/rangeSamplingFrequency", acquisition.sample_rate_hz(), "Hz");
    file.number(transmit + "/nominalAcquisitionPRF", acquisition.prf_hz, "Hz");
    file.number(transmit + "/centerFrequency", acquisition.carrier_hz, "Hz");
    file.number(transmit + "/chirpDuration", acquisition.chirp.duration_s, "seconds");
    file.number(transmit + "/chirpSlope", acquisition.chirp.slope_hz_s, "Hz / second", "Negative for a down-chirp");
    file.number(transmit + "/rangeBandwidth", acquisition.chirp.bandwidth_hz(), "Hz");
    file.numbers(transmit + "/chirpWaveform", waveform_of(acquisition), "1",
                 "The transmitted pulse, from its leading edge on");
    file.numbers(transmit + "/listOfTxTRMs", std::vector<std::uint8_t>{1});
    const EchoDecoding& decoding = acquisition.decoding;
    write_valid_intervals(file, transmit,
                          {.intervals = decoding.valid_samples,
                           .per_row = decoding.intervals_per_line,
                           .rows = acquisition.lines,
                           .columns = acquisition.samples},
                          "First and one past the last valid sample of each line");
}

void write_receive(h5::Writer& file, const std::string& receive, EchoSource& echo, const Storage& storage) {
    const Acquisition& acquisition = echo.acquisition();
    const std::vector<std::uint32_t> zeros(static_cast<std::size_t>(acquisition.lines), 0);
    for (const char* name : {"RD", "WD", "WL"})
        file.table(fmt::format("{}/{}", receive, name), zeros, 1, "1", "Not used: one channel");
    file.numbers(receive + "/listOfRxTRMs", std::vector<std::uint8_t>{1});
    file.numbers(receive + "/basebandPhaseCorrection", phase_correction_of(acquisition), "1",
                 "To multiply each line with");
    if (!storage.levels.empty()) file.numbers(receive + "/BFPQLUT", storage.levels, "DN", "Levels of the indices");
    if (!acquisition.decoding.line_gain.empty()) {
        std::vector<float> attenuation(acquisition.decoding.line_gain);
        for (float& value : attenuation) value = 20.0f * std::log10(value);
        file.table(receive + "/attenuation", attenuation, 1, "dB",
                   "Receiver gain control: multiply line k by 10^(attenuation[k]/20)");
    }
    write_samples(file, fmt::format("{}/{}", receive, acquisition.polarization), echo, storage);
}

/// The Doppler centroid where focused products have it.
void write_doppler_table(h5::Writer& file, const std::string& group, const DopplerSurface& surface_hz,
                         const std::string& epoch) {
    constexpr int times = 6, ranges = 33;
    const auto axis = [](double centre, double half, int count) {
        std::vector<double> values;
        for (int i = 0; i < count; ++i) values.push_back(centre + half * (2.0 * i / (count - 1) - 1));
        return values;
    };
    const std::vector<double> time_s = axis(surface_hz.x_centre, surface_hz.x_half, times),
                              range_m = axis(surface_hz.y_centre, surface_hz.y_half, ranges);
    std::vector<double> centroid_hz;
    for (const double t : time_s)
        for (const double r : range_m) centroid_hz.push_back(surface_hz(t, r));
    write_table_axes(file, group, time_s, range_m, epoch);
    file.table(group + "/dopplerCentroid", centroid_hz, ranges, "Hz",
               "Of the beam centre on the pixels; absolute, not wrapped to the PRF");
}

void write_parameters(h5::Writer& file, const std::string& product, const Acquisition& acquisition) {
    const std::string processing = product + "/metadata/processingInformation";
    file.texts(processing + "/inputs/l0aGranules", {"NONE"});
    const auto write = [&](const char* name, const std::optional<double>& value, const char* units) {
        if (value) file.number(fmt::format("{}/parameters/{}", processing, name), *value, units);
    };
    write("effectiveVelocity", acquisition.effective_velocity_m_s, "meters / second");
    write("dopplerCentroid", acquisition.doppler_centroid_hz, "Hz");
    write("azimuthBandwidth", acquisition.azimuth_bandwidth_hz, "Hz");
    if (acquisition.doppler_of_pixels_hz)
        write_doppler_table(file, fmt::format("{}/parameters/frequency{}", processing, acquisition.frequency),
                            *acquisition.doppler_of_pixels_hz, acquisition.epoch);
    write_truth(file, product + "/metadata/simulation/targets", acquisition);
    if (!acquisition.true_phase_error_rad.empty())
        file.numbers(product + l0b_true_phase_error, acquisition.true_phase_error_rad, "radians",
                     "Of each line: what it was multiplied with by mistake is exp(j phase)");
}

}  // namespace

void write_l0b(const std::string& path, const Echo& echo, L0bSamples samples) {
    const Acquisition& acquisition = echo.acquisition;
    if (echo.samples.size() != acquisition.sample_bytes())
        throw std::logic_error(fmt::format("write_l0b: {} bytes of samples for {} x {}", echo.samples.size(),
                                           acquisition.lines, acquisition.samples));
    EchoInMemory source(echo);
    write_l0b(path, source, samples);
}

void write_l0b(const std::string& path, EchoSource& echo, L0bSamples samples) {
    EchoSource* const received[] = {&echo};
    write_l0b(path, received, samples);
}

void write_l0b(const std::string& path, std::span<EchoSource* const> received, L0bSamples samples) {
    const Acquisition& acquisition = received.front()->acquisition();
    if (acquisition.lines < 1 || acquisition.samples < 1)
        throw std::logic_error(fmt::format("write_l0b: an echo of {} x {}", acquisition.lines, acquisition.samples));
    if (acquisition.chirp.compressed())
        throw InputError(
            fmt::format("{}: NISAR L0B holds the echo of pulses as they were sent, and those of this file "
                        "are compressed (CPHD); focus the file itself",
                        path));
    const Storage storage = storage_of(acquisition, samples);
    const auto matrix_bytes = static_cast<std::uint64_t>(acquisition.lines * acquisition.samples) *
                              bytes_per_sample(storage.format) * received.size();
    // Metadata: 90 bytes a line in all, and the last chunk may stick out.
    h5::Writer file(path, matrix_bytes +
                              static_cast<std::uint64_t>(2 * chunk_target_bytes + 160 * acquisition.lines +
                                                         32 * acquisition.samples) +
                              (1u << 20));

    const std::string band = "/science/" + acquisition.band, product = band + "/RRSD";
    const double last_time = acquisition.last_pulse_time_s();
    const TimeSpan span{acquisition.first_pulse_time_s, last_time};
    write_identification(file, band + "/identification", acquisition,
                         {.type = "RRSD", .level = "L0B", .first_time_s = span.first_s, .last_time_s = span.last_s});
    write_orbit(file, product + "/lowRateTelemetry/orbit", acquisition, span);
    write_attitude(file, product + "/lowRateTelemetry/attitude", acquisition, span);
    const std::string frequency = fmt::format("{}/swaths/frequency{}", product, acquisition.frequency);
    const std::string transmit = fmt::format("{}/tx{}", frequency, acquisition.polarization.at(0));
    file.texts(frequency + "/listOfTxPolarizations", {acquisition.polarization.substr(0, 1)});
    write_axes(file, transmit, acquisition);
    for (EchoSource* echo : received)
        write_receive(file, fmt::format("{}/rx{}", transmit, echo->acquisition().polarization.at(1)), *echo, storage);
    write_parameters(file, product, acquisition);
    file.commit();
}

}  // namespace cornerturn

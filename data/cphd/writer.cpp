// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/writer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "data/cphd/document.h"
#include "data/cphd/reader.h"
#include "data/cphd/record_layout.h"
#include "data/files/placed_file.h"
#include "data/files/temporary_folder.h"
#include "data/files/unfinished.h"
#include "kernels/host/line_loop.h"
#include "kernels/host/thread_limit.h"
#include "kernels/interrupt.h"

namespace cornerturn::cphd {
namespace {

constexpr std::size_t pulses_at_a_time = 256;

/// The most significant byte first.
template <class Bits>
std::byte* put_bits(Bits bits, std::byte* to) {
    for (int shift = 8 * (static_cast<int>(sizeof bits) - 1); shift >= 0; shift -= 8)
        *to++ = static_cast<std::byte>(bits >> shift & 0xff);
    return to;
}

/// The record of a pulse, in the order of own_fields.
class Record {
public:
    void put(double value) { end_ = put_bits(std::bit_cast<std::uint64_t>(value), end_); }
    void put(const Vec3& value) {
        for (const double component : value) put(component);
    }
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::array<std::byte, static_cast<std::size_t>(own_record_bytes())> bytes_{};
    std::byte* end_ = bytes_.data();
};

Record record_of(const SpotlightPulses& echo, const SpotlightPulse& pulse, double start_s, double gain) {
    Record record;
    record.put(pulse.sent_s - start_s), record.put(pulse.sender.position_m), record.put(pulse.sender.velocity_m_s);
    record.put(pulse.received_s - start_s), record.put(pulse.receiver.position_m);
    record.put(pulse.receiver.velocity_m_s), record.put(pulse.reference_m);
    record.put(gain);
    for (int i = 0; i < 3; ++i) record.put(0.0);  // aFDOP, aFRR1, aFRR2: what they are about is not in the samples
    record.put(echo.first_hz());
    record.put(echo.first_hz() + static_cast<double>(echo.samples() - 1) * echo.step_hz());
    record.put(-0.5 * echo.window_s()), record.put(0.5 * echo.window_s());
    record.put(0.0);  // TDTropoSRP: there is no air
    record.put(echo.first_hz()), record.put(echo.step_hz());
    return record;
}

SampleType type_of(SampleFormat format) {
    return format == SampleFormat::int8    ? SampleType::ci2
           : format == SampleFormat::int16 ? SampleType::ci4
                                           : SampleType::cf8;
}

/// What a count stands for; of floats 1.
double gain_of(const SpotlightPulses& echo, SampleType type) {
    if (type == SampleType::cf8 || echo.largest_part() == 0) return 1;
    return echo.largest_part() / (type == SampleType::ci2 ? 127 : 32767);
}

template <class Integer>
std::byte* put_count(double value, std::byte* to) {
    constexpr double most = std::numeric_limits<Integer>::max();
    return put_bits(static_cast<std::make_unsigned_t<Integer>>(
                        static_cast<Integer>(std::clamp(std::nearbyint(value), -most, most))),
                    to);
}

std::byte* put_part(SampleType type, double value, std::byte* to) {
    switch (type) {
        case SampleType::ci2: return put_count<std::int8_t>(value, to);
        case SampleType::ci4: return put_count<std::int16_t>(value, to);
        case SampleType::cf8: break;
    }
    return put_bits(std::bit_cast<std::uint32_t>(static_cast<float>(value)), to);
}

/// The vectors of some pulses of a channel.
std::vector<std::byte> vectors_of(const SpotlightPulses& echo, std::size_t polarization, std::size_t first,
                                  std::size_t count, SampleType type, double gain, int threads) {
    const auto samples = static_cast<std::size_t>(echo.samples());
    const std::size_t vector_bytes = samples * bytes_of(type);
    std::vector<std::byte> bytes(count * vector_bytes);
    for_each_line(static_cast<std::int64_t>(count), threads, [&](std::int64_t pulse) {
        std::vector<Complex128> spectrum(samples);
        echo.spectrum(first + static_cast<std::size_t>(pulse), polarization, spectrum);
        std::byte* to = bytes.data() + static_cast<std::size_t>(pulse) * vector_bytes;
        for (const Complex128& value : spectrum)
            to = put_part(type, value.im / gain, put_part(type, value.re / gain, to));
    });
    return bytes;
}

}  // namespace
}  // namespace cornerturn::cphd

namespace cornerturn {

void write_cphd(const std::string& path, const SpotlightPulses& echo, const Progress& progress, int threads) {
    using namespace cphd;
    const SampleType type = type_of(echo.scene().sample_type);
    const double gain = gain_of(echo, type), start_s = collection_start(echo.scene()).since_epoch_s;
    const std::size_t pulses = echo.pulses().size(), channels = echo.scene().polarizations.size();
    const std::uint64_t vector_bytes = static_cast<std::uint64_t>(echo.samples()) * bytes_of(type);
    const std::string xml = document(echo, type);
    const FileHeader header =
        own_header(xml.size(), channels * pulses * own_record_bytes(), channels * pulses * vector_bytes);
    PlacedFile file(path, header.signal.first + header.signal.bytes);
    const auto put_text = [&](std::uint64_t first, const std::string& text) {
        file.write(first, std::as_bytes(std::span(text)));
    };
    put_text(0, text_of(header));
    put_text(header.xml.first, xml + "\f\n");
    std::vector<std::byte> records;
    for (std::size_t channel = 0; channel < channels; ++channel)
        for (const SpotlightPulse& pulse : echo.pulses()) {
            const Record record = record_of(echo, pulse, start_s, gain);
            records.insert(records.end(), record.bytes().begin(), record.bytes().end());
        }
    file.write(header.pulses.first, records);
    const int used = thread_count(threads);
    for (std::size_t at = 0; at < channels * pulses;) {
        throw_if_interrupted();
        if (progress) progress("simulate", static_cast<double>(at) / static_cast<double>(channels * pulses));
        const std::size_t first = at % pulses, count = std::min(pulses_at_a_time, pulses - first);
        file.write(header.signal.first + at * vector_bytes,
                   vectors_of(echo, at / pulses, first, count, type, gain, used));
        at += count;
    }
    if (progress) progress("simulate", 1);
    file.commit();
}

std::unique_ptr<EchoSource> simulated_cphd(const Scene& scene, const FrameSelection& selection,
                                           std::vector<std::string>& warnings, const Progress& progress) {
    const TemporaryFolder folder("simulated", "a simulated echo");
    const std::string path = folder.path() + "/simulated.cphd";
    remember_unfinished(path);
    write_cphd(path, SpotlightPulses(scene), progress, selection.threads);
    return open_cphd(path, selection, warnings);
}

}  // namespace cornerturn

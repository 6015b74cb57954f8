// SPDX-License-Identifier: Apache-2.0
#include "data/ceos/palsar_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/ceos/record.h"
#include "data/files/refusal.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/fits/line_fit.h"

namespace cornerturn {
namespace {

using ceos::Kind;
using ceos::Record;

/// Milliseconds of the day, refined by the microseconds since the last full second: twenty bits of three bytes, which
/// writers put at either end of them. Nothing where they do not fit.
std::optional<double> refined_s(double coarse_s, std::uint64_t bytes) {
    constexpr double most_apart_s = 1.5e-3;
    for (const std::uint64_t count : {bytes & 0xfffff, bytes >> 4}) {
        const double fine_s = 1e-6 * static_cast<double>(count), second = std::round(coarse_s - fine_s);
        if (count > 0 && std::fabs(second + fine_s - coarse_s) < most_apart_s) return second + fine_s;
    }
    return std::nullopt;
}

PalsarLineHead line_head(const Record& record, const std::string& file) {
    if (!record.is(Kind::signal_data))
        refuse(file,
               fmt::format("a record of kind {:08x}, expected a line of raw echo; is this level 1.0?", record.kind()));
    const auto year = static_cast<int>(record.unsigned_at(37, 4)),
               of_year = static_cast<int>(record.unsigned_at(41, 4));
    if (year < 1978 || year > 2100 || of_year < 1 || of_year > 366)
        refuse(record.where(37, 8), fmt::format("day {} of {}, expected a date", of_year, year));
    PalsarLineHead head;
    head.day = std::chrono::sys_days(std::chrono::year(year) / 1 / 1) + std::chrono::days(of_year - 1);
    const double coarse_s = 1e-3 * static_cast<double>(record.unsigned_at(45, 4));
    const std::optional<double> fine_s = refined_s(coarse_s, record.unsigned_at(297, 3));
    head.time_s = fine_s.value_or(coarse_s);
    head.coarse = !fine_s;
    head.prf_hz = 1e-3 * static_cast<double>(record.unsigned_at(57, 4));
    head.near_m = static_cast<double>(record.unsigned_at(117, 4));
    if (!(head.prf_hz > 0)) refuse(record.where(57, 4), "a PRF of 0, expected one in mHz");
    if (!(head.near_m > 0)) refuse(record.where(117, 4), "a slant range of 0, expected that of the first sample in m");
    return head;
}

std::vector<PalsarLineHead> heads_of(const BinaryFile& file, std::int64_t& samples) {
    const Record descriptor(file, 0);
    if (!descriptor.is(Kind::image_descriptor)) refuse(file.name(), "is no image file of CEOS");
    const std::int64_t count = descriptor.integer(181, 6, "number of lines"),
                       prefix = descriptor.integer(277, 4, "bytes before the samples of a line");
    samples = descriptor.integer(249, 8, "samples of a line");
    const std::int64_t bits = descriptor.integer(217, 4, "bits of a number");
    if (bits != 8)
        refuse(descriptor.where(217, 4),
               fmt::format("{} bits a number, expected 8 of raw echo (level 1.0); is this an image (level 1.1, 1.5)?",
                           bits));
    if (samples < 1 || prefix < 412)
        refuse(descriptor.where(249, 32),
               fmt::format("{} samples behind {} bytes, expected one at least behind 412", samples, prefix));
    std::vector<PalsarLineHead> heads;
    std::uint64_t at = descriptor.end();
    while (at < file.bytes() && std::ssize(heads) < count) {
        if (heads.size() % 1024 == 0) throw_if_interrupted();
        const Record record(file, at, 412);
        const auto wanted = static_cast<std::uint64_t>(prefix + 2 * samples);
        if (record.length() < wanted)
            refuse(file.name(), fmt::format("the line at byte {} has {} bytes, {} samples want {}", at, record.length(),
                                            samples, wanted));
        heads.push_back(line_head(record, file.name()));
        heads.back().samples_at = at + static_cast<std::uint64_t>(prefix);
        at = record.end();
    }
    if (heads.size() < 2) refuse(file.name(), fmt::format("holds {} lines, expected two at least", heads.size()));
    return heads;
}

/// Where pulses of H and V alternate (PLR), heads may tell the PRF of both, and lines are of every second one.
double pulses_a_line(const std::vector<double>& times_s, double prf_hz) {
    constexpr double most = 4, tolerance = 0.01;
    constexpr std::size_t enough = 16;
    if (times_s.size() < enough) return 1;
    std::vector<double> apart;
    for (std::size_t i = 1; i < times_s.size(); ++i) apart.push_back((times_s[i] - times_s[i - 1]) * prf_hz);
    const double usual = median_of(std::move(apart)), whole = std::round(usual);
    return whole >= 2 && whole <= most && std::fabs(usual - whole) < tolerance ? whole : 1;
}

/// Numbers lines by their times, in steps of the PRF.
class LineCount {
public:
    LineCount(double first_s, double prf_hz, bool coarse) : first_s_(first_s), prf_hz_(prf_hz), coarse_(coarse) {}
    /// Times in milliseconds tell where lines are missing, but not which one of the next few each is.
    std::int64_t of(double time_s, std::int64_t before) const {
        constexpr double cut_s = 1.1e-3;
        const double steps = (time_s - first_s_) * prf_hz_, next = static_cast<double>(before + 1);
        return coarse_ && std::fabs(steps - next) < cut_s * prf_hz_ ? before + 1 : std::llround(steps);
    }

private:
    double first_s_, prf_hz_;
    bool coarse_;
};

}  // namespace

PalsarLines palsar_lines_of(const BinaryFile& file, double sample_spacing_m, std::vector<std::string>& warnings) {
    PalsarLines lines;
    const std::vector<PalsarLineHead> all = heads_of(file, lines.samples);
    lines.prf_hz = all.front().prf_hz;
    lines.near_m = all.front().near_m;
    for (const PalsarLineHead& head : all) {
        if (head.prf_hz != lines.prf_hz)
            refuse(file.name(),
                   fmt::format("the PRF changes from {:.3f} to {:.3f} Hz within the scene; lines of one PRF are wanted",
                               lines.prf_hz, head.prf_hz));
        lines.near_m = std::min(lines.near_m, head.near_m);
    }
    const auto sent_s = [&](const PalsarLineHead& head) {
        const double days_s = 86400.0 * static_cast<double>((head.day - all.front().day).count());
        return days_s + head.time_s - 2 * head.near_m / speed_of_light_m_s;
    };
    std::vector<double> times_s;
    for (const PalsarLineHead& head : all) times_s.push_back(sent_s(head));
    const bool coarse =
        2 * std::count_if(all.begin(), all.end(), [](const PalsarLineHead& head) { return head.coarse; }) >
        std::ssize(all);
    if (!coarse) lines.prf_hz /= pulses_a_line(times_s, lines.prf_hz);
    const LineCount count(times_s.front(), lines.prf_hz, coarse);
    std::int64_t repeated = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::int64_t number = lines.number.empty() ? 0 : count.of(times_s[i], lines.number.back());
        if (!lines.number.empty() && number <= lines.number.back()) {
            ++repeated;
            continue;
        }
        lines.number.push_back(number);
        lines.shift.push_back(std::llround((all[i].near_m - lines.near_m) / sample_spacing_m));
        lines.heads.push_back(all[i]);
        lines.heads.back().time_s = times_s[i];
    }
    constexpr std::int64_t most_steps = std::int64_t{1} << 24, most_samples = std::int64_t{1} << 16;
    if (lines.number.back() >= most_steps)
        refuse(file.name(), fmt::format("its lines are spread over {} intervals of the PRF, at most {} are taken",
                                        lines.number.back() + 1, most_steps));
    if (const auto farthest = *std::max_element(lines.shift.begin(), lines.shift.end()); farthest > most_samples)
        refuse(file.name(),
               fmt::format("near ranges differ by {} samples, at most {} are taken", farthest, most_samples));
    if (lines.heads.size() < 2) refuse(file.name(), "all lines have the same time");
    if (const std::int64_t missing = lines.number.back() + 1 - std::ssize(lines.number); missing > 0)
        warnings.push_back(
            fmt::format("{}: {} of {} lines are missing", file.name(), missing, lines.number.back() + 1));
    if (repeated > 0)
        warnings.push_back(fmt::format("{}: {} lines that repeat a time are left out", file.name(), repeated));
    return lines;
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/epoch.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>

namespace cornerturn {
namespace {

/// The number in text[at, at + digits), nothing but digits.
std::optional<int> digits_at(std::string_view text, std::size_t at, std::size_t digits) {
    if (text.size() < at + digits) return std::nullopt;
    int value = 0;
    for (const char c : text.substr(at, digits)) {
        if (c < '0' || c > '9') return std::nullopt;
        value = 10 * value + (c - '0');
    }
    return value;
}

/// `.123` and then an optional `Z`; none if anything else follows.
std::optional<double> parse_fraction(std::string_view rest) {
    if (!rest.empty() && rest.back() == 'Z') rest.remove_suffix(1);
    if (rest.empty()) return 0.0;
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, std::chars_format::fixed);
    if (rest.front() != '.' || error != std::errc() || end != rest.data() + rest.size()) return std::nullopt;
    return value;
}

std::string format_seconds(std::int64_t seconds) {
    using namespace std::chrono;
    const sys_seconds time{std::chrono::seconds(seconds)};
    const auto day = floor<days>(time);
    const year_month_day date(day);
    const hh_mm_ss clock(time - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                       clock.minutes().count(), clock.seconds().count());
}

}  // namespace

Epoch Epoch::plus(double elapsed_s) const {
    const double whole = std::floor(elapsed_s);
    Epoch sum{seconds + static_cast<std::int64_t>(whole), fraction + (elapsed_s - whole)};
    if (sum.fraction >= 1.0) {
        sum.fraction -= 1.0;
        ++sum.seconds;
    }
    return sum;
}

std::string Epoch::text() const { return format_seconds(seconds); }

std::string Epoch::compact_text() const {
    std::string compact = text();
    std::erase_if(compact, [](char letter) { return letter == '-' || letter == ':'; });
    return compact;
}

std::string Epoch::text_nanoseconds() const {
    const auto nanoseconds = static_cast<std::int64_t>(std::llround(fraction * 1e9));
    constexpr std::int64_t second = 1'000'000'000;
    return fmt::format("{}.{:09}", format_seconds(seconds + nanoseconds / second), nanoseconds % second);
}

std::optional<Epoch> parse_epoch(std::string_view text) {
    using namespace std::chrono;
    const auto year_number = digits_at(text, 0, 4), month_number = digits_at(text, 5, 2),
               day_number = digits_at(text, 8, 2);
    const auto hour = digits_at(text, 11, 2), minute = digits_at(text, 14, 2), second = digits_at(text, 17, 2);
    if (!year_number || !month_number || !day_number || !hour || !minute || !second) return std::nullopt;
    if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') || text[13] != ':' || text[16] != ':')
        return std::nullopt;
    const year_month_day date{year(*year_number), month(static_cast<unsigned>(*month_number)),
                              day(static_cast<unsigned>(*day_number))};
    const auto fraction = parse_fraction(text.substr(19));
    if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60 || !fraction) return std::nullopt;
    return Epoch{
        duration_cast<seconds>(sys_days(date).time_since_epoch()).count() + 3600LL * *hour + 60LL * *minute + *second,
        *fraction};
}

std::optional<Epoch> parse_time_units(std::string_view units) {
    constexpr std::string_view prefix = "seconds since ";
    if (!units.starts_with(prefix)) return std::nullopt;
    return parse_epoch(units.substr(prefix.size()));
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Reference times.
#include "data/nisar/epoch.h"

#include <gtest/gtest.h>

namespace cornerturn {
namespace {

TEST(Epoch, CountsSecondsAcrossDaysAndLeapYears) {
    const auto before = parse_epoch("2024-02-28T23:59:59").value(), after = parse_epoch("2024-03-01T00:00:01").value();
    EXPECT_EQ(after.seconds_since(before), 86402.0);  // 2024 has a 29th of February
    EXPECT_EQ(parse_epoch("1970-01-01T00:00:00")->seconds, 0);
    EXPECT_EQ(parse_epoch("2021-07-01T00:00:00")->seconds, 1625097600);  // date -u -d 2021-07-01 +%s
}

TEST(Epoch, ReadsItsVariants) {
    EXPECT_EQ(parse_epoch("2021-07-01 12:34:56")->text(), "2021-07-01T12:34:56");
    EXPECT_EQ(parse_epoch("2021-07-01T12:34:56Z")->text(), "2021-07-01T12:34:56");
    const auto fraction = parse_epoch("2021-07-01T12:34:56.250000000").value();
    EXPECT_EQ(fraction.fraction, 0.25);
    EXPECT_EQ(fraction.text_nanoseconds(), "2021-07-01T12:34:56.250000000");
    EXPECT_EQ(parse_time_units("seconds since 2021-07-01T00:00:00")->seconds, 1625097600);
}

TEST(Epoch, RefusesWhatIsNone) {
    for (const char* text :
         {"", "yesterday", "2021-07-01", "2021-13-01T00:00:00", "2021-02-29T00:00:00", "2021-07-01T25:00:00",
          "2021-07-01T00:00:00+02:00", "2021-07-01T00:00:00.", "2021-07-01T00:00:00.5x", "2021/07/01T00:00:00"})
        EXPECT_FALSE(parse_epoch(text)) << text;
    EXPECT_FALSE(parse_time_units("days since 2021-07-01T00:00:00"));
}

TEST(Epoch, AddsTimesAndRoundsToNanoseconds) {
    const auto epoch = parse_epoch("2021-12-31T23:59:59").value();
    EXPECT_EQ(epoch.plus(0.002972797).text_nanoseconds(), "2021-12-31T23:59:59.002972797");
    EXPECT_EQ(epoch.plus(1.0).text_nanoseconds(), "2022-01-01T00:00:00.000000000");
    EXPECT_EQ(epoch.plus(-0.25).text_nanoseconds(), "2021-12-31T23:59:58.750000000");
    EXPECT_EQ(epoch.plus(0.9999999999).text_nanoseconds(), "2022-01-01T00:00:00.000000000");
    EXPECT_EQ((Epoch{.seconds = 5, .fraction = 0.75}).plus(0.5).text(), "1970-01-01T00:00:06");
}

}  // namespace
}  // namespace cornerturn

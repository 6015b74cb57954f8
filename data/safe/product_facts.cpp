// SPDX-License-Identifier: Apache-2.0
#include "data/safe/product_facts.h"

#include <algorithm>
#include <cmath>

#include "kernels/host/letter_case.h"

namespace cornerturn::safe {

std::string utc(const Epoch& epoch, double later_s) {
    constexpr double half_microsecond_s = 5e-7;
    constexpr std::size_t to_microseconds = 26;
    return epoch.plus(later_s).plus(half_microsecond_s).text_nanoseconds().substr(0, to_microseconds);
}

std::string utc_second(const Epoch& epoch, double later_s) {
    std::string text = epoch.plus(later_s).text();
    std::erase_if(text, [](char letter) { return letter == '-' || letter == ':'; });
    return text;
}

std::string file_name(const ProductFacts& facts, const BurstStack& stack, int number) {
    return lower(fmt::format(
        "{}-{}-slc-{}-{}-{}-{:06}-{:06x}-{:03}", facts.satellite(), stack.swath().swath,
        stack.acquisition().polarization, utc_second(facts.epoch, stack.time_s(stack.bursts.front(), 0)),
        utc_second(facts.epoch, stack.last_time_s()), facts.flight.absolute_orbit, facts.flight.data_take, number));
}

void write_header(const NewElement& root, const ProductFacts& facts, const BurstStack& stack, int number) {
    const NewElement header = root.in("adsHeader");
    header.text("missionId", facts.satellite());
    header.text("productType", "SLC");
    header.text("polarisation", stack.acquisition().polarization);
    header.text("mode", mode_of(stack));
    header.text("swath", stack.swath().swath);
    header.text("startTime", utc(facts.epoch, stack.time_s(stack.bursts.front(), 0)));
    header.text("stopTime", utc(facts.epoch, stack.last_time_s()));
    header.count("absoluteOrbitNumber", facts.flight.absolute_orbit);
    header.count("missionDataTakeId", facts.flight.data_take);
    header.text("imageNumber", fmt::format("{:03}", number));
}

}  // namespace cornerturn::safe

// SPDX-License-Identifier: Apache-2.0
#include "data/safe/product_facts.h"

#include "kernels/host/letter_case.h"

namespace cornerturn::safe {

std::string utc(const Epoch& epoch, double later_s) {
    constexpr double half_microsecond_s = 5e-7;
    constexpr std::size_t to_microseconds = 26;
    return epoch.plus(later_s).plus(half_microsecond_s).text_nanoseconds().substr(0, to_microseconds);
}

std::string file_name(const ProductFacts& facts, const BurstStack& stack, int number) {
    return lower(fmt::format("{}-{}-slc-{}-{}-{}-{:06}-{:06x}-{:03}", facts.satellite(), stack.swath().swath,
                             stack.acquisition().polarization, facts.epoch.plus(stack.first_time_s()).compact_text(),
                             facts.epoch.plus(stack.last_time_s()).compact_text(), facts.flight.absolute_orbit,
                             facts.flight.data_take, number));
}

void write_header(const NewElement& root, const ProductFacts& facts, const BurstStack& stack, int number) {
    const NewElement header = root.in("adsHeader");
    header.text("missionId", facts.satellite());
    header.text("productType", "SLC");
    header.text("polarisation", stack.acquisition().polarization);
    header.text("mode", mode_of(stack));
    header.text("swath", stack.swath().swath);
    header.text("startTime", utc(facts.epoch, stack.first_time_s()));
    header.text("stopTime", utc(facts.epoch, stack.last_time_s()));
    header.count("absoluteOrbitNumber", facts.flight.absolute_orbit);
    header.count("missionDataTakeId", facts.flight.data_take);
    header.text("imageNumber", fmt::format("{:03}", number));
}

}  // namespace cornerturn::safe

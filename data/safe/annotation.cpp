// SPDX-License-Identifier: Apache-2.0
#include "data/safe/annotation.h"

namespace cornerturn::safe {
namespace {

/// One for each burst, in its middle.
void write_centroids(const NewElement& product, const ProductFacts& facts, const BurstStack& stack,
                     const std::vector<AzimuthCarrier>& carriers) {
    const NewElement list = product.in("dopplerCentroid").in("dcEstimateList").with("count", std::ssize(stack.bursts));
    for (std::size_t i = 0; i < stack.bursts.size(); ++i) {
        const StackedBurst& burst = stack.bursts[i];
        const AzimuthCarrier& carrier = carriers[i];
        const NewElement estimate = list.in("dcEstimate");
        estimate.text("azimuthTime", utc(facts.epoch, stack.middle_time_s(burst)));
        estimate.number("t0", carrier.centroid_hz.origin_s);
        const auto& powers = carrier.centroid_hz.powers;
        for (const char* name : {"geometryDcPolynomial", "dataDcPolynomial"}) array(estimate, name, powers, scientific);
        estimate.number("dataDcRmsError", carrier.rms_hz);
        estimate.text("dataDcRmsErrorAboveThreshold", "false");
        estimate.text("fineDceAzimuthStartTime", utc(facts.epoch, stack.time_s(burst, 0)));
        estimate.text("fineDceAzimuthStopTime",
                      utc(facts.epoch, stack.time_s(burst, static_cast<double>(stack.lines - 1))));
    }
}

void write_valid_samples(const NewElement& to, const BurstStack& stack, const StackedBurst& burst) {
    std::vector<std::int64_t> first, last;
    for (std::int64_t line = 0; line < stack.lines; ++line) {
        const Interval valid = stack.valid(burst, line);
        first.push_back(valid.last > 0 ? valid.first : -1);
        last.push_back(valid.last > 0 ? valid.last - 1 : -1);
    }
    array(to, "firstValidSample", first);
    array(to, "lastValidSample", last);
}

void write_bursts(const NewElement& product, const ProductFacts& facts, const BurstStack& stack,
                  const ByteOffsets& offsets) {
    const NewElement timing = product.in("swathTiming");
    timing.count("linesPerBurst", stack.lines);
    timing.count("samplesPerBurst", stack.samples);
    const NewElement list = timing.in("burstList").with("count", std::ssize(stack.bursts));
    for (std::size_t i = 0; i < stack.bursts.size(); ++i) {
        const StackedBurst& burst = stack.bursts[i];
        const Acquisition& acquisition = burst.header.acquisition;
        const NewElement to = list.in("burst");
        to.text("azimuthTime", utc(facts.epoch, stack.time_s(burst, 0)));
        to.number("azimuthAnxTime", stack.time_s(burst, 0) - facts.node_s);
        to.text("sensingTime", utc(facts.epoch, acquisition.first_pulse_time_s));
        to.count("byteOffset", static_cast<std::int64_t>(offsets[i]));
        write_valid_samples(to, stack, burst);
        const double middle_s = acquisition.burst->broadside_time_s - facts.node_s;
        const auto number_from = [&](std::uint32_t orbit) {
            return sentinel1::burst_number(orbit, middle_s, acquisition.burst->swath);
        };
        to.in("burstId")
            .with("absolute", number_from(facts.flight.absolute_orbit))
            .set_text(fmt::format("{}", number_from(facts.flight.relative_orbit())));
    }
}

}  // namespace

pugi::xml_document annotation(const ProductFacts& facts, const BurstStack& stack, int number,
                              const ByteOffsets& offsets, double step) {
    std::vector<AzimuthCarrier> carriers;
    for (const StackedBurst& burst : stack.bursts) carriers.push_back(azimuth_carrier(stack, burst));
    pugi::xml_document document;
    const NewElement product(document.append_child("product"));
    write_header(product, facts, stack, number);
    write_general(product, facts, stack, carriers);
    write_image(product, facts, stack, step);
    write_centroids(product, facts, stack, carriers);
    write_antenna_pattern(product, facts, stack);
    write_bursts(product, facts, stack, offsets);
    write_places(product, facts, stack);
    const NewElement conversion = product.in("coordinateConversion");
    conversion.in("coordinateConversionList").with("count", std::int64_t{0});
    product.in("swathMerging").in("swathMergeList").with("count", std::int64_t{0});
    return document;
}

}  // namespace cornerturn::safe

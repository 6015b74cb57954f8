// SPDX-License-Identifier: Apache-2.0
// Of an annotation, what is told of the flight and the recording.
#include <cmath>

#include "data/safe/annotation.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn::safe {
namespace {

constexpr double orbit_margin_s = 65;  // before the first line and behind the last one

void write_product_information(const NewElement& general, const BurstStack& stack) {
    const Acquisition& acquisition = stack.acquisition();
    const double middle_s = 0.5 * (stack.first_time_s() + stack.last_time_s());
    double heading = heading_deg(interpolate(*acquisition.orbit, middle_s));
    if (heading > 180) heading -= 360;
    const NewElement information = general.in("productInformation");
    information.text("pass", acquisition.identification.pass_direction == "descending" ? "Descending" : "Ascending");
    information.number("platformHeading", heading);
    information.text("projection", "Slant Range");
    information.number("rangeSamplingRate", acquisition.sample_rate_hz());
    information.number("radarFrequency", acquisition.carrier_hz);
    information.number("azimuthSteeringRate", stack.swath().steering_rad_s / degree);
}

void write_downlink(const NewElement& general, const ProductFacts& facts, const BurstStack& stack) {
    const Acquisition& first = stack.acquisition();
    const Acquisition& last = stack.bursts.back().header.acquisition;
    const NewElement information =
        general.in("downlinkInformationList").with("count", std::int64_t{1}).in("downlinkInformation");
    information.text("swath", stack.swath().swath);
    information.text("azimuthTime", utc(facts.epoch, stack.first_time_s()));
    information.text("firstLineSensingTime", utc(facts.epoch, first.first_pulse_time_s));
    information.text("lastLineSensingTime", utc(facts.epoch, last.last_pulse_time_s()));
    information.number("prf", first.prf_hz);
    const NewElement values = information.in("downlinkValues");
    values.number("pri", 1 / first.prf_hz);
    // Intervals between pulses that pass until the first echo of one is sampled.
    values.count("rank",
                 static_cast<std::int64_t>(std::floor(2 * first.near_range_m / speed_of_light_m_s * first.prf_hz)));
    values.count("instrumentConfigId", facts.instrument_configuration);
    values.in("rangeDecimation").number("samplingFrequencyAfterDecimation", first.sample_rate_hz());
    values.number("txPulseLength", first.chirp.duration_s);
    values.number("txPulseRampRate", first.chirp.slope_hz_s);
}

void write_coordinates(const NewElement& to, const char* name, const Vec3& vector) {
    const NewElement coordinates = to.in(name);
    coordinates.number("x", vector[0]);
    coordinates.number("y", vector[1]);
    coordinates.number("z", vector[2]);
}

void write_orbit(const NewElement& general, const ProductFacts& facts, const BurstStack& stack) {
    const double first_s = stack.first_time_s() - orbit_margin_s, last_s = stack.last_time_s() + orbit_margin_s;
    const NewElement list = general.in("orbitList");
    std::int64_t count = 0;
    double before_s = -INFINITY;
    for (const StackedBurst& burst : stack.bursts) {
        const Orbit& orbit = *burst.header.acquisition.orbit;
        for (std::size_t i = 0; i < orbit.time_s.size(); ++i) {
            constexpr double other_s = 1e-3;
            const double time_s = orbit.time_s[i];
            if (time_s < first_s || time_s > last_s || time_s < before_s + other_s) continue;
            const NewElement vector = list.in("orbit");
            vector.text("time", utc(facts.epoch, time_s));
            vector.text("frame", "Earth Fixed");
            write_coordinates(vector, "position", orbit.position_m[i]);
            write_coordinates(vector, "velocity", orbit.velocity_m_s[i]);
            before_s = time_s;
            ++count;
        }
    }
    list.with("count", count);
}

void write_fm_rates(const NewElement& general, const ProductFacts& facts, const BurstStack& stack,
                    const std::vector<AzimuthCarrier>& carriers) {
    const NewElement list = general.in("azimuthFmRateList").with("count", std::ssize(stack.bursts));
    for (std::size_t i = 0; i < carriers.size(); ++i) {
        const RangePolynomial& rate = carriers[i].fm_rate_hz_s;
        const NewElement to = list.in("azimuthFmRate");
        to.text("azimuthTime", utc(facts.epoch, stack.middle_time_s(stack.bursts[i])));
        to.number("t0", rate.origin_s);
        array(to, "azimuthFmRatePolynomial", rate.powers, scientific);
    }
}

}  // namespace

void write_general(const NewElement& product, const ProductFacts& facts, const BurstStack& stack,
                   const std::vector<AzimuthCarrier>& carriers) {
    const NewElement general = product.in("generalAnnotation");
    write_product_information(general, stack);
    write_downlink(general, facts, stack);
    write_orbit(general, facts, stack);
    general.in("attitudeList").with("count", std::int64_t{0});
    const NewElement heights = general.in("terrainHeightList").with("count", std::ssize(stack.bursts));
    for (const StackedBurst& burst : stack.bursts) {
        const NewElement height = heights.in("terrainHeight");
        height.text("azimuthTime", utc(facts.epoch, stack.middle_time_s(burst)));
        height.number("value", burst.header.processing.scene_height_m);
    }
    write_fm_rates(general, facts, stack, carriers);
}

}  // namespace cornerturn::safe

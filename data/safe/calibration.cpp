// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "data/safe/annotation.h"
#include "data/safe/ground_grid.h"
#include "pipeline/acquisition/degree.h"

namespace cornerturn::safe {

pugi::xml_document calibration(const ProductFacts& facts, const BurstStack& stack, int number, double step) {
    constexpr std::int64_t samples_between = 40;
    pugi::xml_document document;
    const NewElement root(document.append_child("calibration"));
    write_header(root, facts, stack, number);
    root.in("calibrationInformation").number("absoluteCalibrationConstant", 1);
    const NewElement list = root.in("calibrationVectorList").with("count", std::ssize(stack.bursts));
    const std::vector<std::int64_t> samples = samples_along(stack, 1 + stack.samples / samples_between);
    for (std::size_t i = 0; i < stack.bursts.size(); ++i) {
        const StackedBurst& burst = stack.bursts[i];
        // A sample's power is (number / A)^2.
        std::vector<double> sigma, beta, gamma;
        for (const std::int64_t sample : samples) {
            const double incidence_rad = view_of(stack, burst, stack.lines / 2, sample).incidence_deg * degree;
            beta.push_back(1 / step);
            sigma.push_back(1 / (step * std::sqrt(std::sin(incidence_rad))));
            gamma.push_back(1 / (step * std::sqrt(std::tan(incidence_rad))));
        }
        const NewElement vector = list.in("calibrationVector");
        vector.text("azimuthTime", utc(facts.epoch, stack.middle_time_s(burst)));
        vector.count("line", static_cast<std::int64_t>(i) * stack.lines + stack.lines / 2);
        array(vector, "pixel", samples);
        array(vector, "sigmaNought", sigma, "{:.9e}");
        array(vector, "betaNought", beta, "{:.9e}");
        array(vector, "gamma", gamma, "{:.9e}");
        array(vector, "dn", beta, "{:.9e}");
    }
    return document;
}

}  // namespace cornerturn::safe

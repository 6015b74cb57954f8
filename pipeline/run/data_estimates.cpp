// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/data_estimates.h"

#include <utility>

#include "pipeline/estimate/data_parameters.h"
#include "pipeline/plan/view_choice.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

Imager imager(std::shared_ptr<Device> device, int threads) {
    return {.image_of =
                [device = std::move(device)](const Echo& echo, const FocusOptions& options) {
                    FocusResult made = focus(*device, echo, without_timeline(options));
                    return SmallImage{std::move(made.image), std::move(made.report.setup)};
                },
            .threads = threads};
}

Imager imager(Device& device, int threads) {
    return imager(std::shared_ptr<Device>(std::shared_ptr<Device>(), &device), threads);
}

FocusOptions with_estimates(EchoSource& first, FocusOptions options, const Imager& imager) {
    if (first.acquisition().sums_all_pulses()) return options;  // all pulses count: nothing is chosen
    const DopplerChoice doppler = doppler_by(first.acquisition(), options, options.height_m, [&] {
        if (!options.estimates.doppler)
            options.estimates.doppler = settled_doppler(first, options.velocity_m_s, imager);
        return *options.estimates.doppler;
    });
    const bool asks_velocity = !options.velocity_m_s && options.velocity_from == ParameterSource::data;
    if (asks_velocity && !options.estimates.velocity)
        options.estimates.velocity = estimate_velocity(first, doppler.surface_hz, imager);
    return options;
}

}  // namespace cornerturn

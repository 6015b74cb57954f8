// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/data_estimates.h"

#include <memory>

#include "kernels/device/device.h"
#include "pipeline/estimate/data_parameters.h"
#include "pipeline/plan/view_choice.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

Imager imager(int threads) {
    const auto device = std::make_shared<std::unique_ptr<Device>>();  // opened where an image is asked for
    return {.image_of =
                [=](const Echo& echo, const FocusOptions& options) {
                    if (!*device) *device = open_device("cpu", threads);
                    FocusResult made = focus(**device, echo, without_timeline(options));
                    return SmallImage{std::move(made.image), std::move(made.report.setup)};
                },
            .threads = threads};
}

FocusOptions with_estimates(EchoSource& first, FocusOptions options, int threads) {
    if (first.acquisition().sums_all_pulses()) return options;  // all pulses count: nothing is chosen
    const DopplerChoice doppler = doppler_by(first.acquisition(), options, options.height_m, [&] {
        if (!options.estimates.doppler)
            options.estimates.doppler = settled_doppler(first, options.velocity_m_s, imager(threads));
        return *options.estimates.doppler;
    });
    const bool asks_velocity = !options.velocity_m_s && options.velocity_from == ParameterSource::data;
    if (asks_velocity && !options.estimates.velocity)
        options.estimates.velocity = estimate_velocity(first, doppler.surface_hz, imager(threads));
    return options;
}

}  // namespace cornerturn

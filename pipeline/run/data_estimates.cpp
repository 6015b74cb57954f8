// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/data_estimates.h"

#include <stdexcept>

#include "pipeline/estimate/data_parameters.h"

namespace cornerturn {
namespace {

DopplerChoice doppler_by(const Acquisition& acquisition, const FocusOptions& options, const SceneHeight& height_m,
                         const DopplerEstimator& estimate) {
    DopplerChoice doppler =
        choose_doppler(acquisition, options.doppler_centroid_hz, options.doppler_from, estimate, height_m);
    if (options.doppler_surface) {
        doppler.surface_hz = *options.doppler_surface;
    } else if (options.doppler_slopes) {
        doppler.surface_hz = range_polynomial(acquisition, doppler.centroid_hz, *options.doppler_slopes);
        doppler.centroid_hz = in_the_middle_hz(acquisition, doppler.surface_hz);
    }
    return doppler;
}

}  // namespace

FocusOptions with_estimates(EchoSource& first, FocusOptions options, int threads) {
    if (first.acquisition().local_track) return options;  // all pulses count: nothing is chosen
    const DopplerChoice doppler = doppler_by(first.acquisition(), options, options.height_m, [&] {
        if (!options.estimates.doppler)
            options.estimates.doppler = settled_doppler(first, options.velocity_m_s, threads);
        return *options.estimates.doppler;
    });
    const bool asks_velocity = !options.velocity_m_s && options.velocity_from == ParameterSource::data;
    if (asks_velocity && !options.estimates.velocity)
        options.estimates.velocity = estimate_velocity(first, doppler.surface_hz, threads);
    return options;
}

DopplerChoice doppler_by(const Acquisition& acquisition, const FocusOptions& options, const SceneHeight& height_m) {
    return doppler_by(acquisition, options, height_m, [&] {
        if (!options.estimates.doppler)
            throw std::logic_error("the data have to tell the Doppler centroid, but nobody asked them");
        return *options.estimates.doppler;
    });
}

}  // namespace cornerturn

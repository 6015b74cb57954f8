// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/even_lines.h"

#include <fmt/format.h>

#include "pipeline/acquisition/track/state_vector_check.h"
#include "pipeline/echo/finer_echo.h"
#include "pipeline/echo/uniform_echo.h"
#include "pipeline/estimate/data_parameters.h"
#include "pipeline/plan/range_bandwidth.h"
#include "pipeline/run/reference_echo.h"

namespace cornerturn {

namespace {

/// Before a reference track takes its place, which is even and smooth whatever the orbit was.
void check_orbit(const Acquisition& acquisition, const FocusOptions& options, std::vector<std::string>* remarks) {
    if (!acquisition.orbit || options.velocity_m_s) return;
    if (!acquisition.effective_velocity_m_s) require_consistent(*acquisition.orbit);  // else that is taken instead
    if (!remarks) return;
    if (std::optional<std::string> doubt = doubt_about_orbit(acquisition)) remarks->push_back(*std::move(doubt));
}

}  // namespace

DopplerSurface doppler_of_data(EchoSource& rough, const FocusOptions& options, const Imager& imager,
                               std::vector<std::string>* warnings) {
    const DopplerChoice found = choose_doppler(rough.acquisition(), {}, ParameterSource::automatic,
                                               [&] { return settled_doppler(rough, options.velocity_m_s, imager); });
    if (warnings && !found.ambiguity_certain)
        warnings->push_back(fmt::format(
            "uneven pulses: lines are interpolated to equal steps about a Doppler centroid of {:.1f} Hz, whose "
            "multiple of the PRF is a guess; give --doppler-centroid HZ if you know it",
            found.centroid_hz));
    return found.surface_hz;
}

std::unique_ptr<EchoSource> on_uniform_times(EchoSource& echo, const FocusOptions& options, const Imager& imager,
                                             std::vector<std::string>* warnings) {
    const Acquisition& raw = echo.acquisition();
    if (!raw.uneven()) return nullptr;
    if (const auto known = doppler_before_data(evened(raw), options))
        return std::make_unique<UniformEcho>(echo, *known, imager.threads);
    UniformEcho rough(echo, constant_doppler(raw, 0), imager.threads);
    return std::make_unique<UniformEcho>(echo, doppler_of_data(rough, options, imager, warnings), imager.threads);
}

std::unique_ptr<EchoSource> on_even_lines(EchoSource& echo, const FocusOptions& options, const Imager& imager,
                                          std::vector<std::string>* remarks) {
    const Acquisition& acquisition = echo.acquisition();
    if (acquisition.phase_history) return nullptr;  // each pulse is summed from where it was sent
    check_orbit(acquisition, options, remarks);
    if (auto lines = on_reference_track(echo, options, imager, remarks)) return lines;
    return on_uniform_times(echo, options, imager, remarks);
}

std::unique_ptr<EchoSource> on_finer_samples(EchoSource& echo, const FocusOptions& options, int threads,
                                             std::vector<std::string>* remarks) {
    const Acquisition& acquisition = echo.acquisition();
    const std::optional<ImageBandwidths> wide = range_bandwidths_of_image(acquisition, options);
    if (!wide) return nullptr;
    const double sampled_hz = acquisition.sample_rate_hz();
    double wide_hz = wide->processed_hz;
    std::optional<std::int64_t> eighths = eighths_for(wide_hz, sampled_hz);
    if (!eighths) eighths = eighths_for(wide_hz = wide->illuminated_hz, sampled_hz);  // where all would be too much
    if (!eighths) return nullptr;
    auto finer_one = std::make_unique<FinerEcho>(echo, *eighths, threads);
    if (remarks)
        remarks->push_back(fmt::format(
            "{} widen the range spectrum of the image to {:.6g} MHz: the echo is resampled from {:.6g} to {:.6g} MHz",
            what_widens(acquisition), wide_hz / 1e6, sampled_hz / 1e6,
            finer_one->acquisition().sample_rate_hz() / 1e6));
    return finer_one;
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Choice of the Doppler centroid and its prediction from orbit and attitude.
#include "pipeline/acquisition/doppler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

/// A beam this far off the flight's broadside or off the swath it should light is no real antenna pointing.
constexpr double cosine_of_alignment = 0.866;  // 30 deg

/// A prediction must come this close (in PRF) to the value chosen, or the next multiple would be as likely.
constexpr double safe_distance_prf = 0.35;

/// Normalised linear interpolation, held at the ends.
std::optional<std::array<double, 4>> quaternion_at(const Attitude& attitude, double time_s) {
    const std::size_t count = attitude.time_s.size();
    if (count == 0 || attitude.quaternions.size() != count) return std::nullopt;
    const auto above =
        static_cast<std::size_t>(std::lower_bound(attitude.time_s.begin(), attitude.time_s.end(), time_s) - attitude.time_s.begin());
    const std::size_t last = std::min(above, count - 1), first = above == 0 || above == count ? last : above - 1;
    const double span = attitude.time_s[last] - attitude.time_s[first];
    const double u = span > 0 ? (time_s - attitude.time_s[first]) / span : 0.0;
    const auto &a = attitude.quaternions[first], &b = attitude.quaternions[last];
    const double sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1.0 : 1.0;  // q and -q are the same rotation
    std::array<double, 4> q{};
    for (std::size_t k = 0; k < 4; ++k) q[k] = (1.0 - u) * a[k] + sign * u * b[k];
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 0.5 && length < 2.0)) return std::nullopt;
    for (double& component : q) component /= length;
    return q;
}

double to_multiple_hz(double baseband_hz, double near_hz, double prf_hz) {
    return baseband_hz + prf_hz * std::round((near_hz - baseband_hz) / prf_hz);
}

}  // namespace

std::optional<double> predicted_doppler_centroid_hz(const Acquisition& acquisition) {
    if (!acquisition.orbit || !acquisition.attitude || acquisition.orbit->time_s.size() < 2) return std::nullopt;
    const double time_s = acquisition.pulse_time_s(0.5 * static_cast<double>(acquisition.lines - 1));
    const auto quaternion = quaternion_at(*acquisition.attitude, time_s);
    if (!quaternion || std::abs((*quaternion)[0]) > 1.0 - 1e-12) return std::nullopt;

    const StateVector state = interpolate(*acquisition.orbit, time_s);
    const Vec3 flight = unit(state.velocity_m_s);
    const Vec3 x = rotate(*quaternion, {1, 0, 0}), y = rotate(*quaternion, {0, 1, 0}), boresight = rotate(*quaternion, {0, 0, 1});
    // The antenna's long axis is whichever lies along the flight; the beam is the plane across it.
    Vec3 along = std::abs(dot(x, flight)) > std::abs(dot(y, flight)) ? x : y;
    if (dot(along, flight) < 0) along = -1.0 * along;
    if (dot(along, flight) < cosine_of_alignment || !ellipsoid_intersection(state.position_m, boresight)) return std::nullopt;

    const double range_m = acquisition.range_m(0.5 * (static_cast<double>(acquisition.samples) - acquisition.chirp_samples()));
    const GroundPoint target = ground_point(state.position_m, along, range_m, acquisition.identification.look_side);
    const Vec3 look = unit(target.position_m - state.position_m);
    if (!target.on_ellipsoid || dot(look, boresight) < cosine_of_alignment) return std::nullopt;
    return 2.0 / acquisition.wavelength_m() * dot(state.velocity_m_s, look);
}

DopplerChoice choose_doppler(const Acquisition& acquisition, std::optional<double> option, bool force_auto,
                             const DopplerEstimator& estimate) {
    const auto check = [](double value_hz, const char* where) {
        if (!std::isfinite(value_hz))
            throw InputError(fmt::format("{}: {} is no frequency; give --doppler-centroid HZ or auto", where, value_hz));
        return value_hz;
    };
    if (option && !force_auto) return {check(*option, "--doppler-centroid"), DopplerOrigin::option, "option", true};
    if (acquisition.doppler_centroid_hz && !force_auto)
        return {check(*acquisition.doppler_centroid_hz, "dopplerCentroid of the file"), DopplerOrigin::file, "file", true};

    const DopplerEstimate found = estimate();
    const double prf = acquisition.prf_hz;
    const auto choice = [&](double near_hz, bool certain, const std::string& how) {
        DopplerChoice chosen{to_multiple_hz(found.baseband_hz, near_hz, prf), DopplerOrigin::estimate, "", certain};
        const double ambiguity = std::round((chosen.centroid_hz - found.baseband_hz) / prf);
        chosen.source = fmt::format("estimated: baseband {:.1f} Hz from the lag-1 correlation of the lines, ambiguity {:+.0f} {}",
                                    found.baseband_hz, ambiguity, how);
        return chosen;
    };
    const auto safe = [&](double near_hz) {
        return std::abs(to_multiple_hz(found.baseband_hz, near_hz, prf) - near_hz) < safe_distance_prf * prf;
    };
    if (const auto predicted = predicted_doppler_centroid_hz(acquisition)) {
        return choice(*predicted, safe(*predicted), fmt::format("from orbit and attitude ({:.0f} Hz predicted)", *predicted));
    }
    if (acquisition.doppler_centroid_hz && std::isfinite(*acquisition.doppler_centroid_hz))
        return choice(*acquisition.doppler_centroid_hz, safe(*acquisition.doppler_centroid_hz),
                      fmt::format("from the file's dopplerCentroid of {} Hz", *acquisition.doppler_centroid_hz));
    if (found.absolute_hz) {
        const double off_prf = std::abs(to_multiple_hz(found.baseband_hz, *found.absolute_hz, prf) - *found.absolute_hz) / prf;
        const double error_prf = found.absolute_error_hz / prf;
        const std::string looks = fmt::format("from the phase slope of the correlation over range frequency ({:.0f} +- {:.0f} Hz)",
                                              *found.absolute_hz, found.absolute_error_hz);
        if (off_prf + 3.0 * error_prf < 0.5) return choice(*found.absolute_hz, true, looks);
        if (std::abs(*found.absolute_hz - found.baseband_hz) > 2.0 * found.absolute_error_hz + 0.5 * prf)
            return choice(*found.absolute_hz, false, looks + ", NOT CERTAIN: give --doppler-centroid HZ");
    }
    return choice(found.baseband_hz, false, "ASSUMED, neither attitude, file nor data tell it: give --doppler-centroid HZ");
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/processed_band.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/track/velocity.h"

namespace cornerturn {
namespace {

constexpr double least_fade = 0.01;  ///< of the PRF, where the beam fills it

}  // namespace

void check_processed_band(const Acquisition& acquisition, const FormerParameters& parameters) {
    const double centroid_hz = parameters.doppler_centroid_hz, band_hz = parameters.azimuth_bandwidth_hz;
    const double degrees = std::asin(largest_squint_sine) / degree;
    const double widest_hz =
        widest_azimuth_band_hz(acquisition, centroid_hz, parameters.velocity, parameters.rows_per_pulse);
    // A narrower one gives points that are four times as long as the recording.
    const double narrowest_hz = 0.25 * acquisition.prf_hz / static_cast<double>(acquisition.lines);
    if (!(widest_hz >= narrowest_hz))
        throw InputError(fmt::format(
            "Doppler centroid {:.6g} Hz: at {:.6g} m/s and a wavelength of {:.4g} m it leaves no band within a "
            "squint of {:.0f} degrees; check --doppler-centroid and --velocity",
            centroid_hz, parameters.velocity(acquisition.near_range_m), acquisition.wavelength_m(), degrees));
    if (band_hz >= narrowest_hz && band_hz <= widest_hz) return;
    const double largest_hz = std::floor(widest_hz * 100) / 100;  // as told it has to go
    if (band_hz >= narrowest_hz && band_hz <= acquisition.prf_hz)
        throw InputError(
            fmt::format("azimuth bandwidth {:.6g} Hz: about the Doppler centroid of {:.6g} Hz this reaches beyond "
                        "a squint of {:.0f} degrees, "
                        "the largest possible is {:.2f} Hz; give --azimuth-bandwidth or check --velocity",
                        band_hz, centroid_hz, degrees, largest_hz));
    throw InputError(fmt::format(
        "azimuth bandwidth {:.6g} Hz: must lie between {:.3g} Hz (points four times as long as the recording) and "
        "{:.2f} Hz ({}); give --azimuth-bandwidth",
        band_hz, narrowest_hz, largest_hz,
        widest_hz < acquisition.prf_hz ? fmt::format("a squint of {:.0f} degrees", degrees) : "the PRF"));
}

double moved_at_chirp_ends_hz(const Acquisition& acquisition, const FormerParameters& parameters) {
    const double chirp_part = 0.5 * acquisition.chirp.bandwidth_hz() / acquisition.carrier_hz;
    return chirp_part * (std::abs(parameters.doppler_centroid_hz) + 0.5 * illuminated_band_hz(acquisition, parameters));
}

double part_beyond(double half_beam_hz, double moved_hz, double kept_hz) {
    const double beyond_hz = half_beam_hz + moved_hz - kept_hz;
    if (!(beyond_hz > 0)) return 0;
    if (kept_hz < std::abs(half_beam_hz - moved_hz)) return 1 - kept_hz / std::max(half_beam_hz, moved_hz);
    return beyond_hz * beyond_hz / (4 * half_beam_hz * moved_hz);
}

double part_lost_at_chirp_ends(const Acquisition& acquisition, const FormerParameters& parameters) {
    if (!acquisition.azimuth_bandwidth_hz) return 0;
    const double processed_hz = parameters.azimuth_bandwidth_hz + fades_of(acquisition, parameters).azimuth_fade_hz;
    return part_beyond(0.5 * illuminated_band_hz(acquisition, parameters),
                       moved_at_chirp_ends_hz(acquisition, parameters),
                       0.5 * std::min(processed_hz, acquisition.prf_hz));
}

double band_to_chirp_ends_hz(const Acquisition& acquisition, const FormerParameters& parameters) {
    const double whole_hz =
        illuminated_band_hz(acquisition, parameters) + 2 * moved_at_chirp_ends_hz(acquisition, parameters);
    return std::min(std::max(whole_hz, parameters.azimuth_bandwidth_hz),
                    widest_azimuth_band_hz(acquisition, parameters.doppler_centroid_hz, parameters.velocity));
}

BandFades fades_of(const Acquisition& acquisition, const FormerParameters& parameters) {
    const double prf_hz = acquisition.prf_hz, band_hz = parameters.azimuth_bandwidth_hz,
                 widest_hz = azimuth_fade * band_hz, beam_hz = illuminated_band_hz(acquisition, parameters),
                 ends_hz = band_hz + widest_hz;
    const double beside_beam_hz = 0.5 * (prf_hz - beam_hz) - moved_at_chirp_ends_hz(acquisition, parameters);
    BandFades fades{.pulse_fade_hz = widest_hz, .pulse_reach_hz = 0.5 * ends_hz};
    const double rows_hz = parameters.rows_per_pulse * prf_hz;
    const bool in_part = band_hz < acquisition.azimuth_bandwidth_hz.value_or(0);
    if (ends_hz > rows_hz && in_part) {
        // A part of a beam ends as soon as the rows make it.
        fades.pulse_fade_hz = std::max(rows_hz - band_hz, least_fade * rows_hz);
        fades.pulse_reach_hz = 0.5 * (band_hz + fades.pulse_fade_hz);
    } else if (parameters.rows_per_pulse > 1 && !in_part) {
        // Beside the beam, whose centre is known to a hundredth of it, and soon: what is summed there shows ghosts of
        // the beam, a PRF away.
        fades.pulse_fade_hz = 0.5 * widest_hz;
        fades.pulse_reach_hz = 0.5 * band_hz + 0.25 * widest_hz + fades.pulse_fade_hz;
    } else if (ends_hz > prf_hz && !in_part) {
        // Pulses may be summed beyond the PRF, where a beam shows nothing; a ghost of 1 % is all that comes of it.
        fades.pulse_reach_hz = 0.5 * (parameters.keeps_beam ? std::max(prf_hz, beam_hz + 2 * widest_hz) : prf_hz);
    }
    // A PRF beside the beam is its ghost.
    if (parameters.lobes_aside_hz > 0 && !in_part)
        fades.pulse_reach_hz =
            std::max(fades.pulse_reach_hz,
                     std::min(0.5 * beam_hz + parameters.lobes_aside_hz + fades.pulse_fade_hz, prf_hz - 0.5 * beam_hz));
    fades.azimuth_fade_hz =
        parameters.keeps_beam ? std::min(widest_hz, std::max(beside_beam_hz, least_fade * prf_hz)) : widest_hz;
    return fades;
}

double beam_bandwidth_hz(const Acquisition& acquisition) {
    return acquisition.azimuth_bandwidth_hz.value_or(acquisition.prf_hz * 2 / 3);
}

double illuminated_band_hz(const Acquisition& acquisition, const FormerParameters& parameters) {
    return std::min(parameters.azimuth_bandwidth_hz, beam_bandwidth_hz(acquisition));
}

/// A point's range frequencies in the image are sqrt((f0 + f_tau)^2 - (c f_eta / 2V)^2) - f0: under squint each Doppler
/// frequency has its own band.
double image_bandwidth_hz(const Acquisition& acquisition, const VelocityProfile& velocity, double range_m,
                          double centroid_hz, double azimuth_band_hz) {
    const double carrier = acquisition.carrier_hz, edge_hz = acquisition.chirp.bandwidth_hz() / 2;
    double lowest = INFINITY, highest = -INFINITY;
    for (double part : {-0.5, 0.0, 0.5})
        for (double f_tau : {-edge_hz, edge_hz}) {
            const double transverse = 0.5 * c_m_s * (centroid_hz + part * azimuth_band_hz) / velocity(range_m);
            const double f_image = std::sqrt((carrier + f_tau) * (carrier + f_tau) - transverse * transverse) - carrier;
            lowest = std::min(lowest, f_image);
            highest = std::max(highest, f_image);
        }
    return highest - lowest;
}

}  // namespace cornerturn

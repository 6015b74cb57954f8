// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/reference_echo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "kernels/math/hyperbola.h"
#include "pipeline/acquisition/fits/surface_fit.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/track/velocity.h"
#include "pipeline/echo/compensation_prediction.h"
#include "pipeline/echo/forwarded_echo.h"
#include "pipeline/echo/uniform_echo.h"
#include "pipeline/formers/former.h"
#include "pipeline/formers/processed_band.h"
#include "pipeline/plan/view_choice.h"
#include "pipeline/run/even_lines.h"

namespace cornerturn {
namespace {

/// Algorithms leave something, too.
constexpr Prediction compensation_limits{.position_px = 0.5 * error_limits.position_px,
                                         .phase_deg = 0.5 * error_limits.phase_deg,
                                         .width_percent = 0.5 * error_limits.width_percent};

/// Width of the band that is interpolated, in parts of the PRF: with all that is processed about a beam, which is the
/// ripple that its sharp edges spill over, as band_of_beam_hz has it, and as much again; but no more than sixteen
/// pulses tell where they lie farthest apart.
double band_about(double beam_hz, const Acquisition& beside, double speed_m_s) {
    constexpr double least = 1.02, told = 0.86;
    double farthest_s = 1 / beside.prf_hz;
    for (std::size_t i = 1; i < beside.pulse_times_s.size(); ++i)
        farthest_s = std::max(farthest_s, beside.pulse_times_s[i] - beside.pulse_times_s[i - 1]);
    const double rate_hz_s = azimuth_fm_rate_hz_s(beside.range_m(0), 1, speed_m_s, beside.wavelength_m()),
                 part = beam_hz / beside.prf_hz, ripple = 16 * std::sqrt(rate_hz_s) / beside.prf_hz;
    return std::max(least * part, std::min(part + ripple, told / (farthest_s * beside.prf_hz)));
}

/// Doppler centroids along rows, of the places that pulses show with whole chirps: beyond these nobody tells them.
struct CentroidAlongRows {
    std::int64_t pulse = 0;
    double time_s = 0, slant_m = 0, hz = 0;
};
using CentroidsAlongRows = std::vector<CentroidAlongRows>;

template <class Centroid>
CentroidsAlongRows centroids(const TrackOffset& offset, const Centroid& hz) {
    constexpr std::int64_t most_pulses = 400, ranges = 5;
    const Acquisition& beside = offset.beside();
    const double last_sample = std::max(1.0, static_cast<double>(beside.samples - 1) - beside.chirp_samples());
    CentroidsAlongRows found;
    for (std::int64_t pulse = 0; pulse < beside.lines; pulse += std::max<std::int64_t>(1, beside.lines / most_pulses))
        for (std::int64_t k = 0; k < ranges; ++k) {
            const double slant_m = beside.range_m(last_sample * static_cast<double>(k) / (ranges - 1)),
                         time_s = beside.pulse_times_s[static_cast<std::size_t>(pulse)];
            if (const std::optional<double> there_hz = hz(pulse, time_s, slant_m))
                found.push_back({pulse, time_s, slant_m, *there_hz});
        }
    return found;
}

/// As the antenna points.
CentroidsAlongRows by_attitude(const TrackOffset& offset) {
    return centroids(offset, [&](std::int64_t, double time_s, double slant_m) {
        return predicted_doppler_at_hz(offset.beside(), time_s, slant_m);
    });
}

/// What options or the file say of the flight as flown.
CentroidsAlongRows as_told(const TrackOffset& offset, const Acquisition& flown, const FocusOptions& options) {
    const bool by_file = options.doppler_from == ParameterSource::automatic;
    const double speed_m_s = norm(offset.reference().velocity_m_s[0]);
    const auto flown_hz = [&](double sent_s, double slant_m) -> std::optional<double> {
        if (options.doppler_surface) return (*options.doppler_surface)(sent_s, slant_m);
        if (options.doppler_centroid_hz) return options.doppler_centroid_hz;
        if (!by_file || !flown.doppler_of_pixels_hz) return by_file ? flown.doppler_centroid_hz : std::nullopt;
        const DopplerSurface& table = *flown.doppler_of_pixels_hz;
        double hz = 0;
        for (int round = 0; round < 4; ++round) {  // to where the pixel lies that the beam's centre shows
            const double sine = squint_sine(hz, flown.wavelength_m(), speed_m_s);
            hz = table(std::clamp(sent_s + slant_m * sine / speed_m_s, table.x_centre - table.x_half,
                                  table.x_centre + table.x_half),
                       std::clamp(slant_m * std::sqrt(1 - sine * sine), table.y_centre - table.y_half,
                                  table.y_centre + table.y_half));
        }
        return hz;
    };
    return centroids(offset, [&](std::int64_t pulse, double, double slant_m) {
        std::optional<double> hz = flown_hz(offset.flown_time_s(pulse), slant_m);
        if (!hz) return hz;
        require_reachable_doppler(*hz, speed_m_s, flown.wavelength_m());
        return std::optional(offset.along_rows_hz(pulse, slant_m, *hz));
    });
}

/// Of a file that has one number beside attitude, which tells the rest (choose_doppler).
bool is_level_of_attitude(const Acquisition& flown, const FocusOptions& options) {
    return !options.doppler_surface && !options.doppler_centroid_hz &&
           options.doppler_from == ParameterSource::automatic && !flown.doppler_of_pixels_hz &&
           flown.doppler_centroid_hz && !flown.effective_velocity_m_s;
}

/// That number, which is of the pulse in the middle, as one of the smooth centroid that attitude has: where the beam
/// wanders along rows, attitude tells how far it is off that there.
double level_along_rows_hz(const TrackOffset& offset, const Acquisition& beside, double flown_hz) {
    const std::int64_t pulse = (beside.lines - 1) / 2;
    const double middle = 0.5 * std::max(1.0, static_cast<double>(beside.samples) - beside.chirp_samples()),
                 slant_m = beside.range_m(middle), hz = offset.along_rows_hz(pulse, slant_m, flown_hz);
    const auto pointed_hz =
        predicted_doppler_at_hz(beside, beside.pulse_times_s[static_cast<std::size_t>(pulse)], slant_m);
    const auto smooth_hz = predicted_doppler_centroid_hz(beside);
    return pointed_hz && smooth_hz ? hz + *smooth_hz - *pointed_hz : hz;
}

/// Over zero-Doppler times and closest ranges of the reference.
DopplerSurface over_pixels(const TrackOffset& offset, const CentroidsAlongRows& centroids) {
    const double wavelength_m = offset.beside().wavelength_m(), speed_m_s = norm(offset.reference().velocity_m_s[0]);
    std::vector<SurfacePoint> points;
    double from_s = INFINITY, to_s = -INFINITY, from_m = INFINITY, to_m = -INFINITY;
    for (const CentroidAlongRows& there : centroids) {
        const double sine = squint_sine(there.hz, wavelength_m, speed_m_s),
                     time_s = there.time_s + there.slant_m * sine / speed_m_s,
                     range_m = there.slant_m * std::sqrt(1 - sine * sine);
        points.push_back({.x = time_s, .y = range_m, .value = there.hz});
        from_s = std::min(from_s, time_s), to_s = std::max(to_s, time_s);
        from_m = std::min(from_m, range_m), to_m = std::max(to_m, range_m);
    }
    const SmoothSurface frame{.x_centre = 0.5 * (from_s + to_s),
                              .x_half = 0.5 * (to_s - from_s),
                              .y_centre = 0.5 * (from_m + to_m),
                              .y_half = 0.5 * (to_m - from_m)};
    const double nadir_m = nadir_range_m(offset.reference(), frame.x_centre, offset.height_m()(frame.x_centre, from_m));
    return fit_surface(DopplerSurface(frame, nadir_m), powers_up_to(2, 3), points);
}

double largest_difference_hz(const CentroidsAlongRows& centroids, const DopplerSurface& surface_hz) {
    double largest_hz = 0;
    for (const CentroidAlongRows& there : centroids)
        largest_hz = std::max(largest_hz, std::abs(there.hz - surface_hz(there.time_s, there.slant_m)));
    return largest_hz;
}

/// An echo as seen from the reference: where each pulse lies beside it, about the Doppler centroid of options, file,
/// attitude or data, at heights as these have them.
class EchoBesideReference {
public:
    EchoBesideReference(EchoSource& echo, const Orbit& reference, const FocusOptions& options, const Imager& imager,
                        std::vector<std::string>& remarks)
        : echo_(echo), flown_(echo.acquisition()), threads_(imager.threads) {
        const auto about = std::make_shared<TrackOffset>(
            flown_, reference, options.height_m, constant_doppler(flown_, options.doppler_centroid_hz.value_or(0)));
        const CentroidsAlongRows pointed = by_attitude(*about);
        CentroidsAlongRows told;
        Acquisition beside = about->beside();
        beside.motion.emplace();
        if (is_level_of_attitude(flown_, options) && !pointed.empty()) {
            number_hz_ = beside.doppler_centroid_hz = level_along_rows_hz(*about, beside, *flown_.doppler_centroid_hz);
        } else {
            told = as_told(*about, flown_, options);
            if (!told.empty() && !options.doppler_centroid_hz && !options.doppler_surface)
                beside.doppler_of_pixels_hz = of_pixels_hz_ = over_pixels(*about, told);
        }
        FocusOptions known = options;
        known.doppler_surface = doppler_before_data(beside, options);
        if (!known.doppler_surface) {
            UniformEcho rough(echo_, about, widest, threads_);
            known.doppler_surface = doppler_of_data(rough, options, imager, &remarks);
        }
        offset_ = std::make_shared<TrackOffset>(flown_, reference, height_of(beside, known), *known.doppler_surface);
        motion_ = {.largest_distance_m = offset_->largest_distance_m(),
                   .beam_hz = beam_bandwidth_hz(offset_->beside()),
                   .wander_hz = std::max(largest_difference_hz(told, *known.doppler_surface),
                                         largest_difference_hz(pointed, *known.doppler_surface))};
    }

    /// As if they had been recorded along it; they tell by how much points may be off.
    std::unique_ptr<UniformEcho> compensated(const FocusOptions& options) const {
        const double beam_hz = motion_.beam_hz, wander_hz = motion_.wander_hz, prf_hz = flown_.prf_hz;
        if (!(beam_hz + 2 * wander_hz <= widest * prf_hz))
            throw InputError("motion compensation: " + no_room_text() +
                             (rows_have_room(options) ? "; use --algorithm backprojection" : on_a_map));
        const double wanted_hz = std::max(
                         beam_hz, std::min(options.azimuth_bandwidth_hz.value_or(0), widest * prf_hz - 2 * wander_hz)),
                     speed_m_s = norm(offset_->reference().velocity_m_s.front());
        auto even = std::make_unique<UniformEcho>(
            echo_, offset_, band_about(wanted_hz + 2 * wander_hz, offset_->beside(), speed_m_s), threads_);
        if (of_pixels_hz_) even->tell_centroid(*of_pixels_hz_);
        if (number_hz_) even->tell_centroid(*number_hz_);
        CompensatedMotion motion = motion_;
        even->tell(motion);
        const Prediction left = errors_of_compensation(*even, flown_, offset_->height_m());
        motion.position_px = left.position_px;
        motion.phase_deg = left.phase_deg;
        motion.width_percent = left.width_percent;
        even->tell(motion);
        return even;
    }

    /// The acquisition of the lines as they were recorded, beside it. Rows may be closer than pulses, but pulses do not
    /// tell what a beam lights by and by from what it lights a PRF aside; a map takes it as it comes.
    Acquisition beside(const FocusOptions& options) const {
        if (!rows_have_room(options)) throw InputError("rows of zero Doppler: " + no_room_text() + on_a_map);
        Acquisition beside = offset_->beside();
        beside.flown_beside = offset_;
        beside.motion = motion_;
        if (of_pixels_hz_) beside.doppler_of_pixels_hz = of_pixels_hz_;
        if (number_hz_) beside.doppler_centroid_hz = number_hz_;
        return beside;
    }

private:
    static constexpr double widest = 0.95;  // of the PRF
    static constexpr auto on_a_map =
        "; make a map (--grid utm --spacing METRES), or of all pulses of a flight round the scene (--grid local, with "
        "--track in a local frame)";

    /// For sums over pulses.
    bool rows_have_room(const FocusOptions& options) const {
        constexpr double most_ghosts = 4.0 / 3;  // of the PRF, where all of it is summed
        const double wander_hz = 2 * motion_.wander_hz;
        return options.map || options.force || beam_bandwidth_hz(flown_) + wander_hz <= flown_.prf_hz ||
               motion_.beam_hz + wander_hz <= most_ghosts * flown_.prf_hz;
    }

    std::string no_room_text() const {
        return fmt::format(
            "along the reference track the centre of the beam of {:.4g} Hz wanders by {:.4g} Hz to "
            "either side, for which the PRF of {:.4g} Hz has no room",
            motion_.beam_hz, motion_.wander_hz, flown_.prf_hz);
    }

    EchoSource& echo_;
    const Acquisition& flown_;
    int threads_;
    std::shared_ptr<const TrackOffset> offset_;
    std::optional<DopplerSurface> of_pixels_hz_;
    std::optional<double> number_hz_;
    CompensatedMotion motion_;
};

/// Lines as they were recorded, or on even times, that count as sent beside a reference.
class LinesBeside final : public DescribedEcho {
public:
    LinesBeside(EchoSource& echo, std::unique_ptr<EchoSource> even, Acquisition acquisition)
        : DescribedEcho(even ? *even : echo, std::move(acquisition)), even_(std::move(even)) {}

private:
    std::unique_ptr<EchoSource> even_;
};

std::unique_ptr<EchoSource> lines_beside(EchoSource& echo, const Orbit& reference, const FocusOptions& options,
                                         const Imager& imager, std::vector<std::string>& remarks) {
    auto even = on_uniform_times(echo, options, imager, &remarks);
    EchoSource& lines = even ? *even : echo;
    Acquisition beside = EchoBesideReference(lines, reference, options, imager, remarks).beside(options);
    return std::make_unique<LinesBeside>(echo, std::move(even), std::move(beside));
}

/// Motion compensation where it does: else nothing where any algorithm will do.
std::unique_ptr<EchoSource> compensated(EchoSource& echo, const Orbit& reference, const FocusOptions& options,
                                        const Imager& imager, std::vector<std::string>& remarks) {
    const bool any = options.algorithm == automatic_algorithm;
    try {
        std::vector<std::string> doubts;
        auto even = EchoBesideReference(echo, reference, options, imager, doubts).compensated(options);
        const CompensatedMotion& motion = *even->acquisition().motion;
        const Prediction left{motion.position_px, motion.phase_deg, motion.width_percent};
        if (!holds(left, compensation_limits)) {
            if (any) return nullptr;
            const std::string what = fmt::format(
                "--algorithm {}: the track sways up to {:.3g} m, and motion compensation would leave points off by {}; "
                "at most {} are allowed; use --algorithm ffbp or --algorithm backprojection",
                options.algorithm, motion.largest_distance_m, text_of(left), text_of(compensation_limits));
            if (!options.force) throw InputError(what);
            doubts.push_back("--force: made though " + what);
        }
        remarks.insert(remarks.end(), doubts.begin(), doubts.end());
        return even;
    } catch (const InputError&) {
        if (!any) throw;
        return nullptr;
    }
}

/// Whether nobody asks how it was flown.
bool taken_as_straight(const FocusOptions& options) {
    return options.velocity_m_s || options.velocity_from == ParameterSource::data;
}
bool sums_pulses(const FocusOptions& options) {
    return options.map || (options.algorithm != automatic_algorithm && former_named(options.algorithm).follows_rows);
}

}  // namespace

std::unique_ptr<EchoSource> on_reference_track(EchoSource& echo, const FocusOptions& options, const Imager& imager,
                                               std::vector<std::string>* remarks) {
    if (taken_as_straight(options)) return nullptr;
    const std::optional<Orbit> reference = reference_of(echo.acquisition(), options);
    if (!reference) return nullptr;
    std::vector<std::string> doubts;
    std::unique_ptr<EchoSource> lines;
    if (!sums_pulses(options)) lines = compensated(echo, *reference, options, imager, doubts);
    if (!lines) lines = lines_beside(echo, *reference, options, imager, doubts);
    if (remarks) remarks->insert(remarks->end(), doubts.begin(), doubts.end());
    return lines;
}

}  // namespace cornerturn

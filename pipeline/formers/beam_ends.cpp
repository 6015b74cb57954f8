// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/beam_ends.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <span>

#include "kernels/host/side_by_side.h"
#include "kernels/math/phasor.h"
#include "pipeline/acquisition/track/velocity.h"
#include "pipeline/acquisition/window.h"
#include "pipeline/formers/azimuth_filter.h"
#include "pipeline/formers/few_pulses.h"
#include "pipeline/formers/migration_table.h"
#include "pipeline/formers/processed_band.h"
#include "pipeline/formers/response_width.h"

namespace cornerturn {
namespace {

/// How pulses are weighed on their way through a beam, by offset: falls from one step to the next, each of which holds
/// from its own to the other end of the beam.
struct WeightStep {
    double offset_hz, weight;
};
using BeamWeights = std::vector<WeightStep>;

BeamWeights beam_that_ends(double beam_hz) { return {{0.5 * beam_hz, 1}}; }

/// A fading edge, where the beam may end within it, in steps that are short against the ripple of the spectrum.
BeamWeights faded_beam(const BandFades& fades, double beam_hz, double fm_rate_hz_s) {
    const double from_hz = fades.pulse_reach_hz - fades.pulse_fade_hz,
                 to_hz = std::min(fades.pulse_reach_hz, 0.5 * beam_hz);
    if (!(from_hz < to_hz)) return beam_that_ends(beam_hz);
    constexpr double fewest = 32, short_against_ripple = 0.25;
    const double steps =
        std::max(fewest, std::ceil((to_hz - from_hz) * beam_hz / (short_against_ripple * fm_rate_hz_s)));
    const auto weight = [&](double offset_hz) { return fade_out((offset_hz - from_hz) / fades.pulse_fade_hz); };
    BeamWeights fading;
    double before = 1;
    for (double step = 0; step < steps; ++step) {
        const double after = weight(from_hz + (to_hz - from_hz) * (step + 1) / steps);
        fading.push_back({from_hz + (to_hz - from_hz) * (step + 0.5) / steps, before - after});
        before = after;
    }
    fading.push_back({to_hz, before});
    return fading;
}

/// Half of Fresnel's integral of exp(j pi u^2) for the spectra of one beam, as a table.
class FresnelTable {
public:
    static constexpr double reach = 2;  // beams to either side: what is beyond amounts to less than a thousandth

    FresnelTable(double beam_hz, double fm_rate_hz_s)
        : root_rate_(std::sqrt(fm_rate_hz_s)), step_(0.02 / std::max(0.5 * beam_hz / root_rate_, 1.0)) {
        const double half = 0.5 * beam_hz / root_rate_;
        from_zero_.resize(static_cast<std::size_t>((1 + 2 * reach) * half / step_) + 3);
        for (std::size_t i = 1; i < from_zero_.size(); ++i) {
            const double middle = (static_cast<double>(i) - 0.5) * step_;
            from_zero_[i] = from_zero_[i - 1] + step_ * std_phasor(0.5 * middle * middle);
        }
    }
    double root_rate() const { return root_rate_; }
    /// Held beyond the reach, so that nothing is left of a beam there.
    std::complex<double> from_zero_to(double v) const {
        const auto nearest = static_cast<std::size_t>(std::llround(std::abs(v) / step_));
        const std::complex<double> size = from_zero_[std::min(nearest, from_zero_.size() - 1)];
        return v < 0 ? -size : size;
    }

private:
    double root_rate_, step_;
    std::vector<std::complex<double>> from_zero_;
};

/// The spectrum of a beam, of a linear chirp less its phase, at x = f / sqrt(Ka): the integral of w(u) exp(j pi (u -
/// x)^2) over |u| <= B / (2 sqrt(Ka)).
class BeamSpectrum {
public:
    BeamSpectrum(const FresnelTable& fresnel, const BeamWeights& weights) : fresnel_(fresnel) {
        for (const WeightStep& step : weights) ends_.push_back({step.offset_hz / fresnel.root_rate(), step.weight});
    }
    std::complex<double> operator()(double offset_hz) const {
        const double x = offset_hz / fresnel_.root_rate();
        std::complex<double> sum = 0;
        for (const auto& [end, weight] : ends_)
            sum += weight * (fresnel_.from_zero_to(end - x) - fresnel_.from_zero_to(-end - x));
        return sum;
    }

private:
    const FresnelTable& fresnel_;
    BeamWeights ends_;  // in root_rate
};

/// Over a part of the beam, as theory has it: nothing beyond.
double window_of_part(const FormerParameters& parameters, double offset_hz) {
    const double part = offset_hz / parameters.azimuth_bandwidth_hz;
    return std::abs(part) > 0.5 ? 0 : parameters.azimuth_window(part);
}

/// Weights over twice the beam for response_of, each the mean over its share of frequencies. What comes from the ends
/// of the aperture, or comes back at the other end of the PRF, lies so far from the point that its phase turns within
/// one share: looked at in one frequency of each, it would appear at the point.
class SpectrumShares {
public:
    SpectrumShares(double beam_hz, double sampled_hz, double fm_rate_hz_s) : beam_hz_(beam_hz) {
        constexpr double beside = 1.2;                                        // so much more than it is away
        const double away = beam_hz * (beam_hz + sampled_hz) / fm_rate_hz_s;  // in 1 / (what is looked at)
        looks_ = static_cast<int>(std::ceil(beside * away / shares));
    }
    template <class Spectrum>
    BandResponse response(const Spectrum& at_hz) const {
        std::vector<std::complex<double>> means;
        for (int share = 0; share < shares; ++share) {
            std::complex<double> sum = 0;
            for (int look = 0; look < looks_; ++look)
                sum += at_hz(2 * beam_hz_ * ((share + (look + 0.5) / looks_) / shares - 0.5));
            means.push_back(sum / static_cast<double>(looks_));
        }
        return response_of(means);
    }

private:
    static constexpr int shares = 401;
    double beam_hz_;
    int looks_;
};

/// Of the beam, or of a part of it, as theory has it: all of a beam's frequencies are an eighth of a cycle ahead, by
/// stationary phase.
std::complex<double> spectrum_in_theory(const ImagePlan& image, const BeamSpectrum& beam, double beam_hz,
                                        double offset_hz) {
    const double processed_hz = image.parameters.azimuth_bandwidth_hz;
    if (processed_hz < beam_hz) return window_of_part(image.parameters, offset_hz) * std_phasor(0.125);
    return image.parameters.azimuth_window(std::clamp(offset_hz / processed_hz, -0.5, 0.5)) * beam(offset_hz);
}

/// Rows of sums that have room for all that is processed lose no more than a filter does, but for a few pulses.
enum class ShownBy { filters, rows, roomy_rows };

/// Of points at a range, whose Doppler rate this is, with beams aside by these.
Prediction lost_at_range(const Acquisition& acquisition, const ImagePlan& image, double beam_hz, ShownBy shown_by,
                         double chirp_hz, double fm_rate_hz_s, const std::vector<double>& of_ranges) {
    const ShownBeam beam{.beam_hz = beam_hz,
                         .fm_rate_hz_s = fm_rate_hz_s,
                         .chirp_hz = chirp_hz,
                         .weighs_pulses = shown_by != ShownBy::filters};
    if (has_few_pulses(acquisition, beam)) return lost_by_few_pulses(acquisition, image, beam, of_ranges);
    const bool weighs_pulses = shown_by == ShownBy::rows;
    const double sampled_hz = acquisition.prf_hz * (weighs_pulses ? image.parameters.rows_per_pulse : 1);
    constexpr double longest = 4096;  // time times bandwidth: ends of longer apertures are too short to matter
    if (!(beam_hz * beam_hz < longest * fm_rate_hz_s)) return {};

    const FresnelTable fresnel(beam_hz, fm_rate_hz_s);
    const BeamSpectrum spectrum(fresnel, beam_that_ends(beam_hz)),
        summed(fresnel, weighs_pulses ? faded_beam(image.fades, beam_hz, fm_rate_hz_s) : beam_that_ends(beam_hz));
    // What lies beyond the PRF comes back at its other end, of lines or of rows: with a phase that goes with where the
    // point lies between them, and of lines with that of its chirp.
    const auto sampled = [&](double offset_hz, double aside_hz, double line) {
        std::complex<double> sum = summed(offset_hz - aside_hz);
        for (const double turn : {-1.0, 1.0}) {
            const double true_hz = offset_hz + turn * sampled_hz;
            if (std::abs(true_hz - aside_hz) > FresnelTable::reach * beam_hz) continue;
            const double chirp = weighs_pulses ? 0 : 0.5 * (offset_hz * offset_hz - true_hz * true_hz) / fm_rate_hz_s;
            sum += summed(true_hz - aside_hz) * std_phasor(chirp - turn * line);
        }
        return sum;
    };
    const auto weight = [&](double offset_hz) {
        if (weighs_pulses) return std::abs(offset_hz) < 0.5 * sampled_hz ? 1.0 : 0.0;
        return azimuth_window(image, sampled_hz, offset_hz);
    };
    const std::vector<double> along_chirp_hz = offsets_along_chirp_hz(chirp_hz);
    const SpectrumShares shares(beam_hz, sampled_hz, fm_rate_hz_s);
    const auto kept = [&](double range_hz, double line, std::span<const double> moved) {
        return shares.response([&](double offset_hz) {
            std::complex<double> sum = 0;
            if (const double weighed = weight(offset_hz) / static_cast<double>(moved.size()); weighed > 0)
                for (const double moved_hz : moved) sum += weighed * sampled(offset_hz, range_hz + moved_hz, line);
            return sum;
        });
    };
    constexpr int lines = 4;
    const BandResponse ideal =
        shares.response([&](double offset_hz) { return spectrum_in_theory(image, spectrum, beam_hz, offset_hz); });
    // Near a point the rows of a sum hold nothing beyond its beam: where they have room, who reads between them sees no
    // more, either.
    constexpr double nearly_filled = 0.8;
    const bool moves = !weighs_pulses || beam_hz > nearly_filled * sampled_hz;
    const double rows = sampled_hz / (2 * beam_hz);  // of 1 / (what is looked at)
    Prediction worst;
    for (const Prediction& lost : side_by_side(lines * of_ranges.size(), [&](std::size_t i) -> Prediction {
             const double range_hz = of_ranges[i / lines], line = static_cast<double>(i % lines) / lines;
             const BandResponse carrier = kept(range_hz, line, std::span(along_chirp_hz).first(1)),
                                chirp = along_chirp_hz.size() > 1 ? kept(range_hz, line, along_chirp_hz) : carrier;
             // Narrower, as what is far beyond the beam does not take part, is as theory has it.
             return {.position_px = moves ? rows * std::abs(chirp.place - ideal.place) : 0,
                     .phase_deg = moves ? 360 * std::abs(chirp.phase_cycles - ideal.phase_cycles) : 0,
                     .width_percent = std::max(0.0, 100 * (carrier.width / ideal.width - 1))};
         }))
        worst = worse_of(worst, lost);
    return worst;
}

/// In mid-swath, and at its ends where apertures are shorter or longer there.
Prediction predicted_for_lost_ends(const Acquisition& acquisition, const ImagePlan& image, double beam_hz,
                                   ShownBy shown_by, const BeamAside& aside) {
    if (!(beam_hz > 0) || !image.parameters.keeps_beam) return {};
    const auto rate_hz_s = [&](double range_m) {
        return image.histories.middle.fm_rate_hz_s(range_m, image.histories.middle.centroid_hz(range_m));
    };
    const auto lost = [&](double fm_rate_hz_s, const std::vector<double>& of_ranges) {
        return lost_at_range(acquisition, image, beam_hz, shown_by, aside.chirp_hz, fm_rate_hz_s, of_ranges);
    };
    const double middle_hz_s = rate_hz_s(image.swath.middle_m()),
                 alike = has_few_pulses(acquisition, {.beam_hz = beam_hz, .fm_rate_hz_s = middle_hz_s}) ? 0.02 : 0.1;
    Prediction worst =
        lost(middle_hz_s, aside.range_hz > 0 ? std::vector{-aside.range_hz, 0.0, aside.range_hz} : std::vector{0.0});
    for (const double range_m : {image.swath.nearest_m, image.swath.farthest_whole_m(acquisition)})
        if (const double there_hz_s = rate_hz_s(range_m); std::abs(there_hz_s / middle_hz_s - 1) > alike)
            worst = worse_of(worst, lost(there_hz_s, aside.range_hz > 0 ? std::vector{-aside.range_hz, aside.range_hz}
                                                                        : std::vector{0.0}));
    return worst;
}

double part_of_limits(const Prediction& lost) {
    return std::max({lost.position_px / error_limits.position_px, lost.phase_deg / error_limits.phase_deg,
                     lost.width_percent / error_limits.width_percent});
}

}  // namespace

double widest_beam_hz(const Acquisition& acquisition, const ImagePlan& image) {
    return image.geometry.widening * acquisition.azimuth_bandwidth_hz.value_or(0);
}

double whole_beam_hz(const Acquisition& acquisition, const ImagePlan& image) {
    return widest_beam_hz(acquisition, image) + 2 * (acquisition.motion ? acquisition.motion->wander_hz : 0);
}

bool has_room_for(double beam_hz, double rate_hz) { return beam_hz <= 1.01 * rate_hz; }

BeamAside beam_aside(const Acquisition& acquisition, const ImagePlan& image, const Former& former) {
    const double doubt_hz = image.parameters.centroid_doubt_hz;
    const double chirp_hz = moved_at_chirp_ends_hz(acquisition, image.parameters);
    if (former.weighs_pulses) return {doubt_hz, chirp_hz};
    BeamAside aside{most_aside_hz(acquisition, image) + doubt_hz, chirp_hz};
    if (former.one_band)
        for (const double range_m : {image.swath.nearest_m, image.swath.farthest_whole_m(acquisition)})
            aside.range_hz = std::max(aside.range_hz, std::abs(image.histories.middle.centroid_hz(range_m) -
                                                               image.parameters.doppler_centroid_hz));
    return aside;
}

Prediction predicted_for_lost_ends(const Acquisition& acquisition, const ImagePlan& image, const Former& former,
                                   bool rows_have_room) {
    const ShownBy shown_by = !former.weighs_pulses ? ShownBy::filters
                             : rows_have_room      ? ShownBy::roomy_rows
                                                   : ShownBy::rows;
    return predicted_for_lost_ends(acquisition, image, widest_beam_hz(acquisition, image), shown_by,
                                   beam_aside(acquisition, image, former));
}

FormerParameters parameters_of_finer_rows(const Acquisition& acquisition, const ImagePlan& image) {
    const RoomOfFewPulses few = room_of_few_pulses(acquisition, image, widest_beam_hz(acquisition, image));
    FormerParameters parameters = image.parameters;
    parameters.azimuth_bandwidth_hz = whole_beam_hz(acquisition, image) + few.pulse_hz;
    parameters.lobes_aside_hz = lobes_aside_hz(acquisition, image) + few.lobes_hz;
    return parameters;
}

double rows_per_pulse_for(const Acquisition& acquisition, const ImagePlan& image, bool band_given) {
    constexpr double readable = 0.93;  // of the rows' rate: spectra that are skewed, to be read between
    constexpr double holding = 0.5;    // of the limits
    if (acquisition.burst || !acquisition.azimuth_bandwidth_hz) return 1;
    const double beam_hz = widest_beam_hz(acquisition, image),
                 given_hz = band_given ? image.parameters.azimuth_bandwidth_hz : INFINITY,
                 widest_hz = std::min(beam_hz, given_hz),
                 whole_hz = std::min(whole_beam_hz(acquisition, image), given_hz),
                 chirp_hz = moved_at_chirp_ends_hz(acquisition, image.parameters);
    ImagePlan finer = image, as_pulses = image;
    if (!band_given) {
        finer.parameters = parameters_of_finer_rows(acquisition, image);
        as_pulses.parameters.lobes_aside_hz = lobes_aside_hz(acquisition, image);
        as_pulses.fades = fades_of(acquisition, as_pulses.parameters);
    }
    const auto lost_part = [&](const ImagePlan& plan) {
        return band_given
                   ? 0
                   : part_of_limits(worse_of({}, predicted_for_lost_ends(acquisition, plan, beam_hz, ShownBy::rows,
                                                                         {.range_hz = 0, .chirp_hz = chirp_hz})));
    };
    const auto has_room = [&](double rows) {
        const double rows_hz = rows * acquisition.prf_hz;
        if (part_beyond(0.5 * widest_hz, chirp_hz, 0.5 * rows_hz) > most_lost_at_chirp_ends) return false;
        return acquisition.flown_beside ? widest_hz <= readable * rows_hz && whole_hz <= rows_hz
                                        : has_room_for(widest_hz, rows_hz);
    };
    if (has_room(1) && lost_part(as_pulses) <= 1) return 1;
    double roomy = 1;            // the fewest that the beam fits in
    double best = 1, least = 1;  // of those that leave what is allowed
    for (const double rows : {1.25, 1.5, 2.0, 3.0, 4.0}) {
        if (!has_room(rows) || widest_hz + 2 * chirp_hz > readable * rows * acquisition.prf_hz) continue;
        if (roomy == 1) roomy = rows;
        finer.parameters.rows_per_pulse = rows;
        finer.fades = fades_of(acquisition, finer.parameters);
        const double lost = lost_part(finer);
        if (lost <= holding) return rows;
        if (lost < least) least = lost, best = rows;
    }
    return best > 1 || has_room(1) ? best : roomy;
}

double lobes_aside_hz(const Acquisition& acquisition, const ImagePlan& image) {
    constexpr double lobes = 6.5;          // to either side that show a point, in its range resolution
    constexpr double next_to_none = 0.01;  // of the beam
    constexpr std::int64_t fewest = 8;
    const double resolution_m = 0.5 * c_m_s / acquisition.chirp.bandwidth_hz();
    const double aside_hz = centroid_moves_hz(
        image, std::max(fewest, static_cast<std::int64_t>(lobes * resolution_m / image.grid.range_spacing_m)));
    return acquisition.azimuth_bandwidth_hz &&
                   aside_hz > next_to_none * illuminated_band_hz(acquisition, image.parameters)
               ? aside_hz
               : 0;
}

double band_of_whole_points_hz(const Acquisition& acquisition, const ImagePlan& image) {
    const FormerParameters& parameters = image.parameters;
    double wide_hz = parameters.azimuth_bandwidth_hz;
    if (part_lost_at_chirp_ends(acquisition, parameters) > most_lost_at_chirp_ends)
        wide_hz = band_to_chirp_ends_hz(acquisition, parameters);
    if (const double lobes_hz = lobes_aside_hz(acquisition, image); lobes_hz > 0)
        wide_hz = std::max(
            wide_hz, illuminated_band_hz(acquisition, parameters) + 2 * (lobes_hz + most_aside_hz(acquisition, image)));
    return std::min(wide_hz, widest_azimuth_band_hz(acquisition, parameters.doppler_centroid_hz, parameters.velocity));
}

double band_beside_lost_ends_hz(const Acquisition& acquisition, const ImagePlan& image, const Former& former) {
    constexpr int most_parts = 99, fewest_parts = 90;        // of a hundred
    constexpr double next_to_nothing = 0.15, holding = 0.9;  // of the limits
    // Of the PRF: spectra of rows that are to be read between; those of turned beams and uneven flights are skewed.
    const bool skewed = acquisition.flown_beside || std::abs(image.parameters.doppler_centroid_hz) > acquisition.prf_hz;
    const double readable = skewed ? 0.93 : 0.97;
    const auto of_limits = [&](const ImagePlan& plan) {
        return part_of_limits(worse_of({}, predicted_for_lost_ends(acquisition, plan, former)));
    };
    if (of_limits(image) <= 1) return image.parameters.azimuth_bandwidth_hz;
    const double beam_hz = *acquisition.azimuth_bandwidth_hz;
    ImagePlan part = image;
    double best_hz = image.parameters.azimuth_bandwidth_hz, least = holding;
    for (int parts = most_parts; parts >= fewest_parts && least > next_to_nothing; --parts) {
        part.parameters.azimuth_bandwidth_hz = 0.01 * parts * beam_hz;
        part.fades = fades_of(acquisition, part.parameters);
        // Pulses fade out slowly: quick edges would move points.
        if (part.fades.pulse_fade_hz < azimuth_fade * part.parameters.azimuth_bandwidth_hz) continue;
        // Rows whose spectrum fills the PRF cannot be read between.
        if (former.weighs_pulses && 2 * part.fades.pulse_reach_hz > readable * acquisition.prf_hz) continue;
        const double lost = of_limits(part);
        if (lost >= least) continue;
        least = lost;
        best_hz = part.parameters.azimuth_bandwidth_hz;
    }
    return best_hz;
}

}  // namespace cornerturn

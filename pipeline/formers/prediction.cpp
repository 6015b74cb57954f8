// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>

#include "kernels/host/fftw.h"
#include "kernels/math/phasor.h"
#include "pipeline/acquisition/pulse_interpolation.h"
#include "pipeline/acquisition/surface_fit.h"
#include "pipeline/formers/azimuth_filter.h"
#include "pipeline/formers/node_mesh.h"
#include "pipeline/formers/response_width.h"

namespace cornerturn {
namespace {

/// NaN counts as infinite.
double larger(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return INFINITY;
    return std::max(a, b);
}

/// Mean and slope of values over evenly spaced places, and what is left.
struct Straight {
    double mean = 0, slope = 0;
    std::vector<double> rest;

    Straight(const std::vector<double>& at, const std::vector<double>& values) {
        const auto count = static_cast<double>(at.size());
        double middle = 0, moment = 0, square = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            mean += values[i] / count;
            middle += at[i] / count;
        }
        for (std::size_t i = 0; i < at.size(); ++i) {
            moment += values[i] * (at[i] - middle);
            square += (at[i] - middle) * (at[i] - middle);
        }
        slope = moment / square;
        for (std::size_t i = 0; i < at.size(); ++i) rest.push_back(values[i] - mean - slope * (at[i] - middle));
    }
    double mean_square() const {
        double sum = 0;
        for (const double value : rest) sum += value * value;
        return sum / static_cast<double>(rest.size());
    }
};

/// The largest errors of points, by what the phase and the way along their apertures deviate.
class LargestErrors {
public:
    LargestErrors(const ImagePlan& image, double band_hz) : image_(image), band_hz_(band_hz) {}

    void add(const Straight& phase, const Straight& way, double after_cycles) {
        const double spacing_m = image_.grid.range_spacing_m;
        const double rows = phase.slope / image_.grid.time_spacing_s, columns = way.mean / spacing_m;
        const double blur = (way.mean_square() + way.slope * way.slope * band_hz_ * band_hz_ / 12) /
                            (image_.range_resolution_m * image_.range_resolution_m);
        add({.position_px = std::hypot(rows, columns),
             .phase_deg = 360 * std::abs(phase.mean - after_cycles),
             .width_percent = 100 * widened_by_blur(blur)});
        const double rest = phase.mean_square();
        if (rest > widest_rest_) {
            widest_rest_ = rest;
            rest_cycles_ = phase.rest;
        }
    }
    void add(const Prediction& other) { worst_ = worse_of(worst_, other); }

    Prediction all() const {
        if (!(widest_rest_ > 0)) return worst_;
        std::vector<std::complex<double>> band;
        for (const double cycles : rest_cycles_) band.push_back(std_phasor(cycles));
        const double ideal = response_width(std::vector<std::complex<double>>(band.size(), 1.0));
        return worse_of(worst_, {.width_percent = 100 * std::abs(response_width(band) / ideal - 1)});
    }

private:
    const ImagePlan& image_;
    double band_hz_;
    Prediction worst_;
    double widest_rest_ = 0;
    std::vector<double> rest_cycles_;  // of the target that has most
};

/// Targets of a block.
class Block {
public:
    Block(const Acquisition& acquisition, const ImagePlan& image, std::int64_t first_row, std::int64_t rows)
        : acquisition_(acquisition),
          image_(image),
          track_(image.seen_from->track()),
          band_hz_(illuminated_band_hz(acquisition, image.parameters)),
          first_row_(first_row),
          rows_(rows),
          errors_(image, band_hz_) {}

    Prediction predict() {
        const double first_m = image_.grid.range_m(0),
                     last_m = image_.grid.range_m(static_cast<double>(image_.grid.columns - 1));
        const auto looks = static_cast<std::int64_t>(
            std::ceil(4 * static_cast<double>(rows_ - 1) / std::max(image_.aperture_lines, 4.0)));
        const std::int64_t intervals =
            rows_ > 1 ? std::clamp<std::int64_t>(looks, 4, std::max<std::int64_t>(rows_, 4)) : 0;
        for (std::int64_t i = 0; i <= intervals; ++i) {
            const double part = intervals > 0 ? static_cast<double>(i) / static_cast<double>(intervals) : 0.0;
            const double row = static_cast<double>(first_row_) + part * static_cast<double>(rows_ - 1);
            const int ranges = track_.over_terrain() ? looks_over_terrain : looks_on_level;
            for (int k = 0; k < ranges; ++k)
                look_at(image_.grid.time_s(row), first_m + (last_m - first_m) * k / (ranges - 1));
        }
        return errors_.all();
    }

private:
    /// Near, mid and far; over a terrain histories differ from hill to hill.
    static constexpr int looks_on_level = 3, looks_over_terrain = 17;

    /// So many that no state vector's stretch of the aperture is passed over, nor more than pulses.
    std::size_t aperture_points(double aperture_s) const {
        constexpr double fewest = 33, of_a_stretch = 4;
        double points = fewest;
        if (acquisition_.orbit && acquisition_.orbit->time_s.size() > 1) {
            const std::vector<double>& times = acquisition_.orbit->time_s;
            const double stretch_s = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
            points = std::max(points, of_a_stretch * aperture_s / stretch_s);
        }
        const double pulses = std::max(fewest, std::ceil(aperture_s * acquisition_.prf_hz));
        return static_cast<std::size_t>(std::min(std::ceil(points), pulses));
    }

    void look_at(double zero_doppler_s, double range_m) {
        const BeamCentre beam = image_.seen_from->beam_centre(zero_doppler_s, range_m);
        const DelayHistory delay_s = track_.delay_history(zero_doppler_s, range_m);
        const RangeHistory& history = image_.history;
        const double centre_hz = history.centroid_hz(range_m), carrier_hz = acquisition_.carrier_hz;
        if (!(beam.rate_hz_s > 0) || !std::isfinite(beam.time_s)) {
            errors_.add(Prediction{INFINITY, INFINITY, INFINITY});
            return;
        }
        const double first_s = acquisition_.pulse_time_s(-0.5),
                     last_s = acquisition_.pulse_time_s(static_cast<double>(acquisition_.lines) - 0.5);
        const double recorded_part = std::min(1.0, (last_s - first_s) * beam.rate_hz_s / band_hz_);
        constexpr double least_part = 1.0 / 64;  // shorter echoes have next to no aperture to be wrong in
        const auto points = static_cast<std::size_t>(static_cast<double>(aperture_points(band_hz_ / beam.rate_hz_s)) /
                                                     std::max(recorded_part, least_part));
        std::vector<double> offsets_hz, cycles, ways_m;
        for (std::size_t k = 0; k < points; ++k) {
            const double offset_hz = band_hz_ * ((static_cast<double>(k) + 0.5) / static_cast<double>(points) - 0.5);
            const double f_hz = centre_hz + std::clamp(beam.centroid_hz + offset_hz - centre_hz,
                                                       -history.half_band_hz(), history.half_band_hz());
            const double time_s = history.time_s(range_m, f_hz);
            // Where nothing was recorded the track may be a guess.
            if (zero_doppler_s + time_s < first_s || zero_doppler_s + time_s > last_s) continue;
            const double tau_s = delay_s(time_s), slant_m = 0.5 * speed_of_light_m_s * tau_s;
            const double meant_cycles =
                history.phase_cycles(range_m, f_hz) - f_hz * time_s + 2 * range_m / speed_of_light_m_s * carrier_hz;
            const double before_cycles =
                image_.drift ? image_.drift->before_cycles(zero_doppler_s + time_s, slant_m) : 0.0;
            offsets_hz.push_back(offset_hz);
            cycles.push_back(carrier_hz * tau_s - before_cycles - meant_cycles);
            ways_m.push_back(slant_m - history.slant_m(range_m, f_hz));
        }
        // Points at the edges, of which files say that they are not covered, have no place to be held to.
        constexpr double covered = 0.9;
        constexpr std::size_t fewest = 17;  // with fewer the response repeats within what is looked at
        if (offsets_hz.size() < fewest ||
            static_cast<double>(offsets_hz.size()) < covered * recorded_part * static_cast<double>(points))
            return;
        const double after_cycles = image_.drift ? image_.drift->after_cycles(zero_doppler_s, range_m) : 0.0;
        errors_.add(Straight(offsets_hz, cycles), Straight(offsets_hz, ways_m), after_cycles);
    }

    const Acquisition& acquisition_;
    const ImagePlan& image_;
    const Track& track_;
    double band_hz_;
    std::int64_t first_row_, rows_;
    LargestErrors errors_;
};

}  // namespace

Prediction worse_of(const Prediction& a, const Prediction& b) {
    return {.position_px = larger(a.position_px, b.position_px),
            .phase_deg = larger(a.phase_deg, b.phase_deg),
            .width_percent = larger(a.width_percent, b.width_percent)};
}

bool holds(const Prediction& prediction, const Prediction& limits) {
    return prediction.position_px <= limits.position_px && prediction.phase_deg <= limits.phase_deg &&
           prediction.width_percent <= limits.width_percent;
}

std::string text_of(const Prediction& prediction) {
    constexpr double least_px = 1e-4, least = 0.01;  // nobody asks for more than that
    return fmt::format("{:.2g} px, {:.2g} degrees and {:.2g} % of width", std::max(least_px, prediction.position_px),
                       std::max(least, prediction.phase_deg), std::max(least, prediction.width_percent));
}

Prediction predicted_along_track(const Acquisition& acquisition, const ImagePlan& block, std::int64_t first_row,
                                 std::int64_t rows) {
    if (block.seen_from->steady() || rows < 1 || block.grid.columns < 1) return {};
    return Block(acquisition, block, first_row, rows).predict();
}

Prediction predicted_for_relief(const Acquisition& acquisition, const ImagePlan& image, const SceneHeight& height_m) {
    constexpr int pulses = 33;
    const Track& track = image.seen_from->track();
    const double band_hz = illuminated_band_hz(acquisition, image.parameters);
    LargestErrors errors(image, band_hz);
    for (const SceneHeight::Relief& there : height_m.relief()) {
        const double row = (there.zero_doppler_time_s - image.grid.first_time_s) / image.grid.time_spacing_s,
                     column = (there.range_m - image.grid.near_range_m) / image.grid.range_spacing_m;
        if (row < 0 || row >= static_cast<double>(image.grid.rows) || column < 0 ||
            column >= static_cast<double>(image.grid.columns))
            continue;
        const BeamCentre beam = image.seen_from->beam_centre(there.zero_doppler_time_s, there.range_m);
        const auto [place, rise] = track.places(there.zero_doppler_time_s)(there.range_m);
        // Along the rise and back to the range: zero Doppler is a plane.
        const Place antenna = track.pulse_path(there.zero_doppler_time_s).start;
        const Place along_rise = place + there.height_m * rise;
        const double nearer = distance_m(antenna, place) / distance_m(antenna, along_rise);
        const Place raised = nearer * along_rise + (1 - nearer) * antenna;
        std::vector<double> offsets_hz, cycles, ways_m;
        for (int k = 0; k < pulses; ++k) {
            const double offset_hz = band_hz * ((k + 0.5) / pulses - 0.5);
            const PulsePath path =
                track.pulse_path(there.zero_doppler_time_s + beam.time_s - offset_hz / beam.rate_hz_s);
            const double later_s = sent_delay_s(path, 0, raised) - sent_delay_s(path, 0, place);
            offsets_hz.push_back(offset_hz);
            cycles.push_back(acquisition.carrier_hz * later_s);
            ways_m.push_back(0.5 * speed_of_light_m_s * later_s);
        }
        errors.add(Straight(offsets_hz, cycles), Straight(offsets_hz, ways_m), 0);
    }
    return errors.all();
}

namespace {

/// The spectrum of a beam that ends sharply, of a linear chirp less its phase, at x = f / sqrt(Ka): the integral of
/// exp(j pi (u - x)^2) over |u| <= B / (2 sqrt(Ka)).
class BeamSpectrum {
public:
    static constexpr double reach = 2;  // beams to either side: what is beyond amounts to less than a thousandth

    BeamSpectrum(double beam_hz, double fm_rate_hz_s)
        : root_rate_(std::sqrt(fm_rate_hz_s)), half_(0.5 * beam_hz / root_rate_), step_(0.02 / std::max(half_, 1.0)) {
        from_zero_.resize(static_cast<std::size_t>((1 + 2 * reach) * half_ / step_) + 3);
        for (std::size_t i = 1; i < from_zero_.size(); ++i) {
            const double middle = (static_cast<double>(i) - 0.5) * step_;
            from_zero_[i] = from_zero_[i - 1] + step_ * std_phasor(0.5 * middle * middle);
        }
    }
    std::complex<double> operator()(double offset_hz) const {
        const double x = offset_hz / root_rate_;
        return integral(half_ - x) - integral(-half_ - x);
    }

private:
    std::complex<double> integral(double v) const {
        const std::complex<double> size = from_zero_[static_cast<std::size_t>(std::llround(std::abs(v) / step_))];
        return v < 0 ? -size : size;
    }

    double root_rate_, half_, step_;
    std::vector<std::complex<double>> from_zero_;
};

/// Over a part of the beam, as theory has it: nothing beyond.
double window_of_part(const FormerParameters& parameters, double offset_hz) {
    const double part = offset_hz / parameters.azimuth_bandwidth_hz;
    return std::abs(part) > 0.5 ? 0 : parameters.azimuth_window(part);
}

/// Of pulses that are weighed with a fading edge, where the beam ends within it.
Prediction predicted_for_weights(const ImagePlan& image, double beam_hz) {
    constexpr int frequencies = 401;
    constexpr double looked_at = 1.2;  // of the beam
    std::vector<std::complex<double>> theory, kept;
    for (int k = 0; k < frequencies; ++k) {
        const double offset_hz = looked_at * beam_hz * ((k + 0.5) / frequencies - 0.5);
        theory.push_back(window_of_part(image.parameters, offset_hz));
        kept.push_back(std::abs(offset_hz) > 0.5 * beam_hz ? 0 : pulse_window(image, offset_hz));
    }
    return {.width_percent = 100 * std::abs(response_width(kept) / response_width(theory) - 1)};
}

}  // namespace

double widest_beam_hz(const Acquisition& acquisition, const ImagePlan& image) {
    const ImageGrid& grid = image.grid;
    constexpr int ranges = 9;
    double widening = 1;
    for (int k = 0; k < ranges; ++k) {
        const double part = k / (ranges - 1.0);
        const BeamCentre beam =
            image.seen_from->beam_centre(grid.time_s(0.5 * static_cast<double>(grid.rows - 1)),
                                         grid.range_m(part * static_cast<double>(grid.columns - 1)));
        if (std::isfinite(beam.widening)) widening = std::max(widening, beam.widening);
    }
    return widening * acquisition.azimuth_bandwidth_hz.value_or(0);
}

Prediction predicted_for_lost_ends(const Acquisition& acquisition, const ImagePlan& image, bool weighs_pulses) {
    const double beam_hz = widest_beam_hz(acquisition, image), prf_hz = acquisition.prf_hz,
                 range_m = image.reference_range_m();
    if (!(beam_hz > 0) || !image.parameters.keeps_beam) return {};
    const double processed_hz = image.parameters.azimuth_bandwidth_hz;
    const bool in_part = processed_hz < beam_hz;
    if (in_part && weighs_pulses) return predicted_for_weights(image, beam_hz);
    const double fm_rate_hz_s = image.history.fm_rate_hz_s(range_m, image.history.centroid_hz(range_m));
    constexpr double longest = 4096;  // time times bandwidth: ends of longer apertures are too short to matter
    if (!(beam_hz * beam_hz < longest * fm_rate_hz_s)) return {};

    const BeamSpectrum spectrum(beam_hz, fm_rate_hz_s);
    // What lies beyond the PRF comes back at its other end, of lines or of rows: with a phase that goes with where the
    // point lies between them, and of lines with that of its chirp.
    const auto sampled = [&](double offset_hz, double line) {
        std::complex<double> sum = spectrum(offset_hz);
        for (const double turn : {-1.0, 1.0}) {
            const double true_hz = offset_hz + turn * prf_hz;
            if (std::abs(true_hz) > BeamSpectrum::reach * beam_hz) continue;
            const double chirp = weighs_pulses ? 0 : 0.5 * (offset_hz * offset_hz - true_hz * true_hz) / fm_rate_hz_s;
            sum += spectrum(true_hz) * std_phasor(chirp - turn * line);
        }
        return sum;
    };
    const auto weight = [&](double offset_hz) {
        if (weighs_pulses) return std::abs(offset_hz) < 0.5 * prf_hz ? 1.0 : 0.0;
        return azimuth_window(image, prf_hz, offset_hz);
    };
    constexpr int frequencies = 401;
    std::vector<std::complex<double>> whole;
    std::array<std::vector<std::complex<double>>, 4> kept;
    for (int k = 0; k < frequencies; ++k) {
        const double offset_hz = 2 * beam_hz * ((k + 0.5) / frequencies - 0.5);
        const double over_band = std::clamp(offset_hz / processed_hz, -0.5, 0.5);
        whole.push_back(in_part ? window_of_part(image.parameters, offset_hz)
                                : image.parameters.azimuth_window(over_band) * spectrum(offset_hz));
        for (std::size_t i = 0; i < kept.size(); ++i)
            kept[i].push_back(sampled(offset_hz, static_cast<double>(i) / kept.size()) * weight(offset_hz));
    }
    const BandResponse ideal = response_of(whole);
    constexpr double nearly_filled = 0.8;  // where a PRF has room, what is beyond does not come back
    const bool moves = beam_hz > nearly_filled * prf_hz;
    const double rows = prf_hz / (2 * beam_hz);  // of 1 / (what is looked at)
    Prediction worst;
    for (const auto& at_line : kept) {
        const BandResponse response = response_of(at_line);
        // Narrower, as what is far beyond the beam does not take part, is as theory has it.
        worst = worse_of(worst, {.position_px = moves ? rows * std::abs(response.place - ideal.place) : 0,
                                 .width_percent = std::max(0.0, 100 * (response.width / ideal.width - 1))});
    }
    return worst;
}

namespace {

/// A line that was interpolated, or a gap.
class InterpolatedLine {
public:
    InterpolatedLine(const Acquisition& acquisition, double line) : band_(acquisition.interpolated->band) {
        const double time_s = acquisition.pulse_time_s(line), prf_hz = acquisition.prf_hz;
        const std::vector<double>& times_s = acquisition.interpolated->pulse_times_s;
        const auto intervals_to = [&](std::ptrdiff_t i) {
            return (times_s[static_cast<std::size_t>(i)] - time_s) * prf_hz;
        };
        const auto count = static_cast<std::ptrdiff_t>(times_s.size());
        std::ptrdiff_t behind =
                           std::lower_bound(times_s.begin(), times_s.end(), time_s - 1e-6 / prf_hz) - times_s.begin(),
                       before = behind - 1;
        const double to_behind = behind < count ? intervals_to(behind) : INFINITY,
                     to_before = std::abs(to_behind) < 1e-6 ? 0
                                 : before >= 0              ? -intervals_to(before)
                                                            : INFINITY;
        while (intervals_.size() < most_interpolated_pulses && (before >= 0 || behind < count)) {
            const bool next_is_behind = before < 0 || (behind < count && intervals_to(behind) <= -intervals_to(before));
            const double next = intervals_to(next_is_behind ? behind++ : before--);
            if (std::abs(next) > interpolation_reach) break;
            intervals_.push_back(next);
        }
        is_gap_ = intervals_.empty() || (to_behind + to_before >= interpolation_gap &&
                                         interpolation_error(intervals_, band_) >= largest_interpolation_error);
        if (!is_gap_) weights_ = interpolation_weights(intervals_, band_);
    }

    bool is_gap() const { return is_gap_; }
    /// Of a signal over intervals from the line.
    template <class Signal>
    std::complex<double> of(const Signal& signal) const {
        std::complex<double> sum = 0;
        for (std::size_t i = 0; i < weights_.size(); ++i) sum += weights_[i] * signal(intervals_[i]);
        return sum;
    }

private:
    double band_;
    bool is_gap_ = true;
    std::vector<double> intervals_, weights_;
};

/// A point's lines, sent at equal times and interpolated, and what the azimuth filter makes of either.
class InterpolatedPoint {
public:
    InterpolatedPoint(const Acquisition& acquisition, const ImagePlan& image, double beam_hz, double fm_rate_hz_s)
        : acquisition_(acquisition),
          image_(image),
          half_beam_s_(0.5 * beam_hz / fm_rate_hz_s),
          fm_rate_hz_s_(fm_rate_hz_s),
          beside_(std::ceil(half_beam_s_ * acquisition.prf_hz + interpolation_reach)),
          length_(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * beside_ + 2)))),
          spectrum_(length_, FftDirection::forward),
          meant_(length_),
          made_(length_) {}

    /// Of the point in the beam's centre at a line.
    Prediction at(double line) {
        const double first = std::floor(line) - beside_, prf_hz = acquisition_.prf_hz;
        std::fill_n(meant_.data(), length_, Complex<double>{});
        std::fill_n(made_.data(), length_, Complex<double>{});
        for (std::int64_t i = 0; i <= static_cast<std::int64_t>(2 * beside_ + 1); ++i) {
            const double here = first + static_cast<double>(i);
            if (here < 0 || here >= static_cast<double>(acquisition_.lines)) continue;
            const InterpolatedLine interpolated(acquisition_, here);
            if (interpolated.is_gap()) continue;
            const auto signal = [&](double intervals) { return echo((here - line + intervals) / prf_hz); };
            put(signal(0), meant_, i);
            put(interpolated.of(signal), made_, i);
        }
        spectrum_(meant_.data());
        spectrum_(made_.data());
        std::vector<std::complex<double>> meant, made;
        const double step_hz = prf_hz / static_cast<double>(length_);
        const auto half = static_cast<std::int64_t>(0.5 * band_hz() / step_hz);
        for (std::int64_t bin = -half; bin <= half; ++bin) {
            const double f_hz = static_cast<double>(bin) * step_hz;
            const std::complex<double> filter =
                azimuth_window(image_, prf_hz, f_hz) *
                std_phasor(-0.5 * f_hz * f_hz / fm_rate_hz_s_ + f_hz * (line - first) / prf_hz);
            meant.push_back(filter * taken(meant_, bin));
            made.push_back(filter * taken(made_, bin));
        }
        const BandResponse response = response_of(made), ideal = response_of(meant);
        return {.position_px =
                    std::abs(response.place - ideal.place) * prf_hz / (step_hz * static_cast<double>(made.size())),
                .phase_deg = 360 * std::abs(std::remainder(response.phase_cycles - ideal.phase_cycles, 1.0)),
                .width_percent = 100 * std::abs(response.width / ideal.width - 1)};
    }

private:
    /// Doppler falls while it passes a beam that ends sharply.
    std::complex<double> echo(double time_s) const {
        if (std::abs(time_s) > half_beam_s_) return 0;
        return std_phasor(-0.5 * fm_rate_hz_s_ * time_s * time_s);
    }
    double band_hz() const {
        return std::min(acquisition_.prf_hz, image_.parameters.azimuth_bandwidth_hz + image_.reach.azimuth_fade_hz);
    }
    static void put(std::complex<double> value, LineBuffer<double>& line, std::int64_t i) {
        line.data()[i] = {value.real(), value.imag()};
    }
    std::complex<double> taken(const LineBuffer<double>& line, std::int64_t bin) const {
        const Complex<double> value = line.data()[bin < 0 ? bin + length_ : bin];
        return {value.re, value.im};
    }

    const Acquisition& acquisition_;
    const ImagePlan& image_;
    double half_beam_s_, fm_rate_hz_s_, beside_;  // in lines
    std::int64_t length_;
    LineFft<double> spectrum_;
    LineBuffer<double> meant_, made_;
};

}  // namespace

Prediction predicted_for_interpolation(const Acquisition& acquisition, const ImagePlan& image) {
    // What compensation leaves was looked at with the very weights.
    if (!acquisition.interpolated || (acquisition.motion && !acquisition.flown_beside)) return {};
    const double range_m = image.reference_range_m(),
                 rate_hz_s = image.history.fm_rate_hz_s(range_m, image.history.centroid_hz(range_m)),
                 beam_hz = acquisition.azimuth_bandwidth_hz.value_or(image.parameters.azimuth_bandwidth_hz);
    const double aperture = std::floor(beam_hz / rate_hz_s * acquisition.prf_hz),
                 lines = static_cast<double>(acquisition.lines);
    constexpr double fewest_lines = 9, looked_at = 20000;
    if (!(aperture >= fewest_lines)) return {};
    if (aperture > lines) return {};  // no target is seen whole
    const double targets = std::clamp(std::floor(looked_at / aperture), 3.0, 24.0);
    InterpolatedPoint point(acquisition, image, beam_hz, rate_hz_s);
    Prediction worst;
    for (double target = 0; target < targets; ++target)
        worst = worse_of(worst, point.at(0.5 * aperture + (lines - 1 - aperture) * target / (targets - 1)));
    return worst;
}

double band_beside_lost_ends_hz(const Acquisition& acquisition, const ImagePlan& image, bool weighs_pulses) {
    constexpr int most_parts = 99, fewest_parts = 90;        // of a hundred
    constexpr double next_to_nothing = 0.15, holding = 0.9;  // of the limits
    // Of the PRF: spectra of rows that are to be read between; those of turned beams and uneven flights are skewed.
    const bool skewed = acquisition.flown_beside || std::abs(image.parameters.doppler_centroid_hz) > acquisition.prf_hz;
    const double readable = skewed ? 0.93 : 0.97;
    const auto of_limits = [&](const ImagePlan& plan) {
        const Prediction lost = predicted_for_lost_ends(acquisition, plan, weighs_pulses);
        return larger(lost.position_px / error_limits.position_px, lost.width_percent / error_limits.width_percent);
    };
    if (of_limits(image) <= 1) return image.parameters.azimuth_bandwidth_hz;
    const double beam_hz = *acquisition.azimuth_bandwidth_hz;
    ImagePlan part = image;
    double best_hz = image.parameters.azimuth_bandwidth_hz, least = holding;
    for (int parts = most_parts; parts >= fewest_parts && least > next_to_nothing; --parts) {
        part.parameters.azimuth_bandwidth_hz = 0.01 * parts * beam_hz;
        part.reach = fades_of(acquisition, part.parameters);
        // Pulses fade out slowly: quick edges would move points.
        if (part.reach.pulse_fade_hz < azimuth_fade * part.parameters.azimuth_bandwidth_hz) continue;
        // Rows whose spectrum fills the PRF cannot be read between.
        if (weighs_pulses && 2 * part.reach.pulse_reach_hz > readable * acquisition.prf_hz) continue;
        const double lost = of_limits(part);
        if (lost >= least) continue;
        least = lost;
        best_hz = part.parameters.azimuth_bandwidth_hz;
    }
    return best_hz;
}

}  // namespace cornerturn

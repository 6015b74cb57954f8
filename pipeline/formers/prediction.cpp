// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "kernels/host/side_by_side.h"
#include "kernels/math/phasor.h"
#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/formers/node_mesh.h"
#include "pipeline/formers/processed_band.h"
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
        const StraightLine line = line_through(at.size(), [&](std::size_t i) {
            return LinePoint{at[i], values[i], 1};
        });
        mean = line.mean, slope = line.slope;
        for (std::size_t i = 0; i < at.size(); ++i) rest.push_back(values[i] - line(at[i]));
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
    LargestErrors(const Acquisition& acquisition, const ImageGrid& grid, double band_hz)
        : grid_(grid), resolution_m_(range_resolution_m(acquisition)), band_hz_(band_hz) {}

    void add(const Straight& phase, const Straight& way, double after_cycles) {
        const double rows = phase.slope / grid_.time_spacing_s, columns = way.mean / grid_.range_spacing_m;
        const double blur =
            (way.mean_square() + way.slope * way.slope * band_hz_ * band_hz_ / 12) / (resolution_m_ * resolution_m_);
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
        const double ideal = response_of(std::vector<std::complex<double>>(band.size(), 1.0)).width;
        return worse_of(worst_, {.width_percent = 100 * std::abs(response_of(band).width / ideal - 1)});
    }

private:
    const ImageGrid& grid_;
    double resolution_m_;  // in range
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
          track_(image.geometry->track()),
          band_hz_(illuminated_band_hz(acquisition, image.parameters)),
          first_row_(first_row),
          rows_(rows) {}

    Prediction predict() const {
        const double first_m = image_.grid.range_m(0),
                     last_m = image_.grid.range_m(static_cast<double>(image_.grid.columns - 1));
        const auto looks = static_cast<std::int64_t>(
            std::ceil(4 * static_cast<double>(rows_ - 1) / std::max(image_.aperture.lines, 4.0)));
        const std::int64_t intervals =
            rows_ > 1 ? std::clamp<std::int64_t>(looks, 4, std::max<std::int64_t>(rows_, 4)) : 0;
        const int ranges = track_.over_terrain() ? looks_over_terrain : looks_on_level;
        const std::vector<Look> found =
            side_by_side(static_cast<std::size_t>((intervals + 1) * ranges), [&](std::size_t look) {
                const auto i = static_cast<std::int64_t>(look) / ranges, k = static_cast<std::int64_t>(look) % ranges;
                const double part = intervals > 0 ? static_cast<double>(i) / static_cast<double>(intervals) : 0.0;
                const double row = static_cast<double>(first_row_) + part * static_cast<double>(rows_ - 1);
                return look_at(image_.grid.time_s(row),
                               first_m + (last_m - first_m) * static_cast<double>(k) / (ranges - 1));
            });
        LargestErrors errors(acquisition_, image_.grid, band_hz_);
        for (const Look& look : found) {
            if (look.lost)
                errors.add(Prediction{INFINITY, INFINITY, INFINITY});
            else if (!look.offsets_hz.empty())
                errors.add(Straight(look.offsets_hz, look.cycles), Straight(look.offsets_hz, look.ways_m),
                           look.after_cycles);
        }
        return errors.all();
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

    /// At one target: what of phase and way the history leaves over its aperture.
    struct Look {
        bool lost = false;                               ///< no beam centre is found
        std::vector<double> offsets_hz, cycles, ways_m;  ///< empty where too little of it was recorded
        double after_cycles = 0;
    };

    Look look_at(double zero_doppler_s, double range_m) const {
        const BeamCentre beam = image_.geometry->beam_centre(zero_doppler_s, range_m);
        const DelayHistory delay_s = track_.delay_history(zero_doppler_s, range_m);
        const RangeHistory& history = image_.histories.middle;
        const double centre_hz = history.centroid_hz(range_m), carrier_hz = acquisition_.carrier_hz;
        Look look;
        look.lost = !(beam.rate_hz_s > 0) || !std::isfinite(beam.time_s);
        if (look.lost) return look;
        const double first_s = acquisition_.pulse_time_s(-0.5),
                     last_s = acquisition_.pulse_time_s(static_cast<double>(acquisition_.lines) - 0.5);
        const double recorded_part = std::min(1.0, (last_s - first_s) * beam.rate_hz_s / band_hz_);
        constexpr double least_part = 1.0 / 64;  // shorter echoes have next to no aperture to be wrong in
        const auto points = static_cast<std::size_t>(static_cast<double>(aperture_points(band_hz_ / beam.rate_hz_s)) /
                                                     std::max(recorded_part, least_part));
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
                image_.histories.drift ? image_.histories.drift->before_cycles(zero_doppler_s + time_s, slant_m) : 0.0;
            look.offsets_hz.push_back(offset_hz);
            look.cycles.push_back(carrier_hz * tau_s - before_cycles - meant_cycles);
            look.ways_m.push_back(slant_m - history.slant_m(range_m, f_hz));
        }
        // Points at the edges, of which files say that they are not covered, have no place to be held to.
        constexpr double covered = 0.9;
        constexpr std::size_t fewest = 17;  // with fewer the response repeats within what is looked at
        if (look.offsets_hz.size() < fewest ||
            static_cast<double>(look.offsets_hz.size()) < covered * recorded_part * static_cast<double>(points))
            return {};
        if (image_.histories.drift) look.after_cycles = image_.histories.drift->after_cycles(zero_doppler_s, range_m);
        return look;
    }

    const Acquisition& acquisition_;
    const ImagePlan& image_;
    const Track& track_;
    double band_hz_;
    std::int64_t first_row_, rows_;
};

}  // namespace

Prediction worse_of(const Prediction& a, const Prediction& b) {
    return {.position_px = larger(a.position_px, b.position_px),
            .phase_deg = larger(a.phase_deg, b.phase_deg),
            .width_percent = larger(a.width_percent, b.width_percent)};
}

Prediction sum_of(const Prediction& a, const Prediction& b) {
    return {.position_px = a.position_px + b.position_px,
            .phase_deg = a.phase_deg + b.phase_deg,
            .width_percent = a.width_percent + b.width_percent};
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
    if (block.geometry->steady() || rows < 1 || block.grid.columns < 1) return {};
    return Block(acquisition, block, first_row, rows).predict();
}

Prediction predicted_for_relief(const Acquisition& acquisition, const ImagePlan& image, const SceneHeight& height_m) {
    constexpr int pulses = 33;
    const Track& track = image.geometry->track();
    const double band_hz = illuminated_band_hz(acquisition, image.parameters);
    LargestErrors errors(acquisition, image.grid, band_hz);
    for (const SceneHeight::Relief& there : height_m.relief()) {
        const double row = (there.zero_doppler_time_s - image.grid.first_time_s) / image.grid.time_spacing_s,
                     column = (there.range_m - image.grid.near_range_m) / image.grid.range_spacing_m;
        if (row < 0 || row >= static_cast<double>(image.grid.rows) || column < 0 ||
            column >= static_cast<double>(image.grid.columns))
            continue;
        const BeamCentre beam = image.geometry->beam_centre(there.zero_doppler_time_s, there.range_m);
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

}  // namespace cornerturn

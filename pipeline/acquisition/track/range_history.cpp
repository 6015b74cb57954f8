// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/range_history.h"

#include <algorithm>
#include <cmath>

#include "kernels/host/side_by_side.h"

namespace cornerturn {
namespace {

constexpr int ranges = 12, ranges_over_terrain = 24;  // nodes over the swath
constexpr int fewest_frequencies = 6, most_frequencies = 40, most_delay_terms = 64;
/// What the positions of a satellite are rounded to amounts to a tenth of it.
constexpr double largest_error_cycles = 3e-7;

/// Doppler frequency and rate of one target by differences of its delay.
class DopplerHistory {
public:
    DopplerHistory(const Track& track, double carrier_hz, double zero_doppler_time_s, double range_m)
        : carrier_hz_(carrier_hz),
          zero_doppler_time_s_(zero_doppler_time_s),
          step_s_(1e-4 * range_m / track.speed_m_s(zero_doppler_time_s, range_m)),
          delay_s_(track.delay_history(zero_doppler_time_s, range_m)) {}

    double delay_s(double time_s) const { return delay_s_(time_s); }
    double hz(double time_s) const {
        return -carrier_hz_ * (delay_s_(time_s + step_s_) - delay_s_(time_s - step_s_)) / (2 * step_s_);
    }
    double rate_hz_s(double time_s) const {
        return (hz(time_s - 10 * step_s_) - hz(time_s + 10 * step_s_)) / (20 * step_s_);
    }
    double centroid_hz(const DopplerModel& model, double time_s) const {
        return model(zero_doppler_time_s_ + time_s, 0.5 * speed_of_light_m_s * delay_s_(time_s));
    }
    /// Of what the beam's centre shows where the target is.
    double centroid_slope_hz_s(const DopplerModel& model, double time_s) const {
        return (centroid_hz(model, time_s + 10 * step_s_) - centroid_hz(model, time_s - 10 * step_s_)) / (20 * step_s_);
    }

    /// As if the beam's centre lay on the target at a time.
    BeamCentre beam_at(const DopplerModel& model, double time_s) const {
        const double fm_rate_hz_s = rate_hz_s(time_s);
        return {time_s, centroid_hz(model, time_s), fm_rate_hz_s,
                fm_rate_hz_s / (fm_rate_hz_s + centroid_slope_hz_s(model, time_s))};
    }

    /// When the beam's centre lies on the target, by Newton's method. Where it is steered, it comes to meet it or goes
    /// along with it.
    double beam_offset_s(const DopplerModel& model) const {
        double time_s = 0;
        for (int round = 0; round < 50; ++round) {
            const BeamCentre here = beam_at(model, time_s);
            const double meeting_hz_s = here.steered() ? here.rate_hz_s / here.widening : here.rate_hz_s;
            const double step_s = (hz(time_s) - here.centroid_hz) / meeting_hz_s;
            time_s += step_s;
            if (std::abs(step_s) < 1e-5 * step_s_) break;
        }
        return time_s;
    }
    /// Half of the time in which the frequency runs through a band, with a margin.
    double half_time_s(double centre_s, double half_band_hz) const {
        const double centre_hz = hz(centre_s);
        double half_s = half_band_hz / rate_hz_s(centre_s);
        for (int round = 0; round < 60; ++round) {
            if (hz(centre_s - half_s) - centre_hz >= half_band_hz && centre_hz - hz(centre_s + half_s) >= half_band_hz)
                break;
            half_s *= 1.05;
        }
        return 1.05 * half_s;
    }

private:
    double carrier_hz_, zero_doppler_time_s_, step_s_;
    DelayHistory delay_s_;
};

/// Where a series takes a value, by Newton's method; series go on a little way outside their interval.
double stationary_s(const ChebyshevSeries& slope, const ChebyshevSeries& bend, double value, double time_s) {
    for (int round = 0; round < 20; ++round) {
        const double step_s = (slope(time_s) - value) / bend(time_s);
        time_s -= step_s;
        if (!(std::abs(step_s) > 1e-13 * (slope.to() - slope.from()))) break;
    }
    return time_s;
}

/// The delay of one target as a series over the time in which it is looked at.
class TargetPassage {
public:
    TargetPassage(const Track& track, double carrier_hz, double zero_doppler_time_s, double range_m,
                  const DopplerModel& model, double half_band_hz, const EchoPhase& added_cycles) {
        const DopplerHistory doppler(track, carrier_hz, zero_doppler_time_s, range_m);
        const double centre_s = doppler.beam_offset_s(model), half_s = doppler.half_time_s(centre_s, half_band_hz);
        centroid_hz_ = doppler.centroid_hz(model, centre_s);
        delay_s_ = ChebyshevSeries::of(centre_s - half_s, centre_s + half_s, largest_error_cycles / carrier_hz,
                                       most_delay_terms, [&](double t) { return doppler.delay_s(t); });
        std::vector<double> phase;
        for (const double t :
             chebyshev_points(delay_s_.from(), delay_s_.to(), static_cast<int>(delay_s_.coefficients().size()))) {
            const double tau = doppler.delay_s(t);
            phase.push_back(
                carrier_hz * tau -
                (added_cycles ? added_cycles(zero_doppler_time_s + t, 0.5 * speed_of_light_m_s * tau) : 0.0));
        }
        phase_cycles_ = ChebyshevSeries::through(delay_s_.from(), delay_s_.to(), phase);
        slope_ = phase_cycles_.derivative();
        rate_hz_s_ = slope_.derivative();
    }

    double centroid_hz() const { return centroid_hz_; }
    const ChebyshevSeries& delay_s() const { return delay_s_; }
    double phase_cycles(double time_s) const { return phase_cycles_(time_s); }
    double rate_hz_s(double time_s) const { return rate_hz_s_(time_s); }
    double time_s(double doppler_hz) const {
        return stationary_s(slope_, rate_hz_s_, -doppler_hz, 0.5 * (slope_.from() + slope_.to()));
    }

private:
    double centroid_hz_;
    ChebyshevSeries delay_s_, phase_cycles_, slope_, rate_hz_s_;
};

/// Of one closest range, over the offset from its centroid.
struct LawsOfRange {
    ChebyshevSeries time_s, migration_s, phase_cycles, root_rate, added_cycles;
    double tail = 0;  ///< what more frequencies might change, over what is allowed

    LawsOfRange(const TargetPassage& passage, double carrier_hz, double range_m, double half_hz, int frequencies) {
        const double ideal_s = 2 * range_m / speed_of_light_m_s;
        std::vector<double> time, migration, phase, rate, added;
        for (const double offset_hz : chebyshev_points(-half_hz, half_hz, frequencies)) {
            const double f_hz = passage.centroid_hz() + offset_hz, t = passage.time_s(f_hz),
                         delay_s = passage.delay_s()(t);
            time.push_back(t), migration.push_back(delay_s - ideal_s);
            phase.push_back(passage.phase_cycles(t) + f_hz * t - ideal_s * carrier_hz);
            added.push_back(carrier_hz * delay_s - passage.phase_cycles(t));
            rate.push_back(std::sqrt(passage.rate_hz_s(t) * range_m));
        }
        const auto series = [&](const std::vector<double>& values) {
            return ChebyshevSeries::through(-half_hz, half_hz, values);
        };
        time_s = series(time), migration_s = series(migration), phase_cycles = series(phase), root_rate = series(rate);
        added_cycles = series(added);
        tail = std::max({tail, phase_cycles.tail() / largest_error_cycles,
                         migration_s.tail() * carrier_hz / (10 * largest_error_cycles),
                         root_rate.tail() / (1e-7 * rate[0])});
    }
};

}  // namespace

BeamCentre beam_centre(const Track& track, double carrier_hz, double zero_doppler_time_s, double range_m,
                       const DopplerModel& centroid_hz) {
    const DopplerHistory doppler(track, carrier_hz, zero_doppler_time_s, range_m);
    return doppler.beam_at(centroid_hz, doppler.beam_offset_s(centroid_hz));
}

double offset_under_beam_s(const Track& track, double carrier_hz, double beam_time_s, double range_m,
                           const DopplerModel& centroid_hz) {
    double offset_s = 0;
    for (int round = 0; round < 50; ++round) {
        const DopplerHistory doppler(track, carrier_hz, beam_time_s - offset_s, range_m);
        const double step_s =
            (doppler.hz(offset_s) - doppler.centroid_hz(centroid_hz, offset_s)) / doppler.rate_hz_s(offset_s);
        offset_s += step_s;
        if (std::abs(step_s) < 1e-7) break;
    }
    return offset_s;
}

RangeHistory::RangeHistory(const Track& track, double carrier_hz, double zero_doppler_time_s,
                           const DopplerModel& centroid_hz, const HistorySpan& span, const EchoPhase& added_cycles)
    : carrier_hz_(carrier_hz), span_(span) {
    const std::vector<double> nodes =
        chebyshev_points(span.from_m, span.to_m, track.over_terrain() ? ranges_over_terrain : ranges);
    const std::vector<TargetPassage> passages = side_by_side(nodes.size(), [&](std::size_t i) {
        return TargetPassage(track, carrier_hz, zero_doppler_time_s, nodes[i], centroid_hz, span.half_band_hz,
                             added_cycles);
    });
    std::vector<double> centroids;
    for (const TargetPassage& passage : passages) centroids.push_back(passage.centroid_hz());
    centroid_hz_ = ChebyshevSeries::through(span.from_m, span.to_m, centroids);
    // What the other ranges see of the band, too.
    double spread_hz = 0;
    for (const double hz : centroids) spread_hz = std::max(spread_hz, std::abs(hz - centroid_hz_(middle_range_m())));
    const auto sweep_at = [&](double range_m) {
        const TargetPassage passage(track, carrier_hz, zero_doppler_time_s, range_m, centroid_hz,
                                    span.half_band_hz + spread_hz, {});
        const ChebyshevSeries slope = passage.delay_s().derivative();
        return Sweep{range_m, passage.delay_s(), slope, slope.derivative()};
    };
    constexpr double beside = 1.0 / 8;  // of the span: slopes over range are those of its middle half
    std::vector<Sweep> sweeps = side_by_side(3, [&](std::size_t i) {
        return sweep_at(middle_range_m() + (static_cast<double>(i) - 1) * beside * (span.to_m - span.from_m));
    });
    nearer_ = std::move(sweeps[0]), middle_ = std::move(sweeps[1]), farther_ = std::move(sweeps[2]);

    const double half_hz = span.half_band_hz;
    std::vector<LawsOfRange> laws;
    for (int count = fewest_frequencies;; count += 4) {
        laws = side_by_side(nodes.size(), [&](std::size_t i) {
            return LawsOfRange(passages[i], carrier_hz, nodes[i], half_hz, count);
        });
        double tail = 0;
        for (const LawsOfRange& at : laws) tail = std::max(tail, at.tail);
        if (tail < 1 || count + 4 > most_frequencies) break;
    }
    const auto over_ranges = [&](ChebyshevSeries LawsOfRange::*law) {
        std::vector<ChebyshevSeries> series;
        for (const LawsOfRange& at : laws) series.push_back(at.*law);
        return ChebyshevSurface(span.from_m, span.to_m, series);
    };
    time_s_ = over_ranges(&LawsOfRange::time_s);
    migration_s_ = over_ranges(&LawsOfRange::migration_s);
    phase_cycles_ = over_ranges(&LawsOfRange::phase_cycles);
    root_rate_ = over_ranges(&LawsOfRange::root_rate);
    if (added_cycles) added_cycles_ = over_ranges(&LawsOfRange::added_cycles);
}

double RangeHistory::slant_m(double range_m, double doppler_hz) const {
    return range_m + 0.5 * speed_of_light_m_s * at(migration_s_, range_m, doppler_hz);
}

double RangeHistory::fm_rate_hz_s(double range_m, double doppler_hz) const {
    const double root = at(root_rate_, range_m, doppler_hz);
    return root * root / range_m;
}

double RangeHistory::coupling_cycles_hz2(double range_m, double doppler_hz) const {
    return doppler_hz * doppler_hz / (carrier_hz_ * carrier_hz_ * fm_rate_hz_s(range_m, doppler_hz));
}

double RangeHistory::Sweep::time_s(double slope_there, double near_s) const {
    return stationary_s(slope, bend, slope_there, near_s);
}

/// F tau(t*) + f t* with tau'(t*) = -f / F, F = f0 + u.
double RangeHistory::coupling_cycles(double doppler_hz, double range_frequency_hz) const {
    const double middle_s = 0.5 * (middle_.delay_s.from() + middle_.delay_s.to()),
                 total_hz = carrier_hz_ + range_frequency_hz;
    const double at_carrier_s = middle_.time_s(-doppler_hz / carrier_hz_, middle_s);
    const double here_s = middle_.time_s(-doppler_hz / total_hz, at_carrier_s);
    const double delay_s = middle_.delay_s(at_carrier_s);
    return total_hz * (middle_.delay_s(here_s) - delay_s) + doppler_hz * (here_s - at_carrier_s);
}

double RangeHistory::phase_cycles(const Sweep& sweep, double doppler_hz, double total_hz) const {
    const double time_s = sweep.time_s(-doppler_hz / total_hz, 0.5 * (sweep.delay_s.from() + sweep.delay_s.to()));
    return total_hz * (sweep.delay_s(time_s) - 2 * sweep.range_m / speed_of_light_m_s) + doppler_hz * time_s;
}

RangeHistory::Wavenumber RangeHistory::wavenumber(double doppler_hz, double range_frequency_hz) const {
    const double total_hz = carrier_hz_ + range_frequency_hz;
    const double time_s = middle_.time_s(-doppler_hz / total_hz, 0.5 * (middle_.delay_s.from() + middle_.delay_s.to()));
    return {
        .phase_cycles = phase_cycles(middle_, doppler_hz, total_hz),
        .cycles_per_m = (phase_cycles(farther_, doppler_hz, total_hz) - phase_cycles(nearer_, doppler_hz, total_hz)) /
                        (farther_.range_m - nearer_.range_m),
        .fm_rate_hz_s = total_hz * middle_.bend(time_s)};
}

RangeHistory::Column RangeHistory::column(double range_m) const {
    return {centroid_hz(range_m), migration_s_.at(range_m), phase_cycles_.at(range_m), root_rate_.at(range_m),
            added_cycles_ ? added_cycles_->at(range_m) : ChebyshevSeries()};
}

}  // namespace cornerturn

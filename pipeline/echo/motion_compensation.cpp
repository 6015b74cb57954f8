// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/motion_compensation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/host/vector_clones.h"
#include "kernels/math/phasor.h"

namespace cornerturn {
namespace {

/// Weights that take values at Chebyshev points of -1 ... 1 to a place.
std::vector<double> weights_at(double place, std::size_t points) {
    std::vector<double> weights;
    for (std::size_t i = 0; i < points; ++i) {
        std::vector<double> values(points);
        values[i] = 1;
        weights.push_back(ChebyshevSeries::through(-1, 1, values)(place));
    }
    return weights;
}

/// A pulse's band, and something beside it, as its edges are not sharp and are made flat.
InterpolationTable<float> table_for(const Acquisition& acquisition) {
    constexpr double beside = 1.1, widest = 0.96, good = 1e-7;
    const double band = std::min(widest, beside * acquisition.chirp.bandwidth_hz() / acquisition.sample_rate_hz());
    for (const int taps : {16, 24, 32})
        if (const OptimalInterpolation best(taps, PowerOverFrequency::flat(0.5 * band));
            taps == 32 || best.mean_square_error() < good)
            return InterpolationTable<float>(best);
    return {};
}

CT_VECTOR_CLONES void add_terms(const double* terms, std::size_t count, const double* basis, std::int64_t length,
                                double* sums) {
    for (std::size_t m = 0; m < count; ++m)
        for (std::int64_t k = 0; k < length; ++k)
            sums[k] += terms[m] * basis[static_cast<std::int64_t>(m) * length + k];
}

/// Samples between those of `from`, whose weights change evenly from one to the next.
CT_VECTOR_CLONES void interpolate_stretch(const float* from, const float* weights, const float* slopes, int taps,
                                          const float* steps, std::int64_t floats, float* to) {
    for (std::int64_t i = 0; i < floats; ++i) to[i] = 0;
    for (int tap = 0; tap < taps; ++tap) {
        const float weight = weights[tap], slope = slopes[tap];
        const float* in = from + 2 * tap;
        for (std::int64_t i = 0; i < floats; ++i) to[i] += (weight + steps[i] * slope) * in[i];
    }
}

CT_VECTOR_CLONES void turn_phases(const double* cells, double cycles_per_cell, std::int64_t samples,
                                  Complex<float>* line) {
    for (std::int64_t k = 0; k < samples; ++k) line[k] = unit_phasor<float>(cycles_per_cell * cells[k]) * line[k];
}

}  // namespace

MotionCompensation::MotionCompensation(std::shared_ptr<const TrackOffset> offset, std::int64_t length,
                                       std::int64_t stretch)
    : offset_(std::move(offset)), length_(length), stretch_(stretch), table_(table_for(offset_->beside())) {
    const Acquisition& beside = offset_->beside();
    const double chirp_m = beside.chirp_samples() * beside.range_spacing_m;
    below_m_ = offset_->lowest_range_m();
    nearest_m_ = along_ground_m(beside.near_range_m - chirp_m);
    farthest_m_ = along_ground_m(beside.far_range_m());
    slant_ranges_m_ = enough_slant_ranges_m();
    range_terms_ = slant_ranges_m_.size();
    basis_.resize(range_terms_ * static_cast<std::size_t>(length_));
    for (std::size_t m = 0; m < range_terms_; ++m)
        for (std::int64_t k = 0; k < length_; ++k)
            basis_[m * static_cast<std::size_t>(length_) + static_cast<std::size_t>(k)] =
                std::cos(static_cast<double>(m) * std::acos(place_of(range_of(k))));
    for (std::int64_t first = 0; first < length_; first += stretch_) {
        const double middle = static_cast<double>(first) + 0.5 * static_cast<double>(stretch_ - 1);
        const auto weights =
            weights_at(place_of(range_of(std::min<std::int64_t>(length_ - 1, std::llround(middle)))), range_terms_);
        to_stretches_.insert(to_stretches_.end(), weights.begin(), weights.end());
    }
    for (const double node : filter_nodes()) {
        const auto weights = weights_at(node, band_points);
        to_nodes_.insert(to_nodes_.end(), weights.begin(), weights.end());
    }
}

/// Samples whose pulses began before the line's first one lie at the end.
double MotionCompensation::range_of(std::int64_t sample) const {
    const Acquisition& beside = offset_->beside();
    const bool before = static_cast<double>(length_ - sample) <= beside.chirp_samples() && sample >= beside.samples;
    return beside.range_m(static_cast<double>(before ? sample - length_ : sample));
}

/// 0 where no target is that close.
double MotionCompensation::along_ground_m(double range_m) const {
    return range_m > below_m_ ? std::sqrt(range_m * range_m - below_m_ * below_m_) : 0;
}

double MotionCompensation::place_of(double range_m) const {
    return std::clamp(2 * (along_ground_m(range_m) - nearest_m_) / (farthest_m_ - nearest_m_) - 1, -1.0, 1.0);
}

std::vector<double> MotionCompensation::slant_ranges_m(std::size_t count) const {
    std::vector<double> slant_ranges_m;
    for (const double along_m : chebyshev_points(nearest_m_, farthest_m_, static_cast<int>(count)))
        slant_ranges_m.push_back(std::hypot(along_m, below_m_));
    return slant_ranges_m;
}

std::vector<double> MotionCompensation::terms_over_range(std::int64_t pulse,
                                                         const std::vector<double>& slant_ranges_m) const {
    std::vector<double> farther_m;
    const double time_s = offset_->beside().pulse_times_s[static_cast<std::size_t>(pulse)];
    const TrackOffset::Antennas there = offset_->at_pulse(pulse);
    for (const double range_m : slant_ranges_m)
        farther_m.push_back(there.farther_m(range_m, offset_->centroid_hz()(time_s, range_m)));
    return ChebyshevSeries::through(-1, 1, farther_m).coefficients();
}

/// Of pulses all along the strip, so many that the last two amount to nothing.
std::vector<double> MotionCompensation::enough_slant_ranges_m() const {
    constexpr std::int64_t looks = 16;
    constexpr double nothing = 1e-4;  // of a wavelength, both ways
    const Acquisition& beside = offset_->beside();
    for (const std::size_t count : {std::size_t{6}, std::size_t{8}}) {
        const std::vector<double> ranges_m = slant_ranges_m(count);
        double left_m = 0;
        for (std::int64_t look = 0; look <= looks; ++look)
            left_m = std::max(
                left_m, ChebyshevSeries(-1, 1, terms_over_range((beside.lines - 1) * look / looks, ranges_m)).tail());
        if (2 * left_m < nothing * beside.wavelength_m()) return ranges_m;
    }
    return slant_ranges_m(most_range_terms);
}

std::function<double(double)> MotionCompensation::moved_m(std::int64_t pulse) const {
    return [this, over_place = ChebyshevSeries(-1, 1, terms_over_range(pulse, slant_ranges_m_))](double range_m) {
        return over_place(place_of(range_m));
    };
}

void MotionCompensation::move(std::int64_t pulse, const Complex<float>* from, Complex<float>* to) const {
    constexpr std::int64_t longest = 16;  // samples that are interpolated together
    constexpr double steepest = 0.004;    // cells from the middle of these to their ends, by which they shift
    const double spacing_m = offset_->beside().range_spacing_m;
    const int taps = table_.taps();
    auto terms = terms_over_range(pulse, slant_ranges_m_);
    for (double& term : terms) term /= spacing_m;
    std::vector<double> cells(static_cast<std::size_t>(length_));
    add_terms(terms.data(), range_terms_, basis_.data(), length_, cells.data());
    // The line goes round.
    double least = 0, most = 0;
    for (const double shift : cells) least = std::min(least, shift), most = std::max(most, shift);
    const std::int64_t before = std::min(length_, taps + static_cast<std::int64_t>(std::ceil(-least))),
                       behind = std::min(length_, taps + longest + static_cast<std::int64_t>(std::ceil(most)));
    std::vector<Complex<float>> round(static_cast<std::size_t>(before + length_ + behind));
    std::copy_n(from + length_ - before, before, round.data());
    std::copy_n(from, length_, round.data() + before);
    std::copy_n(from, behind, round.data() + before + length_);
    std::array<float, 2 * longest> steps{};
    std::array<float, 32> weights{}, slopes{};
    for (std::int64_t first = 0; first < length_;) {
        std::int64_t count = std::min(longest, length_ - first);
        const auto shift = [&](std::int64_t k) { return cells[static_cast<std::size_t>(k)]; };
        while (count > 1 && 0.5 * std::abs(shift(first + count - 1) - shift(first)) > steepest) count /= 2;
        const double slope =
                         count > 1 ? (shift(first + count - 1) - shift(first)) / static_cast<double>(count - 1) : 0.0,
                     middle = 0.5 * static_cast<double>(count - 1),
                     here = 0.5 * (shift(first) + shift(first + count - 1));
        const double base = std::floor(here), fraction = here - base;
        constexpr int fractions = InterpolationTable<float>::fractions;
        const int row = static_cast<int>(std::lround(fraction * fractions));
        const auto off = static_cast<float>(fraction - static_cast<double>(row) / fractions);
        for (int tap = 0; tap < taps; ++tap) {
            const auto t = static_cast<std::size_t>(tap);
            weights[t] = table_.weights(row)[tap] + off * (table_.slopes(row)[tap] + off * table_.bends(row)[tap]);
            slopes[t] = table_.slopes(row)[tap] + 2 * off * table_.bends(row)[tap];
        }
        for (std::int64_t i = 0; i < count; ++i)
            steps[static_cast<std::size_t>(2 * i)] = steps[static_cast<std::size_t>(2 * i + 1)] =
                static_cast<float>((static_cast<double>(i) - middle) * slope);
        const std::int64_t nearest = before + first + static_cast<std::int64_t>(base) - taps / 2 + 1;
        interpolate_stretch(&round[static_cast<std::size_t>(nearest)].re, weights.data(), slopes.data(), taps,
                            steps.data(), 2 * count, &to[first].re);
        first += count;
    }
    turn_phases(cells.data(), 2 * spacing_m / offset_->beside().wavelength_m(), length_, to);
}

MotionCompensation::Filters MotionCompensation::filters(double time_s, double band_hz) const {
    static const std::vector<double> points = chebyshev_points(-1, 1, band_points);
    const double cycles_per_m = 2 / offset_->beside().wavelength_m();
    Filters filters;
    filters.compensation_ = this;
    const TrackOffset::Antennas there = offset_->at_time(time_s);
    for (std::size_t k = 0; k < range_terms_; ++k) {
        const double range_m = slant_ranges_m_[k], centre_hz = offset_->centroid_hz()(time_s, range_m),
                     about_m = there.farther_m(range_m, centre_hz);
        for (std::size_t i = 0; i < band_points; ++i) {
            const double over_band_m = there.farther_m(range_m, centre_hz + 0.5 * band_hz * points[i]) - about_m;
            for (std::size_t node = 0; node < filters.cycles_.size(); ++node)
                filters.cycles_[node][k] += to_nodes_[node * band_points + i] * cycles_per_m * over_band_m;
        }
    }
    return filters;
}

FilterTerms MotionCompensation::Filters::of(std::int64_t stretch) const {
    const std::size_t terms = compensation_->range_terms_;
    const double* to = compensation_->to_stretches_.data() + static_cast<std::size_t>(stretch) * terms;
    std::array<std::complex<double>, std::tuple_size_v<FilterNodes>> response{};
    for (std::size_t node = 0; node < response.size(); ++node) {
        double cycles = 0;
        for (std::size_t k = 0; k < terms; ++k) cycles += to[k] * cycles_[node][k];
        response[node] = std_phasor(cycles);
    }
    return filter_terms(response);
}

}  // namespace cornerturn

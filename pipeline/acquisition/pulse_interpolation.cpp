// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/pulse_interpolation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>

#include "kernels/math/banded_matrix.h"
#include "kernels/math/phasor.h"
#include "kernels/math/sinc.h"

namespace cornerturn {
namespace {

/// White noise beside the signal, so that pulses which say nearly the same get no large weights against each other.
constexpr double noise = 1e-6;
constexpr double same_time = 1e-7;  // of an interval

/// Of the pulses, factorised.
BandedMatrix correlations(std::span<const double> times, double band) {
    const auto count = std::ssize(times);
    BandedMatrix matrix(count, count - 1);
    for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t k = 0; k <= i; ++k)
            matrix.at(i, k) = sinc(band * (times[static_cast<std::size_t>(i)] - times[static_cast<std::size_t>(k)])) +
                              (i == k ? noise : 0);
    matrix.factorise();
    return matrix;
}

/// P_0 ... P_last at a place, by Bonnet's recursion.
template <std::size_t Count>
std::array<double, Count> legendre(double u) {
    std::array<double, Count> p{1, u};
    for (std::size_t m = 2; m < Count; ++m) {
        const auto n = static_cast<double>(m);
        p[m] = ((2 * n - 1) * u * p[m - 1] - (n - 1) * p[m - 2]) / n;
    }
    return p;
}

/// Nodes of Gauss and Legendre, with weights for integrals from -1 to 1 (Numerical Recipes, 4.6) and the polynomials
/// there.
template <std::size_t Count>
struct Quadrature {
    std::array<double, Count> node{}, weight{};
    std::array<std::array<double, std::tuple_size_v<FilterTerms>>, Count> polynomials{};

    Quadrature() {
        constexpr auto n = static_cast<double>(Count);
        for (std::size_t i = 0; i < Count; ++i) {
            double u = -std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (n + 0.5)), slope = 1;
            for (int round = 0; round < 8; ++round) {
                const auto p = legendre<Count + 1>(u);
                slope = n * (u * p[Count] - p[Count - 1]) / (u * u - 1);
                u -= p[Count] / slope;
            }
            node[i] = u;
            weight[i] = 2 / ((1 - u * u) * slope * slope);
            polynomials[i] = legendre<std::tuple_size_v<FilterTerms>>(u);
        }
    }
};

const Quadrature<std::tuple_size_v<FilterNodes>>& over_band() {
    static const Quadrature<std::tuple_size_v<FilterNodes>> nodes;
    return nodes;
}

}  // namespace

std::vector<std::size_t> interpolated_pulses(std::span<const double> times, double band) {
    constexpr std::size_t most = 16;
    constexpr double gap = 1.5, largest_error = 0.1, at_line = 1e-6;
    double before = -std::numeric_limits<double>::infinity(), behind = std::numeric_limits<double>::infinity();
    for (const double time : times) {
        if (time <= at_line) before = std::max(before, time);
        if (time >= -at_line) behind = std::min(behind, time);
    }
    std::vector<std::size_t> next(times.size());
    std::iota(next.begin(), next.end(), std::size_t{0});
    std::stable_sort(next.begin(), next.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(times[a]) < std::abs(times[b]); });
    next.resize(std::min(next.size(), most));
    if (next.empty() || behind - before < gap) return next;
    std::vector<double> of_next;
    for (const std::size_t i : next) of_next.push_back(times[i]);
    return interpolation_error(of_next, band) < largest_error ? next : std::vector<std::size_t>{};
}

std::vector<double> interpolation_weights(std::span<const double> times, double band) {
    std::vector<double> weights(times.size());
    const auto there = std::find_if(times.begin(), times.end(), [](double t) { return std::abs(t) < same_time; });
    if (there != times.end()) {
        weights[static_cast<std::size_t>(there - times.begin())] = 1;
        return weights;
    }
    for (std::size_t i = 0; i < times.size(); ++i) weights[i] = sinc(band * times[i]);
    correlations(times, band).solve(weights);
    return weights;
}

double interpolation_error(std::span<const double> times, double band) {
    const std::vector<double> weights = interpolation_weights(times, band);
    double told = 0;
    for (std::size_t i = 0; i < times.size(); ++i) told += weights[i] * sinc(band * times[i]);
    return 1 - told;
}

const FilterNodes& filter_nodes() { return over_band().node; }

FilterTerms filter_terms(const std::array<std::complex<double>, std::tuple_size_v<FilterNodes>>& response) {
    const auto& nodes = over_band();
    FilterTerms terms{};
    for (std::size_t node = 0; node < response.size(); ++node)
        for (std::size_t m = 0; m < terms.size(); ++m)
            terms[m] +=
                (static_cast<double>(m) + 0.5) * nodes.weight[node] * nodes.polynomials[node][m] * response[node];
    return terms;
}

/// The integral over a term is (-j)^m times that of P_m(u) and a cosine or sine, which is real.
FilteredInterpolation::FilteredInterpolation(std::span<const double> times, double band)
    : of_terms_(std::tuple_size_v<FilterTerms> * times.size()) {
    static const Quadrature<40> far;  // for twelve intervals to either side
    static const Quadrature<28> near;
    constexpr std::size_t terms = std::tuple_size_v<FilterTerms>;
    const BandedMatrix of_pulses = correlations(times, band);
    const auto add = [&](const auto& nodes, std::size_t i) {
        for (std::size_t node = 0; node < nodes.node.size() / 2; ++node) {  // and as much from its mirror image
            const std::complex<double> phase = std_phasor(-0.5 * band * nodes.node[node] * times[i]);
            const double even = nodes.weight[node] * phase.real(), odd = nodes.weight[node] * phase.imag();
            for (std::size_t m = 0; m < terms; ++m)
                of_terms_[m * times.size() + i] += nodes.polynomials[node][m] * (m % 2 == 0 ? even : odd);
        }
    };
    for (std::size_t i = 0; i < times.size(); ++i) {
        constexpr double of_near = 7;  // so many cycles over the band
        if (band * std::abs(times[i]) < of_near)
            add(near, i);
        else
            add(far, i);
    }
    for (std::size_t m = 0; m < terms; ++m)
        of_pulses.solve(std::span(of_terms_).subspan(m * times.size(), times.size()));
}

void FilteredInterpolation::weigh(const FilterTerms& filter, std::span<std::complex<double>> weights) const {
    std::fill(weights.begin(), weights.end(), 0.0);
    for (std::size_t m = 0; m < filter.size(); ++m) {
        const std::complex<double> term = m % 2 == 0 ? filter[m] : std::complex<double>(0, 1) * filter[m];
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += term * of_terms_[m * weights.size() + i];
    }
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/interpolation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/math/bessel.h"
#include "kernels/math/sinc.h"

namespace cornerturn {
namespace {

constexpr double pi = std::numbers::pi;

constexpr int fractions = 16;    // midpoints of a cell over which responses are averaged
constexpr int frequencies = 64;  // of the band over which the error is averaged

double fraction(int i) { return (i + 0.5) / fractions; }
double distance(const SincKernel& kernel, int tap, double at) { return tap - kernel.taps / 2 + 1 - at; }

/// exp(j 2 pi f d) at every frequency, fraction and tap. Fractions x and 1 - x mirror each other: half of them tell
/// all.
class BandTable {
public:
    explicit BandTable(const SincKernel& kernel) : taps_(kernel.taps) {
        for (int k = 0; k < frequencies; ++k)
            for (int i = 0; i < looked_at; ++i)
                for (int tap = 0; tap < taps_; ++tap)
                    phasors_.push_back(std::polar(
                        1.0, 2 * pi * kernel.band / 2 * (k + 0.5) / frequencies * distance(kernel, tap, fraction(i))));
    }

    /// Mean over band and fraction of |response / mean response - 1|^2.
    double mean_square_error(const SincKernel& kernel) const {
        std::vector<double> weight;
        for (int i = 0; i < looked_at; ++i)
            for (int tap = 0; tap < taps_; ++tap) weight.push_back(kernel.weight(distance(kernel, tap, fraction(i))));
        double total = 0;
        const std::complex<double>* at = phasors_.data();
        for (int k = 0; k < frequencies; ++k) {
            std::complex<double> response[looked_at];
            double mean = 0;
            for (int i = 0; i < looked_at; ++i) {
                for (int tap = 0; tap < taps_; ++tap) response[i] += weight[i * taps_ + tap] * *at++;
                mean += response[i].real() / looked_at;
            }
            for (const auto& r : response) total += std::norm(r / mean - 1.0);
        }
        return total / (frequencies * looked_at);
    }

private:
    static constexpr int looked_at = fractions / 2;
    int taps_;
    std::vector<std::complex<double>> phasors_;
};

}  // namespace

SincKernel SincKernel::for_band(int taps, double band) {
    if (taps != 8 && taps != 12 && taps != 16)
        throw std::logic_error(fmt::format("interpolation with {} taps; 8, 12 and 16 are there", taps));
    if (!(band > 0 && band <= 1))
        throw std::logic_error(
            fmt::format("interpolation of a signal that fills {} of the sample rate; must lie in (0, 1]", band));
    std::vector<SincKernel> kernels;
    for (double beta = 0; beta <= 10; beta += 0.1) kernels.push_back({.taps = taps, .beta = beta, .band = band});
    const BandTable table(kernels.front());
    const auto error = [&](std::size_t i) { return table.mean_square_error(kernels[i]); };
    // Over beta the error falls, and then rises.
    std::size_t first = 0, last = kernels.size() - 1;
    while (first < last) {
        const std::size_t middle = (first + last) / 2;
        if (error(middle) <= error(middle + 1))
            last = middle;
        else
            first = middle + 1;
    }
    return kernels[first];
}

double SincKernel::weight(double distance_cells) const {
    const double x = distance_cells / (taps / 2.0);
    // Polynomials are fitted over closed intervals whose ends may round to just outside.
    const double inside = std::max(0.0, 1 - x * x);
    return sinc(distance_cells) * bessel_i0(beta * std::sqrt(inside)) / bessel_i0(beta);
}

/// The distances of all taps at all fractions lie evenly to either side of zero, where weights are the same.
MeanResponse::MeanResponse(const SincKernel& kernel) {
    for (int i = 0; i < kernel.taps / 2 * fractions; ++i)
        taps_.push_back({fraction(i), 2 * kernel.weight(fraction(i)) / fractions});
}

/// cos (k + 3/2) a = 2 cos a cos (k + 1/2) a - cos (k - 1/2) a
double MeanResponse::operator()(double frequency) const {
    const double apart = 2 * pi * frequency / fractions, twice = 2 * std::cos(apart);
    double sum = 0, now = std::cos(0.5 * apart), before = now;
    for (const Tap& tap : taps_) {
        sum += tap.weight * now;
        before = std::exchange(now, twice * now - before);
    }
    return sum;
}

template <class Real>
SincPolynomials<Real> polynomials(const SincKernel& kernel) {
    constexpr int degree = SincPolynomials<Real>::degree;
    constexpr int nodes = degree + 1;
    SincPolynomials<Real> result;
    result.taps = kernel.taps;
    for (int tap = 0; tap < kernel.taps; ++tap) {
        // Newton's divided differences at Chebyshev nodes of [-1/2, 1/2], expanded into powers of u, in long double:
        // the expansion cancels.
        long double node[nodes], difference[nodes], power[nodes] = {};
        for (int i = 0; i < nodes; ++i) {
            node[i] = 0.5L * std::cos(pi * (i + 0.5) / nodes);
            difference[i] = kernel.weight(distance(kernel, tap, static_cast<double>(node[i]) + 0.5));
        }
        for (int order = 1; order < nodes; ++order)
            for (int i = nodes - 1; i >= order; --i)
                difference[i] = (difference[i] - difference[i - 1]) / (node[i] - node[i - order]);
        for (int i = nodes - 1; i >= 0; --i) {
            for (int k = nodes - 1; k >= 1; --k) power[k] = power[k - 1] - node[i] * power[k];
            power[0] = difference[i] - node[i] * power[0];
        }
        for (int k = 0; k <= degree; ++k) result.coefficient[tap][k] = static_cast<Real>(power[k]);
    }
    return result;
}

template SincPolynomials<float> polynomials<float>(const SincKernel&);
template SincPolynomials<double> polynomials<double>(const SincKernel&);

}  // namespace cornerturn

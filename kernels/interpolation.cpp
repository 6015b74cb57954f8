// SPDX-License-Identifier: Apache-2.0
#include "kernels/interpolation.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace cornerturn {
namespace {

constexpr double pi = std::numbers::pi;

double sinc(double x) { return std::abs(x) < 1e-12 ? 1.0 : std::sin(pi * x) / (pi * x); }

/// Response at a frequency when the position lies `fraction` of a cell beyond the base cell. Real and imaginary part of
/// sum over taps of weight(d) exp(j 2 pi f d).
struct Response {
    double re = 0, im = 0;
};
Response response(const SincKernel& kernel, double frequency, double fraction) {
    Response sum;
    for (int tap = 0; tap < kernel.taps; ++tap) {
        const double distance = tap - kernel.taps / 2 + 1 - fraction;
        const double weight = kernel.weight(distance);
        sum.re += weight * std::cos(2 * pi * frequency * distance);
        sum.im += weight * std::sin(2 * pi * frequency * distance);
    }
    return sum;
}

constexpr int fractions = 16;    // midpoints of a cell over which responses are averaged
constexpr int frequencies = 64;  // of the band over which the error is averaged

/// Mean over band and fraction of |response / mean response - 1|^2.
double mean_square_error(const SincKernel& kernel) {
    double total = 0;
    for (int k = 0; k < frequencies; ++k) {
        const double frequency = kernel.band / 2 * (k + 0.5) / frequencies;
        const double mean = kernel.mean_response(frequency);
        for (int i = 0; i < fractions; ++i) {
            const Response r = response(kernel, frequency, (i + 0.5) / fractions);
            total += std::pow(r.re / mean - 1, 2) + std::pow(r.im / mean, 2);
        }
    }
    return total / (frequencies * fractions);
}

}  // namespace

SincKernel SincKernel::for_band(int taps, double band) {
    if (taps != 8 && taps != 12 && taps != 16) throw std::logic_error(fmt::format("interpolation with {} taps; 8, 12 and 16 are there", taps));
    if (!(band > 0 && band <= 1)) throw std::logic_error(fmt::format("interpolation of a signal that fills {} of the sample rate; must lie in (0, 1]", band));
    SincKernel best{.taps = taps, .beta = 0, .band = band};
    double least = std::numeric_limits<double>::max();
    for (double beta = 0; beta <= 10; beta += 0.1) {
        const SincKernel candidate{.taps = taps, .beta = beta, .band = band};
        if (const double error = mean_square_error(candidate); error < least) {
            least = error;
            best = candidate;
        }
    }
    return best;
}

double SincKernel::weight(double distance_cells) const {
    const double x = distance_cells / (taps / 2.0);
    // Polynomials are fitted over closed intervals whose ends may round to just outside.
    const double inside = std::max(0.0, 1 - x * x);
    return sinc(distance_cells) * std::cyl_bessel_i(0.0, beta * std::sqrt(inside)) / std::cyl_bessel_i(0.0, beta);
}

double SincKernel::mean_response(double frequency) const {
    double sum = 0;
    for (int i = 0; i < fractions; ++i) sum += response(*this, frequency, (i + 0.5) / fractions).re;
    return sum / fractions;
}

template <class Real>
SincPolynomials<Real> polynomials(const SincKernel& kernel) {
    constexpr int degree = SincPolynomials<Real>::degree;
    constexpr int nodes = degree + 1;
    SincPolynomials<Real> result;
    result.taps = kernel.taps;
    for (int tap = 0; tap < kernel.taps; ++tap) {
        // Newton's divided differences at Chebyshev nodes of [-1/2, 1/2], expanded into powers of u; long double keeps the expansion exact.
        long double node[nodes], difference[nodes], power[nodes] = {};
        for (int i = 0; i < nodes; ++i) {
            node[i] = 0.5L * std::cos(pi * (i + 0.5) / nodes);
            difference[i] = kernel.weight(tap - kernel.taps / 2 + 1 - (static_cast<double>(node[i]) + 0.5));
        }
        for (int order = 1; order < nodes; ++order)
            for (int i = nodes - 1; i >= order; --i) difference[i] = (difference[i] - difference[i - 1]) / (node[i] - node[i - order]);
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

// SPDX-License-Identifier: Apache-2.0
// Interpolation between pulses: the estimate of a pulse at another time from the pulses around it.
#pragma once

#include <array>
#include <complex>
#include <span>
#include <tuple>
#include <vector>

namespace cornerturn {

/// Pulses that go into an estimate are no farther away than this, in intervals of the mean PRF.
inline constexpr double interpolation_reach = 12;
/// Which pulses go into it: of those at `times`, counted as below, the sixteen next ones; none where there is a gap.
/// That is where pulses are lost, as the next ones to either side are 1.5 intervals apart, and the error of the
/// estimate is a tenth of the power or more.
std::vector<std::size_t> interpolated_pulses(std::span<const double> times, double band);

/// Weights of pulses at `times`, counted from the wanted time in intervals of the mean PRF, at least one of them and no
/// two the same: the best linear unbiased estimate of a signal with a flat spectrum of width `band` (of the PRF, 0 <
/// band <= 1) about zero, which solves G w = r with G_ij = rho(t_i - t_j), r_i = rho(t_i), rho = sinc(band t) (Villano,
/// Krieger & Moreira 2014, "Staggered SAR", section V; isce3 does the same with the correlation of its antenna's beam).
/// Sixteen pulses give -76 dB of error where band is 0.8 and times lie within 5 % of a regular grid. A pulse at the
/// wanted time is taken as it is.
std::vector<double> interpolation_weights(std::span<const double> times, double band);

/// Of that estimate, in parts of the signal's power.
double interpolation_error(std::span<const double> times, double band);

/// A filter over the band by its response c_0 P_0(u) + c_1 P_1(u) + ..., u = 2 f / band from -1 to 1, in Legendre
/// polynomials: phases of up to a cycle at the ends of the band leave 1e-4.
using FilterTerms = std::array<std::complex<double>, 12>;
/// Where its response is asked: the points of Gauss and Legendre.
using FilterNodes = std::array<double, 16>;
const FilterNodes& filter_nodes();
FilterTerms filter_terms(const std::array<std::complex<double>, std::tuple_size_v<FilterNodes>>& response);

/// The same estimate of a signal behind filters: G w = r, where r_i = 1/2 int H(u) exp(-j pi band u t_i) du is a sum of
/// spherical Bessel functions of pi band t_i. What can be said of the pulses alone is done once.
class FilteredInterpolation {
public:
    FilteredInterpolation(std::span<const double> times, double band);
    /// One for each pulse.
    void weigh(const FilterTerms& filter, std::span<std::complex<double>> weights) const;

private:
    std::vector<double> of_terms_;  ///< [term][pulse]; those of odd terms times j
};

}  // namespace cornerturn

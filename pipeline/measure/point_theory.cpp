// SPDX-License-Identifier: Apache-2.0
// Theoretical cuts by Gauss-Legendre quadrature over the support, which is exact to many digits for the dozen sidelobes
// asked for.
#include "pipeline/measure/point_theory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "kernels/errors.h"
#include "kernels/math/phasor.h"
#include "pipeline/formers/former.h"

namespace cornerturn {

namespace {

struct Node {
    double position;  ///< in [-1, 1]
    double weight;
};

/// Gauss-Legendre nodes by Newton's method on the Legendre polynomial (Numerical Recipes, 4.6).
std::vector<Node> gauss_legendre(int count) {
    std::vector<Node> nodes;
    for (int i = 0; i < count; ++i) {
        double x = std::cos(std::numbers::pi * (i + 0.75) / (count + 0.5));
        double slope = 0;
        for (int iteration = 0; iteration < 20; ++iteration) {
            double previous = 1;
            double value = x;
            for (int n = 2; n <= count; ++n) {
                const double next = ((2 * n - 1) * x * value - (n - 1) * previous) / n;
                previous = value;
                value = next;
            }
            slope = count * (x * value - previous) / (x * x - 1.0);
            x -= value / slope;
        }
        nodes.push_back({x, 2.0 / ((1.0 - x * x) * slope * slope)});
    }
    return nodes;
}

/// One point of the quadrature in the frequency plane.
struct SpectrumPoint {
    double range_frequency_hz;  ///< f_tau
    double azimuth_frequency_hz;
    double weight;
};

std::vector<SpectrumPoint> quadrature(const ResponseSupport& support) {
    const auto nodes = gauss_legendre(40);
    const double centre = support.doppler_centroid_hz;
    std::vector<SpectrumPoint> points;
    // The two halves of the range band are taken apart: where beam and processed band are equally wide, the edge has a
    // kink at f_tau = 0.
    for (double side : {-1.0, 1.0}) {
        for (const Node& r : nodes) {
            const double f_tau = 0.25 * support.range_bandwidth_hz * (side + r.position);
            const auto band = support.azimuth_band_hz(f_tau);
            if (!band) continue;
            const double low = band->low_hz, high = band->high_hz, weighed = support.weighed_part(f_tau);
            const double range_weight = r.weight * support.range_window(f_tau / support.range_bandwidth_hz);
            for (const Node& a : nodes) {
                const double f_eta = 0.5 * (low + high) + 0.5 * (high - low) * a.position;
                // Pulses count alike, each with all of its range frequencies: d f_eta = (f0 + f_tau) / f0 d f_pulse.
                const double azimuth_weight =
                    a.weight * (high - low) * weighed *
                    support.azimuth_window((f_eta * weighed - centre) / support.azimuth_bandwidth_hz);
                points.push_back({f_tau, f_eta, range_weight * azimuth_weight});
            }
        }
    }
    return points;
}

/// |sum of weight * exp(j 2 pi frequency * k * step)|^2 for |k| <= half_count. Several points side by side, each in a
/// lane of its own, as a phasor that is turned on from element to element waits for itself.
Cut transform(const std::vector<SpectrumPoint>& points, const std::vector<double>& frequency_hz, double step_s,
              std::int64_t half_count, double step_px) {
    constexpr std::size_t lanes = 8;
    struct Phasors {
        double re[lanes], im[lanes];
    };
    std::vector<Phasors> sum(static_cast<std::size_t>(2 * half_count + 1), Phasors{});
    for (std::size_t first = 0; first < points.size(); first += lanes) {
        Phasors value{}, turn{};
        for (std::size_t l = 0; l < lanes && first + l < points.size(); ++l) {
            const double cycles = frequency_hz[first + l] * step_s;
            const Complex128 on = unit_phasor<double>(cycles),
                             start = points[first + l].weight *
                                     unit_phasor<double>(-cycles * static_cast<double>(half_count));
            turn.re[l] = on.re, turn.im[l] = on.im;
            value.re[l] = start.re, value.im[l] = start.im;
        }
        for (Phasors& element : sum) {
            for (std::size_t l = 0; l < lanes; ++l) {
                element.re[l] += value.re[l];
                element.im[l] += value.im[l];
                const double re = value.re[l] * turn.re[l] - value.im[l] * turn.im[l];
                value.im[l] = value.re[l] * turn.im[l] + value.im[l] * turn.re[l];
                value.re[l] = re;
            }
        }
    }
    Cut cut{step_px, {}};
    for (const Phasors& element : sum) {
        const double re = std::accumulate(element.re, element.re + lanes, 0.0),
                     im = std::accumulate(element.im, element.im + lanes, 0.0);
        cut.power.push_back(re * re + im * im);
    }
    return cut;
}

}  // namespace

double ResponseSupport::image_range_frequency_hz(double range_frequency_hz, double azimuth_frequency_hz) const {
    const double total = carrier_hz + range_frequency_hz;
    const double transverse = 0.5 * speed_of_light_m_s * azimuth_frequency_hz / velocity_m_s;
    const double along_range = std::sqrt(total * total - transverse * transverse);
    return along_range + velocity_slope * transverse * transverse / along_range - carrier_hz;
}

std::optional<DopplerBand> ResponseSupport::azimuth_band_hz(double range_frequency_hz) const {
    const double weighed = weighed_part(range_frequency_hz), seen = 1.0 + range_frequency_hz / carrier_hz;
    DopplerBand band{(doppler_centroid_hz - 0.5 * azimuth_bandwidth_hz) / weighed,
                     (doppler_centroid_hz + 0.5 * azimuth_bandwidth_hz) / weighed};
    if (const auto beam = beam_band_hz())
        band = {std::max(band.low_hz, seen * beam->low_hz), std::min(band.high_hz, seen * beam->high_hz)};
    return band.low_hz < band.high_hz ? std::optional(band) : std::nullopt;
}

std::optional<DopplerBand> ResponseSupport::beam_band_hz() const {
    if (illuminated_band_hz || !beam_bandwidth_hz) return illuminated_band_hz;
    return DopplerBand{doppler_centroid_hz - 0.5 * *beam_bandwidth_hz, doppler_centroid_hz + 0.5 * *beam_bandwidth_hz};
}

DopplerBand ResponseSupport::effective_azimuth_band_hz() const {
    const DopplerBand processed{doppler_centroid_hz - 0.5 * azimuth_bandwidth_hz,
                                doppler_centroid_hz + 0.5 * azimuth_bandwidth_hz};
    const auto beam = beam_band_hz();
    if (!beam || beam->low_hz >= processed.high_hz || beam->high_hz <= processed.low_hz) return processed;
    return {std::max(processed.low_hz, beam->low_hz), std::min(processed.high_hz, beam->high_hz)};
}

ResponseSupport response_support(const Image& image, double row, double column) {
    const auto& velocity = image.processing.effective_velocity_m_s;
    const auto& processing = image.processing;
    if (velocity.empty() && !image.acquisition.effective_velocity_m_s) {
        throw InputError(
            "image: it carries no effective velocity, without which the response of a point cannot be told");
    }
    if (!(processing.range_bandwidth_hz > 0 && processing.azimuth_bandwidth_hz > 0)) {
        throw InputError(fmt::format(
            "image: processed bandwidths are {} Hz in range and {} Hz in azimuth, expected positive numbers",
            processing.range_bandwidth_hz, processing.azimuth_bandwidth_hz));
    }
    ResponseSupport support;
    support.carrier_hz = image.acquisition.carrier_hz;
    if (velocity.empty()) {
        support.velocity_m_s = *image.acquisition.effective_velocity_m_s;
    } else {
        const auto last = static_cast<std::int64_t>(velocity.size()) - 1;
        const std::int64_t here = std::clamp<std::int64_t>(std::llround(column), 0, last);
        support.velocity_m_s = velocity[static_cast<std::size_t>(here)];
        const std::int64_t beside = 1 + last / 16, nearer = std::max<std::int64_t>(0, here - beside),
                           farther = std::min(last, here + beside);
        if (nearer < farther)
            support.velocity_slope =
                image.grid.range_m(static_cast<double>(here)) / support.velocity_m_s *
                (velocity[static_cast<std::size_t>(farther)] - velocity[static_cast<std::size_t>(nearer)]) /
                (static_cast<double>(farther - nearer) * image.grid.range_spacing_m);
    }
    support.doppler_centroid_hz = processing.doppler_hz(image.grid.time_s(row), image.grid.range_m(column));
    support.range_bandwidth_hz = processing.range_bandwidth_hz;
    support.azimuth_bandwidth_hz = processing.azimuth_bandwidth_hz;
    support.beam_bandwidth_hz = image.acquisition.azimuth_bandwidth_hz;
    support.range_window = processing.range_window;
    support.azimuth_window = processing.azimuth_window;
    const Former* former = find_former(processing.algorithm);
    support.pulses_weighed = former != nullptr && former->weighs_pulses;
    return support;
}

double illuminated_fraction(const ResponseSupport& support) {
    const auto total = [](const ResponseSupport& any) {
        double sum = 0;
        for (const SpectrumPoint& point : quadrature(any)) sum += point.weight;
        return sum;
    };
    ResponseSupport whole = support;
    whole.beam_bandwidth_hz.reset();
    whole.illuminated_band_hz.reset();
    return total(support) / total(whole);
}

Cut theoretical_range_cut(const ResponseSupport& support, double step_s, std::int64_t half_count, double step_px) {
    const auto points = quadrature(support);
    const double centre = support.image_range_frequency_hz(0, support.centre_hz());
    std::vector<double> frequency;
    for (const SpectrumPoint& point : points) {
        frequency.push_back(support.image_range_frequency_hz(point.range_frequency_hz, point.azimuth_frequency_hz) -
                            centre);
    }
    return transform(points, frequency, step_s, half_count, step_px);
}

Cut theoretical_azimuth_cut(const ResponseSupport& support, double step_s, std::int64_t half_count, double step_px) {
    const auto points = quadrature(support);
    std::vector<double> frequency;
    for (const SpectrumPoint& point : points) frequency.push_back(point.azimuth_frequency_hz - support.centre_hz());
    return transform(points, frequency, step_s, half_count, step_px);
}

}  // namespace cornerturn

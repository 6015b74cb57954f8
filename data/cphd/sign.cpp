// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/sign.h"

#include <algorithm>

#include "kernels/host/plane_fft.h"
#include "kernels/math/fast_length.h"
#include "pipeline/acquisition/fits/line_fit.h"

namespace cornerturn::cphd {
namespace {

constexpr std::size_t most_pulses = 512;
constexpr std::int64_t most_bins = 1024;

/// By how much the echo of each pulse's own point comes later than that of the middle pulse's.
std::vector<double> later_s(const std::vector<Pulse>& pulses) {
    const Vec3 common_m = pulses[pulses.size() / 2].reference_m;
    std::vector<double> later;
    for (const Pulse& pulse : pulses) later.push_back(pulse.delay_s() - pulse.delay_s(common_m));
    return later;
}

/// From a straight line over time: what no shift of the image takes away.
double bend_s(const std::vector<Pulse>& pulses, const std::vector<double>& later) {
    const StraightLine line = line_through(
        pulses.size(), [&](std::size_t i) { return LinePoint{.at = pulses[i].sent_s, .value = later[i]}; });
    double most = 0;
    for (std::size_t i = 0; i < pulses.size(); ++i) most = std::max(most, std::abs(later[i] - line(pulses[i].sent_s)));
    return most;
}

/// Mean square of the power over the square of its mean, of all pixels.
double sharpness(const Spectra& spectra, const std::vector<Pulse>& pulses, const std::vector<double>& later, int sign) {
    const std::int64_t bins = std::min(spectra.bins_of(pulses[pulses.size() / 2]).count, most_bins);
    const std::int64_t columns = fast_length(bins), rows = fast_length(static_cast<std::int64_t>(pulses.size()));
    std::vector<Complex<float>> image(static_cast<std::size_t>(rows * columns), Complex<float>{0, 0});
    Spectra::Work work(spectra);
    for (std::size_t row = 0; row < pulses.size(); ++row) {
        const Bins held = spectra.bins_of(pulses[row]);
        std::vector<Complex<float>> spectrum(static_cast<std::size_t>(held.count));
        spectra.read(pulses[row], sign, work, spectrum.data());
        // Phases are those of the middle pulse's point once the way to the pulse's own is added.
        turn(spectrum.data(), held.count, -held.first_hz * later[row], -spectra.step_hz() * later[row]);
        const std::int64_t from = std::max<std::int64_t>(0, (held.count - bins) / 2);
        std::copy_n(spectrum.data() + from, std::min(bins, held.count - from),
                    image.data() + static_cast<std::int64_t>(row) * columns);
    }
    PlaneFft<float>(rows, columns, FftDirection::inverse, FftDirection::forward)(image.data());
    double power = 0, squares = 0;
    for (const Complex<float>& pixel : image) {
        const double re = pixel.re, im = pixel.im, of_pixel = re * re + im * im;
        power += of_pixel, squares += of_pixel * of_pixel;
    }
    return power > 0 ? squares * static_cast<double>(rows * columns) / (power * power) : 0;
}

}  // namespace

std::optional<SignFound> sign_by_data(const Spectra& spectra, const std::vector<Pulse>& pulses, int told_sign) {
    constexpr double least_cycles = 1, much_sharper = 2;
    std::vector<Pulse> looked_at;
    const std::size_t every = (pulses.size() + most_pulses - 1) / most_pulses;
    for (std::size_t i = 0; i < pulses.size(); i += every) looked_at.push_back(pulses[i]);
    if (looked_at.size() < 16) return std::nullopt;
    const std::vector<double> later = later_s(looked_at);
    if (bend_s(looked_at, later) * looked_at.front().lowest_hz < least_cycles) return std::nullopt;
    SignFound found{.sign = told_sign,
                    .told_sharpness = sharpness(spectra, looked_at, later, told_sign),
                    .other_sharpness = sharpness(spectra, looked_at, later, -told_sign)};
    if (found.other_sharpness > much_sharper * found.told_sharpness) found.sign = -told_sign;
    return found;
}

}  // namespace cornerturn::cphd

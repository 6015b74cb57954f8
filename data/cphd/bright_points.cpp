// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/bright_points.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "kernels/host/plane_fft.h"
#include "kernels/math/fast_length.h"
#include "kernels/math/phasor.h"
#include "pipeline/acquisition/fits/parabola.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn::cphd {
namespace {

constexpr std::size_t block_pulses = 128, pulses_over_all = 1024, most_points = 12;
constexpr std::int64_t middle_bins = 512, finer = 2;  // by which the coarse image is finer than its cells

/// Hann's: sidelobes of bright points are no points.
double weight(std::int64_t i, std::int64_t count) {
    const double s = std::sin(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(count));
    return s * s;
}

/// Where `count` pulses follow each other fastest, nearest to the middle.
std::size_t densest(const std::vector<Pulse>& pulses, std::size_t count) {
    constexpr double rounding = 1 + 1e-6;
    const std::size_t middle = (pulses.size() - count) / 2;
    const auto lasts_s = [&](std::size_t first) { return pulses[first + count - 1].sent_s - pulses[first].sent_s; };
    std::size_t best = middle;
    for (std::size_t away = 1; away <= middle; ++away)
        for (const std::size_t first : {middle - away, std::min(middle + away, pulses.size() - count)})
            if (lasts_s(first) * rounding < lasts_s(best)) best = first;
    return best;
}

/// Steps along the axes of a plane over which two numbers that are seen from there change by so much, as they do over a
/// metre.
template <class Seen>
std::array<double, 2> step_of_change(const Seen& seen, double x_m, double y_m, const std::array<double, 2>& change) {
    constexpr double step_m = 1;
    const auto here = seen(x_m, y_m), by_x = seen(x_m + step_m, y_m), by_y = seen(x_m, y_m + step_m);
    const double a = by_x[0] - here[0], b = by_y[0] - here[0], c = by_x[1] - here[1], d = by_y[1] - here[1],
                 determinant = a * d - b * c;
    return {step_m * (d * change[0] - b * change[1]) / determinant,
            step_m * (a * change[1] - c * change[0]) / determinant};
}

/// From -count / 2 on.
double signed_place(double at, std::int64_t count) {
    const auto length = static_cast<double>(count);
    return at < 0.5 * length ? at : at - length;
}

}  // namespace

BrightPoints::BrightPoints(const Spectra& spectra, const std::vector<Pulse>& pulses, int sign, const ScenePlane& plane)
    : spectra_(spectra), pulses_(pulses), plane_(plane) {
    const Pulse& middle = pulses[pulses.size() / 2];
    const Bins held = spectra.bins_of(middle);
    bins_ = std::min(held.count, middle_bins);
    carrier_hz_ = held.first_hz + 0.5 * static_cast<double>(held.count - 1) * spectra.step_hz();
    const std::size_t in_block = std::min(block_pulses, pulses.size()),
                      every = (pulses.size() + pulses_over_all - 1) / pulses_over_all;
    first_of_block_ = densest(pulses, in_block);
    Spectra::Work work(spectra);
    for (std::size_t i = 0; i < pulses.size(); i += every) all_.push_back(read(pulses[i], sign, work));
    for (std::size_t i = 0; i < in_block; ++i) block_.push_back(read(pulses[first_of_block_ + i], sign, work));
}

BrightPoints::Line BrightPoints::read(const Pulse& pulse, int sign, Spectra::Work& work) const {
    const Bins held = spectra_.bins_of(pulse);
    std::vector<Complex<float>> whole(static_cast<std::size_t>(held.count));
    spectra_.read(pulse, sign, work, whole.data());
    const std::int64_t from = std::max<std::int64_t>(0, (held.count - bins_) / 2),
                       end = std::min(held.count, from + bins_);
    return {.pulse = &pulse,
            .first_hz = held.first_hz + static_cast<double>(from) * spectra_.step_hz(),
            .spectrum = {whole.begin() + from, whole.begin() + end}};
}

std::vector<const Pulse*> BrightPoints::pulses() const {
    std::vector<const Pulse*> pulses;
    for (const Line& line : all_) pulses.push_back(line.pulse);
    return pulses;
}

double BrightPoints::later_s(const Pulse& pulse, const Place& place) const {
    return pulse.delay_s(plane_.at(place.x_m, place.y_m)) - pulse.delay_s();
}

/// The echo that comes so much later than that of the point of reference: the sum over frequency of what the samples
/// hold of it.
std::complex<double> BrightPoints::value_at(const Line& line, double later_s) const {
    std::complex<double> phasor = std_phasor(line.first_hz * later_s), sum = 0;
    const std::complex<double> step = std_phasor(spectra_.step_hz() * later_s);
    for (const Complex<float>& value : line.spectrum) {
        sum += phasor * std::complex<double>(value.re, value.im);
        phasor *= step;
    }
    return sum;
}

/// Times of arrival (columns) and Doppler frequencies (rows) of the block, all about the point of its middle pulse.
std::vector<Complex<float>> BrightPoints::coarse_image(std::int64_t rows, std::int64_t columns) const {
    const Vec3 common_m = block_[block_.size() / 2].pulse->reference_m;
    std::vector<Complex<float>> image(static_cast<std::size_t>(rows * columns), Complex<float>{0, 0});
    for (std::size_t row = 0; row < block_.size(); ++row) {
        std::vector<Complex<float>> spectrum = block_[row].spectrum;
        const double later = block_[row].pulse->delay_s() - block_[row].pulse->delay_s(common_m);
        const auto count = std::ssize(spectrum);
        turn(spectrum.data(), count, -block_[row].first_hz * later, -spectra_.step_hz() * later);
        const double of_row = weight(static_cast<std::int64_t>(row), std::ssize(block_));
        Complex<float>* const line = image.data() + static_cast<std::int64_t>(row) * columns;
        for (std::int64_t i = 0; i < count; ++i)
            line[i] = static_cast<float>(of_row * weight(i, count)) * spectrum[static_cast<std::size_t>(i)];
    }
    PlaneFft<float>(rows, columns, FftDirection::inverse, FftDirection::forward)(image.data());
    return image;
}

/// The place from which echoes come so much later than from the point of the block's middle pulse, and later by so much
/// from pulse to pulse.
std::optional<BrightPoints::Place> BrightPoints::place_of(double arrival_s, double later_by_pulse_s) const {
    constexpr int rounds = 8;
    constexpr double farthest_m = 1e5, enough_m = 1e-3;
    const Vec3 common_m = block_[block_.size() / 2].pulse->reference_m;
    const Pulse &first = *block_.front().pulse, &middle = *block_[block_.size() / 2].pulse,
                &last = *block_.back().pulse;
    const auto seen = [&](double x_m, double y_m) {
        const Vec3 at_m = plane_.at(x_m, y_m);
        const auto later = [&](const Pulse& pulse) { return pulse.delay_s(at_m) - pulse.delay_s(common_m); };
        return std::array{later(middle) - arrival_s,
                          (later(last) - later(first)) / static_cast<double>(block_.size() - 1) - later_by_pulse_s};
    };
    Place place{dot(common_m - plane_.origin_m, plane_.x_axis), dot(common_m - plane_.origin_m, plane_.y_axis)};
    for (int round = 0; round < rounds; ++round) {
        const auto [x_m, y_m] = step_of_change(seen, place.x_m, place.y_m, seen(place.x_m, place.y_m));
        if (!(std::hypot(x_m, y_m) < farthest_m)) return std::nullopt;
        place.x_m -= x_m, place.y_m -= y_m;
        if (std::hypot(x_m, y_m) < enough_m) return place;
    }
    return std::nullopt;
}

std::vector<BrightPoints::Place> BrightPoints::coarse_places() const {
    constexpr std::int64_t beside = 6 * finer;  // pixels to either side that belong to a point
    constexpr double above_mean = 30;
    const std::int64_t columns = fast_length(finer * bins_), rows = fast_length(finer * std::ssize(block_));
    const std::vector<Complex<float>> image = coarse_image(rows, columns);
    std::vector<float> power(image.size());
    double mean = 0;
    for (std::size_t i = 0; i < image.size(); ++i) {
        power[i] = image[i].re * image[i].re + image[i].im * image[i].im;
        mean += static_cast<double>(power[i]) / static_cast<double>(image.size());
    }
    std::vector<Place> places;
    for (std::size_t point = 0; point < most_points; ++point) {
        const auto best = std::max_element(power.begin(), power.end());
        if (!(*best > above_mean * mean)) break;
        const std::int64_t row = (best - power.begin()) / columns, column = (best - power.begin()) % columns;
        const double arrival_s = signed_place(static_cast<double>(column), columns) /
                                 (static_cast<double>(columns) * spectra_.step_hz()),
                     later_s =
                         -signed_place(static_cast<double>(row), rows) / (static_cast<double>(rows) * carrier_hz_);
        if (const auto place = place_of(arrival_s, later_s)) places.push_back(*place);
        for (std::int64_t i = row - beside; i <= row + beside; ++i)
            for (std::int64_t k = column - beside; k <= column + beside; ++k)
                power[static_cast<std::size_t>((i + rows) % rows * columns + (k + columns) % columns)] = 0;
    }
    return places;
}

/// Those about the middle of the block, so many of all pulses.
std::vector<const BrightPoints::Line*> BrightPoints::lines_within(std::size_t pulses) const {
    std::vector<const Line*> lines;
    if (pulses <= block_.size()) {
        for (const Line& line : block_) lines.push_back(&line);
        return lines;
    }
    const std::size_t middle = first_of_block_ + block_.size() / 2, half = pulses / 2;
    const Pulse &first = pulses_[middle > half ? middle - half : 0],
                &last = pulses_[std::min(middle + half, pulses_.size() - 1)];
    for (const Line& line : all_)
        if (line.pulse->sent_s >= first.sent_s && line.pulse->sent_s <= last.sent_s) lines.push_back(&line);
    return lines;
}

namespace {

/// From -0.5 to 0.5.
template <class Lines>
std::vector<double> places_in(const Lines& lines) {
    const double first_s = lines.front()->pulse->sent_s, span_s = lines.back()->pulse->sent_s - first_s;
    std::vector<double> places;
    for (const auto* line : lines) places.push_back((line->pulse->sent_s - first_s) / span_s - 0.5);
    return places;
}

}  // namespace

BrightPoints::Off BrightPoints::off_at(const std::vector<const Line*>& lines, const Place& place) const {
    constexpr int most_cells = 6, steps_per_cell = 4, cells = most_cells * steps_per_cell;
    const double step_s = 0.5 / (static_cast<double>(bins_) * spectra_.step_hz());
    const std::vector<double> at = places_in(lines);
    std::array<double, 3> most{};
    Off off;
    for (int k = 0; k < 3; ++k) {
        std::vector<std::complex<double>> values;
        for (const Line* line : lines)
            values.push_back(value_at(*line, later_s(*line->pulse, place) + (k - 1) * step_s));
        std::vector<double> powers;
        for (int cell = -cells; cell <= cells; ++cell) {
            std::complex<double> sum = 0;
            for (std::size_t i = 0; i < at.size(); ++i)
                sum += values[i] * std_phasor(static_cast<double>(cell) / steps_per_cell * at[i]);
            powers.push_back(std::norm(sum));
        }
        const auto best = std::max_element(powers.begin() + 1, powers.end() - 1);
        most[static_cast<std::size_t>(k)] = *best;
        if (k == 1)
            off.cycles =
                (static_cast<double>(best - powers.begin() - cells) + parabola_top(best[-1], best[0], best[1])) /
                steps_per_cell;
    }
    const auto highest = static_cast<int>(std::max_element(most.begin(), most.end()) - most.begin());
    off.later_s = highest == 1 ? step_s * parabola_top(most[0], most[1], most[2]) : step_s * (highest - 1);
    return off;
}

/// Takes the place to where what is off is nothing. False where the plane does not tell.
bool BrightPoints::moved(const std::vector<const Line*>& lines, const Off& off, Place& place) const {
    constexpr double farthest_m = 200;
    const Pulse &first = *lines.front()->pulse, &middle = *lines[lines.size() / 2]->pulse, &last = *lines.back()->pulse;
    const auto seen = [&](double x_m, double y_m) {
        return std::array{later_s(middle, {x_m, y_m}), later_s(last, {x_m, y_m}) - later_s(first, {x_m, y_m})};
    };
    const auto [x_m, y_m] = step_of_change(seen, place.x_m, place.y_m, {off.later_s, off.cycles / carrier_hz_});
    if (!(std::hypot(x_m, y_m) < farthest_m)) return false;
    place.x_m += x_m, place.y_m += y_m;
    return true;
}

FocusedPoint BrightPoints::seen_at(const Place& place) const {
    constexpr double step_m = 1;
    FocusedPoint point{
        .x_m = place.x_m, .y_m = place.y_m, .values = {}, .place_in_aperture = {}, .later_by_step_s = {}};
    std::vector<const Line*> lines;
    for (const Line& line : all_) lines.push_back(&line);
    point.place_in_aperture = places_in(lines);
    for (const Line& line : all_) {
        const double later = later_s(*line.pulse, place);
        point.values.push_back(value_at(line, later));
        point.later_by_step_s.push_back({(later_s(*line.pulse, {place.x_m + step_m, place.y_m}) - later) / step_m,
                                         (later_s(*line.pulse, {place.x_m, place.y_m + step_m}) - later) / step_m});
    }
    return point;
}

std::vector<FocusedPoint> BrightPoints::focused() const {
    constexpr int rounds = 2;  // of each length of aperture
    std::vector<FocusedPoint> points;
    for (Place place : coarse_places()) {
        bool found = true;
        for (std::size_t length = block_.size(); found; length *= 2) {
            const std::vector<const Line*> lines = lines_within(length);
            for (int round = 0; found && round < rounds; ++round) found = moved(lines, off_at(lines, place), place);
            if (lines.size() == all_.size()) break;
        }
        if (found) points.push_back(seen_at(place));
    }
    return points;
}

}  // namespace cornerturn::cphd

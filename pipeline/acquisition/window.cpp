// SPDX-License-Identifier: Apache-2.0
// Spectral windows: closed forms and their names.
#include "pipeline/acquisition/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "kernels/errors.h"
#include "kernels/host/number_text.h"
#include "kernels/math/bessel.h"

namespace cornerturn {

namespace {

constexpr double largest_beta = 100;
constexpr int largest_nbar = 50;
constexpr double smallest_sidelobe_db = 13.3;  // the plain sinc has 13.26 already
constexpr double largest_sidelobe_db = 120;

double kaiser(double x, double beta) {
    return bessel_i0(beta * std::sqrt(std::max(0.0, 1.0 - 4.0 * x * x))) / bessel_i0(beta);
}

/// Cosine coefficient F_m of the Taylor window (Carrara, Goodman & Majewski 1995, app. D.2).
double taylor_coefficient(int m, int nbar, double a_squared, double sigma_squared) {
    double numerator = m % 2 == 1 ? 0.5 : -0.5;
    double denominator = 1;
    for (int n = 1; n < nbar; ++n) {
        numerator *= 1.0 - m * m / (sigma_squared * (a_squared + (n - 0.5) * (n - 0.5)));
        if (n != m) denominator *= 1.0 - static_cast<double>(m * m) / (n * n);
    }
    return numerator / denominator;
}

double taylor(double x, int nbar, double sidelobe_db) {
    const double a = std::acosh(std::pow(10.0, sidelobe_db / 20.0)) / std::numbers::pi;
    const double sigma_squared = nbar * nbar / (a * a + (nbar - 0.5) * (nbar - 0.5));
    double weight = 1;
    double centre = 1;
    for (int m = 1; m < nbar; ++m) {
        const double coefficient = 2.0 * taylor_coefficient(m, nbar, a * a, sigma_squared);
        weight += coefficient * std::cos(2.0 * std::numbers::pi * m * x);
        centre += coefficient;
    }
    return weight / centre;
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> fields;
    for (auto colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':')) {
        fields.push_back(text.substr(0, colon));
        text.remove_prefix(colon + 1);
    }
    fields.push_back(text);
    return fields;
}

template <class Number>
Number number_within(std::string_view window, std::string_view field, std::string_view what, Number low, Number high) {
    const auto value = number_from<Number>(field);
    if (!value || !(*value >= low && *value <= high))
        throw InputError(
            fmt::format("window '{}': {} is '{}', expected a number from {} to {}", window, what, field, low, high));
    return *value;
}

}  // namespace

double Window::operator()(double x) const {
    if (!(x >= -0.5 && x <= 0.5)) return 0;
    switch (kind) {
        case Kind::none: return 1;
        case Kind::kaiser: return kaiser(x, beta);
        case Kind::hamming: return 0.54 + 0.46 * std::cos(2.0 * std::numbers::pi * x);
        case Kind::taylor: return taylor(x, nbar, sidelobe_db);
    }
    return 0;
}

double Window::mean() const {
    constexpr int steps = 1000;
    double sum = 0;
    for (int i = 0; i < steps; ++i) sum += (*this)((i + 0.5) / steps - 0.5);
    return sum / steps;
}

Window Window::parse(std::string_view text) {
    const auto fields = split(text);
    Window window;
    if (text == "none") return window;
    if (text == "hamming") {
        window.kind = Kind::hamming;
        return window;
    }
    if (fields[0] == "kaiser" && fields.size() == 2) {
        window.kind = Kind::kaiser;
        window.beta = number_within(text, fields[1], "BETA", 0.0, largest_beta);
        return window;
    }
    if (fields[0] == "taylor" && (fields.size() == 1 || fields.size() == 3)) {
        window.kind = Kind::taylor;
        if (fields.size() == 3) {
            window.nbar = number_within(text, fields[1], "NBAR", 2, largest_nbar);
            window.sidelobe_db =
                number_within(text, fields[2], "SIDELOBE_DB", smallest_sidelobe_db, largest_sidelobe_db);
        }
        return window;
    }
    throw InputError(
        fmt::format("window '{}' is unknown; choose none, kaiser:BETA (such as kaiser:2.5), hamming, taylor or "
                    "taylor:NBAR:SIDELOBE_DB (such as taylor:4:35)",
                    text));
}

std::string Window::name() const {
    switch (kind) {
        case Kind::none: return "none";
        case Kind::kaiser: return fmt::format("kaiser:{}", beta);
        case Kind::hamming: return "hamming";
        case Kind::taylor: return fmt::format("taylor:{}:{}", nbar, sidelobe_db);
    }
    return "none";
}

double hann(std::int64_t sample, std::int64_t count) {
    return 0.5 -
           0.5 * std::cos(2 * std::numbers::pi * (static_cast<double>(sample) + 0.5) / static_cast<double>(count));
}

double fade_out(double x) {
    if (x <= 0) return 1;
    if (x >= 1) return 0;
    constexpr double mean = 0.35875, first = 0.48829, second = 0.14128, third = 0.01168,
                     two_pi = 2.0 * std::numbers::pi;
    return 1.0 - x +
           (first * std::sin(two_pi * x) - second * std::sin(2 * two_pi * x) / 2 +
            third * std::sin(3 * two_pi * x) / 3) /
               (two_pi * mean);
}

}  // namespace cornerturn

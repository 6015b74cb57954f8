// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/zoomed_spectrum.h"

#include <algorithm>
#include <cstddef>

#include "kernels/host/vector_clones.h"
#include "kernels/math/phasor.h"

namespace cornerturn {
namespace {

/// So many places at a time lie in registers and next to them while all values pass by: enough that none waits for the
/// one before.
constexpr int places_at_a_time = 32;
struct Phasors {
    double re[places_at_a_time], im[places_at_a_time];

    void set(int i, std::complex<double> value) { re[i] = value.real(), im[i] = value.imag(); }
};

/// Phases grow evenly from value to value: each phasor is the one before, turned on.
CT_VECTOR_CLONES void add_up(const std::complex<double>* values, std::size_t count, const Phasors& first,
                             const Phasors& turn, Phasors& sum) {
    Phasors now = first, all{};
    for (std::size_t k = 0; k < count; ++k) {
        const double re = values[k].real(), im = values[k].imag();
        for (int i = 0; i < places_at_a_time; ++i) {
            all.re[i] += re * now.re[i] - im * now.im[i];
            all.im[i] += re * now.im[i] + im * now.re[i];
            const double turned = now.re[i] * turn.re[i] - now.im[i] * turn.im[i];
            now.im[i] = now.re[i] * turn.im[i] + now.im[i] * turn.re[i];
            now.re[i] = turned;
        }
    }
    sum = all;
}

}  // namespace

std::vector<std::complex<double>> zoomed_spectrum(const std::vector<std::complex<double>>& values,
                                                  const EvenlySpaced& times, const EvenlySpaced& places, int count) {
    std::vector<std::complex<double>> spectrum;
    for (int begin = 0; begin < count; begin += places_at_a_time) {
        Phasors first, turn, sum;
        for (int i = 0; i < places_at_a_time; ++i) {
            const double place = places.first + (begin + i) * places.step;
            first.set(i, std_phasor(place * times.first));
            turn.set(i, std_phasor(place * times.step));
        }
        add_up(values.data(), values.size(), first, turn, sum);
        for (int i = 0; i < std::min(places_at_a_time, count - begin); ++i) spectrum.emplace_back(sum.re[i], sum.im[i]);
    }
    return spectrum;
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Range compression, one line by one block: decode, transform, filter, inverse transform, store.
#pragma once

#include <type_traits>

#include "kernels/cuda/fft/line_fft.cuh"
#include "kernels/device/scaled_lines.h"
#include "kernels/passes/decoding.h"

namespace cornerturn {

/// Distance between the samples of a butterfly: known to the compiler, which makes it part of the load, or when the
/// kernel runs.
template <int Samples>
struct FixedStep {
    template <int J>
    CT_HOST_DEVICE int times() const {
        return J * Samples;
    }
    template <int J, class Block, class T>
    CT_HOST_DEVICE T fetch(const Block& block, const T* from) const {
        return block.template fetch<J * Samples>(from);
    }
};
struct FreeStep {
    int samples;
    template <int J>
    CT_HOST_DEVICE int times() const {
        return J * samples;
    }
    template <int J, class Block, class T>
    CT_HOST_DEVICE T fetch(const Block& block, const T* from) const {
        return block.fetch(from + J * samples);
    }
};

/// An echo whose format is known when the kernel runs: one of those that store Components.
template <class... Components>
struct EchoOf {
    SampleFormat format;
    EchoReader<float, std::int8_t> reader;  ///< of any format: only the type of its samples has to be put right
    int sample_bytes;

    static constexpr bool serves(SampleFormat format) { return ((format == format_storing<Components>) || ...); }

    /// v[j] is sample n + j step of the line, 0 from `count` on. Finite: 0 also where it is not finite; else that is
    /// left to the caller. False, and v is left alone, where no sample of the format could be anything else.
    template <bool Finite, class Step, class Block, int Count>
    CT_HOST_DEVICE bool load(const Block& block, Complex64 (&v)[Count], std::int64_t line, int n, Step step,
                             int count) const {
        if (!load_one_of<Finite, Components...>(block, v, line, n, step, count)) return false;
        const LineRules<float> rules = reader.rules(line);
        if (!rules.take_all(count)) keep_valid(v, rules, n, step);
        return true;
    }

    /// Asks for a line to be brought into the L2 cache.
    template <class Block>
    CT_HOST_DEVICE void prefetch(const Block& block, std::int64_t line, int count) const {
        const int bytes = count * sample_bytes;
        block.prefetch(reinterpret_cast<const char*>(reader.samples) + (line - reader.first_line) * bytes, bytes);
    }

private:
    template <bool Finite, class Component, class... Others, class Step, class Block, int Count>
    CT_HOST_DEVICE bool load_one_of(const Block& block, Complex64 (&v)[Count], std::int64_t line, int n, Step step,
                                    int count) const {
        if constexpr (sizeof...(Others) > 0)
            if (format != format_storing<Component>)
                return load_one_of<Finite, Others...>(block, v, line, n, step, count);
        return load_as<Component, Finite>(block, v, line, n, step, count);
    }

    template <class Component, bool Finite, class Step, class Block, int Count>
    CT_HOST_DEVICE bool load_as(const Block& block, Complex64 (&v)[Count], std::int64_t line, int n, Step step,
                                int count) const {
        if constexpr (Finite && std::is_integral_v<Component>) {
            return false;
        } else {
            const EchoReader<float, Component> echo = reader.template as<Component>();
            const Stored<Component>* row = echo.row(line);
            const auto number = [&](Stored<Component> sample) {
                return Finite ? echo.finite_part(sample) : echo.value(sample);
            };
            // No load waits for a condition: all are on their way before the first is looked at.
            Stored<Component> raw[Count];
            if (count == step.template times<Count>()) {
                unrolled<Count>([&]<int J>() { raw[J] = step.template fetch<J>(block, row + n); });
                unrolled<Count>([&]<int J>() { v[J] = number(raw[J]); });
            } else {
                const int last = count - 1;
                unrolled<Count>([&]<int J>() {
                    const int i = n + step.template times<J>();
                    raw[J] = block.fetch(row + (i < last ? i : last));
                });
                unrolled<Count>([&]<int J>() {
                    v[J] = n + step.template times<J>() <= last ? number(raw[J]) : Complex64{0, 0};
                });
            }
            return true;
        }
    }

    /// What rules.apply does, interval by interval.
    template <class Step, int Count>
    CT_HOST_DEVICE static void keep_valid(Complex64 (&v)[Count], const LineRules<float>& rules, int n, Step step) {
        std::uint64_t inside = 0;
        for (int k = 0; k <= rules.more_count; ++k) {
            const Interval valid = k == 0 ? rules.valid : rules.more[k - 1];
            unrolled<Count>([&]<int J>() {
                const int i = n + step.template times<J>();
                inside |= static_cast<std::uint64_t>((i >= valid.first) & (i < valid.last)) << J;
            });
        }
        unrolled<Count>([&]<int J>() { v[J] = (inside >> J & 1) != 0 ? rules.gain * v[J] : Complex64{0, 0}; });
    }
};

/// Most echoes are one of these; what serves fewer formats is less code, and waits less for it.
using CommonEcho = EchoOf<float, std::int8_t>;
using RareEcho = EchoOf<std::int16_t, Half, LutIndex, double>;

template <int Count>
CT_HOST_DEVICE float largest_component(const Complex64 (&v)[Count]) {
    float result = 0;
    unrolled<Count>([&]<int J>() { result = fmaxf(result, fmaxf(fabsf(v[J].re), fabsf(v[J].im))); });
    return result;
}

/// Of a line of halves whose echo has components up to `peak`; growth: of such a component to a modulus behind the
/// filter, at most.
CT_HOST_DEVICE float scale_of_line(float peak, float growth) {
    constexpr float smallest_peak = 1e-20f;  // of a line of zeros
    return fmaxf(peak, smallest_peak) * (growth / largest_scaled_half);
}

/// Range compression of a line, to Samples: Complex64, or HalfPair with a scale for the line.
template <class Digits, class Echo, class Sample>
struct RangeLine {
    static constexpr int warps = Digits::threads / 32;
    struct Shape : Digits {
        static constexpr int slots =
            Digits::slots + (warps + 1) / 2;  // the largest number that each warp saw lies behind the line
    };
    Echo echo;
    const FilterPair* filter;  ///< as grouped_filter lays it out
    LineTwiddles twiddles;
    std::int64_t first_line;  ///< of the pass, for line 0 here
    std::int64_t lines;
    std::int64_t samples;  ///< of a line in and out; zeros behind
    Sample* out;           ///< of the pass
    float* scale;          ///< of halves, per line of the pass
    float growth;          ///< of a component of the echo to a modulus behind the filter, at most
    unsigned* not_finite;  ///< set to 1 where a sample of the echo may not be; may be null
    unsigned ahead;        ///< lines by which the echo is fetched into the L2 cache before its turn; 0: not at all

    std::int64_t blocks() const { return lines; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t line = first_line + block.number();
        const int count = static_cast<int>(samples);
        if (ahead > 0 && block.number() + ahead < lines) echo.prefetch(block, line + ahead, count);
        auto* memory = block.template memory<Complex64>();
        const FusedLineFft<Digits, Block> fft(block, memory, twiddles);
        Sample* to = out + line * samples;
        if constexpr (std::is_same_v<Sample, Complex64>) {
            fft.filtered(Load<Block>{block, echo, line, count, not_finite}, filter,
                         [&](const Complex64(&v)[Digits::A], int n) { store(block, v, 1.0f, to, n, count); });
        } else {
            auto* peaks = reinterpret_cast<float*>(memory + Digits::slots);
            fft.filtered(LoadAndBound<Block>{{block, echo, line, count, not_finite}, peaks}, filter,
                         [&](const Complex64(&v)[Digits::A], int n) {
                             float peak = 0;
                             unrolled<warps>([&]<int I>() { peak = fmaxf(peak, peaks[I]); });
                             const float line_scale = scale_of_line(peak, growth);
                             if (n == 0) scale[line] = line_scale;
                             store(block, v, 1.0f / line_scale, to, n, count);
                         });
        }
    }

private:
    static constexpr int step = Digits::B * Digits::C;

    template <class Block>
    struct Load {
        const Block& block;
        const Echo& echo;
        std::int64_t line;
        int count;
        unsigned* not_finite;

        CT_HOST_DEVICE void operator()(Complex64 (&v)[Digits::A], int n) {
            echo.template load<false>(block, v, line, n, FixedStep<step>{}, count);
        }
        CT_HOST_DEVICE bool finite(Complex64 (&v)[Digits::A], int n) {
            const bool again = echo.template load<true>(block, v, line, n, FixedStep<step>{}, count);
            if (again && not_finite != nullptr) *not_finite = 1;  // whoever comes here writes the same
            return again;
        }
        CT_HOST_DEVICE void first_butterfly(Complex64 (&v)[Digits::A]) const { transform<Digits::A>(v); }
        CT_HOST_DEVICE void done() const {}
    };

    /// Also leaves the largest component that each warp loaded.
    template <class Block>
    struct LoadAndBound : Load<Block> {
        float* peaks;
        float largest = 0, latest = 0;  // latest: of the samples loaded last, which may turn out not to be finite

        CT_HOST_DEVICE void operator()(Complex64 (&v)[Digits::A], int n) {
            largest = fmaxf(largest, latest);
            Load<Block>::operator()(v, n);
            latest = largest_component(v);
        }
        CT_HOST_DEVICE bool finite(Complex64 (&v)[Digits::A], int n) {
            const bool again = Load<Block>::finite(v, n);
            if (again) latest = largest_component(v);
            return again;
        }
        CT_HOST_DEVICE void done() const {
            const float of_warp = this->block.warp_max(fmaxf(largest, latest));
            if (this->block.thread().x % 32 == 0) peaks[this->block.thread().x / 32] = of_warp;
        }
    };

    template <class Block>
    CT_HOST_DEVICE static void store(const Block& block, const Complex64 (&v)[Digits::A], float factor, Sample* to,
                                     int n, int count) {
        // Not past the caches: measured to be better for lines.
        const auto put = [&]<int J>() {
            const Complex64 value = swapped(v[J]);
            to[n + J * step] =
                block.template narrowed<Sample>(std::is_same_v<Sample, Complex64> ? value : factor * value);
        };
        if (count == Digits::length)
            unrolled<Digits::A>(put);
        else
            unrolled<Digits::A>([&]<int J>() {
                if (n + J * step < count) put.template operator()<J>();
            });
    }
};

}  // namespace cornerturn

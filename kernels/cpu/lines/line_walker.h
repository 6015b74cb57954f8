// SPDX-License-Identifier: Apache-2.0
// Any line pass on the CPU: each thread takes a line through load, FFT, filter, inverse FFT and store while it lies in
// cache.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

#include "kernels/cpu/lines/finer_inverse.h"
#include "kernels/cpu/lines/load_echo.h"
#include "kernels/cpu/lines/spectrum_gather.h"
#include "kernels/device/lowering.h"
#include "kernels/host/host_echo.h"
#include "kernels/host/line_fft.h"
#include "kernels/host/line_loop.h"
#include "kernels/host/nontemporal_store.h"
#include "kernels/host/vector_clones.h"
#include "kernels/passes/tables.h"

namespace cornerturn {

template <class Real>
inline constexpr SampleFormat native_format = sizeof(Real) == 4 ? SampleFormat::complex64 : SampleFormat::complex128;

/// The samples of a transform that a line keeps, zeros between; copy(from, count, to) writes those.
template <class Real, class Copy>
void store_line(const StoreRule& rule, const Complex<Real>* transformed, std::int64_t count, Complex<Real>* out,
                const Copy& copy) {
    const std::int64_t first = std::clamp<std::int64_t>(rule.covered.first, 0, count);
    const std::int64_t last = std::clamp<std::int64_t>(rule.covered.last, first, count);
    std::fill(out, out + first, Complex<Real>{});
    for (std::int64_t index = first; index < last;) {
        const std::int64_t source = rule.source(index), run = std::min(last - index, rule.period - source);
        copy(transformed + source, run, out + index);
        index += run;
    }
    std::fill(out + last, out + count, Complex<Real>{});
}
/// Past the cache.
template <class Real>
void store_line(const StoreRule& rule, const Complex<Real>* transformed, std::int64_t count, Complex<Real>* out) {
    store_line(rule, transformed, count, out, stream_line<Complex<Real>>);
}
/// Into the cache.
template <class Real>
void keep_line(const StoreRule& rule, const Complex<Real>* transformed, std::int64_t count, Complex<Real>* out) {
    store_line(rule, transformed, count, out, std::copy_n<const Complex<Real>*, std::int64_t, Complex<Real>*>);
}

/// Of what lies there already nothing but what is covered is touched.
template <class Real>
void store_over(const StoreRule& rule, const Complex<Real>* transformed, Complex<Real>* out) {
    for (std::int64_t index = rule.covered.first; index < rule.covered.last; ++index)
        out[index] = transformed[rule.source(index)];
}

template <class Real, class Pass>
class LineWalker final : public StepPlan {
public:
    LineWalker(const Pass& pass, int threads)
        : pass_(pass),
          shape_(pass.shape()),
          hooks_(pass_.template hooks<Real>(tables_)),
          line_(threads, buffer_length()),
          spectrum_(threads, buffer_length()) {
        if constexpr (has_forward(Pass::transforms))
            forward_.emplace(shape_.fft_length, FftDirection::forward, shape_.lines);
        if constexpr (has_inverse(Pass::transforms)) {
            if (shape_.widens())
                finer_inverse_.emplace(shape_, threads);
            else
                inverse_.emplace(shape_.fft_length, FftDirection::inverse, shape_.lines);
        }
        if constexpr (has_place<Hooks>) gather_.emplace(pass_.kernel, shape_.fft_length);
    }

    bool decode_as(const EchoDecoding& decoding) override {
        if constexpr (Pass::reads_echo) pass_.decoding = decoding;
        return Pass::reads_echo;
    }

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, input_format(), shape_.lines, shape_.in, std::string(Pass::title) + ": the input");
        walk(in, 0, out);
    }

    void run_lines(const Matrix& in, std::int64_t first_line, Matrix& out) override {
        if constexpr (!Pass::reads_echo) return StepPlan::run_lines(in, first_line, out);
        require_rows(in, first_line, input_format(), shape_.lines, shape_.in, std::string(Pass::title) + ": the echo");
        walk(in, first_line, out);
    }

    /// By a thread of its own: a line by itself, which stays in the cache.
    void one_line(std::int64_t line, const Complex<Real>* from, Complex<Real>* to) const requires(!Pass::reads_echo) {
        keep_line(store_rule(hooks_, shape_, line), transform(line, padded(from, line_.mine())), shape_.out, to);
    }

private:
    using Sample = Complex<Real>;

    std::int64_t loaded_length() const { return std::max(shape_.fft_length, shape_.in); }
    std::int64_t buffer_length() const { return std::max(shape_.inverse(), loaded_length()); }
    SampleFormat input_format() const {
        if constexpr (Pass::reads_echo)
            return pass_.format;
        else
            return native_format<Real>;
    }

    void walk(const Matrix& in, std::int64_t first_line, Matrix& out) {
        require_matrix(out, native_format<Real>, shape_.lines, shape_.out, std::string(Pass::title) + ": the output");
        if constexpr (Pass::reads_echo) {
            with_component(pass_.format, [&]<class Component>(std::type_identity<Component>) {
                const auto echo =
                    host_echo<Real, Component>(in.data<std::byte>(), in.columns, pass_.decoding, first_line);
                each_line(first_line, in.rows, out, [&](std::int64_t line, Sample* buffer) {
                    load_echo(echo, line, shape_.in, buffer, loaded_length());
                    return static_cast<const Sample*>(buffer);
                });
            });
        } else {
            each_line(first_line, in.rows, out, [&](std::int64_t line, Sample* buffer) {
                return padded(in.data<Sample>() + line * shape_.in, buffer);
            });
        }
    }

    template <class Load>
    void each_line(std::int64_t first_line, std::int64_t lines, Matrix& out, const Load& load) {
        for_each_line(lines, line_.threads(), [&](std::int64_t i) {
            const std::int64_t line = first_line + i;
            const StoreRule rule = store_rule(hooks_, shape_, line);
            Sample* to = out.data<Sample>() + line * shape_.out;
            const bool nothing = rule.covered.first >= rule.covered.last;
            store_line(rule, nothing ? nullptr : transform(line, load(line, line_.mine())), shape_.out, to);
            if constexpr (has_again<Hooks>)
                if (const std::int64_t again = hooks_.again(line); again >= 0)
                    store_over(store_rule(hooks_, shape_, again), transform(again, load(line, line_.mine())), to);
        });
    }

    /// From one of the two buffers to the other and back. What it returns may be the input where nothing changes it.
    const Sample* transform(std::int64_t line, const Sample* loaded) const {
        Sample *samples = line_.mine(), *spectrum = spectrum_.mine();
        const Sample* result = loaded;
        if constexpr (has_before<Hooks>) {
            if (loaded != samples) std::copy_n(loaded, loaded_length(), samples);
            loaded = samples;
            multiply(samples, shape_.in, [of = of_line(hooks_, line)](std::int64_t i) { return of.before(i); });
        }
        if constexpr (Pass::transforms == Transforms::inverse) {
            (*inverse_)(loaded, spectrum);
            result = spectrum;
        } else if constexpr (has_forward(Pass::transforms)) {
            (*forward_)(loaded, spectrum);
            result = spectrum;
        }
        if constexpr (has_filter<Hooks>)
            multiply(spectrum, shape_.fft_length,
                     [of = of_line(hooks_, line)](std::int64_t bin) { return of.filter(bin); });
        if constexpr (has_place<Hooks>) {
            gather_->run(of_line(hooks_, line), spectrum, samples);
            std::swap(spectrum, samples);
        }
        if constexpr (Pass::transforms == Transforms::both) {
            if (finer_inverse_)
                (*finer_inverse_)(spectrum, samples);
            else
                (*inverse_)(spectrum, samples);
            result = samples;
        }
        if constexpr (has_scale<Hooks>) {
            if (result == loaded && loaded != samples) {
                std::copy_n(loaded, shape_.out, samples);
                result = samples;
            }
            multiply(const_cast<Sample*>(result),
                     Pass::transforms == Transforms::none ? shape_.out : std::min(shape_.out, shape_.inverse()),
                     [of = of_line(hooks_, line)](std::int64_t index) { return of.scale(index); });
        }
        return result;
    }

    template <class Factor>
    CT_VECTOR_CLONES static void multiply(Sample* values, std::int64_t count, Factor factor) {
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] * factor(i);
    }

    /// With zeros behind, and in cache: a transform reads far apart, where memory is slow.
    const Sample* padded(const Sample* from, Sample* buffer) const {
        std::fill(std::copy_n(from, shape_.in, buffer), buffer + loaded_length(), Sample{});
        return buffer;
    }

    using Hooks = decltype(std::declval<const Pass&>().template hooks<Real>(std::declval<const HostTables&>()));

    Pass pass_;
    LineShape shape_;
    HostTables tables_;
    Hooks hooks_;
    std::optional<PassFft<Real>> forward_, inverse_;
    std::optional<FinerInverse<Real>> finer_inverse_;
    std::optional<SpectrumGather<Real>> gather_;
    LineBuffers<Real> line_, spectrum_;
};

}  // namespace cornerturn

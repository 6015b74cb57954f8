// SPDX-License-Identifier: Apache-2.0
// Any line pass as calls of cuFFT with sweeps between them, a batch of lines at a time: in the rows of the output where
// they have the transform's length, else in a buffer.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

#include "kernels/cuda/libraries/row_fft.h"
#include "kernels/cuda/plain/echo_rows.cuh"
#include "kernels/cuda/plain/gather_spectra.cuh"
#include "kernels/cuda/plain/launch_rows.cuh"
#include "kernels/cuda/plain/plans.h"
#include "kernels/cuda/runtime/decoding_tables.h"
#include "kernels/cuda/runtime/device_tables.h"

namespace cornerturn {

template <class Pass>
class PlainLineWalker final : public StepPlan {
    using Hooks = decltype(std::declval<const Pass&>().template hooks<float>(std::declval<const DeviceTables&>()));
    static constexpr Transforms transforms = Pass::transforms;
    static constexpr bool as_transformed =
        !has_scale<Hooks> && !has_cover<Hooks> && !has_place<Hooks>;  // stored as the transform leaves it
    static constexpr std::int64_t buffers =
        has_place<Hooks> ? 2 : 1;  // a gather along spectra needs somewhere to put them

public:
    PlainLineWalker(const Pass& pass, const PassTuning& tuning, SharedContext context)
        : shape_(pass.shape()),
          length_(transforms == Transforms::none ? shape_.out : shape_.fft_length),
          hooks_(pass.template hooks<float>(tables_)),
          context_(context),
          batches_(batches(*context, tuning)) {
        if constexpr (Pass::reads_echo) {
            format_ = pass.format;
            decoding_.emplace(pass.decoding);
        }
        if constexpr (transforms != Transforms::none) fft_.emplace(context, length_, batches_);
        if (wide_length() > 0) wide_fft_.emplace(context, wide_length(), batches_);
        if constexpr (has_place<Hooks>) weights_ = polynomials<float>(pass.kernel);
        if constexpr (has_again<Hooks>) again_ = pass.again;
        if (!only_stored() && (Pass::reads_echo || !stored_in_output()))
            context_->workspace.reserve_lines(
                static_cast<std::size_t>(batches_.batch * (buffers * length_ + wide_length())) * sizeof(Complex64));
    }

    bool decode_as(const EchoDecoding& decoding) override {
        if constexpr (Pass::reads_echo) {
            context_->use();
            decoding_.emplace(decoding);
        }
        return Pass::reads_echo;
    }

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, format_, shape_.lines, shape_.in, std::string(Pass::title) + ": the input");
        walk(in, 0, out);
    }

    void run_lines(const Matrix& in, std::int64_t first_line, Matrix& out) override {
        if constexpr (!Pass::reads_echo) return StepPlan::run_lines(in, first_line, out);
        require_rows(in, first_line, format_, shape_.lines, shape_.in, std::string(Pass::title) + ": the echo");
        walk(in, first_line, out);
    }

private:
    bool stored_in_output() const { return as_transformed && length_ == shape_.out && !shape_.widens(); }
    /// Nothing goes to and fro: all lines are one batch.
    bool only_stored() const { return transforms == Transforms::none && stored_in_output(); }
    LineBatches batches(const CudaContext& context, const PassTuning& tuning) const {
        const std::int64_t lines = tuning.block_lines > 0 ? std::min(tuning.block_lines, shape_.lines) : shape_.lines;
        if (only_stored()) return {shape_.lines, length_, INT64_MAX, 1};
        return {context.limits, lines, buffers * length_ + wide_length()};
    }
    /// Of an inverse transform that is longer than the forward one, with a buffer of its own behind the other; else 0.
    std::int64_t wide_length() const {
        return transforms == Transforms::both && shape_.widens() ? shape_.inverse() : 0;
    }

    void walk(const Matrix& in, std::int64_t first_line, Matrix& out) {
        context_->use();
        require_matrix(out, SampleFormat::complex64, shape_.lines, shape_.out,
                       std::string(Pass::title) + ": the output");
        batches_.for_each(first_line, first_line + in.rows, [&](std::int64_t first, std::int64_t lines) {
            Complex64* to = out.data<Complex64>() + first * shape_.out;
            // A transform may run over more rows than these: not over the neighbours in the output.
            const std::int64_t transformed = fft_ ? fft_->transformed(lines) : lines;
            const bool in_output = stored_in_output() && transformed == lines;
            Complex64* work = in_output ? to : context_->workspace.lines();
            const Complex64* result = transform(walked(false), in, first_line, first, lines, transformed, work);
            if (!in_output) store(result, first, lines, to);
            if constexpr (has_again<Hooks>)
                if (any_again(again_, first, lines))
                    store_over(transform(walked(true), in, first_line, first, lines, transformed, work), first, lines,
                               to);
        });
    }

    /// Of the first time through a line or the second.
    WalkedHooks<Hooks> walked(bool second) const { return walked_hooks(hooks_, second); }

    /// Returns where the result lies: in `work`, or where nothing was transformed.
    const Complex64* transform(const WalkedHooks<Hooks>& hooks, const Matrix& in, std::int64_t first_line,
                               std::int64_t first, std::int64_t lines, std::int64_t transformed, Complex64* work) {
        const Complex64* loaded = work;
        if constexpr (Pass::reads_echo)
            decode(in, first_line, first, lines, transformed, work);
        else
            loaded = padded(hooks, in.data<Complex64>() + first * shape_.in, first, lines, transformed, work);
        if constexpr (transforms == Transforms::inverse) {
            fft_->inverse(loaded, work, lines);
        } else if constexpr (has_forward(transforms)) {
            fft_->forward(loaded, work, lines);
            if constexpr (transforms == Transforms::both && has_filter<Hooks>)
                if (wide_fft_) return widened(first, lines, work);
            if constexpr (has_filter<Hooks>)
                with_lanes({length_}, [&](auto lanes) {
                    sweep_rows(FilterRows<WalkedHooks<Hooks>, lanes>{hooks, first, length_, work}, lines, length_,
                               context_->stream, Pass::title);
                });
            if constexpr (has_place<Hooks>) {
                gather_spectra(hooks, weights_, work, first, lines, length_, work + batches_.batch * length_,
                               context_->stream, Pass::title);
                work += batches_.batch * length_;
                clear(work + lines * length_, (transformed - lines) * length_);
            }
            if constexpr (transforms == Transforms::both) fft_->inverse(work, work, lines);
        } else {
            return loaded;
        }
        return work;
    }

    const Complex64* widened(std::int64_t first, std::int64_t lines, const Complex64* work) {
        Complex64* wide = context_->workspace.lines() + batches_.batch * length_;
        with_lanes({length_, shape_.inverse(), shape_.bins_from_zero()}, [&](auto lanes) {
            sweep_rows(WidenRows<Hooks, lanes>{hooks_, shape_, first, work, wide}, lines, shape_.inverse(),
                       context_->stream, Pass::title);
        });
        clear(wide + lines * shape_.inverse(), (wide_fft_->transformed(lines) - lines) * shape_.inverse());
        wide_fft_->inverse(wide, wide, lines);
        return wide;
    }

    /// Rows that are transformed beside those that are wanted: they are read, too.
    void clear(Complex64* from, std::int64_t samples) const {
        if (samples > 0)
            check(
                cudaMemsetAsync(from, 0, static_cast<std::size_t>(samples) * sizeof(Complex64), context_->stream.get()),
                Pass::title);
    }

    void store_over(const Complex64* work, std::int64_t first, std::int64_t lines, Complex64* out) const {
        with_lanes({length_, shape_.out}, [&](auto lanes) {
            sweep_rows(StoreOver<WalkedHooks<Hooks>, lanes>{{walked(true), shape_, work, first, out}}, lines,
                       shape_.out, context_->stream, Pass::title);
        });
    }

    void decode(const Matrix& in, std::int64_t first_line, std::int64_t first, std::int64_t lines,
                std::int64_t transformed, Complex64* work) const {
        with_component(format_, [&]<class Component>(std::type_identity<Component>) {
            const auto echo = decoding_->template reader<float, Component>(in, first_line);
            with_lanes({shape_.in, length_}, [&](auto lanes) {
                sweep_rows(LoadEcho<Component, lanes>{echo, first, lines, shape_.in, length_, work}, transformed,
                           length_, context_->stream, Pass::title);
            });
        });
    }

    /// Where they lie if they need no factor, no zeros behind, and no more rows than are there.
    const Complex64* padded(const WalkedHooks<Hooks>& hooks, const Complex64* from, std::int64_t first,
                            std::int64_t lines, std::int64_t transformed, Complex64* work) const {
        if (!has_before<Hooks> && shape_.in == length_ && transformed == lines) return from;
        with_lanes({shape_.in, length_}, [&](auto lanes) {
            const CopyRows<lanes> copy{from, shape_.in, work, length_};
            if constexpr (has_before<Hooks>)
                sweep_rows(PrepareRows<WalkedHooks<Hooks>, lanes>{copy, hooks, first}, lines, length_, context_->stream,
                           Pass::title);
            else
                sweep_rows(copy, lines, length_, context_->stream, Pass::title);
        });
        clear(work + lines * length_, (transformed - lines) * length_);
        return work;
    }

    void store(const Complex64* work, std::int64_t first, std::int64_t lines, Complex64* out) const {
        with_lanes({length_, shape_.inverse(), shape_.out}, [&](auto lanes) {
            sweep_rows(StoreLines<Hooks, lanes>{hooks_, shape_, work, first, out}, lines, shape_.out, context_->stream,
                       Pass::title);
        });
    }

    LineShape shape_;
    std::int64_t length_;
    SampleFormat format_ = SampleFormat::complex64;
    DeviceTables tables_;
    Hooks hooks_;
    std::optional<DecodingTables> decoding_;
    SharedContext context_;
    LineBatches batches_;
    std::optional<RowFft> fft_, wide_fft_;
    SincPolynomials<float> weights_;   // of a gather along spectra
    std::vector<std::int32_t> again_;  // what the hooks say
};

template <class Pass>
std::unique_ptr<StepPlan> plain_line_plan(const Pass& pass, const PassTuning& tuning, SharedContext context) {
    return std::make_unique<PlainLineWalker<Pass>>(pass, tuning, std::move(context));
}

}  // namespace cornerturn

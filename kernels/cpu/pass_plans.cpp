// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/pass_plans.h"

#include <algorithm>

#include "kernels/cpu/decoding_tables.h"
#include "kernels/cpu/gather.h"
#include "kernels/cpu/lines.h"
#include "kernels/cpu/stream_store.h"
#include "kernels/cpu/vector_clones.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

template <class Real>
std::vector<Complex<Real>> cast_table(const std::vector<std::complex<double>>& table) {
    std::vector<Complex<Real>> result;
    for (const auto& value : table) result.push_back({static_cast<Real>(value.real()), static_cast<Real>(value.imag())});
    return result;
}

template <class Real>
inline constexpr SampleFormat native = sizeof(Real) == 4 ? SampleFormat::complex64 : SampleFormat::complex128;

/// Two cache-resident buffers of each thread, between which the transforms of a pass go to and fro.
template <class Real>
struct Workbench {
    Workbench(int threads, std::int64_t length) : line(threads, length), spectrum(threads, length) {}
    int threads() const { return line.threads(); }
    LineBuffers<Real> line, spectrum;
};

/// A line of a matrix, padded with zeros: where it lies if it needs no padding, else in the buffer.
template <class Real>
const Complex<Real>* padded(const Complex<Real>* from, std::int64_t count, std::int64_t length, Complex<Real>* buffer) {
    if (count == length && PassFft<Real>::aligned(from)) return from;
    std::fill(std::copy_n(from, count, buffer), buffer + length, Complex<Real>{});
    return buffer;
}

template <class Real, class Filter>
CT_VECTOR_CLONES void multiply(Complex<Real>* spectrum, std::int64_t bins, Filter filter) {
#pragma omp simd
    for (std::int64_t bin = 0; bin < bins; ++bin) spectrum[bin] = spectrum[bin] * filter(bin);
}

template <class Real>
class RangeCompressionPlan final : public PassPlan {
public:
    RangeCompressionPlan(const RangeCompression& pass, int threads)
        : pass_(pass),
          filter_(cast_table<Real>(pass.filter)),
          forward_(pass.fft_length, FftDirection::forward, pass.lines),
          inverse_(pass.fft_length, FftDirection::inverse, pass.lines),
          bench_(threads, pass.fft_length) {}

    bool decode_as(const EchoDecoding& decoding) override {
        pass_.decoding = decoding;
        return true;
    }

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, pass_.format, pass_.lines, pass_.samples, "range compression: the echo");
        run_lines(in, 0, out);
    }

    void run_lines(const Matrix& in, std::int64_t first_line, Matrix& out) override {
        require_rows(in, first_line, pass_.format, pass_.lines, pass_.samples, "range compression: the echo");
        require_matrix(out, native<Real>, pass_.lines, pass_.samples, "range compression: the output");
        with_component(pass_.format, [&]<class Component>(std::type_identity<Component>) {
            const RangeCompressionHooks<Real, Component> hooks{echo_reader<Real, Component>(in, pass_.decoding, first_line),
                                                               filter_.data()};
            compress(hooks, first_line, in.rows, out.data<Complex<Real>>());
        });
    }

private:
    template <class Hooks>
    void compress(const Hooks& hooks, std::int64_t first_line, std::int64_t lines, Complex<Real>* out) {
        for_each_line(lines, bench_.threads(), [&](std::int64_t i) {
            const std::int64_t line = first_line + i;
            Complex<Real>*samples = bench_.line.mine(), *spectrum = bench_.spectrum.mine();
            load(hooks.echo, line, samples);
            forward_(samples, spectrum);
            multiply(spectrum, pass_.fft_length, [hooks, line](std::int64_t bin) { return hooks.filter(line, bin); });
            inverse_(spectrum, samples);
            stream_line(samples, pass_.samples, out + line * pass_.samples);
        });
    }

    /// hooks.load of a whole line, in loops without a question in them: swath by swath, zeros between.
    template <class Reader>
    CT_VECTOR_CLONES void load(const Reader& echo, std::int64_t line, Complex<Real>* to) const {
        if (echo.intervals_per_line == 0) {
            load_swath(echo, line, {0, static_cast<std::int32_t>(pass_.samples)}, to);
            std::fill(to + pass_.samples, to + pass_.fft_length, Complex<Real>{});
            return;
        }
        std::fill_n(to, pass_.fft_length, Complex<Real>{});
        for (int k = 0; k < echo.intervals_per_line; ++k) {
            const Interval swath = echo.valid_samples[line * echo.intervals_per_line + k];
            load_swath(echo, line, {std::max(swath.first, 0), std::min(swath.last, static_cast<std::int32_t>(pass_.samples))}, to);
        }
    }

    template <class Reader>
    CT_VECTOR_CLONES static void load_swath(const Reader& echo, std::int64_t line, Interval swath, Complex<Real>* to) {
        const Real gain = echo.gain(line);
        // Real and imaginary parts alike: pairs would keep the compiler from vector code.
        const auto* parts = &echo.row(line)->re;
        Real* decoded = &to->re;
        Real nothing = 0;  // times 0 only what is finite vanishes
#pragma omp simd reduction(+ : nothing)
        for (std::int64_t i = 2 * swath.first; i < 2 * swath.last; ++i) {
            const Real level = echo.level(parts[i]);
            decoded[i] = gain * level;
            nothing += level * 0;
        }
        if (nothing == 0) return;
        for (std::int32_t sample = swath.first; sample < swath.last; ++sample) to[sample] = echo.decoded(line, sample, gain);
    }

    RangeCompression pass_;
    std::vector<Complex<Real>> filter_;
    PassFft<Real> forward_, inverse_;
    Workbench<Real> bench_;
};

template <class Real>
class AzimuthSpectrumPlan final : public PassPlan {
public:
    AzimuthSpectrumPlan(const AzimuthSpectrum& pass, int threads)
        : pass_(pass), forward_(pass.fft_length, FftDirection::forward, pass.range_cells), bench_(threads, pass.fft_length) {}

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, native<Real>, pass_.range_cells, pass_.lines, "azimuth spectrum: the input");
        require_matrix(out, native<Real>, pass_.range_cells, pass_.fft_length, "azimuth spectrum: the output");
        const auto* from = in.data<Complex<Real>>();
        auto* to = out.data<Complex<Real>>();
        for_each_line(pass_.range_cells, bench_.threads(), [&](std::int64_t cell) {
            Complex<Real>* spectrum = bench_.spectrum.mine();
            forward_(padded(from + cell * pass_.lines, pass_.lines, pass_.fft_length, bench_.line.mine()), spectrum);
            stream_line(spectrum, pass_.fft_length, to + cell * pass_.fft_length);
        });
    }

private:
    AzimuthSpectrum pass_;
    PassFft<Real> forward_;
    Workbench<Real> bench_;
};

template <class Real>
class SecondaryRangeCompressionPlan final : public PassPlan {
public:
    SecondaryRangeCompressionPlan(const SecondaryRangeCompression& pass, int threads)
        : hooks_{pass},
          forward_(pass.fft_length, FftDirection::forward, pass.azimuth_bins),
          inverse_(pass.fft_length, FftDirection::inverse, pass.azimuth_bins),
          bench_(threads, pass.fft_length) {}

    void run(const Matrix& in, Matrix& out) override {
        const SecondaryRangeCompression& pass = hooks_.p;
        require_matrix(in, native<Real>, pass.azimuth_bins, pass.range_cells, "secondary range compression: the input");
        require_matrix(out, native<Real>, pass.azimuth_bins, pass.range_cells, "secondary range compression: the output");
        const auto* from = in.data<Complex<Real>>();
        auto* to = out.data<Complex<Real>>();
        for_each_line(pass.azimuth_bins, bench_.threads(), [&](std::int64_t line) {
            Complex<Real>*samples = bench_.line.mine(), *spectrum = bench_.spectrum.mine();
            forward_(padded(from + line * pass.range_cells, pass.range_cells, pass.fft_length, samples), spectrum);
            multiply(spectrum, pass.fft_length, [hooks = hooks_, line](std::int64_t bin) { return hooks.filter(line, bin); });
            inverse_(spectrum, samples);
            stream_line(samples, pass.range_cells, to + line * pass.range_cells);
        });
    }

private:
    SecondaryRangeCompressionHooks<Real> hooks_;
    PassFft<Real> forward_, inverse_;
    Workbench<Real> bench_;
};

template <class Real>
class AzimuthCompressionPlan final : public PassPlan {
public:
    AzimuthCompressionPlan(const AzimuthCompression& pass, int threads)
        : pass_(pass),
          hooks_(azimuth_compression_hooks(pass_, pass_.velocity_m_s.data(), pass_.weight.data(), pass_.covered_rows.data())),
          weights_(polynomials<Real>(pass.kernel)),
          zeros_(static_cast<std::size_t>(pass.fft_length)),
          tables_(static_cast<std::size_t>(threads), MigrationTable<Real>(hooks_)),
          inverse_(pass.fft_length, FftDirection::inverse, pass.columns),
          spectra_(threads, adjacent * pitch()),
          line_(threads, pass.fft_length) {}

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, native<Real>, pass_.input_cells, pass_.fft_length, "azimuth compression: the input");
        require_matrix(out, native<Real>, pass_.columns, pass_.image_rows, "azimuth compression: the output");
        with_taps(weights_.taps, [&]<int Taps>(std::integral_constant<int, Taps>) {
            compress(MigrationGather<Real, Taps>(in.data<Complex<Real>>(), pass_.input_cells, hooks_, weights_, zeros_.data()),
                     out.data<Complex<Real>>());
        });
    }

private:
    static constexpr std::int64_t adjacent = 16;  // columns gathered at a time: they share most of the rows that they read
    /// Of the gathered lines: transforms want aligned ones.
    std::int64_t pitch() const { return (pass_.fft_length + 7) / 8 * 8; }

    template <class Gather>
    void compress(const Gather& gather, Complex<Real>* out) {
        const auto groups = (pass_.columns + adjacent - 1) / adjacent;
        for_each_line(
            groups, line_.threads(),
            [&](std::int64_t group) {
                const std::int64_t first = group * adjacent, last = std::min(first + adjacent, pass_.columns);
                gather(tables_[static_cast<std::size_t>(omp_get_thread_num())], first, last, spectra_.mine(), pitch());
                for (std::int64_t column = first; column < last; ++column) {
                    inverse_(spectra_.mine() + (column - first) * pitch(), line_.mine());
                    store_covered(column, line_.mine(), out + column * pass_.image_rows);
                }
            },
            1);
    }

    void store_covered(std::int64_t column, const Complex<Real>* line, Complex<Real>* out) const {
        const auto [first, last] = pass_.covered_rows[static_cast<std::size_t>(column)];
        std::fill(out, out + first, Complex<Real>{});
        for (std::int64_t row = first; row < last;) {  // the transform is circular
            const std::int64_t source = hooks_.source_index(row), count = std::min(last - row, pass_.fft_length - source);
            stream_line(line + source, count, out + row);
            row += count;
        }
        std::fill(out + last, out + pass_.image_rows, Complex<Real>{});
    }

    AzimuthCompression pass_;
    AzimuthCompressionHooks hooks_;
    SincPolynomials<Real> weights_;
    std::vector<Complex<Real>> zeros_;
    std::vector<MigrationTable<Real>> tables_;
    PassFft<Real> inverse_;
    LineBuffers<Real> spectra_, line_;
};

}  // namespace

template <class Real>
std::unique_ptr<PassPlan> plan_on_cpu(const Pass& pass, int threads) {
    struct Visitor {
        int threads;
        std::unique_ptr<PassPlan> operator()(const RangeCompression& p) const {
            if (p.scaled_halves) throw Unsupported("range compression to halves: the CPU has no such pass");
            return std::make_unique<RangeCompressionPlan<Real>>(p, threads);
        }
        std::unique_ptr<PassPlan> operator()(const AzimuthSpectrum& p) const {
            return std::make_unique<AzimuthSpectrumPlan<Real>>(p, threads);
        }
        std::unique_ptr<PassPlan> operator()(const SecondaryRangeCompression& p) const {
            return std::make_unique<SecondaryRangeCompressionPlan<Real>>(p, threads);
        }
        std::unique_ptr<PassPlan> operator()(const AzimuthCompression& p) const {
            return std::make_unique<AzimuthCompressionPlan<Real>>(p, threads);
        }
        std::unique_ptr<PassPlan> operator()(const UnturnedAzimuthCompression&) const {
            throw Unsupported("the CPU works through corner turns; there is no turn-free chain");
        }
    };
    return std::visit(Visitor{threads}, pass);
}

template std::unique_ptr<PassPlan> plan_on_cpu<float>(const Pass&, int);
template std::unique_ptr<PassPlan> plan_on_cpu<double>(const Pass&, int);

}  // namespace cornerturn

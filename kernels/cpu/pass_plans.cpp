// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/pass_plans.h"

#include <algorithm>

#include "kernels/cpu/decoding_tables.h"
#include "kernels/cpu/gather.h"
#include "kernels/cpu/lines.h"

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

template <class Real>
class RangeCompressionPlan final : public PassPlan {
public:
    RangeCompressionPlan(const RangeCompression& pass, int threads)
        : pass_(pass),
          filter_(cast_table<Real>(pass.filter)),
          forward_(pass.fft_length, FftDirection::forward),
          inverse_(pass.fft_length, FftDirection::inverse),
          buffers_(threads, pass.fft_length) {}

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
        for_each_line(lines, buffers_.threads(), [&](std::int64_t i) {
            const std::int64_t line = first_line + i;
            Complex<Real>* buffer = buffers_.mine();
#pragma omp simd
            for (std::int64_t sample = 0; sample < pass_.samples; ++sample) buffer[sample] = hooks.load(line, sample);
            std::fill(buffer + pass_.samples, buffer + pass_.fft_length, Complex<Real>{});
            forward_(buffer);
#pragma omp simd
            for (std::int64_t bin = 0; bin < pass_.fft_length; ++bin) buffer[bin] = buffer[bin] * hooks.filter(line, bin);
            inverse_(buffer);
            std::copy_n(buffer, pass_.samples, out + line * pass_.samples);
        });
    }

    RangeCompression pass_;
    std::vector<Complex<Real>> filter_;
    LineFft<Real> forward_, inverse_;
    LineBuffers<Real> buffers_;
};

template <class Real>
class AzimuthSpectrumPlan final : public PassPlan {
public:
    AzimuthSpectrumPlan(const AzimuthSpectrum& pass, int threads)
        : pass_(pass), forward_(pass.fft_length, FftDirection::forward), buffers_(threads, pass.fft_length) {}

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, native<Real>, pass_.range_cells, pass_.lines, "azimuth spectrum: the input");
        require_matrix(out, native<Real>, pass_.range_cells, pass_.fft_length, "azimuth spectrum: the output");
        const auto* from = in.data<Complex<Real>>();
        auto* to = out.data<Complex<Real>>();
        for_each_line(pass_.range_cells, buffers_.threads(), [&](std::int64_t cell) {
            Complex<Real>* buffer = buffers_.mine();
            std::copy_n(from + cell * pass_.lines, pass_.lines, buffer);
            std::fill(buffer + pass_.lines, buffer + pass_.fft_length, Complex<Real>{});
            forward_(buffer);
            std::copy_n(buffer, pass_.fft_length, to + cell * pass_.fft_length);
        });
    }

private:
    AzimuthSpectrum pass_;
    LineFft<Real> forward_;
    LineBuffers<Real> buffers_;
};

template <class Real>
class SecondaryRangeCompressionPlan final : public PassPlan {
public:
    SecondaryRangeCompressionPlan(const SecondaryRangeCompression& pass, int threads)
        : hooks_{pass},
          forward_(pass.fft_length, FftDirection::forward),
          inverse_(pass.fft_length, FftDirection::inverse),
          buffers_(threads, pass.fft_length) {}

    void run(const Matrix& in, Matrix& out) override {
        const SecondaryRangeCompression& pass = hooks_.p;
        require_matrix(in, native<Real>, pass.azimuth_bins, pass.range_cells, "secondary range compression: the input");
        require_matrix(out, native<Real>, pass.azimuth_bins, pass.range_cells, "secondary range compression: the output");
        const auto* from = in.data<Complex<Real>>();
        auto* to = out.data<Complex<Real>>();
        for_each_line(pass.azimuth_bins, buffers_.threads(), [&](std::int64_t line) {
            Complex<Real>* buffer = buffers_.mine();
            std::copy_n(from + line * pass.range_cells, pass.range_cells, buffer);
            std::fill(buffer + pass.range_cells, buffer + pass.fft_length, Complex<Real>{});
            forward_(buffer);
#pragma omp simd
            for (std::int64_t bin = 0; bin < pass.fft_length; ++bin) buffer[bin] = buffer[bin] * hooks_.filter(line, bin);
            inverse_(buffer);
            std::copy_n(buffer, pass.range_cells, to + line * pass.range_cells);
        });
    }

private:
    SecondaryRangeCompressionHooks<Real> hooks_;
    LineFft<Real> forward_, inverse_;
    LineBuffers<Real> buffers_;
};

template <class Real>
class AzimuthCompressionPlan final : public PassPlan {
public:
    AzimuthCompressionPlan(const AzimuthCompression& pass, int threads)
        : pass_(pass),
          weights_(polynomials<Real>(pass.kernel)),
          inverse_(pass.fft_length, FftDirection::inverse),
          buffers_(threads, pass.fft_length) {}

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, native<Real>, pass_.input_cells, pass_.fft_length, "azimuth compression: the input");
        require_matrix(out, native<Real>, pass_.columns, pass_.image_rows, "azimuth compression: the output");
        const auto hooks = azimuth_compression_hooks(pass_, pass_.velocity_m_s.data(), pass_.weight.data(), pass_.covered_rows.data());
        const MigrationGather<Real> gather(in.data<Complex<Real>>(), pass_.input_cells, pass_.fft_length, weights_);
        auto* to = out.data<Complex<Real>>();
        for_each_line(pass_.columns, buffers_.threads(), [&](std::int64_t column) {
            Complex<Real>* buffer = buffers_.mine();
            gather(hooks, column, buffer);
            inverse_(buffer);
            store_covered(hooks, column, buffer, to + column * pass_.image_rows);
        });
    }

private:
    void store_covered(const AzimuthCompressionHooks& hooks, std::int64_t column, const Complex<Real>* line, Complex<Real>* out) const {
        const auto [first, last] = pass_.covered_rows[static_cast<std::size_t>(column)];
        std::fill(out, out + first, Complex<Real>{});
        for (std::int64_t row = first; row < last; ++row) out[row] = line[hooks.source_index(row)];
        std::fill(out + last, out + pass_.image_rows, Complex<Real>{});
    }

    AzimuthCompression pass_;
    SincPolynomials<Real> weights_;
    LineFft<Real> inverse_;
    LineBuffers<Real> buffers_;
};

}  // namespace

template <class Real>
std::unique_ptr<PassPlan> plan_on_cpu(const Pass& pass, int threads) {
    struct Visitor {
        int threads;
        std::unique_ptr<PassPlan> operator()(const RangeCompression& p) const {
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
    };
    return std::visit(Visitor{threads}, pass);
}

template std::unique_ptr<PassPlan> plan_on_cpu<float>(const Pass&, int);
template std::unique_ptr<PassPlan> plan_on_cpu<double>(const Pass&, int);

}  // namespace cornerturn

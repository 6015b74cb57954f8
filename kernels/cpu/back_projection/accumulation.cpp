// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/back_projection/accumulation.h"

#include "kernels/cpu/lines/line_walker.h"

namespace cornerturn {
namespace {

template <class Real>
class ExactAccumulation final : public StepPlan {
public:
    ExactAccumulation(const Accumulation& pass, int threads)
        : pass_(pass), geometry_(pass.geometry()), threads_(threads) {
        if (static_cast<std::int64_t>(geometry_.paths.size()) != pass.lines)
            throw std::logic_error("back-projection needs a path of the antenna for each line");
    }

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, native_format<Real>, pass_.lines, pass_.cells, "back-projection: the lines");
        require_matrix(out, native_format<Real>, pass_.rows, pass_.columns, "back-projection: the image");
        const auto* compressed = in.data<Complex<Real>>();
        auto* image = out.data<Complex<Real>>();
        for_each_line(
            pass_.rows, threads_,
            [&](std::int64_t row) {
                for (std::int64_t column = 0; column < pass_.columns; ++column)
                    image[row * pass_.columns + column] =
                        pass_.asked ? Complex<Real>{0, 0} : sum(row, column, compressed);
            },
            1);
        if (pass_.asked)
            for_each_line(static_cast<std::int64_t>(pass_.asked->size()), threads_, [&](std::int64_t i) {
                const auto [row, column] = (*pass_.asked)[static_cast<std::size_t>(i)];
                image[row * pass_.columns + column] = sum(row, column, compressed);
            });
    }

private:
    Complex<Real> sum(std::int64_t row, std::int64_t column, const Complex<Real>* compressed) const {
        if (!pass_.covers(row, column) || stop_requested()) return {0, 0};
        const PixelNode pixel = view_of(geometry_.pixels).at(static_cast<double>(row), static_cast<double>(column));
        const DopplerWindowView window = view_of(pass_.window, pass_.window.weight.data());
        const double relief_m = geometry_.relief_at_m(row * pass_.columns + column);
        const IndexRange lines = lines_seen(pass_.timing, window, geometry_.paths.data(), pass_.lines,
                                            raised(pixel, relief_m), pixel.centroid_hz);
        const Complex<double> value = accumulated_pixel(pass_.timing, window, geometry_.paths.data(), compressed,
                                                        pass_.cells, lines, pixel, relief_m);
        return {static_cast<Real>(value.re), static_cast<Real>(value.im)};
    }

    Accumulation pass_;
    AccumulationGeometry geometry_;
    int threads_;
};

}  // namespace

template <class Real>
std::unique_ptr<StepPlan> exact_accumulation_plan(const Accumulation& pass, int threads) {
    return std::make_unique<ExactAccumulation<Real>>(pass, threads);
}

template std::unique_ptr<StepPlan> exact_accumulation_plan<float>(const Accumulation&, int);
template std::unique_ptr<StepPlan> exact_accumulation_plan<double>(const Accumulation&, int);

}  // namespace cornerturn

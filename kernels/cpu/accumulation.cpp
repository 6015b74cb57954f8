// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/accumulation.h"

#include "kernels/cpu/line_walker.h"

namespace cornerturn {
namespace {

/// What the hooks of a pixel read.
struct Lines {
    const Accumulation& pass;
    const AccumulationGeometry& geometry;
    DopplerWindowView window;

    Arrival at(std::int64_t line, const Place& place) const {
        return arrival(pass.timing, geometry.paths[static_cast<std::size_t>(line)], place);
    }

    /// The first line whose Doppler frequency lies below a limit: places pass by, so it falls from line to line.
    std::int64_t first_below(double limit_hz, const Place& place) const {
        std::int64_t above = -1, below = pass.lines;
        while (below - above > 1) {
            const std::int64_t middle = above + (below - above) / 2;
            (at(middle, place).doppler_hz < limit_hz ? below : above) = middle;
        }
        return below;
    }

    /// The lines in which the window may hold a place.
    IndexRange seen(const Place& place, double centroid_hz) const {
        if (pass.window.weight.empty()) return {0, pass.lines};
        const double half_hz = pass.window.reach * pass.window.bandwidth_hz;
        return {first_below(centroid_hz + half_hz, place), first_below(centroid_hz - half_hz, place)};
    }

    template <class Real>
    Complex<double> sum(const Complex<Real>* compressed, const Place& place, double centroid_hz) const {
        const IndexRange lines = seen(place, centroid_hz);
        Complex<double> sum{0, 0};
        for (std::int64_t line = lines.first; line < lines.last; ++line) {
            const Arrival echo = at(line, place);
            const double weight = window.at(echo.doppler_hz - centroid_hz);
            if (weight == 0) continue;
            sum = sum + weight * (between_cells(compressed + line * pass.cells, pass.cells, echo.cell) * unit_phasor<double>(echo.cycles));
        }
        return sum;
    }
};

template <class Real>
class ExactAccumulation final : public StepPlan {
public:
    ExactAccumulation(const Accumulation& pass, int threads) : pass_(pass), geometry_(pass.geometry()), threads_(threads) {
        if (static_cast<std::int64_t>(geometry_.paths.size()) != pass.lines)
            throw std::logic_error("back-projection needs a path of the antenna for each line");
    }

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, native_format<Real>, pass_.lines, pass_.cells, "back-projection: the lines");
        require_matrix(out, native_format<Real>, pass_.rows, pass_.columns, "back-projection: the image");
        for_each_line(
            pass_.rows, threads_,
            [&](std::int64_t row) { fill(row, in.data<Complex<Real>>(), out.data<Complex<Real>>() + row * pass_.columns); }, 1);
    }

private:
    void fill(std::int64_t row, const Complex<Real>* compressed, Complex<Real>* image) const {
        const PixelMeshView mesh = view_of(geometry_.pixels);
        const Lines lines{pass_, geometry_, view_of(pass_.window, pass_.window.weight.data())};
        for (std::int64_t column = 0; column < pass_.columns; ++column) {
            image[column] = {0, 0};
            if (!covered(row, column) || interrupt_requested.load(std::memory_order_relaxed)) continue;
            const PixelNode pixel = mesh.at(static_cast<double>(row), static_cast<double>(column));
            const Complex<double> sum = lines.sum(compressed, raised(pixel, relief_m(row, column)), pixel.centroid_hz);
            const Complex<double> value = pixel.gain * (sum * unit_phasor<double>(pixel.phase_cycles));
            image[column] = {static_cast<Real>(value.re), static_cast<Real>(value.im)};
        }
    }

    bool covered(std::int64_t row, std::int64_t column) const {
        if (pass_.covered_rows.empty()) return true;
        const Interval rows = pass_.covered_rows[static_cast<std::size_t>(column)];
        return row >= rows.first && row < rows.last;
    }

    double relief_m(std::int64_t row, std::int64_t column) const {
        return geometry_.relief_m.empty() ? 0.0 : geometry_.relief_m[static_cast<std::size_t>(row * pass_.columns + column)];
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

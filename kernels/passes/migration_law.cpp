// SPDX-License-Identifier: Apache-2.0
#include "kernels/passes/migration_law.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "kernels/passes/azimuth_compression.h"
#include "kernels/passes/tables.h"

namespace cornerturn {
namespace {

/// a + b q + c q^2 through three nodes 0 < m < n; straight or constant where there are fewer columns.
struct Parabola {
    double a, b, c;

    Parabola(double at_first, double at_middle, double at_last, double m, double n) : a(at_first), b(0), c(0) {
        if (n == 0) return;
        const double chord = (at_last - at_first) / n;
        if (m > 0 && m < n) c = (chord - (at_middle - at_first) / m) / (n - m);
        b = chord - c * n;
    }
    double operator()(double q) const { return a + q * (b + q * c); }
    bool is_finite() const { return std::isfinite(a + b + c); }
};

std::uint32_t in_binary_cycles(double cycles) {
    return static_cast<std::uint32_t>(
        static_cast<std::int64_t>(std::llround((cycles - std::rint(cycles)) * 4294967296.0)));
}

/// Takes a value up into the largest seen so far; what is not a number counts as infinite.
void raise(double& largest, double value) {
    if (!(value <= largest)) largest = std::isnan(value) ? INFINITY : value;
}

/// The part of the gain that all frequencies share, relative to that of the first column; 0 where there is none.
std::vector<float> column_gains(const AzimuthCompressionHooks& hooks, std::int64_t columns) {
    std::vector<float> gains(static_cast<std::size_t>(columns), 0.0f);
    for (std::int64_t column = 0; column < columns; ++column) {
        const double gain = hooks.column_gain(column) / hooks.column_gain(0);
        if (std::isfinite(gain)) gains[static_cast<std::size_t>(column)] = static_cast<float>(gain);
    }
    return gains;
}

/// Bins of the processed band of a column: its edges, and the largest weight; none where nothing is processed.
struct Band {
    std::int64_t lowest = -1, highest = -1;
    double strongest = 0;

    Band(const AzimuthCompressionHooks& hooks, std::int64_t column) {
        double low_hz = INFINITY, high_hz = -INFINITY;
        for (std::int64_t bin = 0; bin < hooks.fft_length; ++bin) {
            const double weight = hooks.weight_at(column, bin);
            if (!(weight > 0)) continue;
            const double f_hz = hooks.frequency_hz(column, bin);
            if (f_hz < low_hz) low_hz = f_hz, lowest = bin;
            if (f_hz > high_hz) high_hz = f_hz, highest = bin;
            strongest = std::max(strongest, weight);
        }
    }
};

struct TileBuilder {
    const AzimuthCompressionHooks& hooks;
    const std::vector<std::int64_t>& order;
    const std::vector<float>& column_gain;
    std::int64_t first_column, last_q;
    int taps;
    Band band{hooks, first_column};

    struct Extremes {
        double lowest = INFINITY, highest = -INFINITY;  // base cells read at the ends of the tile
        double steepest = 0, flattest = 0, bend = 0, position_error = 0, phase_error = 0, gain_error = 0;
    };

    Migration at(double q, std::int64_t bin) const {
        return hooks.at(first_column + static_cast<std::int64_t>(q), bin);
    }

    /// Leaves in `cell` the cell counted from the matrix's first.
    Extremes build(TileLaw* laws) const {
        Extremes e;
        if (!(band.strongest > 0)) return e;
        if (hooks.shift(first_column) !=
            hooks.shift(first_column + last_q)) {  // frequencies and weights jump within the tile
            e.position_error = INFINITY;
            return e;
        }
        const double strongest = band.strongest * hooks.column_gain(first_column) / column_gain_at(0);
        for (std::size_t i = 0; i < order.size(); ++i)
            if (hooks.weight_at(first_column, order[i]) > 0) build(order[i], laws[i], e, strongest);
        return e;
    }

private:
    void build(std::int64_t bin, TileLaw& law, Extremes& e, double strongest) const {
        const auto m = static_cast<double>(last_q / 2), n = static_cast<double>(last_q);
        const Migration first = at(0, bin), middle = at(m, bin), last = at(n, bin);
        const Parabola position(first.position_cells, middle.position_cells - m, last.position_cells - n, m, n);
        const Parabola phase(first.phase_cycles, middle.phase_cycles, last.phase_cycles, m, n);
        const double gain = first.gain / column_gain_at(0), base = std::floor(first.position_cells);
        if (!position.is_finite() || !phase.is_finite() || !std::isfinite(gain + last.gain)) {
            e.position_error = INFINITY;
            return;
        }
        law.cell = static_cast<std::int32_t>(base) - taps / 2 + 1;
        law.fraction = static_cast<float>(first.position_cells - base);
        law.slope = static_cast<float>(position.b);
        law.curvature = static_cast<float>(position.c);
        law.phase = in_binary_cycles(phase.a);
        law.phase_step = in_binary_cycles(phase.b);
        law.phase_curvature = static_cast<float>(phase.c);
        const double gain_step = n > 0 && gain > 0 ? (last.gain / column_gain_at(last_q) / gain - 1) / n : 0;
        law.gain = static_cast<float>(gain);
        law.gain_step = static_cast<float>(gain_step);
        e.lowest = std::min(e.lowest, base);
        e.highest = std::max(e.highest, std::floor(last.position_cells - n));
        const double end_slope = position.b + 2 * n * position.c;
        e.steepest = std::max({e.steepest, position.b, end_slope});
        e.flattest = std::min({e.flattest, position.b, end_slope});
        e.bend = std::max(e.bend, std::abs(phase.c));
        // What bends the laws is the velocity, and it bends them most at the edges of the band: there no column is left
        // out.
        const bool edge = bin == band.lowest || bin == band.highest;
        const std::int64_t step = edge ? 1 : std::max<std::int64_t>(1, last_q / 4);
        for (std::int64_t column = step; column < last_q; column += step) {
            const auto q = static_cast<double>(column);
            const Migration exact = at(q, bin);
            raise(e.position_error, std::abs(position(q) + q - exact.position_cells));
            raise(e.phase_error, std::abs(phase(q) - exact.phase_cycles));
            raise(e.gain_error, std::abs(gain * (1 + q * gain_step) - exact.gain / column_gain_at(column)) / strongest);
        }
    }

    double column_gain_at(std::int64_t q) const { return column_gain[static_cast<std::size_t>(first_column + q)]; }
};

}  // namespace

TileLaws tile_laws(const AzimuthCompression& pass, std::int64_t tile_columns, const std::vector<std::int64_t>& order) {
    const AzimuthCompressionHooks hooks = pass.hooks(HostTables{});
    TileLaws result{.tile_columns = tile_columns, .tiles = (pass.columns + tile_columns - 1) / tile_columns};
    result.column_gain = column_gains(hooks, pass.columns);
    const std::size_t bins = order.size();
    result.first_cell.resize(static_cast<std::size_t>(result.tiles));
    result.laws.resize(static_cast<std::size_t>(result.tiles) * bins);
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t tile = 0; tile < result.tiles; ++tile) {
        const std::int64_t first = tile * tile_columns;
        TileLaw* laws = result.laws.data() + static_cast<std::size_t>(tile) * bins;
        const TileBuilder builder{
            hooks,           order, result.column_gain, first, std::min(tile_columns, pass.columns - first) - 1,
            pass.kernel.taps};
        const TileBuilder::Extremes e = builder.build(laws);
        const bool empty = e.lowest > e.highest;
        // One cell of margin at either end: a parabola may begin a hair below, a tile's last chunk may reach beyond the
        // last column.
        const auto first_cell = empty ? 0 : static_cast<std::int32_t>(e.lowest) - pass.kernel.taps / 2;
        // What the filter takes away altogether reads the cells that the others read: no other banks of shared memory.
        for (std::size_t i = 0; i < bins; ++i) laws[i].cell = laws[i].gain > 0 ? laws[i].cell - first_cell : 1;
        result.first_cell[static_cast<std::size_t>(tile)] = first_cell;
#pragma omp critical(tile_laws)
        {
            if (!empty)
                result.cells = std::max(result.cells, static_cast<std::int64_t>(e.highest - e.lowest) + tile_columns +
                                                          pass.kernel.taps + 2);
            result.steepest = std::max({result.steepest, e.steepest, e.flattest < -1e-6 ? 1.0 : 0.0});
            result.phase_bend_cycles = std::max(result.phase_bend_cycles, e.bend);
            result.position_error_cells = std::max(result.position_error_cells, e.position_error);
            result.phase_error_cycles = std::max(result.phase_error_cycles, e.phase_error);
            result.gain_error = std::max(result.gain_error, e.gain_error);
        }
    }
    return result;
}

double stepping_error(const SincKernel& kernel, WeightStepping stepping, double slope) {
    constexpr int places = 16;  // of the chunk's first position within a cell
    const int n = stepping.chunk - 1;
    double square = 0;
    for (int place = 0; place < places; ++place)
        for (int tap = -kernel.taps / 2; tap <= kernel.taps / 2; ++tap) {
            const auto exact = [&](double k) { return kernel.weight((place + 0.5) / places + slope * k - tap); };
            const double first = exact(0), last = exact(n);
            const double c = stepping.order == 2 ? 2 * (first - 2 * exact(0.5 * n) + last) / (n * n) : 0.0;
            const double b = (last - first) / n - c * n;
            for (int k = 0; k <= n; ++k) {
                // The taps at the kernel's ends are switched, not stepped: their kink does no harm.
                const double distance = std::abs((place + 0.5) / places + slope * k - tap), end = 0.5 * kernel.taps;
                if (distance > end - slope * n) continue;
                const double error = first + k * (b + k * c) - exact(k);
                square += error * error;
            }
        }
    return std::sqrt(square / (places * stepping.chunk));
}

bool stepping_holds(const SincKernel& kernel, const TileLaws& laws, int index) {
    const WeightStepping& stepping = weight_steppings[index];
    const double half = 0.5 * stepping.chunk;
    return stepping.chunk + kernel.taps <= largest_window && laws.steepest * stepping.chunk <= 0.2 &&
           laws.phase_bend_cycles * half * half <= largest_phase_bend_cycles &&
           stepping_error(kernel, stepping, laws.steepest) < largest_stepping_error;
}

int stepping_for(const SincKernel& kernel, const TileLaws& laws) {
    for (int i = 0; i < static_cast<int>(std::size(weight_steppings)); ++i)
        if (stepping_holds(kernel, laws, i)) return i;
    return -1;
}

bool laws_hold(const TileLaws& laws) {
    return std::max(laws.position_error_cells, laws.phase_error_cycles) < largest_law_error &&
           laws.gain_error < largest_gain_error;
}

std::optional<FittedLaws> fit_laws(const AzimuthCompression& pass, int cells, int columns_per_set,
                                   const std::vector<std::int64_t>& order) {
    for (int sets = (cells - pass.kernel.taps - 2) / columns_per_set; sets > 0; --sets) {
        FittedLaws fitted{.laws = tile_laws(pass, sets * columns_per_set, order), .sets = sets};
        if (fitted.laws.cells <= cells && laws_hold(fitted.laws)) return fitted;
        // Narrower tiles spread and bend less, if at all: the sets that fit beside this spread and one more are worth a
        // try.
        const std::int64_t spread = fitted.laws.cells - sets * columns_per_set;
        sets = static_cast<int>(std::min<std::int64_t>(sets, (cells - spread) / columns_per_set + 1));
    }
    return std::nullopt;
}

}  // namespace cornerturn

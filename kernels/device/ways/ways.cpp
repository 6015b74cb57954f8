// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/ways/ways.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "kernels/device/resident_matrices.h"
#include "kernels/device/scaled_lines.h"
#include "kernels/device/ways/fitting_kernels.h"
#include "kernels/device/ways/fused_lengths.h"
#include "kernels/errors.h"
#include "kernels/math/fast_length.h"
#include "kernels/passes/migration_law.h"
#include "kernels/steps/turned_steps.h"

namespace cornerturn {
namespace {

template <class Lengths>
bool holds(const Lengths& lengths, std::int64_t length) {
    return std::find(lengths.begin(), lengths.end(), length) != lengths.end();
}

/// Whether there are fused kernels for a pass, and fit.
bool has_fused_kernels(const Work& work, const GpuLimits& limits) {
    return std::visit(
        [&](const auto& w) {
            using W = std::decay_t<decltype(w)>;
            if constexpr (std::is_same_v<W, CornerTurn> || std::is_same_v<W, Accumulation> ||
                          std::is_same_v<W, FactorisedAccumulation>)
                return false;
            else if constexpr (std::is_same_v<W, RangeCompression>)
                return w.oversampling == 1 && range_lines(w.fft_length, limits) != RangeLines::none;
            else if constexpr (std::is_same_v<W, AzimuthCompression>)
                return has_line_kernels(w.fft_length, limits);
            else if constexpr (is_filtered_line<W>)
                return range_lines(w.fft_length, limits) == RangeLines::one_kernel;
            else
                return has_fused_line_kernels<W> && has_line_kernels(w.shape().fft_length, limits);
        },
        work);
}

/// A GPU on which every kernel fits.
GpuLimits without_want(GpuLimits limits) {
    limits.shared_bytes = std::numeric_limits<std::int64_t>::max();
    return limits;
}

/// Columns and length of an azimuth transform between corner turns: what two kernels do.
struct ColumnsToTransform {
    std::int64_t columns = 0, fft_length = 0;
};
std::optional<ColumnsToTransform> columns_to_transform(const Steps& steps, std::size_t first) {
    if (const auto* spectrum = turned_pass<AzimuthSpectrum>(steps, first))
        return {{spectrum->range_cells, spectrum->fft_length}};
    if (const auto* image = turned_pass<AzimuthImage>(steps, first)) return {{image->columns, image->fft_length}};
    return std::nullopt;
}

class WayBuilder {
public:
    WayBuilder(const Algorithm& algorithm, const LoweringHints& hints, const GpuLimits& limits, Chain chain)
        : hints_(hints), limits_(limits) {
        way_.chain = chain;
        if (chain != Chain::turn_free && hints.precision == Precision::half_middle)
            throw Unsupported("has no halves between its passes");
        if (chain == Chain::turn_free && !hints.chain && hints.corner_turn != CornerTurnVariant::production)
            throw Unsupported(fmt::format("the corner turn {} was asked for", name_of(hints.corner_turn)));
        way_.fft_lengths = hints.fft_lengths ? *hints.fft_lengths : lengths_for(algorithm.least);
        way_.steps = algorithm.steps(way_.fft_lengths);
        group();
        describe();
    }

    Way take() { return std::move(way_); }

private:
    FftLengths lengths_for(const FftLengths& least) const {
        if (way_.chain == Chain::plain) return {fast_length(least.range), fast_length(least.azimuth)};
        // Where lines of one direction do not fit, the other's may be fused all the same.
        const std::int64_t range = least_of(fused_range_lengths, least.range, [&](std::int64_t length) {
                                       return range_lines(length, limits_) != RangeLines::none;
                                   }).value_or(fast_length(least.range));
        if (way_.chain == Chain::turn_free) return {range, turn_free_length(least.azimuth)};
        return {range, least_of(fused_line_lengths, least.azimuth, [&](std::int64_t length) {
                           return has_line_kernels(length, limits_);
                       }).value_or(fast_length(least.azimuth))};
    }

    std::int64_t turn_free_length(std::int64_t least) const {
        const auto fits = [&](std::int64_t length) { return has_column_kernels(length, limits_); };
        if (const auto length = least_of(turn_free_lengths, least, fits)) return *length;
        const std::int64_t longest = turn_free_lengths.back();
        if (least > longest)
            throw Unsupported(
                fmt::format("azimuth FFT of at least {} points: the longest that is turn-free has {}", least, longest));
        throw Unsupported(
            fmt::format("azimuth FFT of at least {} points: its columns do not fit the {}", least, shared_memory()));
    }

    std::string shared_memory() const {
        return fmt::format("{} KiB of shared memory that a block may have on this GPU", limits_.shared_bytes >> 10);
    }

    void group() {
        bool turn_free = false;
        for (std::size_t i = 0; i < way_.steps.size();) {
            StepGroup group{.first = i};
            if (way_.chain == Chain::turn_free && is_turned_compression(way_.steps, i)) {
                const auto& gather = std::get<AzimuthCompression>(way_.steps[i + 2].work);
                if (!holds(turn_free_lengths, gather.fft_length))
                    throw Unsupported(fmt::format("azimuth FFT of {} points: no turn-free kernel has this length",
                                                  gather.fft_length));
                if (!has_column_kernels(gather.fft_length, limits_))
                    throw Unsupported(fmt::format("azimuth FFT of {} points: its columns do not fit the {}",
                                                  gather.fft_length, shared_memory()));
                overlap_ = turn_free_tiles(gather, limits_).overlap();
                group = {.first = i, .count = 4, .method = Method::turn_free};
                turn_free = true;
            } else if (const auto columns = columns_to_transform(way_.steps, i);
                       way_.chain == Chain::turn_free && columns && holds(turn_free_lengths, columns->fft_length) &&
                       has_column_kernels(columns->fft_length, limits_)) {
                group = {.first = i, .count = 3, .method = Method::turn_free};
                turn_free = true;
            } else if (std::holds_alternative<CornerTurn>(way_.steps[i].work)) {
                group.method = Method::corner_turn;
            } else if (way_.chain != Chain::plain && has_fused_kernels(way_.steps[i].work, limits_)) {
                group.method = Method::fused;
            }
            way_.groups.push_back(group);
            i += group.count;
        }
        const bool any_fused =
            std::any_of(way_.groups.begin(), way_.groups.end(), [](auto& g) { return g.method == Method::fused; });
        if (way_.chain == Chain::turn_free && !turn_free)
            throw Unsupported("the algorithm has no azimuth transform between corner turns");
        if (way_.chain == Chain::fused && !any_fused)
            throw Unsupported(fmt::format("transforms of {} and {} points: no pass has fused kernels of this length",
                                          way_.fft_lengths.range, way_.fft_lengths.azimuth));
        if (hints_.precision == Precision::half_middle && way_.groups[0].method != Method::fused)
            throw Unsupported(fmt::format("range FFT of {} points: no kernel that writes halves has this length",
                                          way_.fft_lengths.range));
        if (hints_.precision == Precision::half_middle && way_.groups[1].method != Method::turn_free)
            throw Unsupported(fmt::format("{} right behind range compression reads no halves", title(way_.groups[1])));
    }

    void describe() {
        way_.report.chain = way_.chain;
        way_.report.fft_lengths = way_.fft_lengths;
        std::size_t tables = 0, in_bytes = bytes_per_sample(input_format(way_.steps, SampleFormat::complex64));
        for (const StepGroup& group : way_.groups) {
            const Step &first = way_.steps[group.first], &last = way_.steps[group.first + group.count - 1];
            const WorkShape in = shape_of(first.work), out = shape_of(last.work);
            const bool halves = hints_.precision == Precision::half_middle && group.first == 0;
            LoweredStep outline{.name = last.name,
                                .rows = last.rows,
                                .columns = last.columns,
                                .format = halves ? SampleFormat::float16 : SampleFormat::complex64,
                                .result_rows = out.out_rows,
                                .result_columns = out.out_columns,
                                .plan = {}};
            if (halves) outline.room_samples = scaled_lines_samples(out.out_rows, out.out_columns);
            if (group.method == Method::turn_free) {
                outline.room_samples = std::max(in.in_columns, out.out_columns) * way_.fft_lengths.azimuth;
                if (group.count == 4) outline.name = "image";
                if (group.count == 3) outline.name = way_.steps[group.first + 1].name;
            }
            way_.report.bytes_moved += traffic(group, static_cast<double>(in_bytes));
            way_.report.steps.push_back(fmt::format("{}: {}", title(group), how(group)));
            tables += table_bytes(group);
            in_bytes = bytes_per_sample(outline.format);
            way_.outline.push_back(std::move(outline));
        }
        const auto echo_bytes = static_cast<std::size_t>(shape_of(way_.steps[0].work).in_samples()) *
                                bytes_per_sample(input_format(way_.steps, SampleFormat::complex64));
        constexpr std::size_t scratch = std::size_t{96} << 20;  // batches of lines, and what cuFFT works in
        way_.report.memory_bytes = peak_bytes(way_.outline, echo_bytes) + tables + scratch;
    }

    std::string title(const StepGroup& group) const {
        if (group.count == 1) return std::string(title_of(way_.steps[group.first].work));
        if (group.count == 3) return std::string(title_of(way_.steps[group.first + 1].work));
        return "azimuth spectrum and compression";
    }

    std::string how(const StepGroup& group) const {
        switch (group.method) {
            case Method::corner_turn: return std::string(name_of(hints_.corner_turn));
            case Method::plain:
                if (std::holds_alternative<FactorisedAccumulation>(way_.steps[group.first].work))
                    return "strip of ranges by strip";
                return std::holds_alternative<Accumulation>(way_.steps[group.first].work)
                           ? "sums of tiles of pixels"
                           : fmt::format("cuFFT and sweeps{}", why_plain(way_.steps[group.first].work));
            case Method::turn_free:
                return group.count == 3 ? "two kernels, no corner turn" : "three kernels, no corner turn";
            case Method::fused: break;
        }
        if (const auto* range = std::get_if<RangeCompression>(&way_.steps[group.first].work))
            return range_lines(range->fft_length, limits_) == RangeLines::one_kernel
                       ? "one kernel"
                       : "three kernels, lines in the L2 cache";
        if (std::holds_alternative<AzimuthCompression>(way_.steps[group.first].work)) return "gather, and one kernel";
        const bool one = std::visit([](const auto& w) { return is_filtered_line<std::decay_t<decltype(w)>>; },
                                    way_.steps[group.first].work);
        return one ? "one kernel" : "a kernel for each transform";
    }

    /// Said where a pass has fused kernels, but not for this GPU.
    std::string why_plain(const Work& work) const {
        if (way_.chain == Chain::plain || !has_fused_kernels(work, without_want(limits_))) return {};
        return fmt::format(" (a line does not fit the {})", shared_memory());
    }

    /// Bytes read and written.
    double traffic(const StepGroup& group, double in_bytes) const {
        constexpr double native = sizeof(float) * 2;
        const Work& work = way_.steps[group.first].work;
        const WorkShape shape = shape_of(work);
        const double in = in_bytes * static_cast<double>(shape.in_samples()),
                     out = native * static_cast<double>(shape.out_samples());
        const auto fft = [](std::int64_t lines, std::int64_t length) {
            return native * static_cast<double>(lines * length);
        };
        if (group.method == Method::turn_free && group.count == 3) {
            const ColumnsToTransform of = *columns_to_transform(way_.steps, group.first);
            const WorkShape back = shape_of(way_.steps[group.first + 2].work);
            return in + 2 * fft(of.columns, of.fft_length) + native * static_cast<double>(back.out_samples());
        }
        if (group.method == Method::turn_free) {
            const auto& gather = std::get<AzimuthCompression>(way_.steps[group.first + 2].work);
            const double spectra = fft(gather.input_cells, gather.fft_length),
                         columns = fft(gather.columns, gather.fft_length);
            return in + spectra + overlap_ * spectra + 2 * columns +
                   native * static_cast<double>(gather.columns * gather.image_rows);
        }
        if (const auto* gather = std::get_if<AzimuthCompression>(&work))
            return in + (group.method == Method::fused ? 2 : 4) * fft(gather->columns, gather->fft_length) + out;
        if (group.method != Method::plain || std::holds_alternative<Accumulation>(work) ||
            std::holds_alternative<FactorisedAccumulation>(work))
            return in + out;
        if (const auto* range = std::get_if<RangeCompression>(&work); range && range->oversampling > 1)
            return in + 4 * fft(shape.in_rows, range->fft_length) + 4 * fft(shape.in_rows, range->shape().inverse()) +
                   out;
        const std::int64_t length = std::visit(
            [](const auto& w) -> std::int64_t {
                if constexpr (requires { w.fft_length; }) return w.fft_length;
                return 0;
            },
            work);
        return in + 7 * fft(shape.in_rows, length) + out;
    }

    std::size_t table_bytes(const StepGroup& group) const {
        if (const auto* sum = std::get_if<Accumulation>(&way_.steps[group.first].work)) return sum->geometry_bytes;
        if (const auto* parts = std::get_if<FactorisedAccumulation>(&way_.steps[group.first].work))
            return parts->sum.geometry_bytes + parts->nodes_bytes(FactorisedAccumulation::nodes_on_gpu) / 8 * 9;
        const std::size_t gather_at = group.first + (group.count == 4 ? 2 : 0);
        const auto* gather = std::get_if<AzimuthCompression>(&way_.steps[gather_at].work);
        if (!gather) return 0;
        const std::int64_t tiles = (gather->columns + law_tile_columns - 1) / law_tile_columns;
        return static_cast<std::size_t>(tiles * gather->fft_length) * sizeof(TileLaw) +
               gather->laws.powers.size() * sizeof(double);
    }

    const LoweringHints& hints_;
    const GpuLimits& limits_;
    Way way_;
    double overlap_ = 1;  // of turn-free tiles, which read the migration's cells of their neighbours
};

}  // namespace

std::vector<Way> ways_through(const Algorithm& algorithm, const LoweringHints& hints, const GpuLimits& limits,
                              std::vector<std::string>& not_taken) {
    std::vector<Way> ways;
    for (const Chain chain : {Chain::turn_free, Chain::fused, Chain::plain}) {
        if (hints.chain && chain != *hints.chain) continue;
        try {
            ways.push_back(WayBuilder(algorithm, hints, limits, chain).take());
        } catch (const Unsupported& unsupported) {
            if (hints.chain)
                throw Unsupported(fmt::format("--chain {}: {}; choose auto", name_of(chain), unsupported.what()));
            not_taken.push_back(fmt::format("{}: {}", name_of(chain), unsupported.what()));
        }
    }
    if (ways.empty())
        throw Unsupported(fmt::format("--precision {}: no way through the steps has it ({}); choose full",
                                      name_of(hints.precision), fmt::join(not_taken, "; ")));
    std::stable_sort(ways.begin(), ways.end(),
                     [](const Way& a, const Way& b) { return a.report.bytes_moved < b.report.bytes_moved; });
    return ways;
}

}  // namespace cornerturn

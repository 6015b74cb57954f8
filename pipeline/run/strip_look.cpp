// SPDX-License-Identifier: Apache-2.0
// Columns of a strip's image as autofocus looks at them.
#include <algorithm>
#include <utility>
#include <vector>

#include "pipeline/autofocus/minimum_entropy.h"
#include "pipeline/autofocus/phase_gradient.h"
#include "pipeline/echo/kept_columns.h"
#include "pipeline/run/autofocus_look.h"
#include "pipeline/run/device_shares.h"

namespace cornerturn {
namespace {

std::size_t bytes_to_keep(const FocusOptions& options) {
    constexpr std::size_t enough = std::size_t{512} << 20;
    return options.memory.most_bytes ? std::min(enough, *options.memory.most_bytes / 4) : enough;
}

StripImage strip_image(const Acquisition& echo, const FocusSetup& setup, KeptColumns& kept) {
    const ImagePlan& plan = setup.image;
    const HistorySpan span{.from_m = plan.swath.nearest_m,
                           .to_m = plan.swath.farthest_m,
                           .half_band_hz = plan.histories.middle.half_band_hz()};
    const double processed_hz = plan.parameters.azimuth_bandwidth_hz;
    return {
        .grid = kept.grid(),
        .range_m = kept.range_m(),
        .samples = kept.take(),
        .lines = echo.lines,
        .first_line_time_s = echo.first_pulse_time_s,
        .illuminated_band_hz = std::min(processed_hz, echo.azimuth_bandwidth_hz.value_or(processed_hz)),
        .steady = setup.image.geometry->steady(),
        .history = [geometry = setup.image.geometry, span](double time_s) { return geometry->history(time_s, span); }};
}

class StripEvidence final : public PhaseEvidence {
public:
    StripEvidence(Strip strip, Autofocus method) : strip_(std::move(strip)), method_(method) {}

    PhaseEstimate estimate(int threads) const override {
        return method_ == Autofocus::minimum_entropy ? minimum_entropy(strip_, threads)
                                                     : phase_gradient(strip_, threads);
    }
    double entropy(std::span<const double> phase_rad, int threads) const override {
        return cornerturn::entropy(strip_, phase_rad, threads);
    }
    void remove_line(std::span<double> phase_rad, std::span<const double> weight) const override {
        cornerturn::remove_line(phase_rad, weight);
    }
    double bend_rad(std::span<const double> phase_rad, std::span<const double> weight) const override {
        return cornerturn::bend_rad(phase_rad, weight, strip_.aperture_lines);
    }
    /// By phase gradients a point tells its own aperture. Entropy falls, too, where a point comes to lie on a pixel,
    /// and its sidelobes in range make columns of either half agree.
    bool is_of_one_place() const override {
        constexpr std::size_t widest = 16;  // columns to either side that a point and its sidelobes fill
        constexpr double elsewhere = 0.05;  // of the power; sidelobes beyond have 0.01
        if (method_ != Autofocus::minimum_entropy || strip_.pieces.empty()) return false;
        std::vector<double> power;
        for (const StripPiece& piece : strip_.pieces) {
            power.push_back(0);
            for (const Complex64& value : piece.echo)
                power.back() += static_cast<double>(value.re * value.re + value.im * value.im);
        }
        const std::size_t near = std::clamp<std::size_t>(power.size() / 8, 1, widest);
        const auto brightest = static_cast<std::size_t>(std::max_element(power.begin(), power.end()) - power.begin());
        double all = 0, beside = 0;
        for (std::size_t i = 0; i < power.size(); ++i) {
            all += power[i];
            if (i + near < brightest || i > brightest + near) beside += power[i];
        }
        return beside < elsewhere * all;
    }
    std::unique_ptr<PhaseEvidence> bands(std::size_t largest_band, const WantedBand& wanted) const override {
        return std::make_unique<StripEvidence>(Strip{.lines = strip_.lines,
                                                     .length = strip_.length,
                                                     .aperture_lines = strip_.aperture_lines,
                                                     .rows_per_cell = strip_.rows_per_cell,
                                                     .pieces = pieces_in_bands(strip_.pieces, largest_band, wanted)},
                                               method_);
    }

private:
    Strip strip_;
    Autofocus method_;
};

}  // namespace

std::unique_ptr<PhaseEvidence> look_at_strip(const AutofocusLook& look, EchoSource& frame, std::int64_t& columns) {
    const Autofocus method = look.options.autofocus;
    FocusOptions options = look.options;
    options.autofocus = Autofocus::none;
    KeptColumns kept(bytes_to_keep(options));
    EchoSource* const source = &frame;
    const auto reports = focus_frames(look.devices, std::span(&source, 1), options, kept, look.progress).frames;
    columns = kept.columns();
    constexpr std::int64_t columns_for_points = 192, columns_for_entropy = 96;
    return std::make_unique<StripEvidence>(
        strip_of(strip_image(frame.acquisition(), reports.front().setup, kept),
                 {.columns = method == Autofocus::minimum_entropy ? columns_for_entropy : columns_for_points,
                  .threads = look.threads}),
        method);
}

AutofocusNeed need_of_strip(const ImageGrid& grid, const FocusOptions& options) {
    const std::int64_t columns = KeptColumns::columns_within(grid, bytes_to_keep(options));
    return {.columns = columns, .bytes = static_cast<std::size_t>(columns * grid.rows) * sizeof(std::complex<float>)};
}

}  // namespace cornerturn

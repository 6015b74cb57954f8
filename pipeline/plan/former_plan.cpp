// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/former_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "kernels/steps/steps.h"
#include "pipeline/formers/beam_ends.h"
#include "pipeline/formers/few_pulses.h"

namespace cornerturn {
namespace {

/// Under squint, or along a track that bends, the same rows are seen in other lines at other times: blocks take what
/// any time needs.
RowLines lines_at_any_time(const Acquisition& acquisition, const ImagePlan& image) {
    constexpr double fewest = 5, most = 200;
    const auto places = static_cast<std::int64_t>(
        std::clamp(std::ceil(4 * static_cast<double>(image.grid.rows) / image.aperture.lines), fewest, most));
    RowLines lines = image.lines;
    for (std::int64_t i = 0; i < places; ++i) {
        const std::int64_t row = (image.grid.rows - 1) * i / (places - 1);
        const RowLines there = with_history_of_rows(image, acquisition, row, 1).lines;
        lines.before = std::max(lines.before, there.before);
        lines.behind = std::max(lines.behind, there.behind);
    }
    return lines;
}

/// A block has the band about the centroid of its middle: rows, wherever they begin, whose own lies no further beside
/// that than it may.
std::int64_t rows_of_one_band(const Acquisition& acquisition, const ImagePlan& image) {
    const ImageGrid& grid = image.grid;
    const double range_m = image.swath.middle_m(), most_hz = most_band_shift_hz(acquisition, image);
    constexpr int places = 65;
    const double apart = static_cast<double>(grid.rows - 1) / (places - 1);
    const auto centroid_hz = [&](int place) {
        return image.geometry->beam_centre(grid.time_s(place * apart), range_m).centroid_hz;
    };
    double steepest_hz = 0;  // from one place to the next
    for (int i = 1; i < places; ++i) steepest_hz = std::max(steepest_hz, std::abs(centroid_hz(i) - centroid_hz(i - 1)));
    if (steepest_hz <= 0) return grid.rows;
    const double rows = std::min(static_cast<double>(grid.rows), apart * 2 * most_hz / steepest_hz);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(rows));
}

/// Where range histories drift, what is left is a shift of range that grows along the block, and over a terrain one of
/// time, too. Heights themselves are not known well enough for blocks shorter than what they need of lines.
std::int64_t rows_without_error(const ImagePlan& image, bool terrain) {
    if (!image.histories.drift) return image.grid.rows;
    const double largest_error_cells = terrain ? 0.005 : 0.0015;
    double part =
        std::min(1.0, largest_error_cells * image.grid.range_spacing_m / image.histories.drift->range_error_m);
    if (terrain)
        part = std::min(part, largest_error_cells * image.grid.time_spacing_s / image.histories.drift->time_error_s);
    const std::int64_t fewest = terrain ? std::min(image.grid.rows, image.lines.overlap()) : 1;
    return std::max(fewest, static_cast<std::int64_t>(part * static_cast<double>(image.grid.rows)));
}

/// Where the track turns so much that targets do not run through the band once from end to end, laws hold no numbers,
/// and neither would the image: refused, forced or not.
void require_laws(const ImagePlan& block, const AzimuthBlock& rows, const Former& former) {
    const RangeHistory& history = block.histories.middle;
    for (const double column : {0.0, 0.5, 1.0}) {
        const double range_m = block.grid.range_m(column * static_cast<double>(block.grid.columns - 1));
        for (const double part : {-1.0, 0.0, 1.0}) {
            const double hz = history.centroid_hz(range_m) + part * history.half_band_hz();
            if (std::isfinite(history.time_s(range_m, hz) + history.slant_m(range_m, hz) +
                              history.phase_cycles(range_m, hz) + history.fm_rate_hz_s(range_m, hz)))
                continue;
            throw InputError(fmt::format(
                "--algorithm {}: within the aperture of rows {} to {} the track turns so much that targets at {:.0f} m "
                "do not run once through the {:.4g} Hz to either side of the centroid that its laws are made for, "
                "which --force does not mend; narrow the band by --azimuth-bandwidth, or use --algorithm ffbp (on the "
                "CPU) or --algorithm backprojection",
                former.name, rows.first_row, rows.first_row + rows.rows - 1, range_m, history.half_band_hz()));
        }
    }
}

/// Blocks of an algorithm whose rows share the range histories of their middle, where the track bends.
class BlocksAlongTrack {
public:
    BlocksAlongTrack(const Acquisition& acquisition, const ImagePlan& image, const Former& former)
        : acquisition_(acquisition),
          image_(image),
          former_(former),
          terrain_(image.geometry->track().over_terrain()),
          limits_(terrain_ ? error_limits_over_terrain : error_limits) {}

    /// Rows of a block, at most so many, along which what range histories leave of the track holds the limits.
    std::int64_t rows_that_hold(std::int64_t most_rows) {
        const std::int64_t longest =
            std::min({most_rows, rows_of_one_band(acquisition_, image_), rows_without_error(image_, terrain_)});
        std::int64_t rows = longest;
        const std::int64_t fewest = std::min(rows, fewest_block_rows(image_.lines.overlap()));
        for (;;) {
            predict(rows);
            if (holds(predicted_) || (rows <= fewest && holds(predicted_, limits_))) return rows;
            if (rows <= fewest) break;
            rows = std::max(fewest, rows / 2);
        }
        check(rows);
        return longest;  // forced: short blocks would only cost more
    }

    /// Those that memory allows, or that a user wants, have other middles.
    void predict_and_check(std::int64_t rows) {
        predict(rows);
        check(rows);
    }

    const Prediction& predicted() const { return predicted_; }

    FormerNote note() const {
        return {.name = "predicted error",
                .text = fmt::format("by the track within blocks at most {}; allowed are {}", text_of(predicted_),
                                    text_of(limits_)),
                .key = "prediction",
                .values = {{"position_px", predicted_.position_px},
                           {"phase_deg", predicted_.phase_deg},
                           {"width_percent", predicted_.width_percent}}};
    }

private:
    /// What blocks of so many rows leave of the track; of the first that does not hold, where one does not.
    void predict(std::int64_t rows) {
        predicted_ = {};
        for (const AzimuthBlock& block : azimuth_blocks(acquisition_, image_, rows)) {
            const ImagePlan seen = block.rows == image_.grid.rows
                                       ? image_
                                       : with_history_of_rows(image_, acquisition_, block.first_row, block.rows);
            predicted_ = worse_of(predicted_, predicted_along_track(acquisition_, seen, block.first_row, block.rows));
            if (!holds(predicted_, limits_)) break;
        }
    }

    void check(std::int64_t rows) const {
        if (holds(predicted_, limits_) || image_.parameters.force) return;
        throw InputError(fmt::format(
            "--algorithm {}: the track bends so much along an aperture that even blocks of {} rows would be off by {}; "
            "at most {} are allowed: use --algorithm ffbp or --algorithm backprojection",
            former_.name, rows, text_of(predicted_), text_of(limits_)));
    }

    const Acquisition& acquisition_;
    const ImagePlan& image_;
    const Former& former_;
    const bool terrain_;
    const Prediction& limits_;
    Prediction predicted_;
};

/// Why points would be off so much at the ends of their beams, and the way out.
std::string fault_of_ends(const Acquisition& acquisition, const ImagePlan& image, const Former& former,
                          const Prediction& lost, bool has_room) {
    const double prf_hz = acquisition.prf_hz, beam_hz = *acquisition.azimuth_bandwidth_hz;
    const std::string off =
        fmt::format("points would be off by {}, at most {} are allowed", text_of(lost), text_of(error_limits));
    if (const auto pulses = pulses_of_no_aperture(acquisition, image, beam_hz))
        return fmt::format(
            "the beam of {:.4g} Hz lights a point in {:.2g} pulses, too few for an aperture: {}; record at a higher "
            "PRF than {:.4g} Hz, or check the beam's bandwidth and the velocity",
            beam_hz, *pulses, off, prf_hz);
    const std::string way_out =
        has_room
            ? fmt::format("take more of the PRF's {:.4g} Hz", prf_hz)
            : fmt::format("{}take less of the beam", former.weighs_pulses ? "" : "try --algorithm backprojection, or ");
    const BeamAside aside = beam_aside(acquisition, image, former);
    const double aside_hz = aside.range_hz + aside.chirp_hz, doubt_hz = image.parameters.centroid_doubt_hz,
                 least_hz = 0.001 * prf_hz;  // that is told of
    std::string beside;
    if (aside_hz >= least_hz)
        beside = fmt::format(
            " and lies up to {:.3g} Hz beside their middle, as the centroid changes over ranges that share a band "
            "and over the chirp{}",
            aside_hz,
            doubt_hz < least_hz ? ""
                                : fmt::format(", and by {:.3g} Hz with heights, which that of the file does not "
                                              "follow (--doppler-centroid orbit does)",
                                              doubt_hz));
    return fmt::format(
        "the beam of {:.4g} Hz fills the {:.4g} Hz that are processed{}, and for short apertures its spectrum goes on "
        "beyond: {}; {} by --azimuth-bandwidth",
        beam_hz, image.parameters.azimuth_bandwidth_hz, beside, off, way_out);
}

/// What points are off by without the soft ends of the beam: the band that was asked for ends at the beam's, which
/// costs sums over pulses no less, or the PRF has no room for them.
Prediction checked_ends(const Acquisition& acquisition, const ImagePlan& image, const Former& former) {
    if (image.map || acquisition.burst) return {};  // of a burst's beam the part is taken that its neighbours hold, too
    const double prf_hz = acquisition.prf_hz, processed_hz = image.parameters.azimuth_bandwidth_hz,
                 rows_per_pulse = image.parameters.rows_per_pulse;
    // Who asks for a part of the beam gets it, as it is predicted.
    const bool wanted = processed_hz < acquisition.azimuth_bandwidth_hz || image.parameters.force;
    if (const double widest_hz = widest_beam_hz(acquisition, image);
        !has_room_for(widest_hz, rows_per_pulse * prf_hz) && !wanted)
        throw InputError(fmt::format(
            "--algorithm {}: the beam of {:.4g} Hz lights points of the image over up to {:.4g} Hz, as the antenna is "
            "turned ahead or along with them, for which the PRF of {:.4g} Hz has no room; take less of it by "
            "--azimuth-bandwidth",
            former.name, *acquisition.azimuth_bandwidth_hz, widest_hz, prf_hz));
    const bool has_room = rows_per_pulse == 1 && processed_hz + image.fades.azimuth_fade_hz < prf_hz;
    const Prediction lost = predicted_for_lost_ends(acquisition, image, former, has_room);
    if (!holds(lost) && !wanted)
        throw InputError(
            fmt::format("--algorithm {}: {}", former.name, fault_of_ends(acquisition, image, former, lost, has_room)));
    return lost;
}

/// As a factorised sum predicts it.
std::optional<double> error_of_factors_db(const std::vector<FormerNote>& notes) {
    for (const FormerNote& note : notes)
        for (const auto& [key, value] : note.values)
            if (note.key == "factorisation" && key == "error_db") return std::get<double>(value);
    return std::nullopt;
}

}  // namespace

PlannedFormer plan_former(Device& device, const Acquisition& acquisition, const ImagePlan& image, const Former& former,
                          const LoweringHints& hints, const MemoryWish& asked) {
    PlannedFormer planned{.offer = {.algorithm = former.name}, .image = image, .notes = {}, .memory = {}};
    MemoryWish wish = asked;
    const bool same_everywhere = image.geometry->steady() || image.map;
    planned.notes = former.form(acquisition, image).notes;  // its own limits say best what does not hold
    const Prediction ends = checked_ends(acquisition, image, former);
    BlocksAlongTrack blocks(acquisition, image, former);
    const bool shares_histories = !same_everywhere && !former.follows_rows;
    if (shares_histories) wish.most_rows = blocks.rows_that_hold(wish.most_rows.value_or(image.grid.rows));
    const auto plan = [&] { planned.memory = plan_memory(device, acquisition, planned.image, former, hints, wish); };
    plan();
    if (shares_histories) {
        if (const std::int64_t rows = planned.memory.blocks.front().rows; rows < wish.most_rows)
            blocks.predict_and_check(rows);
        planned.notes.push_back(blocks.note());
    }
    planned.offer.predicted = worse_of(blocks.predicted(), ends);
    planned.offer.sums_error_db = error_of_factors_db(planned.notes);
    if (planned.memory.blocks.size() > 1 && !same_everywhere) {
        planned.image.lines = lines_at_any_time(acquisition, planned.image);
        plan();
    }
    if (shares_histories && planned.memory.blocks.size() == 1)
        require_laws(planned.image, planned.memory.blocks.front(), former);
    else if (shares_histories)
        for (const AzimuthBlock& block : planned.memory.blocks) {  // each has a history of its own to hold for
            const ImagePlan seen = with_history_of_rows(planned.image, acquisition, block.first_row, block.rows);
            require_laws(seen, block, former);
            former.form(acquisition, seen);
        }
    planned.offer.cost = planned.memory.cost;
    planned.offer.seconds = seconds_of(planned.memory.cost, device.info().rates);
    planned.offer.blocks = planned.memory.blocks.size();
    planned.offer.lines = lines_of(planned.memory.blocks);
    return planned;
}

double seconds_looked_at(Device& device, const PlannedFormer& planned) {
    const MemoryPlan& memory = planned.memory;
    WorkRates rates = device.info().rates;
    for (const Step& step : memory.largest->algorithm().steps(memory.lowering.fft_lengths))
        if (const auto* sum = std::get_if<Accumulation>(&step.work))
            rates.pixel_pulses_per_s = device.pixel_pulses_per_s(*sum);
    return seconds_of(memory.cost, rates);
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/image_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/track/state_vector_check.h"
#include "pipeline/formers/column_aperture.h"

namespace cornerturn {
namespace {

constexpr int places = 17;  // along either axis, at which what changes slowly is looked at

double part_of(std::int64_t count, int place) { return static_cast<double>(count - 1) * place / (places - 1); }

Interval in_common(const Interval& a, const Interval& b) {
    return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

/// From floor to ceiling, held within what there is.
Interval held(double first, double last, std::int64_t there) {
    const auto within = [&](double value) {
        return static_cast<std::int32_t>(std::clamp(value, 0.0, static_cast<double>(there)));
    };
    return {within(std::floor(first)), within(std::ceil(last))};
}

/// What a user is told of where the whole lies.
std::string extent_of(const ImageGrid& grid, const Track& track, bool on_earth) {
    std::string text = fmt::format("zero-Doppler times {:.6f} to {:.6f} s and slant ranges {:.1f} to {:.1f} m",
                                   grid.time_s(0), grid.last_time_s(), grid.range_m(0), grid.far_range_m());
    if (!on_earth) return text;
    GeographicBox box{INFINITY, -INFINITY, INFINITY, -INFINITY};
    std::optional<double> near_deg;
    for (int i = 0; i < places; ++i)
        for (int k = 0; k < places; ++k) {
            const Geographic place = geographic(
                vector_of(track.place(grid.time_s(part_of(grid.rows, i)), grid.range_m(part_of(grid.columns, k)))));
            near_deg = near_deg.value_or(place.longitude_deg);
            const double longitude_deg = longitude_near_deg(place.longitude_deg, *near_deg);
            box = {std::min(box.south_deg, place.latitude_deg), std::max(box.north_deg, place.latitude_deg),
                   std::min(box.west_deg, longitude_deg), std::max(box.east_deg, longitude_deg)};
        }
    return fmt::format("{}, within {:.4f},{:.4f},{:.4f},{:.4f} (west, south, east, north)", text, box.west_deg,
                       box.south_deg, box.east_deg, box.north_deg);
}

/// The image of the whole echo, and which of its rows and columns are asked for.
class AskedImage {
public:
    AskedImage(const Acquisition& whole, const FocusOptions& options)
        : whole_(whole),
          view_(std::make_shared<ViewChoice>(choose_view(whole, options))),
          plan_(plan_grid(whole, view_->parameters, *view_->geometry)),
          rows_{0, static_cast<std::int32_t>(plan_.grid.rows)},
          columns_{0, static_cast<std::int32_t>(plan_.grid.columns)} {}

    void take_lines(const Interval& lines, const std::string& text) {
        double first_s = INFINITY, end_s = -INFINITY;
        for (int k = 0; k < places; ++k) {
            const double range_m = plan_.grid.range_m(part_of(plan_.grid.columns, k));
            first_s = std::min(first_s, zero_doppler_s(lines.first - 0.5, range_m));
            end_s = std::max(end_s, zero_doppler_s(lines.last - 0.5, range_m));
        }
        take_rows(std::ceil(row_at(first_s)), std::ceil(row_at(end_s)), text);
    }

    void take_times(const AskedSpan<double>& time_s, const std::string& text) {
        constexpr double rounding = 1e-6;  // of a row
        const auto row = [&](double s) { return std::ceil(row_at(s) - rounding); };
        take_rows(time_s.first ? row(*time_s.first) : 0,
                  time_s.last ? row(*time_s.last) : static_cast<double>(plan_.grid.rows), text);
    }

    void take_rows_of(const ImageGrid& other) {
        const double first = std::round(row_at(other.first_time_s));
        take_rows(first, first + static_cast<double>(other.rows), "the rows of the first frame");
    }

    void take_box(const GeographicBox& box, const std::string& text);

    ImagePart part() const {
        ImagePart part{.view = {}, .grid = plan_.grid, .lines = {}, .samples = {}};
        part.grid.first_time_s = plan_.grid.time_s(rows_.first);
        part.grid.near_range_m = plan_.grid.range_m(columns_.first);
        part.grid.rows = rows_.last - rows_.first;
        part.grid.columns = columns_.last - columns_.first;
        view_->parameters.part = part.grid;
        part.view = view_;
        find_echo(part);
        return part;
    }

private:
    double row_at(double time_s) const { return (time_s - plan_.grid.first_time_s) / plan_.grid.time_spacing_s; }
    double column_at(double range_m) const { return (range_m - plan_.grid.near_range_m) / plan_.grid.range_spacing_m; }
    double zero_doppler_s(double line, double range_m) const {
        return view_->geometry->zero_doppler_time_s(whole_.pulse_time_s(line), range_m);
    }
    bool on_earth() const { return view_->velocity_source == "orbit"; }

    void take_rows(double first, double last, const std::string& text) {
        rows_ = in_common(rows_, held(first, last, plan_.grid.rows));
        require_something(text);
    }
    void require_something(const std::string& text) const {
        if (rows_.first >= rows_.last || columns_.first >= columns_.last) refuse_outside(text);
    }
    [[noreturn]] void refuse_outside(const std::string& text) const {
        throw InputError(fmt::format("{}: lies outside of the image, or next to it; the image has {}", text,
                                     extent_of(plan_.grid, view_->geometry->track(), on_earth())));
    }

    /// Row and column of a place on the ground; none on the other side of the track.
    struct Position {
        double row, column;
    };
    std::optional<Position> position_of(double latitude_deg, double longitude_deg) const {
        constexpr double same_place_m = 100;
        const Track& track = view_->geometry->track();
        double height_m = view_->height_m(plan_.grid.time_s(0), plan_.grid.range_m(0));
        Place place;
        ClosestPass pass;
        for (int round = 0; round < 4; ++round) {  // heights are known over times and ranges
            place = place_of(
                point_of({.longitude_deg = longitude_deg, .latitude_deg = latitude_deg, .height_m = height_m}));
            pass = track.closest_pass(place, plan_.grid.time_s(0.5 * static_cast<double>(plan_.grid.rows)));
            if (!std::isfinite(pass.time_s + pass.range_m)) return std::nullopt;
            height_m = view_->height_m(pass.time_s, pass.range_m);
        }
        if (!is_followed(*whole_.orbit, pass.time_s)) return std::nullopt;
        if (!(distance_m(track.place(pass.time_s, pass.range_m), place) < same_place_m)) return std::nullopt;
        return Position{row_at(pass.time_s), column_at(pass.range_m)};
    }

    void find_echo(ImagePart& part) const;

    const Acquisition& whole_;
    std::shared_ptr<ViewChoice> view_;
    ImagePlan plan_;
    Interval rows_, columns_;
};

/// By places of the box on the grid, and places of the grid in the box: a large box holds none of its own on the grid.
void AskedImage::take_box(const GeographicBox& box, const std::string& text) {
    constexpr int along = 33;
    if (!on_earth())
        throw InputError(
            fmt::format("{}: the velocity comes from the {}, so nothing says where on the Earth the image lies; use "
                        "--lines or --time",
                        text, view_->velocity_source));
    double first_row = INFINITY, last_row = -INFINITY, first_column = INFINITY, last_column = -INFINITY;
    bool on_grid = false;
    const auto take = [&](const Position& at) {
        first_row = std::min(first_row, at.row), last_row = std::max(last_row, at.row);
        first_column = std::min(first_column, at.column), last_column = std::max(last_column, at.column);
        on_grid = on_grid || (at.row > -1 && at.row < static_cast<double>(plan_.grid.rows) && at.column > -1 &&
                              at.column < static_cast<double>(plan_.grid.columns));
    };
    for (int i = 0; i < along; ++i)
        for (int k = 0; k < along; ++k)
            if (const auto at = position_of(std::lerp(box.south_deg, box.north_deg, i / (along - 1.0)),
                                            std::lerp(box.west_deg, box.east_deg, k / (along - 1.0))))
                take(*at);
    for (int i = 0; i < places; ++i)
        for (int k = 0; k < places; ++k) {
            const double row = part_of(plan_.grid.rows, i), column = part_of(plan_.grid.columns, k);
            const Geographic place = geographic(
                vector_of(view_->geometry->track().place(plan_.grid.time_s(row), plan_.grid.range_m(column))));
            const double longitude_deg = longitude_near_deg(place.longitude_deg, 0.5 * (box.west_deg + box.east_deg));
            if (place.latitude_deg >= box.south_deg && place.latitude_deg <= box.north_deg &&
                longitude_deg >= box.west_deg && longitude_deg <= box.east_deg)
                take({row, column});
        }
    if (!on_grid) refuse_outside(text);
    // What stands above the smooth surface is seen nearer, and between places of the box there may be a little more.
    const double relief = view_->height_m.largest_relief_m() / plan_.grid.range_spacing_m,
                 rows_aside = 1 + 0.01 * (last_row - first_row) / along,
                 columns_aside = 1 + 0.01 * (last_column - first_column) / along + relief;
    columns_ =
        in_common(columns_, held(first_column - columns_aside, last_column + columns_aside + 1, plan_.grid.columns));
    take_rows(first_row - rows_aside, last_row + rows_aside + 1, text);
}

/// What the filters of its rows and columns look at, with their ends.
void AskedImage::find_echo(ImagePart& part) const {
    const double prf_hz = whole_.prf_hz, spacing_m = whole_.range_spacing_m;
    constexpr double line_ends = 16;  // between as many pulses uneven lines are interpolated
    const double sample_ends = 2 * static_cast<double>(plan_.reach.range_samples);
    const HistorySpan span = history_span(whole_, plan_);
    ImagePlan seen = plan_;
    double first_line = INFINITY, last_line = -INFINITY, nearest_m = INFINITY, farthest_m = -INFINITY;
    for (const double along : {0.0, 0.5, 1.0}) {
        const double time_s = part.grid.time_s(along * static_cast<double>(part.grid.rows - 1));
        seen.histories.middle = view_->geometry->history(time_s, span);
        const ColumnApertures apertures(whole_, seen, 2 * plan_.fades.pulse_reach_hz);
        for (int k = 0; k < places; ++k) {
            const double column = std::round(part_of(part.grid.columns, k)), range_m = part.grid.range_m(column);
            const double centre = whole_.line_at(time_s + seen.histories.middle.centre_time_s(range_m));
            const FilterLines filter = filter_lines(whole_, seen, range_m);
            const ColumnAperture aperture = apertures.at(columns_.first + static_cast<std::int64_t>(column));
            // Of uneven lines as many as an even flight would send.
            const auto lines_at = [&](double off) {
                return whole_.line_at(whole_.pulse_time_s(centre) + off / prf_hz);
            };
            first_line = std::min(first_line, lines_at(-filter.before - line_ends));
            last_line = std::max(last_line, lines_at(filter.behind + line_ends));
            nearest_m = std::min(nearest_m, aperture.nearest_m);
            farthest_m = std::max(farthest_m, aperture.farthest_m);
        }
    }
    part.lines = held(first_line, last_line + 1, whole_.lines);
    part.samples =
        held((nearest_m - whole_.near_range_m) / spacing_m - sample_ends,
             (farthest_m - whole_.near_range_m) / spacing_m + whole_.chirp_samples() + sample_ends + 1, whole_.samples);
}

void refuse_without_rows(const Acquisition& whole, const std::string& option) {
    if (whole.burst)
        throw InputError(
            fmt::format("{}: is of strips, and {} {} is one burst of several; choose it by --swath and --burst", option,
                        whole.burst->swath, whole.burst->number));
    if (whole.sums_all_pulses())
        throw InputError(
            fmt::format("{}: is of rows of zero Doppler, which {} has not; give the bounds of a map by --grid FILE",
                        option, whole.phase_history ? "a spotlight" : "a track in a frame of its own"));
}

}  // namespace

Interval asked_lines(const Acquisition& whole, const PartRequest& request) {
    Interval lines{0, static_cast<std::int32_t>(whole.lines)};
    if (const auto& asked = request.lines) {
        const auto at = [&](std::int64_t line) {
            return static_cast<std::int32_t>(
                std::clamp<std::int64_t>(line < 0 ? whole.lines + line : line, 0, whole.lines));
        };
        lines = {at(asked->first.value_or(0)), at(asked->last.value_or(whole.lines))};
        if (lines.first >= lines.last)
            throw InputError(fmt::format("{}: holds no line; there are lines 0 to {} (0:{})", request.lines_text,
                                         whole.lines - 1, whole.lines));
    }
    if (const auto& asked = request.time_s) {
        constexpr double rounding = 1e-6;  // of a line
        const auto line_at = [&](double time_s) { return std::ceil(whole.line_at(time_s) - rounding); };
        const auto end = static_cast<double>(whole.lines);
        lines = in_common(lines, {held(asked->first ? line_at(*asked->first) : 0, end, whole.lines).first,
                                  held(0, asked->last ? line_at(*asked->last) : end, whole.lines).last});
        if (lines.first >= lines.last)
            throw InputError(fmt::format("{}: no line was sent then; there are lines from {:.6f} to {:.6f} s after {}",
                                         request.time_text, whole.pulse_time_s(0), whole.last_pulse_time_s(),
                                         whole.epoch));
    }
    return lines;
}

ImagePart part_of_image(const Acquisition& whole, const FocusOptions& options, const PartRequest& request,
                        const ImageGrid* rows_of) {
    for (const auto* text : {&request.lines_text, &request.time_text, &request.box_text})
        if (!text->empty()) refuse_without_rows(whole, *text);
    AskedImage asked(whole, options);
    if (rows_of) {
        asked.take_rows_of(*rows_of);
    } else {
        if (request.lines)
            asked.take_lines(asked_lines(whole, {.lines = request.lines, .lines_text = request.lines_text}),
                             request.lines_text);
        if (request.time_s) asked.take_times(*request.time_s, request.time_text);
    }
    if (request.box) asked.take_box(*request.box, request.box_text);
    return asked.part();
}

Acquisition echo_of(const Acquisition& whole, const ImagePart& part) {
    Acquisition echo = window_of(whole, part.lines, part.samples);
    std::erase_if(echo.truth, [&](const PointTarget& target) {
        const double row = (target.zero_doppler_time_s - part.grid.first_time_s) / part.grid.time_spacing_s,
                     column = (target.range_m - part.grid.near_range_m) / part.grid.range_spacing_m;
        return !(row > -0.5 && row < static_cast<double>(part.grid.rows) - 0.5 && column > -0.5 &&
                 column < static_cast<double>(part.grid.columns) - 0.5);
    });
    return echo;
}

}  // namespace cornerturn

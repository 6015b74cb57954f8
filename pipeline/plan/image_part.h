// SPDX-License-Identifier: Apache-2.0
// A part of an image, on the grid of the whole and with the decisions made for the whole, and the part of the echo
// that it needs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pipeline/acquisition/ground/terrain.h"
#include "pipeline/echo/echo_part.h"
#include "pipeline/plan/view_choice.h"

namespace cornerturn {

/// Half-open, of lines or seconds; what is left open goes on to the end. Lines below 0 count from the end.
template <class Number>
struct AskedSpan {
    std::optional<Number> first = {}, last = {};
    friend bool operator==(const AskedSpan&, const AskedSpan&) = default;
};

/// The part that is asked for: the intersection of all that is given.
struct PartRequest {
    std::optional<AskedSpan<std::int64_t>> lines = {};  ///< of the echo
    std::optional<AskedSpan<double>> time_s = {};       ///< since the epoch: zero-Doppler time, or when lines were sent
    std::optional<GeographicBox> box = {};
    /// The options as they were written, for error messages.
    std::string lines_text = {}, time_text = {}, box_text = {};

    bool all() const { return !lines && !time_s && !box; }
};

/// A part of an image, and the part of the echo that it is made of.
struct ImagePart {
    std::shared_ptr<const ViewChoice> view;  ///< by which the whole is seen
    ImageGrid grid;                          ///< rows and columns of the whole
    Interval lines, samples;                 ///< of the echo, with the ends of all filters
};

/// Lines that were asked for by number or time, where nothing of an image is asked. Throws InputError for none.
Interval asked_lines(const Acquisition& whole, const PartRequest& request);

/// Rows whose targets the beam's centre lies on while such lines are sent, rows of such zero-Doppler times, the rows
/// and columns that hold a box on the ground at the heights of the options. `options` hold what the data say, where
/// they have to (with_estimates). Throws InputError for a part that is empty or lies outside, with what there is, and
/// what set_up_focus throws.
/// `rows_of`: those of this grid instead of the ones that lines and times ask for.
ImagePart part_of_image(const Acquisition& whole, const FocusOptions& options, const PartRequest& request,
                        const ImageGrid* rows_of = nullptr);

/// The acquisition of its lines and samples, with those of the known targets that it shows.
Acquisition echo_of(const Acquisition& whole, const ImagePart& part);

}  // namespace cornerturn

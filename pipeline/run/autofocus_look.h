// SPDX-License-Identifier: Apache-2.0
// What autofocus keeps of an image to tell the phases of its lines: columns of a strip, points of a spotlight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pipeline/autofocus/phase_estimate.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

/// Pieces of an image that tell phases, each by itself. Phases are of the echo's lines.
class PhaseEvidence {
public:
    virtual ~PhaseEvidence() = default;
    virtual PhaseEstimate estimate(int threads) const = 0;
    /// Of the brightness of all pieces once these phases are taken off: the less, the sharper.
    virtual double entropy(std::span<const double> phase_rad, int threads) const = 0;
    /// Takes off what moves no focus: constant, and what shifts the image.
    virtual void remove_line(std::span<double> phase_rad, std::span<const double> weight) const = 0;
    /// What of a phase bends within apertures.
    virtual double bend_rad(std::span<const double> phase_rad, std::span<const double> weight) const = 0;

    /// Whether one place has nearly all of the brightness, so that halves of the evidence are not two.
    virtual bool is_of_one_place() const { return false; }

    using WantedBand = std::function<bool(std::size_t band)>;
    /// The pieces in whose bands of neighbours `wanted` is so: what is bright lies in several of them.
    virtual std::unique_ptr<PhaseEvidence> bands(std::size_t largest_band, const WantedBand& wanted) const = 0;
};

/// Of `pieces` that stand in order of place, those in wanted bands.
template <class Piece>
std::vector<Piece> pieces_in_bands(const std::vector<Piece>& pieces, std::size_t largest_band,
                                   const PhaseEvidence::WantedBand& wanted) {
    const std::size_t band = std::clamp<std::size_t>(pieces.size() / 8, 1, largest_band);
    std::vector<Piece> some;
    for (std::size_t i = 0; i < pieces.size(); ++i)
        if (wanted(i / band)) some.push_back(pieces[i]);
    return some;
}

/// How an image is looked at.
struct AutofocusLook {
    std::span<Device* const> devices;  ///< that form it
    FocusOptions options;              ///< by which it is formed, and how phases are found in it
    int threads = 1;
    Progress progress;
};

/// What of an image is kept: columns and bytes.
struct AutofocusNeed {
    std::int64_t columns = 0;  ///< of a strip; 0: points of a spotlight, at most so many
    std::int64_t points = 0;
    std::size_t bytes = 0;
};

/// Columns on the zero-Doppler grid. `columns`: those that were kept.
std::unique_ptr<PhaseEvidence> look_at_strip(const AutofocusLook& look, EchoSource& frame, std::int64_t& columns);
AutofocusNeed need_of_strip(const ImageGrid& grid, const FocusOptions& options);

/// The brightest points of an image of a phase history on its map, and what each line adds to them; the map is made no
/// finer than pulses resolve. `columns`: of that map. Throws InputError where the pulses see the scene from directions
/// that turn back.
std::unique_ptr<PhaseEvidence> look_at_spotlight(const AutofocusLook& look, EchoSource& frame, std::int64_t& columns);
AutofocusNeed need_of_spotlight(const Acquisition& acquisition);

}  // namespace cornerturn

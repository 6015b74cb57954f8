// SPDX-License-Identifier: Apache-2.0
// Autofocus: an image is formed, the phase error of the lines is estimated from it and removed, and this is repeated
// until no error is found.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/run/autofocus_look.h"

namespace cornerturn {

/// What one image told, before it was taken away.
struct AutofocusRound {
    double rms_rad = 0;   ///< of the phase that was found, over the lines that tell anything
    double bend_rad = 0;  ///< of what of it bends within apertures: what defocuses
    std::int64_t targets = 0;
    double entropy_before = 0, entropy_after = 0;  ///< of the columns, or points, looked at
    std::optional<double> residual_rad = {};       ///< then left against the truth of a simulated echo
};

struct AutofocusReport {
    AutofocusRecord record;  ///< all zeros where nothing was taken
    std::string verdict;     ///< "phase error taken away", or why not
    std::vector<AutofocusRound> rounds;
    double rms_rad = 0, largest_rad = 0, bend_rad = 0;  ///< of what was taken
    std::int64_t told_lines = 0;                        ///< lines that tell anything
    std::int64_t columns = 0;                           ///< of the image that were looked at
    std::optional<double>
        residual_rad;  ///< rms that is left against the truth of a simulated echo, over the lines that tell anything
    double wall_s = 0;
};

/// A scene stays as it is where what bends within apertures is less than this: it costs 0.01 dB of a point.
inline constexpr double focused_bend_rad = 0.05;

/// Finds the phases of the echo's lines by options.autofocus: in columns on the zero-Doppler grid, those of a phase
/// history in points on its map. Nothing is taken where the image is in focus, where what
/// sharpens the columns that were looked at does not sharpen others, which were kept back, where halves of the scene do
/// not agree, or where the image that is then made is no sharper. Throws what focusing throws. The devices share the
/// work.
AutofocusReport find_line_phases(std::span<Device* const> devices, EchoSource& echo, const FocusOptions& options,
                                 int threads = 0, const Progress& progress = {});
inline AutofocusReport find_line_phases(Device& device, EchoSource& echo, const FocusOptions& options, int threads = 0,
                                        const Progress& progress = {}) {
    Device* const one = &device;
    return find_line_phases(std::span(&one, 1), echo, options, threads, progress);
}

/// Images that are looked at, at most.
inline constexpr int most_autofocus_rounds = 4;

/// Phases of one frame's lines as those of another one, whose carrier may differ: way errors turn a phase in proportion
/// to it. Throws InputError where the other has other lines.
std::vector<double> phases_for(const AutofocusRecord& record, const Acquisition& of, const Acquisition& frame);

}  // namespace cornerturn

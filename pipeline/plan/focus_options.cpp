// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/focus_options.h"

namespace cornerturn {

FocusOptions without_timeline(FocusOptions options) {
    options.timeline.reset();
    return options;
}

FocusOptions with_doppler(const FocusOptions& options, const DopplerChoice& known) {
    FocusOptions same = options;
    same.doppler_centroid_hz = known.centroid_hz;
    same.doppler_surface = known.surface_hz;
    same.doppler_slopes.reset();
    same.doppler_from = ParameterSource::automatic;
    return same;
}

FocusOptions options_of_frame(FocusOptions options, std::size_t frame) {
    if (frame < options.block_rows_of_frames.size()) options.memory.block_rows = options.block_rows_of_frames[frame];
    if (frame < options.part_pulses_of_frames.size() && options.part_pulses_of_frames[frame] > 0)
        options.memory.part_pulses = options.part_pulses_of_frames[frame];
    if (frame < options.part_of_frames.size()) options.part = options.part_of_frames[frame];
    return options;
}

FocusOptions options_beside(const Acquisition& first, const DopplerChoice& of_first, const Acquisition& frame,
                            const FocusOptions& options) {
    FocusOptions same = options;
    if (of_first.origin != DopplerOrigin::file)
        same = with_doppler(same, at_carrier(of_first, first.carrier_hz, frame.carrier_hz));
    if (options.estimates.velocity) {
        same.velocity_m_s = options.estimates.velocity->velocity_m_s;
        same.velocity_from = ParameterSource::automatic;
    }
    return same;
}

}  // namespace cornerturn

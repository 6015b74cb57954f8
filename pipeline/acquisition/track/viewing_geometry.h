// SPDX-License-Identifier: Apache-2.0
// Track and beam of an acquisition, and the range histories that follow from them.
#pragma once

#include <memory>

#include "pipeline/acquisition/track/range_history.h"

namespace cornerturn {

class ViewingGeometry {
public:
    /// `beam_steady`: whether the centroid is the same at all times.
    ViewingGeometry(std::shared_ptr<const Track> track, DopplerModel centroid_hz, double carrier_hz,
                    bool beam_steady = true)
        : track_(std::move(track)),
          centroid_hz_(std::move(centroid_hz)),
          carrier_hz_(carrier_hz),
          beam_steady_(beam_steady) {}

    /// Whether range histories about the beam's centre are the same at all times.
    bool steady() const { return track_->steady() && beam_steady_; }
    const Track& track() const { return *track_; }
    double carrier_hz() const { return carrier_hz_; }

    RangeHistory history(double zero_doppler_time_s, const HistorySpan& span,
                         const EchoPhase& added_cycles = {}) const {
        return {*track_, carrier_hz_, zero_doppler_time_s, centroid_hz_, span, added_cycles};
    }
    /// The beam's centre on the target of a zero-Doppler time and closest range.
    BeamCentre beam_centre(double zero_doppler_time_s, double range_m) const {
        return cornerturn::beam_centre(*track_, carrier_hz_, zero_doppler_time_s, range_m, centroid_hz_);
    }
    /// When it lies there, since the epoch.
    double beam_time_s(double zero_doppler_time_s, double range_m) const {
        return zero_doppler_time_s + beam_centre(zero_doppler_time_s, range_m).time_s;
    }
    /// Zero-Doppler time of the target at a closest range that the beam's centre lies on at a time.
    double zero_doppler_time_s(double beam_time_s, double range_m) const;

private:
    std::shared_ptr<const Track> track_;
    DopplerModel centroid_hz_;
    double carrier_hz_;
    bool beam_steady_;
};

}  // namespace cornerturn

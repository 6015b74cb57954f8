// SPDX-License-Identifier: Apache-2.0
// The track of an antenna and the delays of its echoes: along an orbit over the Earth, or along a straight line.
#pragma once

#include <functional>
#include <memory>

#include "kernels/math/two_way_delay.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/ground/scene_height.h"
#include "pipeline/acquisition/track/velocity_profile.h"

namespace cornerturn {

/// Two-way delay in seconds of what leaves the antenna this many seconds after the zero-Doppler time of a target: c tau
/// = |P(t) - X| + |P(t + tau) - X| (docs/theory.md).
using DelayHistory = std::function<double(double time_s)>;

/// When an antenna passes a place at zero Doppler, and how far from it.
struct ClosestPass {
    double time_s = 0, range_m = 0;
};

/// A place, and how it changes with its height, per metre, where zero-Doppler time and closest range stay.
struct SeenPlace {
    Place place, rise;
};
/// Of the target at a closest range.
using PlaceOfRange = std::function<SeenPlace(double range_m)>;

/// The antenna about a moment, along state vectors in any frame.
PulsePath pulse_path_along(const Orbit& orbit, double time_s);

class Track {
public:
    virtual ~Track() = default;
    /// Of the target at a zero-Doppler time (since the epoch) and closest range. The function outlives the track.
    virtual DelayHistory delay_history(double zero_doppler_time_s, double range_m) const = 0;
    /// The antenna about a moment (since the epoch), in coordinates in which targets stand still: ECEF, or for straight
    /// flight the plane through the track, for which it has to have one velocity. Of pulses that left beside the track,
    /// where they did leave.
    virtual PulsePath pulse_path(double time_s) const = 0;
    /// The targets of a zero-Doppler time in these coordinates. The function must not outlive the track.
    virtual PlaceOfRange places(double zero_doppler_time_s) const = 0;
    Place place(double zero_doppler_time_s, double range_m) const { return places(zero_doppler_time_s)(range_m).place; }
    /// The other way round: of any place, looked for from a time on.
    virtual ClosestPass closest_pass(const Place& place, double near_s) const = 0;
    /// For a sense of how fast a target passes.
    virtual double speed_m_s(double time_s, double range_m) const = 0;
    /// Whether the history of a range is the same at all times.
    virtual bool steady() const = 0;
    /// Whether targets of different ranges and times may lie at different heights.
    virtual bool over_terrain() const { return false; }
    /// By how much farther a target seems because its echo is late, in m.
    virtual double added_range_m(double, double) const { return 0; }
};

/// An orbit by its state vectors; targets lie on the ground.
class OrbitTrack final : public Track {
public:
    OrbitTrack(Orbit orbit, LookSide side, SceneHeight height_m)
        : orbit_(std::make_shared<const Orbit>(std::move(orbit))), side_(side), height_m_(std::move(height_m)) {}
    DelayHistory delay_history(double zero_doppler_time_s, double range_m) const override;
    PulsePath pulse_path(double time_s) const override;
    PlaceOfRange places(double zero_doppler_time_s) const override;
    ClosestPass closest_pass(const Place& place, double near_s) const override;
    double speed_m_s(double time_s, double range_m) const override;
    bool steady() const override { return false; }
    bool over_terrain() const override { return !height_m_.constant(); }

private:
    std::shared_ptr<const Orbit> orbit_;  // which delay histories share
    LookSide side_;
    SceneHeight height_m_;
};

/// Pulses of an antenna that sways, and the targets of the zero-Doppler times and closest ranges of a reference track.
class TrackOverRows : public Track {
public:
    PlaceOfRange places(double zero_doppler_time_s) const final { return reference_.places(zero_doppler_time_s); }
    ClosestPass closest_pass(const Place& place, double near_s) const final {
        return reference_.closest_pass(place, near_s);
    }
    double speed_m_s(double time_s, double range_m) const final { return reference_.speed_m_s(time_s, range_m); }
    bool steady() const final { return false; }
    bool over_terrain() const final { return reference_.over_terrain(); }

protected:
    TrackOverRows(Orbit reference, LookSide side, const SceneHeight& height_m)
        : reference_(std::move(reference), side, height_m) {}
    const OrbitTrack& reference() const { return reference_; }

private:
    OrbitTrack reference_;
};

/// At times as flown, with exact delays.
class CompensatedTrack final : public TrackOverRows {
public:
    CompensatedTrack(Orbit flown, Orbit reference, LookSide side, const SceneHeight& height_m)
        : TrackOverRows(std::move(reference), side, height_m),
          flown_(std::make_shared<const Orbit>(std::move(flown))) {}
    DelayHistory delay_history(double zero_doppler_time_s, double range_m) const override;
    PulsePath pulse_path(double time_s) const override { return pulse_path_along(*flown_, time_s); }

private:
    std::shared_ptr<const Orbit> flown_;  // which delay histories share
};

/// Straight flight, at a velocity that may depend on the closest range of the target.
class StraightTrack final : public Track {
public:
    explicit StraightTrack(VelocityProfile velocity_m_s) : velocity_m_s_(std::move(velocity_m_s)) {}
    DelayHistory delay_history(double zero_doppler_time_s, double range_m) const override;
    PulsePath pulse_path(double time_s) const override;
    /// Straight flight knows no heights.
    PlaceOfRange places(double zero_doppler_time_s) const override;
    /// At one velocity, as pulse_path().
    ClosestPass closest_pass(const Place& place, double near_s) const override;
    double speed_m_s(double, double range_m) const override { return velocity_m_s_(range_m); }
    bool steady() const override { return true; }

private:
    VelocityProfile velocity_m_s_;
};

/// Over zero-Doppler time and closest range, in m of slant range.
using AddedRange = std::function<double(double zero_doppler_time_s, double range_m)>;

/// Another track whose echoes come later by what the instrument or the air adds to their way: in time and in phase.
class DelayedTrack final : public Track {
public:
    DelayedTrack(std::shared_ptr<const Track> track, AddedRange added_m)
        : track_(std::move(track)), added_m_(std::move(added_m)) {}
    DelayHistory delay_history(double zero_doppler_time_s, double range_m) const override;
    /// Without the delays, which no place has.
    PulsePath pulse_path(double time_s) const override { return track_->pulse_path(time_s); }
    PlaceOfRange places(double zero_doppler_time_s) const override { return track_->places(zero_doppler_time_s); }
    ClosestPass closest_pass(const Place& place, double near_s) const override {
        return track_->closest_pass(place, near_s);
    }
    double speed_m_s(double time_s, double range_m) const override { return track_->speed_m_s(time_s, range_m); }
    bool steady() const override { return track_->steady(); }
    bool over_terrain() const override { return track_->over_terrain(); }
    double added_range_m(double zero_doppler_time_s, double range_m) const override {
        return added_m_(zero_doppler_time_s, range_m) + track_->added_range_m(zero_doppler_time_s, range_m);
    }

private:
    std::shared_ptr<const Track> track_;
    AddedRange added_m_;
};

/// What dry air adds to the way to a target, in m: 2.3 m straight up from sea level, less by the factor e every 6 km
/// (Breit et al. 2010, as isce3 has it).
double dry_troposphere_m(double height_m, double incidence_rad);
/// For the ground along an orbit.
AddedRange troposphere_along(const Orbit& orbit, LookSide side, const SceneHeight& height_m);

}  // namespace cornerturn

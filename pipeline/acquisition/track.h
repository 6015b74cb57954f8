// SPDX-License-Identifier: Apache-2.0
// Where the antenna is, and how long an echo takes: along an orbit over the Earth, or along a straight line.
#pragma once

#include <functional>
#include <memory>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/scene_height.h"
#include "pipeline/acquisition/velocity_profile.h"

namespace cornerturn {

/// Two-way delay in seconds of what leaves the antenna this many seconds after the zero-Doppler time of a target: c tau = |P(t) - X| +
/// |P(t + tau) - X| (DESIGN section 2).
using DelayHistory = std::function<double(double time_s)>;

class Track {
public:
    virtual ~Track() = default;
    /// Of the target at a zero-Doppler time (since the epoch) and closest range. The function outlives the track.
    virtual DelayHistory delay_history(double zero_doppler_time_s, double range_m) const = 0;
    /// For a sense of how fast a target passes.
    virtual double speed_m_s(double time_s, double range_m) const = 0;
    /// Whether the history of a range is the same at all times.
    virtual bool steady() const = 0;
    /// Whether targets of different ranges and times may lie at different heights.
    virtual bool over_terrain() const { return false; }
};

/// An orbit by its state vectors; targets lie on the ground.
class OrbitTrack final : public Track {
public:
    OrbitTrack(Orbit orbit, LookSide side, SceneHeight height_m)
        : orbit_(std::make_shared<const Orbit>(std::move(orbit))), side_(side), height_m_(std::move(height_m)) {}
    DelayHistory delay_history(double zero_doppler_time_s, double range_m) const override;
    double speed_m_s(double time_s, double range_m) const override;
    bool steady() const override { return false; }
    bool over_terrain() const override { return !height_m_.constant(); }

private:
    std::shared_ptr<const Orbit> orbit_;  // which delay histories share
    LookSide side_;
    SceneHeight height_m_;
};

/// Straight flight, at a velocity that may depend on the closest range of the target.
class StraightTrack final : public Track {
public:
    explicit StraightTrack(VelocityProfile velocity_m_s) : velocity_m_s_(std::move(velocity_m_s)) {}
    DelayHistory delay_history(double zero_doppler_time_s, double range_m) const override;
    double speed_m_s(double, double range_m) const override { return velocity_m_s_(range_m); }
    bool steady() const override { return true; }

private:
    VelocityProfile velocity_m_s_;
};

}  // namespace cornerturn

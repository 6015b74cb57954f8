// SPDX-License-Identifier: Apache-2.0
// Offset of an antenna that sways from its even reference track: the time at which the reference passes each pulse,
// and how much farther targets are from where the pulse was sent. Motion compensation removes it.
#pragma once

#include <vector>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/doppler_surface.h"
#include "pipeline/acquisition/ground/scene_height.h"
#include "pipeline/acquisition/track/track.h"

namespace cornerturn {

/// Of the angle between a direction and the plane across the flight; next to 1 where none has such a Doppler frequency.
double squint_sine(double doppler_hz, double wavelength_m, double speed_m_s);

class TrackOffset {
public:
    /// `centroid_hz`: along rows of the reference, over its times and slant ranges. A pulse of it stands beside each of
    /// the recorded ones, so that in mid swath targets are farther by as much in all directions about the beam's
    /// centre; by how much else at its edges is a filter of Doppler frequencies.
    TrackOffset(const Acquisition& flown, Orbit reference, SceneHeight height_m, DopplerSurface centroid_hz);

    const Orbit& reference() const { return reference_; }
    /// As it was recorded.
    const Acquisition& flown() const { return flown_; }
    /// The acquisition of pulses that are sent beside the recorded ones from the reference: with their times, its
    /// orbit, the widest band that the beam has along its rows, and known targets on these.
    const Acquisition& beside() const { return beside_; }
    const DopplerSurface& centroid_hz() const { return centroid_hz_; }
    const SceneHeight& height_m() const { return height_m_; }
    /// The antenna that flew beside the reference at a time of that, with what makes its velocity that of the
    /// reference.
    PulsePath flown_path(double time_s) const;
    /// When a pulse was sent.
    double flown_time_s(std::int64_t pulse) const { return flown_times_s_[static_cast<std::size_t>(pulse)]; }
    /// Both antennas at one moment.
    class Antennas {
    public:
        /// Of targets at a slant range from the reference and a Doppler frequency of it: one-way, in m.
        double farther_m(double range_m, double doppler_hz) const;

    private:
        friend class TrackOffset;
        const TrackOffset* offset_ = nullptr;
        double time_s_ = 0, speed_m_s_ = 0;  ///< of the reference
        StateVector reference_;              ///< halfway between transmission and reception of a pulse's middle
        Vec3 flown_m_{};                     ///< likewise
    };
    Antennas at_pulse(std::int64_t pulse) const;
    /// At a time of the reference between pulses.
    Antennas at_time(double time_s) const;
    /// Of what a pulse shows at a slant range and Doppler frequency as flown: the Doppler frequency of the reference.
    double along_rows_hz(std::int64_t pulse, double range_m, double doppler_hz) const;
    /// The greatest height above ground of the reference, about: targets are not closer.
    double lowest_range_m() const;
    /// How far the antenna is from the reference, of any pulse.
    double largest_distance_m() const;

private:
    double flown_time_at(double time_s) const;
    Antennas at(double time_s, double flown_time_s) const;
    double beside_s(double flown_time_s) const;
    double largest_stretch() const;

    Acquisition flown_;
    Orbit reference_;
    SceneHeight height_m_;
    DopplerSurface centroid_hz_;
    LookSide side_;
    double wavelength_m_, middle_range_m_, halfway_s_;
    Acquisition beside_;
    std::vector<double> flown_times_s_;  ///< of pulses
};

/// At times of the reference, beside which pulses left: what follows from zero Doppler is the reference's, the places
/// of pulses are those that were flown.
class TrackBeside final : public TrackOverRows {
public:
    TrackBeside(std::shared_ptr<const TrackOffset> offset, LookSide side, const SceneHeight& height_m)
        : TrackOverRows(offset->reference(), side, height_m), offset_(std::move(offset)) {}
    DelayHistory delay_history(double zero_doppler_time_s, double range_m) const override {
        return reference().delay_history(zero_doppler_time_s, range_m);
    }
    PulsePath pulse_path(double time_s) const override { return offset_->flown_path(time_s); }

private:
    std::shared_ptr<const TrackOffset> offset_;
};

}  // namespace cornerturn

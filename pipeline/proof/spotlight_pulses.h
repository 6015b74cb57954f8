// SPDX-License-Identifier: Apache-2.0
// The echo of a spotlight as phase histories hold it (NGA.STND.0068-1, simple phase model): each pulse over frequency,
// compensated to a point of the scene, with where the antenna was when it sent and when that point's echo came. Exact
// ways, in double precision: nothing stops and goes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/math/complex.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/proof/scene.h"

namespace cornerturn {

/// Times since the scene's epoch, of the pulse's middle.
struct SpotlightPulse {
    double sent_s = 0, received_s = 0;
    StateVector sender, receiver;
    Vec3 reference_m{};  ///< ECEF
};

class SpotlightPulses {
public:
    /// Throws InputError for a scene that does not validate, whose beam is held on no spot, that holds what phase
    /// histories do not (gaps of transmissions, phase errors), or a target beyond the window.
    explicit SpotlightPulses(const Scene& scene);
    ~SpotlightPulses();
    SpotlightPulses(SpotlightPulses&&) noexcept;

    const Scene& scene() const;
    /// Those that are recorded (scene.dither, scene.lost_lines).
    const std::vector<SpotlightPulse>& pulses() const;
    /// What it is about; when the beam's centre comes to y = 0 there (since the epoch), by how much later to each metre
    /// of y, and how long a place is seen.
    const SceneArea& area() const;
    double centre_time_s() const;
    double later_s_per_m() const;
    double dwell_s() const;
    /// With their places, and when they are seen (half an interval more at either end); amplitudes are the scene's own.
    const std::vector<PointTarget>& truth() const;

    /// Of all pulses: frequencies in equal steps about the carrier, and the delays about that of the point of reference
    /// that they tell apart, a quarter more than what the window holds.
    std::int64_t samples() const;
    double first_hz() const;
    double step_hz() const;
    double window_s() const;

    /// A target of amplitude a whose echo comes d after that of the point of reference adds a exp(-j 2 pi f d); noise
    /// is relative to an amplitude of 1 in a sample. `polarization`: which of the scene's. Several threads may call.
    void spectrum(std::size_t pulse, std::size_t polarization, std::span<Complex128> to) const;
    /// No part of a sample is larger: all amplitudes together, and four standard deviations of noise.
    double largest_part() const;

private:
    struct Model;
    std::unique_ptr<const Model> model_;
};

}  // namespace cornerturn

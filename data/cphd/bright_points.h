// SPDX-License-Identifier: Apache-2.0
// The brightest points of a spotlight, each brought to a focus, with the phases that are left of its pulses.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include "data/cphd/spectra.h"
#include "pipeline/acquisition/scene_plane.h"

namespace cornerturn::cphd {

/// A point where its echo is strongest, on the plane. One value for each of the pulses that were looked at.
struct FocusedPoint {
    double x_m = 0, y_m = 0;
    std::vector<std::complex<double>> values;            ///< of its echo, turned by the way to that place
    std::vector<double> place_in_aperture;               ///< by when the pulse was sent, -0.5 to 0.5
    std::vector<std::array<double, 2>> later_by_step_s;  ///< echoes of what lies 1 m along x, and along y
};

class BrightPoints {
public:
    /// Reads at most 1024 pulses all over the channel and 128 that follow each other, the middle 512 samples of their
    /// bands.
    BrightPoints(const Spectra& spectra, const std::vector<Pulse>& pulses, int sign, const ScenePlane& plane);

    double carrier_hz() const { return carrier_hz_; }
    /// Those all over the channel.
    std::vector<const Pulse*> pulses() const;
    /// At most 12. Places whose echo is lost on the way are left out.
    std::vector<FocusedPoint> focused() const;

private:
    struct Line {
        const Pulse* pulse = nullptr;
        double first_hz = 0;
        std::vector<Complex<float>> spectrum;
    };
    struct Place {
        double x_m = 0, y_m = 0;
    };
    /// What of an echo is off: by how much later it comes in the middle, and in how many cycles over the aperture.
    struct Off {
        double later_s = 0, cycles = 0;
    };
    Line read(const Pulse& pulse, int sign, Spectra::Work& work) const;
    double later_s(const Pulse& pulse, const Place& place) const;
    std::complex<double> value_at(const Line& line, double later_s) const;
    std::vector<Complex<float>> coarse_image(std::int64_t rows, std::int64_t columns) const;
    std::vector<Place> coarse_places() const;
    std::optional<Place> place_of(double arrival_s, double later_by_pulse_s) const;
    std::vector<const Line*> lines_within(std::size_t pulses) const;
    Off off_at(const std::vector<const Line*>& lines, const Place& place) const;
    bool moved(const std::vector<const Line*>& lines, const Off& off, Place& place) const;
    FocusedPoint seen_at(const Place& place) const;

    const Spectra& spectra_;
    const std::vector<Pulse>& pulses_;
    ScenePlane plane_;
    std::size_t first_of_block_ = 0;  ///< of its pulses among all
    std::vector<Line> block_, all_;
    std::int64_t bins_ = 0;
    double carrier_hz_ = 0;
};

}  // namespace cornerturn::cphd

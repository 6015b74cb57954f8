// SPDX-License-Identifier: Apache-2.0
// An echo with uneven pulses, interpolated to equal steps.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/math/complex.h"
#include "pipeline/acquisition/doppler/doppler.h"
#include "pipeline/echo/forwarded_echo.h"
#include "pipeline/echo/motion_compensation.h"
#include "pipeline/echo/pulse_phase.h"

namespace cornerturn {

/// Lines in equal steps from the first pulse to the last.
Acquisition evened(const Acquisition& raw);

/// Such lines, each the best linear unbiased estimate
/// (pulse_interpolation.h) from the sixteen pulses next to it that hold the sample: it undoes dither, and fills in what
/// single lost lines and transmissions took away. Where pulses are lost of which the others tell less than nine tenths
/// of the power, a gap is left: the more of the PRF the beam fills, the sooner. Samples come as complex64 with gain and
/// phases of their lines applied.
///
/// The band that is interpolated is the beam's, about the Doppler centroid of each range. Interpolation across lines
/// and compression along them can change places, so raw lines will do as long as the centroid hardly changes over the
/// length of a chirp. Where it does, the pulse's phase is taken off before and put on again behind (preset `radarsat`,
/// 4096 x 2048, 6 % of dither, 1 % of lines lost: the image is 44 dB like that of even pulses instead of 24). And as
/// long as Doppler frequencies hardly change over a chirp: those at a range frequency f are 1 + f / f0 times those of
/// the carrier f0, under squint by more than the PRF. Seen in range, targets walk. So lines are delayed for the way
/// that a target in mid-swath walks to the middle of the track, and moved back behind. With gaps within lines neither
/// can be, and the band is widened instead.
///
/// With an offset, lines are those of an antenna that flies along the reference track (motion_compensation.h), in equal
/// steps along it.
class UniformEcho final : public ForwardedEcho {
public:
    /// `centroid_hz` may be some per cent of the PRF off. The source must outlive it.
    UniformEcho(EchoSource& source, const DopplerSurface& centroid_hz, int threads = 0);
    /// A band so wide, in parts of the PRF, about the offset's centroid. Throws InputError where pulses do not pass the
    /// reference in their order, or lines have gaps within.
    UniformEcho(EchoSource& source, std::shared_ptr<const TrackOffset> offset, double band, int threads = 0);

    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override;

    /// Width of the band that is interpolated, in parts of the PRF.
    double band() const { return band_; }

    /// The pulses and weights of a sample.
    struct WeighedPulse {
        std::int64_t pulse = 0;
        std::complex<double> weight;
    };
    /// Those of a line at a slant range; none in a gap.
    std::vector<WeighedPulse> made_of(std::int64_t line, double range_m) const;
    /// By how much later a pulse is moved in range than this line is moved back.
    double delayed_s(std::int64_t pulse, std::int64_t line) const;
    /// What is known of lines with an offset.
    void tell(const CompensatedMotion& motion) { acquisition_.motion = motion; }
    void tell_centroid(const DopplerSurface& of_pixels_hz) { acquisition_.doppler_of_pixels_hz = of_pixels_hz; }
    void tell_centroid(double number_hz) { acquisition_.doppler_centroid_hz = number_hz; }
    /// nullptr without an offset.
    const MotionCompensation* compensation() const { return compensation_ ? &*compensation_ : nullptr; }

private:
    UniformEcho(EchoSource& source, const Acquisition& pulses, const DopplerSurface& centroid_hz,
                std::shared_ptr<const TrackOffset> offset, int threads);

    /// Samples of a line that are made of the same pulses; none in a gap.
    struct Stretch {
        Interval samples;
        std::vector<std::int64_t> pulses;
    };
    std::vector<Stretch> stretches(std::int64_t line) const;
    std::vector<std::int64_t> pulses_about(std::int64_t line, std::int32_t sample, std::int64_t first,
                                           std::int64_t end) const;
    bool holds(std::int64_t pulse, std::int32_t sample) const;
    void find_gaps();
    double beam_band() const;
    double beside_walk_hz() const;
    double delay_at(double time_s) const;
    double centroid_at_hz(std::int64_t line, double sample) const;
    void keep(std::int64_t first_pulse, std::int64_t end_pulse);
    void interpolate(std::int64_t line, Complex<float>* row) const;
    /// Calls add(first sample, how many, pulses, their weights) for the stretches of a line that hold some samples.
    template <class Add>
    void weigh(std::int64_t line, Interval samples, const Add& add) const;

    DopplerSurface centroid_hz_;
    int threads_;
    Acquisition raw_;                     // with times of pulses as they are interpolated between
    double band_ = 0, within_chirp_ = 0;  // of the PRF; the latter the change of the centroid
    double middle_s_ = 0, walk_hz_ = 0;   // lines are moved as at this Doppler frequency
    std::optional<PulsePhase> pulse_;     // to be taken off
    std::optional<MotionCompensation> compensation_;
    std::int64_t row_ = 0;              // samples of a line as it is interpolated
    std::int64_t doppler_stretch_ = 0;  // samples over which the centroid hardly changes
    std::int64_t kept_first_ = 0;       // pulses [kept_first_, kept_first_ + kept_.size() / row_) lie decoded in kept_
    std::vector<Complex<float>> kept_;
};

}  // namespace cornerturn

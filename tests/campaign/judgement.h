// SPDX-License-Identifier: Apache-2.0
// Whether an image of a simulated acquisition is right, judged by the simulator's geometry and the theory of the
// illuminated support; where the sampling of lines or rows cannot bear that theory, by exact back-projection.
#pragma once

#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/measure/point_theory.h"
#include "tests/campaign/drawn.h"
#include "tests/campaign/expected.h"

namespace cornerturn::campaign {

/// unjudged: no target could be measured, or it would take too long.
enum class Verdict { right, refused, wrong, unjudged };
inline constexpr Verdict every_verdict[] = {Verdict::right, Verdict::refused, Verdict::wrong, Verdict::unjudged};
std::string_view name_of(Verdict verdict);

/// The limits that the program promises.
struct Limits {
    double position_px = 0.005, phase_deg = 2, width_percent = 1;
};
inline constexpr Limits promised;

struct Judgement {
    std::string algorithm;  ///< asked for
    std::string device;
    Verdict verdict = Verdict::unjudged;
    std::string reason;                                        ///< of anything but right
    std::string chosen;                                        ///< the algorithm that formed the image
    std::string warned;                                        ///< what the program warned of, in one line
    std::string predicted;                                     ///< what the program predicted the image to be off by
    int judged = 0;                                            ///< targets
    double position_px = 0, phase_deg = 0, width_percent = 0;  ///< the largest errors
    double seconds = 0;                                        ///< of forming the image
};

/// An echo and what is known of it.
class Trial {
public:
    explicit Trial(const Drawn& drawn);
    const Scene& scene() const { return scene_; }
    /// By one algorithm with default options. Never throws: what is no refusal is wrong. Sums of more pulses of pixels
    /// on a CPU are left out: a core comes to some 3e7 a second.
    Judgement judge(const std::string& algorithm, Device& device, double most_operations = 3e8) const;

private:
    struct Allowance {
        double position_px = 0, phase_deg = 0, width_percent = 0;
    };
    Judgement formed(const std::string& algorithm, Device& device, double most_operations) const;
    void score(const Image& image, const Limits& limits, Device& device, Judgement& result) const;
    std::string difference_from_exact(const Image& image, std::size_t target, const Limits& limits,
                                      Device& device) const;
    Allowance allowance(std::size_t target, const Image& image, const ResponseSupport& support) const;
    /// What the track may make of a target's width, of theory for a straight one.
    Span widths(std::size_t target, const Image& image) const;

    Drawn drawn_;
    Scene scene_;
    Echo echo_;
    std::vector<bool> whole_;       ///< targets whose echo is recorded from end to end
    std::vector<double> aperture_;  ///< lines that see a target
    double scale_ = 1;              ///< of amplitudes as stored
};

}  // namespace cornerturn::campaign

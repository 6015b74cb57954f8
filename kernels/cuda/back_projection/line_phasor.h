// SPDX-License-Identifier: Apache-2.0
// What a line turns the pixels of a thread by, with its weight: found once, then stepped from pixel to pixel.
#pragma once

#include "kernels/cuda/back_projection/tilings.h"

namespace cornerturn {

/// The phasor of a thread's pixels, one after the other.
template <class Tiling>
struct LinePhasor {
    static constexpr bool curved = Tiling::along_phase == AlongPhase::curved, stepped = steps(Tiling::along_phase),
                          bends = Tiling::along_phase != AlongPhase::in_cells;
    static constexpr float middle_pixel = 0.5f * (Tiling::pixels - 1);

    float re, im, more_re, more_im, before_re, before_im, twice_cosine;
    float turn, more_cosine;  ///< at bends: by which the step grows, and what that adds to twice the cosine
    float growth;             ///< of the weight, at bends

    template <int Pixel, bool Grows>
    CT_HOST_DEVICE void step() {
        if constexpr (stepped) {
            constexpr bool bend = Pixel % Tiling::bend_every == Tiling::first_bend;
            // From the first one on, not bend by bend: rounding would add up.
            constexpr int bends_passed = (Pixel + Tiling::bend_every - 1 - Tiling::first_bend) / Tiling::bend_every;
            constexpr float passed = static_cast<float>(bends_passed) + (bend ? 0.5f : 0);
            const float cosine = curved ? passed * more_cosine + twice_cosine : twice_cosine;
            float next_re = cosine * re - before_re, next_im = cosine * im - before_im;
            if constexpr (bend && curved) {
                next_re -= turn * im;
                next_im += turn * re;
            }
            constexpr bool grows = bend && Grows;
            before_re = grows ? growth * re : re;
            before_im = grows ? growth * im : im;
            re = grows ? growth * next_re : next_re;
            im = grows ? growth * next_im : next_im;
        } else if constexpr (bends) {
            re += more_re;
            im += more_im;
        }
    }

    /// Of a small angle.
    CT_HOST_DEVICE static float twice_cosine_of(float angle) {
        const float square = angle * angle;
        return 2.0f - square * (1.0f + square * (square * (1.0f / 360) - 1.0f / 12));
    }
    /// Likewise.
    CT_HOST_DEVICE static float sine_of(float angle) {
        const float square = angle * angle;
        return angle * (1.0f - square * (1.0f / 6 - square * (1.0f / 120 - square * (1.0f / 5040))));
    }
    /// `angle` is that of the thread's middle. Where phase is stepped the weight is level from bend to bend.
    template <class Block>
    CT_HOST_DEVICE static LinePhasor of_line(const Block& block, float angle, float turn_step, float weight,
                                             float more_weight, float curve) {
        if constexpr (stepped) {
            // Where it is curved, the angle is a parabola about the thread's middle, taken as straight from bend to
            // bend: the parts are as long, touch it at bends and are moved by what they miss in the mean. The cosine of
            // the steps is straight enough.
            constexpr float every = Tiling::bend_every, bend = Tiling::first_bend - middle_pixel,
                            slope = bend - 0.5f * every,
                            offset = 0.5f * bend * bend - Tiling::first_bend * slope - (every * every - 1) / 12,
                            weight_place = bend - 0.5f * (every - 1);
            const float step = turn_step + slope * curve, first = angle - middle_pixel * turn_step + offset * curve,
                        turn = every * curve, square = turn_step * turn_step,
                        size = weight + weight_place * more_weight;
            // The pixel before the first is found from that: an error between the two would grow with every step.
            const float re = size * block.cosine(first), im = size * block.sine(first),
                        twice_cosine = twice_cosine_of(step), cosine = 0.5f * twice_cosine, sine = sine_of(step);
            return {re,
                    im,
                    0,
                    0,
                    re * cosine + im * sine,
                    im * cosine - re * sine,
                    twice_cosine,
                    turn * (1.0f - 0.5f * square),
                    -2.0f * turn * turn_step * (1.0f - square * (1.0f / 6)),
                    1.0f + block.quotient(every * more_weight, weight > 1e-3f ? weight : 1e-3f)};
        } else if constexpr (!bends) {
            return {block.cosine(angle), block.sine(angle), 0, 0, 0, 0, 0, 0, 0, 1};
        } else {
            const float cosine = block.cosine(angle), sine = block.sine(angle);
            const float more_re = more_weight * cosine - weight * turn_step * sine,
                        more_im = more_weight * sine + weight * turn_step * cosine;
            return {weight * cosine - middle_pixel * more_re,
                    weight * sine - middle_pixel * more_im,
                    more_re,
                    more_im,
                    0,
                    0,
                    0,
                    0,
                    0,
                    1};
        }
    }
};

}  // namespace cornerturn

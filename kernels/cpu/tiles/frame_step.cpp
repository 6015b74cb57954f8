// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/tiles/frame_step.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numbers>
#include <stdexcept>

#include "kernels/host/lanes.h"
#include "kernels/host/vector_clones.h"

namespace cornerturn {
namespace {

/// A polynomial in single precision at the places across of a vector, where it is one in y and height.
template <int Count, bool Hills>
class PolynomialAlong {
    using Floats = typename Lanes<Count>::Floats;
    static constexpr std::size_t in_y = TilePolynomial::in_y, heights = Hills ? TilePolynomial::in_height : 1;

    float per_y_, per_height_;
    double most_off_middle_ = 0;
    Floats of_[in_y][heights] = {};

public:
    CT_HOST_DEVICE PolynomialAlong(const TilePolynomial& p, const Floats& x)
        : per_y_(static_cast<float>(p.per_y)), per_height_(static_cast<float>(p.per_height)) {
        const Floats u = x * static_cast<float>(p.per_x);
        for (std::size_t i = TilePolynomial::in_x; i-- > 0;)
            for (std::size_t k = 0; k < in_y; ++k)
                for (std::size_t h = 0; h < heights; ++h) {
                    of_[k][h] = of_[k][h] * u + static_cast<float>(p.of[i][k][h]);
                    if (k + h > 0) most_off_middle_ += std::fabs(p.of[i][k][h]);
                }
    }

    /// At no height and in the middle along the tile; and how much it is off that at most, or more.
    CT_HOST_DEVICE const Floats& middle() const { return of_[0][0]; }
    CT_HOST_DEVICE double most_off_middle() const { return most_off_middle_; }

    CT_HOST_DEVICE Floats at(const Floats& y, const double* height_m) const {
        return middle() + off_middle(y, height_m);
    }
    CT_HOST_DEVICE Floats off_middle(const Floats& y, const double* height_m) const {
        const Floats v = y * per_y_;
        Floats sum{};
        if constexpr (Hills) {
            alignas(Floats) float height[Count];
            for (int lane = 0; lane < Count; ++lane) height[lane] = static_cast<float>(height_m[lane]);
            const Floats w = Lanes<Count>::load(height) * per_height_;
            for (std::size_t k = in_y; k-- > 1;) sum = (sum + (of_[k][0] + w * (of_[k][1] + w * of_[k][2]))) * v;
            sum += w * (of_[0][1] + w * of_[0][2]);
        } else {
            sum = of_[in_y - 1][0];
            for (std::size_t k = in_y - 1; k-- > 1;) sum = sum * v + of_[k][0];
            sum *= v;
        }
        return sum;
    }
};

template <int Count, bool Hills>
class FrameSteps {
    using L = Lanes<Count>;
    using Floats = typename L::Floats;
    using Ints = typename L::Ints;
    static constexpr float two_pi = 2 * std::numbers::pi_v<float>;

    const TilePixels& pixels_;
    const TileLayout& layout_;
    const FrameStep& step_;

public:
    CT_HOST_DEVICE FrameSteps(const TilePixels& pixels, const TileLayout& layout, const FrameStep& step)
        : pixels_(pixels), layout_(layout), step_(step) {}

    CT_HOST_DEVICE BentExtremes make() const {
        Floats least = L::all(INFINITY), most = -least;
        const bool turns = step_.turn.most() != 0;
        for (int strip = 0; strip < layout_.strips; ++strip) {
            const Floats x = L::load(pixels_.x + layout_.first_of(0, strip));
            const PolynomialAlong<Count, Hills> cycles(step_.turn, x), bend(step_.bend, x);
            const typename L::Turn middle = turn(cycles.middle());
            const bool turns_little = two_pi * cycles.most_off_middle() < L::little;
            for (int group = 0; group < layout_.groups; ++group) {
                for (int vector = 0; vector < vectors_at_a_time; ++vector) {
                    const int first = layout_.first_of(group, strip, vector);
                    const Floats y = L::load(pixels_.y + first);
                    const double* const height_m = pixels_.height_m + first;
                    if (turns && turns_little)
                        store(L::turned(L::turned(sums(first), middle), L::little_turn(cycles.off_middle(y, height_m))),
                              first);
                    else if (turns)
                        store(L::turned(sums(first), turn(cycles.at(y, height_m))), first);
                    Floats bent = bend.at(y, height_m);
                    if (step_.bends == CellBends::along) bent += y;
                    L::store(bent, step_.bent + first);
                    least = L::least(least, bent);
                    most = L::most(most, bent);
                }
                find_extremes(layout_.first_of(group, strip));
            }
        }
        BentExtremes all{least[0], most[0]};
        for (int lane = 1; lane < Count; ++lane)
            all = {std::min(all.least, least[lane]), std::max(all.most, most[lane])};
        return all;
    }

private:
    CT_HOST_DEVICE typename L::Turn turn(const Floats& cycles) const {
        return step_.turn.most() <= 0.25 ? L::turn_by_a_quarter_at_most(cycles) : L::turn(cycles);
    }
    CT_HOST_DEVICE typename L::Phasors sums(int first) const {
        return {L::load(step_.re + first), L::load(step_.im + first)};
    }
    CT_HOST_DEVICE void store(const typename L::Phasors& sums, int first) const {
        L::store(sums.re, step_.re + first);
        L::store(sums.im, step_.im + first);
    }

    /// Of each vector of a group at once.
    CT_HOST_DEVICE void find_extremes(int first) const {
        Floats least[vectors_at_a_time], most[vectors_at_a_time];
        for (int k = 0; k < vectors_at_a_time; ++k) least[k] = most[k] = L::load(step_.bent + first + k * Count);
        fold<Count, vectors_at_a_time>(
            least, [](const Floats& a, const Floats& b) __attribute__((always_inline)) { return L::least(a, b); });
        fold<Count, vectors_at_a_time>(
            most, [](const Floats& a, const Floats& b) __attribute__((always_inline)) { return L::most(a, b); });
        std::memcpy(step_.least + first / Count, least, vectors_at_a_time * sizeof(float));
        std::memcpy(step_.most + first / Count, most, vectors_at_a_time * sizeof(float));
    }
    /// One number of each vector, in their order: both halves of runs of lanes become one, those of two vectors lie in
    /// one then.
    template <int Run, int Vectors, class Of>
    CT_HOST_DEVICE static void fold(Floats* vectors, const Of& of) {
        if constexpr (Run > 1) {
            constexpr int half = Run / 2;
            Ints low{};
            for (int lane = 0; lane < Count; ++lane) low[lane] = lane / half * Run + lane % half;
            for (int k = 0; k < std::max(Vectors / 2, 1); ++k) {
                const Floats &first = vectors[2 * k], &second = vectors[Vectors > 1 ? 2 * k + 1 : 0];
                vectors[k] = of(shuffled(first, second, low), shuffled(first, second, low + half));
            }
            fold<half, std::max(Vectors / 2, 1)>(vectors, of);
        }
    }
};

template <int Count>
CT_HOST_DEVICE BentExtremes make_step(const TilePixels& pixels, const TileLayout& layout, const FrameStep& step) {
    if (step.bend.per_height != 0) return FrameSteps<Count, true>(pixels, layout, step).make();
    return FrameSteps<Count, false>(pixels, layout, step).make();
}

CT_FOR_16_LANES BentExtremes step_16(const TilePixels& pixels, const TileLayout& layout, const FrameStep& step) {
    return make_step<16>(pixels, layout, step);
}
CT_FOR_8_LANES BentExtremes step_8(const TilePixels& pixels, const TileLayout& layout, const FrameStep& step) {
    return make_step<8>(pixels, layout, step);
}
BentExtremes step_4(const TilePixels& pixels, const TileLayout& layout, const FrameStep& step) {
    return make_step<4>(pixels, layout, step);
}

}  // namespace

TilePolynomial bend_of(TilePolynomial frame, CellBends bends, const TileLine& middle, double cells_per_cycle) {
    frame.of[1][0][0] -= middle.cycles.x / frame.per_x;
    frame.of[0][1][0] -= middle.cycles.y / frame.per_y;
    return frame *= cells_per_cycle / (bends == CellBends::along ? middle.cell_y : 1);
}

StepFrame frame_stepper(int lanes) {
    if (lanes == 16) return step_16;
    if (lanes == 8) return step_8;
    if (lanes == 4) return step_4;
    throw std::logic_error("vectors of back-projection have 4, 8 or 16 lanes");
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "data/sentinel1/ephemeris.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "data/files/orbit_check.h"
#include "pipeline/acquisition/fits/surface_fit.h"

namespace cornerturn::sentinel1 {
namespace {

/// Words of a vector: three doubles of position, three floats of velocity, then its time.
constexpr std::size_t vector_words = 22;

class Words {
public:
    /// Whether all words of a vector have come one after the other with this one.
    bool take(const Packet& packet) {
        const bool repeated = count_ > 0 && count_ <= vector_words && packet.data_index == count_ &&
                              packet.data_word == words_[count_ - 1];
        if (repeated) return false;
        if (packet.data_index == 1) count_ = 0;
        if (packet.data_index != count_ + 1 || count_ >= vector_words) {
            if (packet.data_index != 1) count_ = vector_words + 1;  // until the next begins
            return false;
        }
        words_[count_++] = packet.data_word;
        return count_ == vector_words;
    }
    double real64(std::size_t word) const { return std::bit_cast<double>(bits(word, 4)); }
    double real32(std::size_t word) const {
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits(word, 2))));
    }
    /// Behind a byte that is not used: whole seconds in four bytes, parts of them in three.
    double time_s(double epoch_s) const {
        const std::uint64_t all = bits(18, 4);
        return static_cast<double>(all >> 24 & 0xffffffff) - epoch_s + static_cast<double>(all & 0xffffff) / (1 << 24);
    }

private:
    std::uint64_t bits(std::size_t word, std::size_t count) const {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < count; ++i) value = value << 16 | words_[word + i];
        return value;
    }
    std::array<std::uint16_t, vector_words> words_{};
    std::size_t count_ = vector_words + 1;
};

/// The path through the positions of an orbit near a time.
class PathNear {
public:
    PathNear(const Orbit& orbit, double time_s, double span_s) {
        std::vector<std::size_t> near;
        for (std::size_t i = 0; i < orbit.time_s.size(); ++i)
            if (std::fabs(orbit.time_s[i] - time_s) <= span_s) near.push_back(i);
        const SmoothSurface frame{
            .x_centre = 0.5 * (orbit.time_s[near.front()] + orbit.time_s[near.back()]),
            .x_half = std::max(0.5 * (orbit.time_s[near.back()] - orbit.time_s[near.front()]), 0.5)};
        const int degree = static_cast<int>(std::min<std::size_t>(near.size() - 1, 4));
        half_s_ = frame.x_half;
        origin_m_ = orbit.position_m[near.front()];
        double squares_m2 = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            std::vector<SurfacePoint> points;
            for (const std::size_t i : near)
                points.push_back({.x = orbit.time_s[i], .value = orbit.position_m[i][axis] - origin_m_[axis]});
            along_[axis] = fit_surface(frame, powers_up_to(degree, 0), points);
            for (const SurfacePoint& point : points) {
                const double off_m = along_[axis](point.x, 0) - point.value;
                squares_m2 += off_m * off_m;
            }
        }
        const auto spare = static_cast<double>(near.size()) - 1 - degree;
        if (spare > 1) error_m_ = std::sqrt(squares_m2 / spare);
    }
    StateVector at(double time_s) const {
        constexpr double apart_s = 0.01;
        StateVector at;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            at.position_m[axis] = origin_m_[axis] + along_[axis](time_s, 0);
            at.velocity_m_s[axis] =
                (along_[axis](time_s + apart_s, 0) - along_[axis](time_s - apart_s, 0)) / (2 * apart_s);
        }
        return at;
    }
    /// Of velocities, by how far positions lie off the path; infinite where these are too few to tell.
    double velocity_error_m_s() const {
        constexpr double at_an_end = 5;  // of a polynomial of fourth degree, in the middle it is 1
        return at_an_end * error_m_ / half_s_;
    }

private:
    Vec3 origin_m_{};
    std::array<SmoothSurface, 3> along_;
    double half_s_ = 0, error_m_ = INFINITY;
};

/// Velocities are told to 0.5 mm/s, which between two vectors is a degree of phase. Positions on a smooth path tell
/// them better.
void refine_velocities(Orbit& orbit) {
    constexpr double span_s = 6, rounded_m_s = 2.5e-4, better_m_s = 0.2 * rounded_m_s;
    for (std::size_t i = 0; i < orbit.time_s.size(); ++i) {
        const PathNear path(orbit, orbit.time_s[i], span_s);
        const Vec3 velocity_m_s = path.at(orbit.time_s[i]).velocity_m_s;
        bool agree = path.velocity_error_m_s() < better_m_s;
        for (std::size_t axis = 0; axis < 3; ++axis)
            agree = agree && std::fabs(velocity_m_s[axis] - orbit.velocity_m_s[i][axis]) < rounded_m_s + better_m_s;
        if (agree) orbit.velocity_m_s[i] = velocity_m_s;
    }
}

bool possible(const StateVector& vector) {
    const auto size = [](const Vec3& v) { return std::hypot(v[0], v[1], v[2]); };
    return size(vector.position_m) > 6.4e6 && size(vector.position_m) < 1e7 && size(vector.velocity_m_s) > 1e3 &&
           size(vector.velocity_m_s) < 1e4;
}

/// Less those that are on one path with none of their neighbours: a damaged word is enough.
Orbit without_false(const Orbit& found) {
    const std::size_t count = found.time_s.size();
    if (count < 3) return found;
    Orbit kept;
    for (std::size_t i = 0; i < count; ++i) {
        const bool before = i > 0 && on_one_path(found, i - 1, i),
                   behind = i + 1 < count && on_one_path(found, i, i + 1);
        if (!before && !behind) continue;
        kept.add(found.time_s[i], found.vector(i));
    }
    return kept;
}

/// As they come, in the order of the packets.
Orbit vectors_of(const std::vector<Packet>& packets, double epoch_s) {
    Orbit found;
    Words words;
    for (const Packet& packet : packets) {
        if (!words.take(packet)) continue;
        StateVector vector;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            vector.position_m[axis] = words.real64(4 * axis);
            vector.velocity_m_s[axis] = words.real32(12 + 2 * axis);
        }
        const double time_s = words.time_s(epoch_s);
        constexpr double oldest_s = 100, nearest_s = 0.01;  // to the packet's own time, and to the vector before
        if (!possible(vector) || !(std::fabs(time_s - (packet.stamp_s - epoch_s)) < oldest_s) ||
            (!found.time_s.empty() && !(time_s > found.time_s.back() + nearest_s)))
            continue;
        found.add(time_s, vector);
    }
    return without_false(found);
}

}  // namespace

std::optional<Orbit> orbit_of(const std::vector<Packet>& packets, double epoch_s) {
    Orbit found = vectors_of(packets, epoch_s);
    // Words of a vector are those of packets that follow one another. A damaged stamp is no other order.
    const auto earlier = [](const Packet& a, const Packet& b) { return a.stamp_s < b.stamp_s; };
    if (!std::is_sorted(packets.begin(), packets.end(), earlier)) {
        std::vector<Packet> by_time = packets;
        std::stable_sort(by_time.begin(), by_time.end(), earlier);
        Orbit other = vectors_of(by_time, epoch_s);
        if (other.time_s.size() > found.time_s.size()) found = std::move(other);
    }
    if (found.time_s.size() < 2) return std::nullopt;
    refine_velocities(found);
    // Where some are lost, steps are not equal; between their neighbours Hermite's polynomial is as good as they are.
    double step_s = INFINITY;
    for (std::size_t i = 1; i < found.time_s.size(); ++i)
        step_s = std::min(step_s, found.time_s[i] - found.time_s[i - 1]);
    const auto count = std::llround((found.time_s.back() - found.time_s.front()) / step_s);
    if (count + 1 == std::ssize(found.time_s)) return found;
    Orbit even;
    for (std::int64_t i = 0; i <= count; ++i) {
        const double time_s = found.time_s.front() + static_cast<double>(i) *
                                                         (found.time_s.back() - found.time_s.front()) /
                                                         static_cast<double>(count);
        even.add(time_s, interpolate(found, time_s));
    }
    return even;
}

Orbit extended(const Orbit& orbit, double from_s, double to_s) {
    const double first_s = orbit.time_s.front(), last_s = orbit.time_s.back(), step_s = orbit.time_s[1] - first_s;
    const auto steps = [&](double outside_s) { return std::max(0L, std::lround(std::ceil(outside_s / step_s))); };
    constexpr double span_s = 12;
    const PathNear before(orbit, first_s, span_s), behind(orbit, last_s, span_s);
    Orbit longer;
    const auto extend = [&](const PathNear& path, double time_s) { longer.add(time_s, path.at(time_s)); };
    for (long i = steps(first_s - from_s); i > 0; --i) extend(before, first_s - static_cast<double>(i) * step_s);
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(longer.time_s, orbit.time_s);
    append(longer.position_m, orbit.position_m);
    append(longer.velocity_m_s, orbit.velocity_m_s);
    for (long i = 1; i <= steps(to_s - last_s); ++i) extend(behind, last_s + static_cast<double>(i) * step_s);
    return longer;
}

}  // namespace cornerturn::sentinel1

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ranks/settled_plan.h"

#include <algorithm>
#include <type_traits>

#include "pipeline/ranks/plain_data.h"

namespace cornerturn {
namespace {

PlainWriter& operator<<(PlainWriter& to, const DopplerEstimate& e) {
    return to << e.baseband_hz << e.absolute_hz << e.absolute_error_hz << e.cells << e.walk_hz << e.walk_error_hz
              << e.whole_beam;
}
PlainReader& operator>>(PlainReader& from, DopplerEstimate& e) {
    return from >> e.baseband_hz >> e.absolute_hz >> e.absolute_error_hz >> e.cells >> e.walk_hz >> e.walk_error_hz >>
           e.whole_beam;
}

/// FNV-1a (Fowler, Noll, Vo) over numbers only: structures have unused bytes between theirs.
class Digest {
public:
    template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) Digest& operator<<(T value) {
        std::byte bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        for (const std::byte byte : bytes) sum_ = (sum_ ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
        return *this;
    }
    template <class T>
    Digest& operator<<(const std::vector<T>& values) {
        *this << values.size();
        for (const T& value : values) *this << value;
        return *this;
    }
    Digest& operator<<(const std::string& text) { return *this << std::vector<char>(text.begin(), text.end()); }
    Digest& operator<<(Interval i) { return *this << i.first << i.last; }
    Digest& operator<<(const AzimuthBlock& b) {
        return *this << b.first_row << b.rows << b.first_line << b.lines << b.at_edge;
    }
    Digest& operator<<(const DopplerSurface& s) {
        *this << s.x_centre << s.x_half << s.y_centre << s.y_half << s.nadir_m;
        for (const auto& row : s.powers)
            for (const double power : row) *this << power;
        return *this;
    }
    Digest& operator<<(const ImagePlan& p) {
        const ImageGrid& g = p.grid;
        *this << g.rows << g.columns << g.first_time_s << g.time_spacing_s << g.near_range_m << g.range_spacing_m;
        *this << p.parameters.doppler_centroid_hz << p.parameters.azimuth_bandwidth_hz << velocities_m_s(p)
              << p.coverage.beam_rows << p.coverage.valid.intervals;
        *this << p.reach.range_samples << p.reach.azimuth_lines << p.fades.azimuth_fade_hz << p.fades.pulse_fade_hz
              << p.fades.pulse_reach_hz << p.lines.before << p.lines.behind << p.lines.per_row << p.lines.beyond_echo;
        *this << p.least.range << p.least.azimuth << p.swath.nearest_m << p.swath.farthest_m << p.aperture.lines;
        if (p.map) *this << p.map->grid.rows << p.map->grid.columns << p.map->grid.first_x << p.map->grid.first_y;
        return *this;
    }
    std::uint64_t sum() const { return sum_; }

private:
    std::uint64_t sum_ = 0xcbf29ce484222325;
};

}  // namespace

std::vector<std::byte> as_bytes(const SettledPlan& plan) {
    PlainWriter to;
    to << plan.block_rows << plan.part_pulses << plan.rows_there << plan.chain << plan.devices << plan.digest;
    return to.take();
}

SettledPlan settled_plan(std::span<const std::byte> bytes) {
    SettledPlan plan;
    PlainReader(bytes) >> plan.block_rows >> plan.part_pulses >> plan.rows_there >> plan.chain >> plan.devices >>
        plan.digest;
    return plan;
}

std::vector<std::byte> as_bytes(const DataEstimates& estimates) {
    PlainWriter to;
    to << estimates.doppler.has_value();
    if (estimates.doppler) to << *estimates.doppler;
    to << estimates.velocity;
    return to.take();
}

DataEstimates data_estimates(std::span<const std::byte> bytes) {
    DataEstimates estimates;
    PlainReader from(bytes);
    bool doppler = false;
    from >> doppler;
    if (doppler) from >> estimates.doppler.emplace();
    from >> estimates.velocity;
    return estimates;
}

std::uint64_t digest_of(std::span<const FocusSetup> setups) {
    Digest digest;
    for (const FocusSetup& setup : setups) {
        digest << setup.algorithm << setup.doppler.centroid_hz << setup.doppler.surface_hz << setup.image
               << setup.memory.blocks << setup.memory.slabs;
        const LoweringReport& lowering = setup.memory.lowering;
        digest << lowering.chain << lowering.fft_lengths.range << lowering.fft_lengths.azimuth;
    }
    return digest.sum();
}

std::vector<std::int64_t> shared_block_rows(std::span<const FocusSetup> setups, int ranks) {
    const auto overlap_of = [](const ImagePlan& image) {
        return image.map ? 0 : image.lines.overlap();  // on a map any block needs all lines
    };
    const auto rows_in = [&](const FocusSetup& setup, std::int64_t cuts) {
        if (are_added_up(setup.memory.blocks)) return setup.image.grid.rows;  // which all parts have
        const std::int64_t fewest =
            std::max<std::int64_t>(64, overlap_of(setup.image) / 4);  // as where memory is short
        const std::int64_t rows = (setup.image.grid.rows + cuts - 1) / cuts;
        return std::min(setup.memory.blocks.front().rows, std::max(rows, fewest));
    };
    const auto cost_of = [&](std::int64_t cuts) {
        std::int64_t blocks = 0, largest = 0;
        for (const FocusSetup& setup : setups) {
            const std::int64_t rows = rows_in(setup, cuts);
            blocks += (setup.image.grid.rows + rows - 1) / rows;
            largest = std::max(largest, rows + overlap_of(setup.image));
        }
        return (blocks + ranks - 1) / ranks * largest;
    };
    std::int64_t best = 1, most = 4 * ranks;
    for (const FocusSetup& setup : setups) most = std::max(most, std::ssize(setup.memory.blocks) + 4 * ranks);
    for (std::int64_t cuts = 2; cuts <= most; ++cuts)
        if (cost_of(cuts) < cost_of(best)) best = cuts;
    std::vector<std::int64_t> rows;
    for (const FocusSetup& setup : setups) rows.push_back(rows_in(setup, best));
    return rows;
}

}  // namespace cornerturn

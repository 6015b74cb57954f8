// SPDX-License-Identifier: Apache-2.0
#include "pipeline/estimate/image_doppler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "kernels/host/line_fft.h"
#include "kernels/math/frequency.h"
#include "pipeline/estimate/line_doppler.h"
#include "pipeline/formers/azimuth_filter.h"

namespace cornerturn {
namespace {

/// A stretch of rows and columns.
struct Tile {
    std::int64_t top, bottom, left, right;
    std::int64_t number;  ///< from the top
    std::int64_t rows() const { return bottom - top; }
    std::int64_t columns() const { return right - left; }
};

/// Of all pixels of a tile.
struct TileSums {
    std::complex<double> lag1 = 0;
    double power = 0, floor = 0;  ///< of it, of what is there at all frequencies
    std::int64_t pixels = 0;
    double far_products = 0;  ///< of the powers of pixels that are several resolution cells apart in azimuth
    std::int64_t far_pairs = 0;

    /// As many pixels of equal power would let speckle err as much: what a target's own pixels say is one answer
    /// without error, and it is neighbours that disturb each other.
    double speckle_pairs() const {
        if (!(far_products > 0)) return static_cast<double>(pixels);
        const double mean = power / static_cast<double>(pixels);
        return static_cast<double>(pixels) * mean * mean / (far_products / static_cast<double>(far_pairs));
    }
};

constexpr std::int64_t far_rows = 12;

/// The longest run of rows that the echo covers fully in all of these columns.
Interval covered_rows(const Image& image, std::int64_t left, std::int64_t right) {
    Interval longest{0, 0}, run{0, 0};
    for (std::int64_t row = 0; row < image.grid.rows; ++row) {
        const auto first = image.valid_columns.begin() + row * image.intervals_per_row;
        const bool covered = std::any_of(first, first + image.intervals_per_row,
                                         [&](const Interval& i) { return left >= i.first && right <= i.last; });
        const auto end = static_cast<std::int32_t>(row + 1);
        run = covered ? Interval{run.first, end} : Interval{end, end};
        if (run.last - run.first > longest.last - longest.first) longest = run;
    }
    return longest;
}

/// Up to 8 x 16 tiles of what is covered fully.
std::vector<Tile> tiles_of(const Image& image) {
    constexpr std::int64_t most_down = 8, most_across = 16, fewest_rows = 64, fewest_columns = 32, least_rows = 16;
    std::int64_t columns = 0;
    for (const Interval& interval : image.valid_columns) columns = std::max<std::int64_t>(columns, interval.last);
    const std::int64_t across = std::clamp<std::int64_t>(columns / fewest_columns, 1, most_across);
    std::vector<Tile> tiles;
    for (std::int64_t k = 0; k < across; ++k) {
        const std::int64_t left = k * columns / across, right = (k + 1) * columns / across;
        const Interval covered = covered_rows(image, left, right);
        const std::int64_t rows = covered.last - covered.first,
                           down = std::clamp<std::int64_t>(rows / fewest_rows, 1, most_down);
        if (rows < least_rows) continue;
        for (std::int64_t i = 0; i < down; ++i)
            tiles.push_back(
                {covered.first + i * (rows / down), covered.first + (i + 1) * (rows / down), left, right, i});
    }
    return tiles;
}

/// Azimuth spectra of a tile's columns, without what the azimuth filter made of them: noise that has been through it is
/// not white, and would pull the centroid to where the band was cut. Where the filter took away too much, and where a
/// receiver's offset stands out at 0, it is as on either side.
class TileSpectrum {
public:
    TileSpectrum(const SmallImage& focused, std::int64_t rows) : rows_(rows), power_(static_cast<std::size_t>(rows)) {
        constexpr double least = 0.5;
        const ImagePlan& plan = focused.setup.image;
        const double prf_hz = focused.image.acquisition.prf_hz, centroid_hz = plan.parameters.doppler_centroid_hz;
        for (std::int64_t bin = 0; bin < rows; ++bin) {
            const double off_hz = azimuth_frequency_hz(bin, rows, prf_hz, centroid_hz) - centroid_hz,
                         window = azimuth_window(plan, prf_hz, off_hz);
            gain_.push_back(window > least ? 1 / (window * window) : 0.0);
        }
    }

    void add(const LineFft<float>& forward, Complex<float>* column) {
        forward(column);
        for (std::int64_t bin = 0; bin < rows_; ++bin) {
            const Complex<double> value = complex_cast<double>(column[bin]);
            power_[static_cast<std::size_t>(bin)] +=
                gain_[static_cast<std::size_t>(bin)] * (value.re * value.re + value.im * value.im);
        }
    }

    /// Power and, as its first moment, the lag-1 correlation.
    void sums(TileSums& sums) {
        std::vector<bool> told;
        for (const double gain : gain_) told.push_back(gain > 0);
        fill(told);
        leave_out_offset();
        double floor = std::numeric_limits<double>::infinity();
        const std::int64_t reach = std::max<std::int64_t>(1, rows_ / 32);
        for (std::int64_t bin = 0; bin < rows_; ++bin) {
            sums.power += power_[index(bin)];
            sums.lag1 += std::polar(power_[index(bin)],
                                    2 * std::numbers::pi * static_cast<double>(bin) / static_cast<double>(rows_));
            floor = std::min(floor, mean_about(bin, reach));
        }
        sums.floor = floor;
        sums.power /= static_cast<double>(rows_);
        sums.lag1 /= static_cast<double>(rows_);
    }

private:
    std::size_t index(std::int64_t bin) const { return static_cast<std::size_t>((bin + rows_) % rows_); }

    double mean_about(std::int64_t bin, std::int64_t reach) const {
        double sum = 0;
        for (std::int64_t k = -reach; k <= reach; ++k) sum += power_[index(bin + k)];
        return sum / static_cast<double>(2 * reach + 1);
    }

    /// A receiver's offset, modulated by its gain control, stands out about frequency 0.
    void leave_out_offset() {
        constexpr double half_width = 0.1, middle = 0.02, standing_out = 1.5;  // in parts of the PRF
        const auto bins = [&](double part) { return static_cast<std::int64_t>(part * static_cast<double>(rows_)); };
        const std::int64_t reach = bins(half_width);
        const double beside = std::max(mean_about(-reach - 3, 1), mean_about(reach + 3, 1));
        if (!(mean_about(0, bins(middle)) > standing_out * beside)) return;
        std::vector<bool> told(power_.size(), true);
        for (std::int64_t bin = -reach; bin <= reach; ++bin) told[index(bin)] = false;
        fill(told);
    }

    /// Each bin that is not told by the mean of the next three on either side that are.
    void fill(const std::vector<bool>& told) {
        constexpr int wanted = 3;
        const std::vector<double> from = power_;
        for (std::int64_t bin = 0; bin < rows_; ++bin) {
            if (told[index(bin)]) continue;
            double sum = 0;
            for (const std::int64_t step : {-1, 1})
                for (std::int64_t found = 0, k = 1; found < wanted && k < rows_; ++k)
                    if (told[index(bin + step * k + 2 * rows_)])
                        sum += from[index(bin + step * k + 2 * rows_)], ++found;
            power_[index(bin)] = sum / (2 * wanted);
        }
    }

    std::int64_t rows_;
    std::vector<double> power_, gain_;
};

TileSums sums_of(const SmallImage& focused, const Tile& tile, const LineFft<float>& forward, Complex<float>* buffer) {
    const Image& image = focused.image;
    TileSums sums;
    TileSpectrum spectrum(focused, tile.rows());
    for (std::int64_t column = tile.left; column < tile.right; ++column) {
        const std::complex<float>* first = image.samples.data() + tile.top * image.grid.columns + column;
        const auto pixel = [&](std::int64_t row) { return first[row * image.grid.columns]; };
        for (std::int64_t row = 0; row + far_rows < tile.rows(); ++row) {
            sums.far_products +=
                std::norm(std::complex<double>(pixel(row))) * std::norm(std::complex<double>(pixel(row + far_rows)));
            ++sums.far_pairs;
        }
        for (std::int64_t row = 0; row < tile.rows(); ++row) buffer[row] = {pixel(row).real(), pixel(row).imag()};
        spectrum.add(forward, buffer);
        sums.pixels += tile.rows();
    }
    spectrum.sums(sums);
    return sums;
}

/// What sidelobes of brighter tiles may amount to. Far ones have the phase of whatever the beam's edges make of it (the
/// lag-1 correlation of sin(pi b n) / n turns its sign where b is above half), and under squint those in range are
/// skewed, so that a tile holds a part of the beam only.
double leaked_power(const std::vector<Tile>& tiles, const std::vector<TileSums>& sums, std::size_t tile) {
    constexpr double share = 0.12, nearest = 4;  // twice 1 / (2 pi^2 b) of the energy beyond each of so many pixels
    constexpr double as_bright = 2;
    const Tile& own = tiles[tile];
    const double own_density = sums[tile].power / static_cast<double>(sums[tile].pixels);
    double power = 0;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const Tile& other = tiles[i];
        const double excess = sums[i].power - as_bright * own_density * static_cast<double>(sums[i].pixels);
        if (!(excess > 0)) continue;
        const std::int64_t between = std::max({std::int64_t{0}, other.top - own.bottom, own.top - other.bottom,
                                               other.left - own.right, own.left - other.right});
        power += share * excess / (nearest + static_cast<double>(between));
    }
    return power;
}

/// What else an echo holds that no two looks at a place would share, as a part of its power: a little of all, and more
/// of the floor of noise, which is not quite even, and of pixels that lines at the edges do not see with the whole PRF
/// lacks a part.
constexpr double foreign_part = 0.005, foreign_part_of_floor = 0.03, foreign_part_of_cut_floor = 0.2;

}  // namespace

std::vector<DopplerCell> cells_of_image(const SmallImage& focused) {
    const Image& image = focused.image;
    const ImageGrid& grid = image.grid;
    const ViewingGeometry& geometry = *focused.setup.image.geometry;
    const Acquisition& acquisition = image.acquisition;
    if (image.valid_columns.empty()) return {};
    const double prf_hz = acquisition.prf_hz,
                 independent = std::min(1.0, acquisition.chirp.bandwidth_hz() / acquisition.sample_rate_hz());
    const std::vector<Tile> tiles = tiles_of(image);
    std::vector<TileSums> sums_of_tiles;
    std::map<std::int64_t, LineFft<float>> forward;  // by length
    LineBuffer<float> buffer(grid.rows);
    for (const Tile& tile : tiles) {
        const auto& plan = forward.try_emplace(tile.rows(), tile.rows(), FftDirection::forward).first->second;
        sums_of_tiles.push_back(sums_of(focused, tile, plan, buffer.data()));
    }
    std::vector<DopplerCell> cells;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const Tile& tile = tiles[i];
        const TileSums& sums = sums_of_tiles[i];
        const double time_s = grid.time_s(0.5 * static_cast<double>(tile.top + tile.bottom - 1)),
                     range_m = grid.range_m(0.5 * static_cast<double>(tile.left + tile.right - 1));
        const double offset_s = geometry.beam_centre(time_s, range_m).time_s;
        const double slant_m = 0.5 * speed_of_light_m_s * geometry.track().delay_history(time_s, range_m)(offset_s);
        auto cell =
            doppler_cell(time_s + offset_s, slant_m, sums.lag1, sums.power,
                         independent * static_cast<double>(sums.pixels), prf_hz, independent * sums.speckle_pairs());
        if (!cell) continue;
        const double leaked = leaked_power(tiles, sums_of_tiles, i),
                     of_floor =
                         acquisition.azimuth_bandwidth_hz < prf_hz ? foreign_part_of_cut_floor : foreign_part_of_floor,
                     foreign = foreign_part * sums.power + of_floor * sums.floor;
        cell->error_hz = std::hypot(cell->error_hz, 0.5 * prf_hz * std::min(1.0, leaked / std::abs(sums.lag1)),
                                    prf_hz / (2 * std::numbers::pi) * foreign / std::abs(sums.lag1));
        cell->group = tile.number;
        cell->stretch = tile.left;
        cells.push_back(*cell);
    }
    return cells;
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// An image with everything in it that formats have places for, to be written and read again.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "data/nisar/epoch.h"
#include "data/open_image.h"
#include "data/product/product_file.h"
#include "pipeline/acquisition/geometry.h"
#include "tests/data/product_fixture.h"

namespace cornerturn {

/// A satellite at 700 km on a circle over an Earth at rest, as it passes the equator going north.
inline Orbit orbit_over_the_equator() {
    constexpr double radius_m = 7078137, speed_m_s = 7500;
    Orbit orbit;
    for (int i = 0; i < 9; ++i) {
        const double time_s = 100 + 10.0 * i, angle = speed_m_s / radius_m * (time_s - 140);
        orbit.add(time_s, {{radius_m * std::cos(angle), 0, radius_m * std::sin(angle)},
                           {-speed_m_s * std::sin(angle), 0, speed_m_s * std::cos(angle)}});
    }
    return orbit;
}

class StoredImageTest : public ProductTest {
protected:
    static constexpr std::int64_t rows = 75, columns = 40;

    StoredImageTest() {
        Acquisition& a = image_.acquisition;
        a = small_echo(SampleFormat::complex64).acquisition;
        a.orbit = orbit_over_the_equator();
        a.first_pulse_time_s = 140.0000004;
        a.prf_hz = 1500;
        a.lines = 300;
        a.azimuth_bandwidth_hz = 900;
        image_.grid = {.rows = rows,
                       .columns = columns,
                       .first_time_s = 138,
                       .time_spacing_s = 1 / 1500.0,
                       .near_range_m = 850000,
                       .range_spacing_m = 1.5};
        ProcessingRecord& made = image_.processing;
        made.algorithm = "omegak";
        made.software = "test";
        made.doppler_centroid_hz = -432.1;
        made.range_bandwidth_hz = 8e7;
        made.azimuth_bandwidth_hz = 1000;
        made.range_window = Window::parse("kaiser:2.5");
        made.azimuth_window = Window::parse("taylor:5:30");
        made.scene_height_m = 123.5;
        for (std::int64_t k = 0; k < columns; ++k)
            made.effective_velocity_m_s.push_back(7100 + 0.01 * static_cast<double>(k));
        for (int i = 0; i < rows * columns; ++i)
            image_.samples.emplace_back(0.1f * static_cast<float>(i / columns - 30),
                                        0.3f * static_cast<float>(i % columns));
    }
    void put_on(const MapProjection& projection, double step) {
        image_.map = MapGrid{projection, rows, columns, 500001.5, step, 51251.25, -step};
        if (projection.in_degrees()) image_.map->first_x = 12, image_.map->first_y = 48;
        if (projection.is_plane()) image_.map->first_x = -20.25, image_.map->first_y = 30.75;
    }
    void look(LookSide side) { image_.acquisition.identification.look_side = side; }
    void write(const std::string& name, const SampleStorage& samples = {}) {
        const auto file = product_file(path(name), {.on_map = image_.map.has_value(), .samples = samples});
        file->begin(image_);
        file->write(0, std::span(image_.samples).first(columns * 50));
        file->write(50, std::span(image_.samples).subspan(columns * 50));
        file->commit();
    }
    /// The samples as pass_to and as two patches of view tell them.
    std::vector<std::complex<float>> samples_of(StoredImage& stored) {
        ImageInMemory whole;
        stored.pass_to(whole);
        for (const PixelBlock& block : {PixelBlock{3, 20, 7, 11}, PixelBlock{0, rows, columns - 1, 1}}) {
            const Pixels patch = stored.view().read(block);
            for (std::int64_t i = block.first_row; i < block.first_row + block.rows; ++i)
                for (std::int64_t k = block.first_column; k < block.first_column + block.columns; ++k)
                    EXPECT_EQ(patch.at(i, k), whole.image.samples[static_cast<std::size_t>(i * columns + k)]);
        }
        return std::move(whole.image.samples);
    }
    void expect_same_axes(const Image& got) {
        const ImageGrid &grid = got.grid, &given = image_.grid;
        EXPECT_EQ(grid.rows, given.rows);
        EXPECT_EQ(grid.columns, given.columns);
        const double later_s =
            parse_epoch(got.acquisition.epoch)->seconds_since(*parse_epoch(image_.acquisition.epoch));
        EXPECT_NEAR(grid.first_time_s + later_s, given.first_time_s, 1e-9);
        EXPECT_NEAR(grid.time_spacing_s, given.time_spacing_s, 1e-14);
        EXPECT_NEAR(grid.near_range_m, given.near_range_m, 1e-6);
        EXPECT_NEAR(grid.range_spacing_m, given.range_spacing_m, 1e-12);
        for (const double time_s : {138.0, 138.05, 140.1}) {
            const StateVector at = interpolate(*got.acquisition.orbit, time_s - later_s),
                              right = interpolate(*image_.acquisition.orbit, time_s);
            EXPECT_LT(norm(at.position_m - right.position_m), 1e-3);
            EXPECT_LT(norm(at.velocity_m_s - right.velocity_m_s), 1e-3);
        }
    }
    void expect_same_record(const Image& got) {
        const ProcessingRecord &made = got.processing, &given = image_.processing;
        EXPECT_EQ(made.algorithm, given.algorithm);
        EXPECT_EQ(made.software, given.software);
        EXPECT_NEAR(made.doppler_centroid_hz, given.doppler_centroid_hz, 1e-6);
        EXPECT_NEAR(made.range_bandwidth_hz, given.range_bandwidth_hz, 1e-3);
        EXPECT_NEAR(made.azimuth_bandwidth_hz, given.azimuth_bandwidth_hz, 1e-6);
        EXPECT_EQ(made.range_window, given.range_window);
        EXPECT_EQ(made.azimuth_window, given.azimuth_window);
        EXPECT_NEAR(made.scene_height_m, given.scene_height_m, 1e-6);
        EXPECT_EQ(got.acquisition.polarization, "HV");
        EXPECT_EQ(got.acquisition.identification.look_side, image_.acquisition.identification.look_side);
        EXPECT_EQ(got.acquisition.identification.mission, "TESTSAT");
        EXPECT_NEAR(got.acquisition.carrier_hz, image_.acquisition.carrier_hz, 1);
        EXPECT_NEAR(got.acquisition.prf_hz, 1500, 1e-6);
    }
    std::string bytes_of(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void write_bytes(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
    }

    Image image_;
};

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// A small image with all that our own record of an RSLC holds.
#pragma once

#include "product_fixture.h"
#include "tests/data/nisar_groups.h"

namespace cornerturn {

inline Image small_image(std::int64_t rows = 23, std::int64_t columns = 41) {
    Image image;
    image.acquisition = small_echo(SampleFormat::complex64).acquisition;
    Identification& id = image.acquisition.identification;
    id.instrument = "XSAR";
    id.track_number = 172;
    id.frame_number = 8;
    id.dithered = true;
    image.grid = {.rows = rows,
                  .columns = columns,
                  .first_time_s = 12.0,
                  .time_spacing_s = 0.0021,
                  .near_range_m = 7950.5,
                  .range_spacing_m = 1.5};
    image.processing = {.algorithm = "rda",
                        .forced_over = "range-Doppler would leave 0.3 rad",
                        .doppler_centroid_hz = -345.25,
                        .doppler_source = "estimated",
                        .effective_velocity_m_s = {},
                        .velocity_source = "orbit",
                        .range_bandwidth_hz = 80e6,
                        .azimuth_bandwidth_hz = 300.5,
                        .range_window = Window::parse("kaiser:2.5"),
                        .azimuth_window = Window::parse("taylor:5:30"),
                        .scene_height_m = 321.5,
                        .terrain = "alps.tif",
                        .software = "cornerturn 1.2.3",
                        .processed_at = "2026-11-22T01:02:03"};
    for (std::int64_t k = 0; k < columns; ++k)
        image.processing.effective_velocity_m_s.push_back(200 + 0.01 * static_cast<double>(k));
    for (std::int64_t i = 0; i < rows; ++i)
        image.valid_columns.push_back({static_cast<std::int32_t>(i % 5), static_cast<std::int32_t>(columns - i % 3)});
    for (std::int64_t i = 0; i < rows * columns; ++i)
        image.samples.push_back({static_cast<float>(i), -0.5f * static_cast<float>(i)});
    return image;
}

}  // namespace cornerturn

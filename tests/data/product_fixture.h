// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of products: a folder to write in, a small echo, ways to spoil a file.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/hdf5/hdf5.h"
#include "kernels/errors.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/acquisition.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/texts.h"

namespace cornerturn {

/// A folder of the test's own, gone afterwards.
class ProductTest : public testing::Test {
protected:
    std::string path(const std::string& name) const { return folder_.file(name); }
    /// Names of everything in the folder, hidden files too.
    std::vector<std::string> left() const { return folder_.names(); }

    const ScratchFolder folder_;

private:
    JobScope job_;  // which a test may stop
};

/// A file of shared/data, where there is one of that name.
std::optional<std::string> shared_file(const std::string& name);

/// Numbers 0, 1, 2 ... that wrap inside what a part of the format can hold, as bytes.
inline std::vector<std::byte> counting_samples(SampleFormat format, std::int64_t count) {
    const std::size_t part_bytes = bytes_per_sample(format) / 2;
    std::vector<std::byte> bytes(static_cast<std::size_t>(count) * 2 * part_bytes);
    for (std::size_t i = 0; i < bytes.size() / part_bytes; ++i) {
        const auto put = [&](auto value) { std::memcpy(bytes.data() + i * part_bytes, &value, part_bytes); };
        const int number = static_cast<int>(i * 7 % 255) - 127;
        switch (format) {
            case SampleFormat::int8: put(static_cast<std::int8_t>(number)); break;
            case SampleFormat::int16: put(static_cast<std::int16_t>(200 * number)); break;
            case SampleFormat::float16: put(static_cast<std::uint16_t>(0x3c00 + i % 1024)); break;  // 1 to 2
            case SampleFormat::lut16: put(static_cast<std::uint16_t>(i * 31)); break;
            case SampleFormat::complex64: put(static_cast<float>(number) * 0.37f); break;
            case SampleFormat::complex128: put(number * 0.37); break;
            case SampleFormat::float32: break;  // no echo is real
        }
    }
    return bytes;
}

/// A plausible X-band echo with everything in it.
inline Echo small_echo(SampleFormat format, std::int64_t lines = 37, std::int64_t samples = 211) {
    Echo echo;
    Acquisition& a = echo.acquisition;
    a.identification = {.mission = "TESTSAT",
                        .look_side = LookSide::left,
                        .pass_direction = "descending",
                        .absolute_orbit_number = 4711,
                        .planned_datatake_id = "7",
                        .planned_observation_id = "8",
                        .bounding_polygon = "POLYGON ((1 2, 3 4, 5 6, 1 2))"};
    a.polarization = "HV";
    a.lines = lines;
    a.samples = samples;
    a.format = format;
    a.epoch = "2026-02-28T23:59:30";
    a.first_pulse_time_s = 12.25;
    a.prf_hz = 500;
    a.carrier_hz = 9.65e9;
    a.near_range_m = 8000;
    a.range_spacing_m = speed_of_light_m_s / 2 / 100e6;
    a.chirp = {.slope_hz_s = -8e13, .duration_s = 1e-6};
    Orbit orbit;
    Attitude attitude;
    for (int i = 0; i < 11; ++i) {
        orbit.add(10.0 + 0.5 * i, {{6378137.0 + 5000, 100.0 * i, 3.0 + 0.0625 * i}, {0.0, 200.0, 0.125}});
        attitude.time_s.push_back(10.0 + 0.5 * i);
        attitude.quaternions.push_back({1.0, 0.0, 0.5, 0.25});
    }
    a.orbit = orbit;
    a.attitude = attitude;
    a.effective_velocity_m_s = 200.5;
    a.doppler_centroid_hz = -1234.5;
    a.azimuth_bandwidth_hz = 321;
    a.truth = {{.range_m = 8100.25,
                .zero_doppler_time_s = 12.5,
                .beam_centre_time_s = 12.625,
                .amplitude = {0.5, -2.0},
                .height_m = 123.5,
                .illuminated_band_hz = DopplerBand{-30.5, 41.25},
                .illuminated_s = TimeSpan{12.5, 12.75}},
               {.range_m = 8200, .zero_doppler_time_s = 12.75, .beam_centre_time_s = 12.8, .amplitude = 1.0}};
    if (format == SampleFormat::lut16)
        for (int k = 0; k < 65536; ++k) a.decoding.levels.push_back(0.25f * static_cast<float>(k));
    echo.samples = counting_samples(format, lines * samples);
    return echo;
}

/// Opens a file to spoil it.
class Editor {
public:
    explicit Editor(const std::string& file) {
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        file_ = h5::File(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
        EXPECT_TRUE(file_.valid()) << file;
    }
    hid_t id() const { return file_; }
    void remove(const std::string& path) { EXPECT_GE(H5Ldelete(file_, path.c_str(), H5P_DEFAULT), 0) << path; }
    /// A new dataset in place of an old one.
    void replace(const std::string& path, hid_t type, const std::vector<hsize_t>& extents,
                 const void* values = nullptr) {
        if (H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0) remove(path);
        const h5::Space space(extents.empty()
                                  ? H5Screate(H5S_SCALAR)
                                  : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
        const h5::Dataset data(H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        EXPECT_TRUE(data.valid()) << path;
        if (values != nullptr) {
            EXPECT_GE(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
        }
    }
    void replace(const std::string& path, double value) { replace(path, H5T_IEEE_F64LE, {}, &value); }
    /// Other numbers in an existing dataset, its attributes kept.
    void change(const std::string& path, const std::function<void(std::vector<double>&)>& edit) {
        const h5::Dataset data(H5Dopen2(file_, path.c_str(), H5P_DEFAULT));
        const h5::Space space(H5Dget_space(data));
        std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
        H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        edit(values);
        EXPECT_GE(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    }
    void change(const std::string& path, double value) {
        change(path, [value](std::vector<double>& v) { v.at(0) = value; });
    }

private:
    JobScope job_;  // which a test may stop
    h5::File file_;
};

/// One thing wrong in a file.
using Spoil = std::function<void(Editor&)>;
inline Spoil without(const std::string& path) {
    return [=](Editor& file) { file.remove(path); };
}
template <class Value>
Spoil changed(const std::string& path, Value to) {
    return [=](Editor& file) { file.change(path, to); };
}
inline Spoil changed_at(const std::string& path, std::size_t index, double to) {
    return changed(path, [=](std::vector<double>& values) { values[index] = to; });
}
/// With zeros in another shape or type.
inline Spoil reshaped(const std::string& path, hid_t type, const std::vector<hsize_t>& shape) {
    static const std::vector<double> zeros(2 * 37 * 211 * 2, 0.0);
    return [=](Editor& file) { file.replace(path, type, shape, zeros.data()); };
}

}  // namespace cornerturn

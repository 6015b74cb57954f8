// SPDX-License-Identifier: Apache-2.0
// A raw file of several frames, made by copying groups together: write_l0b writes one frame.
#pragma once

#include <filesystem>
#include <string>

#include "data/nisar/l0b_writer.h"
#include "tests/data/product_fixture.h"

namespace cornerturn {

inline Echo small_frame(const std::string& frequency, const std::string& polarization, std::int64_t samples = 211) {
    Echo echo = small_echo(SampleFormat::int16, 70, samples);
    Acquisition& a = echo.acquisition;
    a.frequency = frequency;
    a.polarization = polarization;
    a.doppler_centroid_hz = 3;
    a.decoding = {};
    a.truth.clear();
    for (std::size_t i = 0; i < echo.samples.size(); ++i)
        echo.samples[i] = static_cast<std::byte>(i * i % 251 + static_cast<std::size_t>(polarization[1]));
    return echo;
}

/// Adds a group of a frame to a file that lacks it.
inline void add_group(const std::string& file, const Echo& echo, const std::string& group) {
    const std::string part = file + ".part";
    write_l0b(part, echo);
    {
        const h5::File source(H5Fopen(part.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)),
            target(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
        const std::string name = "/science/LSAR/RRSD/swaths/" + group;
        EXPECT_GE(H5Ocopy(source, name.c_str(), target, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), 0);
    }
    std::filesystem::remove(part);
}

/// A HH, A HV and B HH. Returns the name.
inline std::string write_three_frames(const std::string& file) {
    write_l0b(file, small_frame("A", "HH"));
    add_group(file, small_frame("A", "HV"), "frequencyA/txH/rxV");
    add_group(file, small_frame("B", "HH", 150), "frequencyB");
    return file;
}

}  // namespace cornerturn

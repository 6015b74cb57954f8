// SPDX-License-Identifier: Apache-2.0
// One test body for every device. A device that is not there is a visible skip; CORNERTURN_REQUIRE_GPU=1 makes it a
// failure.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/device/device_bench.h"
#include "kernels/errors.h"

namespace cornerturn {

using Samples = std::vector<std::complex<double>>;

/// Normal noise of power 2, rounded to float, so that the device starts from the very numbers of the reference.
inline Samples noise(std::int64_t count, unsigned seed = 1) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    Samples samples(static_cast<std::size_t>(count));
    for (auto& s : samples) s = {normal(generator), normal(generator)};
    return samples;
}

/// Root of the energy of the difference over the energy expected; nothing but zeros must be met exactly.
inline double relative_error(std::span<const std::complex<double>> got,
                             std::span<const std::complex<double>> expected) {
    if (got.size() != expected.size()) return HUGE_VAL;
    double error = 0, energy = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        error += std::norm(got[i] - expected[i]);
        energy += std::norm(expected[i]);
    }
    if (energy == 0) return error == 0 ? 0 : HUGE_VAL;
    return std::sqrt(error / energy);
}

class EveryDevice : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        try {
            device = open_device(GetParam(), 2);
        } catch (const DeviceError& error) {
            const char* required = std::getenv("CORNERTURN_REQUIRE_GPU");
            if (required && std::string(required) == "1") FAIL() << error.what();
            GTEST_SKIP() << error.what();
        }
    }

    SampleFormat native() const { return device->info().native; }
    bool is_float() const { return native() == SampleFormat::complex64; }

    /// A matrix of the native format with these samples.
    Matrix put(std::int64_t rows, std::int64_t columns, const Samples& samples) {
        if (is_float())
            return put_as(rows, columns, native(), std::vector<std::complex<float>>(samples.begin(), samples.end()));
        return put_as(rows, columns, native(), samples);
    }

    /// A matrix of any format from samples as stored.
    template <class Stored>
    Matrix put_as(std::int64_t rows, std::int64_t columns, SampleFormat format, const std::vector<Stored>& stored) {
        Matrix matrix = device->allocate(format, rows, columns);
        device->upload(std::as_bytes(std::span(stored)), matrix);
        return matrix;
    }

    Samples get(const Matrix& matrix) {
        Samples samples(static_cast<std::size_t>(matrix.rows * matrix.columns));
        device->download(matrix, std::span(samples));
        return samples;
    }

    std::unique_ptr<Device> device;
};

/// A device's corner turns that run here: all but cublas where that library is not installed.
inline std::vector<CornerTurnVariant> usable_corner_turns(Device& device) {
    std::vector<CornerTurnVariant> usable;
    for (const CornerTurnVariant variant : device.bench().corner_turn_variants()) try {
            Matrix in = device.allocate(device.info().native, 1, 1);
            device.upload(std::vector<std::byte>(in.bytes()), in);
            Matrix out = device.allocate(device.info().native, 1, 1);
            if (variant == CornerTurnVariant::cublas) device.bench().corner_turn(in, out, variant);
            usable.push_back(variant);
        } catch (const DeviceError& error) {
            std::cerr << "left out: " << error.what() << '\n';
        }
    EXPECT_FALSE(usable.empty());
    return usable;
}

/// For INSTANTIATE_TEST_SUITE_P(Devices, Suite, every_device(), device_name).
inline auto every_device() { return ::testing::Values("cpu", "cpu-double", "cuda"); }
inline std::string device_name(const ::testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

}  // namespace cornerturn

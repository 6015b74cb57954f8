// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5/stage_dump.h"

#include <fmt/format.h>

#include <complex>
#include <filesystem>
#include <span>
#include <vector>

#include "data/hdf5/hdf5.h"
#include "data/hdf5/hdf5_writer.h"
#include "kernels/errors.h"

namespace cornerturn {

StageObserver stage_dump(const std::string& folder, Device& device,
                         std::function<void(const std::string& path)> check_is_free) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        throw InputError(fmt::format("--dump-stages {}: the folder cannot be made: {}", folder, error.message()));
    return [folder, &device, check_is_free = std::move(check_is_free), number = 0](
               std::string_view stage, const Matrix& matrix, std::string_view rows, std::string_view columns) mutable {
        std::vector<std::complex<float>> samples(static_cast<std::size_t>(matrix.rows * matrix.columns));
        device.download(matrix, std::span(samples));
        const std::string path = (std::filesystem::path(folder) / fmt::format("{:02}_{}.h5", ++number, stage)).string();
        if (check_is_free) check_is_free(path);
        h5::Writer file(path, samples.size() * sizeof(samples[0]));
        const std::string dataset = fmt::format("/{}", stage);
        file.matrix(dataset, h5::complex_type(H5T_IEEE_F32LE), matrix.rows, matrix.columns, samples.data());
        file.attribute(dataset, "rows", std::string(rows));
        file.attribute(dataset, "columns", std::string(columns));
        file.commit();
    };
}

}  // namespace cornerturn

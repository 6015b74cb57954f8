// SPDX-License-Identifier: Apache-2.0
// The formats of detected images, each in a file of its own.
#pragma once

#include "data/detected/detected_image.h"

namespace cornerturn {

std::unique_ptr<DetectedFile> create_detected_hdf5(const std::string& path, const Image& image,
                                                   const DetectedOptions& options);
std::unique_ptr<DetectedFile> create_detected_tiff(const std::string& path, const Image& image,
                                                   const DetectedOptions& options);
std::unique_ptr<DetectedFile> create_detected_png(const std::string& path, const Image& image,
                                                  const DetectedOptions& options);

/// Calls write(values, row in them, column count) ... of power turned into what is stored: T is float, std::uint8_t or
/// std::uint16_t.
template <class T>
std::vector<T> stored_values(std::span<const float> power, const DetectedOptions& options) {
    std::vector<T> values(power.size());
    for (std::size_t i = 0; i < power.size(); ++i) {
        if constexpr (std::is_same_v<T, float>)
            values[i] = detected(power[i], options.detection);
        else
            values[i] = power[i] > 0
                            ? static_cast<T>(options.scale.stored(detected(power[i], options.detection), options.type))
                            : T{0};
    }
    return values;
}

/// "amplitude", "power" or "power, dB", and of integers how to turn them back.
std::string detected_description(const DetectedOptions& options);

}  // namespace cornerturn

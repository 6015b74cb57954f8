// SPDX-License-Identifier: Apache-2.0
// Pixels in messages; their memory is freed with the last user.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace cornerturn {

using SharedPixels = std::shared_ptr<std::complex<float>>;

/// With no values yet.
inline SharedPixels pixels_for(std::int64_t count) {
    return {new std::complex<float>[static_cast<std::size_t>(count)], std::default_delete<std::complex<float>[]>()};
}
inline std::shared_ptr<std::byte> bytes_of(const SharedPixels& pixels) {
    return {pixels, reinterpret_cast<std::byte*>(pixels.get())};
}
inline std::size_t bytes_of(std::int64_t pixels) {
    return static_cast<std::size_t>(pixels) * sizeof(std::complex<float>);
}

}  // namespace cornerturn

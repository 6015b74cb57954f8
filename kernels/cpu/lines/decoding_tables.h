// SPDX-License-Identifier: Apache-2.0
// An echo reader over host memory.
#pragma once

#include "kernels/device/matrix.h"
#include "kernels/host/host_echo.h"

namespace cornerturn {

template <class Real, class Component>
EchoReader<Real, Component> echo_reader(const Matrix& echo, const EchoDecoding& decoding, std::int64_t first_line = 0) {
    return host_echo<Real, Component>(echo.data<std::byte>(), echo.columns, decoding, first_line);
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// The echo as numbers: decode, no transform. For algorithms that do not begin with range compression.
#pragma once

#include "kernels/passes/decoding.h"
#include "kernels/passes/line_pass.h"

namespace cornerturn {

struct DecodedEchoHooks {};

/// in: echo, lines x samples, any stored format. out: the same, native.
struct DecodedEcho {
    static constexpr Transforms transforms = Transforms::none;
    static constexpr bool reads_echo = true;
    static constexpr std::string_view title = "echo decoding";

    std::int64_t lines = 0;
    std::int64_t samples = 0;
    SampleFormat format = SampleFormat::complex64;
    EchoDecoding decoding;

    LineShape shape() const { return {lines, samples, 0, samples}; }
    template <class Real, class Tables>
    DecodedEchoHooks hooks(const Tables&) const {
        return {};
    }
};

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Lines of an echo that are looked at before it is focused, and an echo that does not read them twice.
#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/run/forwarded_echo.h"

namespace cornerturn {

/// Groups of neighbouring lines, spread evenly over an echo; packed samples as stored.
struct SampledLines {
    struct Group {
        std::int64_t first_line = 0, lines = 0;
        std::vector<std::byte> samples;
    };
    Acquisition acquisition;
    std::vector<Group> groups;  ///< in order, without overlap
};

/// Up to 32 groups of up to 256 lines; of fewer, where they would take more than 256 MiB. Throws what reading throws.
SampledLines sample_lines(EchoSource& source);

/// The echo of a source of which some lines are there already; the source must outlive it.
class PartlyReadEcho final : public ForwardedEcho {
public:
    PartlyReadEcho(EchoSource& source, SampledLines sampled)
        : ForwardedEcho(source, source.acquisition()), sampled_(std::move(sampled)) {}
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override;

private:
    SampledLines sampled_;
};

}  // namespace cornerturn

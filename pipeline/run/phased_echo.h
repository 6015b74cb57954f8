// SPDX-License-Identifier: Apache-2.0
// An echo whose lines have a phase by mistake, with that taken away.
#pragma once

#include <span>

#include "pipeline/run/source_and_sink.h"

namespace cornerturn {

/// The samples come as they are stored: what forms an image multiplies the lines. The source must outlive it.
class PhasedEcho final : public EchoSource {
public:
    /// `phase_rad`: error of each line.
    PhasedEcho(EchoSource& source, std::span<const double> phase_rad);
    const Acquisition& acquisition() const override { return acquisition_; }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override { source_.read(first_line, lines, to); }
    std::int64_t line_unit() const override { return source_.line_unit(); }
    std::uint64_t stored_bytes() const override { return source_.stored_bytes(); }
    bool reads_beside_writing() const override { return source_.reads_beside_writing(); }

private:
    EchoSource& source_;
    Acquisition acquisition_;
};

}  // namespace cornerturn

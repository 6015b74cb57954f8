// SPDX-License-Identifier: Apache-2.0
// An echo whose lines stay in host memory after they were read.
#pragma once

#include <utility>

#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// All lines of an echo in memory, and the memory.
class KeptEcho final : public EchoSource {
public:
    explicit KeptEcho(EchoSource& source) : echo_{source.acquisition(), {}} {
        const Acquisition& acquisition = source.acquisition();
        echo_.samples.resize(acquisition.sample_bytes());
        source.read(0, acquisition.lines, echo_.samples);
    }
    explicit KeptEcho(Echo echo) : echo_(std::move(echo)) {}
    const Acquisition& acquisition() const override { return echo_.acquisition; }
    std::optional<Matrix> lines_on(const Device& device) override { return EchoInMemory(echo_).lines_on(device); }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        EchoInMemory(echo_).read(first_line, lines, to);
    }

private:
    Echo echo_;
};

}  // namespace cornerturn

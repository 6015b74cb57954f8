// SPDX-License-Identifier: Apache-2.0
// An echo in memory that a test watches being read.
#pragma once

#include <functional>
#include <random>

#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

class StreamedEcho final : public EchoSource {
public:
    explicit StreamedEcho(const Echo& echo) : echo_(echo), memory_(echo) {}
    const Acquisition& acquisition() const override { return echo_.acquisition; }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        if (before_read) before_read(first_line);
        memory_.read(first_line, lines, to);
        lines_read += lines;
    }
    std::int64_t line_unit() const override { return unit; }

    std::int64_t lines_read = 0;  ///< to be looked at when the reading has ended
    std::int64_t unit = 1;
    std::function<void(std::int64_t first_line)> before_read;

private:
    const Echo& echo_;
    EchoInMemory memory_;
};

inline Echo numbered_echo(std::int64_t lines, std::int64_t samples) {
    Echo echo;
    echo.acquisition.lines = lines;
    echo.acquisition.samples = samples;
    echo.acquisition.format = SampleFormat::int8;
    std::mt19937 generator(1);
    for (std::int64_t i = 0; i < lines * samples * 2; ++i) echo.samples.push_back(static_cast<std::byte>(generator()));
    return echo;
}

}  // namespace cornerturn

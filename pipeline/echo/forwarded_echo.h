// SPDX-License-Identifier: Apache-2.0
// An echo that forwards to another one; derived classes change a part of it.
#pragma once

#include <utility>

#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// The source must outlive it.
class ForwardedEcho : public EchoSource {
public:
    const Acquisition& acquisition() const override { return acquisition_; }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        source_.read(first_line, lines, to);
    }
    std::int64_t line_unit() const override { return source_.line_unit(); }
    std::uint64_t stored_bytes() const override { return source_.stored_bytes(); }
    bool reads_beside_writing() const override { return source_.reads_beside_writing(); }

protected:
    ForwardedEcho(EchoSource& source, Acquisition acquisition)
        : source_(source), acquisition_(std::move(acquisition)) {}

    EchoSource& source_;
    Acquisition acquisition_;
};

/// One of which only the description changes.
class DescribedEcho : public ForwardedEcho {
public:
    std::optional<Matrix> lines_on(const Device& device) override { return source_.lines_on(device); }
    void read_samples(std::int64_t first_line, std::int64_t lines, const Interval& samples,
                      std::span<std::byte> to) override {
        source_.read_samples(first_line, lines, samples, to);
    }

protected:
    using ForwardedEcho::ForwardedEcho;
};

}  // namespace cornerturn

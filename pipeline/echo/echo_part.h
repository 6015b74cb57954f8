// SPDX-License-Identifier: Apache-2.0
// Parts of an echo: lines read on request, or a rectangle in host memory.
#pragma once

#include <memory>
#include <utility>

#include "pipeline/echo/forwarded_echo.h"

namespace cornerturn {

/// Some lines of an acquisition, with their part of its tables.
Acquisition slice_of(const Acquisition& acquisition, std::int64_t first_line, std::int64_t lines);

/// Some lines of an echo; the source must outlive it.
class EchoSlice final : public ForwardedEcho {
public:
    EchoSlice(EchoSource& source, std::int64_t first_line, std::int64_t lines)
        : ForwardedEcho(source, slice_of(source.acquisition(), first_line, lines)), first_line_(first_line) {}
    std::optional<Matrix> lines_on(const Device& device) override {
        const std::optional<Matrix> all = source_.lines_on(device);
        return all ? std::optional(all->rows_from(first_line_, acquisition_.lines)) : std::nullopt;
    }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        source_.read(first_line_ + first_line, lines, to);
    }
    void read_samples(std::int64_t first_line, std::int64_t lines, const Interval& samples,
                      std::span<std::byte> to) override {
        source_.read_samples(first_line_ + first_line, lines, samples, to);
    }

private:
    std::int64_t first_line_;
};

/// The acquisition of some lines and samples, with their part of its tables.
Acquisition window_of(const Acquisition& acquisition, const Interval& lines, const Interval& samples);

/// Its echo; a source that it does not own must outlive it.
class EchoWindow final : public ForwardedEcho {
public:
    /// `described`: the window's acquisition.
    EchoWindow(EchoSource& source, const Interval& lines, const Interval& samples, Acquisition described)
        : ForwardedEcho(source, std::move(described)), first_line_(lines.first), samples_(samples) {}
    EchoWindow(std::unique_ptr<EchoSource> whole, const Interval& lines, const Interval& samples)
        : EchoWindow(*whole, lines, samples, window_of(whole->acquisition(), lines, samples)) {
        whole_ = std::move(whole);
    }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        source_.read_samples(first_line_ + first_line, lines, samples_, to);
    }
    void read_samples(std::int64_t first_line, std::int64_t lines, const Interval& samples,
                      std::span<std::byte> to) override {
        source_.read_samples(first_line_ + first_line, lines,
                             {samples_.first + samples.first, samples_.first + samples.last}, to);
    }
    std::uint64_t stored_bytes() const override;

private:
    std::int64_t first_line_;
    Interval samples_;
    std::unique_ptr<EchoSource> whole_;  // that it owns
};

/// As window_of, but that lines which were recorded beside the orbit count as even ones from it.
Acquisition part_of(const Acquisition& acquisition, const Interval& lines, const Interval& samples);

/// The same with its echo, as stored. Throws what reading throws.
Echo read_part(EchoSource& source, const Interval& lines, const Interval& samples);

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// An echo as Python has it: of a file, simulated, or an array.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "app/python/job_thread.h"
#include "app/verbs/image_options.h"
#include "pipeline/echo/source_and_sink.h"

namespace cornerturn::python {

/// Several jobs may read it at once: they take turns.
class SharedEcho final : public EchoSource {
public:
    explicit SharedEcho(std::shared_ptr<EchoSource> source)
        : source_(std::move(source)), turn_(std::make_shared<std::mutex>()) {}
    const Acquisition& acquisition() const override { return source_->acquisition(); }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        const std::lock_guard turn(*turn_);
        source_->read(first_line, lines, to);
    }
    void read_samples(std::int64_t first_line, std::int64_t lines, const Interval& samples,
                      std::span<std::byte> to) override {
        const std::lock_guard turn(*turn_);
        source_->read_samples(first_line, lines, samples, to);
    }
    /// Memory that stays as it is: nobody has to wait.
    std::optional<Matrix> lines_on(const Device& device) override { return source_->lines_on(device); }
    std::int64_t line_unit() const override { return source_->line_unit(); }
    std::uint64_t stored_bytes() const override { return source_->stored_bytes(); }
    bool reads_beside_writing() const override { return source_->reads_beside_writing(); }

private:
    std::shared_ptr<EchoSource> source_;
    std::shared_ptr<std::mutex> turn_;
};

struct PythonEcho {
    std::string name;       ///< for complaints and repr: a path, "simulated", "array"
    std::string format;     ///< "NISAR L0B"
    std::string file = {};  ///< its path, where there is one
    std::shared_ptr<SharedEcho> lines;
    nanobind::object array = nanobind::none();   ///< that has its samples, where one does
    std::span<const std::byte> samples = {};     ///< of the array
    MemoryPlace place = {};                      ///< likewise
    ToldDelay told_delay = {};                   ///< of a file, as it was opened
    nanobind::object beside = nanobind::none();  ///< what else its file holds, once somebody asked for it

    const Acquisition& acquisition() const { return lines->acquisition(); }
    /// For those who want to have one of their own.
    std::unique_ptr<EchoSource> source() const { return std::make_unique<SharedEcho>(*lines); }
};

/// The echo that the samples of an array of Python are: lines x samples of complex64 or complex128, or lines x samples
/// x 2 of int8 or int16, in host memory or on a GPU, packed; they are not copied. `radar`: a Radar (radar.py).
PythonEcho echo_of_array(nanobind::object samples, nanobind::handle radar);

/// What an attribute `radar` says of lines and samples that are known.
Acquisition acquisition_of(nanobind::handle radar, std::int64_t lines, std::int64_t samples,
                           std::vector<std::string>& remarks);

/// Throws InputError where --troposphere asks for another handling of the delay that a file tells than it was opened
/// with, which has settled it.
void require_as_opened(const PythonEcho& echo, const ImageOptions& options);

/// Throws TypeError that says how to come by one.
PythonEcho& echo_of(nanobind::handle given);

void add_echo(nanobind::module_& module);

}  // namespace cornerturn::python

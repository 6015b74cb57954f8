// SPDX-License-Identifier: Apache-2.0
// --lines, --time and --bbox: a part of a raw file.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "data/files/resume.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/plan/image_part.h"

namespace cornerturn {

class Verb;

/// As they were written.
struct PartOptions {
    std::optional<std::string> lines = {}, time = {}, box = {};
    bool given() const { return lines || time || box; }
};

/// Of a verb that makes an image, with what that needs of the echo around it; of one that takes lines as they are.
void add_image_part_options(const Verb& verb, PartOptions& options);
void add_echo_part_options(const Verb& verb, PartOptions& options);

/// With times since such an epoch. Throws InputError naming the option for what cannot be.
PartRequest part_request(const PartOptions& options, const std::string& epoch);
/// Throws what part_request throws, whatever the epoch.
void check_part(const PartOptions& options);

/// What --resume compares.
void add_part_facts(const PartOptions& options, RunFacts& facts);

/// Of an echo as it was recorded: such lines, or with a box what an image of it needs; all of it where nothing is
/// asked. `options`: what is known of height and Doppler centroid. Throws InputError.
std::unique_ptr<EchoSource> part_of_echo(std::unique_ptr<EchoSource> echo, const PartOptions& part,
                                         const FocusOptions& options, int threads);
/// Of an acquisition alone, without a look at its data: the Doppler centroid is that of file or orbit, else 0.
Acquisition part_of_header(const Acquisition& acquisition, const PartOptions& part, const FocusOptions& options);

}  // namespace cornerturn

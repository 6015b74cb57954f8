// SPDX-License-Identifier: Apache-2.0
// The XML of a CPHD 1.1.0 file of simulated pulses, and the text at the file's head.
#pragma once

#include <string>

#include "data/cphd/metadata.h"
#include "pipeline/proof/spotlight_pulses.h"

namespace cornerturn::cphd {

/// What times in the file count from: the whole second before the first pulse.
struct CollectionStart {
    std::string text;
    double since_epoch_s = 0;  ///< of the scene
};
CollectionStart collection_start(const Scene& scene);

/// One channel for each polarization of the scene. The truth is told as places of interest
/// (ToldTarget).
std::string document(const SpotlightPulses& echo, SampleType type);

/// Blocks lie behind each other, 64 bytes apart or less.
FileHeader own_header(std::size_t xml_bytes, std::uint64_t pulse_bytes, std::uint64_t signal_bytes);
std::string text_of(const FileHeader& header);

}  // namespace cornerturn::cphd

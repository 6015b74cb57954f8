// SPDX-License-Identifier: Apache-2.0
// Measurement files of Sentinel-1 Level-0, and their packets, which a job that opens a file several times reads once.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/files/binary_file.h"
#include "data/files/frame_selection.h"
#include "data/sentinel1/packet.h"

namespace cornerturn::sentinel1 {

/// False, too, where it cannot be read.
bool begins_with_packet(const std::filesystem::path& path);
/// Of a SAFE folder, VV and HH before VH and HV; its annotations and indices end in -annot.dat and -index.dat, and do
/// not begin with a packet.
std::vector<std::string> measurements_in(const std::string& folder);

/// A measurement file.
struct Take {
    BinaryFile file;
    std::shared_ptr<const Packets> kept;
    const Packets& all;
    std::vector<std::string> polarizations;  ///< of its echoes

    /// `of_job`: what a job keeps, or nullptr. Throws InputError where it holds no echoes that are known.
    Take(const std::string& path, KeptOfFile* of_job);
    bool has(const std::string& polarization) const;
};

/// The file, or that of a folder's files which has the polarization. Throws InputError naming those that there are.
Take open_take(const std::string& path, const FrameSelection& selection);

}  // namespace cornerturn::sentinel1

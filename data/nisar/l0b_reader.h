// SPDX-License-Identifier: Apache-2.0
// Reading of raw echo: NISAR L0B (RRSD) files and what comes close to them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/run/source_and_sink.h"

namespace cornerturn {

/// Which echo of a file; where empty, frequency A before B and the first polarization.
struct L0bSelection {
    std::optional<std::string> frequency = {};     ///< "A" or "B"
    std::optional<std::string> polarization = {};  ///< transmit and receive letter: "HV"
    int threads = 0;                               ///< that decode its samples; 0: all cores
};

/// The frequencies of a file in their order, and the polarizations of each. Throws InputError as read_l0b_header does.
struct L0bContents {
    struct Frequency {
        std::string name;  ///< "A" or "B"
        std::vector<std::string> polarizations;
    };
    std::vector<Frequency> frequencies;
};
L0bContents list_l0b(const std::string& path);

/// Reads and cross-checks everything but the samples. A receiver's `attenuation` (dB, a column for each channel) is
/// gain control, and line k is multiplied by 10^(attenuation[k] / 20), where its description says so or where it
/// changes from line to line by the same in all channels. NISAR's files note a setting of each of their twelve channels
/// there, which the samples no longer show: not used, and said. What is missing but can be done without, and other
/// doubts, are added to `warnings`. Throws InputError naming the file, the dataset, what was found and what was
/// expected.
Acquisition read_l0b_header(const std::string& path, const L0bSelection& selection, std::vector<std::string>& warnings);

/// The same, and the samples line by line while the source lives. Its read throws InputError for damaged data and
/// Interrupted on request.
std::unique_ptr<EchoSource> open_l0b(const std::string& path, const L0bSelection& selection,
                                     std::vector<std::string>& warnings);

/// The same and the samples as they are stored. Throws Interrupted on request.
Echo read_l0b(const std::string& path, const L0bSelection& selection, std::vector<std::string>& warnings);

}  // namespace cornerturn

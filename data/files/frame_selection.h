// SPDX-License-Identifier: Apache-2.0
// Which frame of a file is meant, raw echo or image: one frequency and polarization.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cornerturn {

/// The delay of the air that a file tells of its pulses (CPHD's TDTropoSRP): whether samples still hold it.
enum class ToldDelay {
    automatic,  ///< as the samples show, else as the format's description has it; told
    keep,       ///< the samples are right as they are
    remove      ///< it is taken off them
};

/// What a format keeps of a file from one opening to the next, of jobs that open it several times; also at once.
struct KeptOfFile {
    std::mutex mutex;  ///< of the value, held also while it is found
    std::any value;
};

/// Where empty, frequency A before B and the first polarization.
struct FrameSelection {
    std::optional<std::string> frequency = {};     ///< "A" or "B"
    std::optional<std::string> polarization = {};  ///< transmit and receive letter: "HV"
    std::optional<std::string> channel = {};       ///< by the file's own name, where it has such
    std::optional<std::string> swath = {};         ///< of a file of bursts: "IW1"
    std::optional<std::int64_t> burst = {};        ///< of that swath, from 0 on
    ToldDelay told_delay = ToldDelay::automatic;
    bool other_track = false;  ///< one is given in place of the file's, which is not missed then
    int threads = 0;           ///< that decode its samples; 0: all cores
    /// Is told, once all is read, of lines whose samples were damaged, which count as missing then; without, such a
    /// line is refused.
    std::function<void(const std::string& remark)> tell = {};
    std::shared_ptr<KeptOfFile> kept = {};  ///< nullptr: nothing is kept
};

/// The frequencies of a raw file in their order, and the polarizations of each.
struct RawContents {
    struct Frequency {
        std::string name;  ///< "A" or "B"
        std::vector<std::string> polarizations;
    };
    std::vector<Frequency> frequencies;
    struct Swath {
        std::string name;         ///< "IW1"
        std::int64_t bursts = 0;  ///< of each polarization
        /// What each is called by its place on the Earth, an empty text of one that is refused; empty: not known.
        std::vector<std::string> burst_ids = {};
    };
    std::vector<Swath> swaths = {};  ///< of a file of bursts, in their order
};

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "data/raw_file.h"

#include "data/nisar/l0b_reader.h"

namespace cornerturn {

// One format so far. With a second one, the three functions ask what kind of file it is and call its reader.

RawContents list_raw(const std::string& path) { return list_l0b(path); }

Acquisition read_raw_header(const std::string& path, const FrameSelection& selection,
                            std::vector<std::string>& warnings) {
    return read_l0b_header(path, selection, warnings);
}

std::unique_ptr<EchoSource> open_raw(const std::string& path, const FrameSelection& selection,
                                     std::vector<std::string>& warnings) {
    return open_l0b(path, selection, warnings);
}

}  // namespace cornerturn

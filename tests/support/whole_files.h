// SPDX-License-Identifier: Apache-2.0
// Echoes and images that are small enough to be held whole, out of files and into them.
#pragma once

#include <string>
#include <vector>

#include "data/nisar/gslc_writer.h"
#include "data/nisar/l0b_reader.h"
#include "data/nisar/rslc_writer.h"

namespace cornerturn {

inline Echo read_l0b(const std::string& path, const FrameSelection& selection, std::vector<std::string>& warnings) {
    const auto source = open_l0b(path, selection, warnings);
    const Acquisition& acquisition = source->acquisition();
    Echo echo{.acquisition = acquisition, .samples = std::vector<std::byte>(acquisition.sample_bytes())};
    source->read(0, acquisition.lines, echo.samples);
    return echo;
}

template <class File>
void write_whole(File file, const Image& image) {
    file.begin(image);
    file.write(0, image.samples);
    file.commit();
}
inline void write_rslc(const std::string& path, const Image& image, const ImageStorage& storage = {}) {
    write_whole(RslcFile(path, 1, storage), image);
}
inline void write_gslc(const std::string& path, const Image& image, const ImageStorage& storage = {}) {
    write_whole(GslcFile(path, 1, storage), image);
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Our own groups in RSLC files, below metadata/processingInformation: how the image was made, and of which echo. No
// group but the standard ones may be called `swaths` or `identification`: isce3 searches the whole tree for these
// words.
#pragma once

#include <string>

#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/hdf5_writer.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

inline constexpr const char* rslc_record = "/parameters/record";  ///< the processing record
inline constexpr const char* rslc_echo = "/inputs/echo";          ///< the echo's timing and pulse

/// Both of an image, below a product's processingInformation; `first`: of the file's first frequency.
void write_own_groups(h5::Writer& file, const std::string& processing, const Image& image, bool first);

/// The group of a frequency: of another than the first its name is behind it, "/parameters/recordFrequencyB".
std::string own_group(const h5::Reader& file, const std::string& group, const std::string& frequency);
/// The effective velocity is that of the columns that are there, of which a cropped file has fewer than when it was
/// written.
ProcessingRecord read_record(const h5::Reader& file, const std::string& group, const ImageGrid& grid);
/// Into an acquisition that holds what the image tells, where the group knows better.
void read_echo(const h5::Reader& file, const std::string& group, Acquisition& acquisition);

}  // namespace cornerturn

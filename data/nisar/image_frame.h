// SPDX-License-Identifier: Apache-2.0
// Where the image of one frequency and polarization lies in a NISAR product, RSLC or GSLC.
#pragma once

#include <string>

#include "data/files/frame_selection.h"
#include "data/hdf5/hdf5_reader.h"
#include "pipeline/acquisition/acquisition.h"

namespace cornerturn {

struct ImagePaths {
    std::string band;       ///< /science/LSAR
    std::string product;    ///< .../RSLC
    std::string frequency;  ///< .../swaths/frequencyA
    std::string samples;    ///< .../HH
    std::string processing() const { return product + "/metadata/processingInformation"; }
};

/// Below `group` of the product, "swaths" or "grids"; names band, frequency and polarization of the acquisition.
/// `expected` is what a file without them is told to be. Throws InputError for a selection that is not there.
ImagePaths locate_frame(const h5::Reader& file, const std::string& product, const char* group, const char* expected,
                        const FrameSelection& selection, Acquisition& acquisition);

}  // namespace cornerturn

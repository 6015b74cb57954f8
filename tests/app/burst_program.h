// SPDX-License-Identifier: Apache-2.0
// A folder with raw files of Sentinel-1 for tests that run the program on them.
#pragma once

#include <complex>
#include <fstream>
#include <string>
#include <vector>

#include "data/open_image.h"
#include "tests/app/image_program.h"
#include "tests/support/sentinel1_slice.h"

namespace cornerturn {

class BurstProgramTest : public ImageProgramTest {
protected:
    void write(const std::string& name, const Sentinel1Slice& slice) const {
        std::ofstream(file(name), std::ios::binary) << slice.file();
    }
    static std::vector<std::complex<float>> samples_of(const std::string& path) {
        ImageInMemory image;
        open_image(path).pass_to(image);
        return image.image.samples;
    }
};

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Images of one echo by several algorithms, kept to be compared with each other.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "data/nisar/rslc_reader.h"
#include "pipeline/measure/image_comparison.h"

namespace cornerturn {

/// An image in a file without a name: in the folder for temporary files, gone with the program however it ends.
class NamelessImage {
public:
    NamelessImage();
    ~NamelessImage();
    /// Takes the image.
    ImageSink& sink();
    /// Once all of it was taken.
    StoredImage& image();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// How two of them agree.
struct Agreement {
    static constexpr double largest_offset_px = 0.02, least_coherence = 0.99;

    std::string first, second;  ///< algorithms
    ImageComparison comparison;
    bool passed() const;
};

/// Of what both declare fully compressed; of small scenes, where that is nothing, of all.
Agreement agreement_of(const std::string& first, NamelessImage& first_image, const std::string& second,
                       NamelessImage& second_image, int threads, const Progress& progress);

/// A table with a line for each pair; nothing for no pairs.
std::string agreement_table(const std::vector<Agreement>& agreements);
nlohmann::ordered_json agreements_json(const std::vector<Agreement>& agreements);

}  // namespace cornerturn

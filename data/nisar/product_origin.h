// SPDX-License-Identifier: Apache-2.0
// What an image file says of where it comes from, so that it need not be made again: attributes of our own record
// (rslc_record.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cornerturn {

namespace h5 {
class Writer;
}

/// SHA-256 in hexadecimal digits: of the parameters that the image was made with, and of its input file; empty where
/// not known.
struct ProductOrigin {
    std::string parameters_sha256, input_sha256;
    std::vector<std::string> input_names = {};  ///< not read again, like:
    std::string parameters = {};                ///< as text, a line for each
    friend bool operator==(const ProductOrigin&, const ProductOrigin&) = default;
};

/// How inputs are named there: the last part of a path.
std::string granule_name(const std::string& path);

/// `product`: the file's group RSLC or GSLC.
void write_origin(h5::Writer& file, const std::string& product, const ProductOrigin& origin);

/// None where there is no image that says so, whatever the reason.
std::optional<ProductOrigin> read_origin(const std::string& path);

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/product_origin.h"

#include <filesystem>

#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/hdf5_writer.h"
#include "data/nisar/rslc_record.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

constexpr const char *parameters_name = "parametersSha256", *input_name = "inputSha256";

std::string record_of(const std::string& product) { return product + "/metadata/processingInformation" + rslc_record; }

}  // namespace

std::string granule_name(const std::string& path) {
    const std::filesystem::path whole = std::filesystem::path(path).lexically_normal();
    return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

void write_origin(h5::Writer& file, const std::string& product, const ProductOrigin& origin) {
    const std::vector<std::string> not_told{"NONE"};
    file.texts(product + "/metadata/processingInformation/inputs/l0bGranules",
               origin.input_names.empty() ? not_told : origin.input_names);
    if (!origin.parameters.empty())
        file.text(product + "/metadata/processingInformation/parameters/runConfigurationContents", origin.parameters,
                  "Options as the program had them, name=value");
    if (!origin.parameters_sha256.empty())
        file.attribute(record_of(product), parameters_name, origin.parameters_sha256);
    if (!origin.input_sha256.empty()) file.attribute(record_of(product), input_name, origin.input_sha256);
}

std::optional<ProductOrigin> read_origin(const std::string& path) try {
    const h5::Reader file(path);
    for (const char* product :
         {"/science/LSAR/RSLC", "/science/SSAR/RSLC", "/science/LSAR/GSLC", "/science/SSAR/GSLC"}) {
        const std::string record = record_of(product);
        if (!file.is_group(record)) continue;
        return ProductOrigin{.parameters_sha256 = file.attribute(record, parameters_name).value_or(""),
                             .input_sha256 = file.attribute(record, input_name).value_or("")};
    }
    return std::nullopt;
} catch (const InputError&) {
    return std::nullopt;
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/product_origin.h"

#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/hdf5_writer.h"
#include "data/nisar/rslc_record.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

constexpr const char *parameters_name = "parametersSha256", *input_name = "inputSha256";

std::string record_of(const std::string& product) { return product + "/metadata/processingInformation" + rslc_record; }

}  // namespace

void write_origin(h5::Writer& file, const std::string& product, const ProductOrigin& origin) {
    if (!origin.parameters_sha256.empty())
        file.attribute(record_of(product), parameters_name, origin.parameters_sha256);
    if (!origin.input_sha256.empty()) file.attribute(record_of(product), input_name, origin.input_sha256);
}

std::optional<ProductOrigin> read_origin(const std::string& path) try {
    const h5::Reader file(path);
    for (const char* product : {"/science/LSAR/RSLC", "/science/SSAR/RSLC"}) {
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

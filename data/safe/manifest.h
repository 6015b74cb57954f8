// SPDX-License-Identifier: Apache-2.0
// The manifest of a SAFE folder: which files there are, and what the product is of.
#pragma once

#include <cstdint>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "data/safe/product_facts.h"

namespace cornerturn::safe {

/// A file of the folder, as readers look for it.
struct ListedFile {
    std::string path;    ///< in the folder: "annotation/calibration/calibration-....xml"
    std::string schema;  ///< "s1Level1ProductSchema"
    std::uint64_t bytes = 0;

    bool is_measurement() const { return schema == "s1Level1MeasurementSchema"; }
    /// "calibrations1aiw1slcvv...001": its name without what identifiers may not have.
    std::string id() const;
};

/// `files`: of each stack in turn its annotation, its calibration, its measurement. `input`: what it was made of.
pugi::xml_document manifest(const ProductFacts& facts, const std::vector<BurstStack>& stacks,
                            const std::vector<ListedFile>& files, const std::string& input);

}  // namespace cornerturn::safe

// SPDX-License-Identifier: Apache-2.0
// Annotations of Sentinel-1 SLC (Sentinel-1 Product Specification, S1-RS-MDA-52-7441): of what is known. Elements that
// are not known are left out.
#pragma once

#include <pugixml.hpp>
#include <vector>

#include "data/safe/azimuth_carrier.h"
#include "data/safe/measurement.h"
#include "data/safe/product_facts.h"

namespace cornerturn::safe {

/// Of a measurement file. `step`: of the amplitude, that 1 in it stands for.
pugi::xml_document annotation(const ProductFacts& facts, const BurstStack& stack, int number,
                              const ByteOffsets& offsets, double step);

/// How to come from its numbers to the power of the samples, over the incidence angle as beta0, sigma0 and gamma0.
pugi::xml_document calibration(const ProductFacts& facts, const BurstStack& stack, int number, double step);

/// Of these, generalAnnotation, imageAnnotation, and geolocationGrid with antennaPattern. `carriers`: of the bursts.
void write_general(const NewElement& product, const ProductFacts& facts, const BurstStack& stack,
                   const std::vector<AzimuthCarrier>& carriers);
void write_image(const NewElement& product, const ProductFacts& facts, const BurstStack& stack, double step);
void write_antenna_pattern(const NewElement& product, const ProductFacts& facts, const BurstStack& stack);
void write_places(const NewElement& product, const ProductFacts& facts, const BurstStack& stack);

}  // namespace cornerturn::safe

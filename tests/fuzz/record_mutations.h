// SPDX-License-Identifier: Apache-2.0
// Damage to files of records that leaves their structure: values become others, of one record or of all alike; records
// are lost, come twice, change places or end too early.
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/chance.h"
#include "tests/fuzz/records.h"

namespace cornerturn::fuzz {

/// Says what was done.
std::string damage_record(std::string& bytes, const std::vector<Record>& records, Chance& chance);

}  // namespace cornerturn::fuzz

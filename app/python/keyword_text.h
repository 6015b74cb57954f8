// SPDX-License-Identifier: Apache-2.0
// Messages name options as the command line has them; in Python they are keywords.
#pragma once

#include <string>

namespace cornerturn::python {

/// "give --algorithm rda, or leave --dem out" as 'give algorithm="rda", or leave dem= out'. What lies between backticks
/// is a command to be typed, and stays.
std::string in_keywords(const std::string& message);

}  // namespace cornerturn::python

// SPDX-License-Identifier: Apache-2.0
// What `doppler` found, in words, numbers and a picture.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "data/picture/line_chart.h"
#include "pipeline/estimate/data_parameters.h"

namespace cornerturn {

std::string doppler_table(const Acquisition& acquisition, const DataParameters& found);
nlohmann::ordered_json doppler_json(const std::string& input, const Acquisition& acquisition,
                                    const DataParameters& found);
/// Over slant range and over time.
std::vector<LineChart> doppler_charts(const Acquisition& acquisition, const DataParameters& found);

}  // namespace cornerturn

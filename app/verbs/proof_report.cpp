// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/proof_report.h"

#include <nlohmann/json.hpp>

namespace cornerturn {

nlohmann::json proof_json(const ReferenceOutcome& outcome, const std::string& precision, const DeviceInfo& device) {
    nlohmann::json checks = nlohmann::json::array();
    for (const ReferenceCheck& check : outcome.checks)
        checks.push_back({{"name", check.name},
                          {"value", check.value},
                          {"limit", check.limit},
                          {"sense", check.at_least ? "at least" : "at most"},
                          {"unit", check.unit},
                          {"remark", check.remark},
                          {"passed", check.passed()}});
    return {{"frequency", outcome.report.acquisition.frequency},
            {"polarization", outcome.report.acquisition.polarization},
            {"algorithm", outcome.report.setup.algorithm},
            {"precision", precision},
            {"device", device.name},
            {"device_description", device.description},
            {"passed", outcome.passed()},
            {"checks", checks},
            {"remarks", outcome.remarks},
            {"doppler_centroid_hz", outcome.report.setup.doppler.centroid_hz},
            {"doppler_source", outcome.report.setup.doppler.source},
            {"velocity_source", outcome.report.setup.velocity_source}};
}

}  // namespace cornerturn

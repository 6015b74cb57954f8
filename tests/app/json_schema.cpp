// SPDX-License-Identifier: Apache-2.0
#include "tests/app/json_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace cornerturn {
namespace {

/// Keys that the schema does not name are none: readers may let them pass, as versions to come may have more, but here
/// each has its line.
void allow_no_other_keys(nlohmann::json& schema) {
    if (schema.is_object() && schema.contains("properties") && schema["properties"].is_object() &&
        !schema.contains("additionalProperties"))
        schema["additionalProperties"] = false;
    if (schema.is_structured())
        for (nlohmann::json& part : schema) allow_no_other_keys(part);
}

}  // namespace

std::string breaches_of_schema(const nlohmann::json& json, const std::string& name) {
    std::ifstream file(CORNERTURN_SOURCE_DIR "/docs/schemas/" + name + ".json");
    if (!file) throw std::runtime_error("docs/schemas/" + name + ".json is not there");
    nlohmann::json text = nlohmann::json::parse(file);
    allow_no_other_keys(text);
    valijson::Schema schema;
    valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(text), schema);
    valijson::ValidationResults results;
    valijson::Validator(valijson::Validator::kStrongTypes)
        .validate(schema, valijson::adapters::NlohmannJsonAdapter(json), &results);
    std::string breaches;
    for (valijson::ValidationResults::Error error; results.popError(error);)
        breaches += fmt::format("{}: {}\n", fmt::join(error.context, ""), error.description);
    return breaches;
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "app/common_options.h"

#include <fmt/format.h>

#include "app/json_text.h"
#include "app/verb.h"
#include "data/files/output_file.h"

namespace cornerturn {

void JsonOutput::write(const nlohmann::json& report) const {
    if (asked()) write_text(report_text(report));
}
void JsonOutput::write(const nlohmann::ordered_json& report) const {
    if (asked()) write_text(report_text(report));
}
void JsonOutput::write_text(const std::string& text) const {
    if (instead_of_text())
        fmt::print("{}", text);
    else
        replace_file(to, text);
}

void add_threads_option(const Verb& verb, int& threads, const std::string& help) {
    verb.option("--threads", threads, help).type("N").between(0, most_threads).shows_default();
}

void add_json_option(const Verb& verb, JsonOutput& json) {
    verb.option("--json", json.to,
                "Also write the report as JSON into FILE; without a name or with - to standard output, instead of the "
                "text. A name that does not end in .json needs --json=FILE")
        .type("[FILE|-]");
}

void add_looks_option(const Verb& verb, std::string& looks, const std::string& description) {
    verb.option("--looks", looks, description).type("AZxRG|auto").shows_default();
}

std::vector<std::string> with_json_values(std::vector<std::string> words) {
    std::vector<std::string> settled;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--") {
            settled.insert(settled.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
            break;
        }
        if (words[i] != "--json") {
            settled.push_back(words[i]);
        } else if (i + 1 < words.size() && (words[i + 1] == "-" || words[i + 1].ends_with(".json"))) {
            settled.push_back("--json=" + words[++i]);
        } else {
            settled.push_back("--json=-");
        }
    }
    return settled;
}

}  // namespace cornerturn

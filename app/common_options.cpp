// SPDX-License-Identifier: Apache-2.0
#include "app/common_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>

#include "app/number.h"
#include "data/files/output_file.h"

namespace cornerturn {
namespace {

bool is_option(const CLI::App& verb, const std::string& word) {
    if (word.starts_with("--")) return word.size() > 2;
    if (word.size() != 2 || word[0] != '-') return false;
    for (const CLI::App* app = &verb; app != nullptr; app = app->get_parent())
        if (app->get_option_no_throw(word) != nullptr) return true;
    return false;
}

}  // namespace

void JsonOutput::write_text(const std::string& text) const {
    if (instead_of_text())
        fmt::print("{}", text);
    else
        replace_file(to, text);
}

void add_threads_option(CLI::App& verb, int& threads, std::string_view of_which) {
    verb.add_option("--threads", threads, fmt::format("CPU threads{}; 0: all cores", of_which))
        ->type_name("N")
        ->check(CLI::Range(0, 4096))
        ->capture_default_str();
}

void add_json_option(CLI::App& verb, JsonOutput& json) {
    verb.add_option("--json", json.to,
                    "Also write the report as JSON into FILE; without a name or with - to standard output, instead of "
                    "the text. A name that does not end in .json is given as --json=FILE")
        ->type_name("[FILE|-]");
}

void require_png_name(CLI::Option& option) {
    option.check(
        [](const std::string& name) {
            return name.ends_with(".png") ? ""
                                          : fmt::format("{}: a PNG picture is written; its name ends in .png", name);
        },
        "", "PNG");
}

void require_number(CLI::Option& option, double least, double most) {
    option.check(
        [=](const std::string& text) -> std::string {
            try {
                const double value = parse_number("", text);
                if (value >= least && value <= most) return "";
            } catch (const InputError&) {
            }
            return fmt::format("{}: expected a number from {} to {}", text, least, most);
        },
        fmt::format("{} to {}", least, most), "NUMBER");
}

void check_values(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        if (option->count() == 0 || option->get_items_expected_max() == 0) continue;
        for (const std::string& value : option->results()) {
            const std::string name = option->get_name();
            if (value.empty())
                throw CLI::ValidationError(name, "the value is empty; leave the option out, or give it one");
            if (is_option(app, value))
                throw CLI::ValidationError(
                    name, fmt::format("takes a value, and {} is an option; a file of that name is ./{}",
                                      value.substr(0, value.find('=')), value));
        }
    }
    for (const CLI::App* verb : app.get_subcommands()) check_values(*verb);
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

// SPDX-License-Identifier: Apache-2.0
#include "app/verb.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>
#include <regex>
#include <sstream>
#include <string_view>
#include <type_traits>

#include "app/help.h"
#include "app/number.h"
#include "kernels/errors.h"
#include "kernels/host/number_text.h"

namespace cornerturn {

Option Option::type(const std::string& name) const { return Option(option_->type_name(name)); }
Option Option::describe(const std::string& description) const { return Option(option_->description(description)); }
Option Option::shows_default() const { return Option(option_->capture_default_str()); }
Option Option::required() const { return Option(option_->required()); }
Option Option::rare() const { return Option(option_->group(rare_group)); }
Option Option::one_each() const { return Option(option_->allow_extra_args(false)); }
Option Option::excludes(const Option& other) const { return option_->excludes(other.option_), *this; }
Option Option::needs(const Option& other) const { return option_->needs(other.option_), *this; }

Option Option::between(std::int64_t least, std::int64_t most) const {
    return Option(option_->check(CLI::Range(least, most)));
}

/// CLI::Range lets nan through.
Option Option::number_between(double least, double most) const {
    return Option(option_->check(
        [=](const std::string& text) -> std::string {
            try {
                const double value = parse_number("", text);
                if (value >= least && value <= most) return "";
            } catch (const InputError&) {
            }
            return fmt::format("{}: expected a number from {} to {}", text, least, most);
        },
        fmt::format("{} to {}", least, most), "NUMBER"));
}

Option Option::one_of(const std::vector<std::string>& words) const {
    return Option(option_->check(CLI::IsMember(words)));
}

Option Option::names_png() const {
    return Option(option_->check(
        [](const std::string& name) {
            return name.ends_with(".png") ? ""
                                          : fmt::format("{}: a PNG picture is written; its name ends in .png", name);
        },
        "", "PNG"));
}

Verb Verb::verb(const std::string& name, const std::string& description) const {
    return {*app_->add_subcommand(name, description), *action_};
}
void Verb::require_verb() const { app_->require_subcommand(1); }
void Verb::footer(const std::string& text) const { app_->footer(text); }

namespace {

/// What an option takes one of, or several.
template <class Value>
struct Single {
    using Type = Value;
};
template <class Value>
struct Single<std::optional<Value>> : Single<Value> {};
template <class Value>
struct Single<std::vector<Value>> : Single<Value> {};

/// What is wrong with a word that is to be a number; "" where nothing is, or where it is empty, which fault_of_values
/// tells. CLI11 itself does not say what is wanted, takes 010 for octal, and cuts off what is too large: whole numbers
/// get here the one form in which it reads them as they are meant.
template <class Number>
std::string complaint_of_number(std::string& text) {
    if (text.empty()) return "";
    if constexpr (std::is_integral_v<Number>) {
        const auto number = number_from<Number>(std::string_view(text).substr(text.starts_with('+') ? 1 : 0));
        if (!number) return fmt::format("{}: not a whole number up to {}", text, std::numeric_limits<Number>::max());
        text = fmt::format("{}", *number);
        return "";
    } else {
        Number number{};
        return CLI::detail::lexical_cast(text, number) ? "" : fmt::format("{}: not a number", text);
    }
}

}  // namespace

template <class Value>
Option Verb::option(const std::string& names, Value& to, const std::string& description) const {
    CLI::Option* const option = app_->add_option(names, to, description);
    if (!names.starts_with('-')) option->type_name("");  // its name says what it is
    using Number = typename Single<Value>::Type;
    if constexpr (std::is_arithmetic_v<Number>)
        option->transform(CLI::Validator([](std::string& text) { return complaint_of_number<Number>(text); }, ""));
    return Option(option);
}
template Option Verb::option(const std::string&, std::string&, const std::string&) const;
template Option Verb::option(const std::string&, int&, const std::string&) const;
template Option Verb::option(const std::string&, std::int64_t&, const std::string&) const;
template Option Verb::option(const std::string&, double&, const std::string&) const;
template Option Verb::option(const std::string&, std::optional<std::string>&, const std::string&) const;
template Option Verb::option(const std::string&, std::optional<std::int64_t>&, const std::string&) const;
template Option Verb::option(const std::string&, std::optional<int>&, const std::string&) const;
template Option Verb::option(const std::string&, std::optional<double>&, const std::string&) const;
template Option Verb::option(const std::string&, std::vector<std::string>&, const std::string&) const;
template Option Verb::option(const std::string&, std::vector<double>&, const std::string&) const;

Option Verb::flag(const std::string& names, bool& to, const std::string& description) const {
    return Option(app_->add_flag(names, to, description));
}
Option Verb::at(const std::string& name) const { return Option(app_->get_option(name)); }

void Verb::runs(Action action) const {
    app_->callback([to = action_, action = std::move(action)] { *to = action; });
}

namespace {

bool is_option(const CLI::App& verb, const std::string& word) {
    if (word.starts_with("--")) return word.size() > 2;
    if (word.size() != 2 || word[0] != '-') return false;
    for (const CLI::App* app = &verb; app != nullptr; app = app->get_parent())
        if (app->get_option_no_throw(word) != nullptr) return true;
    return false;
}

/// CLI11 lets flags have values: --force=false.
std::string fault_of_flag(const CLI::Option& flag) {
    for (const std::string& value : flag.results()) {
        bool on = false;
        if (!CLI::detail::lexical_cast(value, on))
            return fmt::format("\"{}\" is neither true nor false; leave the value or the option out", value);
    }
    return "";
}

}  // namespace

std::string fault_of_values(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        if (option->count() == 0) continue;
        const std::string name = option->get_name();
        if (option->get_items_expected_max() == 0) {
            if (std::string fault = fault_of_flag(*option); !fault.empty()) return name + ": " + fault;
            continue;
        }
        if (option->get_items_expected_max() == 1 && option->results().size() > 1)
            return fmt::format("{}: is given {} times, and takes one value; leave the others out", name,
                               option->results().size());
        for (const std::string& value : option->results()) {
            if (value.empty()) return name + ": the value is empty; leave the option out, or give it one";
            if (is_option(app, value))
                return fmt::format("{}: takes a value, and {} is an option; a file of that name is ./{}", name,
                                   value.substr(0, value.find('=')), value);
        }
    }
    for (const CLI::App* verb : app.get_subcommands())
        if (std::string fault = fault_of_values(*verb); !fault.empty()) return fault;
    return "";
}

std::set<std::string> words_of_values(const std::function<void(Verb&)>& add) {
    CLI::App app;
    Action none;
    Verb program(app, none);
    add(program);
    const auto is_of_word = [](char c) { return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-'; };
    std::set<std::string> words;
    for (const CLI::App* verb : app.get_subcommands({}))
        for (const CLI::Option* option : verb->get_options()) {
            std::stringstream choices(option->get_type_name());
            for (std::string word; std::getline(choices, word, '|');)
                if (std::all_of(word.begin(), word.end(), is_of_word)) words.insert(word);
        }
    return words;
}

namespace {

/// CLI11's "--grid: 1 required utm|FILE missing", where an option has no value.
std::string lacking(const std::string& fault) {
    static const std::regex missing("(--[a-z-]+): 1 required (.*) missing");
    std::smatch found;
    return std::regex_match(fault, found, missing)
               ? fmt::format("{}: has no value; give {}", found.str(1), found.str(2))
               : fault;
}

}  // namespace

void read_words(const std::vector<std::string>& words, const std::function<void(Verb&)>& add, const std::string& where,
                const std::string& unknown) {
    CLI::App app;
    app.set_help_flag();
    Action none;
    Verb verb(app, none);
    add(verb);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes the last one first
    } catch (const CLI::ParseError& error) {
        const std::vector<std::string> left = app.remaining(true);
        const std::string fault = fault_of_values(app);
        throw InputError(fmt::format("{}: {}", where,
                                     !fault.empty() ? fault
                                     : left.empty() ? lacking(error.what())
                                                    : left.front() + ": " + unknown));
    }
    if (const std::string fault = fault_of_values(app); !fault.empty())
        throw InputError(fmt::format("{}: {}", where, fault));
}

}  // namespace cornerturn

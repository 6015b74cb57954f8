// SPDX-License-Identifier: Apache-2.0
#include "app/help.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <sstream>

namespace cornerturn {
namespace {

constexpr std::size_t columns = 110, description_column = 30;
/// A verb with fewer options has no rare ones.
constexpr std::size_t many_options = 25;

std::string long_name(const CLI::Option& option) { return option.get_name(false, false); }

/// Lines of words, from a column on; the first one begins there already.
std::string wrapped(const std::string& text, std::size_t indent) {
    std::istringstream words(text);
    std::string result, word;
    std::size_t column = indent;
    while (words >> word) {
        if (column > indent && column + 1 + word.size() > columns) {
            result += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            result += ' ';
            ++column;
        }
        result += word;
        column += word.size();
    }
    return result + "\n";
}

/// Letters to be put in, left out or replaced (Levenshtein).
std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t k = 1; k <= b.size(); ++k) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[k - 1] ? 0 : 1);
            diagonal = row[k];
            row[k] = std::min({replaced, row[k] + 1, row[k - 1] + 1});
        }
    }
    return row.back();
}

/// "" where none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known) {
    std::string best;
    std::size_t least = std::max<std::size_t>(word.size() / 3, 1) + 1;
    for (const std::string& candidate : known) {
        const std::size_t letters = distance(word, candidate);
        if (letters < least) best = candidate, least = letters;
    }
    return best;
}

const CLI::App& deepest_chosen(const CLI::App& app) {
    const CLI::App* chosen = &app;
    while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().back();
    return *chosen;
}

}  // namespace

std::string in_short(const std::string& description) {
    std::string text = description;
    for (std::size_t at = text.find(". "); at != std::string::npos; at = text.find(". ", at + 1))
        if (!std::islower(static_cast<unsigned char>(text[at + 2]))) {
            text.resize(at);
            break;
        }
    const std::size_t preset = description.find("Default: ");
    if (preset != std::string::npos && text.size() < preset)
        text += ". " + description.substr(preset, description.find(". ", preset) - preset);
    return text;
}

std::string ShortHelp::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
    in_full_ = mode == CLI::AppFormatMode::All;
    return Formatter::make_help(app, std::move(name), mode);
}

std::string ShortHelp::make_group(std::string group, bool is_positional,
                                  std::vector<const CLI::Option*> options) const {
    if (in_full_ || group != rare_group) return Formatter::make_group(group, is_positional, options);
    std::string names;
    for (const CLI::Option* option : options) names += (names.empty() ? "" : " ") + long_name(*option);
    return group + ":\n  " + wrapped(names, 2);
}

std::string ShortHelp::make_option(const CLI::Option* option, bool is_positional) const {
    std::string line = "  " + make_option_name(option, is_positional) + make_option_opts(option);
    line += line.size() + 1 < description_column ? std::string(description_column - line.size(), ' ')
                                                 : "\n" + std::string(description_column, ' ');
    const std::string description = make_option_desc(option);
    return line + wrapped(in_full_ ? description : in_short(description), description_column);
}

void use_short_help(CLI::App& app) {
    app.formatter(std::make_shared<ShortHelp>());
    app.set_help_flag("-h,--help", "Explain the common options");
    app.set_help_all_flag("--help-all", "Explain all options in full");
}

void explain_rare_of_few(CLI::App& app) {
    if (app.get_options().size() <= many_options)
        for (CLI::Option* option : app.get_options())
            if (option->get_group() == rare_group) option->group(app.option_defaults()->get_group());
    for (CLI::App* verb : app.get_subcommands({})) explain_rare_of_few(*verb);
}

std::string unknown_word(const CLI::App& app, const std::string& word) {
    const CLI::App& chosen = deepest_chosen(app);
    const std::string asked = word.substr(0, word.find('='));
    std::vector<std::string> known;
    if (word.starts_with("-"))
        for (const CLI::App* verb : {&app, &chosen})
            for (const CLI::Option* option : visible_options(*verb)) known.push_back(long_name(*option));
    else
        for (const CLI::App* verb : visible_verbs(chosen)) known.push_back(verb->get_name());
    const std::string meant = nearest(asked, known);
    return asked + ": there is no such verb or option" + (meant.empty() ? "" : "; did you mean " + meant + "?");
}

std::vector<const CLI::App*> visible_verbs(const CLI::App& app) {
    std::vector<const CLI::App*> verbs;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App* any) { return !any->get_group().empty(); }))
        verbs.push_back(verb);
    return verbs;
}

std::vector<const CLI::Option*> visible_options(const CLI::App& app) {
    return app.get_options(
        [](const CLI::Option* option) { return option->nonpositional() && !option->get_group().empty(); });
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// What the program says of its verbs and options: help that fits a screen, and what a mistyped word was probably meant
// to be.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cornerturn {

/// The group of options that are rare.
inline constexpr const char* rare_group = "More options, which --help-all explains";

/// With --help the common options of a verb, a sentence each, and the names of rare ones; with --help-all everything,
/// in full.
class ShortHelp final : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
    std::string make_group(std::string group, bool is_positional,
                           std::vector<const CLI::Option*> options) const override;
    std::string make_option(const CLI::Option* option, bool is_positional) const override;

private:
    mutable bool in_full_ = false;  // CLI11 does not hand it on
};

/// Makes the help short, adds --help-all; to be called before there are verbs, which take it over.
void use_short_help(CLI::App& app);

/// Explains rare options like all others in verbs that have few.
void explain_rare_of_few(CLI::App& app);

/// Complaint about a word that no verb knows, or no option, with the one that is nearest to it.
std::string unknown_word(const CLI::App& app, const std::string& word);

/// Verbs and options as they are seen: without hidden ones, in the order of the help.
std::vector<const CLI::App*> visible_verbs(const CLI::App& app);
std::vector<const CLI::Option*> visible_options(const CLI::App& app);

/// The first sentence of an option's description, and the one on its default.
std::string in_short(const std::string& description);

}  // namespace cornerturn

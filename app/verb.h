// SPDX-License-Identifier: Apache-2.0
// A verb of the command line and its options. CLI11 stands behind both, in verb.cpp alone: its templates cost each
// source that includes them some five seconds to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cornerturn {

/// What is done when a verb was chosen; returns the exit code.
using Action = std::function<int()>;

/// An option of a verb, for what else there is to say of it.
class Option {
public:
    explicit Option(CLI::Option* option) : option_(option) {}

    /// What the help calls its value: "FILE".
    Option type(const std::string& name) const;
    Option describe(const std::string& description) const;
    /// In the help, what the variable holds now.
    Option shows_default() const;
    Option required() const;
    /// The short help of a verb with many options only names it.
    Option rare() const;
    /// May be repeated, with one value each time.
    Option one_each() const;
    Option excludes(const Option& other) const;
    Option needs(const Option& other) const;

    /// Whole numbers in a range.
    Option between(std::int64_t least, std::int64_t most) const;
    /// Finite numbers in a range.
    Option number_between(double least, double most) const;
    Option one_of(const std::vector<std::string>& words) const;
    /// Names that end in .png: what is written is PNG, whatever it is called.
    Option names_png() const;

private:
    CLI::Option* option_;
};

class Verb {
public:
    /// `action`: of the program, set by the verb that is chosen.
    Verb(CLI::App& app, Action& action) : app_(&app), action_(&action) {}

    /// One below it.
    Verb verb(const std::string& name, const std::string& description) const;
    /// Does nothing itself: one below it must be chosen.
    void require_verb() const;
    /// Below the options in the help: more on what it does, and examples.
    void footer(const std::string& text) const;

    /// Values are texts or numbers, an optional of one, or a vector; what else comes to be needed is instantiated in
    /// verb.cpp. `names`: "-o,--output", or "RAW.h5" for a word without an option.
    template <class Value>
    Option option(const std::string& names, Value& to, const std::string& description) const;
    Option flag(const std::string& names, bool& to, const std::string& description) const;
    /// One that is there.
    Option at(const std::string& name) const;

    void runs(Action action) const;

    CLI::App& parser() const { return *app_; }

private:
    CLI::App* app_;
    Action* action_;
};

/// What is wrong where an option of what was called has an empty value, another option for a value, as in
/// `--png --json`, or several for one; "" where nothing is. CLI11 sees none of the first two.
std::string fault_of_values(const CLI::App& app);

/// Words that options of the verbs which `add` adds take as values: "auto" and "data" where the help says
/// "HZ|auto|data".
std::set<std::string> words_of_values(const std::function<void(Verb&)>& add);

/// Reads words such as "--png=a.png" into the options that `add` adds. Throws InputError, with `where` in front; of a
/// word that is none of them it says `unknown`.
void read_words(const std::vector<std::string>& words, const std::function<void(Verb&)>& add, const std::string& where,
                const std::string& unknown);

}  // namespace cornerturn

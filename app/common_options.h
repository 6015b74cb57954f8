// SPDX-License-Identifier: Apache-2.0
// Options that mean the same in every verb that has them: --threads, --looks, and --json with where its report goes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace cornerturn {

class Verb;

/// Where a verb's report goes as JSON.
struct JsonOutput {
    std::string to;  ///< "": nowhere; "-": to standard output instead of the text for people; else a file, beside it

    bool asked() const { return !to.empty(); }
    bool instead_of_text() const { return to == "-"; }
    /// For check_outputs; "" where none is written.
    std::string file() const { return instead_of_text() ? "" : to; }
    /// Does nothing where none was asked for. A file is complete or not there at all.
    void write(const nlohmann::json& report) const;
    void write(const nlohmann::ordered_json& report) const;

private:
    void write_text(const std::string& text) const;
};

/// More than a machine has; OpenMP ends the program where it cannot have as many as were asked for.
inline constexpr int most_threads = 4096;
/// --threads N, 0 to most_threads.
void add_threads_option(const Verb& verb, int& threads, const std::string& help = "CPU threads; 0: all cores");

/// --looks AZxRG|auto.
void add_looks_option(const Verb& verb, std::string& looks, const std::string& description);

/// --json [FILE|-]. Words that the program was called with must have gone through `with_json_values`.
void add_json_option(const Verb& verb, JsonOutput& json);

/// Gives each --json its value: `--json=FILE` as it is; `--json -` and `--json NAME.json` take the next word; any other
/// means `--json=-`, so that in `info --json raw.h5` raw.h5 is the input. Words behind `--` stay as they are.
std::vector<std::string> with_json_values(std::vector<std::string> words);

}  // namespace cornerturn

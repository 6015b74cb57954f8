// SPDX-License-Identifier: Apache-2.0
// cornerturn completion: what shells have to know to complete verbs and options; and the manual page. Both are made of
// the help.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/console.h"
#include "app/help.h"
#include "app/verb.h"
#include "app/verbs/verbs.h"
#include "app/version.h"

namespace cornerturn {
namespace {

struct ListedVerb {
    std::string name;  ///< "focus", "bench io"
    std::string description;
    const CLI::App* app;
};

/// Verbs, and those below them.
std::vector<ListedVerb> all_verbs(const CLI::App& app, const std::string& above = "") {
    std::vector<ListedVerb> verbs;
    for (const CLI::App* verb : visible_verbs(app)) {
        verbs.push_back({above + verb->get_name(), verb->get_description(), verb});
        for (ListedVerb& below : all_verbs(*verb, above + verb->get_name() + " ")) verbs.push_back(std::move(below));
    }
    return verbs;
}

std::string names_of_verbs(const CLI::App& app) {
    std::string names;
    for (const CLI::App* verb : visible_verbs(app)) names += (names.empty() ? "" : " ") + verb->get_name();
    return names;
}

std::string names_of_options(const CLI::App& app) {
    std::string names;
    for (const CLI::Option* option : visible_options(app))
        names += (names.empty() ? "" : " ") + option->get_name(false, false);
    return names;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}
/// Within single quotes of a shell.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

void print_bash(const CLI::App& app) {
    fmt::print(
        "# cornerturn completion bash > ~/.local/share/bash-completion/completions/cornerturn\n_cornerturn() {{\n");
    fmt::print("    local current=${{COMP_WORDS[COMP_CWORD]}} verbs={} options={} verb= word\n",
               quoted(names_of_verbs(app)), quoted(names_of_options(app)));
    fmt::print("    for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n        case \"$verb $word\" in\n");
    for (const ListedVerb& verb : all_verbs(app)) {
        const std::string name = verb.name.find(' ') == std::string::npos ? " " + verb.name : verb.name;
        fmt::print("            {})\n                verb={} verbs={} options={}\n                ;;\n", quoted(name),
                   quoted(verb.name), quoted(names_of_verbs(*verb.app)), quoted(names_of_options(*verb.app)));
    }
    fmt::print(
        "        esac\n    done\n    COMPREPLY=()\n"
        "    if [[ $current == -* ]]; then\n        COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
        "    elif [[ -n $verbs ]]; then\n        COMPREPLY=($(compgen -W \"$verbs\" -- \"$current\"))\n    fi\n}}\n"
        "complete -o default -F _cornerturn cornerturn\n");
}

void print_zsh(const CLI::App& app) {
    fmt::print(
        "#compdef cornerturn\n# cornerturn completion zsh > a folder of $fpath, as _cornerturn\nlocal -a verbs "
        "options\n");
    const auto describe = [](const char* name, const auto& items) {
        fmt::print("{}=(", name);
        for (const auto& [word, what] : items) fmt::print(" {}", quoted(replaced(word, ":", "\\:") + ":" + what));
        fmt::print(")\n");
    };
    using Items = std::vector<std::pair<std::string, std::string>>;
    const auto options_of = [](const CLI::App& verb) {
        Items items;
        for (const CLI::Option* option : visible_options(verb))
            items.emplace_back(option->get_name(false, false), in_short(option->get_description()));
        return items;
    };
    const auto verbs_of = [](const CLI::App& verb) {
        Items items;
        for (const CLI::App* below : visible_verbs(verb))
            items.emplace_back(below->get_name(), below->get_description());
        return items;
    };
    describe("verbs", verbs_of(app));
    describe("options", options_of(app));
    fmt::print("local verb= word\nfor word in ${{words[2,CURRENT-1]}}; do\ncase \"$verb $word\" in\n");
    for (const ListedVerb& verb : all_verbs(app)) {
        fmt::print("({})\nverb={}\n", quoted(verb.name.find(' ') == std::string::npos ? " " + verb.name : verb.name),
                   quoted(verb.name));
        describe("verbs", verbs_of(*verb.app));
        describe("options", options_of(*verb.app));
        fmt::print(";;\n");
    }
    fmt::print(
        "esac\ndone\nif [[ $words[CURRENT] == -* ]]; then _describe option options\n"
        "elif (( $#verbs )); then _describe verb verbs\nelse _files\nfi\n");
}

void print_fish(const CLI::App& app) {
    fmt::print("# cornerturn completion fish > ~/.config/fish/completions/cornerturn.fish\n");
    for (const ListedVerb& verb : all_verbs(app)) {
        const std::size_t space = verb.name.find(' ');
        const std::string above = verb.name.substr(0, space),
                          last = verb.name.substr(space == std::string::npos ? 0 : space + 1);
        const std::string where =
            space == std::string::npos ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + above;
        fmt::print("complete -c cornerturn -f -n {} -a {} -d {}\n", quoted(where), last, quoted(verb.description));
        for (const CLI::Option* option : visible_options(*verb.app)) {
            const std::string takes =
                option->get_expected_max() > 0 && option->get_items_expected_max() > 0 ? " -r" : "";
            fmt::print("complete -c cornerturn -n {} -l {}{} -d {}\n", quoted("__fish_seen_subcommand_from " + last),
                       option->get_name(false, false).substr(2), takes, quoted(in_short(option->get_description())));
        }
    }
}

/// For troff: no line may begin with a dot or an apostrophe, and a hyphen is one.
std::string troff(const std::string& text) {
    std::string line = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
    line = replaced(replaced(line, "\n.", "\n\\&."), "\n'", "\n\\&'");
    return line.starts_with(".") || line.starts_with("'") ? "\\&" + line : line;
}

void print_manual_of(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty()) continue;
        const std::string name =
            option->get_positional() ? option->get_name(true, false) : option->get_name(false, true);
        fmt::print(".TP\n.B {}\n{}\n", troff(name), troff(option->get_description()));
    }
    if (!app.get_footer().empty()) fmt::print(".PP\n.nf\n{}\n.fi\n", troff(app.get_footer()));
}

void print_manual(const CLI::App& app) {
    fmt::print(
        ".TH CORNERTURN 1 \"\" \"cornerturn {}\" \"User commands\"\n.SH NAME\ncornerturn \\- turn raw radar echo into "
        "images\n",
        version);
    fmt::print(".SH SYNOPSIS\n.B cornerturn\n.I VERB\n[options]\n.SH DESCRIPTION\n{}\n.SH OPTIONS\n",
               troff(app.get_description()));
    print_manual_of(app);
    fmt::print(".SH VERBS\n");
    for (const ListedVerb& verb : all_verbs(app)) {
        fmt::print(".SS {}\n{}\n", troff("cornerturn " + verb.name), troff(verb.description));
        print_manual_of(*verb.app);
    }
}

}  // namespace

void add_completion(const Verb& program) {
    const auto kind = std::make_shared<std::string>();
    const Verb verb =
        program.verb("completion", "Prints what a shell needs to complete verbs and options, or the manual page");
    verb.footer(R"(Examples:
  cornerturn completion bash > ~/.local/share/bash-completion/completions/cornerturn
  cornerturn completion man | man -l -)");
    verb.option("SHELL", *kind, "bash, zsh or fish; man: the manual page")
        .required()
        .one_of({"bash", "zsh", "fish", "man"});
    verb.runs([kind, &app = program.parser()] {
        if (*kind == "bash") print_bash(app);
        if (*kind == "zsh") print_zsh(app);
        if (*kind == "fish") print_fish(app);
        if (*kind == "man") print_manual(app);
        return exit_code::success;
    });
}

}  // namespace cornerturn

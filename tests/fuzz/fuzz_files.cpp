// SPDX-License-Identifier: Apache-2.0
// Damages good files in many ways and lets the program read them: each must be read or refused by a readable line, in
// bounded time and memory, with nothing left behind. A mutant follows from its number and the seed.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "tests/fuzz/good_files.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/trial.h"

namespace {

using namespace cornerturn::fuzz;
namespace fs = std::filesystem;

// The files are of some hundred kilobytes. An image of theirs takes less than a second and 20 MB; under sanitizers all
// of it takes several times as much.
constexpr Limits limits{.cpu_s = 10, .wall_s = 120, .file_bytes = 64 << 20};
constexpr std::int64_t memory_kb = 400 * 1024;

struct Options {
    std::uint64_t mutants = 300, first = 0, step = 1, seed = 1;
    std::string keep, only;
};

struct Count {
    std::uint64_t read = 0, refused = 0, faults = 0;
    double cpu_s = 0, longest_s = 0;
    std::int64_t most_kb = 0;
};

class Campaign {
public:
    Campaign(fs::path folder, const Options& options) : folder_(std::move(folder)), options_(options) {
        fs::create_directories(folder_ / "good");
        setenv("TMPDIR", folder_.c_str(), 1);  // what zip archives are unpacked into is left by runs, which end at once
        kinds_ = make_good_files(folder_ / "good");
        std::erase_if(kinds_, [&](const Kind& kind) { return kind.name.find(options.only) == std::string::npos; });
        if (kinds_.empty()) throw std::runtime_error("there is no kind of file like " + options.only);
    }

    /// Throws where a file that is right is not read: damaged ones would then be refused for another reason.
    void read_good_files() {
        for (const Kind& kind : kinds_)
            for (const auto& run : kind.runs) {
                const fs::path copy = mutant_of(kind), out = fresh_out();
                fs::copy_file(kind.good.path, copy, fs::copy_options::overwrite_existing);
                const auto words = words_for(run, copy, out);
                const Trial trial = run_words(words, limits);
                if (trial.code != 0)
                    throw std::runtime_error(fmt::format("'{}' with a good file: {}", text_of(words), trial.said));
            }
    }

    /// The number of faults.
    std::uint64_t run() {
        for (std::uint64_t number = options_.first; number < options_.mutants; number += options_.step) try_one(number);
        std::uint64_t faults = 0;
        for (const auto& [kind, count] : counts_) {
            fmt::print(
                "{:<18} {:6} read {:6} refused {:4} faults, {:7.1f} s of processor time, longest {:.2f} s, most "
                "{} MB\n",
                kind, count.read, count.refused, count.faults, count.cpu_s, count.longest_s, count.most_kb / 1024);
            faults += count.faults;
        }
        return faults;
    }

private:
    void try_one(std::uint64_t number) {
        const Kind& kind = kinds_[number % kinds_.size()];
        const std::uint64_t turn = number / kinds_.size();  // of this kind
        const fs::path mutant = mutant_of(kind), out = fresh_out();
        const std::string damage = mutate(kind.good, mutant, turn, options_.seed);
        // Runs and kinds of damage must not keep step with each other.
        const auto words = words_for(kind.runs[(turn * 7 + turn / 12) % kind.runs.size()], mutant, out);
        const Trial trial = run_words(words, limits);
        std::string fault = fault_of(trial, limits, memory_kb);
        if (fault.empty()) fault = fault_of_leftovers(out, kind.name == "jobs" ? 0 : trial.code);
        add(kind.name, trial, !fault.empty());
        if (!fault.empty()) {
            fmt::print("mutant {} of seed {} ({}: {}): {}\n  {}\n  {}\n", number, options_.seed, kind.name, damage,
                       fault, text_of(words), trial.said.substr(0, 3000));
            std::fflush(stdout);
            keep(mutant, number);
        }
    }

    fs::path mutant_of(const Kind& kind) const {
        if (!kind.path.empty()) return folder_ / kind.path;
        return folder_ / ("mutant" + fs::path(kind.good.path).extension().string());
    }
    fs::path fresh_out() const {
        const fs::path out = folder_ / "out";
        fs::remove_all(out);
        fs::create_directories(out);
        return out;
    }

    void add(const std::string& kind, const Trial& trial, bool fault) {
        Count& count = counts_[kind];
        ++(fault ? count.faults : trial.code < 2 ? count.read : count.refused);
        count.cpu_s += trial.cpu_s;
        count.longest_s = std::max(count.longest_s, trial.cpu_s);
        count.most_kb = std::max(count.most_kb, trial.taken_kb);
    }

    static std::vector<std::string> words_for(std::vector<std::string> words, const std::string& mutant,
                                              const std::string& out) {
        for (std::string& word : words) {
            if (word == "MUTANT") word = mutant;
            if (word.starts_with("OUT/")) word = out + word.substr(3);
        }
        return words;
    }

    void keep(const fs::path& mutant, std::uint64_t number) const {
        if (options_.keep.empty()) return;
        fs::create_directories(options_.keep);
        const std::string name = fmt::format("{}-{}{}", options_.seed, number, mutant.extension().string());
        fs::copy_file(mutant, fs::path(options_.keep) / name, fs::copy_options::overwrite_existing);
    }

    fs::path folder_;
    Options options_;
    std::vector<Kind> kinds_;
    std::map<std::string, Count> counts_;
};

/// Each run waits until what it writes is on the disk: memory is sooner there.
fs::path scratch_folder() {
    const bool may_choose = std::getenv("TMPDIR") == nullptr && access("/dev/shm", W_OK) == 0;
    return may_choose ? fs::path("/dev/shm") : fs::temp_directory_path();
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{"Runs cornerturn on damaged files; exit code 1 where it does not take them as it should."};
    app.add_option("--mutants", options.mutants, "Numbers of mutants end before this")->capture_default_str();
    app.add_option("--first", options.first, "The first one's number")->capture_default_str();
    app.add_option("--step", options.step, "From one to the next: several processes share the numbers")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--seed", options.seed, "Other mutants for another seed")->capture_default_str();
    app.add_option("--only", options.only, "Kinds of files whose names have this in them");
    app.add_option("--keep", options.keep, "Folder for the files that were not taken as they should be");
    CLI11_PARSE(app, argc, argv);

    const fs::path folder = scratch_folder() / fmt::format("cornerturn-fuzz-{}", getpid());
    std::uint64_t faults = 0;
    try {
        Campaign campaign(folder, options);
        if (options.first == 0) campaign.read_good_files();
        faults = campaign.run();
    } catch (const std::exception& error) {
        fmt::print(stderr, "fuzz_files: {}\n", error.what());
        faults = 1;
    }
    fs::remove_all(folder);
    return faults == 0 ? 0 : 1;
}

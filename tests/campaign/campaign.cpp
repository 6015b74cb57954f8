// SPDX-License-Identifier: Apache-2.0
// Random acquisitions over all that the program claims: each is simulated exactly, focused by the algorithms with
// default options, and the image is right, refused by name, or wrong. Wrong fails, as does anything but success and
// InputError.
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <tuple>

#include "data/scene/scene_file.h"
#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "pipeline/formers/former.h"
#include "tests/campaign/isolated.h"
#include "tests/campaign/judgement.h"
#include "tests/campaign/simpler.h"

namespace {

using namespace cornerturn;
using namespace cornerturn::campaign;

struct Options {
    std::uint64_t seed = 1, draws = 100, first = 0;
    std::optional<std::uint64_t> only;
    std::string algorithms = "rotation", devices, known, keep, json;
    int jobs = 1, tries = 60;
    double limit_s = 200, operations = 3e8;
    bool show = false, flights = false;
    Kind kind() const { return flights ? Kind::flights : Kind::any; }
};

constexpr auto rotation = "rotation";

std::vector<std::string> words_of(const std::string& list) {
    std::vector<std::string> words;
    std::stringstream stream(list);
    for (std::string word; std::getline(stream, word, ',');)
        if (!word.empty()) words.push_back(word);
    return words;
}

/// In rotation, each draw has `auto`, `rda` and one of the others.
std::vector<std::string> algorithms_for(std::uint64_t number, const std::string& asked) {
    std::vector<std::string> others;
    for (const Former& former : all_formers())
        if (former.name != "rda") others.emplace_back(former.name);
    if (asked == rotation) return {"auto", "rda", others[number % others.size()]};
    if (asked != "all") return words_of(asked);
    others.insert(others.begin(), {"auto", "rda"});
    return others;
}

nlohmann::json to_json(const Judgement& judgement) {
    return {{"algorithm", judgement.algorithm},
            {"device", judgement.device},
            {"verdict", name_of(judgement.verdict)},
            {"reason", judgement.reason},
            {"chosen", judgement.chosen},
            {"warned", judgement.warned},
            {"predicted", judgement.predicted},
            {"judged", judgement.judged},
            {"position_px", judgement.position_px},
            {"phase_deg", judgement.phase_deg},
            {"width_percent", judgement.width_percent},
            {"seconds", judgement.seconds}};
}

Judgement judgement_of(const nlohmann::json& json) {
    const auto number = [&](const char* key) { return json[key].is_number() ? json[key].get<double>() : INFINITY; };
    Judgement judgement{.algorithm = json["algorithm"],
                        .device = json["device"],
                        .verdict = Verdict::wrong,
                        .reason = json["reason"],
                        .chosen = json["chosen"],
                        .warned = json["warned"],
                        .predicted = json["predicted"],
                        .judged = json["judged"],
                        .position_px = number("position_px"),
                        .phase_deg = number("phase_deg"),
                        .width_percent = number("width_percent"),
                        .seconds = number("seconds")};
    for (const Verdict verdict : every_verdict)
        if (json["verdict"] == name_of(verdict)) judgement.verdict = verdict;
    return judgement;
}

/// In a process of its own: each algorithm is named before it begins, so that it is known which one ended badly.
void judge_all(const Drawn& drawn, const std::vector<std::string>& algorithms, const std::vector<std::string>& devices,
               double operations, const Say& say) {
    omp_set_num_threads(1);
    say("simulate");
    const Trial trial(drawn);
    for (const std::string& name : devices) {
        const auto device = open_device(name, 1);
        for (const std::string& algorithm : algorithms) {
            say(fmt::format("{} {}", algorithm, name));
            say(to_json(trial.judge(algorithm, *device, operations))
                    .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        }
    }
}

std::vector<Judgement> judgements_of(const Outcome& outcome) {
    std::vector<Judgement> judgements;
    std::string begun = "draw";
    for (const std::string& line : outcome.lines) {
        if (line.starts_with('{')) {
            judgements.push_back(judgement_of(nlohmann::json::parse(line)));
            begun.clear();
        } else {
            begun = line;
        }
    }
    if (!outcome.end.empty()) {
        const auto words = begun.find(' ');
        Judgement lost;
        lost.algorithm = begun.substr(0, words);
        if (words != std::string::npos) lost.device = begun.substr(words + 1);
        lost.verdict = Verdict::wrong;
        lost.reason = outcome.end;
        judgements.push_back(lost);
    }
    return judgements;
}

/// A reason without its numbers, so that those of one kind count as one.
std::string kind_of(const std::string& reason) {
    std::string kind;
    for (const char c : reason) {
        const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        if (digit && !kind.empty() && (kind.back() == '#' || (kind.size() > 1 && kind.ends_with("#.")))) {
            if (kind.ends_with("#.")) kind.pop_back();
            continue;
        }
        kind += digit ? '#' : c;
    }
    return kind.size() > 110 ? kind.substr(0, 110) + "..." : kind;
}

/// Draws that are known to be wrong, each with an algorithm and a reason.
class KnownFaults {
public:
    explicit KnownFaults(const std::string& path) {
        if (path.empty()) return;
        std::ifstream file(path);
        if (!file) throw InputError(fmt::format("{}: cannot be opened for reading", path));
        for (std::string line; std::getline(file, line);) {
            if (line.empty() || line.starts_with('#')) continue;
            std::stringstream stream(line);
            Key key;
            std::string reason;
            if (!(stream >> std::get<0>(key) >> std::get<1>(key) >> std::get<2>(key)) ||
                !std::getline(stream >> std::ws, reason))
                throw InputError(fmt::format("{}: '{}' is not 'seed draw algorithm reason'", path, line));
            faults_[key] = reason;
        }
    }
    bool knows(std::uint64_t seed, std::uint64_t draw, const std::string& algorithm) const {
        return faults_.count({seed, draw, algorithm}) > 0;
    }

private:
    using Key = std::tuple<std::uint64_t, std::uint64_t, std::string>;
    std::map<Key, std::string> faults_;
};

struct Count {
    std::map<Verdict, int> verdicts;
    std::map<std::string, int> refusals;
    double seconds = 0;
    int formed = 0;
};

class Campaign {
public:
    Campaign(const Options& options, std::vector<std::string> devices)
        : options_(options), devices_(std::move(devices)), known_(options.known) {}

    /// True where nothing failed.
    bool run() {
        const std::uint64_t first = options_.only.value_or(options_.first), draws = options_.only ? 1 : options_.draws;
        if (options_.only) keep_as_drawn(first);
        work_in_processes(
            draws, options_.jobs, options_.limit_s,
            [&](std::size_t piece, const Say& say) {
                const std::uint64_t number = first + piece;
                judge_all(draw(options_.seed, number, options_.kind()), algorithms_for(number, options_.algorithms),
                          devices_, options_.operations, say);
            },
            [&](std::size_t piece, const Outcome& outcome) { take(first + piece, judgements_of(outcome)); });
        tell();
        std::fflush(stdout);
        for (const auto& [number, judgement] : to_shrink_) shrink(number, judgement);
        return failures_ == 0;
    }

private:
    void take(std::uint64_t number, const std::vector<Judgement>& judgements) {
        for (const Judgement& judgement : judgements) {
            Count& count = counts_[judgement.algorithm];
            ++count.verdicts[judgement.verdict];
            if (judgement.verdict == Verdict::refused) ++count.refusals[kind_of(judgement.reason)];
            if (judgement.seconds > 0) count.seconds += judgement.seconds, ++count.formed;
            auto entry = to_json(judgement);
            entry["draw"] = number;
            results_.push_back(std::move(entry));
            if (options_.show || options_.only) print(number, judgement);
            const bool wrong = judgement.verdict == Verdict::wrong;
            const bool known = known_.knows(options_.seed, number, judgement.algorithm);
            if (wrong && known) ++known_faults_;
            if (wrong == known) continue;
            ++failures_;
            if (wrong)
                report(number, judgement);
            else
                fmt::print("draw {} of seed {} by {} is {}, but stands among the known faults; remove it there\n",
                           number, options_.seed, judgement.algorithm, name_of(judgement.verdict));
            std::fflush(stdout);
        }
        compare_choice(judgements);
    }

    void print(std::uint64_t number, const Judgement& j) const {
        fmt::print("{:5} {:<15} {:<9} {:.4f} px {:.2f} deg {:.2f} % of {} targets, {:.2f} s {} {}\n", number,
                   j.algorithm, name_of(j.verdict), j.position_px, j.phase_deg, j.width_percent, j.judged, j.seconds,
                   j.chosen == j.algorithm ? "" : j.chosen, j.reason);
    }

    void keep_as_drawn(std::uint64_t number) const {
        const Drawn drawn = draw(options_.seed, number, options_.kind());
        fmt::print("{}\n", summary_of(drawn));
        if (options_.keep.empty()) return;
        std::ofstream(fmt::format("{}/{}-{}.yaml", options_.keep, options_.seed, number))
            << remarks_of(drawn) + to_yaml(scene_of(drawn));
    }

    /// Of `auto`: whether another algorithm that was right took less than half the time.
    void compare_choice(const std::vector<Judgement>& judgements) {
        const auto chosen = std::find_if(judgements.begin(), judgements.end(), [](const Judgement& j) {
            return j.algorithm == "auto" && j.verdict == Verdict::right;
        });
        if (chosen == judgements.end()) return;
        ++choices_;
        slow_choices_ += std::any_of(judgements.begin(), judgements.end(), [&](const Judgement& j) {
            return j.verdict == Verdict::right && j.device == chosen->device && 2 * j.seconds < chosen->seconds;
        });
    }

    void report(std::uint64_t number, const Judgement& judgement) {
        fmt::print("draw {} of seed {} by {} on {}: {}\n", number, options_.seed, judgement.algorithm, judgement.device,
                   judgement.reason);
        const Drawn drawn = draw(options_.seed, number, options_.kind());
        fmt::print("  {}\n", summary_of(drawn));
        if (!judgement.predicted.empty()) fmt::print("  predicted: {}\n", judgement.predicted);
        if (!judgement.warned.empty()) fmt::print("  warned of: {}\n", judgement.warned);
        if (options_.tries > 0) to_shrink_.emplace_back(number, judgement);
    }

    /// Behind the summary, as it takes as long as dozens of draws.
    void shrink(std::uint64_t number, const Judgement& judgement) const {
        const Drawn drawn = draw(options_.seed, number, options_.kind());
        const std::vector<std::string> algorithm{judgement.algorithm}, device{judgement.device};
        std::string reason = judgement.reason;
        const auto fails = [&](const Drawn& other) {
            const auto found = judgements_of(work_in_process(options_.limit_s, [&](const Say& say) {
                judge_all(other, algorithm, device, options_.operations, say);
            }));
            const bool wrong = !found.empty() && found.back().verdict == Verdict::wrong &&
                               found.back().algorithm == judgement.algorithm;
            if (wrong) reason = found.back().reason;
            return wrong;
        };
        const Drawn simple = simplest(drawn, fails, options_.tries);
        std::string text = fmt::format("# draw {} of seed {}, {} on {}, shrunk: {}\n", number, options_.seed,
                                       judgement.algorithm, judgement.device, reason);
        text += remarks_of(simple) + to_yaml(scene_of(simple));
        if (options_.keep.empty()) {
            fmt::print("{}", text);
            return;
        }
        const std::string path =
            fmt::format("{}/{}-{}-{}.yaml", options_.keep, options_.seed, number, judgement.algorithm);
        std::ofstream(path) << text;
        fmt::print("draw {} of seed {} by {}, shrunk, {}: {}\n", number, options_.seed, judgement.algorithm, path,
                   reason);
        std::fflush(stdout);
    }

    void tell() const {
        fmt::print("{:<15} {:>6} {:>8} {:>6} {:>9} {:>10}\n", "algorithm", "right", "refused", "wrong", "unjudged",
                   "s an image");
        for (const auto& [algorithm, count] : counts_) {
            const auto of = [&](Verdict verdict) {
                const auto found = count.verdicts.find(verdict);
                return found == count.verdicts.end() ? 0 : found->second;
            };
            fmt::print("{:<15} {:6} {:8} {:6} {:9} {:10.2f}\n", algorithm, of(Verdict::right), of(Verdict::refused),
                       of(Verdict::wrong), of(Verdict::unjudged), count.seconds / std::max(1, count.formed));
        }
        for (const auto& [algorithm, count] : counts_)
            for (const auto& [reason, times] : count.refusals)
                fmt::print("  {} refuses {} time{}: {}\n", algorithm, times, times > 1 ? "s" : "", reason);
        if (choices_ > 0)
            fmt::print("auto was right {} times; another right one took less than half its time in {} of them\n",
                       choices_, slow_choices_);
        fmt::print("{} failures, {} known faults\n", failures_, known_faults_);
        if (options_.json.empty()) return;
        const nlohmann::json all{{"seed", options_.seed}, {"draws", options_.draws}, {"results", results_}};
        std::ofstream(options_.json) << all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    }

    Options options_;
    std::vector<std::string> devices_;
    KnownFaults known_;
    std::map<std::string, Count> counts_;
    std::vector<std::pair<std::uint64_t, Judgement>> to_shrink_;
    nlohmann::json results_ = nlohmann::json::array();
    int failures_ = 0, known_faults_ = 0, choices_ = 0, slow_choices_ = 0;
};

/// The CPU, and each GPU there is; asked for in a process that then ends: a context does not outlive a fork.
std::vector<std::string> every_device() {
    return work_in_process(60,
                           [](const Say& say) {
                               for (const DeviceInfo& info : list_devices().devices) say(info.name);
                           })
        .lines;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{"Random acquisitions, each right or refused; exit code 1 where an image is wrong."};
    app.add_option("--seed", options.seed, "Other draws for another seed")->capture_default_str();
    app.add_option("--draws", options.draws, "How many")->capture_default_str();
    app.add_option("--first", options.first, "The first one's number")->capture_default_str();
    app.add_option("--draw", options.only, "One draw by itself");
    app.add_option("--algorithms", options.algorithms,
                   "List with commas; all; or rotation: auto, rda and one of the others in turn")
        ->capture_default_str();
    app.add_option("--devices", options.devices, "List with commas; default: all there are");
    app.add_option("--jobs", options.jobs, "Draws at a time, each on one core")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--flights", options.flights,
                 "Aircraft alone, which sway, fly in gusts and change their speed: draws of their own numbers");
    app.add_option("--limit", options.limit_s, "Seconds of processor time that a draw may take")->capture_default_str();
    app.add_option("--operations", options.operations,
                   "Back-projections on a CPU of more pulses of pixels are left out")
        ->capture_default_str();
    app.add_option("--tries", options.tries, "To make a failing draw simpler; 0: it is named only")
        ->capture_default_str();
    app.add_option("--known", options.known, "File of known faults: seed, draw, algorithm, reason");
    app.add_option("--keep", options.keep,
                   "Folder for scene files of failing draws and of --draw, which must be there");
    app.add_option("--json", options.json, "All judgements as JSON")->type_name("FILE");
    app.add_flag("--show", options.show, "A line for each image");
    CLI11_PARSE(app, argc, argv);
    try {
        const auto devices = options.devices.empty() ? every_device() : words_of(options.devices);
        return Campaign(options, devices).run() ? 0 : 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "campaign: {}\n", error.what());
        return 2;
    }
}

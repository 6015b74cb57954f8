// SPDX-License-Identifier: Apache-2.0
#include "data/files/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "data/files/output_file.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

constexpr int layout = 1;  // of the noted state

/// A line of JSON, behind it the rows that wait.
std::vector<std::byte> as_bytes(const ResumeState& state) {
    const nlohmann::json json{
        {"layout", layout},       {"facts", state.facts}, {"block_rows", state.block_rows},
        {"images", state.images}, {"rows", state.rows},   {"waiting_bytes", state.waiting.size()}};
    const std::string line = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    std::vector<std::byte> bytes(line.size());
    std::memcpy(bytes.data(), line.data(), line.size());
    bytes.insert(bytes.end(), state.waiting.begin(), state.waiting.end());
    return bytes;
}

}  // namespace

std::string state_name(const std::string& unfinished) { return unfinished + ".state"; }

std::optional<ResumeState> read_resume_state(const std::string& unfinished) try {
    std::ifstream file(state_name(unfinished), std::ios::binary);
    std::string line;
    if (!std::getline(file, line)) return std::nullopt;
    const nlohmann::json json = nlohmann::json::parse(line);
    if (json.at("layout") != layout) return std::nullopt;
    ResumeState state{.facts = json.at("facts").get<RunFacts>(),
                      .block_rows = json.at("block_rows"),
                      .images = json.at("images"),
                      .rows = json.at("rows"),
                      .waiting = {}};
    const std::string rest(std::istreambuf_iterator<char>(file), {});
    if (rest.size() != json.at("waiting_bytes").get<std::size_t>()) return std::nullopt;
    const auto waiting = std::as_bytes(std::span(rest));
    state.waiting.assign(waiting.begin(), waiting.end());
    return state;
} catch (const nlohmann::json::exception&) {
    return std::nullopt;
}

void write_resume_state(const std::string& unfinished, const ResumeState& state) {
    replace_file(state_name(unfinished), as_bytes(state));
}

void check_same_run(const std::string& output, const RunFacts& then, const RunFacts& now) {
    for (const auto& [name, value] : now) {
        const auto before = std::ranges::find(then, name, &RunFacts::value_type::first);
        if (before != then.end() && before->second == value) continue;
        throw InputError(fmt::format(
            "{}: --resume: the unfinished file is of another run, {} was {} and is {} now; run it as then, or remove "
            "{} to start afresh",
            output, name, before == then.end() ? "not there" : before->second, value, unfinished_name(output)));
    }
}

}  // namespace cornerturn

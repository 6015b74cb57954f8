// SPDX-License-Identifier: Apache-2.0
// Folders, two and three levels deep, include one another one way. A file at the top of a room stands for itself and
// its header; files at the top of a folder are one thing beside the folders in it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace cornerturn {
namespace {

namespace fs = std::filesystem;

using Includes = std::map<std::string, std::map<std::string, std::string>>;  // [folder][folder]: "file includes file"

/// Two levels deep "pipeline/run" of pipeline/run/focus.h and of all below that folder, "app/console" of
/// app/console.cpp; three levels deep "kernels/cpu/lines" of what lies there, too.
std::string folder_of(const fs::path& file, int levels) {
    fs::path folder;
    int level = 0;
    for (auto part = file.begin(); part != file.end() && level < levels; ++part, ++level)
        if (level < 2 || std::next(part) != file.end()) folder /= part->stem();
    return folder.generic_string();
}

void add_includes(const fs::path& root, const fs::path& file, int levels, Includes& includes) {
    std::ifstream stream(root / file);
    const std::regex include("^\\s*#include \"((?:app|data|kernels|pipeline)/[^\"]+)\"");
    const std::string from = folder_of(file, levels);
    std::smatch match;
    for (std::string line; std::getline(stream, line);)
        if (std::regex_search(line, match, include))
            if (const std::string to = folder_of(match[1].str(), levels); to != from)
                includes[from].emplace(to, file.generic_string() + " includes " + match[1].str());
}

/// Folders from one to another, the shortest way that there is; empty where there is none.
std::vector<std::string> way(const Includes& includes, const std::string& from, const std::string& to) {
    std::map<std::string, std::string> before{{from, ""}};
    std::vector<std::string> reached{from};
    for (std::size_t i = 0; i < reached.size() && !before.count(to); ++i) {
        const auto found = includes.find(reached[i]);
        if (found == includes.end()) continue;
        for (const auto& [next, why] : found->second)
            if (before.emplace(next, reached[i]).second) reached.push_back(next);
    }
    std::vector<std::string> folders;
    for (std::string at = before.count(to) ? to : ""; !at.empty(); at = before[at]) folders.insert(folders.begin(), at);
    return folders;
}

class Folders : public testing::TestWithParam<int> {};

TEST_P(Folders, IncludeOneAnotherOneWay) {
    const fs::path root = CORNERTURN_SOURCE_DIR;
    const std::set<std::string> sources{".h", ".cpp", ".cu", ".cuh"};
    Includes includes;
    for (const char* room : {"app", "data", "kernels", "pipeline"})
        for (const auto& entry : fs::recursive_directory_iterator(root / room))
            if (sources.count(entry.path().extension().string()))
                add_includes(root, fs::relative(entry.path(), root), GetParam(), includes);
    ASSERT_TRUE(includes["pipeline/run"].count("pipeline/plan"));
    for (const auto& [from, others] : includes)
        for (const auto& [to, why] : others) {
            std::string circle;
            for (const std::string& folder : way(includes, to, from)) circle += " -> " + folder;
            EXPECT_TRUE(circle.empty()) << why << ", in a circle: " << from << circle;
        }
}

INSTANTIATE_TEST_SUITE_P(Levels, Folders, testing::Values(2, 3));

}  // namespace
}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Folders, two and three levels deep, include one another one way; pipeline opens no device. A file at the top of a
// room stands for itself and its header; files at the top of a folder are one thing beside the folders in it. And files
// of a folder share no names in unnamed namespaces: any of them may be compiled together (unity build).
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

/// Devices come to it by argument: what it says of one kind would hold for no other.
TEST(PipelineFolder, OpensNoDevice) {
    const fs::path root = CORNERTURN_SOURCE_DIR;
    std::size_t looked_at = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root / "pipeline")) {
        std::ifstream stream(entry.path());
        for (std::string line; std::getline(stream, line); ++looked_at)
            EXPECT_EQ(line.find("open_device"), std::string::npos) << entry.path() << ": " << line;
    }
    EXPECT_GT(looked_at, 10000u) << "or nothing was looked at";
}

/// What a line of an unnamed namespace defines: types and constants by their names, functions by the line that begins
/// them, as others of that name may have other parameters.
std::vector<std::string> defined_by(const std::string& line) {
    static const std::regex type("^(?:struct|class) (\\w+).*"),
        constant("^(?:constexpr|const) [^(]*? (\\w+)(?: = |\\{).*"), another(", (\\w+) = "),
        function("^[A-Za-z].*\\w\\(.*"), none("^(?:template|using|static_assert|requires).*");
    std::smatch match;
    if (std::regex_match(line, match, type)) return {match[1]};
    if (std::regex_match(line, match, constant)) {
        std::vector<std::string> names{match[1]};
        for (std::sregex_iterator it(line.begin(), line.end(), another), end; it != end; ++it)
            names.push_back((*it)[1]);
        return names;
    }
    if (std::regex_match(line, function) && !std::regex_match(line, none)) return {line};
    return {};
}

TEST(FilesOfAFolder, ShareNoNamesInUnnamedNamespaces) {
    const fs::path root = CORNERTURN_SOURCE_DIR;
    std::map<std::string, std::string> where;  // [folder, namespace, name]: file
    for (const char* room : {"app", "data", "pipeline"})
        for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
            if (entry.path().extension() != ".cpp") continue;
            std::ifstream stream(entry.path());
            std::string outside;
            bool unnamed = false;
            for (std::string line; std::getline(stream, line);) {
                if (line.starts_with("namespace ") && line != "namespace {") outside = line;
                if (line == "namespace {") unnamed = true;
                if (line == "}  // namespace") unnamed = false;
                if (!unnamed) continue;
                for (const std::string& name : defined_by(line)) {
                    const std::string file = fs::relative(entry.path(), root).generic_string();
                    const auto [other, first] =
                        where.emplace(entry.path().parent_path().generic_string() + outside + name, file);
                    EXPECT_TRUE(first || other->second == file)
                        << file << " and " << other->second << " both define: " << name << "; rename one";
                }
            }
        }
    EXPECT_GT(where.size(), 500u) << "or nothing was looked at";
}

}  // namespace
}  // namespace cornerturn

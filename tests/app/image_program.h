// SPDX-License-Identifier: Apache-2.0
// The program with a simulated echo and its image to work on.
#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/data/product_fixture.h"

namespace cornerturn {

class ImageProgramTest : public ProductTest {
protected:
    using Words = Program::Words;
    struct Outcome {
        int code = 0;
        std::string out, err;
    };

    ImageProgramTest() {
        for (const char* folder : {"work", "streams"}) std::filesystem::create_directory(path(folder));
        setenv("OMP_WAIT_POLICY", "passive", 1);
    }
    /// A path in the folder for the program's files.
    std::string file(const std::string& name) const { return path("work/" + name); }
    Outcome run(const Words& arguments) {
        Program program(path("streams"), arguments);
        const int code = program.wait();
        return {code, program.out(), program.err()};
    }
    nlohmann::json json_of(const Words& arguments) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return nlohmann::json::parse(outcome.out);
    }
    /// Expects exit code 2 and one line of error with these words in it.
    void expect_bad_input(const Words& arguments, const Words& words) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        for (const std::string& word : words) EXPECT_NE(outcome.err.find(word), std::string::npos) << word << " is not in: " << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
    /// raw.h5 and its image slc.h5.
    void make_image(const Words& options = {}) {
        Words simulate{"simulate",  "spaceborne", "-o", file("raw.h5"), "--sample-type", "int8", "--lines", "1000",
                       "--samples", "2000",       "-q"};
        ASSERT_EQ(run(simulate).code, 0);
        Words focus{"focus", file("raw.h5"), "-o", file("slc.h5"), "-q"};
        focus.insert(focus.end(), options.begin(), options.end());
        const Outcome outcome = run(focus);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    std::string text_of(const std::string& name) const {
        std::ifstream in(file(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// Names in the folder for the program's files, hidden ones too.
    Words files() const {
        Words names;
        for (const auto& entry : std::filesystem::directory_iterator(path("work"))) names.push_back(entry.path().filename().string());
        std::sort(names.begin(), names.end());
        return names;
    }
};

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// The program in a folder of its own.
#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/data/product_fixture.h"
#include "tests/support/texts.h"

namespace cornerturn {

class ProgramFixture : public ProductTest {
protected:
    using Words = Program::Words;
    struct Outcome {
        int code = 0;
        std::string out, err;
    };

    ProgramFixture() {
        for (const char* folder : {"work", "streams"}) std::filesystem::create_directory(path(folder));
        setenv("OMP_WAIT_POLICY", "passive", 1);
    }
    /// A path in the folder for the program's files.
    std::string file(const std::string& name) const { return path("work/" + name); }
    Outcome run(const Words& arguments, const std::function<void()>& prepare = {}) {
        Program program(path("streams"), arguments, prepare, program_);
        const int code = program.wait();
        return {code, program.out(), program.err()};
    }
    /// Expects exit code 0.
    Outcome succeed(const Words& arguments, const std::function<void()>& prepare = {}) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        Outcome outcome = run(arguments, prepare);
        EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
        return outcome;
    }
    /// What a command prints.
    nlohmann::json json_of(const Words& arguments) {
        return nlohmann::json::parse(succeed(arguments).out, nullptr, false);
    }
    std::string text_of(const std::string& name) const {
        std::ifstream in(file(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// The words of a command, and more.
    static Words with(Words words, const Words& more) {
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    /// To focus raw.h5 on the CPU.
    Words focus_words(const Words& more) const { return with({"focus", file("raw.h5"), "--device", "cpu"}, more); }
    Words focus_words(const std::string& output, const Words& more) const {
        return focus_words(with({"-o", file(output)}, more));
    }
    /// Expects exit code 2 and one line of error with these words in it.
    void expect_bad_input(const Words& arguments, const Words& words) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        expect_in(outcome.err, words);
        EXPECT_EQ(outcome.out, "");
    }
    /// Names in the folder for the program's files, hidden ones too.
    Words left() const { return folder_.names("work"); }

    std::string program_ = built_program();  ///< what `run` runs
};

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// The program with a simulated echo and its image to work on.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/app/program_fixture.h"

namespace cornerturn {

class ImageProgramTest : public ProgramFixture {
protected:
    nlohmann::json json_of(const Words& arguments) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return nlohmann::json::parse(outcome.out);
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
};

}  // namespace cornerturn

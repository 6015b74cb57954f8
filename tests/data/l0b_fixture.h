// SPDX-License-Identifier: Apache-2.0
// Files of raw echo that tests write, change and read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "data/nisar/l0b_reader.h"
#include "product_fixture.h"
#include "tests/support/texts.h"
#include "tests/support/whole_files.h"

namespace cornerturn {

class L0bTest : public ProductTest {
protected:
    /// Of a file; warnings_ has what was said.
    Acquisition header(const std::string& name = "a.h5", const FrameSelection& selection = {}) {
        warnings_.clear();
        return read_l0b_header(path(name), selection, warnings_);
    }
    void expect_one_warning(const TextParts& parts) const {
        ASSERT_EQ(warnings_.size(), 1u);
        expect_in(warnings_[0], parts);
    }
    std::int64_t warnings_of(const char* word) const {
        return std::count_if(warnings_.begin(), warnings_.end(),
                             [&](const std::string& w) { return w.find(word) != std::string::npos; });
    }
    /// The lines that marks of a calType leave out.
    std::vector<std::int64_t> left_out() {
        const Acquisition acquisition = header();
        std::vector<std::int64_t> lines;
        for (std::size_t i = 0; i < acquisition.decoding.valid_samples.size(); ++i)
            if (acquisition.decoding.valid_samples[i].last == 0) lines.push_back(static_cast<std::int64_t>(i));
        EXPECT_EQ(acquisition.uneven(), !lines.empty());
        return lines;
    }
    std::vector<std::string> warnings_;
};

inline Echo read_quietly(const std::string& path, const FrameSelection& selection = {}) {
    std::vector<std::string> warnings;
    Echo echo = read_l0b(path, selection, warnings);
    for (const std::string& warning : warnings) ADD_FAILURE() << "warning: " << warning;
    return echo;
}

}  // namespace cornerturn

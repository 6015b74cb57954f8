// SPDX-License-Identifier: Apache-2.0
// What a bench finds: figures of several ways to do the same work, and of the copy that they are held against.
#pragma once

#include <string>
#include <vector>

namespace cornerturn {

/// Signal-to-error ratio that stands for "every bit is right"; infinity is no JSON number.
inline constexpr double exact_db = 999;

/// One way to do the work. What was not measured is 0.
struct BenchStep {
    std::string name;
    double median_ms = 0;
    double gbytes_per_s = 0;  ///< of the bytes that the work must read and write
    double gflops = 0;        ///< multiplications and additions in 1e9 a second
    double k_eff = 0;         ///< time in units of half those bytes / copy rate; 2 is what a copy takes
    double burst_ms = 0;      ///< mean of the first 50, one behind the other
    double sustained_ms = 0;  ///< mean over 2 s
    double check_db = exact_db;

    friend bool operator==(const BenchStep&, const BenchStep&) = default;
};

struct BenchResult {
    std::vector<BenchStep> steps;
    std::vector<std::string> left_out;  ///< what does not go here, and why
    std::vector<std::string> wrong;     ///< what gave a wrong result; then nothing was timed after it
    double copy_gbytes_per_s = 0;

    /// Throws std::logic_error for a name that is not there.
    const BenchStep& step(const std::string& name) const;
    BenchStep& step(const std::string& name);
    bool has(const std::string& name) const;

    /// Fills in rate and k_eff of a step from its time and the bytes that it must read and write.
    void rate(BenchStep& step, double bytes) const;
};

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// The text of ENVI's headers: names and values, one a line, longer ones in braces.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cornerturn {

class EnviHeader {
public:
    /// Throws InputError where the file is none, or larger than headers are.
    explicit EnviHeader(const std::string& path);

    const std::string& name() const { return name_; }
    /// Names in lower case, values without their braces.
    const std::map<std::string, std::string>& values() const { return values_; }
    std::optional<std::string> text(const std::string& name) const;
    /// Throws InputError unless it is a whole number in these bounds, or missing while there is a usual one.
    std::int64_t count(const std::string& name, std::int64_t least, std::int64_t most,
                       std::optional<std::int64_t> usual = {}) const;
    /// What commas part in braces.
    std::vector<std::string> list(const std::string& name) const;
    [[noreturn]] void refuse(const std::string& name, const std::string& expected) const;

private:
    std::string name_;
    std::map<std::string, std::string> values_;
};

}  // namespace cornerturn

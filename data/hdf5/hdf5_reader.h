// SPDX-License-Identifier: Apache-2.0
// Reading of metadata from HDF5, where every complaint names the file, the full path in it, what was found and what was
// expected.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/hdf5/hdf5.h"

namespace cornerturn::h5 {

/// Row-major numbers of a dataset of one or two axes.
struct Table {
    std::int64_t rows = 0;
    std::int64_t columns = 1;
    std::vector<double> values;
    double at(std::int64_t row, std::int64_t column) const {
        return values[static_cast<std::size_t>(row * columns + column)];
    }
};

/// What a dataset must look like.
struct Expected {
    std::optional<std::int64_t> rows;     ///< any number where empty
    std::optional<std::int64_t> columns;  ///< a second axis of this length; a single axis where empty
    std::string meaning;                  ///< of the rows: "one for each line of HH"
};

/// By its content; not what cannot be read.
bool is_hdf5(const std::string& file);

/// An HDF5 file opened for reading. Paths are absolute. All members throw InputError.
class Reader {
public:
    explicit Reader(const std::string& file);

    const std::string& file_name() const { return name_; }
    hid_t id() const { return file_; }
    /// What the file takes on the disk, for a look at whether `path` can be as large as it claims.
    std::uint64_t file_bytes(std::string_view path) const;

    bool exists(const std::string& path) const;
    bool is_group(const std::string& path) const;
    /// Names in a group in alphabetical order; none if there is no such group.
    std::vector<std::string> children(const std::string& group) const;
    Dataset dataset(const std::string& path) const;

    /// A single number, finite.
    double number(const std::string& path) const;
    std::optional<double> optional_number(const std::string& path) const;
    /// Numbers along one or two axes, all finite.
    Table table(const std::string& path, const Expected& expected) const;
    std::vector<double> numbers(const std::string& path, const Expected& expected) const {
        return table(path, expected).values;
    }
    /// A single text, fixed or variable length, trailing blanks and zeros removed; none if it is missing or holds
    /// something else.
    std::optional<std::string> optional_text(const std::string& path) const;
    /// A text attribute of a dataset or group, if there is one.
    std::optional<std::string> attribute(const std::string& path, const std::string& name) const;

    /// All elements of a dataset, as `type`.
    void read(const Dataset& data, hid_t type, void* to, std::string_view path) const;

    [[noreturn]] void refuse(std::string_view path, std::string_view complaint) const;

    /// What a call about a path gave: refuses where it failed. In one Turn with that call.
    template <class Result>
    Result look(Result result, std::string_view path) const {
        if (static_cast<std::int64_t>(result) < 0)
            refuse(path, "cannot be read: " + error_text() + "; the file is damaged");
        return result;
    }

private:
    /// Where the last name of a path is looked up.
    struct Place {
        hid_t group;  ///< invalid where there is no such group
        std::string name;
    };
    Place place_of(const std::string& path) const;
    /// A group, which stays open; invalid where there is none of that path.
    hid_t group_at(const std::string& path) const;
    void check_claims(const std::string& path, const Dataset& data) const;

    std::string name_;
    File file_;
    mutable std::map<std::string, Object>
        groups_;  ///< opened so far, in a Turn: paths are long, and have them in common
};

}  // namespace cornerturn::h5

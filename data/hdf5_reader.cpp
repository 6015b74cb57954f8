// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5_reader.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "kernels/errors.h"

namespace cornerturn::h5 {
namespace {

constexpr std::uint64_t longest_table = 1u << 28;  // metadata of more values than that is a damaged file

void check_readable(const std::string& name) {
    struct stat about {};
    if (stat(name.c_str(), &about) != 0) throw InputError(fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
    if (S_ISDIR(about.st_mode)) throw InputError(fmt::format("{}: is a folder, expected an HDF5 file", name));
    if (!S_ISREG(about.st_mode)) throw InputError(fmt::format("{}: is not a regular file, expected an HDF5 file", name));
    if (!std::ifstream(name, std::ios::binary)) throw InputError(fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
    if (about.st_size == 0) throw InputError(fmt::format("{}: is empty, expected an HDF5 file", name));
}

std::string why_not_opened(const std::string& reason) {
    unsigned long long there = 0, expected = 0;
    if (std::sscanf(reason.c_str(), "truncated file: eof = %llu, sblock->base_addr = %*u, stored_eof = %llu", &there, &expected) == 2)
        return fmt::format("is truncated: {} of {} bytes are there", there, expected);
    return fmt::format("cannot be opened as HDF5: {}; the file is damaged, incomplete or in use", reason);
}

std::string trimmed(std::string text) {
    if (const auto zero = text.find('\0'); zero != std::string::npos) text.resize(zero);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    for (char& c : text)
        if (std::iscntrl(static_cast<unsigned char>(c))) c = ' ';  // texts end up on terminals
    return text;
}

/// Reads one text through `read(memory type, buffer)`, whichever way it is stored.
template <class Read>
std::optional<std::string> read_text(hid_t file_type, hid_t space, const Read& read) {
    if (H5Tget_class(file_type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return std::nullopt;
    const Type memory(H5Tcopy(file_type));
    if (H5Tis_variable_str(file_type) > 0) {
        char* value = nullptr;
        if (read(memory, &value) < 0) return std::nullopt;
        const std::string text = value == nullptr ? "" : value;
        H5free_memory(value);
        return trimmed(text);
    }
    std::string value(H5Tget_size(file_type), '\0');
    if (read(memory, value.data()) < 0) return std::nullopt;
    return trimmed(value);
}

}  // namespace

Reader::Reader(const std::string& file) : name_(file) {
    silence();
    check_readable(file);
    const htri_t known = H5Fis_hdf5(file.c_str());
    if (known == 0) throw InputError(fmt::format("{}: is not an HDF5 file", file));
    file_ = File(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    if (!file_.valid()) throw InputError(fmt::format("{}: {}", file, why_not_opened(error_text())));
}

void Reader::refuse(std::string_view path, std::string_view complaint) const {
    throw InputError(fmt::format("{}: {}: {}", name_, path, complaint));
}

bool Reader::exists(const std::string& path) const {
    for (auto slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        if (H5Lexists(file_, path.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
        if (slash == std::string::npos) break;
    }
    return H5Oexists_by_name(file_, path.c_str(), H5P_DEFAULT) > 0;
}

bool Reader::is_group(const std::string& path) const {
    if (!exists(path)) return false;
    const Object object(H5Oopen(file_, path.c_str(), H5P_DEFAULT));
    return H5Iget_type(object) == H5I_GROUP;
}

std::vector<std::string> Reader::children(const std::string& group) const {
    std::vector<std::string> names;
    if (!is_group(group)) return names;
    const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
        static_cast<std::vector<std::string>*>(to)->emplace_back(name);
        return 0;
    };
    H5Literate_by_name(file_, group.c_str(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, collect, &names, H5P_DEFAULT);
    std::sort(names.begin(), names.end());
    return names;
}

Dataset Reader::dataset(const std::string& path) const {
    if (!exists(path)) refuse(path, "is missing, expected a dataset");
    if (is_group(path)) refuse(path, "is a group, expected a dataset");
    Dataset opened(H5Dopen2(file_, path.c_str(), H5P_DEFAULT));
    if (!opened.valid()) refuse(path, fmt::format("cannot be opened: {}; the file is damaged", error_text()));
    return opened;
}

Table Reader::table(const std::string& path, const Expected& expected) const {
    const Dataset data = dataset(path);
    const auto extents = shape(data);
    const std::size_t axes = expected.columns ? 2 : 1;
    const bool fits = extents.size() == axes && (!expected.rows || static_cast<hsize_t>(*expected.rows) == extents[0]) &&
                      (!expected.columns || static_cast<hsize_t>(*expected.columns) == extents[1]);
    if (!fits) {
        const std::string rows = expected.rows ? fmt::format("{}", *expected.rows) : "any number of";
        const std::string wanted =
            expected.columns ? fmt::format("{} x {} numbers", rows, *expected.columns) : fmt::format("{} numbers along one axis", rows);
        refuse(path,
               fmt::format("holds {}, expected {}{}{}", shape_text(data), wanted, expected.meaning.empty() ? "" : ", ", expected.meaning));
    }
    const Type type(H5Dget_type(data));
    if (const auto kind = H5Tget_class(type); kind != H5T_FLOAT && kind != H5T_INTEGER)
        refuse(path, fmt::format("holds {}, expected numbers", type_text(type)));
    Table result{
        .rows = static_cast<std::int64_t>(extents[0]), .columns = axes == 2 ? static_cast<std::int64_t>(extents[1]) : 1, .values = {}};
    if (extents[0] > longest_table)
        refuse(path, fmt::format("claims {}, which is more than any metadata; the file is damaged", shape_text(data)));
    result.values.resize(static_cast<std::size_t>(result.rows * result.columns));
    if (!result.values.empty() && H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.values.data()) < 0)
        refuse(path, fmt::format("cannot be read: {}; the file is damaged", error_text()));
    const auto bad = std::find_if(result.values.begin(), result.values.end(), [](double v) { return !std::isfinite(v); });
    if (bad != result.values.end())
        refuse(path, fmt::format("is {} at index {}, expected finite numbers", *bad, (bad - result.values.begin()) / result.columns));
    return result;
}

double Reader::number(const std::string& path) const {
    const Dataset data = dataset(path);
    const Space space(H5Dget_space(data));
    const Type type(H5Dget_type(data));
    const auto kind = H5Tget_class(type);
    if (kind != H5T_FLOAT && kind != H5T_INTEGER) refuse(path, fmt::format("holds {}, expected a number", type_text(type)));
    if (H5Sget_simple_extent_npoints(space) != 1) refuse(path, fmt::format("holds {}, expected a single number", shape_text(data)));
    double value = 0;
    if (H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) < 0)
        refuse(path, fmt::format("cannot be read: {}; the file is damaged", error_text()));
    if (!std::isfinite(value)) refuse(path, fmt::format("is {}, expected a finite number", value));
    return value;
}

std::optional<double> Reader::optional_number(const std::string& path) const {
    return exists(path) ? std::optional(number(path)) : std::nullopt;
}

std::optional<std::string> Reader::optional_text(const std::string& path) const {
    if (!exists(path) || is_group(path)) return std::nullopt;
    const Dataset data = dataset(path);
    const Type type(H5Dget_type(data));
    const Space space(H5Dget_space(data));
    return read_text(type, space, [&](hid_t memory, void* to) { return H5Dread(data, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to); });
}

std::optional<std::string> Reader::attribute(const std::string& path, const std::string& name) const {
    if (!exists(path) || H5Aexists_by_name(file_, path.c_str(), name.c_str(), H5P_DEFAULT) <= 0) return std::nullopt;
    const Attribute attribute(H5Aopen_by_name(file_, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
    const Type type(H5Aget_type(attribute));
    const Space space(H5Aget_space(attribute));
    return read_text(type, space, [&](hid_t memory, void* to) { return H5Aread(attribute, memory, to); });
}

}  // namespace cornerturn::h5

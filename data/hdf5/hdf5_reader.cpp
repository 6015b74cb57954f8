// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5/hdf5_reader.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "data/files/file_descriptor.h"
#include "data/files/file_kind.h"
#include "data/hdf5/inflate.h"
#include "data/hdf5/reading_driver.h"
#include "kernels/errors.h"
#include "kernels/host/available_memory.h"

namespace cornerturn::h5 {
namespace {

// Metadata of more values than that is a damaged file; of the short ones nobody but the file says how many there are.
constexpr std::uint64_t longest_table = 1u << 28, longest_short_table = 1u << 24;
constexpr std::size_t longest_text = 1u << 20, worth_asking_bytes = 16u << 20;

void check_readable(const std::string& name) {
    struct stat about {};
    if (stat(name.c_str(), &about) != 0)
        throw InputError(fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
    if (S_ISDIR(about.st_mode)) throw InputError(fmt::format("{}: is a folder, expected an HDF5 file", name));
    if (!S_ISREG(about.st_mode))
        throw InputError(fmt::format("{}: is not a regular file, expected an HDF5 file", name));
    if (!std::ifstream(name, std::ios::binary))
        throw InputError(fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
    if (about.st_size == 0) throw InputError(fmt::format("{}: is empty, expected an HDF5 file", name));
}

std::string why_not_opened(const std::string& reason) {
    unsigned long long there = 0, expected = 0;
    if (std::sscanf(reason.c_str(), "truncated file: eof = %llu, sblock->base_addr = %*u, stored_eof = %llu", &there,
                    &expected) == 2)
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
std::optional<std::string> read_text(const Type& stored, const Space& space, const Read& read) {
    if (class_of(stored) != H5T_STRING || element_count(space) != 1) return std::nullopt;
    if (checked(H5Tis_variable_str(stored), "H5Tis_variable_str") > 0) {
        char* value = nullptr;
        read(stored, &value);
        const std::string text = value == nullptr ? "" : value;
        H5free_memory(value);
        return trimmed(text);
    }
    if (size_of(stored) > longest_text) return std::nullopt;
    std::string value(size_of(stored), '\0');
    read(stored, value.data());
    return trimmed(value);
}

}  // namespace

/// As the format has it: a signature at the beginning, or behind a block of the user's of 512 bytes, 1024, and so on.
/// HDF5 itself would be asked in turn with whatever else it does.
bool is_hdf5(const std::string& file) {
    std::error_code ignored;
    // A folder or a device is not asked: something may come through a pipe after a while.
    if (!std::filesystem::is_regular_file(file, ignored)) return false;
    const FileDescriptor opened(file, O_RDONLY);
    std::array<char, hdf5_signature.size()> there{};
    for (off_t at = 0; pread(opened, there.data(), there.size(), at) == std::ssize(there);
         at = std::max(off_t{512}, 2 * at))
        if (std::string_view(there.data(), there.size()) == hdf5_signature) return true;
    return false;
}

Reader::Reader(const std::string& file) : name_(file) {
    const Turn turn;
    check_readable(file);
    if (!is_hdf5(file)) throw InputError(fmt::format("{}: is not an HDF5 file", file));
    const Properties access = reading_access(file);  // its end would end HDF5's reason for a failure, too
    file_ = File(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access));
    if (!file_.valid()) throw InputError(fmt::format("{}: {}", file, why_not_opened(error_text())));
}

void Reader::refuse(std::string_view path, std::string_view complaint) const {
    throw InputError(fmt::format("{}: {}: {}", name_, path, complaint));
}

Reader::Place Reader::place_of(const std::string& path) const {
    const auto slash = path.rfind('/');
    if (slash == 0 || slash == std::string::npos) return {file_, path};
    return {group_at(path.substr(0, slash)), path.substr(slash + 1)};
}

hid_t Reader::group_at(const std::string& path) const {
    if (const auto known = groups_.find(path); known != groups_.end()) return known->second;
    if (!exists(path)) return H5I_INVALID_HID;
    const auto [parent, name] = place_of(path);
    Object object(look(H5Oopen(parent, name.c_str(), H5P_DEFAULT), path));
    if (look(H5Iget_type(object), path) != H5I_GROUP) return H5I_INVALID_HID;
    return groups_.emplace(path, std::move(object)).first->second;
}

/// A path leads on only through groups; HDF5 fails where it does not.
bool Reader::exists(const std::string& path) const {
    const Turn turn;
    if (groups_.count(path) > 0) return true;
    const auto [parent, name] = place_of(path);
    return parent >= 0 && look(H5Lexists(parent, name.c_str(), H5P_DEFAULT), path) > 0 &&
           look(H5Oexists_by_name(parent, name.c_str(), H5P_DEFAULT), path) > 0;
}

bool Reader::is_group(const std::string& path) const {
    const Turn turn;
    return group_at(path) >= 0;
}

std::vector<std::string> Reader::children(const std::string& group) const {
    const Turn turn;
    std::vector<std::string> names;
    const hid_t there = group_at(group);
    if (there < 0) return names;
    const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
        static_cast<std::vector<std::string>*>(to)->emplace_back(name);
        return 0;
    };
    look(H5Literate(there, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, collect, &names), group);
    std::sort(names.begin(), names.end());
    return names;
}

std::uint64_t Reader::file_bytes(std::string_view path) const {
    const Turn turn;
    hsize_t bytes = 0;
    look(H5Fget_filesize(file_, &bytes), path);
    return bytes;
}

Dataset Reader::dataset(const std::string& path) const {
    const Turn turn;
    if (!exists(path)) refuse(path, "is missing, expected a dataset");
    const auto [group, name] = place_of(path);
    Object object(look(H5Oopen(group, name.c_str(), H5P_DEFAULT), path));
    if (const H5I_type_t kind = look(H5Iget_type(object), path); kind != H5I_DATASET)
        refuse(path, fmt::format("is a {}, expected a dataset", kind == H5I_GROUP ? "group" : "named type"));
    Dataset data(object.let_go());
    check_claims(path, data);
    return data;
}

void Reader::read(const Dataset& data, hid_t type, void* to, std::string_view path) const {
    const Turn turn;
    look(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to), path);
}

/// HDF5 1.10 takes the memory of an element before it looks for its bytes, and does not compare what lies in a
/// dataset's header with what the dataset claims, and reads beyond it.
void Reader::check_claims(const std::string& path, const Dataset& data) const {
    const Turn turn;
    const std::size_t element = size_of(type_of(data));
    if (const std::uint64_t held = file_bytes(path); element > held)
        refuse(path, fmt::format("claims elements of {} bytes in a file of {}; the file is damaged", element, held));
    if (H5Dget_offset(data) != HADDR_UNDEF) return;  // in one piece beside the header
    if (look(H5Pget_layout(creation_of(data)), path) != H5D_COMPACT) return;
    const hsize_t stored = H5Dget_storage_size(data);
    const auto claimed = static_cast<hsize_t>(element_count(space_of(data))) * element;
    if (stored < claimed)
        refuse(path, fmt::format("claims {} bytes but holds {}; the file is damaged", claimed, stored));
}

Table Reader::table(const std::string& path, const Expected& expected) const {
    const Turn turn;
    const Dataset data = dataset(path);
    const auto extents = shape(data);
    const std::size_t axes = expected.columns ? 2 : 1;
    const bool fits = extents.size() == axes &&
                      (!expected.rows || static_cast<hsize_t>(*expected.rows) == extents[0]) &&
                      (!expected.columns || static_cast<hsize_t>(*expected.columns) == extents[1]);
    if (!fits) {
        const std::string rows = expected.rows ? fmt::format("{}", *expected.rows) : "any number of";
        const std::string wanted = expected.columns ? fmt::format("{} x {} numbers", rows, *expected.columns)
                                                    : fmt::format("{} numbers along one axis", rows);
        refuse(path, fmt::format("holds {}, expected {}{}{}", shape_text(data), wanted,
                                 expected.meaning.empty() ? "" : ", ", expected.meaning));
    }
    const Type type = type_of(data);
    if (!is_number(type)) refuse(path, fmt::format("holds {}, expected numbers", type_text(type)));
    const hsize_t rows = extents[0], columns = axes == 2 ? extents[1] : 1;
    const std::uint64_t most = expected.rows ? longest_table : longest_short_table;
    if (columns != 0 && rows > most / columns)
        refuse(path, fmt::format("claims {}, expected metadata of at most {} numbers; the file is damaged",
                                 shape_text(data), most));
    Table result{.rows = static_cast<std::int64_t>(rows), .columns = static_cast<std::int64_t>(columns), .values = {}};
    if (const auto bytes = rows * columns * sizeof(double); bytes > worth_asking_bytes) {
        // What was never written need not be there at all, but is no metadata.
        if (const std::uint64_t held = file_bytes(path); bytes / greatest_deflate_ratio > held)
            refuse(path, fmt::format("claims {}, more than a file of {} bytes can hold; the file is damaged",
                                     shape_text(data), held));
        require_memory(static_cast<double>(bytes), fmt::format("{}: {}: {}", name_, path, shape_text(data)));
    }
    result.values.resize(static_cast<std::size_t>(rows * columns));
    if (!result.values.empty()) read(data, H5T_NATIVE_DOUBLE, result.values.data(), path);
    const auto bad =
        std::find_if(result.values.begin(), result.values.end(), [](double v) { return !std::isfinite(v); });
    if (bad != result.values.end())
        refuse(path, fmt::format("is {} at index {}, expected finite numbers", *bad,
                                 (bad - result.values.begin()) / result.columns));
    return result;
}

double Reader::number(const std::string& path) const {
    const Turn turn;
    const Dataset data = dataset(path);
    const Type type = type_of(data);
    if (!is_number(type)) refuse(path, fmt::format("holds {}, expected a number", type_text(type)));
    if (element_count(space_of(data)) != 1)
        refuse(path, fmt::format("holds {}, expected a single number", shape_text(data)));
    double value = 0;
    read(data, H5T_NATIVE_DOUBLE, &value, path);
    if (!std::isfinite(value)) refuse(path, fmt::format("is {}, expected a finite number", value));
    return value;
}

std::optional<double> Reader::optional_number(const std::string& path) const {
    return exists(path) ? std::optional(number(path)) : std::nullopt;
}

std::optional<std::string> Reader::optional_text(const std::string& path) const {
    const Turn turn;
    if (!exists(path) || is_group(path)) return std::nullopt;
    const Dataset data = dataset(path);
    return read_text(type_of(data), space_of(data), [&](hid_t memory, void* to) { read(data, memory, to, path); });
}

std::optional<std::string> Reader::attribute(const std::string& path, const std::string& name) const {
    const Turn turn;
    if (!exists(path)) return std::nullopt;
    const auto [group, object] = place_of(path);
    if (look(H5Aexists_by_name(group, object.c_str(), name.c_str(), H5P_DEFAULT), path) == 0) return std::nullopt;
    const Attribute attribute(
        look(H5Aopen_by_name(group, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), path));
    return read_text(Type(look(H5Aget_type(attribute), path)), Space(look(H5Aget_space(attribute), path)),
                     [&](hid_t memory, void* to) { look(H5Aread(attribute, memory, to), path); });
}

}  // namespace cornerturn::h5

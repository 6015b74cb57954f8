// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cornerturn::h5 {
namespace {

/// HDF5 shall not tidy up at exit: our handles have done that, and a file whose closing failed on a full disk would crash it.
/// Must come before any other call.
[[maybe_unused]] const herr_t no_exit_handler = H5dont_atexit();

/// HDF5 reports a failed system call with time, addresses and pointers; only the system's own words matter.
std::string shortened(std::string text) {
    static constexpr std::string_view key = "error message = '";
    if (const auto at = text.find(key); at != std::string::npos) {
        const auto start = at + key.size();
        text = text.substr(start, text.find('\'', start) - start);
    }
    for (char& c : text)
        if (c == '\n') c = ' ';
    return text;
}

std::string compound_text(hid_t type) {
    std::vector<std::string> members;
    const int count = H5Tget_nmembers(type);
    for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
        char* name = H5Tget_member_name(type, i);
        const Type member(H5Tget_member_type(type, i));
        members.push_back(fmt::format("{}: {}", name, type_text(member)));
        H5free_memory(name);
    }
    return fmt::format("compound {{{}}}", fmt::join(members, ", "));
}

}  // namespace

void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

std::string error_text() {
    std::string text;
    const auto innermost = [](unsigned depth, const H5E_error2_t* entry, void* to) -> herr_t {
        if (depth == 0 && entry->desc != nullptr) *static_cast<std::string*>(to) = entry->desc;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &text);
    return text.empty() ? "no reason given by HDF5" : shortened(text);
}

Type complex_type(hid_t member) {
    const std::size_t size = H5Tget_size(member);
    Type type(H5Tcreate(H5T_COMPOUND, 2 * size));
    H5Tinsert(type, "r", 0, member);
    H5Tinsert(type, "i", size, member);
    return type;
}

Type float16_type() {
    Type type(H5Tcopy(H5T_IEEE_F32LE));
    H5Tset_fields(type, 15, 10, 5, 0, 10);
    H5Tset_size(type, 2);
    H5Tset_ebias(type, 15);
    return type;
}

std::vector<hsize_t> shape(const Dataset& dataset) {
    const Space space(H5Dget_space(dataset));
    const int rank = H5Sget_simple_extent_ndims(space);
    std::vector<hsize_t> extents(rank > 0 ? static_cast<std::size_t>(rank) : 0);
    if (rank > 0) H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    return extents;
}

std::string shape_text(const Dataset& dataset) {
    const auto extents = shape(dataset);
    if (extents.empty()) return H5Sget_simple_extent_type(Space(H5Dget_space(dataset))) == H5S_NULL ? "nothing" : "a single value";
    return extents.size() == 1 ? fmt::format("{} values", extents[0]) : fmt::format("{}", fmt::join(extents, " x "));
}

std::string type_text(hid_t type) {
    const std::size_t bits = 8 * H5Tget_size(type);
    const char* order = H5Tget_order(type) == H5T_ORDER_BE ? " big-endian" : "";
    switch (H5Tget_class(type)) {
        case H5T_INTEGER: return fmt::format("{}int{}{}", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "", bits, order);
        case H5T_FLOAT: return fmt::format("float{}{}", bits, order);
        case H5T_STRING: return "text";
        case H5T_COMPOUND: return compound_text(type);
        case H5T_ENUM: return fmt::format("enumeration of {} bits", bits);
        default: return fmt::format("a type of {} bits that is no number", bits);
    }
}

}  // namespace cornerturn::h5

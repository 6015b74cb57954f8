// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5/hdf5.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>

#include "data/hdf5/at_exit.h"
#include "kernels/errors.h"

namespace cornerturn::h5 {
namespace {

std::recursive_mutex one_at_a_time;
thread_local int turns = 0;

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
    for (unsigned i = 0; i < member_count(type); ++i)
        members.push_back(fmt::format("{}: {}", member_name(type, i), type_text(member_type(type, i))));
    return fmt::format("compound {{{}}}", fmt::join(members, ", "));
}

/// What `get_name` says of an object; nothing of what has no name.
std::string name_by(ssize_t (*get_name)(hid_t, char*, std::size_t), hid_t object) {
    std::string text(512, '\0');
    const ssize_t length = get_name(object, text.data(), text.size());
    text.resize(length > 0 ? std::min(text.size() - 1, static_cast<std::size_t>(length)) : 0);
    return text;
}

}  // namespace

Turn::Turn() {
    one_at_a_time.lock();
    if (++turns > 1) return;
    H5Eget_auto2(H5E_DEFAULT, &print_, &print_to_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
Turn::~Turn() {
    if (--turns == 0) H5Eset_auto2(H5E_DEFAULT, print_, print_to_);
    one_at_a_time.unlock();
}
bool Turn::is_mine() noexcept { return turns > 0; }

void leave_nothing_to_exit() { H5dont_atexit(); }

std::string error_text() {
    const Turn turn;
    std::string text;
    const auto innermost = [](unsigned depth, const H5E_error2_t* entry, void* to) -> herr_t {
        if (depth == 0 && entry->desc != nullptr) *static_cast<std::string*>(to) = entry->desc;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &text);
    return text.empty() ? "no reason given by HDF5" : shortened(text);
}

void throw_failed(const char* call) { throw DeviceError(fmt::format("HDF5: {} failed: {}", call, error_text())); }

void throw_damaged(hid_t object) {
    const Turn turn;
    const std::string reason = error_text();  // before calls that leave another
    const std::string file = name_by(H5Fget_name, object), path = name_by(H5Iget_name, object);
    throw InputError(fmt::format("{}: {}: cannot be read: {}; the file is damaged", file, path, reason));
}

Type complex_type(hid_t member) {
    const Turn turn;
    const std::size_t size = size_of(member);
    Type type = empty_compound(2 * size);
    add_member(type, "r", 0, member);
    add_member(type, "i", size, member);
    return type;
}

Type float16_type() {
    const Turn turn;
    Type type(checked(H5Tcopy(H5T_IEEE_F32LE), "H5Tcopy"));
    checked(H5Tset_fields(type, 15, 10, 5, 0, 10), "H5Tset_fields");
    checked(H5Tset_size(type, 2), "H5Tset_size");
    checked(H5Tset_ebias(type, 15), "H5Tset_ebias");
    return type;
}

Space space_of(const Dataset& dataset) {
    const Turn turn;
    return Space(found(H5Dget_space(dataset), dataset));
}
Type type_of(const Dataset& dataset) {
    const Turn turn;
    return Type(found(H5Dget_type(dataset), dataset));
}
Properties creation_of(const Dataset& dataset) {
    const Turn turn;
    return Properties(found(H5Dget_create_plist(dataset), dataset));
}

std::vector<hsize_t> shape(const Dataset& dataset) {
    const Turn turn;
    const Space space = space_of(dataset);
    const int rank = checked(H5Sget_simple_extent_ndims(space), "H5Sget_simple_extent_ndims");
    std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
    if (rank > 0) checked(H5Sget_simple_extent_dims(space, extents.data(), nullptr), "H5Sget_simple_extent_dims");
    return extents;
}

H5T_class_t class_of(hid_t type) {
    const Turn turn;
    return checked(H5Tget_class(type), "H5Tget_class");
}

std::size_t size_of(hid_t type) {
    const Turn turn;
    const std::size_t size = H5Tget_size(type);
    if (size == 0) throw_failed("H5Tget_size");
    return size;
}

bool same_type(hid_t a, hid_t b) {
    const Turn turn;
    return checked(H5Tequal(a, b), "H5Tequal") > 0;
}

unsigned member_count(hid_t compound) {
    const Turn turn;
    return static_cast<unsigned>(checked(H5Tget_nmembers(compound), "H5Tget_nmembers"));
}

std::string member_name(hid_t compound, unsigned index) {
    const Turn turn;
    char* const name = H5Tget_member_name(compound, index);
    if (name == nullptr) throw_failed("H5Tget_member_name");
    const std::string text = name;
    H5free_memory(name);
    return text;
}

Type member_type(hid_t compound, unsigned index) {
    const Turn turn;
    return Type(checked(H5Tget_member_type(compound, index), "H5Tget_member_type"));
}

Type empty_compound(std::size_t bytes) {
    const Turn turn;
    return Type(checked(H5Tcreate(H5T_COMPOUND, bytes), "H5Tcreate"));
}

void add_member(const Type& compound, const std::string& name, std::size_t offset, hid_t member) {
    const Turn turn;
    checked(H5Tinsert(compound, name.c_str(), offset, member), "H5Tinsert");
}

Space make_space(std::span<const hsize_t> extents) {
    const Turn turn;
    if (extents.empty()) return Space(checked(H5Screate(H5S_SCALAR), "H5Screate"));
    return Space(
        checked(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), "H5Screate_simple"));
}

std::int64_t element_count(const Space& space) {
    const Turn turn;
    return checked(H5Sget_simple_extent_npoints(space), "H5Sget_simple_extent_npoints");
}

void select_rows(const Space& matrix, hsize_t first_row, hsize_t rows, hsize_t columns) {
    const Turn turn;
    const hsize_t start[2] = {first_row, 0}, count[2] = {rows, columns};
    checked(H5Sselect_hyperslab(matrix, H5S_SELECT_SET, start, nullptr, count, nullptr), "H5Sselect_hyperslab");
}

std::string shape_text(const Dataset& dataset) {
    const Turn turn;
    const auto extents = shape(dataset);
    if (extents.empty())
        return checked(H5Sget_simple_extent_type(space_of(dataset)), "H5Sget_simple_extent_type") == H5S_NULL
                   ? "nothing"
                   : "a single value";
    return extents.size() == 1 ? fmt::format("{} values", extents[0]) : fmt::format("{}", fmt::join(extents, " x "));
}

std::string type_text(hid_t type) {
    const Turn turn;
    const std::size_t bits = 8 * size_of(type);
    const auto order = [&] { return checked(H5Tget_order(type), "H5Tget_order") == H5T_ORDER_BE ? " big-endian" : ""; };
    switch (class_of(type)) {
        case H5T_INTEGER:
            return fmt::format("{}int{}{}", checked(H5Tget_sign(type), "H5Tget_sign") == H5T_SGN_NONE ? "u" : "", bits,
                               order());
        case H5T_FLOAT: return fmt::format("float{}{}", bits, order());
        case H5T_STRING: return "text";
        case H5T_COMPOUND: return compound_text(type);
        case H5T_ENUM: return fmt::format("enumeration of {} bits", bits);
        default: return fmt::format("a type of {} bits that is no number", bits);
    }
}

}  // namespace cornerturn::h5

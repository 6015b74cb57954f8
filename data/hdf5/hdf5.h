// SPDX-License-Identifier: Apache-2.0
// Owners of HDF5 identifiers and the few C calls that readers and writers share.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cornerturn::h5 {

/// Held around calls of HDF5: one thread at a time, in whatever build of the library. Thread-safe builds take turns
/// call by call anyway, but not in the high-level library (H5DS), and others not at all: there an error's reason, too,
/// may be another thread's. So everything from a call to the reason of its failure happens in one turn. May be taken
/// again by the thread that has it. In a turn HDF5 does not print its errors; what the host program has it do with them
/// is back afterwards.
class Turn {
public:
    Turn();
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// Whether this thread has it.
    static bool is_mine() noexcept;

private:
    H5E_auto2_t print_ = nullptr;  // of the host program
    void* print_to_ = nullptr;
};

/// Throw with the reason that HDF5 gives: DeviceError naming the call, InputError naming the file of `object` and the
/// place in it.
[[noreturn]] void throw_failed(const char* call);
[[noreturn]] void throw_damaged(hid_t object);

/// What a call of HDF5 gave that looks into no file: an identifier, a number, a status. Throws DeviceError if it
/// failed.
template <class Result>
Result checked(Result result, const char* call) {
    if (static_cast<std::int64_t>(result) < 0) throw_failed(call);
    return result;
}

/// The same of a call that looks into the file of `object`. Throws InputError if it failed.
template <class Result>
Result found(Result result, hid_t object) {
    if (static_cast<std::int64_t>(result) < 0) throw_damaged(object);
    return result;
}

/// Owns one HDF5 identifier; `release` closes it. Passes as the identifier wherever the C API wants one.
template <herr_t (*release)(hid_t)>
class Handle {
public:
    Handle() = default;
    explicit Handle(hid_t id) : id_(id) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    ~Handle() { close(); }
    operator hid_t() const { return id_; }
    bool valid() const { return id_ >= 0; }
    /// To be owned by another.
    hid_t let_go() { return std::exchange(id_, H5I_INVALID_HID); }
    /// Closes now; false if that failed.
    bool close() {
        if (!valid()) return true;
        const Turn turn;
        return release(std::exchange(id_, H5I_INVALID_HID)) >= 0;
    }

private:
    hid_t id_ = H5I_INVALID_HID;
};

using File = Handle<H5Fclose>;
using Object = Handle<H5Oclose>;
using Dataset = Handle<H5Dclose>;
using Space = Handle<H5Sclose>;
using Type = Handle<H5Tclose>;
using Properties = Handle<H5Pclose>;
using Attribute = Handle<H5Aclose>;

/// The innermost entry of the error stack of the last failed call, in one line.
std::string error_text();

/// Compound {r, i} of two packed members of a type.
Type complex_type(hid_t member);

/// IEEE binary16, little endian; HDF5 1.10 has no name for it.
Type float16_type();

/// What is known of a dataset.
Space space_of(const Dataset& dataset);
Type type_of(const Dataset& dataset);
Properties creation_of(const Dataset& dataset);
std::vector<hsize_t> shape(const Dataset& dataset);

/// What is known of a type.
H5T_class_t class_of(hid_t type);
std::size_t size_of(hid_t type);
bool same_type(hid_t a, hid_t b);
unsigned member_count(hid_t compound);
std::string member_name(hid_t compound, unsigned index);
Type member_type(hid_t compound, unsigned index);
inline bool is_number(hid_t type) { return class_of(type) == H5T_FLOAT || class_of(type) == H5T_INTEGER; }

/// A compound without members, and one more of these.
Type empty_compound(std::size_t bytes);
void add_member(const Type& compound, const std::string& name, std::size_t offset, hid_t member);

/// A space of these extents; of a single value without any.
Space make_space(std::span<const hsize_t> extents);
std::int64_t element_count(const Space& space);
/// Chooses rows of a matrix.
void select_rows(const Space& matrix, hsize_t first_row, hsize_t rows, hsize_t columns);

/// `512 x 2048`, `7 values`, `a single value` or `nothing`.
std::string shape_text(const Dataset& dataset);

/// What a type is, for people: `float32`, `compound {r: int16, i: int16}`, `text`.
std::string type_text(hid_t type);

}  // namespace cornerturn::h5

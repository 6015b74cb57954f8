// SPDX-License-Identifier: Apache-2.0
// Owners of HDF5 identifiers and the few C calls that readers and writers share.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>
#include <vector>

namespace cornerturn::h5 {

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
    ~Handle() {
        if (valid()) release(id_);
    }
    operator hid_t() const { return id_; }
    bool valid() const { return id_ >= 0; }
    /// Closes now; false if that failed.
    bool close() { return !valid() || release(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

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

/// Keeps HDF5 from printing its error stack. Per thread in thread-safe builds of HDF5.
void silence();

/// The innermost entry of the error stack of the last failed call, in one line.
std::string error_text();

/// Compound {r, i} of two packed members of a type.
Type complex_type(hid_t member);

/// IEEE binary16, little endian; HDF5 1.10 has no name for it.
Type float16_type();

/// The extents of a dataset.
std::vector<hsize_t> shape(const Dataset& dataset);

/// `512 x 2048`, `7 values`, `a single value` or `nothing`.
std::string shape_text(const Dataset& dataset);

/// What a type is, for people: `float32`, `compound {r: int16, i: int16}`, `text`.
std::string type_text(hid_t type);

}  // namespace cornerturn::h5

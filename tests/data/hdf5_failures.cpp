// SPDX-License-Identifier: Apache-2.0
#include "tests/data/hdf5_failures.h"

#include <dlfcn.h>
#include <hdf5.h>

#include <set>
#include <type_traits>
#include <utility>

#include "data/hdf5/hdf5.h"

namespace cornerturn {
namespace {

std::set<const void*> places;  // in the program, that have seen a failure
bool armed = false;
const char* failed = "";
bool watching = false;
std::set<std::string> out_of_turn;

bool fails_now(const char* name, const void* place) {
    if (watching && !h5::Turn::is_mine()) out_of_turn.insert(name);
    if (!armed || !places.insert(place).second) return false;
    armed = false;
    failed = name;
    return true;
}

/// The library's own function of a name, unless it is its turn to fail: by a negative number or by nothing.
template <class Result, class... Parameters>
Result call(Result (*)(Parameters...), const char* name, const void* place,
            std::type_identity_t<Parameters>... arguments) {
    if (fails_now(name, place)) {
        if constexpr (std::is_unsigned_v<Result> || std::is_pointer_v<Result>)
            return Result{};
        else
            return static_cast<Result>(-1);
    }
    return reinterpret_cast<Result (*)(Parameters...)>(dlsym(RTLD_NEXT, name))(arguments...);
}

}  // namespace

void begin_hdf5_failures() { places.clear(); }

void let_hdf5_fail_elsewhere() {
    armed = watching = true;
    failed = "";
}

std::string failed_hdf5_call() {
    armed = watching = false;
    return failed;
}

std::set<std::string> hdf5_calls_out_of_turn() { return std::exchange(out_of_turn, {}); }

}  // namespace cornerturn

using cornerturn::call;

extern "C" {
hid_t H5Dget_space(hid_t a) { return call(&H5Dget_space, __func__, __builtin_return_address(0), a); }
hid_t H5Dget_type(hid_t a) { return call(&H5Dget_type, __func__, __builtin_return_address(0), a); }
hid_t H5Dget_create_plist(hid_t a) { return call(&H5Dget_create_plist, __func__, __builtin_return_address(0), a); }
hid_t H5Dopen2(hid_t a, const char* b, hid_t c) {
    return call(&H5Dopen2, __func__, __builtin_return_address(0), a, b, c);
}
hid_t H5Dcreate2(hid_t a, const char* b, hid_t c, hid_t d, hid_t e, hid_t f, hid_t g) {
    return call(&H5Dcreate2, __func__, __builtin_return_address(0), a, b, c, d, e, f, g);
}
herr_t H5Dread(hid_t a, hid_t b, hid_t c, hid_t d, hid_t e, void* f) {
    return call(&H5Dread, __func__, __builtin_return_address(0), a, b, c, d, e, f);
}
herr_t H5Dwrite(hid_t a, hid_t b, hid_t c, hid_t d, hid_t e, const void* f) {
    return call(&H5Dwrite, __func__, __builtin_return_address(0), a, b, c, d, e, f);
}
// Up to HDF5 1.14, and since 2.0, where the first is a macro for the second.
#undef H5Dread_chunk
herr_t H5Dread_chunk(hid_t a, hid_t b, const hsize_t* c, std::uint32_t* d, void* e) {
    return call(&H5Dread_chunk, __func__, __builtin_return_address(0), a, b, c, d, e);
}
herr_t H5Dread_chunk2(hid_t a, hid_t b, const hsize_t* c, std::uint32_t* d, void* e, std::size_t* f) {
    return call(&H5Dread_chunk2, __func__, __builtin_return_address(0), a, b, c, d, e, f);
}
herr_t H5Dwrite_chunk(hid_t a, hid_t b, std::uint32_t c, const hsize_t* d, std::size_t e, const void* f) {
    return call(&H5Dwrite_chunk, __func__, __builtin_return_address(0), a, b, c, d, e, f);
}
herr_t H5Literate_by_name(hid_t a, const char* b, H5_index_t c, H5_iter_order_t d, hsize_t* e, H5L_iterate_t f, void* g,
                          hid_t h) {
    return call(&H5Literate_by_name, __func__, __builtin_return_address(0), a, b, c, d, e, f, g, h);
}
H5Z_filter_t H5Pget_filter2(hid_t a, unsigned b, unsigned* c, size_t* d, unsigned* e, std::size_t f, char* g,
                            unsigned* h) {
    return call(&H5Pget_filter2, __func__, __builtin_return_address(0), a, b, c, d, e, f, g, h);
}
herr_t H5Dget_chunk_storage_size(hid_t a, const hsize_t* b, hsize_t* c) {
    return call(&H5Dget_chunk_storage_size, __func__, __builtin_return_address(0), a, b, c);
}
hid_t H5Fopen(const char* a, unsigned b, hid_t c) {
    return call(&H5Fopen, __func__, __builtin_return_address(0), a, b, c);
}
hid_t H5Fcreate(const char* a, unsigned b, hid_t c, hid_t d) {
    return call(&H5Fcreate, __func__, __builtin_return_address(0), a, b, c, d);
}
hid_t H5Gcreate2(hid_t a, const char* b, hid_t c, hid_t d, hid_t e) {
    return call(&H5Gcreate2, __func__, __builtin_return_address(0), a, b, c, d, e);
}
htri_t H5Lexists(hid_t a, const char* b, hid_t c) {
    return call(&H5Lexists, __func__, __builtin_return_address(0), a, b, c);
}
htri_t H5Oexists_by_name(hid_t a, const char* b, hid_t c) {
    return call(&H5Oexists_by_name, __func__, __builtin_return_address(0), a, b, c);
}
hid_t H5Oopen(hid_t a, const char* b, hid_t c) {
    return call(&H5Oopen, __func__, __builtin_return_address(0), a, b, c);
}
htri_t H5Aexists_by_name(hid_t a, const char* b, const char* c, hid_t d) {
    return call(&H5Aexists_by_name, __func__, __builtin_return_address(0), a, b, c, d);
}
hid_t H5Aopen_by_name(hid_t a, const char* b, const char* c, hid_t d, hid_t e) {
    return call(&H5Aopen_by_name, __func__, __builtin_return_address(0), a, b, c, d, e);
}
hid_t H5Aget_type(hid_t a) { return call(&H5Aget_type, __func__, __builtin_return_address(0), a); }
hid_t H5Aget_space(hid_t a) { return call(&H5Aget_space, __func__, __builtin_return_address(0), a); }
herr_t H5Aread(hid_t a, hid_t b, void* c) { return call(&H5Aread, __func__, __builtin_return_address(0), a, b, c); }
hid_t H5Acreate2(hid_t a, const char* b, hid_t c, hid_t d, hid_t e, hid_t f) {
    return call(&H5Acreate2, __func__, __builtin_return_address(0), a, b, c, d, e, f);
}
herr_t H5Awrite(hid_t a, hid_t b, const void* c) {
    return call(&H5Awrite, __func__, __builtin_return_address(0), a, b, c);
}
hid_t H5Screate(H5S_class_t a) { return call(&H5Screate, __func__, __builtin_return_address(0), a); }
hid_t H5Screate_simple(int a, const hsize_t* b, const hsize_t* c) {
    return call(&H5Screate_simple, __func__, __builtin_return_address(0), a, b, c);
}
int H5Sget_simple_extent_ndims(hid_t a) {
    return call(&H5Sget_simple_extent_ndims, __func__, __builtin_return_address(0), a);
}
int H5Sget_simple_extent_dims(hid_t a, hsize_t* b, hsize_t* c) {
    return call(&H5Sget_simple_extent_dims, __func__, __builtin_return_address(0), a, b, c);
}
hssize_t H5Sget_simple_extent_npoints(hid_t a) {
    return call(&H5Sget_simple_extent_npoints, __func__, __builtin_return_address(0), a);
}
herr_t H5Sselect_hyperslab(hid_t a, H5S_seloper_t b, const hsize_t* c, const hsize_t* d, const hsize_t* e,
                           const hsize_t* f) {
    return call(&H5Sselect_hyperslab, __func__, __builtin_return_address(0), a, b, c, d, e, f);
}
hid_t H5Pcreate(hid_t a) { return call(&H5Pcreate, __func__, __builtin_return_address(0), a); }
herr_t H5Pset_chunk(hid_t a, int b, const hsize_t* c) {
    return call(&H5Pset_chunk, __func__, __builtin_return_address(0), a, b, c);
}
herr_t H5Pset_shuffle(hid_t a) { return call(&H5Pset_shuffle, __func__, __builtin_return_address(0), a); }
herr_t H5Pset_deflate(hid_t a, unsigned b) {
    return call(&H5Pset_deflate, __func__, __builtin_return_address(0), a, b);
}
herr_t H5Pset_alloc_time(hid_t a, H5D_alloc_time_t b) {
    return call(&H5Pset_alloc_time, __func__, __builtin_return_address(0), a, b);
}
herr_t H5Pset_chunk_cache(hid_t a, std::size_t b, std::size_t c, double d) {
    return call(&H5Pset_chunk_cache, __func__, __builtin_return_address(0), a, b, c, d);
}
herr_t H5Pset_fill_time(hid_t a, H5D_fill_time_t b) {
    return call(&H5Pset_fill_time, __func__, __builtin_return_address(0), a, b);
}
herr_t H5Pset_create_intermediate_group(hid_t a, unsigned b) {
    return call(&H5Pset_create_intermediate_group, __func__, __builtin_return_address(0), a, b);
}
int H5Pget_nfilters(hid_t a) { return call(&H5Pget_nfilters, __func__, __builtin_return_address(0), a); }
int H5Pget_chunk(hid_t a, int b, hsize_t* c) {
    return call(&H5Pget_chunk, __func__, __builtin_return_address(0), a, b, c);
}
herr_t H5Pfill_value_defined(hid_t a, H5D_fill_value_t* b) {
    return call(&H5Pfill_value_defined, __func__, __builtin_return_address(0), a, b);
}
herr_t H5Pget_fill_value(hid_t a, hid_t b, void* c) {
    return call(&H5Pget_fill_value, __func__, __builtin_return_address(0), a, b, c);
}
hid_t H5Tcopy(hid_t a) { return call(&H5Tcopy, __func__, __builtin_return_address(0), a); }
hid_t H5Tcreate(H5T_class_t a, std::size_t b) { return call(&H5Tcreate, __func__, __builtin_return_address(0), a, b); }
herr_t H5Tinsert(hid_t a, const char* b, std::size_t c, hid_t d) {
    return call(&H5Tinsert, __func__, __builtin_return_address(0), a, b, c, d);
}
herr_t H5Tset_size(hid_t a, std::size_t b) { return call(&H5Tset_size, __func__, __builtin_return_address(0), a, b); }
herr_t H5Tset_strpad(hid_t a, H5T_str_t b) { return call(&H5Tset_strpad, __func__, __builtin_return_address(0), a, b); }
herr_t H5Tset_cset(hid_t a, H5T_cset_t b) { return call(&H5Tset_cset, __func__, __builtin_return_address(0), a, b); }
herr_t H5Tset_order(hid_t a, H5T_order_t b) { return call(&H5Tset_order, __func__, __builtin_return_address(0), a, b); }
herr_t H5Tset_fields(hid_t a, std::size_t b, std::size_t c, std::size_t d, std::size_t e, std::size_t f) {
    return call(&H5Tset_fields, __func__, __builtin_return_address(0), a, b, c, d, e, f);
}
herr_t H5Tset_ebias(hid_t a, std::size_t b) { return call(&H5Tset_ebias, __func__, __builtin_return_address(0), a, b); }
htri_t H5Tequal(hid_t a, hid_t b) { return call(&H5Tequal, __func__, __builtin_return_address(0), a, b); }
htri_t H5Tis_variable_str(hid_t a) { return call(&H5Tis_variable_str, __func__, __builtin_return_address(0), a); }
H5T_class_t H5Tget_class(hid_t a) { return call(&H5Tget_class, __func__, __builtin_return_address(0), a); }
int H5Tget_nmembers(hid_t a) { return call(&H5Tget_nmembers, __func__, __builtin_return_address(0), a); }
hid_t H5Tget_member_type(hid_t a, unsigned b) {
    return call(&H5Tget_member_type, __func__, __builtin_return_address(0), a, b);
}
std::size_t H5Tget_size(hid_t a) { return call(&H5Tget_size, __func__, __builtin_return_address(0), a); }
char* H5Tget_member_name(hid_t a, unsigned b) {
    return call(&H5Tget_member_name, __func__, __builtin_return_address(0), a, b);
}
H5D_layout_t H5Pget_layout(hid_t a) { return call(&H5Pget_layout, __func__, __builtin_return_address(0), a); }
}

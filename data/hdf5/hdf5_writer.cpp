// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5/hdf5_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "kernels/errors.h"
#include "kernels/interrupt.h"

namespace cornerturn::h5 {
namespace {

Type text_type(std::size_t length) {
    Type type(checked(H5Tcopy(H5T_C_S1), "H5Tcopy"));
    checked(H5Tset_size(type, std::max<std::size_t>(length, 1)), "H5Tset_size");
    checked(H5Tset_strpad(type, H5T_STR_NULLPAD), "H5Tset_strpad");
    checked(H5Tset_cset(type, H5T_CSET_ASCII), "H5Tset_cset");
    return type;
}

std::string name_of(hid_t object) {
    char name[256] = "";
    return H5Iget_name(object, name, sizeof name) > 0 ? name : "";
}

/// Takes the disk blocks now, so that HDF5, which does not survive it well, never runs out of them. File systems that cannot do
/// this are left alone.
int reserve(const File& file, std::uint64_t bytes) {
    void* descriptor = nullptr;
    if (bytes == 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, &descriptor) < 0) return 0;
    if (fallocate(*static_cast<int*>(descriptor), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0) return 0;
    return errno == ENOSPC || errno == EDQUOT ? errno : 0;
}

}  // namespace

Writer::Writer(const std::string& path, std::uint64_t expected_bytes)
    : output_(path, expected_bytes), make_groups_(checked(H5Pcreate(H5P_LINK_CREATE), "H5Pcreate")) {
    silence();
    checked(H5Pset_create_intermediate_group(make_groups_, 1), "H5Pset_create_intermediate_group");
    file_ = File(H5Fcreate(output_.temporary_path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    check(file_.valid(), "");
    if (const int error = reserve(file_, expected_bytes); error != 0)
        throw DeviceError(
            fmt::format("{}: no room for {:.1f} MiB: {}", path, static_cast<double>(expected_bytes) / (1 << 20), std::strerror(error)));
}

Writer::~Writer() = default;

void Writer::check(bool well, const std::string& path) const {
    if (!well)
        throw DeviceError(fmt::format("{}: cannot be written{}{}: {}", output_.path(), path.empty() ? "" : " at ", path, error_text()));
}

void Writer::group(const std::string& path) {
    const Object made(H5Gcreate2(file_, path.c_str(), make_groups_, H5P_DEFAULT, H5P_DEFAULT));
    check(made.valid(), path);
}

void Writer::array(const std::string& path, hid_t type, const std::vector<hsize_t>& extents, const void* values, const std::string& units,
                   const std::string& description) {
    const bool empty = std::find(extents.begin(), extents.end(), hsize_t{0}) != extents.end();
    const Space space = make_space(extents);
    const Dataset data(H5Dcreate2(file_, path.c_str(), type, space, make_groups_, H5P_DEFAULT, H5P_DEFAULT));
    check(data.valid(), path);
    check(empty || H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, path);
    if (!units.empty()) attribute(path, "units", units);
    if (!description.empty()) attribute(path, "description", description);
}

void Writer::text(const std::string& path, const std::string& value, const std::string& description) {
    array(path, text_type(value.size()), {}, value.c_str(), "", description);
}

void Writer::texts(const std::string& path, const std::vector<std::string>& values) {
    std::size_t length = 1;
    for (const std::string& value : values) length = std::max(length, value.size());
    std::string packed(length * values.size(), '\0');
    for (std::size_t i = 0; i < values.size(); ++i) values[i].copy(packed.data() + i * length, length);
    array(path, text_type(length), {values.size()}, packed.data(), "", "");
}

void Writer::attribute(const std::string& path, const std::string& name, const std::string& value) {
    const Object object(H5Oopen(file_, path.c_str(), H5P_DEFAULT));
    check(object.valid(), path);
    const Space space = make_space({});
    const Type type = text_type(value.size());
    const Attribute made(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT));
    check(made.valid() && H5Awrite(made, type, value.c_str()) >= 0, path);
}

void Writer::matrix(const std::string& path, hid_t type, std::int64_t rows, std::int64_t columns, const void* values) {
    const hsize_t extents[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
    const Space space = make_space(extents);
    const Dataset data(H5Dcreate2(file_, path.c_str(), type, space, make_groups_, H5P_DEFAULT, H5P_DEFAULT));
    check(data.valid(), path);
    const std::size_t row_bytes = static_cast<std::size_t>(columns) * size_of(type);
    const auto block = std::max<std::int64_t>(1, static_cast<std::int64_t>((64u << 20) / row_bytes));
    for (std::int64_t row = 0; row < rows; row += block)
        write_rows(data, row, std::min(block, rows - row),
                   static_cast<const std::byte*>(values) + static_cast<std::size_t>(row) * row_bytes);
}

void Writer::write_rows(const Dataset& data, std::int64_t first_row, std::int64_t rows, const void* values) {
    throw_if_interrupted();
    const Type type(H5Dget_type(data));
    const Space space(H5Dget_space(data));
    check(type.valid() && space.valid(), name_of(data));
    hsize_t extents[2] = {0, 0};
    check(H5Sget_simple_extent_dims(space, extents, nullptr) == 2, name_of(data));
    extents[0] = static_cast<hsize_t>(rows);
    select_rows(space, static_cast<hsize_t>(first_row), extents[0], extents[1]);
    const Space memory = make_space(extents);
    check(H5Dwrite(data, type, memory, space, H5P_DEFAULT, values) >= 0, name_of(data));
}

Dataset Writer::chunked(const std::string& path, hid_t type, std::int64_t rows, std::int64_t columns, const ChunkShape& chunks) {
    const hsize_t extents[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
    const hsize_t chunk[2] = {static_cast<hsize_t>(chunks.rows), static_cast<hsize_t>(chunks.columns)};
    const Space space = make_space(extents);
    const Properties creation(checked(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate")),
        access(checked(H5Pcreate(H5P_DATASET_ACCESS), "H5Pcreate"));
    checked(H5Pset_chunk(creation, 2, chunk), "H5Pset_chunk");
    checked(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
    if (chunks.deflate > 0) {
        checked(H5Pset_shuffle(creation), "H5Pset_shuffle");
        checked(H5Pset_deflate(creation, static_cast<unsigned>(chunks.deflate)), "H5Pset_deflate");
    } else {
        checked(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
    }
    checked(H5Pset_chunk_cache(access, 1, 0, 1), "H5Pset_chunk_cache");  // none: nothing waits in memory
    Dataset data(H5Dcreate2(file_, path.c_str(), type, space, make_groups_, creation, access));
    check(data.valid(), path);
    return data;
}

void Writer::write_chunk(const Dataset& data, std::int64_t row, std::int64_t column, std::span<const std::byte> stored) {
    throw_if_interrupted();
    const hsize_t offset[2] = {static_cast<hsize_t>(row), static_cast<hsize_t>(column)};
    check(H5Dwrite_chunk(data, H5P_DEFAULT, 0, offset, stored.size(), stored.data()) >= 0, name_of(data));
}

void Writer::commit() {
    throw_if_interrupted();
    check(file_.close(), "");
    struct stat about {};
    const std::string& name = output_.temporary_path();
    if (stat(name.c_str(), &about) == 0 && truncate(name.c_str(), about.st_size) != 0)  // gives back reserved blocks beyond the end
        throw DeviceError(fmt::format("{}: cannot be written: {}", output_.path(), std::strerror(errno)));
    output_.commit();
}

}  // namespace cornerturn::h5

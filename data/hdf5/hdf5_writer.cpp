// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5/hdf5_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5_hl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "data/files/file_descriptor.h"
#include "kernels/errors.h"
#include "kernels/interrupt.h"

namespace cornerturn::h5 {
namespace {

/// For text of so many bytes. ASCII is declared as such, as readers that ask for it are refused UTF-8 by HDF5.
Type text_type(std::size_t length, bool ascii) {
    const Turn turn;
    Type type(checked(H5Tcopy(H5T_C_S1), "H5Tcopy"));
    checked(H5Tset_size(type, std::max<std::size_t>(length, 1)), "H5Tset_size");
    checked(H5Tset_strpad(type, H5T_STR_NULLPAD), "H5Tset_strpad");
    checked(H5Tset_cset(type, ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8), "H5Tset_cset");
    return type;
}
bool is_ascii(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char letter) { return static_cast<unsigned char>(letter) < 0x80; });
}
Type text_type(const std::string& value) { return text_type(value.size(), is_ascii(value)); }

std::string name_of(hid_t object) {
    const Turn turn;
    char name[256] = "";
    return H5Iget_name(object, name, sizeof name) > 0 ? name : "";
}

/// By which the system knows the file; -1 where HDF5 does not tell.
int descriptor_of(const File& file) {
    const Turn turn;
    void* descriptor = nullptr;
    return H5Fget_vfd_handle(file, H5P_DEFAULT, &descriptor) < 0 ? -1 : *static_cast<int*>(descriptor);
}

/// Gives the error where there is no room. File systems that cannot take blocks before they are written are left alone.
int take_disk_blocks(int file, std::uint64_t bytes) {
    if (fallocate(file, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0) return 0;
    return errno == ENOSPC || errno == EDQUOT ? errno : 0;
}

/// A file whose metadata stay in memory until they are flushed: then the file on the disk is always a whole one,
/// whenever the program is killed between two flushes.
Properties access_for(Unfinished unfinished) {
    const Turn turn;
    Properties access(checked(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"));
    if (unfinished == Unfinished::removed) return access;
    H5AC_cache_config_t cache{};
    cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
    checked(H5Pget_mdc_config(access, &cache), "H5Pget_mdc_config");
    cache.evictions_enabled = false;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    checked(H5Pset_mdc_config(access, &cache), "H5Pset_mdc_config");
    return access;
}

/// Nothing of a dataset waits in memory.
Properties no_chunk_cache() {
    const Turn turn;
    Properties access(checked(H5Pcreate(H5P_DATASET_ACCESS), "H5Pcreate"));
    checked(H5Pset_chunk_cache(access, 1, 0, 1), "H5Pset_chunk_cache");
    return access;
}

/// Of datasets that do not keep the time of their making, with which the same work would give other bytes.
Properties without_times() {
    const Turn turn;
    Properties creation(checked(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate"));
    checked(H5Pset_obj_track_times(creation, false), "H5Pset_obj_track_times");
    return creation;
}

}  // namespace

ChunkShape strips_of(std::int64_t rows, std::int64_t columns, std::size_t element_bytes) {
    constexpr std::int64_t strip_bytes = std::int64_t{4} << 20;
    const std::int64_t row_bytes = columns * static_cast<std::int64_t>(element_bytes);
    return {.rows = std::clamp<std::int64_t>(strip_bytes / row_bytes, 1, rows), .columns = columns};
}

Writer::Writer(const std::string& path, std::uint64_t expected_bytes, Unfinished unfinished)
    : output_(path, expected_bytes, unfinished), in_one_piece_(without_times()) {
    const Turn turn;
    const Properties access = access_for(unfinished);
    file_ = File(H5Fcreate(output_.temporary_path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
    check(file_.valid(), "");
    descriptor_ = descriptor_of(file_);
}

Writer::Writer(const std::string& path, std::uint64_t expected_bytes, GoOn)
    : output_(path, expected_bytes, Unfinished::kept), in_one_piece_(without_times()) {
    const Turn turn;
    const Properties access = access_for(Unfinished::kept);
    file_ = File(H5Fopen(output_.temporary_path().c_str(), H5F_ACC_RDWR, access));
    check(file_.valid(), "");
    descriptor_ = descriptor_of(file_);
}

void Writer::begin_reserving() {
    if (std::exchange(reserved_, true) || output_.expected_bytes() == 0 || descriptor_ < 0) return;
    constexpr std::uint64_t worth_a_thread = 8 << 20;
    const std::uint64_t bytes = output_.expected_bytes();
    const auto when = bytes < worth_a_thread ? std::launch::deferred : std::launch::async;
    reserving_ = std::async(when, take_disk_blocks, descriptor_, bytes);
}

void Writer::finish_reserving() {
    begin_reserving();
    if (!reserving_.valid()) return;
    if (const int error = reserving_.get(); error != 0)
        throw DeviceError(fmt::format("{}: no room for {}: {}", output_.path(), size_text(output_.expected_bytes()),
                                      std::strerror(error)));
}

Writer::~Writer() = default;

void Writer::check(bool well, const std::string& path) const {
    if (!well)
        throw DeviceError(fmt::format("{}: cannot be written{}{}: {}", output_.path(), path.empty() ? "" : " at ", path,
                                      error_text()));
}

void Writer::group(const std::string& path) {
    const Turn turn;
    const auto [group, name] = place_of(path);
    const Object made(H5Gcreate2(group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    check(made.valid(), path);
}

std::pair<hid_t, std::string> Writer::place_of(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == 0) return {file_, path};
    const std::string group = path.substr(0, slash);
    auto known = groups_.find(group);
    if (known == groups_.end()) {
        const auto [above, name] = place_of(group);
        const htri_t there = H5Lexists(above, name.c_str(), H5P_DEFAULT);
        check(there >= 0, group);
        Object object(there > 0 ? H5Gopen2(above, name.c_str(), H5P_DEFAULT)
                                : H5Gcreate2(above, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        check(object.valid(), group);
        known = groups_.emplace(group, std::move(object)).first;
    }
    return {known->second, path.substr(slash + 1)};
}

Dataset Writer::created(const std::string& path, hid_t type, const Space& space) {
    const Turn turn;
    const auto [group, name] = place_of(path);
    Dataset data(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, in_one_piece_, H5P_DEFAULT));
    check(data.valid(), path);
    return data;
}

void Writer::array(const std::string& path, hid_t type, const std::vector<hsize_t>& extents, const void* values,
                   const std::string& units, const std::string& description) {
    const Turn turn;
    const bool empty = std::find(extents.begin(), extents.end(), hsize_t{0}) != extents.end();
    const Dataset data = created(path, type, make_space(extents));
    check(empty || H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, path);
    if (!units.empty()) describe(data, path, "units", text_type(units), units.c_str());
    if (!description.empty()) describe(data, path, "description", text_type(description), description.c_str());
}

void Writer::text(const std::string& path, const std::string& value, const std::string& description) {
    array(path, text_type(value), {}, value.c_str(), "", description);
}

void Writer::texts(const std::string& path, const std::vector<std::string>& values) {
    std::size_t length = 1;
    for (const std::string& value : values) length = std::max(length, value.size());
    std::string packed(length * values.size(), '\0');
    for (std::size_t i = 0; i < values.size(); ++i) values[i].copy(packed.data() + i * length, length);
    const bool ascii = std::all_of(values.begin(), values.end(), is_ascii);
    array(path, text_type(length, ascii), {values.size()}, packed.data(), "", "");
}

void Writer::attribute(const std::string& path, const std::string& name, const std::string& value) {
    attribute(path, name, text_type(value), value.c_str());
}

void Writer::attribute(const std::string& path, const std::string& name, hid_t type, const void* value) {
    const Turn turn;
    const auto [group, of] = place_of(path);
    const Object object(H5Oopen(group, of.c_str(), H5P_DEFAULT));
    check(object.valid(), path);
    describe(object, path, name, type, value);
}

void Writer::describe(hid_t object, const std::string& path, const std::string& name, hid_t type, const void* value) {
    const Turn turn;
    const Space space = make_space({});
    const Attribute made(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT));
    check(made.valid() && H5Awrite(made, type, value) >= 0, path);
}

void Writer::make_scale(const std::string& path, const std::string& name) {
    const Turn turn;
    check(H5DSset_scale(existing(path), name.c_str()) >= 0, path);
}

void Writer::attach_scales(const std::string& path, const std::string& rows, const std::string& columns) {
    const Turn turn;
    const Dataset data = existing(path);
    check(H5DSattach_scale(data, existing(rows), 0) >= 0, path);
    check(H5DSattach_scale(data, existing(columns), 1) >= 0, path);
}

void Writer::matrix(const std::string& path, hid_t type, std::int64_t rows, std::int64_t columns, const void* values) {
    const hsize_t extents[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
    const Dataset data = created(path, type, make_space(extents));
    const std::size_t row_bytes = static_cast<std::size_t>(columns) * size_of(type);
    const auto block = std::max<std::int64_t>(1, static_cast<std::int64_t>((64u << 20) / row_bytes));
    for (std::int64_t row = 0; row < rows; row += block)
        write_rows(data, row, std::min(block, rows - row),
                   static_cast<const std::byte*>(values) + static_cast<std::size_t>(row) * row_bytes);
}

/// Some rows in the file and in memory.
std::pair<Space, Space> Writer::rows_of(const Dataset& data, std::int64_t first_row, std::int64_t rows) const {
    const Turn turn;
    Space space(H5Dget_space(data));
    check(space.valid(), name_of(data));
    hsize_t extents[2] = {0, 0};
    check(H5Sget_simple_extent_dims(space, extents, nullptr) == 2, name_of(data));
    extents[0] = static_cast<hsize_t>(rows);
    select_rows(space, static_cast<hsize_t>(first_row), extents[0], extents[1]);
    return {std::move(space), make_space(extents)};
}

void Writer::write_rows(const Dataset& data, std::int64_t first_row, std::int64_t rows, const void* values) {
    finish_reserving();
    const Turn turn;
    throw_if_interrupted();
    const Type type = type_of(data);
    const auto [there, memory] = rows_of(data, first_row, rows);
    check(H5Dwrite(data, type, memory, there, H5P_DEFAULT, values) >= 0, name_of(data));
    note_given(static_cast<std::uint64_t>(checked(H5Sget_select_npoints(memory), "H5Sget_select_npoints")) *
               size_of(type));
}

/// Lets the system bring what was written to the disk meanwhile, so that committing waits for less. A hint: it is not
/// asked what came of it.
void Writer::note_given(std::uint64_t bytes) {
    constexpr std::uint64_t worth_a_call = 4 << 20;
    given_bytes_ += bytes;
    if (given_bytes_ < worth_a_call || descriptor_ < 0) return;
    sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE);
    given_bytes_ = 0;
}

/// HDF5 looks for the place of a chunk from the first one on: for each of very many that would take long.
std::optional<RowPlaces> Writer::places_of(const Dataset& data) const {
    constexpr hsize_t most_chunks = 4096;
    const Turn turn;
    const Properties creation = creation_of(data);
    const std::vector<hsize_t> extents = shape(data);
    const bool plain = checked(H5Pget_layout(creation), "H5Pget_layout") == H5D_CHUNKED &&
                       checked(H5Pget_nfilters(creation), "H5Pget_nfilters") == 0 && extents.size() == 2;
    if (!plain || descriptor_ < 0) return std::nullopt;
    hsize_t chunk[2] = {0, 0};
    checked(H5Pget_chunk(creation, 2, chunk), "H5Pget_chunk");
    if (chunk[1] != extents[1]) return std::nullopt;
    RowPlaces places{.rows_per_chunk = static_cast<std::int64_t>(chunk[0]),
                     .row_bytes = static_cast<std::size_t>(chunk[1]) * size_of(type_of(data)),
                     .chunks = {}};
    if ((extents[0] + chunk[0] - 1) / chunk[0] > most_chunks) return std::nullopt;
    for (hsize_t row = 0; row < extents[0]; row += chunk[0]) {
        const hsize_t first[2] = {row, 0};
        haddr_t place = HADDR_UNDEF;
        hsize_t bytes = 0;
        unsigned filters = 0;
        check(H5Dget_chunk_info_by_coord(data, first, &filters, &place, &bytes) >= 0, name_of(data));
        if (place == HADDR_UNDEF) return std::nullopt;
        places.chunks.push_back(place);
    }
    return places;
}

void Writer::write_rows(const RowPlaces& places, std::int64_t first_row, std::span<const std::byte> values) {
    throw_if_interrupted();
    finish_reserving();
    const std::size_t chunk_bytes = static_cast<std::size_t>(places.rows_per_chunk) * places.row_bytes;
    std::uint64_t at = static_cast<std::uint64_t>(first_row) * places.row_bytes;  // in the matrix
    note_given(values.size());
    while (!values.empty()) {
        const std::size_t within = at % chunk_bytes, here = std::min(values.size(), chunk_bytes - within);
        if (!write_at(descriptor_, places.chunks[at / chunk_bytes] + within, values.first(here)))
            throw DeviceError(fmt::format("{}: cannot be written: {}", output_.path(), std::strerror(errno)));
        values = values.subspan(here);
        at += here;
    }
}

void Writer::read_rows(const Dataset& data, std::int64_t first_row, std::int64_t rows, void* values) const {
    const Turn turn;
    throw_if_interrupted();
    const Type type = type_of(data);
    const auto [there, memory] = rows_of(data, first_row, rows);
    check(H5Dread(data, type, memory, there, H5P_DEFAULT, values) >= 0, name_of(data));
}

Dataset Writer::existing(const std::string& path) {
    const Turn turn;
    const Properties access = no_chunk_cache();
    const auto [group, name] = place_of(path);
    Dataset data(H5Dopen2(group, name.c_str(), access));
    check(data.valid(), path);
    return data;
}

Dataset Writer::chunked(const std::string& path, hid_t type, std::int64_t rows, std::int64_t columns,
                        const ChunkShape& chunks) {
    const Turn turn;
    const hsize_t extents[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
    const hsize_t chunk[2] = {static_cast<hsize_t>(chunks.rows), static_cast<hsize_t>(chunks.columns)};
    const Space space = make_space(extents);
    const Properties creation = without_times(), access = no_chunk_cache();
    checked(H5Pset_chunk(creation, 2, chunk), "H5Pset_chunk");
    checked(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
    if (chunks.deflate > 0) {
        checked(H5Pset_shuffle(creation), "H5Pset_shuffle");
        checked(H5Pset_deflate(creation, static_cast<unsigned>(chunks.deflate)), "H5Pset_deflate");
    } else {
        checked(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
    }
    const auto [group, name] = place_of(path);
    Dataset data(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, creation, access));
    check(data.valid(), path);
    begin_reserving();
    return data;
}

void Writer::write_chunk(const Dataset& data, std::int64_t row, std::int64_t column,
                         std::span<const std::byte> stored) {
    finish_reserving();
    const Turn turn;
    throw_if_interrupted();
    const hsize_t offset[2] = {static_cast<hsize_t>(row), static_cast<hsize_t>(column)};
    check(H5Dwrite_chunk(data, H5P_DEFAULT, 0, offset, stored.size(), stored.data()) >= 0, name_of(data));
}

void Writer::flush() {
    finish_reserving();
    {
        const Turn turn;
        check(H5Fflush(file_, H5F_SCOPE_GLOBAL) >= 0, "");
    }
    sync();
}

void Writer::sync() {
    if (descriptor_ >= 0 && fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS)
        throw DeviceError(fmt::format("{}: cannot be brought to the disk: {}", output_.path(), std::strerror(errno)));
}

void Writer::close() {
    finish_reserving();
    const Turn turn;
    groups_.clear();  // a file is open while one of its objects is
    check(file_.close(), "");
}

void Writer::commit() {
    throw_if_interrupted();
    close();
    struct stat about {};
    const std::string& name = output_.temporary_path();
    if (stat(name.c_str(), &about) == 0 &&
        truncate(name.c_str(), about.st_size) != 0)  // gives back reserved blocks beyond the end
        throw DeviceError(fmt::format("{}: cannot be written: {}", output_.path(), std::strerror(errno)));
    output_.commit();
}

}  // namespace cornerturn::h5

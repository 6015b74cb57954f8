// SPDX-License-Identifier: Apache-2.0
// Writing of HDF5 products: little endian, fixed-length text, units beside every number.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <future>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/files/output_file.h"
#include "data/hdf5/hdf5.h"

namespace cornerturn::h5 {

inline hid_t stored_type(std::uint8_t) { return H5T_STD_U8LE; }
inline hid_t stored_type(std::uint16_t) { return H5T_STD_U16LE; }
inline hid_t stored_type(std::uint32_t) { return H5T_STD_U32LE; }
inline hid_t stored_type(std::int32_t) { return H5T_STD_I32LE; }
inline hid_t stored_type(std::int64_t) { return H5T_STD_I64LE; }
inline hid_t stored_type(float) { return H5T_IEEE_F32LE; }
inline hid_t stored_type(double) { return H5T_IEEE_F64LE; }

/// How a matrix lies in pieces.
struct ChunkShape {
    std::int64_t rows = 0, columns = 0;
    int deflate = 0;  ///< level of compression behind a shuffle; 0: neither
};

/// Strips of whole rows, of some 4 MiB.
ChunkShape strips_of(std::int64_t rows, std::int64_t columns, std::size_t element_bytes);

/// Where the rows of a matrix lie in a file: in chunks of so many rows, each in one piece.
struct RowPlaces {
    std::int64_t rows_per_chunk = 0;
    std::size_t row_bytes = 0;
    std::vector<std::uint64_t> chunks;
};

/// An HDF5 file under construction. Paths are absolute; groups come into being as needed. All members throw DeviceError
/// where the system fails; unless commit() was reached nothing stays on the disk.
class Writer {
public:
    /// Throws InputError if the path cannot be written, DeviceError if the disk cannot take `expected_bytes`.
    Writer(const std::string& path, std::uint64_t expected_bytes, Unfinished unfinished = Unfinished::removed);
    /// Goes on with an unfinished file that was kept. Throws DeviceError if that is none of HDF5.
    struct GoOn {};
    Writer(const std::string& path, std::uint64_t expected_bytes, GoOn);
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void group(const std::string& path);
    template <class T>
    void number(const std::string& path, T value, const std::string& units = "", const std::string& description = "") {
        array(path, stored_type(value), {}, &value, units, description);
    }
    template <class T>
    void numbers(const std::string& path, const std::vector<T>& values, const std::string& units = "",
                 const std::string& description = "") {
        array(path, stored_type(T{}), {values.size()}, values.data(), units, description);
    }
    void numbers(const std::string& path, const std::vector<std::complex<float>>& values, const std::string& units = "",
                 const std::string& description = "") {
        array(path, complex_type(H5T_IEEE_F32LE), {values.size()}, values.data(), units, description);
    }
    /// Rows of `columns` values each.
    template <class T>
    void table(const std::string& path, const std::vector<T>& values, std::size_t columns,
               const std::string& units = "", const std::string& description = "") {
        array(path, stored_type(T{}), {values.size() / columns, columns}, values.data(), units, description);
    }
    /// Of any number of axes.
    template <class T>
    void cube(const std::string& path, const std::vector<T>& values, const std::vector<hsize_t>& extents,
              const std::string& units = "", const std::string& description = "") {
        array(path, stored_type(T{}), extents, values.data(), units, description);
    }
    void text(const std::string& path, const std::string& value, const std::string& description = "");
    void texts(const std::string& path, const std::vector<std::string>& values);
    /// A text attribute of a dataset or group.
    void attribute(const std::string& path, const std::string& name, const std::string& value);
    /// A number as an attribute; `type` as it is stored and in memory.
    template <class T>
    requires std::is_arithmetic_v<T>
    void attribute(const std::string& path, const std::string& name, T value) {
        attribute(path, name, stored_type(value), &value);
    }
    void attribute(const std::string& path, const std::string& name, hid_t type, const void* value);

    /// A dataset as the scale of an axis, as netCDF has them; and two of these as those of the rows and the columns of
    /// a matrix.
    void make_scale(const std::string& path, const std::string& name);
    void attach_scales(const std::string& path, const std::string& rows, const std::string& columns);

    /// Rows x columns elements in one piece.
    void matrix(const std::string& path, hid_t type, std::int64_t rows, std::int64_t columns, const void* values);
    /// The same in chunks, to be filled by write_rows, or by write_chunk where they are deflated. Those that are not
    /// get their places at once, and rows go straight there.
    Dataset chunked(const std::string& path, hid_t type, std::int64_t rows, std::int64_t columns,
                    const ChunkShape& chunks);
    void write_rows(const Dataset& data, std::int64_t first_row, std::int64_t rows, const void* values);
    /// Of chunks of whole rows that are not deflated; nothing where that is not so, or where there are too many.
    std::optional<RowPlaces> places_of(const Dataset& data) const;
    /// Beside whatever others do with HDF5.
    void write_rows(const RowPlaces& places, std::int64_t first_row, std::span<const std::byte> values);
    /// Writes one whole chunk as it is to be stored, beyond the edges of the matrix too, whose first element lies at
    /// row and column.
    void write_chunk(const Dataset& data, std::int64_t row, std::int64_t column, std::span<const std::byte> stored);

    /// A matrix in chunks that is there already. Throws DeviceError if it is not.
    Dataset existing(const std::string& path);
    void read_rows(const Dataset& data, std::int64_t first_row, std::int64_t rows, void* values) const;

    /// Waits until everything is on the disk. Between two calls an unfinished file that is to be kept does not change
    /// but in the elements of datasets and at its end.
    void flush();
    /// The same of what was given to the system already: of elements, that is.
    void sync();
    /// Ends the writing of a file that is kept unfinished.
    void close();
    /// Closes the file and gives it its name.
    void commit();

private:
    /// The group that an object of this path lies in, made where it is not there yet, and the name there.
    std::pair<hid_t, std::string> place_of(const std::string& path);
    /// In one piece.
    Dataset created(const std::string& path, hid_t type, const Space& space);
    void array(const std::string& path, hid_t type, const std::vector<hsize_t>& extents, const void* values,
               const std::string& units, const std::string& description);
    /// An attribute of an object that is open.
    void describe(hid_t object, const std::string& path, const std::string& name, hid_t type, const void* value);
    void check(bool well, const std::string& path) const;
    /// Beside other work, before the first samples: HDF5, which does not survive it well, never runs out of disk then.
    void begin_reserving();
    void finish_reserving();
    void note_given(std::uint64_t bytes);
    std::pair<Space, Space> rows_of(const Dataset& data, std::int64_t first_row, std::int64_t rows) const;

    OutputFile output_;
    File file_;
    std::map<std::string, Object> groups_;  ///< that objects were made in
    Properties in_one_piece_;
    int descriptor_ = -1;         ///< by which the system knows the file; -1 where HDF5 does not tell
    std::future<int> reserving_;  ///< gives an error of the system, or 0
    bool reserved_ = false;
    std::uint64_t given_bytes_ = 0;  ///< of rows, since the system was last asked to bring them to the disk
};

}  // namespace cornerturn::h5

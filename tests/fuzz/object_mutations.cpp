// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/object_mutations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "data/hdf5/hdf5.h"

namespace cornerturn::fuzz {
namespace {

using Extents = std::vector<hsize_t>;
using Bytes = std::vector<unsigned char>;

h5::File open_file(const std::string& path, unsigned mode) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    h5::File file(H5Fopen(path.c_str(), mode, H5P_DEFAULT));
    if (!file.valid()) throw std::runtime_error(path + ": no HDF5 file");
    return file;
}

/// Paths of all groups and datasets but the root.
std::vector<std::string> objects_of(hid_t file) {
    std::vector<std::string> names;
    const auto note = [](hid_t, const char* name, const H5O_info_t*, void* list) -> herr_t {
        if (std::string_view(name) != ".") static_cast<std::vector<std::string>*>(list)->emplace_back(name);
        return 0;
    };
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, note, &names, H5O_INFO_BASIC);
    return names;
}

std::vector<std::string> attributes_of(hid_t object) {
    std::vector<std::string> names;
    const auto note = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
        static_cast<std::vector<std::string>*>(list)->emplace_back(name);
        return 0;
    };
    hsize_t from = 0;
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &from, note, &names);
    return names;
}

bool is_dataset(hid_t file, const std::string& name) {
    return H5Iget_type(h5::Object(H5Oopen(file, name.c_str(), H5P_DEFAULT))) == H5I_DATASET;
}

/// A dataset or an attribute: what can be done to both alike.
struct Values {
    hid_t id;
    bool of_attribute;

    h5::Type type() const { return h5::Type(of_attribute ? H5Aget_type(id) : H5Dget_type(id)); }
    Extents extents() const {
        const h5::Space space(of_attribute ? H5Aget_space(id) : H5Dget_space(id));
        Extents extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
        H5Sget_simple_extent_dims(space, extents.data(), nullptr);
        return extents;
    }
    void read(hid_t as, void* to) const {
        of_attribute ? H5Aread(id, as, to) : H5Dread(id, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
    }
    void write(hid_t as, const void* from) const {
        of_attribute ? H5Awrite(id, as, from) : H5Dwrite(id, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, from);
    }
};

std::size_t count_of(const Extents& extents) {
    return std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
}

/// Raw bytes; none of types whose values lie elsewhere in the file.
Bytes bytes_of(const Values& values) {
    const h5::Type type = values.type();
    if (H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tis_variable_str(type) > 0 || H5Tdetect_class(type, H5T_REFERENCE) > 0)
        return {};
    Bytes bytes(count_of(values.extents()) * H5Tget_size(type));
    if (!bytes.empty()) values.read(type, bytes.data());
    return bytes;
}

/// One value, the first half or all give way to an extreme.
std::string fill(const Values& values, Chance& chance) {
    constexpr double huge = std::numeric_limits<double>::max(), none = std::numeric_limits<double>::quiet_NaN();
    constexpr std::array numbers{none,
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 huge,
                                 -huge,
                                 1e300,
                                 1e19,
                                 -1e19,
                                 4294967296.0,
                                 65537.0,
                                 1.0,
                                 0.0,
                                 -0.0,
                                 -1.0,
                                 0.5,
                                 1e-300,
                                 std::numeric_limits<double>::denorm_min()};
    constexpr std::array<unsigned char, 6> patterns{0, 0xff, 0x7f, 0x80, 0x1b, 'A'};
    const auto part = [&](std::size_t count) {
        const std::size_t first = chance.below(count);
        return chance.once_in(2) ? std::pair{first, std::min(first + 1, count)}
                                 : std::pair{std::size_t{0}, chance.once_in(2) ? count : count / 2};
    };
    if (h5::is_number(values.type())) {
        std::vector<double> all(count_of(values.extents()));
        if (all.empty()) return "was empty";
        values.read(H5T_NATIVE_DOUBLE, all.data());
        const auto [first, last] = part(all.size());
        const double by = chance.one_of(numbers);
        std::fill(all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(last),
                  by);
        values.write(H5T_NATIVE_DOUBLE, all.data());
        return fmt::format("{} to {} are {}", first, last, by);
    }
    Bytes bytes = bytes_of(values);
    const auto [first, last] = part(bytes.size());
    const unsigned char by = chance.one_of(patterns);
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(first), bytes.begin() + static_cast<std::ptrdiff_t>(last),
              by);
    if (!bytes.empty()) values.write(values.type(), bytes.data());
    return fmt::format("bytes {} to {} are {:#x}", first, last, by);
}

std::string swap_values(const Values& values, Chance& chance) {
    Bytes bytes = bytes_of(values);
    const std::size_t size = H5Tget_size(values.type());
    if (bytes.size() < 2 * size) return fill(values, chance);
    const std::size_t a = chance.below(bytes.size() / size), b = chance.below(bytes.size() / size);
    if (a != b) std::swap_ranges(bytes.data() + a * size, bytes.data() + (a + 1) * size, bytes.data() + b * size);
    values.write(values.type(), bytes.data());
    return fmt::format("{} and {} swapped", a, b);
}

h5::Type text_type(std::size_t size) {
    h5::Type type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, size);
    return type;
}

h5::Type other_type(Chance& chance) {
    const hsize_t three = 3;
    switch (chance.below(12)) {
        case 0: return h5::Type(H5Tcopy(H5T_STD_I8LE));
        case 1: return h5::Type(H5Tcopy(H5T_STD_U64BE));
        case 2: return h5::Type(H5Tcopy(H5T_STD_U16LE));
        case 3: return h5::Type(H5Tcopy(H5T_IEEE_F32BE));
        case 4: return h5::Type(H5Tcopy(H5T_IEEE_F64LE));
        case 5: return h5::float16_type();
        case 6: return h5::complex_type(H5T_STD_I8LE);
        case 7: return h5::complex_type(H5T_IEEE_F64LE);
        case 8: return text_type(1 + chance.below(40));
        case 9: return text_type(H5T_VARIABLE);
        case 10: return h5::Type(H5Tarray_create2(H5T_IEEE_F32LE, 1, &three));
        default: return h5::Type(H5Tcreate(H5T_OPAQUE, 5));
    }
}

/// More, fewer or none of the values, or another number of axes.
Extents other_extents(Extents extents, Chance& chance) {
    if (extents.empty()) return chance.once_in(2) ? Extents{1 + chance.below(3)} : Extents{2, 2};
    hsize_t& one = extents[chance.below(extents.size())];
    switch (chance.below(9)) {
        case 0: one = 0; break;
        case 1: one = 1; break;
        case 2: one -= one > 0; break;
        case 3: one += 1; break;
        case 4: one *= 2; break;
        case 5: one = hsize_t{1} << (20 + chance.below(30)); break;
        case 6: extents.pop_back(); break;
        case 7: extents.push_back(1 + chance.below(2)); break;
        default: extents.clear();
    }
    return extents;
}

h5::Space space_for(const Extents& extents, Chance& chance) {
    if (extents.empty()) return h5::Space(H5Screate(chance.once_in(4) ? H5S_NULL : H5S_SCALAR));
    return h5::Space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
}

void copy_attributes(hid_t from, hid_t to) {
    for (const std::string& name : attributes_of(from)) {
        const h5::Attribute attribute(H5Aopen(from, name.c_str(), H5P_DEFAULT));
        const Values values{attribute, true};
        const Bytes bytes = bytes_of(values);
        if (bytes.empty()) continue;
        const h5::Space space(H5Aget_space(attribute));
        const h5::Attribute copy(H5Acreate2(to, name.c_str(), values.type(), space, H5P_DEFAULT, H5P_DEFAULT));
        H5Awrite(copy, values.type(), bytes.data());
    }
}

/// A dataset of another type or shape under its name, with the old attributes; the old bytes, from the front, as far as
/// they go. Where it says far more than there is, in chunks that do not exist.
void replace_dataset(hid_t file, const std::string& name, const h5::Type& type, const Extents& extents,
                     Chance& chance) {
    const h5::Dataset old(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
    Bytes bytes = bytes_of({old, false});
    const bool vast = count_of(extents) > std::size_t{1} << 20;
    const h5::Properties how(H5Pcreate(H5P_DATASET_CREATE));
    if (vast) H5Pset_chunk(how, static_cast<int>(extents.size()), Extents(extents.size(), 16).data());
    H5Ldelete(file, name.c_str(), H5P_DEFAULT);
    const h5::Dataset data(
        H5Dcreate2(file, name.c_str(), type, space_for(extents, chance), H5P_DEFAULT, how, H5P_DEFAULT));
    if (!data.valid()) return;
    copy_attributes(old, data);
    if (vast || H5Tis_variable_str(type) > 0 || count_of(extents) == 0) return;
    bytes.resize(std::max<std::size_t>(bytes.size(), count_of(extents) * H5Tget_size(type)), 1);
    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
}

void replace_attribute(hid_t object, const std::string& name, const h5::Type& type, const Extents& extents,
                       Chance& chance) {
    const h5::Attribute old(H5Aopen(object, name.c_str(), H5P_DEFAULT));
    Bytes bytes = bytes_of({old, true});
    H5Adelete(object, name.c_str());
    const h5::Attribute attribute(
        H5Acreate2(object, name.c_str(), type, space_for(extents, chance), H5P_DEFAULT, H5P_DEFAULT));
    if (!attribute.valid() || H5Tis_variable_str(type) > 0) return;  // too large for a header, or nothing to write
    bytes.resize(std::max<std::size_t>(bytes.size(), count_of(extents) * H5Tget_size(type)), 1);
    H5Awrite(attribute, type, bytes.data());
}

void replace_by_link(hid_t file, const std::string& name, Chance& chance) {
    H5Ldelete(file, name.c_str(), H5P_DEFAULT);
    switch (chance.below(4)) {
        case 0: H5Lcreate_soft("/nowhere", file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT); break;
        case 1: H5Lcreate_soft(("/" + name).c_str(), file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT); break;
        case 2: H5Lcreate_external("/dev/null", "/", file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT); break;
        default: H5Lcreate_hard(file, "/", file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    }
}

/// Of a dataset or a group of the file.
std::string damage_one(hid_t file, const std::string& name, std::size_t kind, Chance& chance) {
    if (kind == 0) {
        H5Ldelete(file, name.c_str(), H5P_DEFAULT);
        return "removed";
    }
    if (kind == 1 || !is_dataset(file, name)) {
        replace_by_link(file, name, chance);
        return "made a link";
    }
    const h5::Dataset data(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
    const Values values{data, false};
    if (kind == 2) return fill(values, chance);
    if (kind == 3) return swap_values(values, chance);
    const bool retyped = kind == 4;
    const h5::Type type = retyped ? other_type(chance) : values.type();
    const Extents extents = retyped ? values.extents() : other_extents(values.extents(), chance);
    replace_dataset(file, name, type, extents, chance);
    return fmt::format("is {} of {}", h5::type_text(type), fmt::join(extents, " x "));
}

std::string damage_attribute(hid_t object, const std::string& name, std::size_t kind, Chance& chance) {
    if (kind == 0) {
        H5Adelete(object, name.c_str());
        return "removed";
    }
    const h5::Attribute attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
    const Values values{attribute, true};
    if (kind <= 3) return fill(values, chance);
    const h5::Type type = kind == 4 ? other_type(chance) : values.type();
    replace_attribute(object, name, type, kind == 4 ? values.extents() : other_extents(values.extents(), chance),
                      chance);
    return fmt::format("is {}", h5::type_text(type));
}

constexpr std::size_t kinds = 6;

}  // namespace

std::vector<std::pair<std::uint64_t, std::uint64_t>> headers_of(const std::string& path, std::uint64_t file_bytes) {
    constexpr std::uint64_t least_bytes = 512;  // smaller ones count as headers
    const h5::File file = open_file(path, H5F_ACC_RDONLY);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> raw{{file_bytes, file_bytes}}, headers;
    const auto note = [&](haddr_t first, std::uint64_t bytes) {
        if (first != HADDR_UNDEF && bytes >= least_bytes) raw.emplace_back(first, first + bytes);
    };
    for (const std::string& name : objects_of(file)) {
        if (!is_dataset(file, name)) continue;
        const h5::Dataset data(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
        note(H5Dget_offset(data), H5Dget_storage_size(data));
        hsize_t chunks = 0, bytes = 0;
        if (H5Pget_layout(h5::creation_of(data)) != H5D_CHUNKED) continue;
        H5Dget_num_chunks(data, H5S_ALL, &chunks);
        for (hsize_t i = 0; i < chunks; ++i) {
            haddr_t first = HADDR_UNDEF;
            H5Dget_chunk_info(data, H5S_ALL, i, nullptr, nullptr, &first, &bytes);
            note(first, bytes);
        }
    }
    std::sort(raw.begin(), raw.end());
    std::uint64_t at = 0;
    for (const auto& [first, last] : raw) {
        if (first > at) headers.emplace_back(at, first);
        at = std::max(at, last);
    }
    return headers;
}

std::string damage_object(const std::string& path, std::uint64_t number, Chance& chance) {
    const h5::File file = open_file(path, H5F_ACC_RDWR);
    std::vector<std::pair<std::string, std::string>> all;  // object, and attribute where it is one
    for (const std::string& name : objects_of(file)) {
        all.emplace_back(name, "");
        for (const std::string& attribute : attributes_of(h5::Object(H5Oopen(file, name.c_str(), H5P_DEFAULT))))
            all.emplace_back(name, attribute);
    }
    const auto& [name, attribute] = all[number / kinds % all.size()];
    if (attribute.empty()) return fmt::format("{} {}", name, damage_one(file, name, number % kinds, chance));
    const h5::Object object(H5Oopen(file, name.c_str(), H5P_DEFAULT));
    return fmt::format("{}@{} {}", name, attribute, damage_attribute(object, attribute, number % kinds, chance));
}

void compress_dataset(const std::string& path, const std::string& name) {
    const h5::File file = open_file(path, H5F_ACC_RDWR);
    const h5::Dataset old(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
    const Values values{old, false};
    const Bytes bytes = bytes_of(values);
    Extents chunk = values.extents();
    for (hsize_t& extent : chunk) extent = (extent + 2) / 3;
    const h5::Properties how(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(how, static_cast<int>(chunk.size()), chunk.data());
    H5Pset_shuffle(how);
    H5Pset_deflate(how, 4);
    H5Ldelete(file, name.c_str(), H5P_DEFAULT);
    const h5::Dataset data(
        H5Dcreate2(file, name.c_str(), values.type(), h5::make_space(values.extents()), H5P_DEFAULT, how, H5P_DEFAULT));
    copy_attributes(old, data);
    if (H5Dwrite(data, values.type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0)
        throw std::runtime_error(path + ": " + name + " was not written");
}

}  // namespace cornerturn::fuzz

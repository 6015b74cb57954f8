// SPDX-License-Identifier: Apache-2.0
// Damage at which HDF5 1.10 itself ends the program (found by scripts/fuzz) is refused.
#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/sample_reader.h"
#include "product_fixture.h"

namespace cornerturn {
namespace {

class DamagedFile : public ProductTest {
protected:
    DamagedFile() {
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        // The layout that 1.10 writes, and in which there is no checksum, whichever HDF5 this is.
        const h5::Properties access(H5Pcreate(H5P_FILE_ACCESS));
        H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
        const h5::File file(H5Fcreate(path("a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
        const h5::Object group(H5Gcreate2(file, "/group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        const h5::Properties how(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_layout(how, H5D_COMPACT);
        const hsize_t count = values.size();
        const h5::Space space(H5Screate_simple(1, &count, nullptr));
        const h5::Dataset data(H5Dcreate2(file, "/group/values", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT));
        H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        const h5::Dataset single(H5Dcreate2(file, "/single", H5T_IEEE_F32LE, h5::Space(H5Screate(H5S_SCALAR)),
                                            H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        const float number = 7;
        H5Dwrite(single, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &number);
        const h5::Type complex(h5::empty_compound(8));
        h5::add_member(complex, "r", 0, H5T_IEEE_F32LE), h5::add_member(complex, "i", 4, H5T_IEEE_F32LE);
        const hsize_t extents[] = {2, 3};
        const h5::Dataset samples(H5Dcreate2(file, "/HH", complex, h5::Space(H5Screate_simple(2, extents, nullptr)),
                                             H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        const std::vector<float> parts(12, 0.5f);
        H5Dwrite(samples, complex, H5S_ALL, H5S_ALL, H5P_DEFAULT, parts.data());
    }
    std::string bytes() const {
        std::ifstream in(path("a.h5"), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void write(const std::string& bytes) const { std::ofstream(path("a.h5"), std::ios::binary) << bytes; }

    const std::vector<double> values{1.25, -7e77, 3.5};
};

TEST_F(DamagedFile, IsReadWhereItIsWhole) {
    EXPECT_EQ(h5::Reader(path("a.h5")).numbers("/group/values", {}), values);
    EXPECT_EQ(h5::Reader(path("a.h5")).number("/single"), 7);
    EXPECT_EQ(h5::Reader(path("a.h5")).children("/group"), std::vector<std::string>{"values"});
}

TEST_F(DamagedFile, OfANodeWithoutAnAddressIsRefused) {
    constexpr std::size_t first_child = 32;  // behind signature, type, level, count, siblings and a key
    std::string damaged = bytes();
    int nodes = 0;
    for (auto at = damaged.find("TREE"); at != std::string::npos; at = damaged.find("TREE", at + 4), ++nodes)
        if (nodes > 0) damaged.replace(at + first_child, 8, 8, '\xff');
    ASSERT_EQ(nodes, 2) << "of / and /group";
    write(damaged);
    expect_refused([&] { h5::Reader(path("a.h5")).children("/group"); }, {"a.h5", "/group", "damaged"});
}

TEST_F(DamagedFile, OfLessThanADatasetClaimsIsRefused) {
    std::string damaged = bytes();
    const std::string stored(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
    const auto at = damaged.find(stored);
    ASSERT_NE(at, std::string::npos);
    damaged.replace(at - 2, 2, 2, '\0');  // how many bytes follow
    write(damaged);
    // HDF5 2.0 finds it by itself, where 1.10 would read beyond.
    constexpr auto found = H5_VERS_MAJOR < 2 ? "24" : "size of compact dataset";
    expect_refused([&] { h5::Reader(path("a.h5")).numbers("/group/values", {}); },
                   {"a.h5", "/group/values", found, "damaged"});
}

TEST_F(DamagedFile, WithPartsOfSamplesBeyondThemIsRefused) {
    using namespace std::string_literals;
    EXPECT_EQ(inspect_samples(h5::Reader(path("a.h5")), "/HH").columns, 3);
    std::string damaged = bytes();
    const auto name = damaged.find("i\0\0\0\0\0\0\0\x04"s);  // and where it lies in a sample
    ASSERT_NE(name, std::string::npos);
    damaged[name + 10] = 'o';
    write(damaged);
    expect_refused([&] { inspect_samples(h5::Reader(path("a.h5")), "/HH"); }, {"a.h5", "/HH", "damaged"});
}

TEST_F(DamagedFile, WithANumberOfAGigabyteIsRefusedWithoutTakingIt) {
    using namespace std::string_literals;
    std::string damaged = bytes();
    const auto type = damaged.find("\x11\x20\x1f\x00\x04\x00\x00\x00"s);  // IEEE, little-endian, of 4 bytes
    ASSERT_NE(type, std::string::npos);
    damaged[type + 7] = '\x40';
    write(damaged);
    expect_refused([&] { h5::Reader(path("a.h5")).number("/single"); }, {"a.h5", "/single", "1073741828", "damaged"});
}

}  // namespace
}  // namespace cornerturn

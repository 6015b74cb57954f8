// SPDX-License-Identifier: Apache-2.0
// Sums of texts and files against those of FIPS 180-2, and what an image file keeps of where it comes from.
#include "data/files/sha256.h"

#include "data/nisar/gslc_writer.h"
#include "data/nisar/product_origin.h"
#include "data/nisar/rslc_writer.h"
#include "tests/data/product_fixture.h"
#include "tests/support/whole_files.h"

namespace cornerturn {
namespace {

class Sha256Test : public ProductTest {};

TEST_F(Sha256Test, IsThatOfTheStandard) {
    const std::string abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    EXPECT_EQ(sha256_of("abc"), abc);
    EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    std::ofstream(path("abc")) << "abc";
    EXPECT_EQ(sha256_of_file(path("abc")), abc);
    std::ofstream(path("million")) << std::string(1000000, 'a');
    EXPECT_EQ(sha256_of_file(path("million")), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    EXPECT_EQ(stored_file(path("million")).bytes, 1000000u);
    expect_refused([&] { sha256_of_file(path("none")); }, {"none", "No such file"});
    expect_refused([&] { sha256_of_file(path("")); }, {"folder"});
}

TEST_F(Sha256Test, IsKeptInTheImageFile) {
    Image image;
    image.grid = {.rows = 4,
                  .columns = 4,
                  .first_time_s = 12,
                  .time_spacing_s = 0.0021,
                  .near_range_m = 7950.5,
                  .range_spacing_m = 1.5};
    image.acquisition = small_echo(SampleFormat::int16).acquisition;
    image.samples.resize(16);
    const ProductOrigin origin{.parameters_sha256 = sha256_of("parameters"), .input_sha256 = sha256_of("input")};
    {
        RslcFile file(path("slc.h5"));
        file.begin(image);
        file.write(0, image.samples);
        file.set_origin(origin);
        file.commit();
    }
    EXPECT_EQ(read_origin(path("slc.h5")), origin);
    image.map = MapGrid{MapProjection{32633}, 4, 4, 5e5, 2, 5e6, -2};
    {
        GslcFile file(path("map.h5"));
        file.begin(image);
        file.write(0, image.samples);
        file.set_origin(origin);
        file.commit();
    }
    EXPECT_EQ(read_origin(path("map.h5")), origin) << "of maps, too";
    image.map.reset();
    write_rslc(path("without.h5"), image);
    EXPECT_EQ(read_origin(path("without.h5")), ProductOrigin{});
    std::ofstream(path("text.h5")) << "no HDF5";
    EXPECT_FALSE(read_origin(path("text.h5")));
    EXPECT_FALSE(read_origin(path("none.h5")));
}

}  // namespace
}  // namespace cornerturn

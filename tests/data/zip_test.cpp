// SPDX-License-Identifier: Apache-2.0
// Zip archives, made here byte by byte: what is in them is read as the folder would be, and damage is refused.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>

#include "data/raw_file.h"
#include "data/zip/unpacked_archive.h"
#include "data/zip/zip_archive.h"
#include "kernels/interrupt.h"
#include "tests/data/product_fixture.h"
#include "tests/support/sentinel1_slice.h"
#include "tests/support/zip_file.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;

const std::string safe = "S1A_IW_RAW__0SDV_20250615T052000_20250615T052010_059658_076878_ABCD.SAFE/";
const std::string measurement = "s1a-iw-raw-s-vv-20250615t052000-20250615t052010-059658-076878.dat";

class ZipTest : public ProductTest {
protected:
    std::string write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
        return path(name);
    }
    std::string refusal(const std::string& bytes) {
        return error_of([&] { list_raw(write("refused.zip", bytes)); });
    }
    static std::string slice() {
        Sentinel1Slice made;
        made.cycles = 1, made.lines = 40;
        return made.file();
    }
    void SetUp() override {
        fs::create_directory(temporary);
        setenv("TMPDIR", temporary.c_str(), 1);
    }
    void TearDown() override { unsetenv("TMPDIR"); }

    const std::string temporary = path("temporary");

    std::vector<std::string> warnings;
};

TEST_F(ZipTest, ASliceIsReadAsItsFolderIs) {
    const std::string packets = slice();
    fs::create_directory(path(safe));
    write(safe + measurement, packets);
    const std::vector<ZipMember> members{{safe + "manifest.safe", "<xml/>"},
                                         {safe + measurement, packets},
                                         {safe + "s1a-annot.dat", "annotation"},
                                         {safe + "s1a-iw-raw-s-vv-1-annot.dat", "annotation"},
                                         {"__MACOSX/" + safe + "._" + measurement, "a Mac's"}};
    const Acquisition of_folder = read_raw_header(path(safe), {}, warnings);
    ASSERT_EQ(of_folder.identification.absolute_orbit_number, 59658u);
    std::vector<ZipMember> stored = members;
    for (ZipMember& member : stored) member.deflated = false;
    for (const std::string& bytes : {zip_file(members), zip_file(stored), zip_file(members, true)}) {
        const std::string name = write("slice.zip", bytes);
        EXPECT_TRUE(is_raw_only(name));
        EXPECT_EQ(raw_format(name), "Sentinel-1 Level-0");
        EXPECT_EQ(list_raw(name).swaths.size(), 2u);
        const auto echo = open_raw(name, {}, warnings);
        EXPECT_EQ(echo->acquisition(), of_folder);
        std::vector<std::byte> line(static_cast<std::size_t>(8 * of_folder.samples)), same(line.size());
        echo->read(3, 1, line);
        open_raw(path(safe), {}, warnings)->read(3, 1, same);
        EXPECT_EQ(line, same);
    }
}

TEST_F(ZipTest, IsUnpackedOnceWhileItDoesNotChange) {
    const std::string name = write("slice.zip", zip_file({{safe + measurement, slice()}}));
    const auto first = unpacked_if_zip(name);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(unpacked_if_zip(name), first);
    write("slice.zip", zip_file({{safe + measurement, slice() + "more"}}));
    EXPECT_NE(unpacked_if_zip(name), first);
    EXPECT_EQ(unpacked_if_zip(write("text.zip", "PK, a text")), nullptr);
}

TEST_F(ZipTest, LeavesNothingBehind) {
    const std::string good = write("good.zip", zip_file({{"a.cphd", "CPHD"}, {"b/b.cphd", ""}})),
                      bad = write("bad.zip", zip_file({{"a.cphd", "CPHD"}, {"b.cphd", "b", true, 0, -1, 1}}));
    std::string folder;
    {
        const UnpackedArchive archive(good);
        folder = archive.path();
        EXPECT_EQ(fs::file_size(folder + "/a.cphd"), 4u);
        EXPECT_EQ(fs::file_size(folder + "/b/b.cphd"), 0u);
    }
    EXPECT_FALSE(fs::exists(folder));
    EXPECT_THROW(UnpackedArchive{bad}, InputError);
    EXPECT_TRUE(fs::is_empty(temporary));
}

TEST_F(ZipTest, StopsOnRequestAndLeavesNothingBehind) {
    const std::string name = write("long.zip", zip_file({{"a.cphd", std::string(5 << 20, 'x')}}));
    const ZipArchive archive(name);
    const StopRequest stop;
    stop.request();
    const JobScope job(stop);
    // A member alone, too, which may take minutes.
    EXPECT_THROW(archive.unpack(archive.members().at(0), path("a.cphd")), Interrupted);
    EXPECT_THROW(UnpackedArchive{name}, Interrupted);
    EXPECT_TRUE(fs::is_empty(temporary));
}

TEST_F(ZipTest, TellsOfATemporaryFolderThatIsNotThere) {
    const std::string name = write("one.zip", zip_file({{"a.cphd", "x"}}));
    setenv("TMPDIR", "/no/such/folder", 1);
    expect_refused([&] { UnpackedArchive{name}; },
                   {"/no/such/folder: ", "no folder can be made", "zip archive", "set TMPDIR"});
}

TEST_F(ZipTest, NoNameLeadsOutOfTheFolder) {
    for (const char* name : {"../../../IMG-x", "/etc/IMG-x", "a/../IMG-x", "..", "../", "IMG-\0/../../x"}) {
        const UnpackedArchive archive(write("out.zip", zip_file({{name, "x"}, {"LED-x", "y"}})));
        const fs::path inside = fs::path(archive.path()).lexically_relative(temporary);
        EXPECT_TRUE(inside.begin()->string().starts_with("cornerturn-unpacked-")) << archive.path();
        EXPECT_EQ(std::count(inside.begin(), inside.end(), ".."), 0) << archive.path();
        EXPECT_TRUE(fs::exists(archive.path()));
    }
    EXPECT_FALSE(fs::exists("/etc/IMG-x"));
    EXPECT_FALSE(fs::exists(path("IMG-x")));
}

TEST_F(ZipTest, RefusesWhatIsDamagedOrOfAnotherKind) {
    const std::string text(5000, 'x');
    expect_in(refusal("PK\3\4" + std::string(300, '\0')), {"without its directory", "downloaded"});
    expect_in(refusal(zip_file({{"readme.txt", text}})), {"zip archive", "unpack it first"});
    expect_in(refusal(zip_file({{"a.cphd", text, true, 0, -1, 1}})), {"a.cphd", "damaged", "checksum"});
    expect_in(refusal(zip_file({{"a.cphd", text, true, 1}})), {"a.cphd", "encrypted"});
    expect_in(refusal(zip_file({{"a.cphd", text, true, 0, 9}})), {"a.cphd", "method 9"});
    expect_in(refusal(zip_file({{"a.cphd", text, true, 0, 0}})), {"a.cphd", "5000 bytes"});
    expect_in(refusal(zip_file({{"a.cphd", text}, {"a.cphd", text}})), {"a.cphd", "cannot be written", "exists"});
    std::string bytes = zip_file({{"a.cphd", text}});
    bytes.replace(bytes.find("PK\1\2"), 4, "PK..");
    expect_in(refusal(bytes), {"refused.zip", "directory", "is damaged"});
    bytes = zip_file({{"a.cphd", text}});
    bytes.replace(bytes.rfind("PK\5\6") + 16, 4, std::string("\x40\x42\x0f\0", 4));
    expect_in(refusal(bytes), {"refused.zip", "directory", "is damaged"});
}

/// Each is read or refused, whatever a byte says.
TEST_F(ZipTest, TakesDamageOrRefusesIt) {
    const std::string whole = zip_file({{safe + measurement, slice().substr(0, 3000)}, {"IMG-HH-a", "b", false}}, true);
    std::minstd_rand random(3);
    int refused = 0;
    for (int i = 0; i < 150; ++i) {
        std::string changed = whole;
        const std::size_t from_end = random() % (i % 2 == 0 ? whole.size() : 420);
        changed[changed.size() - 1 - from_end] = static_cast<char>(random() % 256);
        const std::string name = write("changed.zip", changed);
        try {
            const UnpackedArchive archive(name);
        } catch (const InputError& error) {
            ++refused;
            expect_in(error.what(), "changed.zip");
        }
    }
    EXPECT_GT(refused, 40);
}

}  // namespace
}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/good_files.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "data/hdf5/hdf5.h"
#include "tests/fuzz/object_mutations.h"
#include "tests/fuzz/trial.h"
#include "tests/support/cphd_scene.h"
#include "tests/support/palsar_set.h"
#include "tests/support/sentinel1_slice.h"
#include "tests/support/zip_file.h"

namespace cornerturn::fuzz {

namespace fs = std::filesystem;

namespace {

// As small as a point can be measured in.
constexpr std::string_view scene = R"(lines: 144
samples: 128
carrier_hz: 9650000000
prf_hz: 400
sample_rate_hz: 100000000
near_range_m: 3000
chirp_slope_hz_s: 260000000000000
chirp_duration_s: 3e-7
azimuth_bandwidth_hz: 340
velocity_m_s: 120
doppler_centroid_hz: 0
targets:
  - {line: 72, sample: 50, amplitude: 1, phase_deg: 20}
)";

constexpr std::string_view jobs = R"(options: {algorithm: csa, azimuth-window: "kaiser:2.5"}
scenes:
  - good/raw.h5
  - {input: good/packed.h5, output: b.h5, options: {doppler-centroid: data, force: true}}
)";

// Of the elevation models: degrees about the scene, which lies near 0 N, 0.02 E.
constexpr std::uint32_t heights_a_side = 24;
constexpr double west_deg = 0, north_deg = 0.02, step_deg = 0.04 / heights_a_side;

std::vector<float> heights() {
    std::vector<float> heights_m;
    for (std::uint32_t i = 0; i < heights_a_side * heights_a_side; ++i)
        heights_m.push_back(static_cast<float>(i % 7) + 0.5f * static_cast<float>(i / heights_a_side));
    return heights_m;
}

/// Something to put datasets into.
class Hdf5 {
public:
    explicit Hdf5(const std::string& path) : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
    void put(const char* name, const std::vector<hsize_t>& extents, hid_t type, const void* values) {
        const h5::Dataset data(
            H5Dcreate2(file_, name, type, h5::make_space(extents), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        h5::checked(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "H5Dwrite");
    }
    void put(const char* name, const std::vector<double>& values) {
        put(name, {values.size()}, H5T_NATIVE_DOUBLE, values.data());
    }

private:
    h5::File file_;
};

void make_height_grid(const std::string& path) {
    Hdf5 file(path);
    std::vector<double> latitude_deg, longitude_deg;
    for (std::uint32_t i = 0; i < heights_a_side; ++i) {
        latitude_deg.push_back(north_deg - i * step_deg);
        longitude_deg.push_back(west_deg + i * step_deg);
    }
    file.put("height", {heights_a_side, heights_a_side}, H5T_NATIVE_FLOAT, heights().data());
    file.put("latitude", latitude_deg);
    file.put("longitude", longitude_deg);
}

// Of the tracks: the scene's pulses leave from an hour behind the epoch on, a third of a second long.
constexpr int positions = 30;
constexpr double first_position_s = 3599.5, positions_apart_s = 0.05;

/// Northwards over the equator, 1 km high, in degrees; the other to the west of its frame's origin.
double latitude_deg(int position) { return 120 * positions_apart_s * position / 110574; }

void make_csv_track(const std::string& path) {
    std::ofstream out(path);
    out << "utc,latitude_deg,longitude_deg,height_m,roll_deg,pitch_deg,yaw_deg,satellites\n";
    for (int i = 0; i < positions; ++i)
        out << fmt::format(
            "2026-01-01T{},{:.10f},0.01,1000,0,1.5,{},9\n",
            i < 10 ? fmt::format("00:59:59.{:02}", 50 + 5 * i) : fmt::format("01:00:00.{:02}", 5 * (i - 10)),
            latitude_deg(i), 0.01 * i);
}

void make_hdf5_track(const std::string& path) {
    std::vector<double> time_s, east_m, north_m, up_m;
    for (int i = 0; i < positions; ++i) {
        time_s.push_back(first_position_s + positions_apart_s * i);
        east_m.push_back(-2900 + 0.001 * i);
        north_m.push_back(120 * positions_apart_s * i);
        up_m.push_back(1000);
    }
    Hdf5 file(path);
    file.put("time_s", time_s);
    file.put("east_m", east_m);
    file.put("north_m", north_m);
    file.put("up_m", up_m);
}

/// Little endian, one strip, behind it the directory and what it points at.
class GeoTiff {
public:
    /// In degrees, or on the map that Mercator made of them, which has as many metres a degree at the equator
    /// everywhere.
    void write(const std::string& path, bool on_a_map = false) {
        constexpr double degree_m = 111319.4908;
        const double unit = on_a_map ? degree_m : 1;
        add(std::string_view("II*\0", 4));
        const auto raster = heights();
        const auto raster_bytes = static_cast<std::uint32_t>(4 * raster.size());
        const std::array scale{step_deg * unit, step_deg * unit, 0.0};
        const std::array tie{0.0, 0.0, 0.0, west_deg * unit, north_deg * unit, 0.0};
        using Keys = std::array<std::uint16_t, 16>;
        const Keys keys = on_a_map ? Keys{1, 1, 0, 3, 1024, 0, 1, 1, 3072, 0, 1, 3857, 4096, 0, 1, 4979}
                                   : Keys{1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 2, 2048, 0, 1, 4979};
        const std::uint32_t at = 8 + raster_bytes, tie_at = at + 24, keys_at = tie_at + 48;
        add(keys_at + 32);
        for (const float height : raster) add(height);
        for (const double value : scale) add(value);
        for (const double value : tie) add(value);
        for (const std::uint16_t key : keys) add(key);
        add(std::uint16_t{12});
        using Tag = std::pair<std::uint16_t, std::uint32_t>;
        for (const auto& [tag, value] :
             {Tag{256, heights_a_side}, Tag{257, heights_a_side}, Tag{258, 32}, Tag{259, 1}, Tag{262, 1}, Tag{273, 8},
              Tag{278, heights_a_side}, Tag{279, raster_bytes}, Tag{339, 3}})
            entry(tag, 4, 1, value);
        entry(33550, 12, 3, at);
        entry(33922, 12, 6, tie_at);
        entry(34735, 3, 16, keys_at);
        add(std::uint32_t{0});
        std::ofstream(path, std::ios::binary) << bytes_;
    }

private:
    void add(std::string_view text) { bytes_ += text; }
    template <class Number>
    requires std::is_arithmetic_v<Number>
    void add(Number number) {
        std::array<char, sizeof(Number)> bytes{};
        std::memcpy(bytes.data(), &number, sizeof(Number));
        bytes_.append(bytes.data(), bytes.size());
    }
    void entry(std::uint16_t tag, std::uint16_t type, std::uint32_t count, std::uint32_t value) {
        add(tag), add(type), add(count), add(value);
    }

    std::string bytes_;
};

void make_cphd(const std::string& path, bool over_arrival_time) {
    CphdScene spotlight{.over_arrival_time = over_arrival_time, .sample_type = over_arrival_time ? "CI2" : "CF8"};
    spotlight.pulses = 40, spotlight.samples = 48, spotlight.reference_speed_m_s = 50;
    spotlight.targets = {{}, {.x_m = 20, .y_m = -12}};
    std::ofstream(path, std::ios::binary) << spotlight.file();
}

/// Bursts of two swaths, of few pulses each; beside it what is to be a mutant of, with the name of its data take.
void make_slice(const std::string& path) {
    Sentinel1Slice slice{.cycles = 2, .swaths = {1, 2}, .samples = 240, .lines = 40};
    for (const int swath : {1, 2})
        slice.targets.push_back(
            {.place_m = Sentinel1Slice::place_m(slice.broadside_s({swath, 0}), slice.near_m(swath) + 100)});
    const std::string packets = slice.file();
    std::ofstream(path, std::ios::binary) << packets;
    std::ofstream(path + ".zip", std::ios::binary) << zip_file(
        {{.name = "S1A.SAFE/a.dat", .contents = packets}, {.name = "S1A.SAFE/manifest.safe", .contents = "<a/>"}},
        true);
}

/// An image and its leader; a folder for mutants of each, with the other one as it should be.
void make_palsar(const fs::path& folder, const fs::path& mutants) {
    std::vector<PalsarLine> lines;
    for (int i = 0; i < 60; ++i) lines.push_back({.number = i});
    const std::string image = palsar_image(lines, 48), leader = palsar_leader();
    for (const auto& to : {folder / "IMG-HH-MUTANT", mutants / "of-leaders" / "IMG-HH-MUTANT"}) {
        fs::create_directories(to.parent_path());
        std::ofstream(to, std::ios::binary) << image;
    }
    for (const auto& to : {folder / "LED-MUTANT", mutants / "of-images" / "LED-MUTANT"}) {
        fs::create_directories(to.parent_path());
        std::ofstream(to, std::ios::binary) << leader;
    }
}

/// The tiles of a GeoTIFF are at its end, as many bytes as they are.
GoodFile without_tiles(GoodFile file, std::uint64_t tile_bytes) {
    file.headers = {{0, fs::file_size(file.path) - tile_bytes}};
    return file;
}

/// What checksums do not cover: the header of the first member, and the directory.
GoodFile without_members(GoodFile file) {
    std::ifstream in(file.path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    file.headers = {{0, 80}, {bytes.find("PK\1\2"), bytes.size()}};
    return file;
}

void make(const std::vector<std::string>& words) {
    const Trial trial = run_words(words, {});
    if (trial.code != 0) throw std::runtime_error("no good file by '" + text_of(words) + "': " + trial.said);
}

/// Of all kinds.
void write_good_files(const std::string& folder) {
    const auto at = [&](const std::string& name) { return folder + "/" + name; };
    std::ofstream(at("scene.yaml")) << scene;
    std::ofstream(at("jobs.yaml")) << jobs;
    make({"simulate", at("scene.yaml"), "-o", at("raw.h5")});
    make({"simulate", at("scene.yaml"), "-o", at("packed.h5"), "--sample-type", "int8"});
    compress_dataset(at("packed.h5"), "/science/LSAR/RRSD/swaths/frequencyA/txH/rxH/HH");
    make({"focus", at("raw.h5"), "-o", at("image.h5")});
    make({"focus", at("raw.h5"), "-o", at("tiles.h5"), "--compress", "4"});
    make({"focus", at("raw.h5"), "-o", at("map.h5"), "--algorithm", "backprojection", "--grid", "utm", "--spacing",
          "2"});
    for (const char* name : {"image.nitf", "image.tif", "image.slc"}) make({"convert", at("image.h5"), "-o", at(name)});
    make({"convert", at("map.h5"), "-o", at("map.nitf")});
    make({"convert", at("map.h5"), "-o", at("map.tif")});
    const fs::path flat = fs::path(folder).parent_path() / "of-headers";
    fs::create_directories(flat);
    fs::copy_file(at("image.slc"), flat / "image.slc", fs::copy_options::overwrite_existing);
    make_height_grid(at("heights.h5"));
    GeoTiff().write(at("heights.tif"));
    GeoTiff().write(at("heights_on_map.tif"), true);
    make_csv_track(at("track.csv"));
    make_hdf5_track(at("track.h5"));
    make_cphd(at("frequency.cphd"), false);
    make_cphd(at("arrival.cphd"), true);
    make({"simulate", "spotlight", "-o", at("simulated.cphd"), "--lines", "40", "--samples", "1900"});
    make_slice(at("slice.dat"));
    make_palsar(folder, fs::path(folder).parent_path());
}

}  // namespace

std::vector<Kind> make_good_files(const std::string& folder) {
    write_good_files(folder);
    const auto at = [&](const std::string& name) { return folder + "/" + name; };
    using Runs = std::vector<std::vector<std::string>>;
    const Runs raw{
        {"focus", "MUTANT", "-o", "OUT/image.h5"},
        {"focus", "MUTANT", "-o", "OUT/image.h5", "--doppler-centroid", "data", "--report", "OUT/r.json"},
        {"focus", "MUTANT", "-o", "OUT/image.h5", "--algorithm", "omegak", "--png", "OUT/p.png"},
        {"focus", "MUTANT", "-o", "OUT/image.h5", "--algorithm", "csa", "--compress", "1"},
        {"focus", "MUTANT", "-o", "OUT/map.h5", "--algorithm", "backprojection", "--grid", "utm", "--spacing", "2"},
        {"focus", "MUTANT", "--dry-run"},
        {"info", "MUTANT"},
        {"info", "MUTANT", "--geo"},
        {"doppler", "MUTANT"}};
    const Runs image{{"info", "MUTANT"},
                     {"info", "MUTANT", "--geo", "--json"},
                     {"analyze", "MUTANT"},
                     {"analyze", "MUTANT", "--scene", "--json"},
                     {"quicklook", "MUTANT", "-o", "OUT/q.png"},
                     {"multilook", "MUTANT", "-o", "OUT/looks.h5", "--looks", "2x2"},
                     {"multilook", "MUTANT", "-o", "OUT/looks.tif", "--looks", "2x1", "--domain", "frequency"},
                     {"compare", "MUTANT", at("image.h5"), "--whole"},
                     {"compare", at("image.h5"), "MUTANT", "--whole"}};
    const Runs map{{"info", "MUTANT"},
                   {"info", "MUTANT", "--geo"},
                   {"analyze", "MUTANT", "--scene"},
                   {"quicklook", "MUTANT", "-o", "OUT/q.png"},
                   {"focus", at("raw.h5"), "-o", "OUT/map.h5", "--algorithm", "backprojection", "--grid", "MUTANT"}};
    const Runs terrain{{"focus", at("raw.h5"), "-o", "OUT/image.h5", "--dem", "MUTANT"},
                       {"focus", at("raw.h5"), "--dry-run", "--dem", "MUTANT"}};
    const Runs track{{"focus", at("raw.h5"), "-o", "OUT/image.h5", "--track", "MUTANT"},
                     {"focus", at("raw.h5"), "--dry-run", "--track", "MUTANT", "--lever-arm", "1,0.5,-0.25"},
                     {"info", at("raw.h5"), "--geo", "--track", "MUTANT"}};
    const Runs local_track{{"focus", at("raw.h5"), "--dry-run", "--track", "MUTANT", "--track-origin", "0,0.01,0"},
                           {"focus", at("raw.h5"), "-o", "OUT/map.h5", "--track", "MUTANT", "--algorithm",
                            "backprojection", "--grid", "local", "--spacing", "20"}};
    const Runs spotlight{{"focus", "MUTANT", "-o", "OUT/map.h5", "--grid", "plane", "--spacing", "2"},
                         {"focus", "MUTANT", "--dry-run", "--grid", "utm", "--spacing", "2"},
                         {"info", "MUTANT"},
                         {"info", "MUTANT", "--geo"}};
    const Runs one_image{{"info", "MUTANT"},
                         {"info", "MUTANT", "--geo"},
                         {"analyze", "MUTANT", "--scene"},
                         {"compare", at("image.h5"), "MUTANT", "--whole"},
                         {"quicklook", "MUTANT", "-o", "OUT/p.png"},
                         {"multilook", "MUTANT", "-o", "OUT/looks.tif", "--looks", "3x3"},
                         {"convert", "MUTANT", "-o", "OUT/image.h5"},
                         {"convert", "MUTANT", "-o", "OUT/sigma.tif", "--tiff", "sigma0"}};
    const Runs one_map{{"info", "MUTANT"},
                       {"info", "MUTANT", "--geo"},
                       {"analyze", "MUTANT", "--peaks", "2", "--scene"},
                       {"quicklook", "MUTANT", "-o", "OUT/p.png"},
                       {"multilook", "MUTANT", "-o", "OUT/looks.tif", "--looks", "3x3"},
                       {"convert", "MUTANT", "-o", "OUT/map.slc"}};
    constexpr std::uint64_t tile_bytes = 512 * 512 * 8;
    const Runs slice{
        {"info", "MUTANT"},
        {"info", "MUTANT", "--geo", "--swath", "IW2", "--burst", "1"},
        {"focus", "MUTANT", "--dry-run", "--swath", "IW1"},
        {"focus", "MUTANT", "-o", "OUT/burst.h5", "--swath", "IW1", "--burst", "0", "--descalloping", "aperture"}};
    const Runs palsar{{"info", "MUTANT"}, {"info", "MUTANT", "--json"}, {"convert", "MUTANT", "-o", "OUT/raw.h5"}};
    return {{"raw echo", look_at(at("raw.h5")), raw},
            {"raw echo, packed", look_at(at("packed.h5")), raw},
            {"image", look_at(at("image.h5")), image},
            {"image, compressed", look_at(at("tiles.h5")), image},
            {"map", look_at(at("map.h5")), map},
            {"image, SICD", look_at(at("image.nitf")), one_image},
            {"map, SICD", look_at(at("map.nitf")), one_map},
            {"image, GeoTIFF", without_tiles(look_at(at("image.tif")), tile_bytes), one_image},
            {"map, GeoTIFF", without_tiles(look_at(at("map.tif")), tile_bytes), one_map},
            {"image, ENVI", look_at(at("image.slc.hdr")), one_image, "of-headers/image.slc.hdr"},
            {"heights, HDF5", look_at(at("heights.h5")), terrain},
            {"heights, GeoTIFF", look_at(at("heights.tif")), terrain},
            {"heights, GeoTIFF on a map", look_at(at("heights_on_map.tif")), terrain},
            {"track, CSV", look_at(at("track.csv")), track},
            {"track, HDF5", look_at(at("track.h5")), local_track},
            {"phase history, FX", look_at(at("frequency.cphd")), spotlight},
            {"phase history, TOA", look_at(at("arrival.cphd")), spotlight},
            {"phase history, simulated", look_at(at("simulated.cphd")), spotlight},
            {"bursts", look_at(at("slice.dat")), slice,
             "s1a-iw-raw-s-vv-20250615t051942-20250615t051950-032518-03c421.dat"},
            {"bursts, zip", without_members(look_at(at("slice.dat.zip"))), slice},
            {"PALSAR, image", look_at(at("IMG-HH-MUTANT")), palsar, "of-images/IMG-HH-MUTANT"},
            {"PALSAR, leader", look_at(at("LED-MUTANT")), palsar, "of-leaders/LED-MUTANT"},
            {"scene", look_at(at("scene.yaml")), {{"simulate", "MUTANT", "--print-scene"}}},
            {"jobs", look_at(at("jobs.yaml")), {{"batch", "MUTANT", "-o", "OUT/images"}}}};
}

}  // namespace cornerturn::fuzz

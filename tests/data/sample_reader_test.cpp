// SPDX-License-Identifier: Apache-2.0
// Samples as stored: our own chunk decoding against HDF5's, every layout of a sample that is met.
#include "data/hdf5/sample_reader.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "data/hdf5/chunk_reader.h"
#include "product_fixture.h"
#include "tests/support/stopped_job.h"

namespace cornerturn {
namespace {

constexpr std::int64_t rows = 45, columns = 77;

struct ChunkCase {
    const char* name;
    hsize_t chunk_rows, chunk_columns;
    std::vector<std::string> filters;  // in the order of writing
    bool ours;                         // decoded by us
};

h5::Properties creation_of(const ChunkCase& c) {
    h5::Properties creation(H5Pcreate(H5P_DATASET_CREATE));
    const hsize_t chunk[2] = {c.chunk_rows, c.chunk_columns};
    if (c.chunk_rows > 0) H5Pset_chunk(creation, 2, chunk);
    for (const std::string& filter : c.filters) {
        if (filter == "shuffle") H5Pset_shuffle(creation);
        if (filter == "gzip") H5Pset_deflate(creation, 4);
        if (filter == "fletcher32") H5Pset_fletcher32(creation);
    }
    return creation;
}

constexpr SampleFormat formats[] = {SampleFormat::int8,  SampleFormat::int16,     SampleFormat::float16,
                                    SampleFormat::lut16, SampleFormat::complex64, SampleFormat::complex128};

h5::Type stored_type(SampleFormat format) {
    switch (format) {
        case SampleFormat::int8: return h5::complex_type(H5T_STD_I8LE);
        case SampleFormat::int16: return h5::complex_type(H5T_STD_I16LE);
        case SampleFormat::float16: return h5::complex_type(h5::float16_type());
        case SampleFormat::lut16: return h5::complex_type(H5T_STD_U16LE);
        case SampleFormat::complex64: return h5::complex_type(H5T_IEEE_F32LE);
        case SampleFormat::complex128: return h5::complex_type(H5T_IEEE_F64LE);
        case SampleFormat::float32: break;
    }
    return {};
}

void create(const std::string& path, const h5::Type& type, const h5::Properties& creation, const void* samples,
            hsize_t written_rows = rows) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const h5::File file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hsize_t extents[2] = {rows, columns}, part[2] = {written_rows, columns}, start[2] = {0, 0};
    const h5::Space space(H5Screate_simple(2, extents, nullptr)), memory(H5Screate_simple(2, part, nullptr));
    const h5::Dataset data(H5Dcreate2(file, "/HH", type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    ASSERT_TRUE(data.valid());
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, part, nullptr);
    ASSERT_GE(H5Dwrite(data, type, memory, space, H5P_DEFAULT, samples), 0);
}

std::vector<std::byte> read_all(const std::string& path) {
    const h5::Reader file(path);
    const SampleMatrix matrix = inspect_samples(file, "/HH");
    std::vector<std::byte> bytes(matrix.bytes());
    read_samples(file, matrix, bytes);
    return bytes;
}

const ChunkCase chunk_cases[] = {{"contiguous", 0, 0, {}, false},
                                 {"unfiltered", 8, columns, {}, false},
                                 {"gzip, whole rows", 8, columns, {"gzip"}, true},
                                 {"gzip, ragged", 11, 20, {"gzip"}, true},
                                 {"shuffle, gzip", 16, 77, {"shuffle", "gzip"}, true},
                                 {"shuffle, gzip, fletcher32", 7, 33, {"shuffle", "gzip", "fletcher32"}, true},
                                 {"fletcher32, gzip", 7, 33, {"fletcher32", "gzip"}, true},
                                 {"fletcher32", 1, 3, {"fletcher32"}, true},
                                 {"single samples", 1, 1, {"shuffle", "gzip"}, true}};

using SampleReaderTest = ProductTest;

TEST_F(SampleReaderTest, ReadsWhatHdf5Wrote) {
    for (const ChunkCase& c : chunk_cases)
        for (const SampleFormat format : formats) {
            SCOPED_TRACE(fmt::format("{}, format {}", c.name, static_cast<int>(format)));
            const auto samples = counting_samples(format, rows * columns);
            create(path("a.h5"), stored_type(format), creation_of(c), samples.data());
            const h5::Reader file(path("a.h5"));
            EXPECT_EQ(decodable_chunks(file.dataset("/HH")).has_value(), c.ours);
            EXPECT_EQ(inspect_samples(file, "/HH").format, format);
            EXPECT_TRUE(read_all(path("a.h5")) == samples);
        }
}

TEST_F(SampleReaderTest, BlocksOfRowsAreTheSameAsAll) {
    for (const ChunkCase& c : chunk_cases) {
        const auto samples = counting_samples(SampleFormat::int16, rows * columns);
        create(path("a.h5"), stored_type(SampleFormat::int16), creation_of(c), samples.data());
        const h5::Reader file(path("a.h5"));
        for (const std::int64_t block : {1, 5, 16, 44, 45}) {
            SCOPED_TRACE(fmt::format("{}, {} rows at a time", c.name, block));
            SampleRows source(file, inspect_samples(file, "/HH"));
            EXPECT_EQ(source.unit(), c.chunk_rows > 0 ? static_cast<std::int64_t>(c.chunk_rows) : 1);
            EXPECT_GT(source.stored_bytes(), 0u);
            std::vector<std::byte> got(samples.size());
            for (std::int64_t row = 0; row < rows; row += block) {
                const auto part = static_cast<std::size_t>(std::min(block, rows - row));
                source.read(row, static_cast<std::int64_t>(part),
                            std::span(got).subspan(static_cast<std::size_t>(row) * columns * 4, part * columns * 4));
            }
            EXPECT_TRUE(got == samples);
            EXPECT_THROW(source.read(rows - 1, 2, std::span(got).first(2 * columns * 4)), std::logic_error)
                << "beyond the end";
        }
    }
}

TEST_F(SampleReaderTest, SomeColumnsAreThoseOfAll) {
    for (const ChunkCase& c : chunk_cases) {
        const auto samples = counting_samples(SampleFormat::int16, rows * columns);
        create(path("a.h5"), stored_type(SampleFormat::int16), creation_of(c), samples.data());
        const h5::Reader file(path("a.h5"));
        SampleRows source(file, inspect_samples(file, "/HH"));
        for (const Interval some : {Interval{0, 1}, Interval{19, 41}, Interval{30, columns}, Interval{0, columns}})
            for (const auto& [first, count] : {std::pair{3, 2}, std::pair{5, 20}, std::pair{25, 20}}) {
                SCOPED_TRACE(fmt::format("{}, columns {} to {}, row {}", c.name, some.first, some.last, first));
                const auto width = static_cast<std::size_t>(some.last - some.first);
                std::vector<std::byte> got(static_cast<std::size_t>(count) * width * 4);
                source.read(first, count, some, got);
                for (int row = 0; row < count; ++row)
                    EXPECT_TRUE(std::equal(
                        got.begin() + static_cast<std::ptrdiff_t>(row * width * 4),
                        got.begin() + static_cast<std::ptrdiff_t>((row + 1) * width * 4),
                        samples.begin() + ((first + row) * static_cast<std::ptrdiff_t>(columns) + some.first) * 4));
            }
    }
}

TEST_F(SampleReaderTest, TakesOneOfSeveralReceiveChannels) {
    constexpr hsize_t channels = 3;
    const auto samples = counting_samples(SampleFormat::int16, channels * rows * columns);
    const h5::Type type = stored_type(SampleFormat::int16);
    const hsize_t extents[3] = {channels, rows, columns};
    for (const hsize_t of_a_chunk : {0, 1, 2, 3}) {  // channels
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        {
            const h5::File file(H5Fcreate(path("a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
            const h5::Space space(H5Screate_simple(3, extents, nullptr));
            const h5::Properties creation(H5Pcreate(H5P_DATASET_CREATE));
            const hsize_t chunk[3] = {of_a_chunk, 7, 20};
            if (of_a_chunk > 0) H5Pset_chunk(creation, 3, chunk), H5Pset_deflate(creation, 4);
            const h5::Dataset data(H5Dcreate2(file, "/HH", type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
            ASSERT_GE(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, samples.data()), 0);
        }
        const h5::Reader file(path("a.h5"));
        for (std::int64_t channel = 0; channel < static_cast<std::int64_t>(channels); ++channel) {
            SCOPED_TRACE(fmt::format("channel {}, {} in a chunk", channel, of_a_chunk));
            const SampleMatrix matrix = inspect_samples(file, "/HH", channel);
            std::vector<std::byte> got(matrix.bytes());
            read_samples(file, matrix, got);
            EXPECT_TRUE(std::equal(got.begin(), got.end(), samples.begin() + channel * std::ssize(got)));
            EXPECT_EQ(decodable_chunks(file.dataset("/HH")).has_value(), of_a_chunk > 0);
        }
        expect_refused([&] { inspect_samples(file, "/HH"); }, {"3 receive channels", "--channel 0 to 2"});
        expect_refused([&] { inspect_samples(file, "/HH", 3); }, {"none of them number 3"});
    }
}

TEST_F(SampleReaderTest, ChunksNeverWrittenHoldTheFillValue) {
    for (const ChunkCase& c : chunk_cases)
        for (const SampleFormat format : formats) {
            SCOPED_TRACE(fmt::format("{}, format {}", c.name, static_cast<int>(format)));
            const auto samples = counting_samples(format, rows * columns);
            const h5::Properties creation = creation_of(c);
            const auto fill = counting_samples(format, 1);
            H5Pset_fill_value(creation, stored_type(format), fill.data());
            create(path("a.h5"), stored_type(format), creation, samples.data(), 10);
            const auto got = read_all(path("a.h5"));
            const std::size_t element = bytes_per_sample(format), written = 10 * columns * element;
            EXPECT_TRUE(
                std::equal(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(written), got.begin()));
            for (std::size_t at = written; at < got.size(); at += element)
                ASSERT_EQ(std::memcmp(got.data() + at, fill.data(), element), 0) << at;
        }
}

TEST_F(SampleReaderTest, LeavesOtherFiltersToHdf5) {
    const auto samples = counting_samples(SampleFormat::int16, rows * columns);
    const h5::Properties creation = creation_of({"", 8, columns, {}, false});
    H5Pset_nbit(creation);
    create(path("a.h5"), stored_type(SampleFormat::int16), creation, samples.data());
    EXPECT_FALSE(decodable_chunks(h5::Reader(path("a.h5")).dataset("/HH")));
    EXPECT_TRUE(read_all(path("a.h5")) == samples);
}

h5::Type compound(std::size_t size, const char* first, std::size_t first_at, const char* second, std::size_t second_at,
                  hid_t member) {
    h5::Type type(H5Tcreate(H5T_COMPOUND, size));
    H5Tinsert(type, first, first_at, member);
    H5Tinsert(type, second, second_at, member);
    return type;
}

/// Writes {re, im} pairs of int16 counting up, in any layout.
void create_int16(const std::string& path, const h5::Type& stored, const char* real, const char* imaginary,
                  const h5::Properties& creation) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    std::vector<std::int16_t> values(2 * rows * columns);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int16_t>(i);
    const h5::Type memory = compound(4, real, 0, imaginary, 2, H5T_NATIVE_INT16);
    const h5::File file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hsize_t extents[2] = {rows, columns};
    const h5::Space space(H5Screate_simple(2, extents, nullptr));
    const h5::Dataset data(H5Dcreate2(file, "/HH", stored, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    ASSERT_GE(H5Dwrite(data, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
}

void expect_counting_int16(const std::vector<std::byte>& bytes) {
    for (std::size_t i = 0; i < bytes.size() / 2; ++i) {
        std::int16_t value = 0;
        std::memcpy(&value, bytes.data() + 2 * i, 2);
        ASSERT_EQ(value, static_cast<std::int16_t>(i)) << i;
    }
}

TEST_F(SampleReaderTest, TurnsEveryLayoutIntoRealFirstLittleEndian) {
    const ChunkCase plain{"contiguous", 0, 0, {}, false}, packed{"gzip", 8, columns, {"shuffle", "gzip"}, true};
    for (const ChunkCase& c : {plain, packed})
        for (const auto& [real, imaginary] : {std::pair{"r", "i"}, std::pair{"R", "I"}, std::pair{"I", "Q"},
                                              std::pair{"Real", "Imag"}, std::pair{"re", "im"}}) {
            SCOPED_TRACE(std::string(c.name) + " " + real + " " + imaginary);
            create_int16(path("le.h5"), compound(4, real, 0, imaginary, 2, H5T_STD_I16LE), real, imaginary,
                         creation_of(c));
            expect_counting_int16(read_all(path("le.h5")));
            create_int16(path("be.h5"), compound(4, real, 0, imaginary, 2, H5T_STD_I16BE), real, imaginary,
                         creation_of(c));
            expect_counting_int16(read_all(path("be.h5")));
            create_int16(path("gap.h5"), compound(8, real, 0, imaginary, 4, H5T_STD_I16LE), real, imaginary,
                         creation_of(c));
            expect_counting_int16(read_all(path("gap.h5")));
            create_int16(path("swapped.h5"), compound(4, imaginary, 0, real, 2, H5T_STD_I16LE), real, imaginary,
                         creation_of(c));
            expect_counting_int16(read_all(path("swapped.h5")));
        }
}

TEST_F(SampleReaderTest, RefusesWhatIsNoComplexNumber) {
    const h5::Properties plain = creation_of({"contiguous", 0, 0, {}, false});
    const std::vector<std::byte> zeros(rows * columns * 32);
    const auto refused = [&](const h5::Type& type, const char* word) {
        create(path("a.h5"), type, plain, zeros.data());
        expect_refused([&] { read_all(path("a.h5")); }, {"/HH", word, "expected complex samples"});
    };
    refused(h5::Type(H5Tcopy(H5T_IEEE_F32LE)), "float32");
    refused(h5::complex_type(H5T_STD_I32LE), "int32");
    refused(h5::complex_type(H5T_STD_U8LE), "uint8");
    refused(compound(8, "x", 0, "y", 4, H5T_IEEE_F32LE), "x: float32");
    refused(compound(8, "i", 0, "j", 4, H5T_IEEE_F32LE), "j: float32");
    h5::Type mixed(H5Tcreate(H5T_COMPOUND, 12));
    H5Tinsert(mixed, "r", 0, H5T_IEEE_F32LE);
    H5Tinsert(mixed, "i", 4, H5T_IEEE_F64LE);
    refused(mixed, "i: float64");
    h5::Type brain(H5Tcopy(H5T_IEEE_F32LE));  // bfloat16 is no binary16
    H5Tset_fields(brain, 15, 7, 8, 0, 7);
    H5Tset_size(brain, 2);
    refused(h5::complex_type(brain), "float16");
}

TEST_F(SampleReaderTest, NamesTheDamagedChunk) {
    for (const auto& filters : {std::vector<std::string>{"gzip"}, std::vector<std::string>{"fletcher32"}}) {
        const auto samples = counting_samples(SampleFormat::int16, rows * columns);
        create(path("a.h5"), stored_type(SampleFormat::int16), creation_of({"", 8, columns, filters, true}),
               samples.data());
        haddr_t address = 0;
        {
            const h5::Reader file(path("a.h5"));
            const hsize_t offset[2] = {16, 0};
            hsize_t size = 0;
            unsigned mask = 0;
            ASSERT_GE(H5Dget_chunk_info_by_coord(file.dataset("/HH"), offset, &mask, &address, &size), 0);
            address += size / 2;
        }
        std::fstream raw(path("a.h5"), std::ios::in | std::ios::out | std::ios::binary);
        raw.seekg(static_cast<std::streamoff>(address));
        const char flipped = static_cast<char>(~raw.peek());
        raw.seekp(static_cast<std::streamoff>(address)).put(flipped);
        raw.close();
        expect_refused([&] { read_all(path("a.h5")); }, {"/HH", "line 16, sample 0", "damaged"});
    }
}

std::ptrdiff_t threads_of_this_process() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
}

/// A thread that has ended stays in the list for a moment, and OpenMP waits for none of its own.
void wait_until_threads_are(std::ptrdiff_t count) {
    using namespace std::chrono_literals;
    for (const auto end = std::chrono::steady_clock::now() + 10s; std::chrono::steady_clock::now() < end;
         std::this_thread::sleep_for(1ms))
        if (threads_of_this_process() <= count) return;
}

TEST_F(SampleReaderTest, UsesAsManyThreadsAsItMay) {
    const auto samples = counting_samples(SampleFormat::int16, rows * columns);
    create(path("chunks.h5"), stored_type(SampleFormat::int16), creation_of({"", 8, columns, {"gzip"}, true}),
           samples.data());
    create(path("swapped.h5"), h5::complex_type(H5T_STD_I16BE), creation_of({"", 8, columns, {}, true}),
           samples.data());
    const std::ptrdiff_t alone = threads_of_this_process();
    for (const char* name : {"chunks.h5", "swapped.h5"})
        for (const int threads : {1, 3, 6}) {
            wait_until_threads_are(alone);
            std::ptrdiff_t started = -1;
            std::thread([&] {  // which has no threads of OpenMP yet, and keeps those that it starts
                const h5::Reader file(path(name));
                const SampleMatrix matrix = inspect_samples(file, "/HH");
                std::vector<std::byte> got(matrix.bytes());
                const std::ptrdiff_t before = threads_of_this_process();
                read_samples(file, matrix, got, threads);
                started = threads_of_this_process() - before;
            })
                .join();
            EXPECT_EQ(started, threads - 1) << name;
        }
}

TEST_F(SampleReaderTest, StopsOnRequest) {
    const auto samples = counting_samples(SampleFormat::int16, rows * columns);
    for (const auto& filters : {std::vector<std::string>{}, std::vector<std::string>{"gzip"}}) {
        create(path("a.h5"), stored_type(SampleFormat::int16), creation_of({"", 8, columns, filters, true}),
               samples.data());
        {
            const StoppedJob stopped;
            EXPECT_THROW(read_all(path("a.h5")), Interrupted);
        }
    }
}

TEST_F(SampleReaderTest, SaysHowMuchMemoryIsMissing) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    {
        const h5::File file(H5Fcreate(path("a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        const hsize_t extents[2] = {10'000'000, 20'000'000}, chunk[2] = {1000, 1000};
        const h5::Space space(H5Screate_simple(2, extents, nullptr));
        const h5::Properties creation(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_chunk(creation, 2, chunk);  // never written: a few kilobytes on the disk
        const h5::Dataset data(
            H5Dcreate2(file, "/HH", stored_type(SampleFormat::complex64), space, H5P_DEFAULT, creation, H5P_DEFAULT));
        ASSERT_TRUE(data.valid());
    }
    const h5::Reader file(path("a.h5"));
    expect_refused([&] { require_sample_memory(file, inspect_samples(file, "/HH")); },
                   {"/HH", "1.49e+06 GiB", "available"});  // 1.6e15 bytes
}

TEST_F(SampleReaderTest, ConvertsAnyNumberToComplex64) {
    for (const SampleFormat format :
         {SampleFormat::int8, SampleFormat::int16, SampleFormat::complex64, SampleFormat::complex128}) {
        const auto samples = counting_samples(format, rows * columns);
        create(path("a.h5"), stored_type(format), creation_of({"", 8, columns, {"gzip"}, true}), samples.data());
        const h5::Reader file(path("a.h5"));
        const auto values = read_complex64(file, inspect_samples(file, "/HH"));
        const double scale = format == SampleFormat::int8 ? 1 : format == SampleFormat::int16 ? 200 : 0.37;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto number = [&](std::size_t k) {
                return static_cast<float>((static_cast<int>(k * 7 % 255) - 127) * scale);
            };
            ASSERT_FLOAT_EQ(values[i].real(), number(2 * i));
            ASSERT_FLOAT_EQ(values[i].imag(), number(2 * i + 1));
        }
    }
}

}  // namespace
}  // namespace cornerturn

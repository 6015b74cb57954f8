// SPDX-License-Identifier: Apache-2.0
#include "data/safe/measurement.h"

#include <fmt/format.h>

#include <bit>
#include <complex>

#include "data/tiff/tiff.h"
#include "kernels/errors.h"
#include "kernels/interrupt.h"

namespace cornerturn::safe {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are written as they lie in memory");

struct ComplexInt16 {
    std::int16_t real = 0, imaginary = 0;
};

[[noreturn]] void fail_measurement(const std::string& path) {
    throw DeviceError(fmt::format("{}: writing failed: {}", path, tiff_complaint()));
}

/// One that can be longer than 4 GB, where it is.
TiffHandle opened(const std::string& path, const BurstStack& stack) {
    constexpr std::uint64_t most_bytes = std::uint64_t{0xf0000000};
    const auto bytes = static_cast<std::uint64_t>(stack.all_lines() * stack.samples) * sizeof(ComplexInt16);
    TiffHandle tiff = open_tiff(path, bytes > most_bytes ? "w8" : "w");
    if (!tiff) fail_measurement(path);
    return tiff;
}

void set_tags(TIFF* tiff, const BurstStack& stack, const std::string& description) {
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(stack.samples));
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(stack.all_lines()));
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 32);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_COMPLEXINT);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 1);
    TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description.c_str());
    TIFFSetField(tiff, TIFFTAG_SOFTWARE, stack.first().processing.software.c_str());
}

/// The line's valid samples, the others zero. `row`: room for one of the image.
void take_line(const BurstStack& stack, const StackedBurst& burst, std::int64_t line, const ScratchRows& rows,
               std::vector<std::complex<float>>& row, IntegerSamples& integers, std::vector<ComplexInt16>& to) {
    to.assign(static_cast<std::size_t>(stack.samples), {});
    const Interval valid = stack.valid(burst, line);
    if (valid.last == 0) return;
    row.resize(static_cast<std::size_t>(burst.header.grid.columns));
    rows.read(burst.first_row + line, row);
    for (std::int64_t k = valid.first; k < valid.last; ++k) {
        const auto [real, imaginary] = integers.codes(row[static_cast<std::size_t>(burst.first_column + k)]);
        to[static_cast<std::size_t>(k)] = {static_cast<std::int16_t>(real), static_cast<std::int16_t>(imaginary)};
    }
}

}  // namespace

ByteOffsets write_measurement(const std::string& path, const BurstStack& stack,
                              const std::vector<const ScratchRows*>& rows, IntegerSamples& integers,
                              const std::string& description) {
    const TiffHandle tiff = opened(path, stack);
    set_tags(tiff.get(), stack, description);
    std::vector<std::complex<float>> row;
    std::vector<ComplexInt16> samples;
    std::uint32_t strip = 0;
    for (std::size_t i = 0; i < stack.bursts.size(); ++i)
        for (std::int64_t line = 0; line < stack.lines; ++line) {
            throw_if_interrupted();
            take_line(stack, stack.bursts[i], line, *rows[i], row, integers, samples);
            const auto bytes = static_cast<tmsize_t>(samples.size() * sizeof(samples[0]));
            if (TIFFWriteRawStrip(tiff.get(), strip++, samples.data(), bytes) != bytes) fail_measurement(path);
        }
    ByteOffsets offsets;
    const std::uint64_t* strips = nullptr;
    if (TIFFGetField(tiff.get(), TIFFTAG_STRIPOFFSETS, &strips) != 1) fail_measurement(path);
    for (std::size_t i = 0; i < stack.bursts.size(); ++i)
        offsets.push_back(strips[i * static_cast<std::size_t>(stack.lines)]);
    if (TIFFWriteDirectory(tiff.get()) != 1) fail_measurement(path);
    return offsets;
}

}  // namespace cornerturn::safe

// SPDX-License-Identifier: Apache-2.0
// Detected images on disk: HDF5 with axes, TIFF or PNG, as floating-point numbers or as integers with their scale.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/measure/multilook.h"

namespace cornerturn {

enum class Detection { amplitude, power, decibel };
enum class StoredAs { float32, uint8, uint16 };
enum class DetectedFormat { hdf5, tiff, png };

/// By their names; throw InputError listing them.
Detection detection_named(const std::string& name);
StoredAs stored_as_named(const std::string& name);
/// By a file's ending: .h5, .hdf5; .tif, .tiff; .png.
DetectedFormat detected_format_of(const std::string& path);

/// What a mean power is shown as; -infinity decibels for none.
float detected(float power, Detection detection);

/// value = offset + scale * stored. Integers begin at 1: 0 is where the image has nothing.
struct IntegerScale {
    double scale = 1, offset = 0;

    /// Of the least and the greatest value that are told apart. Throws InputError unless the one is below the other.
    static IntegerScale between(double least, double greatest, StoredAs type);
    /// Values beyond are those at the ends.
    std::uint16_t stored(float value, StoredAs type) const;
};

/// How often values come: of it follows a scale that loses the darkest two and the brightest one in a thousand.
class Brightness {
public:
    void add(std::span<const float> power);
    /// From 0 for amplitude and power. Throws InputError if all is dark.
    IntegerScale scale(Detection detection, StoredAs type) const;

private:
    std::vector<std::int64_t> counts_;  // a tenth of a decibel each
};

struct DetectedOptions {
    Detection detection = Detection::amplitude;
    StoredAs type = StoredAs::float32;
    IntegerScale scale = {};  ///< of integers
    MultilookOptions looks;   ///< for the record
    std::string source = {};  ///< likewise: the image that was detected
};

/// A file that rows come into; it appears under its name when committed. TIFF and HDF5 are written as rows come, PNG at
/// the end.
class DetectedFile {
public:
    /// `image` is the header of the single-look image. Throws InputError for a path that cannot be written and a type
    /// that a format lacks.
    static std::unique_ptr<DetectedFile> create(const std::string& path, const Image& image,
                                                const DetectedOptions& options);
    virtual ~DetectedFile() = default;
    /// Mean power of whole rows of cells, in order.
    virtual void write(std::int64_t first_row, std::span<const float> power) = 0;
    virtual void commit() = 0;
};

/// Before anything is computed: throws as create does. Also for no path at all.
void check_detected_path(const std::string& path, const std::string& input, StoredAs type);

}  // namespace cornerturn

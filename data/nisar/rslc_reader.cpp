// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/rslc_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/sample_reader.h"
#include "data/nisar/image_frame.h"
#include "data/nisar/opened_image.h"
#include "data/nisar/product_group.h"
#include "data/nisar/product_parts.h"
#include "data/nisar/rslc_parts.h"
#include "data/nisar/rslc_record.h"
#include "data/nisar/surface_table.h"
#include "data/nisar/uniform_axis.h"
#include "data/nisar/valid_intervals.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/ground/image_radiometry.h"

namespace cornerturn {
namespace {

ImagePaths locate(const h5::Reader& file, const FrameSelection& selection, Acquisition& acquisition) {
    if (const auto product = find_product(file, image_products))
        return locate_frame(file, *product, "swaths", "a focused image", selection, acquisition);
    if (const auto raw = find_product(file, raw_products))
        throw InputError(
            fmt::format("{}: {}: this is raw echo, expected a focused image (NISAR RSLC); run `cornerturn focus` first",
                        file.file_name(), *raw));
    if (const auto map = find_product(file, map_products))
        throw InputError(
            fmt::format("{}: {}: this is an image on a map, which has no zero-Doppler axes, expected one that has "
                        "(NISAR RSLC); info, quicklook, multilook, convert, analyze and compare take maps, else focus "
                        "without --grid",
                        file.file_name(), *map));
    throw InputError(fmt::format(
        "{}: no group /science/LSAR/RSLC or /science/SSAR/RSLC, expected a focused image in NISAR RSLC layout",
        file.file_name()));
}

void read_grid(const h5::Reader& file, const ImagePaths& paths, const SampleMatrix& samples, Image& image) {
    const std::string swaths = paths.product + "/swaths";
    const auto azimuth = read_uniform_axis(file,
                                           {.values = swaths + "/zeroDopplerTime",
                                            .spacing = swaths + "/zeroDopplerTimeSpacing",
                                            .unit = "s",
                                            .meaning = "one for each row of " + paths.samples},
                                           samples.rows);
    const auto range = read_uniform_axis(file,
                                         {.values = paths.frequency + "/slantRange",
                                          .spacing = paths.frequency + "/slantRangeSpacing",
                                          .unit = "m",
                                          .meaning = "one for each column of " + paths.samples},
                                         samples.columns);
    check_positive(file, paths.frequency + "/slantRange", range.first, "m");
    const Epoch epoch = read_axis_epoch(file, swaths + "/zeroDopplerTime").value_or(epoch_of(image.acquisition));
    image.acquisition.epoch = epoch.text();
    image.grid = {.rows = samples.rows,
                  .columns = samples.columns,
                  .first_time_s = azimuth.first + epoch.fraction,
                  .time_spacing_s = azimuth.spacing,
                  .near_range_m = range.first,
                  .range_spacing_m = range.spacing};
}

void read_valid_columns(const h5::Reader& file, const ImagePaths& paths, Image& image) {
    const std::vector<std::string> sub_swaths = sub_swath_paths(file, paths.frequency);
    image.intervals_per_row = std::max(1, static_cast<int>(sub_swaths.size()));
    if (sub_swaths.empty())
        image.valid_columns.assign(static_cast<std::size_t>(image.grid.rows),
                                   {0, static_cast<std::int32_t>(image.grid.columns)});
    else
        image.valid_columns =
            read_valid_intervals(file, sub_swaths, image.grid.rows, image.grid.columns, "row of " + paths.samples);
}

/// What the image tells of the echo, and what our own group knows better.
void read_echo_of(const h5::Reader& file, const ImagePaths& paths, Image& image) {
    Acquisition& acquisition = image.acquisition;
    acquisition.carrier_hz = file.number(paths.frequency + "/processedCenterFrequency");
    check_positive(file, paths.frequency + "/processedCenterFrequency", acquisition.carrier_hz, "Hz");
    acquisition.prf_hz =
        file.optional_number(paths.frequency + "/nominalAcquisitionPRF").value_or(1 / image.grid.time_spacing_s);
    acquisition.lines = image.grid.rows;
    acquisition.samples = image.grid.columns;
    acquisition.first_pulse_time_s = image.grid.first_time_s;
    acquisition.near_range_m = image.grid.near_range_m;
    acquisition.range_spacing_m = image.grid.range_spacing_m;
    read_echo(file, own_group(file, paths.processing() + rslc_echo, acquisition.frequency), acquisition);
}

/// Mean of a slowly changing grid; foreign files have no single figure.
std::optional<double> mean_of_grid(const h5::Reader& file, const std::string& path) {
    if (!file.exists(path)) return std::nullopt;
    const auto extents = h5::shape(file.dataset(path));
    if (extents.size() != 2 || extents[0] * extents[1] == 0) return std::nullopt;
    const h5::Table table =
        file.table(path, {.rows = {}, .columns = static_cast<std::int64_t>(extents[1]), .meaning = ""});
    double sum = 0;
    for (const double value : table.values) sum += value;
    return sum / static_cast<double>(table.values.size());
}

ProcessingRecord read_foreign_record(const h5::Reader& file, const ImagePaths& paths, const Image& image) {
    ProcessingRecord record;
    const std::string parameters = paths.processing() + "/parameters";
    record.algorithm = "unknown";
    record.software = file.optional_text(paths.processing() + "/algorithms/softwareVersion").value_or("unknown");
    record.doppler_source = record.velocity_source = "file";
    record.doppler_centroid_hz =
        mean_of_grid(file, fmt::format("{}/frequency{}/dopplerCentroid", parameters, image.acquisition.frequency))
            .value_or(0);
    if (const auto velocity = mean_of_grid(file, parameters + "/effectiveVelocity"))
        record.effective_velocity_m_s.assign(static_cast<std::size_t>(image.grid.columns), *velocity);
    record.range_bandwidth_hz = file.optional_number(paths.frequency + "/processedRangeBandwidth").value_or(0);
    record.azimuth_bandwidth_hz = file.optional_number(paths.frequency + "/processedAzimuthBandwidth").value_or(0);
    return record;
}

/// NISAR's tables, by which (amplitude / table)^2 is beta0 and sigma0; between their nodes bilinear. Ours say that they
/// are of geometry alone.
std::optional<Radiometry> read_radiometry(const h5::Reader& file, const std::string& group, const Image& image) {
    const std::string times_path = group + "/zeroDopplerTime", ranges_path = group + "/slantRange";
    for (const std::string& path : {times_path, ranges_path, group + "/beta0", group + "/sigma0"})
        if (!file.exists(path)) return std::nullopt;
    if (file.attribute(group + "/beta0", "description").value_or("").find(not_calibrated) != std::string::npos)
        return std::nullopt;
    const std::vector<double> range_m = file.numbers(ranges_path, {}),
                              time_s = read_times(file, times_path, epoch_of(image.acquisition));
    check_increasing(file, ranges_path, range_m, "m");
    if (time_s.size() < 2 || range_m.size() < 2) file.refuse(group, "has tables of one time or range, expected two");
    const auto factor = [&](const char* name) {
        const h5::Table table = file.table(group + name, {.rows = static_cast<std::int64_t>(time_s.size()),
                                                          .columns = static_cast<std::int64_t>(range_m.size()),
                                                          .meaning = "a value for each time and range"});
        const auto between = [](const std::vector<double>& axis, double at) {
            const auto right = std::clamp<std::ptrdiff_t>(std::upper_bound(axis.begin(), axis.end(), at) - axis.begin(),
                                                          1, std::ssize(axis) - 1);
            const double low = axis[static_cast<std::size_t>(right - 1)], high = axis[static_cast<std::size_t>(right)];
            return std::pair(right - 1, std::clamp((at - low) / (high - low), 0.0, 1.0));
        };
        return power_factor(image.grid, [&](double row, double column) {
            const auto [i, down] = between(time_s, image.grid.time_s(row));
            const auto [k, across] = between(range_m, image.grid.range_m(column));
            const double value = std::lerp(std::lerp(table.at(i, k), table.at(i, k + 1), across),
                                           std::lerp(table.at(i + 1, k), table.at(i + 1, k + 1), across), down);
            return 1 / (value * value);
        });
    };
    return Radiometry{.beta0 = factor("/beta0"), .sigma0 = factor("/sigma0"), .calibrated = true};
}

OpenedImage opened_rslc(const std::string& path, const FrameSelection& selection) {
    OpenedImage opened{.file = h5::Reader(path), .samples = {}, .image = {}};
    const h5::Reader& file = opened.file;
    Image& image = opened.image;
    const ImagePaths paths = locate(file, selection, image.acquisition);
    opened.samples = inspect_samples(file, paths.samples);
    if (opened.samples.format == SampleFormat::lut16)
        file.refuse(paths.samples, "holds uint16 indices, expected the numbers of a focused image");
    read_grid(file, paths, opened.samples, image);
    read_valid_columns(file, paths, image);
    read_echo_of(file, paths, image);
    const std::string record = own_group(file, paths.processing() + rslc_record, image.acquisition.frequency);
    image.processing =
        file.is_group(record) ? read_record(file, record, image.grid) : read_foreign_record(file, paths, image);
    Warnings doubts;  // nothing here keeps an image from being looked at
    image.acquisition.identification = read_identification(file, paths.band + "/identification", doubts);
    image.processing.processed_at = file.optional_text(paths.band + "/identification/processingDateTime").value_or("");
    const Epoch epoch = epoch_of(image.acquisition);
    image.acquisition.orbit = read_orbit(file, paths.product + "/metadata/orbit", epoch);
    image.processing.doppler_surface_hz =
        read_surface(file, fmt::format("{}/parameters/frequency{}", paths.processing(), image.acquisition.frequency),
                     "dopplerCentroid", epoch, image.acquisition.orbit, SurfaceWanted::where_it_varies);
    image.acquisition.attitude = read_attitude(file, paths.product + "/metadata/attitude", epoch);
    image.radiometry = read_radiometry(file, paths.product + "/metadata/calibrationInformation/geometry", image);
    image.acquisition.truth = read_truth(file, paths.product + "/metadata/simulation/targets", epoch);
    return opened;
}

}  // namespace

ProductKind product_kind(const std::string& path) {
    const h5::Reader file(path);
    if (find_product(file, image_products)) return ProductKind::image;
    if (find_product(file, raw_products)) return ProductKind::raw;
    if (find_product(file, map_products)) return ProductKind::map;
    if (const auto detected = find_product(file, detected_products))
        throw InputError(
            fmt::format("{}: {}: this is a detected image, whose phases are gone; expected the one that it was made of",
                        path, *detected));
    throw InputError(
        fmt::format("{}: no group RRSD (raw echo), RSLC (focused image) or GSLC (image on a map) below /science/LSAR "
                    "or /science/SSAR; expected one of these NISAR layouts",
                    path));
}

Image read_rslc_header(const std::string& path, const FrameSelection& selection) {
    return opened_rslc(path, selection).image;
}

Image read_rslc(const std::string& path, const FrameSelection& selection) {
    OpenedImage opened = opened_rslc(path, selection);
    opened.image.samples = read_complex64(opened.file, opened.samples, selection.threads);
    return std::move(opened.image);
}

StoredImage open_rslc(const std::string& path, const FrameSelection& selection) {
    return stored_image("NISAR RSLC", opened_rslc(path, selection), selection.threads);
}

}  // namespace cornerturn

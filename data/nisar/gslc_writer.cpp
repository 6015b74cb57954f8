// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/gslc_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "data/nisar/gslc_grid.h"
#include "data/nisar/image_samples.h"
#include "data/nisar/product_parts.h"
#include "data/nisar/rslc_record.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "pipeline/acquisition/product_epoch.h"

namespace cornerturn {
namespace {

constexpr const char* phase_reference =
    "flattened: exp(+j 2 pi f0 tau) is taken off each pulse, tau its two-way delay to the pixel's place, so that a "
    "point at a pixel's centre has its own phase there; times exp(-j 4 pi R0 / lambda), R0 the closest range of the "
    "pixel's place, it is that of an image on the zero-Doppler grid";

const MapGrid& map_of(const Image& image) {
    if (!image.map || image.map->rows != image.grid.rows || image.map->columns != image.grid.columns)
        throw std::logic_error("GSLC: the image does not lie on a map");
    return *image.map;
}

std::uint64_t gslc_bytes(const MapGrid& map, SampleType samples) {
    return static_cast<std::uint64_t>(map.rows * map.columns) * (image_sample_bytes(samples) + 1) + (1u << 20);
}

/// What a map is, as netCDF's conventions have it: a number with attributes.
void write_projection(h5::Writer& file, const std::string& frequency, const MapProjection& projection) {
    const std::string path = frequency + "/projection";
    file.number(path, std::int32_t{projection.epsg}, "",
                projection.is_local()   ? "The track's own frame: x and y level, z up"
                : projection.is_plane() ? "The plane of a scene, by planeOrigin, planeXAxis and planeYAxis"
                                        : "EPSG code");
    file.attribute(path, "epsg_code", std::int32_t{projection.epsg});
    if (projection.is_local()) return;
    if (projection.plane) {
        const auto write = [&](const char* name, const Vec3& v, const char* units, const char* what) {
            file.numbers(frequency + name, std::vector<double>(v.begin(), v.end()), units, what);
        };
        write(plane_origin, projection.plane->origin_m, "meters", "Where x and y are 0: ECEF, WGS84");
        write(plane_x_axis, projection.plane->x_axis, "1", "Unit vector in ECEF");
        write(plane_y_axis, projection.plane->y_axis, "1", "Unit vector in ECEF");
        return;
    }
    const std::string text = MapTransform(projection).well_known_text();
    if (!text.empty()) {
        file.attribute(path, "spatial_ref", text);  // GDAL
        file.attribute(path, "crs_wkt", text);      // CF
    }
    file.attribute(path, "ellipsoid", "WGS84");
    file.attribute(path, "semi_major_axis", wgs84_equatorial_radius_m);
    file.attribute(path, "inverse_flattening",
                   wgs84_equatorial_radius_m / (wgs84_equatorial_radius_m - wgs84_polar_radius_m));
    if (projection.in_degrees()) file.attribute(path, "grid_mapping_name", "latitude_longitude");
}

struct AxisNames {
    std::string standard, units;
};
AxisNames axis_names(const MapProjection& projection, char axis) {
    if (projection.in_degrees())
        return {axis == 'x' ? "longitude" : "latitude", axis == 'x' ? "degrees_east" : "degrees_north"};
    if (projection.is_local() || projection.is_plane()) return {"", "meters"};
    return {fmt::format("projection_{}_coordinate", axis), "meters"};
}

void write_axis(h5::Writer& file, const std::string& frequency, char axis, const std::vector<double>& values,
                double step, const MapProjection& projection) {
    const AxisNames names = axis_names(projection, axis);
    const std::string path = fmt::format("{}/{}Coordinates", frequency, axis);
    file.numbers(path, values, names.units, "Of the pixels' centres");
    if (!names.standard.empty()) file.attribute(path, "standard_name", names.standard);
    file.attribute(path, "axis", axis == 'x' ? "X" : "Y");
    file.make_scale(path, fmt::format("{}Coordinates", axis));
    file.number(fmt::format("{}/{}CoordinateSpacing", frequency, axis), step, names.units);
}

/// NISAR's mask: 0 where a pixel is not or only partially focused, 1 where it is, 255 beyond the echo, which we do not
/// tell from 0.
void write_mask(h5::Writer& file, const std::string& frequency, const Image& image) {
    const std::string path = frequency + "/mask";
    const MapGrid& map = *image.map;
    const h5::Dataset data =
        file.chunked(path, H5T_STD_U8LE, map.rows, map.columns, h5::strips_of(map.rows, map.columns, 1));
    std::vector<std::uint8_t> row(static_cast<std::size_t>(map.columns));
    for (std::int64_t i = 0; i < map.rows; ++i) {
        std::fill(row.begin(), row.end(), image.valid_columns.empty() ? 1 : 0);
        for (int k = 0; k < image.intervals_per_row && !image.valid_columns.empty(); ++k) {
            const Interval& valid = image.valid_columns[static_cast<std::size_t>(i * image.intervals_per_row + k)];
            std::fill(row.begin() + valid.first, row.begin() + valid.last, std::uint8_t{1});
        }
        file.write_rows(data, i, 1, row.data());
    }
    file.attribute(path, "description",
                   "1: fully focused; 0: made of a part of chirp or aperture, or not covered by the echo");
    file.attribute(path, "grid_mapping", "projection");
    file.attach_scales(path, frequency + "/yCoordinates", frequency + "/xCoordinates");
}

constexpr int points_per_edge = 11;  // of the bounding polygon

/// Times of the pulses: a map has no zero-Doppler times of its own.
TimeSpan pulses_of(const Acquisition& acquisition) {
    return {acquisition.pulse_time_s(0), acquisition.last_pulse_time_s()};
}

void write_gslc_scene(h5::Writer& file, const std::string& band, const Image& image) {
    const Acquisition& acquisition = image.acquisition;
    const ProcessingRecord& record = image.processing;
    const std::string product = band + "/GSLC", processing = product + "/metadata/processingInformation";
    write_title(file, "L2 GSLC", image);
    file.text(processing + "/algorithms/imageFormation", record.algorithm);
    file.text(processing + "/algorithms/softwareVersion", record.software);
    file.text(processing + "/algorithms/geocoding", "each pixel summed at its place on the map");
    file.text(processing + "/algorithms/phaseReference", phase_reference);
    file.text(processing + "/algorithms/demInterpolation", record.terrain.empty() ? "disabled" : "bilinear");
    file.text(processing + "/inputs/demSource", record.terrain.empty() ? "NONE" : record.terrain);
    if (acquisition.orbit || acquisition.local_track)
        write_orbit(file, product + "/metadata/orbit", acquisition, pulses_of(acquisition));
    if (acquisition.attitude) write_attitude(file, product + "/metadata/attitude", acquisition, pulses_of(acquisition));
    write_truth(file, product + "/metadata/simulation/targets", acquisition);
}

void write_frequency(h5::Writer& file, const std::string& frequency, const Image& image) {
    const MapGrid& map = *image.map;
    std::vector<double> x, y;
    for (std::int64_t k = 0; k < map.columns; ++k) x.push_back(map.x(static_cast<double>(k)));
    for (std::int64_t i = 0; i < map.rows; ++i) y.push_back(map.y(static_cast<double>(i)));
    write_axis(file, frequency, 'x', x, map.x_step, map.projection);
    write_axis(file, frequency, 'y', y, map.y_step, map.projection);
    write_projection(file, frequency, map.projection);
    file.number(frequency + "/centerFrequency", image.acquisition.carrier_hz, "Hz");
    file.number(frequency + "/rangeBandwidth", image.processing.range_bandwidth_hz, "Hz", "Processed");
    file.number(frequency + "/azimuthBandwidth", image.processing.azimuth_bandwidth_hz, "Hz", "Processed");
    file.number(frequency + "/slantRangeSpacing", image.acquisition.range_spacing_m, "meters", "Of the echo");
    write_mask(file, frequency, image);
}

}  // namespace

struct GslcFile::Open {
    Open(const std::string& path, std::uint64_t bytes, const Image& image)
        : file(path, bytes), band("/science/" + image.acquisition.band), first(image) {
        first.samples.clear();
    }
    std::string grids(const std::string& frequency) const {
        return fmt::format("{}/GSLC/grids/frequency{}", band, frequency);
    }
    std::string processing() const { return band + "/GSLC/metadata/processingInformation"; }

    h5::Writer file;
    std::string band;
    Image first;
    std::map<std::string, std::vector<std::string>> polarizations;  // of each frequency
    std::optional<ImageRows> samples;
    std::uint64_t written_bytes = 0;
};

GslcFile::GslcFile(std::string path, std::size_t images, ImageStorage storage)
    : path_(std::move(path)), images_(images), storage_(storage) {}
GslcFile::~GslcFile() = default;

void GslcFile::begin(const Image& header) {
    if (header.acquisition.product_epoch) return begin(in_product_epoch(header));
    const MapGrid& map = map_of(header);
    const Acquisition& acquisition = header.acquisition;
    if (!open_) {
        open_ = std::make_unique<Open>(path_, images_ * gslc_bytes(map, storage_.samples), header);
        write_gslc_scene(open_->file, open_->band, header);
    }
    if (!(map == *open_->first.map)) throw std::logic_error("GSLC: images of one file must share their grid");
    const std::string frequency = open_->grids(acquisition.frequency);
    auto& polarizations = open_->polarizations[acquisition.frequency];
    if (polarizations.empty()) {
        write_frequency(open_->file, frequency, header);
        write_own_groups(open_->file, open_->processing(), header, open_->polarizations.size() == 1);
    }
    if (std::find(polarizations.begin(), polarizations.end(), acquisition.polarization) != polarizations.end())
        throw std::logic_error(
            fmt::format("GSLC: frequency {} {} comes twice", acquisition.frequency, acquisition.polarization));
    polarizations.push_back(acquisition.polarization);
    const std::string path = fmt::format("{}/{}", frequency, acquisition.polarization);
    if (open_->samples) open_->samples->finish();
    open_->samples.emplace(open_->file, path, header.grid, storage_,
                           fmt::format("Focused single-look complex image ({}) on a map, row = y, column = x; phase {}",
                                       acquisition.polarization, phase_reference));
    open_->file.attribute(path, "grid_mapping", "projection");
    open_->file.attach_scales(path, frequency + "/yCoordinates", frequency + "/xCoordinates");
}

void GslcFile::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    open_->written_bytes += open_->samples->write(first_row, rows);
}

void GslcFile::commit() {
    if (!open_) throw std::logic_error("GSLC: no image was written");
    throw_if_interrupted();
    const Acquisition& acquisition = open_->first.acquisition;
    const TimeSpan pulses = pulses_of(acquisition);
    std::vector<std::string> frequencies;
    for (const auto& [frequency, polarizations] : open_->polarizations) {
        frequencies.push_back(frequency);
        open_->file.texts(open_->grids(frequency) + "/listOfPolarizations", polarizations);
    }
    write_identification(open_->file, open_->band + "/identification", acquisition,
                         {.type = "GSLC",
                          .level = "L2",
                          .first_time_s = pulses.first_s,
                          .last_time_s = pulses.last_s,
                          .frequencies = frequencies,
                          .bounding_polygon = polygon_text(
                              outline(*open_->first.map, open_->first.processing.scene_height_m, points_per_edge)),
                          .geocoded = true});
    if (!open_->first.processing.processed_at.empty())
        open_->file.text(open_->band + "/identification/processingDateTime", open_->first.processing.processed_at,
                         "UTC");
    write_origin(open_->file, open_->band + "/GSLC", origin_);
    open_->samples->finish();
    open_->samples.reset();
    open_->file.commit();
}

std::uint64_t GslcFile::written_bytes() const { return open_ ? open_->written_bytes : 0; }

}  // namespace cornerturn

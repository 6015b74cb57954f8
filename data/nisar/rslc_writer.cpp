// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/rslc_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "data/hdf5/deflate.h"
#include "data/hdf5/hdf5_writer.h"
#include "data/nisar/product_parts.h"
#include "data/nisar/rslc_paths.h"
#include "kernels/hyperbola.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

/// A coarse uniform grid over the image for what changes slowly.
struct CoarseGrid {
    static constexpr std::size_t times = 6, ranges = 33;
    std::vector<double> time_s, range_m;

    explicit CoarseGrid(const ImageGrid& grid) : time_s(times), range_m(ranges) {
        const double rows = static_cast<double>(std::max<std::int64_t>(grid.rows - 1, 1)),
                     columns = static_cast<double>(std::max<std::int64_t>(grid.columns - 1, 1));
        for (std::size_t i = 0; i < times; ++i) time_s[i] = grid.time_s(rows * static_cast<double>(i) / (times - 1));
        for (std::size_t k = 0; k < ranges; ++k) range_m[k] = grid.range_m(columns * static_cast<double>(k) / (ranges - 1));
    }
    /// The same row of values at every time.
    static std::vector<double> repeated(const std::vector<double>& row) {
        std::vector<double> values;
        for (std::size_t i = 0; i < times; ++i) values.insert(values.end(), row.begin(), row.end());
        return values;
    }
};

/// Effective velocity at a range, linear between columns.
double velocity_at(const Image& image, double range_m) {
    const std::vector<double>& velocity = image.processing.effective_velocity_m_s;
    const double column =
        std::clamp((range_m - image.grid.near_range_m) / image.grid.range_spacing_m, 0.0, static_cast<double>(velocity.size() - 1));
    const auto below = static_cast<std::size_t>(column), above = std::min(below + 1, velocity.size() - 1);
    const double fraction = column - static_cast<double>(below);
    return (1 - fraction) * velocity[below] + fraction * velocity[above];
}

void write_axes_of(h5::Writer& file, const std::string& group, const CoarseGrid& coarse, const std::string& epoch) {
    file.numbers(group + "/zeroDopplerTime", coarse.time_s, time_units(epoch));
    file.numbers(group + "/slantRange", coarse.range_m, "meters");
}

/// `common`: also what the file holds once for all frequencies.
void write_grids(h5::Writer& file, const std::string& parameters, const Image& image, bool common) {
    const Acquisition& acquisition = image.acquisition;
    const ProcessingRecord& record = image.processing;
    const CoarseGrid coarse(image.grid);
    const std::string frequency = fmt::format("{}/frequency{}", parameters, acquisition.frequency);
    if (common) write_axes_of(file, parameters, coarse, acquisition.epoch);
    write_axes_of(file, frequency, coarse, acquisition.epoch);
    std::vector<double> centroid;
    for (const double time_s : coarse.time_s)
        for (const double range_m : coarse.range_m) centroid.push_back(record.doppler_hz(time_s, range_m));
    file.table(frequency + "/dopplerCentroid", centroid, CoarseGrid::ranges, "Hz", "Absolute, not wrapped to the PRF");
    if (record.effective_velocity_m_s.empty()) return;
    std::vector<double> velocity, fm_rate;
    for (const double range : coarse.range_m) {
        const double v = velocity_at(image, range);
        const double factor = migration_factor(record.doppler_centroid_hz, v, acquisition.wavelength_m());
        velocity.push_back(v);
        fm_rate.push_back(-azimuth_fm_rate_hz_s(range, factor, v, acquisition.wavelength_m()));  // frequency falls as the target passes
    }
    if (common) file.table(parameters + "/effectiveVelocity", CoarseGrid::repeated(velocity), CoarseGrid::ranges, "meters / second");
    file.table(frequency + "/azimuthFMRate", CoarseGrid::repeated(fm_rate), CoarseGrid::ranges, "Hz / second", "At the Doppler centroid");
}

void write_window(h5::Writer& file, const std::string& path, const Window& window) {
    std::vector<float> weights(256);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(window(-0.5 + static_cast<double>(i) / 255.0));
    file.numbers(path, weights, "1", fmt::format("Window over the processed band, from its lower to its upper edge: {}", window.name()));
}

/// Everything analyze wants to know and the standard layout has no place for.
void write_record(h5::Writer& file, const std::string& group, const Image& image) {
    const ProcessingRecord& record = image.processing;
    file.text(group + "/algorithm", record.algorithm);
    file.text(group + "/software", record.software);
    file.number(group + "/dopplerCentroid", record.doppler_centroid_hz, "Hz", "Absolute");
    file.text(group + "/dopplerSource", record.doppler_source);
    file.numbers(group + "/effectiveVelocity", record.effective_velocity_m_s, "meters / second", "For each image column");
    file.text(group + "/velocitySource", record.velocity_source);
    file.number(group + "/rangeBandwidth", record.range_bandwidth_hz, "Hz", "Processed");
    file.number(group + "/azimuthBandwidth", record.azimuth_bandwidth_hz, "Hz", "Processed");
    file.text(group + "/rangeWindow", record.range_window.name());
    file.text(group + "/azimuthWindow", record.azimuth_window.name());
}

/// The echo that the image was made of.
void write_echo(h5::Writer& file, const std::string& group, const Acquisition& acquisition) {
    file.number(group + "/lines", acquisition.lines);
    file.number(group + "/samples", acquisition.samples);
    file.number(group + "/firstPulseTime", acquisition.first_pulse_time_s, time_units(acquisition.epoch));
    file.number(group + "/pulseRepetitionFrequency", acquisition.prf_hz, "Hz");
    file.number(group + "/slantRange", acquisition.near_range_m, "meters", "Of the first sample, leading edge");
    file.number(group + "/slantRangeSpacing", acquisition.range_spacing_m, "meters");
    file.number(group + "/chirpSlope", acquisition.chirp.slope_hz_s, "Hz / second");
    file.number(group + "/chirpDuration", acquisition.chirp.duration_s, "seconds");
    const auto write = [&](const char* name, const std::optional<double>& value, const char* units) {
        if (value) file.number(fmt::format("{}/{}", group, name), *value, units, "From the raw file, a Doppler centroid at this carrier");
    };
    write("effectiveVelocity", acquisition.effective_velocity_m_s, "meters / second");
    write("dopplerCentroid", acquisition.doppler_centroid_hz, "Hz");
    write("azimuthBandwidth", acquisition.azimuth_bandwidth_hz, "Hz");
}

struct CentreSpacing {
    double metres = 0;
    std::string how;
};

/// The ground below the middle of the image.
struct SceneCentre {
    StateVector platform;
    Vec3 ground_m{};
};

std::optional<SceneCentre> scene_centre(const Image& image) {
    const ImageGrid& grid = image.grid;
    if (!image.acquisition.orbit) return std::nullopt;
    const StateVector state = interpolate(*image.acquisition.orbit, grid.time_s(0.5 * static_cast<double>(grid.rows - 1)));
    const double range = grid.range_m(0.5 * static_cast<double>(grid.columns - 1));
    const GroundPoint point = zero_doppler_ground_point(state, range, image.acquisition.identification.look_side);
    return point.on_ellipsoid ? std::optional(SceneCentre{state, point.position_m}) : std::nullopt;
}

CentreSpacing ground_spacing(const Image& image, const std::optional<SceneCentre>& centre) {
    constexpr double degree = M_PI / 180;
    const double angle = centre ? incidence_angle_rad(centre->platform.position_m, centre->ground_m) : 0;
    if (angle > degree)
        return {image.grid.range_spacing_m / std::sin(angle),
                fmt::format("For the incidence angle of {:.2f} degrees that the orbit gives on the ellipsoid", angle / degree)};
    return {image.grid.range_spacing_m / std::sin(35 * degree), "No usable orbit: for an assumed incidence angle of 35 degrees"};
}

CentreSpacing along_track_spacing(const Image& image, const std::optional<SceneCentre>& centre) {
    const double step = image.grid.time_spacing_s;
    if (centre)
        return {step * norm(centre->platform.velocity_m_s) * norm(centre->ground_m) / norm(centre->platform.position_m),
                "Platform speed projected to the ground, times zeroDopplerTimeSpacing"};
    const auto& velocity = image.processing.effective_velocity_m_s;
    return {step * (velocity.empty() ? 0.0 : velocity[velocity.size() / 2]), "Effective velocity times zeroDopplerTimeSpacing"};
}

void write_scalars(h5::Writer& file, const std::string& frequency, const Image& image) {
    const Acquisition& acquisition = image.acquisition;
    const auto hertz = [&](const char* name, double value) { file.number(fmt::format("{}/{}", frequency, name), value, "Hz"); };
    hertz("acquiredCenterFrequency", acquisition.carrier_hz);
    hertz("processedCenterFrequency", acquisition.carrier_hz);
    hertz("acquiredRangeBandwidth", acquisition.chirp.bandwidth_hz());
    hertz("processedRangeBandwidth", image.processing.range_bandwidth_hz);
    hertz("processedAzimuthBandwidth", image.processing.azimuth_bandwidth_hz);
    hertz("nominalAcquisitionPRF", acquisition.prf_hz);
    const auto centre = scene_centre(image);
    const CentreSpacing ground = ground_spacing(image, centre), track = along_track_spacing(image, centre);
    file.number(frequency + "/sceneCenterGroundRangeSpacing", ground.metres, "meters", ground.how);
    file.number(frequency + "/sceneCenterAlongTrackSpacing", track.metres, "meters", track.how);
}

void write_valid_columns(h5::Writer& file, const std::string& frequency, const Image& image) {
    const bool all = image.valid_columns.empty();
    const Interval whole{0, static_cast<std::int32_t>(image.grid.columns)};
    const std::size_t count = all ? 1 : static_cast<std::size_t>(image.intervals_per_row);
    file.number(frequency + "/numberOfSubSwaths", static_cast<std::uint8_t>(count));
    for (std::size_t k = 0; k < count; ++k) {
        std::vector<std::uint32_t> edges(2 * static_cast<std::size_t>(image.grid.rows));
        for (std::size_t row = 0; row < edges.size() / 2; ++row) {
            const Interval interval = all ? whole : image.valid_columns[row * count + k];
            edges[2 * row] = static_cast<std::uint32_t>(interval.first);
            edges[2 * row + 1] = static_cast<std::uint32_t>(interval.last);
        }
        file.table(fmt::format("{}/validSamplesSubSwath{}", frequency, k + 1), edges, 2, "1",
                   "First and one past the last fully compressed column of each row; 0, 0: none");
    }
}

std::vector<double> row_times(const ImageGrid& grid) {
    std::vector<double> times(static_cast<std::size_t>(grid.rows));
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = grid.time_s(static_cast<double>(i));
    return times;
}

void write_frequency(h5::Writer& file, const std::string& frequency, const Image& image) {
    const ImageGrid& grid = image.grid;
    std::vector<double> ranges(static_cast<std::size_t>(grid.columns));
    for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i] = grid.range_m(static_cast<double>(i));
    file.numbers(frequency + "/slantRange", ranges, "meters");
    file.number(frequency + "/slantRangeSpacing", grid.range_spacing_m, "meters");
    write_scalars(file, frequency, image);
    write_valid_columns(file, frequency, image);
}

constexpr std::size_t sample_bytes = sizeof(std::complex<float>);

/// Strips of whole rows are written and read as fast as a matrix in one piece, and patches out of them six times as fast; tiles hold less
/// that a patch does not want, which has to be inflated all the same.
h5::ChunkShape chunks_of(const ImageGrid& grid, int compression) {
    constexpr std::int64_t strip_samples = (std::int64_t{4} << 20) / static_cast<std::int64_t>(sample_bytes), tile_side = 512;
    if (compression > 0)
        return {.rows = std::min(tile_side, grid.rows), .columns = std::min(tile_side, grid.columns), .deflate = compression};
    return {.rows = std::clamp<std::int64_t>(strip_samples / grid.columns, 1, grid.rows), .columns = grid.columns};
}

h5::Dataset make_samples(h5::Writer& file, const std::string& path, const Image& image, const h5::ChunkShape& chunks) {
    h5::Dataset data = file.chunked(path, h5::complex_type(H5T_IEEE_F32LE), image.grid.rows, image.grid.columns, chunks);
    file.attribute(path, "units", "1");
    file.attribute(
        path, "description",
        fmt::format("Focused single-look complex image ({}), row = zero-Doppler time, column = slant range, phase exp(-j 4 pi R0 / lambda)",
                    image.acquisition.polarization));
    return data;
}

void check_shape(const Image& image) {
    const ImageGrid& grid = image.grid;
    const auto columns = static_cast<std::size_t>(grid.columns), rows = static_cast<std::size_t>(grid.rows);
    const auto velocities = image.processing.effective_velocity_m_s.size();
    const std::size_t intervals = rows * static_cast<std::size_t>(std::clamp(image.intervals_per_row, 0, 255));
    if (grid.rows < 1 || grid.columns < 1 || (!image.valid_columns.empty() && image.valid_columns.size() != intervals) ||
        (velocities != 0 && velocities != columns))
        throw std::logic_error(fmt::format("RSLC: {} valid intervals and {} velocities for a grid of {} x {}", image.valid_columns.size(),
                                           velocities, grid.rows, grid.columns));
}

}  // namespace

std::uint64_t rslc_bytes(const ImageGrid& grid) {
    const std::int64_t strip = chunks_of(grid, 0).rows, rows = (grid.rows + strip - 1) / strip * strip;
    return static_cast<std::uint64_t>(rows * grid.columns) * sample_bytes + static_cast<std::uint64_t>(16 * grid.rows + 16 * grid.columns) +
           (1u << 20);
}

struct RslcFile::Open {
    struct Frequency {
        std::string name;
        ImageGrid grid;
        std::vector<std::string> polarizations;
    };

    Open(std::unique_ptr<h5::Writer> made, const Image& image)
        : writer(std::move(made)), file(*writer), band("/science/" + image.acquisition.band), first(image.acquisition), grid(image.grid) {}

    std::string product() const { return band + "/RSLC"; }
    std::string processing() const { return product() + "/metadata/processingInformation"; }
    std::string swath(const std::string& frequency) const { return fmt::format("{}/swaths/frequency{}", product(), frequency); }

    std::unique_ptr<h5::Writer> writer;
    h5::Writer& file;
    std::string band;
    Acquisition first;
    ImageGrid grid;
    std::vector<Frequency> frequencies;
    h5::Dataset samples;
    std::optional<DeflatedRows> deflated;  // in place of `samples`
    std::int64_t rows = 0, columns = 0;
    std::int64_t rows_there = 0;  // of an earlier run
    std::int64_t next_row = 0;
    std::uint64_t written_bytes = 0;
};

RslcFile::RslcFile(std::string path, std::size_t images, RslcStorage storage)
    : path_(std::move(path)), images_(images), storage_(storage) {}

/// A file that is kept changes when it is closed: until that is done, nothing is noted of it.
RslcFile::~RslcFile() try {
    if (!open_ || !kept_) return;
    open_->samples = {};
    open_->deflated.reset();
    forget_note();
    open_->file.close();
    note();
} catch (const std::exception&) {  // without a note the next run starts afresh
}

void RslcFile::keep_unfinished(RunFacts facts, std::vector<std::int64_t> block_rows) {
    kept_ = {.facts = std::move(facts), .block_rows = std::move(block_rows), .images = {}, .rows = 0, .waiting = {}};
}

void RslcFile::go_on(ResumeState then) {
    auto file = std::make_unique<h5::Writer>(path_, 0, h5::Writer::GoOn{});
    for (const std::string& path : then.images) file->existing(path);
    gone_on_with_ = std::move(file);
    kept_ = std::move(then);
}

void RslcFile::note() { write_resume_state(unfinished_name(path_), *kept_); }
void RslcFile::forget_note() { remove_file(state_name(unfinished_name(path_))); }
std::int64_t RslcFile::rows_there() const { return open_ ? open_->rows_there : 0; }

std::uint64_t RslcFile::written_bytes() const { return open_ ? open_->written_bytes : 0; }

namespace {

/// What the file holds once: what the scene is, where the platform flew, the rows' times.
void write_scene(h5::Writer& file, const std::string& band, const Image& image) {
    const Acquisition& acquisition = image.acquisition;
    const ImageGrid& grid = image.grid;
    const std::string product = band + "/RSLC", processing = product + "/metadata/processingInformation";
    file.attribute("/", "Conventions", "CF-1.7");
    file.attribute("/", "title",
                   "NISAR L1 RSLC layout, written by " + (image.processing.software.empty() ? "cornerturn" : image.processing.software));
    file.attribute("/", "mission_name", acquisition.identification.mission);
    const double last_time = grid.time_s(static_cast<double>(grid.rows - 1));
    const double last_pulse =
        acquisition.prf_hz > 0 ? acquisition.pulse_time_s(static_cast<double>(acquisition.lines)) : acquisition.first_pulse_time_s;
    const TimeSpan span{std::min(grid.first_time_s, acquisition.first_pulse_time_s), std::max(last_time, last_pulse)};
    write_orbit(file, product + "/metadata/orbit", acquisition, span);
    write_attitude(file, product + "/metadata/attitude", acquisition, span);
    file.text(processing + "/algorithms/imageFormation", image.processing.algorithm);
    file.text(processing + "/algorithms/softwareVersion", image.processing.software);
    file.texts(processing + "/inputs/l0bGranules", {"NONE"});
    write_window(file, processing + "/parameters/rangeChirpWeighting", image.processing.range_window);
    write_window(file, processing + "/parameters/azimuthChirpWeighting", image.processing.azimuth_window);
    write_truth(file, product + "/metadata/simulation/targets", acquisition);
    file.numbers(product + "/swaths/zeroDopplerTime", row_times(grid), time_units(acquisition.epoch));
    file.number(product + "/swaths/zeroDopplerTimeSpacing", grid.time_spacing_s, "seconds");
}

void check_axes(const ImageGrid& there, const ImageGrid& grid, bool same_frequency) {
    const bool rows = there.rows == grid.rows && there.first_time_s == grid.first_time_s;
    const bool columns =
        there.columns == grid.columns && there.near_range_m == grid.near_range_m && there.range_spacing_m == grid.range_spacing_m;
    if (!rows || (same_frequency && !columns)) throw std::logic_error("RSLC: images of one file must share their axes");
}

}  // namespace

void RslcFile::begin(const Image& header) {
    check_shape(header);
    const Acquisition& acquisition = header.acquisition;
    const bool first = !open_, there = kept_ && begun_ < kept_->images.size();
    if (kept_ && !there) forget_note();  // what is in memory and what is on the disk differ until it is flushed
    if (first) {
        auto& file = gone_on_with_;
        if (!file)
            file = std::make_unique<h5::Writer>(path_, images_ * rslc_bytes(header.grid), kept_ ? Unfinished::kept : Unfinished::removed);
        open_ = std::make_unique<Open>(std::move(file), header);
        if (!there) write_scene(open_->file, open_->band, header);
    }
    auto& frequencies = open_->frequencies;
    auto frequency = std::find_if(frequencies.begin(), frequencies.end(), [&](const auto& f) { return f.name == acquisition.frequency; });
    for (const auto& other : frequencies) check_axes(other.grid, header.grid, other.name == acquisition.frequency);
    const std::string swath = open_->swath(acquisition.frequency);
    if (frequency == frequencies.end()) {
        const std::string tail = first ? "" : rslc_of_frequency + acquisition.frequency;
        if (!there) {
            write_grids(open_->file, open_->processing() + "/parameters", header, first);
            write_record(open_->file, open_->processing() + rslc_record + tail, header);
            write_echo(open_->file, open_->processing() + rslc_echo + tail, acquisition);
            write_frequency(open_->file, swath, header);
        }
        frequency = frequencies.insert(frequencies.end(), {acquisition.frequency, header.grid, {}});
    }
    auto& polarizations = frequency->polarizations;
    if (std::find(polarizations.begin(), polarizations.end(), acquisition.polarization) != polarizations.end())
        throw std::logic_error(fmt::format("RSLC: frequency {} {} comes twice", acquisition.frequency, acquisition.polarization));
    polarizations.push_back(acquisition.polarization);
    open_samples(header, fmt::format("{}/{}", swath, acquisition.polarization));
}

void RslcFile::open_samples(const Image& header, const std::string& path) {
    const ImageGrid& grid = header.grid;
    const std::size_t number = begun_++;
    const bool there = kept_ && number < kept_->images.size(), complete = there && number + 1 < kept_->images.size();
    const h5::ChunkShape chunks = chunks_of(grid, storage_.compression);
    open_->rows = grid.rows;
    open_->columns = grid.columns;
    open_->rows_there = open_->next_row = complete ? grid.rows : there ? kept_->rows : 0;
    open_->samples = there ? open_->file.existing(path) : make_samples(open_->file, path, header, chunks);
    open_->deflated.reset();
    if (chunks.deflate > 0) {
        open_->deflated.emplace(
            open_->file, open_->samples,
            DeflatedRows::Layout{.rows = grid.rows, .columns = grid.columns, .element_bytes = sample_bytes, .chunks = chunks},
            storage_.threads);
        open_->deflated->go_on(open_->next_row, there && !complete ? kept_->waiting : std::vector<std::byte>{});
    }
    if (!kept_ || there) return;
    open_->file.flush();
    kept_->images.push_back(path);
    kept_->rows = 0;
    kept_->waiting.clear();
    note();
}

void RslcFile::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    const std::int64_t count = static_cast<std::int64_t>(rows.size()) / open_->columns;
    if (open_->deflated) {
        const std::uint64_t before = open_->deflated->stored_bytes();
        open_->deflated->write(first_row, count, std::as_bytes(rows).data());
        open_->written_bytes += open_->deflated->stored_bytes() - before;
    } else {
        open_->file.write_rows(open_->samples, first_row, count, rows.data());
        open_->written_bytes += rows.size_bytes();
    }
    open_->next_row = first_row + count;
}

/// Rows that are not deflated go to places that the file on the disk knows; others change its metadata.
void RslcFile::block_done() {
    if (!kept_) return;
    if (open_->deflated) {
        open_->file.sync();  // which takes longest, while the note still holds
        forget_note();
    }
    open_->file.flush();
    kept_->rows = open_->next_row;
    if (open_->deflated) kept_->waiting = open_->deflated->waiting();
    note();
}

void RslcFile::pass_rows_there(ImageSink& to) {
    const std::size_t row_bytes = static_cast<std::size_t>(open_->columns) * sample_bytes;
    const bool waiting = open_->deflated && !open_->deflated->waiting().empty();
    const auto waiting_rows = waiting ? static_cast<std::int64_t>(open_->deflated->waiting().size() / row_bytes) : 0;
    const std::int64_t stored = open_->rows_there - waiting_rows;
    const std::int64_t at_once = std::max<std::int64_t>(1, static_cast<std::int64_t>((16u << 20) / row_bytes));
    std::vector<std::complex<float>> rows;
    for (std::int64_t row = 0; row < stored; row += at_once) {
        const std::int64_t count = std::min(at_once, stored - row);
        rows.resize(static_cast<std::size_t>(count * open_->columns));
        open_->file.read_rows(open_->samples, row, count, rows.data());
        to.write(row, rows);
    }
    if (!waiting) return;
    rows.resize(static_cast<std::size_t>(waiting_rows * open_->columns));
    std::memcpy(rows.data(), open_->deflated->waiting().data(), open_->deflated->waiting().size());
    to.write(stored, rows);
}

void RslcFile::commit() {
    if (!open_) throw std::logic_error("RSLC: no image was written");
    throw_if_interrupted();
    std::vector<std::string> names;
    for (const auto& frequency : open_->frequencies) {
        open_->file.texts(open_->swath(frequency.name) + "/listOfPolarizations", frequency.polarizations);
        names.push_back(frequency.name);
    }
    const ImageGrid& grid = open_->grid;
    write_identification(open_->file, open_->band + "/identification", open_->first,
                         {.type = "RSLC",
                          .level = "L1",
                          .first_time_s = grid.first_time_s,
                          .last_time_s = grid.time_s(static_cast<double>(grid.rows - 1)),
                          .frequencies = std::move(names)});
    open_->samples = {};
    open_->deflated.reset();
    if (kept_) forget_note();
    kept_.reset();  // it would not be gone on with any more
    open_->file.commit();
}

void write_rslc(const std::string& path, const Image& image, const RslcStorage& storage) {
    if (image.samples.size() != static_cast<std::size_t>(image.grid.rows * image.grid.columns))
        throw std::logic_error(
            fmt::format("write_rslc: {} samples for a grid of {} x {}", image.samples.size(), image.grid.rows, image.grid.columns));
    RslcFile file(path, 1, storage);
    file.begin(image);
    const std::int64_t block =
        std::max<std::int64_t>(1, (std::int64_t{8} << 20) / image.grid.columns);  // 64 MiB, so that a request to stop is heard
    for (std::int64_t row = 0; row < image.grid.rows; row += block) {
        const std::int64_t rows = std::min(block, image.grid.rows - row);
        file.write(row,
                   std::span(image.samples)
                       .subspan(static_cast<std::size_t>(row * image.grid.columns), static_cast<std::size_t>(rows * image.grid.columns)));
    }
    file.commit();
}

}  // namespace cornerturn

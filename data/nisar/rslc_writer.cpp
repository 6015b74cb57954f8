// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/rslc_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "data/hdf5/hdf5_writer.h"
#include "data/nisar/image_samples.h"
#include "data/nisar/product_parts.h"
#include "data/nisar/rslc_parts.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/product_epoch.h"

namespace cornerturn {
namespace {

std::string description_of(const Image& image) {
    return fmt::format(
        "Focused single-look complex image ({}), row = zero-Doppler time, column = slant range, phase exp(-j 4 pi R0 / "
        "lambda)",
        image.acquisition.polarization);
}

void check_shape(const Image& image) {
    const ImageGrid& grid = image.grid;
    const auto columns = static_cast<std::size_t>(grid.columns), rows = static_cast<std::size_t>(grid.rows);
    const auto velocities = image.processing.effective_velocity_m_s.size();
    const std::size_t intervals = rows * static_cast<std::size_t>(std::clamp(image.intervals_per_row, 0, 255));
    if (grid.rows < 1 || grid.columns < 1 ||
        (!image.valid_columns.empty() && image.valid_columns.size() != intervals) ||
        (velocities != 0 && velocities != columns))
        throw std::logic_error(fmt::format("RSLC: {} valid intervals and {} velocities for a grid of {} x {}",
                                           image.valid_columns.size(), velocities, grid.rows, grid.columns));
}

Image without_samples(const Image& image) {
    return {.acquisition = image.acquisition,
            .grid = image.grid,
            .processing = image.processing,
            .valid_columns = {},
            .samples = {}};
}

}  // namespace

std::uint64_t rslc_bytes(const ImageGrid& grid, SampleType samples) {
    const std::int64_t strip = chunks_of(grid.rows, grid.columns, {.samples = samples}).rows,
                       rows = (grid.rows + strip - 1) / strip * strip;
    return static_cast<std::uint64_t>(rows * grid.columns) * image_sample_bytes(samples) +
           static_cast<std::uint64_t>(16 * grid.rows + 24 * grid.columns) + (1u << 20);
}

struct RslcFile::Open {
    struct Frequency {
        RslcContents contents;
        ImageGrid grid;
    };

    Open(std::unique_ptr<h5::Writer> made, const Image& image)
        : writer(std::move(made)),
          file(*writer),
          band("/science/" + image.acquisition.band),
          first(without_samples(image)) {}

    std::string product() const { return band + "/RSLC"; }
    std::string processing() const { return product() + "/metadata/processingInformation"; }
    std::string swath(const std::string& frequency) const {
        return fmt::format("{}/swaths/frequency{}", product(), frequency);
    }

    std::unique_ptr<h5::Writer> writer;
    h5::Writer& file;
    std::string band;
    Image first;
    std::vector<Frequency> frequencies;
    std::optional<ImageRows> samples;
    std::uint64_t written_bytes = 0;
};

RslcFile::RslcFile(std::string path, std::size_t images, ImageStorage storage)
    : path_(std::move(path)), images_(images), storage_(storage) {}

/// A file that is kept changes when it is closed: until that is done, nothing is noted of it.
RslcFile::~RslcFile() try {
    if (!open_ || !kept_) return;
    open_->samples.reset();
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
std::int64_t RslcFile::rows_there() const { return open_ && open_->samples ? open_->samples->rows_there() : 0; }

std::uint64_t RslcFile::written_bytes() const { return open_ ? open_->written_bytes : 0; }

namespace {

/// What the file holds once: what the scene is, where the platform flew, the rows' times. Without an orbit there is
/// none: who wants one has to hear that it is not known rather than be led to a wrong place. An attitude, of which no
/// image depends, is made up beside an orbit, as isce3 opens no file without.
void write_scene(h5::Writer& file, const std::string& band, const Image& image) {
    const Acquisition& acquisition = image.acquisition;
    const std::string product = band + "/RSLC", metadata = product + "/metadata";
    write_title(file, "L1 RSLC", image);
    write_algorithms(file, metadata + "/processingInformation", image);
    if (acquisition.orbit) {
        const TimeSpan span{image.grid.first_time_s, image.grid.last_time_s()};
        write_orbit(file, metadata + "/orbit", acquisition, span);
        write_attitude(file, metadata + "/attitude", acquisition, span);
        write_geolocation_grid(file, metadata + "/geolocationGrid", image);
        write_calibration(file, metadata + "/calibrationInformation", image);
    } else {
        file.attribute(metadata, "description",
                       "No orbit is known, so that orbit, attitude and geolocationGrid are missing");
    }
    write_truth(file, metadata + "/simulation/targets", acquisition);
    write_row_times(file, product + "/swaths", image.grid, acquisition.epoch);
}

void check_axes(const ImageGrid& there, const ImageGrid& grid, bool same_frequency) {
    const bool rows = there.rows == grid.rows && there.first_time_s == grid.first_time_s;
    const bool columns = there.columns == grid.columns && there.near_range_m == grid.near_range_m &&
                         there.range_spacing_m == grid.range_spacing_m;
    if (!rows || (same_frequency && !columns)) throw std::logic_error("RSLC: images of one file must share their axes");
}

}  // namespace

void RslcFile::begin(const Image& header) {
    if (header.acquisition.product_epoch) return begin(in_product_epoch(header));
    check_shape(header);
    const Acquisition& acquisition = header.acquisition;
    std::vector<std::string>& polarizations = described(header).polarizations;
    if (std::find(polarizations.begin(), polarizations.end(), acquisition.polarization) != polarizations.end())
        throw std::logic_error(
            fmt::format("RSLC: frequency {} {} comes twice", acquisition.frequency, acquisition.polarization));
    polarizations.push_back(acquisition.polarization);
    open_samples(header, fmt::format("{}/{}", open_->swath(acquisition.frequency), acquisition.polarization));
}

/// The frequency of an image, whose facts are in the file. All in one turn: taking one for each of 150 little datasets
/// costs more than writing them where many scenes are written at once.
RslcContents& RslcFile::described(const Image& header) {
    const h5::Turn turn;
    const Acquisition& acquisition = header.acquisition;
    const bool first = !open_, there = kept_ && begun_ < kept_->images.size();
    if (kept_ && !there) forget_note();  // what is in memory and what is on the disk differ until it is flushed
    if (first) {
        auto& file = gone_on_with_;
        if (!file)
            file = std::make_unique<h5::Writer>(path_, images_ * rslc_bytes(header.grid, storage_.samples),
                                                kept_ ? Unfinished::kept : Unfinished::removed);
        open_ = std::make_unique<Open>(std::move(file), header);
        if (!there) write_scene(open_->file, open_->band, header);
    }
    auto& frequencies = open_->frequencies;
    auto frequency = std::find_if(frequencies.begin(), frequencies.end(),
                                  [&](const auto& f) { return f.contents.frequency == acquisition.frequency; });
    for (const auto& other : frequencies)
        check_axes(other.grid, header.grid, other.contents.frequency == acquisition.frequency);
    if (frequency == frequencies.end()) {
        if (!there) {
            write_processing(open_->file, open_->processing(), header, first);
            write_swath(open_->file, open_->swath(acquisition.frequency), header);
        }
        frequency = frequencies.insert(frequencies.end(), {{.frequency = acquisition.frequency,
                                                            .range_bandwidth_hz = header.processing.range_bandwidth_hz},
                                                           header.grid});
    }
    return frequency->contents;
}

void RslcFile::open_samples(const Image& header, const std::string& path) {
    const ImageGrid& grid = header.grid;
    const std::size_t number = begun_++;
    const bool there = kept_ && number < kept_->images.size(), complete = there && number + 1 < kept_->images.size();
    finish_samples();
    if (there)
        open_->samples.emplace(open_->file, path, grid, storage_, complete ? grid.rows : kept_->rows,
                               complete ? std::vector<std::byte>{} : kept_->waiting);
    else
        open_->samples.emplace(open_->file, path, grid, storage_, description_of(header));
    if (!kept_ || there) return;
    open_->file.flush();
    kept_->images.push_back(path);
    kept_->rows = 0;
    kept_->waiting.clear();
    note();
}

/// Of the image before. One that was complete in an earlier run has been told of then.
void RslcFile::finish_samples() {
    auto& samples = open_->samples;
    if (samples && samples->rows_there() < samples->next_row()) samples->finish();
}

void RslcFile::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    open_->written_bytes += open_->samples->write(first_row, rows);
}

/// Rows that are not deflated go to places that the file on the disk knows; others change its metadata.
void RslcFile::block_done() {
    if (!kept_) return;
    open_->samples->settle();
    if (open_->samples->deflates()) {
        open_->file.sync();  // which takes longest, while the note still holds
        forget_note();
    }
    open_->file.flush();
    kept_->rows = open_->samples->next_row();
    kept_->waiting = open_->samples->waiting();
    note();
}

void RslcFile::pass_rows_there(ImageSink& to) { open_->samples->pass_rows_there(to); }

/// What is known when the last image is there.
void RslcFile::write_contents() {
    const h5::Turn turn;
    std::vector<RslcContents> contents;
    for (const auto& frequency : open_->frequencies) {
        open_->file.texts(open_->swath(frequency.contents.frequency) + "/listOfPolarizations",
                          frequency.contents.polarizations);
        contents.push_back(frequency.contents);
    }
    write_rslc_identification(open_->file, open_->band + "/identification", open_->first, contents);
    write_origin(open_->file, open_->product(), origin_);
}

void RslcFile::commit() {
    if (!open_) throw std::logic_error("RSLC: no image was written");
    throw_if_interrupted();
    write_contents();
    finish_samples();
    open_->samples.reset();
    if (kept_) forget_note();
    kept_.reset();  // it would not be gone on with any more
    open_->file.commit();
}

}  // namespace cornerturn

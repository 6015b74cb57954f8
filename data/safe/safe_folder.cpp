// SPDX-License-Identifier: Apache-2.0
#include "data/safe/safe_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "data/files/output_folder.h"
#include "data/safe/annotation.h"
#include "data/safe/azimuth_carrier.h"
#include "data/safe/manifest.h"
#include "data/safe/measurement.h"
#include "data/sentinel1/packet.h"
#include "data/sentinel1/take.h"
#include "kernels/errors.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;

/// By the name of the raw file, else by that which the folder is to have.
sentinel1::Flight flight_of_either(const std::string& input, const std::string& path) {
    for (const std::string& name : {input, path})
        if (const auto flight = sentinel1::flight_of(name); flight && flight->relative_orbit() > 0) return *flight;
    throw InputError(fmt::format(
        "{}: a SAFE names satellite and orbit, which the name of {} does not tell; use the name that it was "
        "downloaded by, or name the folder as ESA does, "
        "S1A_IW_SLC__1SDV_20220414T102209_20220414T102236_042768_051AA4_E677.SAFE",
        path, input.empty() ? "the input" : input));
}

std::uint32_t configuration_of(const std::string& input) {
    std::error_code error;
    const bool is_folder = fs::is_directory(input, error);
    const std::vector<std::string> files =
        is_folder ? sentinel1::measurements_in(input) : std::vector<std::string>{input};
    if (files.empty() || !sentinel1::begins_with_packet(files.front())) return 0;
    const auto header = BinaryFile(files.front()).read(0, sentinel1::Packet::header_bytes);
    return sentinel1::instrument_configuration(header);
}

/// Of one polarization after the other, in each by sub-swath.
using Stacks = std::map<std::pair<std::string, std::string>, std::vector<SafeFolder::HeldImage>>;
Stacks sorted(std::vector<SafeFolder::HeldImage> images) {
    std::sort(images.begin(), images.end(),
              [](const auto& a, const auto& b) { return a.header.grid.first_time_s < b.header.grid.first_time_s; });
    Stacks stacks;
    for (SafeFolder::HeldImage& image : images) {
        const Acquisition& acquisition = image.header.acquisition;
        stacks[{acquisition.polarization, acquisition.burst->swath}].push_back(std::move(image));
    }
    return stacks;
}

safe::ProductFacts facts_of(const std::string& path, const sentinel1::Flight& flight,
                            std::uint32_t instrument_configuration, const std::vector<safe::BurstStack>& stacks) {
    const Acquisition* earliest = &stacks.front().acquisition();
    for (const safe::BurstStack& stack : stacks)
        if (stack.acquisition().first_pulse_time_s < earliest->first_pulse_time_s) earliest = &stack.acquisition();
    const auto node_s = sentinel1::ascending_node_s(*earliest->orbit, earliest->first_pulse_time_s);
    if (!node_s)
        throw InputError(
            fmt::format("{}: the orbit does not lead back to an ascending node, from which a SAFE counts; "
                        "check it, or give another one by --orbit FILE.EOF",
                        path));
    return {.flight = flight,
            .instrument_configuration = instrument_configuration,
            .epoch = parse_epoch(earliest->epoch).value(),
            .node_s = *node_s};
}

/// The files of a folder that is being made, and a list of them.
class Contents {
public:
    Contents(OutputFolder& folder, const safe::ProductFacts& facts) : folder_(folder), facts_(facts) {}

    void add_stack(const safe::BurstStack& stack, const std::vector<const ScratchRows*>& rows,
                   IntegerSamples& integers) {
        const int number = ++stacks_;
        const std::string name = safe::file_name(facts_, stack, number),
                          measurement = fmt::format("measurement/{}.tiff", name);
        const safe::ByteOffsets offsets =
            safe::write_measurement(folder_.path_of(measurement), stack, rows, integers,
                                    fmt::format("Sentinel-1{} {} SLC L1", facts_.flight.satellite, mode_of(stack)));
        add(fmt::format("annotation/{}.xml", name), "s1Level1ProductSchema",
            safe::annotation(facts_, stack, number, offsets, integers.step()));
        add(fmt::format("annotation/calibration/calibration-{}.xml", name), "s1Level1CalibrationSchema",
            safe::calibration(facts_, stack, number, integers.step()));
        list(measurement, "s1Level1MeasurementSchema");
    }
    void add_manifest(const std::vector<safe::BurstStack>& stacks, const std::string& input) {
        save("manifest.safe", safe::manifest(facts_, stacks, files_, input));
    }

private:
    void add(const std::string& file, const char* schema, const pugi::xml_document& document) {
        save(file, document);
        list(file, schema);
    }
    void save(const std::string& file, const pugi::xml_document& document) {
        const std::string path = folder_.path_of(file);
        if (!document.save_file(path.c_str(), "  "))
            throw DeviceError(fmt::format("{}: writing failed; is the disk full?", path));
    }
    void list(const std::string& file, const char* schema) {
        files_.push_back({file, schema, fs::file_size(folder_.path_of(file))});
    }

    OutputFolder& folder_;
    const safe::ProductFacts& facts_;
    int stacks_ = 0;
    std::vector<safe::ListedFile> files_;
};

}  // namespace

SafeFolder::SafeFolder(std::string path, std::string input, std::optional<double> full_scale)
    : path_(std::move(path)),
      input_(std::move(input)),
      flight_(flight_of_either(input_, path_)),
      instrument_configuration_(configuration_of(input_)),
      full_scale_(full_scale) {
    check_output_folder(path_);
}

void SafeFolder::add(HeldImage image) {
    const std::lock_guard lock(mutex_);
    images_.push_back(std::move(image));
}

void SafeFolder::commit() {
    throw_if_interrupted();
    if (images_.empty()) throw InputError(fmt::format("{}: no burst came that it could hold", path_));
    float largest = 0;
    for (const HeldImage& image : images_) largest = std::max(largest, image.largest);
    IntegerSamples integers(SampleType::int16, full_scale_.value_or(largest > 0 ? largest : 1));
    written_bursts_ = images_.size();
    const Stacks held = sorted(std::exchange(images_, {}));
    std::vector<safe::BurstStack> stacks;
    for (const auto& [name, images] : held) {
        std::vector<Image> headers;
        for (const HeldImage& image : images) headers.push_back(image.header);
        stacks.push_back(safe::stacked(std::move(headers)));
    }
    const safe::ProductFacts facts = facts_of(path_, flight_, instrument_configuration_, stacks);
    OutputFolder folder(path_);
    Contents contents(folder, facts);
    auto stack = stacks.begin();
    for (const auto& [name, images] : held) {
        std::vector<const ScratchRows*> rows;
        for (const HeldImage& image : images) rows.push_back(image.rows.get());
        contents.add_stack(*stack++, rows, integers);
    }
    contents.add_manifest(stacks, input_);
    folder.commit();
    if (const std::string clipped = integers.remark(path_); !clipped.empty()) remarks_.push_back(clipped);
}

void SafeImage::begin(const Image& header) {
    const Acquisition& acquisition = header.acquisition;
    const std::string& path = folder_->path();
    if (!acquisition.burst)
        throw InputError(
            fmt::format("{}: a SAFE is written of bursts of Sentinel-1 (IW, EW), and this is none ({}); name the image "
                        ".h5, .tif, .nitf or .slc",
                        path, acquisition.identification.mission));
    if (header.map)
        throw InputError(fmt::format("{}: a SAFE has bursts as the radar sees them; leave --grid out", path));
    if (!acquisition.orbit)
        throw InputError(
            fmt::format("{}: a SAFE wants an orbit, and the packets tell none; give ESA's by --orbit "
                        "FILE.EOF",
                        path));
    const safe::BurstStack alone = safe::stacked({header});
    safe::azimuth_carrier(alone, alone.bursts.front());  // refuses before a row is held what follows no such law
    images_.push_back(
        {.header = header,
         .rows = std::make_unique<ScratchRows>(fs::path(path).parent_path().string(), header.grid.columns)});
}

void SafeImage::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    throw_if_interrupted();
    SafeFolder::HeldImage& image = images_.back();
    image.rows->write(first_row, 0, rows);
    for (const std::complex<float>& sample : rows) {
        const float power = std::norm(sample);
        if (power > image.largest * image.largest && std::isfinite(power)) image.largest = std::sqrt(power);
    }
    written_bytes_ += rows.size() * 2 * sizeof(std::int16_t);
}

void SafeImage::commit() {
    for (SafeFolder::HeldImage& image : images_) folder_->add(std::move(image));
    if (!shared_) folder_->commit();
}

std::vector<std::string> SafeImage::remarks() const {
    return shared_ ? std::vector<std::string>{} : folder_->remarks();
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Writing of bursts of Sentinel-1 as ESA's SLC products have them: a SAFE folder, which programs that read ESA's open.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "data/files/image_file.h"
#include "data/sentinel1/burst_id.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/run/scratch_rows.h"

namespace cornerturn {

/// Bursts are held, as they come and from any thread, in unnamed files beside the folder, as its sub-swaths have common
/// sizes and all of it one scale. All files are written by commit(), under a temporary name.
class SafeFolder {
public:
    /// `input`: the raw file. Its name tells satellite and orbit, or that of the folder does. `full_scale`: amplitude
    /// of the largest integer; nothing: the largest that there is. Throws InputError where no name tells them, or the
    /// folder cannot be made.
    SafeFolder(std::string path, std::string input, std::optional<double> full_scale);

    struct HeldImage {
        Image header;  ///< without samples
        std::unique_ptr<ScratchRows> rows;
        float largest = 0;  ///< amplitude
    };
    const std::string& path() const { return path_; }
    void add(HeldImage image);
    /// Throws InputError where bursts do not fit each other, or none came.
    void commit();
    /// What a user should hear, and how many bursts there are, of each polarization; after commit.
    const std::vector<std::string>& remarks() const { return remarks_; }
    std::size_t written_bursts() const { return written_bursts_; }

private:
    std::string path_, input_;
    sentinel1::Flight flight_;
    std::uint32_t instrument_configuration_ = 0;
    std::optional<double> full_scale_;
    std::mutex mutex_;
    std::vector<HeldImage> images_;
    std::vector<std::string> remarks_;
    std::size_t written_bursts_ = 0;
};

/// Images of one burst, of one polarization each, on their way into a folder.
class SafeImage final : public ImageFile {
public:
    /// `of_others`: the folder that others go to as well, which is committed by whoever has all of them.
    SafeImage(std::shared_ptr<SafeFolder> folder, bool of_others) : folder_(std::move(folder)), shared_(of_others) {}

    /// Throws InputError for what is no burst, has no orbit, or is of another beam than a steered one.
    void begin(const Image& header) override;
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override;
    void commit() override;
    std::uint64_t written_bytes() const override { return written_bytes_; }
    std::vector<std::string> remarks() const override;

private:
    std::shared_ptr<SafeFolder> folder_;
    bool shared_;
    std::vector<SafeFolder::HeldImage> images_;
    std::uint64_t written_bytes_ = 0;
};

}  // namespace cornerturn

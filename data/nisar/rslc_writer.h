// SPDX-License-Identifier: Apache-2.0
// Writing of focused images as NISAR RSLC files.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "data/files/image_file.h"
#include "data/files/resume.h"
#include "data/nisar/image_storage.h"
#include "data/nisar/product_origin.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

namespace h5 {
class Writer;
}
struct RslcContents;

/// An RSLC file that rows of one or more images are written to: polarizations and frequencies of one scene. Every
/// dataset that isce3's Python and C++ readers want is written; what the acquisition lacks (orbit, attitude) is made up
/// and marked so. Unless commit() was reached nothing stays on the disk, unless it is to be kept. Throws DeviceError
/// where the system fails, Interrupted on request.
class RslcFile final : public ImageFile {
public:
    /// `images` will come, all of the size of the first or smaller. The file comes into being with the first one.
    explicit RslcFile(std::string path, std::size_t images = 1, ImageStorage storage = {});
    ~RslcFile() override;

    /// Before the first image: the file is kept when it is not finished, with a note of how far it has come after each
    /// block. `then` is what is noted beside one that is there, whose rows are not to come again; throws DeviceError if
    /// that cannot be gone on with.
    void keep_unfinished(RunFacts facts, std::vector<std::int64_t> block_rows);
    void go_on(ResumeState then);

    /// Throws InputError for an unwritable path, std::logic_error for an image that is already there or does not share
    /// the rows' times or, within a frequency, the columns' ranges.
    void begin(const Image& header) override;
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override;
    std::int64_t rows_there() const override;
    void block_done() override;
    /// Hands over the rows of this image that are there already.
    void pass_rows_there(ImageSink& to);

    /// Is written when the file is complete.
    void set_origin(ProductOrigin origin) { origin_ = std::move(origin); }
    void commit() override;
    std::uint64_t written_bytes() const override;

private:
    struct Open;
    RslcContents& described(const Image& header);
    void write_contents();
    void open_samples(const Image& header, const std::string& path);
    void finish_samples();
    void note();
    void forget_note();

    std::string path_;
    std::size_t images_;
    ImageStorage storage_;
    ProductOrigin origin_;
    std::optional<ResumeState> kept_;  // as noted, where an unfinished file is kept
    std::size_t begun_ = 0;            // images, in this run
    std::unique_ptr<h5::Writer> gone_on_with_;
    std::unique_ptr<Open> open_;
};

/// Bytes that an RSLC of one image needs on the disk for a grid, for a check before the work.
std::uint64_t rslc_bytes(const ImageGrid& grid, SampleType samples);

}  // namespace cornerturn

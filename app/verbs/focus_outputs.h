// SPDX-License-Identifier: Apache-2.0
// What a job writes while it runs: the image file, and pictures for later.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/verbs/focus_job.h"
#include "data/files/resume.h"
#include "data/files/sha256.h"
#include "data/nisar/rslc_writer.h"
#include "data/picture/quicklook.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/echo/timeline.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

class FocusOutputs final : public ImageSink {
public:
    /// `timeline`: where it is noted when there was something to write; null: nowhere.
    FocusOutputs(const FocusJob& job, std::size_t frames, bool on_map, std::vector<std::string> pictures,
                 std::shared_ptr<Timeline> timeline = nullptr);

    void begin(const Image& header) override;
    std::int64_t rows_there() const override { return file_->rows_there(); }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override;
    void block_done() override;
    void commit();

    std::vector<StoredFile> written() const;
    std::uint64_t written_bytes() const { return file_->written_bytes(); }
    /// Is told by files in HDF5.
    void set_origin(const ProductOrigin& origin);
    /// Throws InputError where it is no RSLC file.
    RslcFile& resumable();

private:
    std::shared_ptr<Timeline> timeline_;  // first: the file uses it
    std::string path_;
    std::unique_ptr<ImageFile> file_;
    RslcFile* rslc_ = nullptr;
    std::vector<std::string> pictures_;
    int threads_;
    std::vector<QuicklookSink> quicklooks_;
};

/// What an earlier run like this one noted of its unfinished file.
std::optional<ResumeState> noted_state(const FocusJob& job, const RunFacts& facts);

/// Goes on with the unfinished file of an earlier run, if that is one like this, else begins one that is kept. Rows of
/// each image that are there.
std::vector<std::int64_t> keep_or_go_on(const FocusJob& job, const std::optional<ResumeState>& then,
                                        const RunFacts& now, std::span<const FocusSetup> setups, RslcFile& file);

}  // namespace cornerturn

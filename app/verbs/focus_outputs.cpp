// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/focus_outputs.h"

#include <algorithm>
#include <filesystem>

#include "app/console.h"
#include "app/log.h"
#include "data/files/output_file.h"
#include "data/nisar/gslc_writer.h"
#include "data/product/product_file.h"
#include "kernels/errors.h"

namespace cornerturn {

FocusOutputs::FocusOutputs(const FocusJob& o, std::size_t frames, bool on_map, std::vector<std::string> pictures,
                           std::shared_ptr<Timeline> timeline)
    : timeline_(std::move(timeline)), path_(o.output), pictures_(std::move(pictures)), threads_(o.threads) {
    ProductOptions product = o.product(frames);
    product.storage.timeline = timeline_.get();
    product.on_map = on_map;
    file_ = product_file(path_, product);
    rslc_ = dynamic_cast<RslcFile*>(file_.get());
}

void FocusOutputs::begin(const Image& header) {
    const TimelineSpan span(timeline_.get(), lane::output, "make the file");
    file_->begin(header);
    if (pictures_.empty()) return;
    quicklooks_.emplace_back(QuicklookOptions{.threads = threads_}).begin(header);
    if (rows_there() > 0) resumable().pass_rows_there(quicklooks_.back());
}

void FocusOutputs::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    {
        const TimelineSpan span(timeline_.get(), lane::output, "write rows");
        file_->write(first_row, rows);
    }
    if (pictures_.empty()) return;
    const TimelineSpan span(timeline_.get(), lane::output, "picture");
    quicklooks_.back().write(first_row, rows);
}

void FocusOutputs::block_done() {
    const TimelineSpan span(timeline_.get(), lane::output, "end of a block");
    file_->block_done();
}

void FocusOutputs::set_origin(const ProductOrigin& origin) {
    if (rslc_ != nullptr) rslc_->set_origin(origin);
    if (auto* const gslc = dynamic_cast<GslcFile*>(file_.get())) gslc->set_origin(origin);
}

void FocusOutputs::commit() {
    {
        const TimelineSpan span(timeline_.get(), lane::output, "close the file");
        file_->commit();
    }
    log_warnings(file_->remarks());
    if (pictures_.empty()) return;
    const TimelineSpan span(timeline_.get(), lane::output, "picture");
    for (std::size_t i = 0; i < pictures_.size(); ++i) write_png(pictures_[i], quicklooks_[i].picture());
}

std::vector<StoredFile> FocusOutputs::written() const {
    std::vector<StoredFile> files;
    // A folder is not there yet, where other bursts go to it, and is not one file.
    if (product_format_of(path_) != ProductFormat::safe) files.push_back(stored_file(path_));
    for (const std::string& picture : pictures_) files.push_back(stored_file(picture));
    return files;
}

RslcFile& FocusOutputs::resumable() {
    if (rslc_ == nullptr) throw InputError("--resume: only RSLC files can be continued; leave it out");
    return *rslc_;
}

std::optional<ResumeState> noted_state(const FocusJob& o, const RunFacts& facts) {
    const std::string unfinished = unfinished_name(o.output);
    if (!o.resume || !std::filesystem::exists(unfinished)) return std::nullopt;
    remove_abandoned(state_name(unfinished));
    auto state = read_resume_state(unfinished);
    if (!state)
        log_warning("{}: nothing tells how far it has come (the run ended while it was changed); starting afresh",
                    unfinished);
    if (state) check_same_run(o.output, state->facts, facts);
    return state;
}

std::vector<std::int64_t> keep_or_go_on(const FocusJob& o, const std::optional<ResumeState>& then, const RunFacts& now,
                                        std::span<const FocusSetup> setups, RslcFile& file) {
    if (then) {
        check_same_run(o.output, then->facts, now);
        try {
            file.go_on(*then);
            log_info("{}: going on with image {} of {} at row {}", o.output, then->images.size(), setups.size(),
                     then->rows);
            std::vector<std::int64_t> rows(setups.size());
            for (std::size_t i = 0; i < std::min(rows.size(), then->images.size()); ++i)
                rows[i] = i + 1 < then->images.size() ? setups[i].image.grid.rows : then->rows;
            return rows;
        } catch (const DeviceError& error) {
            log_warning("{}; starting afresh", error.what());
        }
    }
    std::vector<std::int64_t> block_rows;
    for (const FocusSetup& setup : setups) block_rows.push_back(setup.memory.blocks.front().rows);
    file.keep_unfinished(now, std::move(block_rows));
    return std::vector<std::int64_t>(setups.size());
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/precision_check.h"

#include "data/nisar/rslc_reader.h"
#include "pipeline/run/device_shares.h"
#include "pipeline/verify/signal_to_error.h"

namespace cornerturn {
namespace {

class Comparison final : public ImageSink {
public:
    explicit Comparison(const std::string& images) : images_(images) {}

    void begin(const Image& header) override {
        written_.emplace(open_rslc(
            images_, {.frequency = header.acquisition.frequency, .polarization = header.acquisition.polarization}));
        ratios_.emplace_back();
    }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        const std::int64_t columns = written_->header().grid.columns,
                           count = static_cast<std::int64_t>(rows.size()) / columns;
        const Pixels same =
            written_->view().read({.first_row = first_row, .rows = count, .first_column = 0, .columns = columns});
        ratios_.back().add(same.samples, rows);
    }
    std::vector<double> ratios_db() const {
        std::vector<double> ratios_db;
        for (const SignalToError& ratio : ratios_) ratios_db.push_back(ratio.db());
        return ratios_db;
    }

private:
    std::string images_;
    std::optional<StoredImage> written_;
    std::vector<SignalToError> ratios_;
};

}  // namespace

std::vector<double> signal_to_error_db(std::span<Device* const> devices, std::span<EchoSource* const> frames,
                                       const FocusOptions& options, const std::string& images,
                                       const Progress& progress) {
    Comparison comparison(images);
    focus_frames(devices, frames, options, comparison, progress);
    return comparison.ratios_db();
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "app/precision_check.h"

#include <cmath>

#include "data/rslc_reader.h"

namespace cornerturn {
namespace {

class Comparison final : public ImageSink {
public:
    explicit Comparison(const std::string& images) : images_(images) {}

    void begin(const Image& header) override {
        written_ = read_rslc(images_, {.frequency = header.acquisition.frequency, .polarization = header.acquisition.polarization});
        sums_.emplace_back();
    }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        const auto* written = written_.samples.data() + first_row * written_.grid.columns;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::complex<double> full(rows[i]);
            sums_.back().signal += std::norm(full);
            sums_.back().error += std::norm(std::complex<double>(written[i]) - full);
        }
    }
    std::vector<double> ratios_db() const {
        std::vector<double> ratios;
        for (const Sums& sums : sums_) ratios.push_back(10 * std::log10(sums.signal / sums.error));
        return ratios;
    }

private:
    struct Sums {
        double signal = 0, error = 0;
    };
    std::string images_;
    Image written_;
    std::vector<Sums> sums_;
};

}  // namespace

std::vector<double> signal_to_error_db(Device& device, std::span<EchoSource* const> frames, const FocusOptions& options,
                                       const std::string& images, const Progress& progress) {
    Comparison comparison(images);
    focus_frames(device, frames, options, comparison, progress);
    return comparison.ratios_db();
}

}  // namespace cornerturn

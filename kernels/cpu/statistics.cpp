// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/statistics.h"

#include <vector>

#include "kernels/device/line_sums.h"
#include "kernels/host/host_echo.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

/// Sums are kept for each line, so that neither blocks nor threads change the order of additions.
class ReductionOnCpu final : public EchoReduction {
public:
    ReductionOnCpu(std::int64_t lines, std::int64_t samples, const EchoDecoding& decoding, int threads)
        : samples_(samples), decoding_(decoding), threads_(threads), sums_(static_cast<std::size_t>(lines)) {}

    void add(const Matrix& lines, std::int64_t first_line, std::int64_t count) override {
        const auto all = static_cast<std::int64_t>(sums_.size());
        require_rows(lines, first_line, lines.format, all, samples_, "echo statistics: the echo");
        const std::int64_t end = first_line + lines.rows_from(0, count).rows;
        with_component(lines.format, [&]<class Component>(std::type_identity<Component>) {
            const auto reader =
                host_echo<double, Component>(lines.data<std::byte>(), lines.columns, decoding_, first_line);
#pragma omp parallel for schedule(static) num_threads(threads_)
            for (std::int64_t line = first_line; line < end; ++line)
                sums_[static_cast<std::size_t>(line)] = sum_line(reader, line, line + 1 < first_line + lines.rows);
        });
        throw_if_interrupted();
    }

    EchoStatistics result() override { return total(sums_, samples_); }

private:
    template <class Component>
    LineSums sum_line(const EchoReader<double, Component>& reader, std::int64_t line, bool has_next) const {
        LineSums sums{};
        for (std::int64_t sample = 0; sample < samples_; ++sample) add_sample(reader, line, sample, has_next, sums);
        return sums;
    }

    std::int64_t samples_;
    EchoDecoding decoding_;
    int threads_;
    std::vector<LineSums> sums_;
};

}  // namespace

std::unique_ptr<EchoReduction> reduction_on_cpu(std::int64_t lines, std::int64_t samples, const EchoDecoding& decoding,
                                                int threads) {
    return std::make_unique<ReductionOnCpu>(lines, samples, decoding, threads);
}

}  // namespace cornerturn

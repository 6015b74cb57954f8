// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/non_finite.h"

#include "kernels/host/host_echo.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

class NonFiniteCounterOnCpu final : public NonFiniteCounter {
public:
    NonFiniteCounterOnCpu(const EchoDecoding& decoding, int threads) : decoding_(decoding), threads_(threads) {}

    void add(const Matrix& lines) override {
        with_component(lines.format, [&]<class Component>(std::type_identity<Component>) {
            const auto echo = host_echo<float, Component>(lines.data<std::byte>(), lines.columns, decoding_, 0);
            std::int64_t count = 0;
#pragma omp parallel for schedule(static) num_threads(threads_) reduction(+ : count)
            for (std::int64_t line = 0; line < lines.rows; ++line)
                for (std::int64_t sample = 0; sample < lines.columns; ++sample)
                    count += echo.finite(echo.stored(line, sample)) ? 0 : 1;
            count_ += count;
        });
        throw_if_interrupted();
    }

    std::int64_t result() override { return count_; }

private:
    EchoDecoding decoding_;
    int threads_;
    std::int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<NonFiniteCounter> non_finite_counter_on_cpu(const EchoDecoding& decoding, int threads) {
    return std::make_unique<NonFiniteCounterOnCpu>(decoding, threads);
}

}  // namespace cornerturn

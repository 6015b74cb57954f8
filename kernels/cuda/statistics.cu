// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "kernels/cuda/block_sum.cuh"
#include "kernels/cuda/decoding_tables.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/statistics.h"

namespace cornerturn {
namespace {

/// Sums of one block. Counts are exact in double below 2^53.
enum Field { non_finite, power, lag_re, lag_im, fields };

/// A block takes 256 neighbouring samples of a run of lines; every thread walks down its own sample and keeps the line before.
template <class Component>
__global__ void __launch_bounds__(threads_per_block)
    statistics_kernel(const EchoReader<double, Component> echo, const std::int64_t lines, const std::int64_t samples,
                      const std::int64_t lines_per_block, double* sums) {
    const std::int64_t sample = static_cast<std::int64_t>(blockIdx.x) * threads_per_block + threadIdx.x;
    const std::int64_t first = blockIdx.y * lines_per_block, last = min(first + lines_per_block, lines);
    double sum[fields] = {};
    if (sample < samples) {
        Complex128 now = echo(first, sample);
        for (std::int64_t line = first; line < last; ++line) {
            sum[non_finite] += echo.finite(echo.stored(line, sample)) ? 0.0 : 1.0;
            sum[power] += now.re * now.re + now.im * now.im;
            // The pair that straddles two blocks belongs to the first.
            const Complex128 next = line + 1 < lines ? echo(line + 1, sample) : Complex128{0, 0};
            const Complex128 product = conj(now) * next;
            sum[lag_re] += product.re;
            sum[lag_im] += product.im;
            now = next;
        }
    }
    block_sum(sum);
    if (threadIdx.x != 0) return;
    const std::int64_t block = static_cast<std::int64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
    for (int field = 0; field < fields; ++field) sums[block * fields + field] = sum[field];
}

}  // namespace

EchoStatistics statistics_on_gpu(const Matrix& echo, const EchoDecoding& decoding, const CudaContext& context) {
    const std::int64_t lines = echo.rows, samples = echo.columns;
    if (lines == 0 || samples == 0) return {};
    const std::int64_t lines_per_block = std::max<std::int64_t>(64, (lines + 1023) / 1024);
    const dim3 grid(static_cast<unsigned>((samples + threads_per_block - 1) / threads_per_block),
                    static_cast<unsigned>((lines + lines_per_block - 1) / lines_per_block));
    std::vector<double> sums(std::size_t{grid.x} * grid.y * fields);
    const DeviceBuffer device_sums(sums.size() * sizeof(double), "sums of the echo statistics");
    const DecodingTables tables(decoding);
    with_component(echo.format, [&]<class Component>(std::type_identity<Component>) {
        statistics_kernel<<<grid, threads_per_block, 0, context.stream.get()>>>(tables.reader<double, Component>(echo), lines, samples,
                                                                                lines_per_block, device_sums.data<double>());
    });
    check_launch("echo statistics");
    check(cudaMemcpyAsync(sums.data(), device_sums.data<void>(), device_sums.bytes(), cudaMemcpyDeviceToHost, context.stream.get()),
          "copy the echo statistics");
    context.stream.synchronize();

    double total[fields] = {};
    for (std::size_t i = 0; i < sums.size(); ++i) total[i % fields] += sums[i];
    return {.non_finite = static_cast<std::int64_t>(total[non_finite]),
            .mean_power = total[power] / static_cast<double>(lines * samples),
            .lag1 = {total[lag_re], total[lag_im]}};
}

}  // namespace cornerturn

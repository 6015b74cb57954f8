// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/backproject.h"

#include "kernels/cuda/block_sum.cuh"
#include "kernels/cuda/decoding_tables.h"
#include "kernels/cuda/launch.cuh"

namespace cornerturn {
namespace {

struct Pixel {
    double range_m;
    double time_s;
};
CT_HOST_DEVICE Pixel pixel_of(const BackprojectionChip& chip, std::int64_t index) {
    return {chip.first_range_m + static_cast<double>(index % chip.columns) * chip.column_spacing_m,
            chip.first_time_s + static_cast<double>(index / chip.columns) * chip.time_spacing_s};
}

/// A block sums one pixel: its warps share the lines, the threads of a warp the samples of a line.
template <class Component>
__global__ void __launch_bounds__(threads_per_block)
    backproject_kernel(const EchoReader<double, Component> echo, const BackprojectionChip chip, Complex128* sums) {
    constexpr int warp_size = 32;
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const Pixel pixel = pixel_of(chip, blockIdx.x);
    const IndexRange lines = recorded(aperture_lines(chip, pixel.range_m, pixel.time_s), chip.lines);
    double sum[2] = {0, 0};
    for (std::int64_t line = lines.first + warp; line < lines.last; line += threads_per_block / warp_size) {
        const double range_now_m = range_at_line(chip, pixel.range_m, pixel.time_s, line);
        const Complex128 term =
            carrier_phasor(chip, pixel.range_m, range_now_m) * correlate_pulse<1>(echo, chip, line, range_now_m, lane, warp_size);
        sum[0] += term.re;
        sum[1] += term.im;
    }
    block_sum(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = {sum[0], sum[1]};
}

}  // namespace

std::vector<std::complex<double>> backproject_on_gpu(const Matrix& echo, const EchoDecoding& decoding, const BackprojectionChip& chip,
                                                     const CudaContext& context) {
    std::vector<std::complex<double>> pixels(static_cast<std::size_t>(chip.rows * chip.columns));
    if (pixels.empty()) return pixels;
    constexpr const char* doing = "back-projection";
    const unsigned grid = grid_of(static_cast<std::int64_t>(pixels.size()), doing);
    const DecodingTables tables(decoding);
    const DeviceBuffer sums(pixels.size() * sizeof(Complex128), "the pixels of a back-projection");
    with_component(echo.format, [&]<class Component>(std::type_identity<Component>) {
        backproject_kernel<<<grid, threads_per_block, 0, context.stream.get()>>>(tables.reader<double, Component>(echo), chip,
                                                                                 sums.data<Complex128>());
    });
    check_launch(doing);
    check(cudaMemcpyAsync(pixels.data(), sums.data<void>(), sums.bytes(), cudaMemcpyDeviceToHost, context.stream.get()),
          "copy the pixels of a back-projection");
    context.stream.synchronize();
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        const Pixel pixel = pixel_of(chip, static_cast<std::int64_t>(i));
        pixels[i] /= model_energy(chip, pixel.range_m, pixel.time_s);
    }
    return pixels;
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/back_projection/chip.h"

#include "kernels/cuda/launch/block_sum.cuh"
#include "kernels/cuda/launch/launch.cuh"
#include "kernels/cuda/runtime/decoding_tables.h"
#include "kernels/cuda/runtime/device_tables.h"

namespace cornerturn {
namespace {

/// A chip with its tables in device memory.
struct ChipView {
    std::int64_t lines, samples, first_path;
    PulseTiming timing;
    const PulsePath* paths;
    const BackprojectionPixel* pixels;
};

/// A block sums one pixel: its warps share the lines, the threads of a warp the samples of a line.
template <class Component>
__global__ void __launch_bounds__(threads_per_block)
    backproject_kernel(const EchoReader<double, Component> echo, const ChipView chip, Complex128* pixels) {
    constexpr int warp_size = 32;
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const BackprojectionPixel pixel = chip.pixels[blockIdx.x];
    const IndexRange lines = recorded(pixel.lines, chip.lines);
    double sum[3] = {0, 0, 0};
    for (std::int64_t line = lines.first + warp; line < lines.last; line += threads_per_block / warp_size) {
        const PulseEcho pulse = pulse_echo(chip.timing, chip.paths[line - chip.first_path], pixel.place);
        const Complex128 term = correlate_pulse<1>(echo, pulse, chip.samples, line, lane, warp_size);
        sum[0] += term.re;
        sum[1] += term.im;
        if (lane == 0) sum[2] += static_cast<double>(pulse.samples.last - pulse.samples.first);
    }
    block_sum(sum);
    if (threadIdx.x > 0) return;
    const double energy = sum[2] + unrecorded_energy(chip.timing, pixel.lines, chip.lines);
    pixels[blockIdx.x] =
        (energy > 0 ? 1 / energy : 0.0) * (image_phasor(chip.timing, pixel.range_m) * Complex128{sum[0], sum[1]});
}

}  // namespace

std::vector<std::complex<double>> backproject_on_gpu(const Matrix& echo, const EchoDecoding& decoding,
                                                     const BackprojectionChip& chip, const CudaContext& context) {
    std::vector<std::complex<double>> pixels(chip.pixels.size());
    if (pixels.empty()) return pixels;
    constexpr const char* doing = "back-projection";
    const unsigned grid = grid_of(static_cast<std::int64_t>(pixels.size()), doing);
    const DecodingTables decoding_tables(decoding);
    const DeviceTables tables;
    const ChipView view{.lines = chip.lines,
                        .samples = chip.samples,
                        .first_path = chip.first_path,
                        .timing = chip.timing,
                        .paths = tables(chip.paths, "the antenna's path of a back-projection"),
                        .pixels = tables(chip.pixels, "the places of a back-projection")};
    const DeviceBuffer sums(pixels.size() * sizeof(Complex128), "the pixels of a back-projection");
    with_component(echo.format, [&]<class Component>(std::type_identity<Component>) {
        backproject_kernel<<<grid, threads_per_block, 0, context.stream.get()>>>(
            decoding_tables.reader<double, Component>(echo), view, sums.data<Complex128>());
    });
    check_launch(doing);
    check(cudaMemcpyAsync(pixels.data(), sums.data<void>(), sums.bytes(), cudaMemcpyDeviceToHost, context.stream.get()),
          "copy the pixels of a back-projection");
    context.stream.synchronize();
    return pixels;
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/lines/image_lines.h"

#include "kernels/cuda/fft/line_tables.h"
#include "kernels/cuda/fft/unsupported.h"
#include "kernels/cuda/launch/launch_fused.cuh"
#include "kernels/cuda/lines/lines.cuh"
#include "kernels/cuda/runtime/device_tables.h"
#include "kernels/passes/azimuth_image.h"

namespace cornerturn {
namespace {

template <class Digits>
class ImageLinesOf final : public ImageLines {
    using Kernel = InverseLine<Digits, AzimuthImageHooks>;

public:
    explicit ImageLinesOf(const AzimuthImage& pass)
        : shape_(pass.shape()), hooks_(pass.hooks<float>(tables_)), twiddles_(Digits{}) {
        reserve_shared_memory<Kernel>();
    }

    void run(const Complex64* spectra, std::int64_t first, std::int64_t columns, Complex64* out,
             const Stream& stream) const override {
        launch_fused(Kernel{.in = spectra,
                            .lines = columns,
                            .shape = shape_,
                            .hooks = hooks_,
                            .first_line = first,
                            .out = out,
                            .twiddles = twiddles_.get()},
                     stream, AzimuthImage::title);
    }

private:
    LineShape shape_;
    DeviceTables tables_;
    AzimuthImageHooks hooks_;
    LineTables twiddles_;
};

}  // namespace

std::unique_ptr<ImageLines> image_lines(const AzimuthImage& pass, SharedContext context) {
    std::unique_ptr<ImageLines> lines;
    const bool found = with_line_digits(pass.fft_length, context->limits.shared_bytes, [&]<class Digits>(Digits) {
        lines = std::make_unique<ImageLinesOf<Digits>>(pass);
    });
    if (!found) refuse_length("azimuth", pass.fft_length);
    return lines;
}

}  // namespace cornerturn

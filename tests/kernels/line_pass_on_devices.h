// SPDX-License-Identifier: Apache-2.0
// A line pass on every device against its hooks looped in double precision: what every new pass is tested by.
#pragma once

#include "tests/kernels/every_device.h"
#include "tests/kernels/host_passes.h"
#include "tests/kernels/one_step.h"

namespace cornerturn {

class LinePassOnEveryDevice : public EveryDevice {
protected:
    /// Of noise. Float: transform, filter and phasor each err by one or two units in the last place of the rms; double:
    /// a phase of 1e5 cycles keeps 1e-11 of a cycle.
    template <class Pass>
    void expect_its_hooks(const Pass& pass, double double_limit = 1e-10) {
        expect_lines(
            pass, [](const Pass& p, LineView in, std::int64_t line) { return host_line(p, in, line); }, 1e-6,
            double_limit);
    }
    /// The same by a reference of the test's own, with its reason for another limit in float.
    template <class Pass, class Reference>
    void expect_lines(const Pass& pass, const Reference& reference, double float_limit, double double_limit = 1e-10) {
        const LineShape shape = pass.shape();
        SCOPED_TRACE(testing::Message() << shape.lines << " x " << shape.in << ", transform of " << shape.fft_length
                                        << ", " << shape.out << " stored");
        const Samples in = noise(shape.lines * shape.in);
        Matrix out = device->allocate(native(), shape.lines, shape.out);
        plan_of(*device, pass)->run(put(shape.lines, shape.in, in), out);
        const Samples got = get(out);
        for (std::int64_t line = 0; line < shape.lines; ++line) {
            const LineView view(got.data() + line * shape.out, static_cast<std::size_t>(shape.out));
            EXPECT_LE(relative_error(view, reference(pass, in, line)), is_float() ? float_limit : double_limit)
                << "line " << line;
        }
    }
};

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// The passes looped on the host in double precision with the Fourier transform as a plain sum: what every device must
// agree with. Lines are computed one at a time, so that a test may look at some lines of a large matrix.
#pragma once

#include <type_traits>

#include "kernels/passes/line_pass.h"
#include "kernels/passes/tables.h"
#include "tests/kernels/fourier_sum.h"

namespace cornerturn {

/// Of any line pass over native samples that does not gather along its spectrum: line_pass.h in as many lines.
template <class Pass>
requires requires {
    Pass::transforms;
} &&(!Pass::reads_echo)Line host_line(const Pass& pass, LineView in, std::int64_t line) {
    const HostTables tables;
    const auto hooks = pass.template hooks<double>(tables);
    using Hooks = std::decay_t<decltype(hooks)>;
    static_assert(!has_place<Hooks>);
    const LineShape shape = pass.shape();
    const LineView read = in.subspan(static_cast<std::size_t>(line * shape.in), static_cast<std::size_t>(shape.in));
    Line x(read.begin(), read.end());
    const auto law = of_line(hooks, line);
    if constexpr (has_before<Hooks>)
        for (std::size_t i = 0; i < x.size(); ++i) x[i] *= as_std(law.before(static_cast<std::int64_t>(i)));
    if (has_forward(Pass::transforms)) x = fast_fourier(x, shape.fft_length, -1);
    if constexpr (has_filter<Hooks>)
        for (std::size_t bin = 0; bin < x.size(); ++bin) x[bin] *= as_std(law.filter(static_cast<std::int64_t>(bin)));
    if (has_inverse(Pass::transforms)) x = fast_fourier(x, shape.fft_length, +1);
    const StoreRule rule = store_rule(hooks, shape, line);
    Line stored(static_cast<std::size_t>(shape.out));
    for (std::int64_t i = 0; i < shape.out; ++i) {
        std::complex<double>& to = stored[static_cast<std::size_t>(i)];
        if (rule.covers(i)) to = x[static_cast<std::size_t>(rule.source(i))];
        if constexpr (has_scale<Hooks>) to *= as_std(law.scale(rule.source(i)));  // of the transform's samples
    }
    return stored;
}

}  // namespace cornerturn

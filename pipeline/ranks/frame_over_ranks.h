// SPDX-License-Identifier: Apache-2.0
// One frame in one block over all ranks: each reads and compresses some of its lines and makes some columns of its
// image (rank_part.h); rank 0 puts the rows together, some at a time.
#pragma once

#include <functional>

#include "pipeline/ranks/ranks.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

/// All ranks call it with their own source of the same frame, whose setup says that it lies in parts; `file` on rank 0
/// only, `interrupted` as of gather_rows. Times and counts in the report are those of this rank. Throws Interrupted
/// where another rank fails.
FocusReport form_over_ranks(Ranks& ranks, Device& device, EchoSource& frame, const FocusOptions& options,
                            FocusSetup setup, std::int64_t rows_there, ImageSink* file,
                            const std::function<void()>& interrupted, const Progress& progress);

}  // namespace cornerturn

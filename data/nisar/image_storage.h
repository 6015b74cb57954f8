// SPDX-License-Identifier: Apache-2.0
// What a user may say of how images lie in files.
#pragma once

#include "data/files/sample_type.h"
#include "pipeline/echo/timeline.h"

namespace cornerturn {

/// How the samples are stored. Plain ones lie in strips of whole rows of some 4 MiB, compressed ones in tiles of 512 x
/// 512.
struct ImageStorage {
    int compression = 0;                       ///< level of deflate behind a shuffle, 1 to 9; 0: none
    int threads = 0;                           ///< that compress; 0: all cores
    SampleType samples = SampleType::float32;  ///< or float16
    Timeline* timeline = nullptr;  ///< where it is noted when it compresses; null: nowhere. Outlives the file
};

}  // namespace cornerturn

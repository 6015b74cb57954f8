// SPDX-License-Identifier: Apache-2.0
// Jobs that are asked to stop.
#pragma once

#include "kernels/interrupt.h"

namespace cornerturn {

/// While it lives, this thread's job has been asked to stop.
class StoppedJob {
public:
    StoppedJob() { JobScope::stop().request(); }

private:
    JobScope job_;
};

/// Asks the job of this thread to.
inline void stop_job() { JobScope::stop().request(); }

}  // namespace cornerturn

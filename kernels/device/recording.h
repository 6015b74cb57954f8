// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cornerturn {

/// Recorded work of a device, to be replayed as a whole.
class Recording {
public:
    virtual ~Recording() = default;
    virtual void replay() = 0;
};

}  // namespace cornerturn

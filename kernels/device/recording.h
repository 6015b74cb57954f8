// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cornerturn {

/// Work that a device was told once, to be asked for again as a whole.
class Recording {
public:
    virtual ~Recording() = default;
    virtual void replay() = 0;
};

}  // namespace cornerturn

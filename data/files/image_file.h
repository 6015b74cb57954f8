// SPDX-License-Identifier: Apache-2.0
// What all formats that images are written in have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// A file that rows of one or more images of one scene are written to. Unless commit() was reached nothing stays on the
/// disk, unless it is to be kept.
class ImageFile : public ImageSink {
public:
    /// Gives the file its name.
    virtual void commit() = 0;
    /// Bytes of samples so far, as they are stored.
    virtual std::uint64_t written_bytes() const = 0;
    /// What a user should hear of how samples were stored; after commit.
    virtual std::vector<std::string> remarks() const { return {}; }
};

}  // namespace cornerturn

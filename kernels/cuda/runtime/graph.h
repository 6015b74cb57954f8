// SPDX-License-Identifier: Apache-2.0
// Launches captured as a CUDA graph: asked for again with one call, without a gap between kernels.
#pragma once

#include <functional>
#include <vector>

#include "kernels/cuda/runtime/context.h"
#include "kernels/device/recording.h"

namespace cornerturn {

class Graph final : public Recording {
public:
    /// Captures what `work` puts into the stream of the first device, and into any other stream that waits for that one
    /// and that it waits for at last.
    Graph(const std::vector<SharedContext>& contexts, const std::function<void()>& work);
    ~Graph() override;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void replay() override;

private:
    SharedContext context_;
    std::vector<Workspace> workspaces_;  // whose addresses the graph has: later plans may want more
    cudaGraphExec_t executable_ = nullptr;
};

}  // namespace cornerturn

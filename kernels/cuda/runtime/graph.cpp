// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/graph.h"

#include <exception>

#include "kernels/cuda/runtime/check.h"

namespace cornerturn {

Graph::Graph(const std::vector<SharedContext>& contexts, const std::function<void()>& work)
    : context_(contexts.front()) {
    context_->use();
    cudaStream_t stream = context_->stream.get();
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin to capture the chain");
    std::exception_ptr failure;
    try {
        work();
    } catch (...) {
        failure = std::current_exception();  // the capture has to be ended first
    }
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    if (failure) {
        if (graph != nullptr) cudaGraphDestroy(graph);
        cudaGetLastError();
        std::rethrow_exception(failure);
    }
    check(ended, "capture the chain");
    for (const SharedContext& context : contexts) workspaces_.push_back(context->workspace);
    context_->use();
    const cudaError_t made = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    check(made, "make a graph of the chain");
}

Graph::~Graph() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
}

void Graph::replay() {
    context_->use();
    check(cudaGraphLaunch(executable_, context_->stream.get()), "launch the chain");
}

}  // namespace cornerturn

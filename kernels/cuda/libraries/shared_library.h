// SPDX-License-Identifier: Apache-2.0
// Libraries of NVIDIA's, opened at first use: they are some hundred megabytes, and a program with a GPU part also runs
// where there are neither GPUs nor these.
#pragma once

#include <string>
#include <vector>

namespace cornerturn {

/// Stays loaded to the end of the program: such libraries have threads and modules that do not like to be unloaded.
class SharedLibrary {
public:
    /// The first of the names that can be opened. Throws DeviceError, which ends with `way_out`, where none can.
    SharedLibrary(const std::vector<std::string>& names, std::string way_out);
    /// lib`name`.so.`version` of the CUDA Toolkit: the one that this program was built with, else, beside a package of
    /// Python's, what pip installs (nvidia-cufft: nvidia/cu13/lib), else that of the machine.
    SharedLibrary(const std::string& name, int version, std::string way_out);

    /// The address of a function; becomes a pointer of the type that it is assigned to.
    struct Symbol {
        void* address;
        template <class Function>
        operator Function*() const {
            return reinterpret_cast<Function*>(address);
        }
    };
    /// Throws DeviceError where the library has no such function.
    Symbol operator[](const char* symbol) const;

private:
    std::string name_, way_out_;
    void* library_ = nullptr;
};

}  // namespace cornerturn

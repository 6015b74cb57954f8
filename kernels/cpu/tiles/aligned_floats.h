// SPDX-License-Identifier: Apache-2.0
// Floats at an address that any vector of the processor may be loaded from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace cornerturn {

/// So many floats, zero at first. Constant access gives writable floats, as a pointer does.
class AlignedFloats {
public:
    explicit AlignedFloats(std::size_t count)
        : data_(static_cast<float*>(::operator new(count * sizeof(float), alignment))) {
        std::fill_n(data_.get(), count, 0.0f);
    }
    float* data() const { return data_.get(); }
    float& operator[](std::size_t i) const { return data_.get()[i]; }

private:
    static constexpr std::align_val_t alignment{64};
    struct Free {
        void operator()(float* p) const { ::operator delete(p, alignment); }
    };
    std::unique_ptr<float[], Free> data_;
};

}  // namespace cornerturn

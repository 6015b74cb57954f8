// SPDX-License-Identifier: Apache-2.0
// Transfer of a pass's tables to its hooks.
#pragma once

#include <any>
#include <complex>
#include <list>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/math/complex.h"

namespace cornerturn {

template <class Real>
std::vector<Complex<Real>> as_complex(const std::vector<std::complex<double>>& table) {
    std::vector<Complex<Real>> result;
    result.reserve(table.size());
    for (const auto& value : table)
        result.push_back({static_cast<Real>(value.real()), static_cast<Real>(value.imag())});
    return result;
}

/// For hooks that run on the host: a pass's own tables are read where they are, others are kept.
class HostTables {
public:
    template <class T>
    const T* operator()(const std::vector<T>& table, std::string_view /*what*/) const {
        return table.data();
    }
    template <class T>
    const T* operator()(std::vector<T>&& table, std::string_view /*what*/) const {
        return std::any_cast<std::vector<T>&>(kept_.emplace_back(std::move(table))).data();
    }

private:
    mutable std::list<std::any> kept_;
};

}  // namespace cornerturn

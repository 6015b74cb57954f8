// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/autofocus_record.h"

#include <fmt/format.h>

#include "kernels/errors.h"

namespace cornerturn {

std::string_view name_of(Autofocus method) {
    switch (method) {
        case Autofocus::none: return "none";
        case Autofocus::phase_gradient: return "pga";
        case Autofocus::minimum_entropy: return "entropy";
    }
    return "";
}

std::string_view title_of(Autofocus method) {
    switch (method) {
        case Autofocus::none: return "disabled";
        case Autofocus::phase_gradient: return "phase gradient (PGA)";
        case Autofocus::minimum_entropy: return "minimum entropy";
    }
    return "";
}

Autofocus autofocus_named(std::string_view name) {
    for (const Autofocus method : {Autofocus::none, Autofocus::phase_gradient, Autofocus::minimum_entropy})
        if (name == name_of(method)) return method;
    throw InputError(fmt::format("autofocus '{}': unknown; choose none, pga or entropy", name));
}

}  // namespace cornerturn

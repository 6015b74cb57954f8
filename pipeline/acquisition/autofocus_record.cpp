// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/autofocus_record.h"

#include "kernels/host/names.h"

namespace cornerturn {
namespace {

constexpr Named<Autofocus> method_names[] = {
    {Autofocus::none, "none"}, {Autofocus::phase_gradient, "pga"}, {Autofocus::minimum_entropy, "entropy"}};
constexpr Named<Autofocus> method_titles[] = {{Autofocus::none, "disabled"},
                                              {Autofocus::phase_gradient, "phase gradient (PGA)"},
                                              {Autofocus::minimum_entropy, "minimum entropy"}};

}  // namespace

std::string_view name_of(Autofocus method) { return name_in(method_names, method); }
std::string_view title_of(Autofocus method) { return name_in(method_titles, method); }
Autofocus autofocus_named(std::string_view name) { return choose_in(method_names, "autofocus", name); }

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Conversion of an echo from a track that sways to one along, or beside, its even reference track.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pipeline/echo/source_and_sink.h"
#include "pipeline/estimate/imager.h"
#include "pipeline/plan/focus_options.h"

namespace cornerturn {

/// Nothing where no track is given for rows and zero Doppler as flown passes evenly. For what sums over pulses as they
/// were sent (maps, back-projection), the recorded lines, as beside the reference (Acquisition::flown_beside); else
/// such as were sent from it, by motion compensation. Where that would leave more than half of error_limits, the former
/// where any algorithm will do (`auto` then takes one that sums), else InputError, or a remark where that is forced.
/// `echo` must outlive what is returned.
std::unique_ptr<EchoSource> on_reference_track(EchoSource& echo, const FocusOptions& options, const Imager& imager,
                                               std::vector<std::string>* remarks = nullptr);

}  // namespace cornerturn

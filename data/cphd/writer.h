// SPDX-License-Identifier: Apache-2.0
// Simulated spotlights as CPHD 1.1.0 (NGA.STND.0068), samples over frequency (FX).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/files/frame_selection.h"
#include "pipeline/echo/progress.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/proof/spotlight_pulses.h"

namespace cornerturn {

/// One channel for each polarization, named after it; signal CF8, CI4 or CI2 as the scene's sample type is f32, int16
/// or int8, the last two with an AmpSF by which no sample is clipped. Threads 0: all cores; the file does not depend on
/// it. Throws InputError where it cannot be written, DeviceError where the disk fails, Interrupted on request.
void write_cphd(const std::string& path, const SpotlightPulses& echo, const Progress& progress = {}, int threads = 0);

/// The same as its file is read, which lies in a folder for temporary files without a name meanwhile.
std::unique_ptr<EchoSource> simulated_cphd(const Scene& scene, const FrameSelection& selection,
                                           std::vector<std::string>& warnings, const Progress& progress = {});

}  // namespace cornerturn

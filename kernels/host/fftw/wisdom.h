// SPDX-License-Identifier: Apache-2.0
// FFTW's measurements on this machine (single precision), kept for the next run: $XDG_CACHE_HOME/cornerturn or
// ~/.cache/cornerturn.
#pragma once

#include <filesystem>

namespace cornerturn {

/// One for each model of processor; empty if the user has no cache folder that can be written.
std::filesystem::path fftw_wisdom_file();

/// Reads, once in a process, what earlier runs kept for this processor; what cannot be read or is broken is ignored.
/// False if there is no folder to keep anything in: then measuring would be for one run only. FFTW's planner must not
/// be in use elsewhere.
bool recall_fftw_wisdom();

/// Writes all that is known by now, complete or not at all; a failure is silent, for it costs no more than measuring
/// again.
void keep_fftw_wisdom();

}  // namespace cornerturn

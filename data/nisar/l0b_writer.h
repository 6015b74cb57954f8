// SPDX-License-Identifier: Apache-2.0
// Writing of raw echo as complete NISAR L0B (RRSD) files.
#pragma once

#include <span>
#include <string>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// How integer samples are stored.
enum class L0bSamples {
    interchange,  ///< int8 and int16 as uint16 indices and a table of levels, which is all that isce3 reads; read back
                  ///< as lut16
    compact       ///< as they are in memory; half the size for int8, read by this program and few others
};

/// Every row that isce3's reader touches is written; what the acquisition lacks (orbit, attitude) is made up and marked
/// so. The lines are read in order, some megabytes at a time. Throws InputError for an unwritable path, DeviceError
/// where the system fails, Interrupted on request, and what reading throws; nothing is left behind then.
void write_l0b(const std::string& path, EchoSource& echo, L0bSamples samples = L0bSamples::interchange);
/// Polarizations that were received of the same pulses: acquisitions that differ in nothing else.
void write_l0b(const std::string& path, std::span<EchoSource* const> received,
               L0bSamples samples = L0bSamples::interchange);
/// Lines and samples that `echo.acquisition` says must be there.
void write_l0b(const std::string& path, const Echo& echo, L0bSamples samples = L0bSamples::interchange);

}  // namespace cornerturn

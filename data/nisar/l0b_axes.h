// SPDX-License-Identifier: Apache-2.0
// The axes and the pulse of a raw echo, checked against each other: a contradiction here would only show as a blurred
// image.
#pragma once

#include <string>

#include "data/hdf5/hdf5_reader.h"
#include "data/nisar/product_parts.h"
#include "pipeline/acquisition/acquisition.h"

namespace cornerturn {

/// Where one echo lies in a file.
struct L0bPaths {
    std::string product;    ///< /science/LSAR/RRSD
    std::string frequency;  ///< .../frequencyA
    std::string transmit;   ///< .../txH
    std::string receive;    ///< .../rxH
    std::string samples;    ///< .../HH
    std::string band_group() const { return product.substr(0, product.rfind('/')); }
};

/// Sets epoch, first_pulse_time_s and prf_hz of an acquisition whose lines are known, and pulse_times_s where pulses
/// are dithered or some are missing.
void read_pulse_times(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition, Warnings& warnings);
/// Sets near_range_m and range_spacing_m of an acquisition whose samples are known.
void read_slant_range(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition);
/// Sets carrier and chirp, to be called when the axes are known.
void read_pulse(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition, Warnings& warnings);
/// Sets line_phase_cycles from basebandPhaseCorrection.
void read_line_phase(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition);

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Tables over zero-Doppler time and slant range, as raw and focused products hold them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/hdf5_writer.h"
#include "data/nisar/epoch.h"
#include "pipeline/acquisition/doppler_surface.h"

namespace cornerturn {

/// In equal steps.
std::vector<double> evenly(double first, double last, std::size_t count);
/// group/zeroDopplerTime and group/slantRange.
void write_table_axes(h5::Writer& file, const std::string& group, const std::vector<double>& time_s,
                      const std::vector<double>& range_m, const std::string& epoch);

enum class SurfaceWanted { always, where_it_varies };

/// group/name over group/zeroDopplerTime and group/slantRange as a smooth surface that spans these; none where one of
/// them is missing. Throws InputError where they do not go together.
std::optional<DopplerSurface> read_surface(const h5::Reader& file, const std::string& group, const std::string& name,
                                           const Epoch& epoch, const std::optional<Orbit>& orbit, SurfaceWanted wanted);

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Surface of the Doppler centroid fitted to the cells of an estimate, with its errors.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/doppler/doppler_estimate.h"
#include "pipeline/acquisition/doppler_surface.h"

namespace cornerturn {

/// What is known before any data: a surface and, as standard deviations, by how much the truth may differ from it
/// there.
struct DopplerPrior {
    DopplerSurface surface_hz;              ///< right but for a multiple of the PRF where `level_hz` is unset
    std::optional<double> level_hz;         ///< of the whole surface
    std::array<double, 3> over_range_hz{};  ///< what powers 1 to 3 of the slant range add at the edges of the swath
    double over_time_hz = 0;                ///< what a slope over time adds at the first and the last line; 0: none
    double standing_out = 3;                ///< by how many of its standard deviations a term has to
};

/// Without attitude the beam points anywhere within some degrees of broadside, or as far off as `surface_hz` says; with
/// it a fifth of a degree beside it. What that adds over the swath follows from the angle between its edges, seen from
/// the antenna; what it adds over time from how fast a platform turns, and stays below a tenth of the azimuth FM rate,
/// as at that rate all lines would see the same targets. Cells of an echo of less than four apertures tell nothing over
/// time: its ends hold targets of which only a part of the beam has seen.
DopplerPrior doppler_prior(const Acquisition& acquisition, const DopplerSurface& surface_hz, bool from_attitude,
                           bool whole_beam);

struct DopplerFit {
    DopplerSurface surface_hz;
    double error_hz = 0;    ///< standard deviation in the middle of the scene; terms that were left out count
    double scatter_hz = 0;  ///< of the cells about the surface
    int terms = 0;          ///< that the cells add to the prior surface
};

/// By least squares with the deviations of the prior; cells are weighed by their own errors and what they scatter
/// beyond these, far ones less (Student's t with four degrees of freedom). Errors grow where neighbours scatter alike,
/// as single targets do that fill many cells, and where few cells speak. Terms that do not stand out are left out, as
/// are those of more than three deviations of the prior. Nothing without cells.
std::optional<DopplerFit> fit_doppler(const std::vector<DopplerCell>& cells, const DopplerPrior& prior, double prf_hz,
                                      bool whole_beam);

}  // namespace cornerturn

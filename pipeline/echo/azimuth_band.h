// SPDX-License-Identifier: Apache-2.0
// The part of the PRF that the beam fills, estimated from the echo.
#pragma once

#include "pipeline/acquisition/doppler/doppler.h"
#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// Width of the azimuth spectrum about the centroid, in parts of the PRF: where it stands 6 dB out of its floor and is
/// above -23 dB of its peak. Times of pulses need not be even: their dither of some per cent leaves a floor 25 to 30 dB
/// below the echo. 1 where nothing stands out.
double azimuth_band(EchoSource& echo, const DopplerSurface& centroid_hz, int threads);

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// The program with a simulated echo and its image to work on.
#pragma once

#include "tests/app/program_fixture.h"

namespace cornerturn {

class ImageProgramTest : public ProgramFixture {
protected:
    /// scene.yaml and its raw.h5: X band, one target, 420 x 400 samples of an aperture of 100 lines, so that every verb
    /// takes a part of a second.
    void simulate_small() {
        std::ofstream(file("scene.yaml"))
            << "carrier_hz: 9.65e9\nprf_hz: 400\nsample_rate_hz: 100e6\nnear_range_m: 3000\nlines: 420\nsamples: 400\n"
               "chirp_slope_hz_s: 36e12\nchirp_duration_s: 2e-6\nvelocity_m_s: 120\nazimuth_bandwidth_hz: 180\n"
               "doppler_centroid_hz: 0\nsample_type: int8\ntargets: [{line: 210.3, sample: 100.4, amplitude: 2}]\n";
        succeed({"simulate", file("scene.yaml"), "-o", file("raw.h5"), "-q"});
    }
    /// raw.h5 and its image slc.h5.
    void make_image(const Words& options = {}) {
        Words simulate{"simulate",  "spaceborne", "-o", file("raw.h5"), "--sample-type", "int8", "--lines", "1000",
                       "--samples", "2000",       "-q"};
        succeed(simulate);
        succeed(with({"focus", file("raw.h5"), "-o", file("slc.h5"), "-q"}, options));
    }
};

}  // namespace cornerturn

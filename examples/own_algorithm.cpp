// SPDX-License-Identifier: Apache-2.0
// An algorithm of our own: range-Doppler and one more step, which takes the phase of the way there and back off, so
// that every point target comes out with the phase of its reflectivity. Runs on any device.
// usage: own_algorithm RAW.h5 IMAGE.h5 [cpu|cuda]
#include <cornerturn/data/nisar/rslc_writer.h>
#include <cornerturn/data/raw_file.h>
#include <cornerturn/kernels/device/device.h>
#include <cornerturn/kernels/math/speed_of_light.h>
#include <cornerturn/kernels/steps/steps.h>
#include <cornerturn/pipeline/formers/former.h>
#include <cornerturn/pipeline/run/focus.h>

#include <cstdio>
#include <exception>

namespace ct = cornerturn;

namespace {

/// The same steps -> image [zero-Doppler time][slant range] x exp(j 4 pi R / lambda)
ct::Formation flattened(const ct::Acquisition& echo, const ct::ImagePlan& image) {
    ct::Formation formation = ct::former_named("rda").form(echo, image);
    const double cycles_per_m = 2 * echo.carrier_hz / ct::c_m_s;
    ct::PhaseCorrection flat{.lines = image.grid.rows, .samples = image.grid.columns, .cycles = {}};
    flat.cycles.powers[0][0] = cycles_per_m * image.grid.near_range_m;
    flat.cycles.powers[0][1] = cycles_per_m * image.grid.range_spacing_m;
    formation.algorithm.steps = [before = formation.algorithm.steps, flat](const ct::FftLengths& lengths) {
        ct::Steps steps = before(lengths);
        steps.push_back({"flattening", "zero_doppler_time", "slant_range", flat});
        return steps;
    };
    return formation;
}

void focus_flat(const char* raw, const char* image, const char* device) {
    ct::add_former({.name = "flat",
                    .title = "range-Doppler, flattened",
                    .holds_for = "all that range-Doppler holds for",
                    .form = flattened});
    std::vector<std::string> warnings;
    const auto echo = ct::open_raw(raw, {}, warnings);
    ct::RslcFile file(image);
    const ct::FocusReport report = ct::focus(*ct::open_device(device), *echo, {.algorithm = "flat"}, file);
    file.commit();
    std::printf("%s by %s\n", image, report.setup.algorithm.c_str());
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 3) throw std::invalid_argument("usage: own_algorithm RAW.h5 IMAGE.h5 [cpu|cuda]");
    focus_flat(argv[1], argv[2], argc > 3 ? argv[3] : "cpu");
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}

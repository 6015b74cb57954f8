// SPDX-License-Identifier: Apache-2.0
// An algorithm of our own: range-Doppler and one more step, after which phases count from the middle of the swath. Runs
// on any device.
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

/// The same steps -> image [zero-Doppler time][slant range] x exp(j 4 pi R_middle / lambda)
ct::Formation from_middle(const ct::Acquisition& echo, const ct::ImagePlan& image) {
    ct::Formation formation = ct::former_named("rda").form(echo, image);
    ct::PhaseCorrection turn{.lines = image.grid.rows, .samples = image.grid.columns, .cycles = {}};
    const double middle_m = image.grid.range_m(0.5 * static_cast<double>(image.grid.columns - 1));
    turn.cycles.powers[0][0] = 2 * middle_m * echo.carrier_hz / ct::c_m_s;
    formation.algorithm.steps = [before = formation.algorithm.steps, turn](const ct::FftLengths& lengths) {
        ct::Steps steps = before(lengths);
        steps.push_back({"phase_from_middle", "zero_doppler_time", "slant_range", turn});
        return steps;
    };
    return formation;
}

void focus_from_middle(const char* raw, const char* image, const char* device) {
    ct::add_former({.name = "from-middle",
                    .title = "range-Doppler, phases from the swath's middle",
                    .holds_for = "all that range-Doppler holds for",
                    .form = from_middle});
    std::vector<std::string> warnings;
    const auto echo = ct::open_raw(raw, {}, warnings);
    ct::RslcFile file(image);
    const ct::FocusReport report = ct::focus(*ct::open_device(device), *echo, {.algorithm = "from-middle"}, file);
    file.commit();
    std::printf("%s by %s\n", image, report.setup.algorithm.c_str());
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 3) throw std::invalid_argument("usage: own_algorithm RAW.h5 IMAGE.h5 [cpu|cuda]");
    focus_from_middle(argv[1], argv[2], argc > 3 ? argv[3] : "cpu");
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}

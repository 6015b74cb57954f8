// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/image_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/formers/interpolated_pulses.h"
#include "pipeline/formers/prediction.h"
#include "pipeline/formers/processed_band.h"
#include "pipeline/plan/range_bandwidth.h"
#include "pipeline/plan/view_choice.h"

namespace cornerturn {
namespace {

/// Throws what does not hold of an image; where that is forced, it is told of and recorded.
void refuse_unless_forced(const FocusOptions& options, const std::string& what, FocusSetup& setup) {
    if (!options.force) throw InputError(what);
    setup.warnings.push_back("--force: made though " + what);
    if (setup.forced_over.empty()) setup.forced_over = what;
}

/// Ground above the antenna, or so far below it that no range reaches it: feet for metres, or a wrong track.
void check_height(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    if (!acquisition.orbit || acquisition.sums_all_pulses() || options.terrain || options.height_m == 0) return;
    const double middle_s = acquisition.pulse_time_s(0.5 * static_cast<double>(acquisition.lines - 1)),
                 altitude_m = geographic(interpolate(*acquisition.orbit, middle_s).position_m).height_m,
                 above_m = altitude_m - options.height_m;
    if (above_m > 0 && above_m <= acquisition.far_range_m()) return;
    refuse_unless_forced(
        options,
        fmt::format("--height {:.6g}: no echo comes from ground at that height, as the antenna is {:.0f} m above the "
                    "ellipsoid and slant ranges end at {:.0f} m; give metres above the WGS84 ellipsoid",
                    options.height_m, altitude_m, acquisition.far_range_m()),
        setup);
}

/// Of a centroid that the data tell no better than what lies beside the beam, some of the beam may be cut off: refused
/// where they were asked, told of where nothing else tells it.
void check_centroid_error(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    constexpr double most_of_beam = 0.03;
    if (!setup.doppler.error_hz || !acquisition.azimuth_bandwidth_hz || setup.image.map) return;
    const double beam_hz = *acquisition.azimuth_bandwidth_hz,
                 beside_hz = 0.5 * (setup.image.parameters.azimuth_bandwidth_hz - beam_hz),
                 error_hz = *setup.doppler.error_hz;
    if (beside_hz < 0 || likely_error_hz(setup.doppler) - beside_hz <= most_of_beam * beam_hz) return;
    const std::string what = fmt::format(
        "Doppler centroid: the data tell it to +-{:.1f} Hz only, but {:.1f} Hz are processed to either side of the "
        "beam of {:.6g} Hz, and more than {:.0f} % of it could be cut off; give --doppler-centroid HZ or orbit",
        error_hz, beside_hz, beam_hz, 100 * most_of_beam);
    if (options.doppler_from != ParameterSource::data) return setup.warnings.push_back(what);
    refuse_unless_forced(options, what, setup);
}

/// Uneven pulses tell little of the ends of a beam that fills the PRF. Where points would be off for it, less of the
/// beam makes them right, if nobody asked for a band.
void check_interpolation(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    if (!acquisition.interpolated || setup.image.map) return;
    const Prediction whole = predicted_for_interpolation(acquisition, setup.image);
    if (holds(whole)) return;
    const std::string what = fmt::format(
        "uneven pulses: interpolated to equal steps, the {:.6g} Hz that are processed of a PRF of {:.6g} Hz would "
        "leave points off by {}; at most {} are allowed",
        illuminated_band_hz(acquisition, setup.image.parameters), acquisition.prf_hz, text_of(whole),
        text_of(error_limits));
    if (options.force) return refuse_unless_forced(options, what, setup);
    constexpr int most_parts = 99, fewest_parts = 90;  // of a hundred
    const double beam_hz = acquisition.azimuth_bandwidth_hz.value_or(0);
    ImagePlan part = setup.image;
    for (int parts = most_parts; parts >= fewest_parts && beam_hz > 0 && !options.azimuth_bandwidth_hz; --parts) {
        part.parameters.azimuth_bandwidth_hz = 0.01 * parts * beam_hz;
        if (part.parameters.azimuth_bandwidth_hz >= setup.image.parameters.azimuth_bandwidth_hz ||
            !holds(predicted_for_interpolation(acquisition, part)))
            continue;
        setup.image = plan_image(acquisition, part.parameters, *setup.image.geometry);
        setup.warnings.push_back(fmt::format("{}: {:.6g} Hz are processed; --azimuth-bandwidth says otherwise", what,
                                             part.parameters.azimuth_bandwidth_hz));
        return;
    }
    throw InputError(fmt::format("{}; give less by --azimuth-bandwidth", what));
}

/// Range histories are those of a smooth surface: where the terrain is finer, points are displaced.
void check_relief(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    if (!options.terrain || setup.image.map) return;
    const Prediction off = setup.relief = predicted_for_relief(acquisition, setup.image, setup.height_m);
    if (holds(off, error_limits_over_terrain)) return;
    refuse_unless_forced(
        options,
        fmt::format("{}: lies up to {:.0f} m off the smooth surface that the zero-Doppler grid follows, and points "
                    "would be off by {}; at most {} are allowed: use --grid, whose pixels have heights of their own",
                    options.terrain->name(), setup.height_m.largest_relief_m(), text_of(off),
                    text_of(error_limits_over_terrain)),
        setup);
}

/// Of gaps that leave no pixel whole.
void warn_of_nothing_valid(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    if (acquisition.decoding.valid_samples.empty()) return;
    const auto& valid = setup.image.coverage.valid.intervals;
    if (std::any_of(valid.begin(), valid.end(), [](Interval i) { return i.first < i.last; })) return;
    const std::string what = "the gaps of the echo leave no point that is covered fully";
    if (options.extent == ImageExtent::valid)
        throw InputError(fmt::format("extent valid: {}; use --extent full", what));
    setup.warnings.push_back(what + ": no pixel of the image is marked as valid");
}

/// Of an echo that ends before the beam has passed over any point.
void warn_of_short_echo(const Acquisition& acquisition, FocusSetup& setup) {
    if (setup.image.map || acquisition.burst || !acquisition.azimuth_bandwidth_hz) return;
    constexpr double whole = 0.99;
    const RangeHistory& history = setup.image.histories.middle;
    const double near_m = setup.image.swath.nearest_m,
                 rate_hz_s = history.fm_rate_hz_s(near_m, history.centroid_hz(near_m)),
                 lit = acquisition.prf_hz * illuminated_band_hz(acquisition, setup.image.parameters) / rate_hz_s,
                 lines = static_cast<double>(acquisition.lines);
    if (!(lines < whole * lit)) return;
    setup.warnings.push_back(fmt::format(
        "the echo has {:.0f} lines, but the beam lights a point in {:.0f} or more: none is seen whole, and points are "
        "wider along rows than the resolution of the beam, {:.1f} times or more",
        lines, lit, lit / lines));
}

double range_bandwidth_hz(const Acquisition& acquisition, const FocusSetup& setup, double azimuth_band_hz) {
    return widest_image_bandwidth_hz(acquisition, *setup.image.geometry, setup.doppler.surface_hz,
                                     setup.image.parameters.velocity, azimuth_band_hz);
}

/// The widest azimuth band whose points the samples hold, where all that is processed is too wide.
double fitting_band_hz(const Acquisition& acquisition, const FocusSetup& setup) {
    double fitting_hz = 0, too_wide_hz = setup.image.parameters.azimuth_bandwidth_hz;
    for (int round = 0; round < 40; ++round) {
        const double middle_hz = 0.5 * (fitting_hz + too_wide_hz);
        const bool fits = range_bandwidth_hz(acquisition, setup, middle_hz) <= acquisition.sample_rate_hz();
        (fits ? fitting_hz : too_wide_hz) = middle_hz;
    }
    return fitting_hz;
}

/// A beam that nobody knows hardly ever fills the PRF, but half of it it may.
void warn_of_unknown_beam(const Acquisition& acquisition, FocusSetup& setup) {
    if (setup.image.map || acquisition.sums_all_pulses()) return;
    const double processed_hz = setup.image.parameters.azimuth_bandwidth_hz, sampled_hz = acquisition.sample_rate_hz();
    if (range_bandwidth_hz(acquisition, setup, 0.5 * processed_hz) <= sampled_hz) return;
    setup.warnings.push_back(fmt::format(
        "the beam's bandwidth is not known: if it is more than {:.3g} of the {:.6g} Hz that are processed, {} widen "
        "the range spectrum of the image beyond the {:.6g} MHz of its sampling, and points are out of place; give "
        "--azimuth-bandwidth HZ",
        fitting_band_hz(acquisition, setup), processed_hz, what_widens(acquisition), sampled_hz / 1e6));
}

/// Points of an image whose spectrum is wider than its sampling cannot be told from others between its samples:
/// whatever the algorithm, they are moved and widened.
void check_range_sampling(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    const double wide_hz =
                     range_bandwidth_hz(acquisition, setup, illuminated_band_hz(acquisition, setup.image.parameters)),
                 sampled_hz = acquisition.sample_rate_hz();
    if (wide_hz <= sampled_hz) return;
    const double fitting_hz = fitting_band_hz(acquisition, setup);
    const std::string what = fmt::format(
        "{} widen the range spectrum of the image to {:.6g} MHz, more than the {:.6g} MHz of its sampling, and its "
        "edges would alias; give --azimuth-bandwidth, at most {:.2f} (Hz)",
        what_widens(acquisition), wide_hz / 1e6, sampled_hz / 1e6, std::floor(fitting_hz * 100) / 100);
    refuse_unless_forced(options, what, setup);
}

}  // namespace

void check_image(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    check_height(acquisition, options, setup);
    check_centroid_error(acquisition, options, setup);
    check_interpolation(acquisition, options, setup);
    check_relief(acquisition, options, setup);
    warn_of_nothing_valid(acquisition, options, setup);
    warn_of_short_echo(acquisition, setup);
    if (knows_range_bandwidth(acquisition, options))
        check_range_sampling(acquisition, options, setup);
    else
        warn_of_unknown_beam(acquisition, setup);
}

}  // namespace cornerturn

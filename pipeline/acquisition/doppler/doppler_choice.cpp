// SPDX-License-Identifier: Apache-2.0
// Which Doppler centroid is taken: by option, file, orbit and attitude, or data.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/errors.h"
#include "pipeline/acquisition/doppler/ambiguity.h"
#include "pipeline/acquisition/doppler/doppler.h"
#include "pipeline/acquisition/doppler/doppler_fit.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

/// A prediction must come this close (in PRF) to the value chosen, or the next multiple would be as likely.
constexpr double safe_distance_prf = 0.35;

/// Data that tell the centroid no better than this leave it to attitude.
constexpr double well_told_prf = 0.02;

/// Whoever knows the pointing to a tenth of the PRF would not be so far off.
constexpr double contradiction_prf = 0.1;

double to_multiple_hz(double baseband_hz, double near_hz, double prf_hz) {
    return baseband_hz + prf_hz * std::round((near_hz - baseband_hz) / prf_hz);
}

/// What the cells of an estimate make of the surface of attitude, else of a constant.
void refine(const Acquisition& acquisition, const std::optional<DopplerSurface>& predicted,
            const DopplerEstimate& found, DopplerChoice& choice) {
    const DopplerSurface base = predicted.value_or(constant_doppler(acquisition, choice.centroid_hz));
    const auto fit = fit_doppler(found.cells, doppler_prior(acquisition, base, predicted.has_value(), found.whole_beam),
                                 acquisition.prf_hz, found.whole_beam);
    if (!fit) {
        choice.surface_hz = base + (choice.centroid_hz - in_the_middle_hz(acquisition, base));
        return;
    }
    choice.surface_hz = fit->surface_hz;
    choice.centroid_hz = in_the_middle_hz(acquisition, choice.surface_hz);
    choice.error_hz = fit->error_hz;
    choice.source += predicted && fit->terms == 0 ? ", as attitude has it" : "";
    choice.source += fmt::format(", +- {:.1f} Hz by {} cells that scatter by {:.1f} Hz", fit->error_hz,
                                 found.cells.size(), fit->scatter_hz);
}

/// A single number: the level of the shape that attitude has, with a warning where that contradicts it. A file with an
/// effective velocity describes straight flight, in which one number holds over the swath.
DopplerChoice of_number(const Acquisition& acquisition, double number_hz, const SceneHeight& height_m) {
    DopplerChoice choice{number_hz, constant_doppler(acquisition, number_hz), DopplerOrigin::file, "file", true};
    const auto predicted = predicted_doppler(acquisition, height_m);
    if (!predicted) return choice;
    const double predicted_hz = in_the_middle_hz(acquisition, *predicted);
    if (!acquisition.effective_velocity_m_s) {
        choice.surface_hz = *predicted + (number_hz - predicted_hz);
        choice.source = "file, a number, over the swath as attitude has it";
    }
    if (std::abs(number_hz - predicted_hz) > contradiction_prf * acquisition.prf_hz)
        choice.warnings.push_back(
            fmt::format("dopplerCentroid of the file: {:.1f} Hz, but orbit and attitude say {:.1f} Hz, {:.2f} of the "
                        "PRF away; the file's is taken: --doppler-centroid data asks the echo, orbit takes attitude",
                        number_hz, predicted_hz, std::abs(number_hz - predicted_hz) / acquisition.prf_hz));
    return choice;
}

/// A few targets, of which short echoes show a part of the beam, say something else than the beam, and more firmly than
/// they know it.
DopplerChoice with_contradiction(DopplerChoice of_data, double predicted_hz, double prf_hz) {
    const double off_hz = of_data.centroid_hz - predicted_hz;
    if (of_data.ambiguity_certain && std::abs(off_hz) > contradiction_prf * prf_hz)
        of_data.warnings.push_back(
            fmt::format("Doppler centroid: the data say {:.1f} Hz, but orbit and attitude say {:.1f} Hz, {:.2f} of the "
                        "PRF away; that of the data is taken: --doppler-centroid orbit takes attitude",
                        of_data.centroid_hz, predicted_hz, std::abs(off_hz) / prf_hz));
    return of_data;
}

/// Where the echo tells nothing.
DopplerChoice without_estimate(const Acquisition& acquisition, const std::optional<DopplerSurface>& predicted) {
    if (predicted)
        return {in_the_middle_hz(acquisition, *predicted), *predicted, DopplerOrigin::orbit,
                "orbit and attitude, as the echo tells nothing", true};
    DopplerChoice zero{0, constant_doppler(acquisition, 0), DopplerOrigin::estimate,
                       "ASSUMED, neither attitude, file nor data tell it", false};
    zero.warnings.push_back(
        "Doppler centroid: 0 Hz is assumed, as the echo holds no signal that neighbouring lines share, and neither "
        "file nor attitude tell it; give --doppler-centroid HZ");
    return zero;
}

/// Of option, file or, where that is asked for, orbit and attitude alone.
std::optional<DopplerChoice> told_without_data(const Acquisition& acquisition, std::optional<double> option,
                                               ParameterSource from, const SceneHeight& height_m) {
    const auto require_frequency = [](double value_hz, const char* where) {
        if (!std::isfinite(value_hz))
            throw InputError(
                fmt::format("{}: {} is no frequency; give --doppler-centroid HZ or data", where, value_hz));
    };
    const auto known = [&](double value_hz, const char* where, DopplerOrigin origin, const char* source) {
        require_frequency(value_hz, where);
        return DopplerChoice{value_hz, constant_doppler(acquisition, value_hz), origin, source, true};
    };
    if (option) {
        DopplerChoice choice = known(*option, "--doppler-centroid", DopplerOrigin::option, "option");
        // The beam of a burst is steered whatever its level.
        const auto predicted = acquisition.burst ? predicted_doppler(acquisition, height_m) : std::nullopt;
        if (predicted) {
            choice.surface_hz = *predicted + (*option - in_the_middle_hz(acquisition, *predicted));
            choice.source = "option, in the middle of the burst, steered as attitude has it";
        }
        return choice;
    }
    if (acquisition.doppler_of_pixels_hz && from == ParameterSource::automatic) {
        const DopplerSurface& table = *acquisition.doppler_of_pixels_hz;
        return known(table(table.x_centre, table.y_centre), "dopplerCentroid of the file", DopplerOrigin::file,
                     "file, a table");
    }
    if (acquisition.doppler_centroid_hz && from == ParameterSource::automatic) {
        require_frequency(*acquisition.doppler_centroid_hz, "dopplerCentroid of the file");
        return of_number(acquisition, *acquisition.doppler_centroid_hz, height_m);
    }
    if (from != ParameterSource::orbit) return std::nullopt;
    const std::optional<DopplerSurface> predicted = predicted_doppler(acquisition, height_m);
    if (!predicted)
        throw InputError(
            "--doppler-centroid orbit: the file has no orbit with an attitude that looks at the swath; give HZ, "
            "auto or data");
    return DopplerChoice{in_the_middle_hz(acquisition, *predicted), *predicted, DopplerOrigin::orbit,
                         "orbit and attitude", true};
}

/// An estimate at the multiple of the PRF that lies next to a frequency.
DopplerChoice estimate_near(const Acquisition& acquisition, const std::optional<DopplerSurface>& predicted,
                            const DopplerEstimate& found, double near_hz, bool certain, const std::string& how) {
    DopplerChoice chosen{
        to_multiple_hz(*found.baseband_hz, near_hz, acquisition.prf_hz), {}, DopplerOrigin::estimate, "", certain};
    const double ambiguity = std::round((chosen.centroid_hz - *found.baseband_hz) / acquisition.prf_hz);
    chosen.source =
        fmt::format("estimated: baseband {:.1f} Hz from the lag-1 correlation of the lines, ambiguity {:+.0f} {}",
                    *found.baseband_hz, ambiguity, how);
    refine(acquisition, predicted, found, chosen);
    // Over a swath of more than a PRF the middle need not be where the mean is.
    const double off_hz = acquisition.prf_hz * std::round((near_hz - chosen.centroid_hz) / acquisition.prf_hz);
    chosen.surface_hz = chosen.surface_hz + off_hz;
    chosen.centroid_hz += off_hz;
    return chosen;
}

}  // namespace

std::string contradicted_option(const Acquisition& acquisition, double middle_hz, const SceneHeight& height_m) {
    double told_hz = NAN;
    const char* by = "orbit and attitude say";
    if (const auto& table = acquisition.doppler_of_pixels_hz)
        told_hz = (*table)(table->x_centre, table->y_centre), by = "the file's table says";
    else if (acquisition.doppler_centroid_hz)
        told_hz = *acquisition.doppler_centroid_hz, by = "the file says";
    else if (const auto predicted = predicted_doppler(acquisition, height_m))
        told_hz = in_the_middle_hz(acquisition, *predicted);
    const double off_hz = std::abs(middle_hz - told_hz);
    if (!(off_hz > contradiction_prf * acquisition.prf_hz)) return {};
    return fmt::format(
        "--doppler-centroid: {:.1f} Hz in mid-scene, but {} {:.1f} Hz, {:.2f} of the PRF away; the option is taken: "
        "leave it out, or ask the echo by --doppler-centroid data",
        middle_hz, by, told_hz, off_hz / acquisition.prf_hz);
}

std::optional<AmbiguityFromData> told_by_data(const Acquisition& acquisition, const DopplerEstimate& found) {
    struct Method {
        double hz, error_hz;
        std::string words;
    };
    std::vector<Method> methods;
    if (found.absolute_hz)
        methods.push_back(
            {*found.absolute_hz, found.absolute_error_hz, "the phase slope of the correlation over range frequency"});
    if (found.walk_hz) methods.push_back({*found.walk_hz, found.walk_error_hz, "the range walk between looks"});
    if (methods.empty() || !found.baseband_hz) return std::nullopt;
    const Method& best = *std::min_element(methods.begin(), methods.end(),
                                           [](const Method& a, const Method& b) { return a.error_hz < b.error_hz; });
    const double near_hz = to_multiple_hz(*found.baseband_hz, best.hz, acquisition.prf_hz);
    std::vector<AmbiguityVote> votes;
    AmbiguityFromData told{.error_hz = best.error_hz};
    for (const Method& method : methods) {
        votes.push_back({(method.hz - near_hz) / acquisition.prf_hz, method.error_hz / acquisition.prf_hz});
        told.how += fmt::format("{} {} ({:.0f} +- {:.0f} Hz)", told.how.empty() ? "from" : " and", method.words,
                                method.hz, method.error_hz);
    }
    const Ambiguity ambiguity = ambiguity_of(votes);
    told.near_hz = near_hz + ambiguity.multiple * acquisition.prf_hz;
    told.confidence = ambiguity.confidence;
    return told;
}

DopplerChoice choose_doppler(const Acquisition& acquisition, std::optional<double> option, ParameterSource from,
                             const DopplerEstimator& estimate, const SceneHeight& height_m) {
    if (auto told = told_without_data(acquisition, option, from, height_m)) return *std::move(told);
    const std::optional<DopplerSurface> predicted = predicted_doppler(acquisition, height_m);
    const DopplerEstimate found = estimate();
    if (!found.baseband_hz) {
        if (from == ParameterSource::data)
            throw InputError(
                "--doppler-centroid data: the echo holds no signal that neighbouring lines share; give HZ, auto or "
                "orbit");
        return without_estimate(acquisition, predicted);
    }
    const double prf = acquisition.prf_hz, baseband_hz = *found.baseband_hz;
    const auto choice = [&](double near_hz, bool certain, const std::string& how) {
        return estimate_near(acquisition, predicted, found, near_hz, certain, how);
    };
    const auto safe = [&](double near_hz) {
        return std::abs(to_multiple_hz(baseband_hz, near_hz, prf) - near_hz) < safe_distance_prf * prf;
    };
    if (predicted) {
        const double middle_hz = in_the_middle_hz(acquisition, *predicted);
        DopplerChoice of_data =
            choice(middle_hz, safe(middle_hz), fmt::format("from orbit and attitude ({:.0f} Hz predicted)", middle_hz));
        if (from == ParameterSource::data || of_data.error_hz.value_or(INFINITY) < well_told_prf * prf)
            return with_contradiction(std::move(of_data), middle_hz, prf);
        const std::string how_well =
            of_data.error_hz ? fmt::format("to {:.1f} Hz only", *of_data.error_hz) : "too poorly";
        return {middle_hz, *predicted, DopplerOrigin::orbit, "orbit and attitude, as the data tell it " + how_well,
                true};
    }
    if (acquisition.doppler_centroid_hz && std::isfinite(*acquisition.doppler_centroid_hz))
        return choice(*acquisition.doppler_centroid_hz, safe(*acquisition.doppler_centroid_hz),
                      fmt::format("from the file's dopplerCentroid of {} Hz", *acquisition.doppler_centroid_hz));
    if (const auto told = told_by_data(acquisition, found)) {
        if (told->confidence >= certain_confidence) return choice(told->near_hz, true, told->how);
        // Not even that it is another one than the nearest to 0.
        if (std::abs(told->near_hz - baseband_hz) > 2.0 * told->error_hz + 0.5 * prf)
            return choice(told->near_hz, false, told->how + ", NOT CERTAIN: give --doppler-centroid HZ");
    }
    return choice(baseband_hz, false, "ASSUMED, neither attitude, file nor data tell it: give --doppler-centroid HZ");
}

}  // namespace cornerturn

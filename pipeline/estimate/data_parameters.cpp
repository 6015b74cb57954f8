// SPDX-License-Identifier: Apache-2.0
#include "pipeline/estimate/data_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/errors.h"
#include "pipeline/acquisition/ambiguity.h"
#include "pipeline/estimate/echo_part.h"
#include "pipeline/estimate/image_doppler.h"
#include "pipeline/run/azimuth_band.h"
#include "pipeline/run/focus.h"
#include "pipeline/run/sampled_lines.h"

namespace cornerturn {
namespace {

/// A part of the echo in its middle: lines, and samples behind the length of a chirp.
struct PartSize {
    std::int64_t lines, columns;
};
constexpr std::size_t fewest_centroid_cells = 8;  // that tell a centroid

constexpr PartSize part_sizes[] = {{4096, 1024}, {12288, 3072}};

Echo middle_part(EchoSource& echo, const PartSize& size) {
    const Acquisition& a = echo.acquisition();
    const auto middle = [](std::int64_t all, std::int64_t wanted) {
        const std::int64_t count = std::min(all, wanted), first = (all - count) / 2;
        return Interval{static_cast<std::int32_t>(first), static_cast<std::int32_t>(first + count)};
    };
    Echo part =
        read_part(echo, middle(a.lines, size.lines), middle(a.samples, std::llround(a.chirp_samples()) + size.columns));
    part.acquisition = data_alone(std::move(part.acquisition));
    return part;
}

/// What of the PRF the beam fills. Under noise and the tails of an antenna's pattern the band that stands out is
/// narrower than that.
double beam_prf(EchoSource& echo, const DopplerSurface& centroid_hz, int threads) {
    constexpr double hidden = 1.5;
    return std::min(1.0, hidden * azimuth_band(echo, centroid_hz, threads));
}

/// How far off the multiple of a choice may be.
double spread_prf(const DopplerEstimate& found, double prf_hz) {
    constexpr double most = 8;
    if (!found.absolute_hz) return most;
    return std::min(most, 1 + std::ceil(3 * found.absolute_error_hz / prf_hz));
}

std::optional<LookEstimate> look_at(EchoSource& echo, const LookPrior& prior, int threads) {
    const auto device = open_device("cpu", threads);
    const Acquisition& a = echo.acquisition();
    for (const PartSize& size : part_sizes) {
        const Echo part = middle_part(echo, size);
        if (auto told = estimate_by_looks(*device, part, prior, threads)) return told;
        const bool hardly_more = 2 * part.acquisition.lines * part.acquisition.samples > a.lines * a.samples;
        if (hardly_more) break;
    }
    return std::nullopt;
}

/// A surface through cells of a few targets may bend as no beam does: constant, then.
DopplerSurface tamed(const Acquisition& a, const DopplerSurface& surface_hz) {
    double lowest_hz = INFINITY, highest_hz = -INFINITY;
    for (const double line : {0.0, 0.5, 1.0})
        for (const double sample : {0.0, 0.25, 0.5, 0.75, 1.0}) {
            const double hz = surface_hz(a.pulse_time_s(line * static_cast<double>(a.lines)),
                                         a.range_m(sample * static_cast<double>(a.samples)));
            lowest_hz = std::min(lowest_hz, hz), highest_hz = std::max(highest_hz, hz);
        }
    return highest_hz - lowest_hz < 1.5 * a.prf_hz ? surface_hz : constant_doppler(a, in_the_middle_hz(a, surface_hz));
}

bool has_orbit(const Acquisition& a) { return a.orbit && a.orbit->time_s.size() >= 2; }

LookPrior prior_of(EchoSource& echo, const DopplerSurface& centroid_hz, double spread,
                   std::optional<double> velocity_m_s, int threads) {
    return {.centroid_hz = tamed(echo.acquisition(), centroid_hz),
            .ambiguity_spread = spread,
            .beam_prf = beam_prf(echo, centroid_hz, threads),
            .along_orbit = !velocity_m_s && has_orbit(echo.acquisition()),
            .velocity_m_s = velocity_m_s};
}

/// The multiple of the PRF that data alone tell, as choose_doppler would take it.
DopplerChoice choice_of_data(const Acquisition& a, const DopplerEstimate& found) {
    return choose_doppler(data_alone(a), {}, true, [&] { return found; });
}

void add_walk(const Acquisition& a, const LookEstimate& looks, DopplerEstimate& found) {
    found.walk_hz = choice_of_data(a, found).centroid_hz + looks.off_hz;
    found.walk_error_hz = looks.off_error_hz;
}

/// Cells of an image of the whole echo, as far as its swath fits; none where that is too long or has no fully covered
/// rows.
std::vector<DopplerCell> image_cells(EchoSource& echo, const DopplerSurface& centroid_hz, double velocity_m_s,
                                     int threads) try {
    const Acquisition& a = echo.acquisition();
    if (a.lines > part_sizes[0].lines + part_sizes[0].lines / 2) return {};
    const Echo part = middle_part(echo, {a.lines, part_sizes[1].columns});
    const auto device = open_device("cpu", threads);
    FocusOptions options;
    options.doppler_surface = tamed(a, centroid_hz);
    options.doppler_centroid_hz = in_the_middle_hz(part.acquisition, *options.doppler_surface);
    if (!has_orbit(a)) options.velocity_m_s = velocity_m_s;
    options.force = true;  // spectra are looked at, which need no point in its place
    return cells_of_image(focus(*device, part, options));
} catch (const InputError&) {
    return {};
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Cells that lie about a surface but for a constant, whatever far ones say: those hold something else than the beam's
/// pattern, such as an offset of the receiver in dark water, or a ship under way.
std::vector<DopplerCell> without_outliers(const std::vector<DopplerCell>& cells, const DopplerSurface& about_hz,
                                          double prf_hz) {
    constexpr double floor_hz = 1, farthest = 4, deviations_per_median = 1.4826;
    std::vector<double> off_hz;
    for (const DopplerCell& cell : cells)
        off_hz.push_back(absolute_hz(cell, about_hz, prf_hz) - about_hz(cell.time_s, cell.range_m));
    const double middle_hz = median(off_hz);
    for (double& hz : off_hz) hz = std::abs(hz - middle_hz);
    const double limit_hz = farthest * deviations_per_median * std::max(floor_hz, median(off_hz));
    std::vector<DopplerCell> kept;
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (off_hz[i] <= limit_hz) kept.push_back(cells[i]);
    return kept;
}

/// Of all cells alike, so that a few bright ones do not speak for all.
double mean_baseband_hz(const std::vector<DopplerCell>& cells, double prf_hz) {
    std::complex<double> sum = 0;
    for (const DopplerCell& cell : cells) sum += cell.lag1 / std::abs(cell.lag1);
    return baseband_doppler_hz(sum, prf_hz);
}

double error_of(const DataParameters& p, double prf_hz) {
    double squares = 0;
    for (const DopplerCell& cell : p.estimate.cells) {
        const double off_hz =
            absolute_hz(cell, p.doppler.surface_hz, prf_hz) - p.doppler.surface_hz(cell.time_s, cell.range_m);
        squares += off_hz * off_hz;
    }
    return p.estimate.cells.empty() ? INFINITY : std::sqrt(squares) / static_cast<double>(p.estimate.cells.size());
}

/// Whoever knows the pointing to less than a tenth of the PRF knows the multiple: how near the next one comes says how
/// sure that is.
double confidence_of_geometry(double geometry_hz, double data_hz, double prf_hz) {
    constexpr double pointing_prf = 0.1;
    const double off = (geometry_hz - data_hz) / prf_hz;
    const AmbiguityVote vote{off - std::round(off), pointing_prf};
    return ambiguity_of(std::span(&vote, 1)).confidence;
}

void compare(DataParameters& p, const Acquisition& a) {
    const double middle_hz = p.doppler.centroid_hz, prf_hz = a.prf_hz;
    const auto other_multiple = [&](double hz, const char* whose) {
        if (p.confidence >= certain_confidence && std::abs(hz - middle_hz) > 0.5 * prf_hz)
            p.warnings.push_back(fmt::format(
                "Doppler centroid: {} has {:.1f} Hz, the data say {:.1f} Hz: another multiple of the PRF of {:.2f} Hz",
                whose, hz, middle_hz, prf_hz));
    };
    if (p.geometry_hz) other_multiple(in_the_middle_hz(a, *p.geometry_hz), "geometry (orbit and attitude)");
    if (p.file_hz) other_multiple(*p.file_hz, "the file");
    const auto other_velocity = [&](std::optional<double> m_s, const char* whose) {
        if (p.velocity && m_s &&
            std::abs(*m_s - p.velocity->velocity_m_s) > velocity_contradiction * p.velocity->error_m_s)
            p.warnings.push_back(fmt::format("effective velocity: {} has {:.2f} m/s, the data say {:.2f} +- {:.2f} m/s",
                                             whose, *m_s, p.velocity->velocity_m_s, p.velocity->error_m_s));
    };
    if (p.velocity) other_velocity(p.velocity->orbit_velocity_m_s, "the orbit");
    other_velocity(p.file_velocity_m_s, "the file");
}

}  // namespace

double absolute_hz(const DopplerCell& cell, const DopplerSurface& surface_hz, double prf_hz) {
    const double near_hz = surface_hz(cell.time_s, cell.range_m), per_radian_hz = prf_hz / (2 * std::numbers::pi);
    return near_hz + per_radian_hz * std::arg(cell.lag1 * std::polar(1.0, -near_hz / per_radian_hz));
}

Acquisition data_alone(Acquisition acquisition) {
    acquisition.attitude.reset();
    acquisition.doppler_centroid_hz.reset();
    acquisition.doppler_of_pixels_hz.reset();
    acquisition.azimuth_bandwidth_hz.reset();
    acquisition.effective_velocity_m_s.reset();
    acquisition.truth.clear();
    return acquisition;
}

std::optional<LookEstimate> look_at(EchoSource& echo, const DopplerEstimate& found, std::optional<double> velocity_m_s,
                                    int threads) {
    const Acquisition& a = echo.acquisition();
    const DopplerSurface centroid_hz = choice_of_data(a, found).surface_hz;
    return look_at(echo, prior_of(echo, centroid_hz, spread_prf(found, a.prf_hz), velocity_m_s, threads), threads);
}

DopplerEstimate settle_ambiguity(EchoSource& echo, DopplerEstimate found, std::optional<double> velocity_m_s,
                                 int threads) {
    const Acquisition& a = echo.acquisition();
    if (a.doppler_centroid_hz || predicted_doppler(a)) return found;
    const auto told = told_by_data(a, found);
    if (told && told->confidence >= certain_confidence) return found;
    if (!velocity_m_s && !has_orbit(a)) velocity_m_s = a.effective_velocity_m_s;
    if (const auto looks = look_at(echo, found, velocity_m_s, threads)) add_walk(a, *looks, found);
    return found;
}

DopplerEstimate settled_doppler(EchoSource& echo, std::optional<double> velocity_m_s) {
    return settle_ambiguity(echo, estimate_doppler(sample_lines(echo)), velocity_m_s);
}

VelocityEstimate velocity_of(const LookEstimate& looks, bool along_orbit) {
    constexpr double shared = 3e-4;
    return {.velocity_m_s = looks.velocity_m_s,
            .error_m_s = std::hypot(looks.velocity_error_m_s, shared * looks.velocity_m_s),
            .range_m = looks.range_m,
            .orbit_velocity_m_s = along_orbit ? std::optional(looks.prior_velocity_m_s) : std::nullopt};
}

VelocityEstimate estimate_velocity(EchoSource& echo, const DopplerSurface& centroid_hz, int threads) {
    const auto looks = look_at(echo, prior_of(echo, centroid_hz, 0.5, {}, threads), threads);
    if (!looks)
        throw InputError(
            "--velocity data: the two looks of the echo share too little for it (no contrast, or apertures longer than "
            "what is recorded); "
            "give --velocity M/S or auto");
    return velocity_of(*looks, has_orbit(echo.acquisition()));
}

DataParameters find_parameters(EchoSource& echo, int threads) {
    const Acquisition& a = echo.acquisition();
    DataParameters p;
    p.estimate = estimate_doppler(sample_lines(echo), threads);
    DopplerSurface about_hz = choice_of_data(a, p.estimate).surface_hz;
    p.looks = look_at(echo, prior_of(echo, about_hz, spread_prf(p.estimate, a.prf_hz), {}, threads), threads);
    if (p.looks) {
        add_walk(a, *p.looks, p.estimate);
        about_hz = choice_of_data(a, p.estimate).surface_hz;
        p.velocity = velocity_of(*p.looks, has_orbit(a));
        std::vector<DopplerCell> cells = image_cells(echo, about_hz, p.looks->velocity_m_s, threads);
        p.cells_of_image = cells.size() >= fewest_centroid_cells;
        if (p.cells_of_image) p.estimate.cells = std::move(cells);
    }
    if (p.estimate.cells.size() >= fewest_centroid_cells) {
        p.estimate.cells = without_outliers(p.estimate.cells, about_hz, a.prf_hz);
        p.estimate.baseband_hz = mean_baseband_hz(p.estimate.cells, a.prf_hz);
    }
    p.doppler = choice_of_data(a, p.estimate);
    if (const auto told = told_by_data(a, p.estimate)) p.confidence = told->confidence;
    p.error_hz = error_of(p, a.prf_hz);
    p.geometry_hz = predicted_doppler(a);
    if (p.geometry_hz && p.estimate.cells.size() >= fewest_centroid_cells)
        p.geometry_confidence =
            confidence_of_geometry(in_the_middle_hz(a, *p.geometry_hz), p.doppler.centroid_hz, a.prf_hz);
    p.file_hz = a.doppler_centroid_hz;
    p.file_velocity_m_s = a.effective_velocity_m_s;
    compare(p, a);
    return p;
}

}  // namespace cornerturn

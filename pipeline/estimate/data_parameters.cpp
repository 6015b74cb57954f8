// SPDX-License-Identifier: Apache-2.0
#include "pipeline/estimate/data_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/errors.h"
#include "pipeline/acquisition/doppler/ambiguity.h"
#include "pipeline/echo/azimuth_band.h"
#include "pipeline/echo/echo_part.h"
#include "pipeline/echo/sampled_lines.h"
#include "pipeline/estimate/image_doppler.h"
#include "pipeline/estimate/line_doppler.h"

namespace cornerturn {
namespace {

/// A part of the echo in its middle: lines, and samples behind the length of a chirp.
struct PartSize {
    std::int64_t lines, columns;
};
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

std::optional<LookEstimate> look_at(EchoSource& echo, const LookPrior& prior, const Imager& imager) {
    const Acquisition& a = echo.acquisition();
    for (const PartSize& size : part_sizes) {
        const Echo part = middle_part(echo, size);
        if (auto told = estimate_by_looks(imager, part, prior)) return told;
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
                   std::optional<double> velocity_m_s, const Imager& imager) {
    return {.centroid_hz = tamed(echo.acquisition(), centroid_hz),
            .ambiguity_spread = spread,
            .beam_prf = beam_prf(echo, centroid_hz, imager.threads),
            .along_orbit = !velocity_m_s && has_orbit(echo.acquisition()),
            .velocity_m_s = velocity_m_s};
}

/// The multiple of the PRF that data alone tell, as choose_doppler would take it.
DopplerChoice choice_of_data(const Acquisition& a, const DopplerEstimate& found) {
    return choose_doppler(data_alone(a), {}, ParameterSource::automatic, [&] { return found; });
}

void add_walk(const Acquisition& a, const LookEstimate& looks, DopplerEstimate& found) {
    found.walk_hz = choice_of_data(a, found).centroid_hz + looks.off_hz;
    found.walk_error_hz = looks.off_error_hz;
}

/// How far a surface varies over the swath in the middle of the scene.
double variation_hz(const Acquisition& a, const DopplerSurface& surface_hz) {
    const double middle_s = a.pulse_time_s(0.5 * static_cast<double>(a.lines));
    double lowest_hz = INFINITY, highest_hz = -INFINITY;
    for (const double sample : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        const double hz =
            surface_hz(middle_s, a.range_m(sample * (static_cast<double>(a.samples) - a.chirp_samples())));
        lowest_hz = std::min(lowest_hz, hz), highest_hz = std::max(highest_hz, hz);
    }
    return highest_hz - lowest_hz;
}

/// Of images of the whole echo, as far as its swath fits, in strips over which the centroid hardly varies, each with
/// the whole PRF about its own, of pixels that see so much of it; none where the echo is too long or has no fully
/// covered rows.
std::vector<DopplerCell> image_cells(EchoSource& echo, const DopplerSurface& centroid_hz,
                                     std::optional<double> velocity_m_s, double covered_hz, const Imager& imager) {
    constexpr double variation_of_strip_prf = 0.1;
    constexpr std::int64_t most_strips = 4;
    const Acquisition& a = echo.acquisition();
    if (a.lines > part_sizes[0].lines + part_sizes[0].lines / 2) return {};
    const std::int64_t chirp = std::llround(a.chirp_samples()), of_strip = part_sizes[1].columns,
                       columns = std::min(a.samples - chirp, most_strips * of_strip),
                       first = (a.samples - chirp - columns) / 2;
    if (columns < 1) return {};
    const auto even =
        static_cast<std::int64_t>(std::ceil(variation_hz(a, centroid_hz) / (variation_of_strip_prf * a.prf_hz)));
    const std::int64_t strips = std::clamp(even, (columns + of_strip - 1) / of_strip, most_strips);
    const Interval all_lines{0, static_cast<std::int32_t>(a.lines)};
    std::vector<DopplerCell> cells;
    for (std::int64_t i = 0; i < strips; ++i) try {
            Echo part = read_part(echo, all_lines,
                                  {static_cast<std::int32_t>(first + i * columns / strips),
                                   static_cast<std::int32_t>(first + (i + 1) * columns / strips + chirp)});
            part.acquisition = data_alone(std::move(part.acquisition));
            part.acquisition.azimuth_bandwidth_hz = covered_hz;
            FocusOptions options;
            options.algorithm = "rda";
            options.force = true;       // what it loses is nothing to a mean of frequencies
            options.keep_beam = false;  // what is seen is not the beam, and a tile is to hold what its points make
            options.doppler_centroid_hz = in_the_middle_hz(part.acquisition, centroid_hz);
            options.velocity_m_s = velocity_m_s;
            options.azimuth_bandwidth_hz = widest_azimuth_band_hz(
                part.acquisition, *options.doppler_centroid_hz,
                choose_velocity(part.acquisition, *options.doppler_centroid_hz, velocity_m_s).profile);
            for (DopplerCell cell : cells_of_image(imager.image_of(part, options))) {
                cell.stretch += first + i * columns / strips;
                cells.push_back(cell);
            }
        } catch (const InputError&) {
        }
    return cells;
}

std::ptrdiff_t telling_cells(const std::vector<DopplerCell>& cells, double prf_hz) {
    constexpr double well_prf = 0.05;
    return std::count_if(cells.begin(), cells.end(),
                         [&](const DopplerCell& cell) { return cell.error_hz < well_prf * prf_hz; });
}

/// How far two surfaces lie apart over a scene.
double largest_difference_hz(const Acquisition& a, const DopplerSurface& one_hz, const DopplerSurface& other_hz) {
    double largest_hz = 0;
    for (const double line : {0.0, 0.5, 1.0})
        for (const double sample : {0.0, 0.5, 1.0}) {
            const double time_s = a.pulse_time_s(line * static_cast<double>(a.lines)),
                         range_m = a.range_m(sample * (static_cast<double>(a.samples) - a.chirp_samples()));
            largest_hz = std::max(largest_hz, std::abs(one_hz(time_s, range_m) - other_hz(time_s, range_m)));
        }
    return largest_hz;
}

/// With cells of an image instead of the echo's, where there is one; made anew where these say that it cut the beam's
/// band elsewhere.
DopplerEstimate with_image_cells(EchoSource& echo, DopplerEstimate found, std::optional<double> velocity_m_s,
                                 const Imager& imager) {
    constexpr int most_images = 2;
    constexpr double same_prf = 0.05, seen_beam = 1.15;  // below what stands out of noise there is a little more
    constexpr std::size_t fewest_cells = 3;
    constexpr std::ptrdiff_t fewest_telling = 6;
    const Acquisition& a = echo.acquisition();
    if (!velocity_m_s && !has_orbit(a)) return found;
    const double beam_hz =
        a.prf_hz * std::min(1.0, seen_beam * azimuth_band(echo, choice_of_data(a, found).surface_hz, imager.threads));
    for (int image = 0; image < most_images; ++image) {
        const DopplerChoice about = choice_of_data(a, found);
        std::vector<DopplerCell> cells = image_cells(echo, about.surface_hz, velocity_m_s, a.prf_hz, imager);
        if (telling_cells(cells, a.prf_hz) < fewest_telling) {
            std::vector<DopplerCell> of_beam = image_cells(echo, about.surface_hz, velocity_m_s, beam_hz, imager);
            if (telling_cells(of_beam, a.prf_hz) > telling_cells(cells, a.prf_hz)) cells = std::move(of_beam);
        }
        if (cells.size() < fewest_cells) return found;
        found.cells = std::move(cells);
        found.whole_beam = true;
        const DopplerChoice told = choice_of_data(a, found);
        found.baseband_hz = told.centroid_hz - a.prf_hz * std::round(told.centroid_hz / a.prf_hz);
        if (largest_difference_hz(a, about.surface_hz, told.surface_hz) < same_prf * a.prf_hz) break;
    }
    return found;
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
                                    const Imager& imager) {
    const Acquisition& a = echo.acquisition();
    const DopplerSurface centroid_hz = choice_of_data(a, found).surface_hz;
    return look_at(echo, prior_of(echo, centroid_hz, spread_prf(found, a.prf_hz), velocity_m_s, imager), imager);
}

DopplerEstimate settle_doppler(EchoSource& echo, DopplerEstimate found, std::optional<double> velocity_m_s,
                               const Imager& imager) {
    const Acquisition& a = echo.acquisition();
    if (!found.baseband_hz || predicted_doppler(a)) return found;
    if (!velocity_m_s && !has_orbit(a)) velocity_m_s = a.effective_velocity_m_s;
    const auto told = told_by_data(a, found);
    const bool certain = a.doppler_centroid_hz || (told && told->confidence >= certain_confidence);
    if (!certain)
        if (const auto looks = look_at(echo, found, velocity_m_s, imager)) add_walk(a, *looks, found);
    return with_image_cells(echo, std::move(found), velocity_m_s, imager);
}

DopplerEstimate settled_doppler(EchoSource& echo, std::optional<double> velocity_m_s, const Imager& imager) {
    DopplerEstimate found = estimate_doppler(sample_lines(echo), imager.threads);
    if (echo.acquisition().burst) return found;  // how its beam is steered is known; images in parts would not hold it
    return settle_doppler(echo, std::move(found), velocity_m_s, imager);
}

VelocityEstimate velocity_of(const LookEstimate& looks, bool along_orbit) {
    constexpr double shared = 3e-4;
    return {.velocity_m_s = looks.velocity_m_s,
            .error_m_s = std::hypot(looks.velocity_error_m_s, shared * looks.velocity_m_s),
            .range_m = looks.range_m,
            .orbit_velocity_m_s = along_orbit ? std::optional(looks.prior_velocity_m_s) : std::nullopt};
}

VelocityEstimate estimate_velocity(EchoSource& echo, const DopplerSurface& centroid_hz, const Imager& imager) {
    const auto looks = look_at(echo, prior_of(echo, centroid_hz, 0.5, {}, imager), imager);
    if (!looks)
        throw InputError(
            "--velocity data: the two looks of the echo share too little for it (no contrast, or apertures longer than "
            "what is recorded); give --velocity M/S or auto");
    return velocity_of(*looks, has_orbit(echo.acquisition()));
}

DataParameters find_parameters(EchoSource& echo, const Imager& imager) {
    const Acquisition& a = echo.acquisition();
    DataParameters p;
    p.estimate = estimate_doppler(sample_lines(echo), imager.threads);
    if (p.estimate.baseband_hz) {
        const DopplerSurface about_hz = choice_of_data(a, p.estimate).surface_hz;
        p.looks = look_at(echo, prior_of(echo, about_hz, spread_prf(p.estimate, a.prf_hz), {}, imager), imager);
        std::optional<double> velocity_m_s = a.effective_velocity_m_s;
        if (p.looks) {
            add_walk(a, *p.looks, p.estimate);
            p.velocity = velocity_of(*p.looks, has_orbit(a));
            velocity_m_s = p.looks->velocity_m_s;
        }
        if (has_orbit(a)) velocity_m_s.reset();
        p.estimate = with_image_cells(echo, std::move(p.estimate), velocity_m_s, imager);
    }
    p.doppler = choice_of_data(a, p.estimate);
    p.error_hz = p.doppler.error_hz.value_or(INFINITY);
    if (const auto told = told_by_data(a, p.estimate)) p.confidence = told->confidence;
    p.geometry_hz = predicted_doppler(a);
    if (p.geometry_hz && p.doppler.error_hz)
        p.geometry_confidence =
            confidence_of_geometry(in_the_middle_hz(a, *p.geometry_hz), p.doppler.centroid_hz, a.prf_hz);
    p.file_hz = a.doppler_centroid_hz;
    p.file_velocity_m_s = a.effective_velocity_m_s;
    p.warnings = p.doppler.warnings;
    compare(p, a);
    return p;
}

}  // namespace cornerturn

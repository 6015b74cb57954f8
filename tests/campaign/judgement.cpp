// SPDX-License-Identifier: Apache-2.0
#include "tests/campaign/judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <complex>
#include <numbers>

#include "kernels/errors.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/formers/prediction.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/measure/point_chip.h"
#include "pipeline/measure/point_theory.h"
#include "pipeline/proof/scene_geometry.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/data_estimates.h"
#include "pipeline/run/even_lines.h"
#include "pipeline/run/focus.h"
#include "pipeline/verify/reference_chip.h"
#include "tests/campaign/expected.h"
#include "tests/support/on_cpu.h"

namespace cornerturn::campaign {
namespace {

/// Of 2000 draws with nine targets and five figures each none is off by more, if errors are normal.
constexpr double deviations = 5;

/// Thrown before work that would take minutes.
struct TooLong {};

/// Of the beam that is processed: where it fills the PRF, some of it is left out and told of.
constexpr double least_part_of_beam = 0.9;

FocusOptions options_for(const Drawn& drawn, const std::string& algorithm) {
    FocusOptions options;
    options.algorithm = algorithm;
    options.height_m = drawn.scene.height_m;
    options.terrain = terrain_of(drawn);
    if (drawn.centroid == Centroid::data) options.doppler_from = ParameterSource::data;
    return options;
}

/// The echo as a file would tell of it.
Acquisition as_known(Acquisition acquisition, const Drawn& drawn, double centroid_hz) {
    if (drawn.centroid == Centroid::file) return acquisition;
    acquisition.doppler_of_pixels_hz.reset();
    acquisition.doppler_centroid_hz.reset();
    if (drawn.centroid == Centroid::one_number) acquisition.doppler_centroid_hz = centroid_hz;
    return acquisition;
}

/// Whether attitude tells the centroids that are simulated. Straight flight has one for all ranges, but none does the
/// plane across an antenna's long axis: its attitude tells that of mid swath, and others beside it. Where it differs by
/// more than moves points that fill the PRF by 0.002 px, it would be a record that contradicts itself.
bool attitude_agrees(const Scene& scene, const SceneGeometry& geometry) {
    constexpr double part_of_prf = 0.004;
    if (scene.on_orbit()) return true;
    const Vec3 axis = rotate(geometry.attitude().quaternions.front(), {0, 1, 0});
    return std::all_of(scene.targets->begin(), scene.targets->end(), [&](const SceneTarget& target) {
        const Vec3 place_m = geometry.locate(target).place_m;
        const IlluminatedLines seen = geometry.footprint(place_m).lines;
        const double line = 0.5 * (seen.first + seen.last);
        const StateVector antenna = geometry.radar().track()(geometry.radar().pulse_time_s(line));
        const Vec3 look = place_m - antenna.position_m;
        const double told_hz =
            2 / scene.wavelength_m() * dot(unit(look - dot(look, axis) * axis), antenna.velocity_m_s);
        return std::abs(told_hz - scene.doppler_centroid_hz) <= part_of_prf * scene.prf_hz;
    });
}

/// Bandwidth over sampling rate along both axes.
struct Bands {
    double range = 1, azimuth = 1;
};

Bands bands_of(const Scene& scene) {
    return {std::abs(scene.chirp_slope_hz_s) * scene.chirp_duration_s / scene.sample_rate_hz,
            scene.azimuth_bandwidth_hz / scene.prf_hz};
}

/// The header of an image whose theory is that of what lines illuminate within a band as wide as the algorithm says it
/// takes, about the true centroid, whatever the algorithm took for that.
Image header_for_theory(const Image& image, const Scene& scene, const AnalysisTarget& target) {
    Image header;
    header.acquisition = image.acquisition;
    header.grid = image.grid;
    header.processing = image.processing;
    header.processing.doppler_surface_hz.reset();
    header.processing.doppler_centroid_hz =
        0.5 * (target.illuminated_band_hz->low_hz + target.illuminated_band_hz->high_hz);
    header.processing.range_bandwidth_hz = std::abs(scene.chirp_slope_hz_s) * scene.chirp_duration_s;
    header.valid_columns.clear();
    return header;
}

/// Over hills the zero-Doppler grid follows a smooth surface: what is predicted of that is told, and refused beyond
/// error_limits_over_terrain. An image is right that is off by no more than was told.
Limits limits_of(const Drawn& drawn, const FocusSetup& setup) {
    if (drawn.hill_m == 0 || !setup.predicted) return promised;
    return {.position_px = std::max(promised.position_px, setup.predicted->position_px),
            .phase_deg = std::max(promised.phase_deg, setup.predicted->phase_deg),
            .width_percent = std::max(promised.width_percent, setup.predicted->width_percent)};
}

double worse(double a, double b) { return std::isnan(b) ? INFINITY : std::max(a, std::abs(b)); }

}  // namespace

std::string_view name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::right: return "right";
        case Verdict::refused: return "refused";
        case Verdict::wrong: return "wrong";
        default: return "unjudged";
    }
}

Trial::Trial(const Drawn& drawn) : drawn_(drawn), scene_(scene_of(drawn)), echo_(simulate(scene_, {}, 1)) {
    const SceneGeometry geometry(scene_);
    scale_ = amplitude_scale(scene_);
    for (const SceneTarget& target : *scene_.targets) {
        const Footprint seen = geometry.footprint(geometry.locate(target).place_m);
        const double end = seen.last_edge + scene_.chirp_duration_s * scene_.sample_rate_hz;
        whole_.push_back(seen.lines.first >= 0 && seen.lines.last <= static_cast<double>(scene_.lines - 1) &&
                         seen.first_edge >= 0 && end <= static_cast<double>(scene_.samples));
        aperture_.push_back(seen.lines.last - seen.lines.first);
        // Where transmissions hide a part of the echo, it is not seen whole.
        const EchoDecoding& decoding = echo_.acquisition.decoding;
        if (decoding.valid_samples.empty()) continue;
        const auto lines_per = decoding.intervals_per_line;
        bool hidden = false;
        for (std::int64_t line = 0; line < echo_.acquisition.lines; ++line) {
            const double even = geometry.radar().line_at(echo_.acquisition.pulse_time_s(static_cast<double>(line)));
            if (even < seen.lines.first || even > seen.lines.last) continue;
            const double first = geometry.edge(even, geometry.locate(target).place_m) - 1,
                         last = first + scene_.chirp_duration_s * scene_.sample_rate_hz + 2;
            bool open = false;
            for (int k = 0; k < lines_per; ++k) {
                const Interval& interval = decoding.valid_samples[static_cast<std::size_t>(line * lines_per + k)];
                open = open || (interval.first <= first && interval.last >= last);
            }
            hidden = hidden || !open;
        }
        if (hidden) whole_.back() = false;
    }
    // No record contradicts itself; attitude is asked where data tell the centroid, too.
    const bool asks_attitude = drawn_.centroid == Centroid::attitude || drawn_.centroid == Centroid::data;
    if (asks_attitude && !attitude_agrees(scene_, geometry)) drawn_.centroid = Centroid::file;
    echo_.acquisition = as_known(std::move(echo_.acquisition), drawn_, geometry.doppler_centroid_hz());
}

Judgement Trial::judge(const std::string& algorithm, Device& device, double most_operations) const {
    Judgement result;
    try {
        result = formed(algorithm, device, most_operations);
    } catch (const TooLong&) {
        result.reason = "too long for this device";
    } catch (const InputError& refusal) {
        result.verdict = Verdict::refused;
        result.reason = refusal.what();
        if (result.reason.find('\n') != std::string::npos) {
            result.verdict = Verdict::wrong;
            result.reason = "refused in more than one line: " + result.reason;
        }
    } catch (const std::exception& error) {
        result.verdict = Verdict::wrong;
        result.reason = fmt::format("internal error: {}", error.what());
    }
    result.algorithm = algorithm;
    result.device = device.info().name;
    return result;
}

Judgement Trial::formed(const std::string& algorithm, Device& device, double most_operations) const {
    Judgement result;
    FocusOptions options = options_for(drawn_, algorithm);
    const auto began = std::chrono::steady_clock::now();
    EchoInMemory recorded(echo_);
    const auto uniform = on_even_lines(recorded, options, on_cpu(1));
    EchoSource& even = uniform ? *uniform : recorded;
    options = with_estimates(even, std::move(options), on_cpu(1));
    const auto finer = on_finer_samples(even, options, 1);
    EchoSource* frame = finer ? finer.get() : &even;
    ImageInMemory image;
    const double aperture = aperture_.empty() ? 1 : *std::max_element(aperture_.begin(), aperture_.end());
    const auto planned = [&](std::span<const FocusSetup> setups) {
        const ImageGrid& grid = setups.front().image.grid;
        const double operations = static_cast<double>(grid.rows * grid.columns) * aperture;
        if (setups.front().algorithm == "backprojection" && device.info().shares_host_memory &&
            operations > most_operations)
            throw TooLong();
    };
    const auto reports = focus_frames(device, std::span(&frame, 1), options, image, {}, {}, planned);
    const Limits limits = limits_of(drawn_, reports.front().setup);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    result.chosen = reports.front().setup.algorithm;
    if (const auto& predicted = reports.front().setup.predicted) result.predicted = text_of(*predicted);
    for (const std::string& warning : reports.front().setup.warnings)
        result.warned += (result.warned.empty() ? "" : "; ") + warning;
    score(image.image, limits, device, result);
    return result;
}

/// What noise, and what else a scene has beside a target's echo, may add to the limits.
Trial::Allowance Trial::allowance(std::size_t target, const Image& image, const ResponseSupport& support) const {
    const Place& place = drawn_.places[target];
    const Bands bands = bands_of(scene_);
    const double chirp_samples = scene_.chirp_duration_s * scene_.sample_rate_hz, lines = aperture_[target];
    // Noise and rounding over the energy of the target's echo (Cramer-Rao for delay, phase and width of a flat band).
    double noise = scene_.noise_db ? std::pow(10.0, *scene_.noise_db / 10) : 0;
    if (scene_.sample_type != SampleFormat::complex64) noise += 1.0 / (6 * scale_ * scale_);
    noise /= place.amplitude * place.amplitude * lines * chirp_samples;
    // All of the band that is processed lets it in, and beside a beam that wanders along rows that is more.
    noise *= std::max(1.0, image.processing.azimuth_bandwidth_hz / scene_.azimuth_bandwidth_hz);
    // Clutter: all that lies in one resolution cell.
    if (drawn_.scatterers > 0)
        noise +=
            static_cast<double>(drawn_.scatterers) * std::pow(10.0, drawn_.clutter_db / 10) /
            (place.amplitude * place.amplitude) /
            (static_cast<double>(scene_.lines) * static_cast<double>(scene_.samples) * bands.range * bands.azimuth);
    // Lines that are lost hold what their neighbours may not tell; dithered ones are interpolated to -25 dB of each.
    if (scene_.lost_lines > 0) noise += scene_.lost_lines / (1 - scene_.lost_lines) / lines;
    if (scene_.dither > 0) noise += std::pow(10.0, -2.5) / lines;
    // The processing in single precision: -100 dB.
    noise += 1e-10;
    double part = deviations * std::sqrt(0.5 * noise);
    // Scatterers are few enough that a single one may lie close by: one in a thousand is 2.6 times as high as their
    // rms.
    if (drawn_.scatterers > 0) part += 2.6 * std::pow(10.0, drawn_.clutter_db / 20) / place.amplitude;
    // Sidelobes of the others, which fall off along both axes.
    const auto pixel = [&](std::size_t i) {
        const PointTarget& truth = image.acquisition.truth[i];
        return pixel_position(image.grid, truth.range_m, truth.zero_doppler_time_s);
    };
    for (std::size_t other = 0; other < drawn_.places.size(); ++other) {
        if (other == target) continue;
        const double away_range = std::abs(pixel(other).column - pixel(target).column) * bands.range,
                     away_azimuth = std::abs(pixel(other).row - pixel(target).row) * bands.azimuth;
        part += drawn_.places[other].amplitude / place.amplitude /
                (std::max(1.0, std::numbers::pi * away_range) * std::max(1.0, std::numbers::pi * away_azimuth));
    }
    // The ripples of a chirp's spectrum and of an aperture's (Fresnel) are no part of the theory of a flat band: where
    // pulses are summed as they are, widths differ by the reciprocal of the time-bandwidth product.
    const double product = std::min(bands.range * chirp_samples, bands.azimuth * lines);
    return {.position_px = part * movable_px(support, image.grid),
            .phase_deg = part / degree,
            .width_percent = 100 * (part + 0.5 / product)};
}

/// "" where the image shows a target as exact back-projection of the same lines does, else what differs. Beams of few
/// lines end softly in frequency: where they fill the PRF, lines, rows and what is read between these alias, whatever
/// forms the image, and clutter, lost lines and other targets add to both alike.
std::string Trial::difference_from_exact(const Image& image, std::size_t target, const Limits& limits,
                                         Device& device) const {
    constexpr double beside_beam = 0.1;  // which pixels beside the target may see it at
    EchoInMemory recorded(echo_);
    const ChipComparison exact = compare_with_backprojection(
        device, recorded, ImageView(image), image.acquisition.truth[target], beside_beam * scene_.azimuth_bandwidth_hz);
    if (!exact.refused.empty()) return exact.refused;
    if (exact.distance_px <= limits.position_px && std::abs(exact.phase_deg) <= limits.phase_deg &&
        std::abs(exact.width_percent) <= limits.width_percent)
        return {};
    return fmt::format("{:.4f} px, {:+.2f} deg, {:+.2f} % of width off exact back-projection", exact.distance_px,
                       exact.phase_deg, exact.width_percent);
}

/// On the rows of an image.
Span Trial::widths(std::size_t target, const Image& image) const {
    const SceneGeometry geometry(scene_);
    const LocatedTarget located = geometry.locate((*scene_.targets)[target]);
    const Footprint seen = geometry.footprint(located.place_m);
    return image.acquisition.orbit == echo_.acquisition.orbit
               ? widths_as_flown(geometry, scene_, located, seen)
               : widths_on_rows(geometry, *image.acquisition.orbit, located, seen);
}

void Trial::score(const Image& image, const Limits& limits, Device& device, Judgement& result) const {
    const std::vector<AnalysisTarget> targets = known_targets(image);
    std::string fault, unmeasured;
    const auto blame = [&](std::size_t target, const std::string& what) {
        if (fault.empty()) fault = fmt::format("target {}: {}", target, what);
    };
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (!whole_[i]) continue;
        const PixelPosition place = pixel_position(image.grid, targets[i].range_m, targets[i].time_s);
        if (!(place.row >= 0 && place.column >= 0 && place.row <= static_cast<double>(image.grid.rows - 1) &&
              place.column <= static_cast<double>(image.grid.columns - 1))) {
            blame(i, fmt::format("is seen whole, but the image ({} x {}) does not show row {:.1f}, column {:.1f}",
                                 image.grid.rows, image.grid.columns, place.row, place.column));
            continue;
        }
        const Image header = header_for_theory(image, scene_, targets[i]);
        const ImageView all(image);
        const PointAnalysis point =
            analyze_point(ImageView(header, [&](const PixelBlock& block) { return all.read(block); }), targets[i]);
        if (!point.refused.empty()) {
            // Zeros where a target should be are a fault, too little room about it is none.
            if (point.refused.find("zero or not finite") != std::string::npos) blame(i, point.refused);
            unmeasured = point.refused;
            continue;
        }
        ++result.judged;
        if (image.processing.azimuth_bandwidth_hz < least_part_of_beam * scene_.azimuth_bandwidth_hz)
            blame(i, fmt::format("{:.4g} Hz of a beam of {:.4g} Hz are processed",
                                 image.processing.azimuth_bandwidth_hz, scene_.azimuth_bandwidth_hz));
        const Allowance more = allowance(i, image, target_support(header, targets[i]));
        const double position =
            std::max(worse(0, *point.range.position_error_px), worse(0, *point.azimuth.position_error_px));
        const double phase = worse(0, point.phase_error_deg.value_or(NAN));
        const Span expected = widths(i, image);
        const double range_width = 100 * (point.range.measured.irw_px / point.range.theory.irw_px - 1),
                     azimuth_part = point.azimuth.measured.irw_px / point.azimuth.theory.irw_px,
                     azimuth_width = 100 * (azimuth_part / std::clamp(azimuth_part, expected.low, expected.high) - 1);
        const double width = std::max(worse(0, range_width), worse(0, azimuth_width));
        if (position > limits.position_px + more.position_px || phase > limits.phase_deg + more.phase_deg ||
            width > limits.width_percent + more.width_percent) {
            const std::string difference = difference_from_exact(image, i, limits, device);
            if (difference.empty()) continue;
            blame(i, fmt::format("range {:+.4f} px, azimuth {:+.4f} px (limit {:.4f}), phase {:+.2f} deg ({:.2f}), "
                                 "widths {:+.2f} %, {:+.2f} % ({:.2f}); {}",
                                 *point.range.position_error_px, *point.azimuth.position_error_px,
                                 limits.position_px + more.position_px, point.phase_error_deg.value_or(NAN),
                                 limits.phase_deg + more.phase_deg, range_width, azimuth_width,
                                 limits.width_percent + more.width_percent, difference));
        }
        result.position_px = std::max(result.position_px, position);
        result.phase_deg = std::max(result.phase_deg, phase);
        result.width_percent = std::max(result.width_percent, width);
    }
    result.verdict = !fault.empty() ? Verdict::wrong : result.judged > 0 ? Verdict::right : Verdict::unjudged;
    if (unmeasured.empty())
        unmeasured = drawn_.scene.transmit_gaps ? "beams cross the edges, or transmissions hide a part of their pulses"
                                                : "beams cross the edges of what was recorded";
    result.reason = !fault.empty() ? fault : result.judged > 0 ? "" : "no target measured: " + unmeasured;
}

}  // namespace cornerturn::campaign

// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/image_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <ranges>

#include "app/number.h"
#include "app/verb.h"
#include "app/verbs/processing_time.h"
#include "app/version.h"
#include "data/terrain/terrain_file.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

/// auto, data or orbit, which mean the same in all options; nothing where it is a value.
std::optional<ParameterSource> source_named(const std::optional<std::string>& text) {
    if (!text || text == "auto") return ParameterSource::automatic;
    if (text == "data") return ParameterSource::data;
    if (text == "orbit") return ParameterSource::orbit;
    return std::nullopt;
}

/// C0[,C1[,C2[,C3]]][@RANGE_M].
void take_doppler(const std::string& text, FocusOptions& options) {
    constexpr std::size_t most = SmoothSurface::y_powers;
    const std::string option = "--doppler-centroid";
    const std::size_t at = text.find('@');
    const std::vector<double> numbers = parse_numbers(option, text.substr(0, at));
    if (numbers.empty() || numbers.size() > most)
        throw InputError(fmt::format(
            "{} {}: expected 1 to {} numbers: C0,C1,C2@RANGE_M in Hz, Hz/km, Hz/km^2 and m, or auto, data or orbit",
            option, text, most));
    options.doppler_centroid_hz = numbers.front();
    if (numbers.size() == 1 && at == std::string::npos) return;
    options.doppler_slopes = {.hz_per_km = {numbers.begin() + 1, numbers.end()}, .about_range_m = {}};
    if (at == std::string::npos) return;
    const double range_m = parse_number(option, text.substr(at + 1));
    if (!(range_m > 0))
        throw InputError(fmt::format("{} {}: {} m is no slant range; give one above 0", option, text, range_m));
    options.doppler_slopes->about_range_m = range_m;
}

/// Delays of instruments that are known by name. NISAR's are the commonDelay of JPL's products from September 2026 on,
/// with the sign reversed (FastSAR 0.1.8, NISAR_RANGE_DELAY; those of August 2026 carry 53.24 m for frequency A).
struct NamedDelay {
    const char* name;
    double delay_m;
};
constexpr std::array named_delays{NamedDelay{"nisar-a", 57.125}, NamedDelay{"nisar-b", 19.65}};

double parse_range_delay(const std::string& text) {
    constexpr double largest_m = 10e3;
    for (const NamedDelay& known : named_delays)
        if (text == known.name) return known.delay_m;
    if (!text.empty() && std::isalpha(static_cast<unsigned char>(text.front())))
        throw InputError(fmt::format("--range-delay {}: neither a number of metres nor a name that is known; choose {}",
                                     text, fmt::join(named_delays | std::views::transform(&NamedDelay::name), ", ")));
    const double delay_m = parse_number("--range-delay", text);
    if (!(std::abs(delay_m) <= largest_m))
        throw InputError(fmt::format("--range-delay {}: is no instrument's delay; give -{:.0f} to {:.0f} m", text,
                                     largest_m, largest_m));
    return delay_m;
}

/// "rda follows any track and squint; csa ...; "
std::string what_formers_hold_for() {
    std::string text;
    for (const Former& former : all_formers()) text += fmt::format("{} {}; ", former.name, former.holds_for);
    return text;
}

std::shared_ptr<TerrainSource> terrain_of(const ImageOptions& o, std::vector<std::string>& remarks) {
    const auto meant = o.heights ? std::optional(height_datum_named(*o.heights)) : std::nullopt;
    if (!o.dem && meant)
        throw InputError(
            fmt::format("--heights {}: is of an elevation model; give --dem FILE, or leave it out", *o.heights));
    if (!o.dem) return {};
    if (o.height)
        throw InputError(
            fmt::format("--height {}: --dem {} already tells the heights; leave one of them out", *o.height, *o.dem));
    return open_terrain(*o.dem, meant, remarks);
}

/// An origin without a track is that of the reference.
TrackOptions track_options_of(const ImageOptions& o) {
    TrackOptions options = o.track;
    if (!options.file && o.reference_track) options.origin.reset();
    return options;
}

/// Options that change nothing in an image by this algorithm are no options of it.
void check_followed(const ImageOptions& o) {
    const ImageOptions unsaid;
    const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
        return std::find(names.begin(), names.end(), o.algorithm) != names.end();
    };
    if (o.taps != unsaid.taps && is_one_of({"csa", "backprojection", "ffbp"}))
        throw InputError(
            fmt::format("--rcmc-taps {}: {} interpolates no migration; leave it out", o.taps, o.algorithm));
    if (o.error_db != unsaid.error_db && !is_one_of({"ffbp", automatic_algorithm}))
        throw InputError(fmt::format("--error-db {}: is of ffbp, not of {}; leave it out", o.error_db, o.algorithm));
}

}  // namespace

GivenTracks::GivenTracks(const ImageOptions& o)
    : track(GivenTrack::read(track_options_of(o), o.reference_track.has_value())),
      reference(GivenTrack::read(
          {.file = o.reference_track, .origin = o.reference_track ? o.track.origin : std::nullopt}, true)) {}

std::unique_ptr<EchoSource> GivenTracks::apply(std::unique_ptr<EchoSource> echo, FocusOptions& options,
                                               std::vector<std::string>& warnings) const {
    echo = on_track(std::move(echo), track.get(), options.height_m, warnings);
    if (reference && !options.reference_track)
        options.reference_track = reference->reference_for(echo->acquisition(), warnings);
    return echo;
}

void GivenTracks::tell(nlohmann::json& report) const {
    if (track) report["track"] = track->json();
    if (reference) report["reference_track"] = reference->track().name;
}

ToldDelay told_delay(const ImageOptions& o) {
    if (o.troposphere == "auto") return ToldDelay::automatic;
    return o.troposphere == "remove" ? ToldDelay::remove : ToldDelay::keep;
}

void take_scene(const ImageOptions& said, const Acquisition& acquisition, FocusOptions& options) {
    if (!options.map && acquisition.phase_history)
        options.map = MapRequest{.projection = MapProjection::plane_of_scene(), .spacing_m = 0, .grid = {}};
    if (!acquisition.scene || said.height || said.dem) return;
    const auto projection =
        options.map ? (options.map->grid ? options.map->grid->projection : options.map->projection) : std::nullopt;
    if (!projection || !projection->is_plane()) options.height_m = acquisition.scene->height_m;
}

FocusOptions focus_options(const ImageOptions& o, std::vector<std::string>& remarks) {
    FocusOptions options;
    options.algorithm = o.algorithm == automatic_algorithm ? o.algorithm : std::string(former_named(o.algorithm).name);
    options.force = o.force;
    if (o.force && o.algorithm == automatic_algorithm)
        throw InputError("--force: auto takes only what holds; name the --algorithm that is to be forced");
    if (const auto source = source_named(o.doppler_centroid))
        options.doppler_from = *source;
    else
        take_doppler(*o.doppler_centroid, options);
    if (const auto source = source_named(o.velocity))
        options.velocity_from = *source;
    else
        options.velocity_m_s = parse_number("--velocity", *o.velocity);
    if (o.height) options.height_m = parse_height("--height", *o.height);
    options.terrain = terrain_of(o, remarks);
    if (o.range_delay) options.range_delay_m = parse_range_delay(*o.range_delay);
    constexpr std::array known{"auto", "none", "standard", "keep", "remove"};
    if (std::find(known.begin(), known.end(), o.troposphere) == known.end())
        throw InputError(fmt::format("--troposphere {}: unknown; choose {}", o.troposphere, fmt::join(known, ", ")));
    options.troposphere = o.troposphere == "standard";
    options.range_window = Window::parse(o.range_window);
    options.azimuth_window = Window::parse(o.azimuth_window);
    options.interpolation_taps = o.taps;
    options.error_db = o.error_db;
    options.extent = image_extent(o.extent);
    options.autofocus = autofocus_named(o.autofocus);
    options.lowering.chain = chain_named(o.chain);
    options.lowering.precision = precision_named(o.precision);
    options.lowering.corner_turn = corner_turn_variant(o.corner_turn);
    if (options.lowering.chain == Chain::turn_free && options.lowering.corner_turn != CornerTurnVariant::production)
        throw InputError(fmt::format("--corner-turn {}: --chain turn-free has no corner turn; choose plain or fused",
                                     o.corner_turn));
    options.memory.block_rows = o.block_rows;
    if (o.max_memory) options.memory.most_bytes = parse_bytes("--max-memory", *o.max_memory);
    options.software = "cornerturn " + std::string(version);
    options.processed_at = processing_time();
    if (o.azimuth_bandwidth) options.azimuth_bandwidth_hz = parse_number("--azimuth-bandwidth", *o.azimuth_bandwidth);
    if (options.velocity_m_s && !(*options.velocity_m_s > 0))
        throw InputError(fmt::format("--velocity {}: must be positive, in m/s", *o.velocity));
    if (!(o.error_db >= -90 && o.error_db <= -30))
        throw InputError(fmt::format("--error-db {}: factorised back-projection holds -90 to -30 dB", o.error_db));
    if (o.taps != 8 && o.taps != 12 && o.taps != 16)
        throw InputError(fmt::format("--rcmc-taps {}: choose 8, 12 or 16", o.taps));
    check_followed(o);
    placement_of(track_options_of(o));
    return options;
}

namespace {

/// Which algorithm, and what it is told of Doppler, velocity and ground.
void add_algorithm_options(const Verb& verb, ImageOptions& o) {
    verb.option("--algorithm", o.algorithm,
                fmt::format("{}. Where each holds: {}auto takes the cheapest that holds (--dry-run shows the cost of "
                            "each). A named algorithm that does not hold is refused",
                            former_names(), what_formers_hold_for()))
        .shows_default();
    verb.flag("--force", o.force,
              "Use --algorithm NAME even where it does not hold for the scene; the image file records that")
        .rare();
    verb.option(
            "--doppler-centroid", o.doppler_centroid,
            "Absolute, in Hz, or its source; data: from the echo, with its shape from attitude; orbit: from orbit "
            "and attitude; auto: file, data, orbit. Where none of these has it, auto takes 0 with a warning. Numbers "
            "are at the carrier of the first frame; other frames are scaled in proportion. C0,C1,C2@RANGE_M varies "
            "over the slant range R of the echo: C0 + C1 x + C2 x^2 (up to C3) with x = (R - RANGE_M) / 1000 m, in "
            "Hz, Hz/km, Hz/km^2; without @RANGE_M about the middle of the swath. One number is that of a burst's "
            "middle, about which its beam is steered. Default: auto")
        .type("HZ|C0,C1,..[@M]|auto|data|orbit");
    verb.option("--velocity", o.velocity,
                "Effective velocity in m/s; data: from the azimuth FM rate of the echo; orbit: from "
                "the orbit; auto: orbit, else the file's number. The estimate from data needs a scene with "
                "contrast, assumes straight flight and warns where the orbit contradicts it. Default: auto")
        .type("M/S|auto|data|orbit");
    verb.option("--height", o.height,
                "Height of the scene in m: above the WGS84 ellipsoid where there is an orbit, on the plane of a "
                "spotlight above that plane. Under squint it moves the image. Default: the file's, else 0")
        .type("METRES");
}

/// Where the ground and the antenna are, and what delays the echo.
void add_place_options(const Verb& verb, ImageOptions& o) {
    verb.option("--dem", o.dem,
                "Elevation model of the scene (instead of --height): GeoTIFF or HDF5. Heights are in m. "
                "The GeoTIFF is in EPSG:4326 or EPSG:4979, or on a map in m; the HDF5 file has the datasets height "
                "(latitude x "
                "longitude), latitude and longitude, above the WGS84 ellipsoid. The zero-Doppler image follows a "
                "smooth surface through the heights")
        .type("FILE");
    verb.option("--heights", o.heights,
                "Reference surface of the heights in --dem: ellipsoid (WGS84), egm96 or egm2008 (geoids, by PROJ's "
                "grids). Default: as the file says; a file that does not say is refused")
        .type("ellipsoid|egm96|egm2008")
        .rare();
    add_track_options(verb, o.track);
    verb.option("--reference-track", o.reference_track,
                "Rows of the image are zero Doppler of the track in this file, not of a fitted one. It is for "
                "comparing two flights. FILE is a navigation file as for --track, or the image of the other flight, "
                "whose state vectors are taken. The track must be even and cover the pulses; of a track at another "
                "time the part abreast of the flight is taken")
        .type("FILE")
        .rare();
    verb.option("--range-delay", o.range_delay,
                "Instrument delay, in m of slant range: targets appear too far by it, and are moved nearer by it, in "
                "place and phase. (isce3's commonDelay, which is added to ranges, is its negative.) nisar-a is 57.125, "
                "nisar-b 19.65: those of frequencies A and B in JPL's products since September 2026. Default: 0")
        .type("METRES|nisar-a|nisar-b")
        .rare();
    verb.option("--troposphere", o.troposphere,
                "Correction of the troposphere's delay. none: no correction; standard: subtracts the delay of dry air, "
                "2.3 m exp(-height / 6 km) / cos(incidence), as isce3's model tsx does; remove: removes from the "
                "samples the delay that the file gives (CPHD's TDTropoSRP); keep: leaves that delay; auto: decides by "
                "bright points, keeps it where these do not decide, and prints the decision")
        .type("auto|none|standard|remove|keep")
        .shows_default()
        .rare();
}

/// What the image is like: band, windows, how exact, in focus.
void add_quality_options(const Verb& verb, ImageOptions& o) {
    verb.option("--range-window", o.range_window, "none, kaiser:BETA, hamming or taylor:NBAR:SIDELOBE_DB")
        .shows_default();
    verb.option("--azimuth-window", o.azimuth_window, "As --range-window").shows_default();
    verb.option("--azimuth-bandwidth", o.azimuth_bandwidth,
                "Processed Doppler bandwidth in Hz. Default: that of the beam where the file gives it (without a "
                "window, its soft edges are included), else the PRF; at most what lies within a squint of 30 degrees")
        .type("HZ")
        .rare();
    verb.option("--rcmc-taps", o.taps,
                "Interpolation taps of the migration correction (of the Stolt interpolation in omegak): 8, 12 or 16")
        .type("8|12|16")
        .shows_default()
        .rare();
    verb.option("--error-db", o.error_db,
                "Largest error of ffbp: its energy relative to that of the image, against back-projection with ideal "
                "interpolation, -90 to -30 dB. Where sums in blocks of pulses have a larger error, or cost more, all "
                "pulses are summed one by one, from lines interpolated finely enough for this error")
        .type("DB")
        .shows_default()
        .rare();
    verb.option("--extent", o.extent,
                "full: every point whose beam centre lies in the echo; valid: only what the echo covers fully, with "
                "transforms that are not padded")
        .type("full|valid")
        .shows_default()
        .rare();
    verb.option(
            "--autofocus", o.autofocus,
            "Estimate the phase error of the lines from the image, remove it and focus again: pga (phase gradients "
            "of bright points; of spotlights, too) or entropy (the sharpest image, points or not); none. The phase is "
            "stored in the image file and the report. An image that is in focus stays as it is, and no image is "
            "shifted")
        .type("none|pga|entropy")
        .shows_default()
        .rare();
}

/// How it is computed.
void add_device_options(const Verb& verb, ImageOptions& o) {
    verb.option("--chain", o.chain,
                "How the passes are run, with the same image: plain, fused (GPU) or turn-free; auto: the cheapest one "
                "available")
        .type("auto|plain|fused|turn-free")
        .shows_default()
        .rare();
    verb.option("--precision", o.precision,
                "full, or half-middle: half the memory between the passes (16-bit floats with a scale per line), with "
                "at least 65 dB of signal to error; GPU, turn-free chain")
        .type("full|half-middle")
        .shows_default()
        .rare();
    verb.option(
            "--max-memory", o.max_memory,
            "Largest memory to use, of the host and of each device: 4G, 800M. A longer scene is processed in azimuth "
            "blocks. Under mpirun it is the limit of each rank. Default: what is free, shared by the ranks of a "
            "machine")
        .type("SIZE")
        .rare();
    verb.option("--block-rows", o.block_rows,
                "Rows of the image in an azimuth block (fewer where the track's curvature requires it). The same "
                "blocks give the same image, bit for bit, on any number of ranks; ranks may also share one block of "
                "rda in parts, with the same image but for rounding. Default: as many rows as fit; with several ranks "
                "as few as keep all ranks busy, or one block where short blocks would overlap too much")
        .type("ROWS")
        .between(std::int64_t{1}, std::int64_t{1} << 40)
        .rare();
    verb.option("--corner-turn", o.corner_turn,
                fmt::format("How matrices are turned, with the same image: {}", corner_turn_variant_names()))
        .type("VARIANT")
        .shows_default()
        .rare();
}

}  // namespace

void add_image_options(const Verb& verb, ImageOptions& o) {
    add_algorithm_options(verb, o);
    add_place_options(verb, o);
    add_quality_options(verb, o);
    add_device_options(verb, o);
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/map_setup.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/errors.h"
#include "pipeline/acquisition/proj_context.h"
#include "pipeline/formers/map_plan.h"
#include "pipeline/plan/view_choice.h"

namespace cornerturn {
namespace {

void check_all_pulses(const Acquisition& acquisition, const FocusOptions& options) {
    const bool in_frame = acquisition.local_track.has_value();
    const auto leave = [&](const char* option, const char* why) {
        throw InputError(fmt::format("{}: {}, as all pulses of a {} are summed; leave it out", option, why,
                                     in_frame ? "track in a frame of the scene's own" : "spotlight"));
    };
    constexpr std::int64_t fewest = 16;
    if (acquisition.lines < fewest)
        throw InputError(
            fmt::format("{} pulses are no aperture that tells directions apart, expected {} at least; take "
                        "more of them (--lines, --time), if there are",
                        acquisition.lines, fewest));
    if (options.azimuth_bandwidth_hz) leave("--azimuth-bandwidth", "there is no band to be chosen");
    if (options.doppler_centroid_hz || options.doppler_from != ParameterSource::automatic)
        leave("--doppler-centroid", "there is no band that it would be the middle of");
    if (options.velocity_m_s || options.velocity_from != ParameterSource::automatic)
        leave("--velocity", "positions alone tell the geometry");
    if (options.extent == ImageExtent::valid) leave("--extent valid", "no pixel lacks a part of its aperture");
    if (!in_frame) {
        if (options.troposphere) leave("--troposphere standard", "the file tells of the air itself (remove)");
        return;
    }
    if (options.azimuth_window.kind != Window::Kind::none) leave("--azimuth-window", "there is no band to be weighed");
    if (options.terrain) leave("--dem", "nothing says where on the Earth the scene lies");
    if (options.troposphere) leave("--troposphere standard", "nothing says how high the track lies");
    const double first_s = acquisition.pulse_time_s(0), last_s = acquisition.last_pulse_time_s();
    if (const double outside_s = std::max(seconds_outside(*acquisition.local_track, first_s),
                                          seconds_outside(*acquisition.local_track, last_s));
        outside_s > 0)
        throw InputError(fmt::format(
            "the antenna's positions: end {:.6g} s before pulses do; the file needs them for every pulse", outside_s));
}

/// Of a plane that nobody told, with that of the scene.
MapRequest on_its_plane(const Acquisition& acquisition, MapRequest request) {
    const auto take = [&](MapProjection& projection) {
        if (projection.is_plane() && !projection.plane) projection = MapProjection::on(acquisition.scene->plane);
    };
    if (request.projection) take(*request.projection);
    if (request.grid) take(request.grid->projection);
    return request;
}

/// A map's definition is looked up when the image is written.
void tell_missing_definition(const MapProjection& projection, std::vector<std::string>& warnings) {
    if (projection.epsg > 0 && !proj_has_maps())
        warnings.push_back(
            fmt::format("PROJ finds no proj.db, its list of maps: the image names its map {}, but has no definition of "
                        "it (package proj-data, or name its folder by PROJ_DATA)",
                        projection.name()));
}

}  // namespace

void check_map(const Acquisition& acquisition, const FocusOptions& options) {
    if (!options.map) {
        if (acquisition.local_track)
            throw InputError(
                "the antenna's positions are in a frame of the scene's own, where there is no zero Doppler; give "
                "--grid local --spacing METRES --algorithm backprojection");
        if (acquisition.phase_history)
            throw InputError(
                "a spotlight's pulses make no rows of zero Doppler; give --grid plane, utm, geographic or epsg:CODE");
        return;
    }
    const bool in_blocks = options.algorithm == "ffbp" && acquisition.phase_history;
    if (options.algorithm != map_algorithm && options.algorithm != automatic_algorithm && !in_blocks)
        throw InputError(fmt::format(
            "{}: --algorithm {} makes images {}on the zero-Doppler grid only; use backprojection{}",
            acquisition.phase_history ? "the image of a spotlight is on a map" : "--grid", options.algorithm,
            options.algorithm == "ffbp" ? "of strips " : "", acquisition.phase_history ? " or ffbp" : ""));
    const auto projection = options.map->grid ? options.map->grid->projection : options.map->projection;
    const bool local = projection && projection->is_local();
    if (projection && projection->is_plane() && !projection->plane && !acquisition.scene)
        throw InputError("--grid plane: the file tells of no plane of a scene; use utm or geographic");
    if (!options.map->grid && options.map->spacing_m == 0 && !local && !acquisition.phase_history)
        throw InputError(fmt::format("--grid {}: how large are its pixels? Give --spacing METRES",
                                     projection ? projection->name() : "utm"));
    if (acquisition.local_track && !local)
        throw InputError(
            fmt::format("--grid {}: the antenna's positions are in a frame of the scene's own, of which nothing says "
                        "where on the Earth it lies; use --grid local",
                        projection ? projection->name() : "utm"));
    if (!acquisition.local_track && local)
        throw InputError(
            "--grid local: the file has no positions in a frame of the scene's own; use utm or geographic with its "
            "orbit");
}

void put_on_map(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    if (setup.velocity_source != "orbit")
        throw InputError(
            fmt::format("--grid: the velocity comes from the {}, so nothing says where on a map the scene lies; {}",
                        setup.velocity_source,
                        acquisition.orbit ? "leave --velocity out" : "the file has no orbit, leave --grid out"));
    const ImagePlan seen = with_history_of_rows(setup.image, acquisition, 0, setup.image.grid.rows);
    setup.image = on_map(acquisition, seen, on_its_plane(acquisition, *options.map),
                         {options.height_m, options.terrain.get()}, setup.warnings);
    tell_missing_definition(setup.image.map->grid.projection, setup.warnings);
}

FocusSetup set_up_all_pulses(const Acquisition& acquisition, const FocusOptions& options) {
    check_all_pulses(acquisition, options);
    const double first_s = acquisition.pulse_time_s(0), last_s = acquisition.last_pulse_time_s();
    const Orbit& track = acquisition.local_track ? *acquisition.local_track : *acquisition.orbit;
    const double speed_m_s = norm(interpolate(track, last_s).position_m - interpolate(track, first_s).position_m) /
                             std::max(last_s - first_s, 1 / acquisition.prf_hz);
    FocusSetup setup;
    setup.height_m = options.height_m;
    setup.doppler.surface_hz = constant_doppler(acquisition, 0);
    setup.doppler.source = "of no matter: all pulses are summed";
    setup.velocity_source = velocity_of_all_pulses;
    FormerParameters parameters = parameters_by(options);
    parameters.velocity = VelocityProfile(speed_m_s);
    parameters.azimuth_bandwidth_hz = acquisition.prf_hz;
    setup.image = plan_of_all_pulses(acquisition, parameters, on_its_plane(acquisition, *options.map),
                                     {options.height_m, options.terrain.get()}, 2 / c_m_s * options.range_delay_m,
                                     setup.warnings);
    tell_missing_definition(setup.image.map->grid.projection, setup.warnings);
    return setup;
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/map_mesh.h"

#include "pipeline/formers/pixel_mesh.h"
#include "pipeline/formers/pulse_weights.h"

namespace cornerturn {
namespace {

class MapPlaces : public PixelPlaces {
public:
    MapPlaces(const Acquisition& echo, const MapView& map) : echo_(echo), map_(map) {}

    MapGround::Point ground(double row, double column) const { return map_.ground->at(map_.grid.at(row, column)); }
    Place place(double row, double column) const override { return ground(row, column).place; }
    /// As if it were off along the line of sight.
    double error_cycles(double, double, const Place& should_be, const Place& is) const override {
        return 2 * distance_m(should_be, is) / c_m_s * echo_.carrier_hz;
    }

protected:
    const Acquisition& echo_;
    const MapView& map_;
};

/// Of a track whose pulses all count.
class FreePlaces final : public MapPlaces {
public:
    FreePlaces(const Acquisition& echo, const ImagePlan& image)
        : MapPlaces(echo, *image.map),
          weight_(image.map->pulses ? pulse_weights(echo, image).sum : static_cast<double>(echo.lines)) {}
    NodeOfColumn nodes(double row) const override {
        return [this, row](double column) {
            const MapGround::Point point = ground(row, column);
            return PixelNode{.place = point.place,
                             .rise = point.up,
                             .centroid_hz = map_.pulses ? middle_doppler_hz(echo_, map_, point.place) : 0.0,
                             .phase_cycles = map_.late_s * echo_.carrier_hz,
                             .gain = 1 / weight_};
        };
    }

private:
    double weight_;  // of all pulses
};

/// Of pixels that a beam passes over, with the centroid that it has there.
class PassedPlaces final : public MapPlaces {
public:
    PassedPlaces(const Acquisition& echo, const ImagePlan& image)
        : MapPlaces(echo, *image.map),
          image_(image),
          track_(image.geometry->track()),
          common_s_(common_delay_s(image)),
          weight_(weight_of_band(echo, image.parameters)) {}

    /// Where the pixel seems to be when its echo comes late, but for what all echoes do: that much farther from where
    /// the beam's centre sees it, which changes nothing of its Doppler frequency there.
    Place place(double row, double column) const override {
        const Place itself = MapPlaces::place(row, column);
        const ClosestPass pass = closest_pass(itself);
        return seeming(itself, pass);
    }

    NodeOfColumn nodes(double row) const override {
        return [this, row](double column) { return node(row, column); };
    }

private:
    PixelNode node(double row, double column) const {
        const MapGround::Point point = ground(row, column);
        const ClosestPass pass = closest_pass(point.place);
        const BeamCentre centre = image_.geometry->beam_centre(pass.time_s, pass.range_m);
        const FormerParameters& parameters = image_.parameters;
        return {.place = seeming(point.place, pass),
                .rise = point.up,
                .centroid_hz = centre.centroid_hz,
                // The rest as in pixel_mesh.
                .phase_cycles =
                    common_s_ * echo_.carrier_hz + 0.5 * parameters.doppler_centroid_hz * echo_.chirp.duration_s,
                .gain = rate_of_pulses_hz_s(echo_, image_.parameters, pass.time_s, centre) / weight_};
    }
    ClosestPass closest_pass(const Place& place) const {
        return track_.closest_pass(place, map_.seen.time_s(0.5 * static_cast<double>(map_.seen.rows)));
    }
    Place seeming(const Place& itself, const ClosestPass& pass) const {
        const double later_m = track_.added_range_m(pass.time_s, pass.range_m) - 0.5 * c_m_s * common_s_;
        if (later_m == 0) return itself;
        const Place antenna = track_.pulse_path(image_.geometry->beam_time_s(pass.time_s, pass.range_m)).start;
        return itself + later_m / distance_m(antenna, itself) * (itself + -1.0 * antenna);
    }

    const ImagePlan& image_;
    const Track& track_;
    double common_s_, weight_;
};

}  // namespace

PixelMesh map_mesh(const Acquisition& echo, const ImagePlan& image) {
    const MapGrid& grid = image.map->grid;
    if (image.map->free_track) return mesh_over(FreePlaces(echo, image), grid.rows, grid.columns);
    return mesh_over(PassedPlaces(echo, image), grid.rows, grid.columns);
}

PlacesAround places_around_map(const Acquisition& echo, const ImagePlan& image, MeshMargin beyond) {
    return places_around(FreePlaces(echo, image), image.map->grid.rows, image.map->grid.columns, beyond);
}

}  // namespace cornerturn

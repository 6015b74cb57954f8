// SPDX-License-Identifier: Apache-2.0
// Where pixels of an image lie on the Earth, and the other way round.
#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "app/python/arrays.h"
#include "app/python/errors.h"
#include "app/python/image.h"
#include "app/python/json_object.h"
#include "app/verbs/geo_report.h"
#include "app/verbs/map_report.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "pipeline/acquisition/track/state_vector_check.h"
#include "pipeline/acquisition/track/track.h"
#include "pipeline/measure/map_targets.h"

namespace cornerturn::python {
namespace {

namespace nb = nanobind;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Of an image on either grid. Arrays are equally long; what cannot be told is not a number.
class PixelPlaces {
public:
    PixelPlaces(std::string name, std::shared_ptr<const Image> header)
        : name_(std::move(name)), header_(std::move(header)) {
        if (header_->map && !header_->map->projection.is_local()) {
            map_ = std::make_shared<MapTransform>(header_->map->projection);
        } else if (!header_->map && header_->grid.has_axes() && header_->acquisition.orbit &&
                   header_->acquisition.orbit->time_s.size() >= 2) {
            orbit_ = &*header_->acquisition.orbit;
        }
    }

    /// (longitude, latitude) in degrees.
    std::tuple<nb::object, nb::object> to_lonlat(const Numbers& rows, const Numbers& columns,
                                                 const Numbers& heights_m) const {
        std::vector<double> longitude(rows.size()), latitude(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Geographic place = place_of(rows.data()[i], columns.data()[i], heights_m.data()[i]);
            longitude[i] = place.longitude_deg;
            latitude[i] = place.latitude_deg;
        }
        return {array_of(std::move(longitude)), array_of(std::move(latitude))};
    }

    /// (row, column), whole or not, inside of the image or not.
    std::tuple<nb::object, nb::object> to_pixel(const Numbers& longitudes_deg, const Numbers& latitudes_deg,
                                                const Numbers& heights_m) const {
        std::vector<double> rows(longitudes_deg.size()), columns(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
            std::tie(rows[i], columns[i]) = pixel_of({.longitude_deg = longitudes_deg.data()[i],
                                                      .latitude_deg = latitudes_deg.data()[i],
                                                      .height_m = heights_m.data()[i]});
        return {array_of(std::move(rows)), array_of(std::move(columns))};
    }

    /// Between the ellipsoid's normal and the direction to the antenna.
    nb::object incidence_deg(const Numbers& rows, const Numbers& columns, const Numbers& heights_m) const {
        std::vector<double> incidence(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto view = seen(rows.data()[i], columns.data()[i], heights_m.data()[i]);
            incidence[i] = view ? view->incidence_deg : std::nan("");
        }
        return array_of(std::move(incidence));
    }

    nb::object ground() const {
        if (!map_) static_cast<void>(orbit());  // which says what is missing
        return object_of(header_->map ? geo_of_map(name_, *header_) : geo_of_image(name_, *header_));
    }
    double height_m() const { return header_->processing.scene_height_m; }

private:
    const Orbit& orbit() const {
        if (orbit_ != nullptr) return *orbit_;
        throw InputError(
            fmt::format("{}: nothing tells where on the Earth it lies ({})", name_,
                        header_->map ? "a local plane, or of a map the antenna's place" : "it holds no orbit"));
    }
    std::optional<GroundView> seen(double row, double column, double height_m) const {
        const double time_s = header_->grid.time_s(row);
        if (!is_followed(orbit(), time_s)) return std::nullopt;
        return ground_view(interpolate(orbit(), time_s), header_->grid.range_m(column),
                           header_->acquisition.identification.look_side, height_m);
    }
    Geographic place_of(double row, double column, double height_m) const {
        if (map_) return map_->at(header_->map->at(row, column));
        const auto view = seen(row, column, height_m);
        return view ? view->place : Geographic{.longitude_deg = std::nan(""), .latitude_deg = std::nan("")};
    }
    std::tuple<double, double> pixel_of(const Geographic& place) const {
        if (!(std::abs(place.latitude_deg) <= 90)) return {std::nan(""), std::nan("")};
        if (map_) {
            const MapPoint point = counted_on(*header_->map, map_->of(place));
            return {header_->map->row_at(point.y), header_->map->column_at(point.x)};
        }
        const ImageGrid& grid = header_->grid;
        const OrbitTrack track(orbit(), header_->acquisition.identification.look_side, place.height_m);
        const Vec3 point_m = point_of(place);
        const ClosestPass pass = track.closest_pass({point_m[0], point_m[1], point_m[2]},
                                                    grid.time_s(0.5 * static_cast<double>(grid.rows - 1)));
        if (!is_followed(orbit(), pass.time_s) || !is_seen(point_m, pass, place.height_m))
            return {std::nan(""), std::nan("")};
        return {(pass.time_s - grid.first_time_s) / grid.time_spacing_s,
                (pass.range_m - grid.near_range_m) / grid.range_spacing_m};
    }

    /// The pixel of a place on the other side of the track, or behind the horizon, shows another one.
    bool is_seen(const Vec3& point_m, const ClosestPass& pass, double height_m) const {
        constexpr double same_place = 1e-4;  // of the range; places elsewhere are far off
        const auto view = ground_view(interpolate(orbit(), pass.time_s), pass.range_m,
                                      header_->acquisition.identification.look_side, height_m);
        return view && norm(point_of(view->place) - point_m) <= same_place * pass.range_m;
    }

    std::string name_;
    std::shared_ptr<const Image> header_;
    std::shared_ptr<const MapTransform> map_;
    const Orbit* orbit_ = nullptr;
};

}  // namespace

nb::object geometry_of(const PythonImage& image) {
    const nb::object places = nb::cast(PixelPlaces(image.name, image.header));
    return nb::module_::import_("cornerturn._geometry").attr("Geometry")(places);
}

void add_geometry(nb::module_& module) {
    nb::class_<PixelPlaces>(module, "PixelPlaces",
                            "Places of pixels, arrays of float64 of one length in and out: what Geometry stands on.")
        .def("to_lonlat", &PixelPlaces::to_lonlat, nb::arg("rows"), nb::arg("columns"), nb::arg("heights_m"))
        .def("to_pixel", &PixelPlaces::to_pixel, nb::arg("longitudes_deg"), nb::arg("latitudes_deg"),
             nb::arg("heights_m"))
        .def("incidence_deg", &PixelPlaces::incidence_deg, nb::arg("rows"), nb::arg("columns"), nb::arg("heights_m"))
        .def(
            "__reduce__",
            [](const PixelPlaces&) -> nb::object {
                refuse_to_leave("a Geometry", "hand over the path of its image, ct.open(path).geometry");
            },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
        .def_prop_ro("ground", &PixelPlaces::ground)
        .def_prop_ro("height_m", &PixelPlaces::height_m);
}

}  // namespace cornerturn::python

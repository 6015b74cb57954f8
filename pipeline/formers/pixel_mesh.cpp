// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/pixel_mesh.h"

#include <algorithm>
#include <cmath>

namespace cornerturn {
namespace {

/// By which the echo of a pixel comes later than geometry says.
double late_s(const Track& track, double time_s, double range_m) {
    return 2 / c_m_s * track.added_range_m(time_s, range_m);
}

/// What is known of a pixel at any place of the grid, whole or not.
class MeshPixels final : public PixelPlaces {
public:
    MeshPixels(const Acquisition& echo, const ImagePlan& image)
        : echo_(echo),
          image_(image),
          track_(image.geometry->track()),
          common_s_(common_delay_s(image)),
          weight_(weight_of_band(echo, image.parameters)) {
        see_beam();
    }

    /// Where the pixel seems to be when its echo comes late, but for what all echoes do.
    Place place(double row, double column) const override {
        const double time_s = image_.grid.time_s(row), range_m = image_.grid.range_m(column);
        const double later_s = late_s(track_, time_s, range_m) - common_s_;
        const Place itself = track_.place(time_s, range_m);
        return later_s == 0 ? itself : place_of_later(itself, time_s, range_m, later_s);
    }

    NodeOfColumn nodes(double row) const override {
        const double time_s = image_.grid.time_s(row);
        return [this, time_s, seen = track_.places(time_s), centroid_hz = centroid_hz_.along_x(time_s),
                rate_hz_s = rate_hz_s_.along_x(time_s)](double column) {
            const double range_m = image_.grid.range_m(column), later_s = late_s(track_, time_s, range_m) - common_s_;
            const auto [itself, rise] = seen(range_m);
            return PixelNode{.place = later_s == 0 ? itself : place_of_later(itself, time_s, range_m, later_s),
                             .rise = rise,
                             .centroid_hz = centroid_hz(range_m),
                             // A chirp's filter at a Doppler frequency takes that off from the leading edge on, and not
                             // from the middle (arrival).
                             .phase_cycles = (common_s_ - 2 * range_m / c_m_s) * echo_.carrier_hz +
                                             0.5 * image_.parameters.doppler_centroid_hz * echo_.chirp.duration_s,
                             .gain = rate_hz_s(range_m) / weight_};
        };
    }

    double error_cycles(double row, double column, const Place& should_be, const Place& is) const override {
        const double range_m = image_.grid.range_m(column), centroid_hz = image_.histories.middle.centroid_hz(range_m);
        double most_m = 0;
        for (const double part : {-0.5, 0.0, 0.5}) {
            const double f_hz = centroid_hz + part * image_.parameters.azimuth_bandwidth_hz;
            const Place antenna =
                track_.pulse_path(image_.grid.time_s(row) + image_.histories.middle.time_s(range_m, f_hz)).start;
            most_m = std::max(most_m, std::abs(distance_m(antenna, is) - distance_m(antenna, should_be)));
        }
        return 2 * most_m / c_m_s * echo_.carrier_hz;
    }

private:
    /// The place that has the delay and the Doppler frequency of such an echo in the beam's centre. Off it a nearer
    /// echo bends more than a late one, by a part of the delay's: 1e-6 cycles for some dm over a squinted aperture.
    Place place_of_later(const Place& itself, double time_s, double range_m, double later_s) const {
        constexpr double close_m = 1e-10, close_hz = 1e-9;
        const PulsePath path = track_.pulse_path(time_s + beam_time_s_(range_m, time_s));
        const double rate_hz_s = rate_hz_s_(range_m, time_s);
        const double wanted_s = sent_delay_s(path, 0, itself) + later_s,
                     wanted_hz = doppler_hz(path, 0, itself, echo_.carrier_hz);
        Place found = itself;
        for (int round = 0; round < 8; ++round) {
            const double farther_m = 0.5 * c_m_s * (wanted_s - sent_delay_s(path, 0, found)),
                         higher_hz = wanted_hz - doppler_hz(path, 0, found, echo_.carrier_hz);
            if (std::abs(farther_m) < close_m && std::abs(higher_hz) < close_hz) break;
            range_m += farther_m;
            time_s += higher_hz / rate_hz_s;
            found = track_.place(time_s, range_m);
        }
        return found;
    }

    /// When the beam's centre comes, centroid and FM rate, which change slowly.
    void see_beam() {
        constexpr int ranges = 10, times = 8;
        const ImageGrid& grid = image_.grid;
        const auto end = [](std::int64_t count) { return static_cast<double>(std::max<std::int64_t>(count, 2) - 1); };
        const double from_m = grid.range_m(0), to_m = grid.range_m(end(grid.columns)), from_s = grid.time_s(0),
                     to_s = grid.time_s(end(grid.rows));
        std::vector<ChebyshevSeries> beam_times, centroids, rates;
        for (const double range_m : chebyshev_points(from_m, to_m, ranges)) {
            std::vector<double> beam_time_s, centroid_hz, rate_hz_s;
            for (const double time_s : chebyshev_points(from_s, to_s, times)) {
                const BeamCentre centre = image_.geometry->beam_centre(time_s, range_m);
                beam_time_s.push_back(centre.time_s);
                centroid_hz.push_back(centre.centroid_hz);
                rate_hz_s.push_back(rate_of_pulses_hz_s(echo_, image_.parameters, time_s, centre));
            }
            beam_times.push_back(ChebyshevSeries::through(from_s, to_s, beam_time_s));
            centroids.push_back(ChebyshevSeries::through(from_s, to_s, centroid_hz));
            rates.push_back(ChebyshevSeries::through(from_s, to_s, rate_hz_s));
        }
        beam_time_s_ = ChebyshevSurface(from_m, to_m, beam_times);
        centroid_hz_ = ChebyshevSurface(from_m, to_m, centroids);
        rate_hz_s_ = ChebyshevSurface(from_m, to_m, rates);
    }

    const Acquisition& echo_;
    const ImagePlan& image_;
    const Track& track_;
    double common_s_, weight_;
    ChebyshevSurface beam_time_s_, centroid_hz_, rate_hz_s_;  // over range and zero-Doppler time
};

}  // namespace

double common_delay_s(const ImagePlan& image) {
    if (image.map && image.map->free_track) return image.map->late_s;
    const ImageGrid& grid = image.map ? image.map->seen : image.grid;
    return late_s(image.geometry->track(), grid.time_s(0.5 * static_cast<double>(grid.rows - 1)),
                  grid.range_m(0.5 * static_cast<double>(grid.columns - 1)));
}

double weight_of_band(const Acquisition& echo, const FormerParameters& parameters) {
    return echo.prf_hz * parameters.azimuth_bandwidth_hz * parameters.azimuth_window.mean();
}

double rate_of_pulses_hz_s(const Acquisition& echo, const FormerParameters& parameters, double zero_doppler_time_s,
                           const BeamCentre& centre) {
    if (!echo.uneven()) return centre.rate_hz_s;
    const double about_s = zero_doppler_time_s + centre.time_s,
                 half_s = 0.25 * parameters.azimuth_bandwidth_hz / centre.rate_hz_s;
    return centre.rate_hz_s * 2 * half_s * echo.prf_hz /
           (echo.line_at(about_s + half_s) - echo.line_at(about_s - half_s));
}

PixelMesh pixel_mesh(const Acquisition& echo, const ImagePlan& image) {
    return mesh_over(MeshPixels(echo, image), image.grid.rows, image.grid.columns);
}

MeshMargin known_margin(const ImagePlan& image, MeshMargin beyond) {
    const Track& track = image.geometry->track();
    if (track.over_terrain()) return {};
    const auto rises = [&](double row, std::int64_t column) {
        const Place rise = track.places(image.grid.time_s(row))(image.grid.range_m(static_cast<double>(column))).rise;
        return rise.x_m != 0 || rise.y_m != 0 || rise.z_m != 0;
    };
    const std::int64_t last = image.grid.columns - 1;
    const auto reaches_ground = [&](double row) {
        return rises(row, -beyond.columns) == rises(row, 0) && rises(row, last + beyond.columns) == rises(row, last);
    };
    const double last_row = static_cast<double>(image.grid.rows - 1 + beyond.rows);
    for (const double row : {-static_cast<double>(beyond.rows), 0.5 * static_cast<double>(image.grid.rows), last_row})
        while (beyond.columns > 0 && !reaches_ground(row)) beyond.columns /= 2;
    return beyond;
}

PlacesAround places_around_pixels(const Acquisition& echo, const ImagePlan& image, MeshMargin beyond) {
    return places_around(MeshPixels(echo, image), image.grid.rows, image.grid.columns, known_margin(image, beyond));
}

}  // namespace cornerturn

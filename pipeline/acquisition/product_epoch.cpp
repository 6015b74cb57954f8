// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/product_epoch.h"

#include <utility>

namespace cornerturn {
namespace {

void add(std::vector<double>& times_s, double later_s) {
    for (double& time_s : times_s) time_s += later_s;
}

}  // namespace

Acquisition counted_from(const std::string& epoch, double later_s, Acquisition acquisition) {
    acquisition.epoch = epoch;
    acquisition.first_pulse_time_s += later_s;
    add(acquisition.pulse_times_s, later_s);
    if (acquisition.interpolated) add(acquisition.interpolated->pulse_times_s, later_s);
    if (acquisition.orbit) add(acquisition.orbit->time_s, later_s);
    if (acquisition.local_track) add(acquisition.local_track->time_s, later_s);
    if (acquisition.attitude) add(acquisition.attitude->time_s, later_s);
    if (acquisition.burst) acquisition.burst->broadside_time_s += later_s;
    if (acquisition.doppler_of_pixels_hz) acquisition.doppler_of_pixels_hz->x_centre += later_s;
    for (PointTarget& target : acquisition.truth) {
        target.zero_doppler_time_s += later_s;
        target.beam_centre_time_s += later_s;
        if (target.illuminated_s)
            target.illuminated_s =
                TimeSpan{target.illuminated_s->first_s + later_s, target.illuminated_s->last_s + later_s};
    }
    return acquisition;
}

void count_from(const std::string& epoch, double later_s, Image& header) {
    header.acquisition = counted_from(epoch, later_s, std::move(header.acquisition));
    header.grid.first_time_s += later_s;
    if (auto& surface = header.processing.doppler_surface_hz) surface->x_centre += later_s;
    if (auto& found = header.processing.autofocus) found->first_time_s += later_s;
}

Acquisition in_product_epoch(Acquisition acquisition) {
    if (!acquisition.product_epoch) return acquisition;
    const auto [epoch, earlier_s] = *std::exchange(acquisition.product_epoch, std::nullopt);
    return counted_from(epoch, earlier_s, std::move(acquisition));
}

Image in_product_epoch(const Image& header) {
    Image image = header;
    if (!image.acquisition.product_epoch) return image;
    const auto [epoch, earlier_s] = *std::exchange(image.acquisition.product_epoch, std::nullopt);
    count_from(epoch, earlier_s, image);
    return image;
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// The bursts of one or several swaths as one image on a map.
#pragma once

#include <string>
#include <vector>

#include "pipeline/acquisition/image.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/formers/grid_places.h"
#include "pipeline/run/scratch_rows.h"

namespace cornerturn {

/// Zero-Doppler times and closest ranges.
struct SeenArea {
    double first_s = 0, last_s = 0, near_m = 0, far_m = 0;
    bool holds(double time_s, double range_m) const {
        return first_s <= time_s && time_s < last_s && near_m <= range_m && range_m < far_m;
    }
};

/// What an image on the zero-Doppler grid holds whole in its middle row and column.
SeenArea whole_area(const Image& image);

/// Of the bursts of swaths, in the order of swaths and of time in each: the areas that divide what all of them see
/// along the middles of their overlaps. `swaths`: the name of each burst's.
std::vector<SeenArea> parted(const std::vector<std::string>& swaths, std::vector<SeenArea> whole);

/// A burst on a part of the map.
struct BurstOnMap {
    Image header;    ///< without samples
    ImageGrid seen;  ///< of the zero-Doppler grid
    GridPlaces places;
    SeenArea own;  ///< of parted
};

/// The rectangle of a map that holds all of these, which are parts of it.
MapGrid map_of_all(const std::vector<MapGrid>& parts);
/// The pixels of a map that another one on the same lattice holds, too; nothing where there are none.
std::optional<MapGrid> common_part(const MapGrid& map, const MapGrid& part);

/// Puts images of bursts, one after the other, into one. A pixel is of the burst whose area it lies in; beyond the ends
/// of some swaths, where that one does not see it, of the first one that does. Pixels that none sees are zero and not
/// valid.
class MergedMap final : public ImageSink {
public:
    /// `to` must outlive it. Rows are kept in a file in `folder` that has no name. Throws InputError where parts do not
    /// lie on the lattice of the whole, and DeviceError where there is no room.
    MergedMap(std::vector<BurstOnMap> bursts, const MapGrid& whole, const std::string& folder, ImageSink& to);

    void begin(const Image& header) override;
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override;
    /// Behind the last one: all of the image goes on.
    void finish();

    /// Without samples.
    const Image& header() const { return merged_; }

private:
    /// [row]: columns of the burst's part that are taken.
    using Taken = std::vector<std::vector<Interval>>;
    /// Where the map of a burst lies in the whole one, and which of its pixels are taken.
    struct PlacedBurst {
        std::int64_t row = 0, column = 0, columns = 0;
        Taken taken;
    };
    void share_pixels(const std::vector<BurstOnMap>& bursts);
    void describe(const std::vector<BurstOnMap>& bursts);

    std::vector<MapGrid> parts_;
    Image merged_;
    std::vector<PlacedBurst> placed_;
    ScratchRows rows_;
    ImageSink& to_;
    std::size_t begun_ = 0;
};

}  // namespace cornerturn

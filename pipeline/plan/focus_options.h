// SPDX-License-Identifier: Apache-2.0
// The request of a job.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device/device.h"
#include "pipeline/acquisition/doppler/doppler.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/acquisition/track/velocity.h"
#include "pipeline/formers/map_view.h"
#include "pipeline/plan/memory_plan.h"

namespace cornerturn {

inline constexpr std::string_view automatic_algorithm = "auto";

/// What the data of a job say, where they were asked: those of its first frame as recorded, but with pulses in equal
/// steps.
struct DataEstimates {
    std::optional<DopplerEstimate> doppler;
    std::optional<VelocityEstimate> velocity;
};

struct ImagePart;
class Timeline;

/// What the user asked for; what is left open comes from the file, its orbit or the data.
struct FocusOptions {
    std::optional<double> doppler_centroid_hz;      ///< absolute, at the carrier of the first frame
    std::optional<DopplerSlopes> doppler_slopes;    ///< how it varies over slant range
    std::optional<DopplerSurface> doppler_surface;  ///< instead, where it is known for all places
    ParameterSource doppler_from = ParameterSource::automatic;
    std::optional<double> velocity_m_s;
    ParameterSource velocity_from = ParameterSource::automatic;
    DataEstimates estimates;                 ///< see run/data_estimates.h
    double height_m = 0;                     ///< of the scene above the ellipsoid, where an orbit tells the geometry
    std::shared_ptr<TerrainSource> terrain;  ///< instead: heights of all its places
    std::optional<MapRequest> map;           ///< in place of the zero-Doppler grid
    double range_delay_m = 0;                ///< by which the instrument makes targets seem farther
    bool troposphere = false;                ///< takes away what dry air adds (dry_troposphere_m)
    std::optional<Orbit> reference_track;    ///< of the rows of the image (given_reference), not a fitted one
    std::optional<double> azimuth_bandwidth_hz;  ///< processed; default: what the beam fills, where the file knows it,
                                                 ///< else the PRF, as far as the geometry goes
    std::string algorithm = "rda";               ///< of a Former, or automatic_algorithm
    bool weigh_all = false;  ///< asks all algorithms what they would cost, even where the first does
    bool keep_beam = true;   ///< FormerParameters::keeps_beam
    bool force = false;      ///< takes an algorithm that was named even where it does not hold
    Window range_window;
    Window azimuth_window;
    int interpolation_taps = 16;
    double error_db = -60;                       ///< that factorised back-projection may make
    Autofocus autofocus = Autofocus::none;       ///< asked for; what it does: see autofocus.h
    std::optional<AutofocusRecord> autofocused;  ///< done: the echo's lines have these phases taken away
    ImageExtent extent = ImageExtent::full;
    std::string software;           ///< for the processing record
    std::string processed_at = {};  ///< likewise: UTC, "YYYY-MM-DDThh:mm:ss"
    bool finer_rows = true;         ///< than pulses, where the beam needs them (FormerParameters::rows_per_pulse)
    LoweringHints lowering;         ///< how the device is to go about it
    MemoryWish memory;
    std::shared_ptr<const ImagePart> part;  ///< of the image, of which the echo is read (image_part.h); null: all of it
    std::vector<std::shared_ptr<const ImagePart>> part_of_frames;  ///< the same of each frame
    std::shared_ptr<Timeline> timeline;                            ///< that notes what ran when; null: none
    std::vector<std::int64_t>
        block_rows_of_frames;  ///< of an earlier run that is to be gone on with; empty: as `memory` says
    std::vector<std::int64_t> part_pulses_of_frames;  ///< likewise, in their place where it is not 0
};

/// Whether a delay beyond the geometry is corrected.
inline bool has_delays(const FocusOptions& options) { return options.range_delay_m != 0 || options.troposphere; }

/// The options of a job within this one; the timeline is of the outer job only.
FocusOptions without_timeline(FocusOptions options);

/// These options with a Doppler centroid that is known from elsewhere.
FocusOptions with_doppler(const FocusOptions& options, const DopplerChoice& known);

/// The options of one of several frames, which may have blocks of its own.
FocusOptions options_of_frame(FocusOptions options, std::size_t frame);

/// The same options for another frame of a job whose first one has this centroid: given or estimated, it goes in Hz
/// with the carrier; the file tells it for each frame. An estimated velocity is that of the first.
FocusOptions options_beside(const Acquisition& first, const DopplerChoice& of_first, const Acquisition& frame,
                            const FocusOptions& options);

}  // namespace cornerturn

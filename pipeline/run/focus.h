// SPDX-License-Identifier: Apache-2.0
// From echo to image: chooses what the file and the options leave open, plans, and runs the algorithm on a device block
// by block while lines come in and rows go out.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device/device.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/doppler.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/acquisition/velocity.h"
#include "pipeline/formers/former.h"
#include "pipeline/formers/map_view.h"
#include "pipeline/run/former_choice.h"
#include "pipeline/run/memory_plan.h"
#include "pipeline/run/progress.h"
#include "pipeline/run/source_and_sink.h"
#include "pipeline/run/step_runner.h"

namespace cornerturn {

/// What the data of a job say, where they were asked: those of its first frame as recorded, but with pulses in equal
/// steps.
struct DataEstimates {
    std::optional<DopplerEstimate> doppler;
    std::optional<VelocityEstimate> velocity;
};

/// What the user asked for; what is left open comes from the file, its orbit or the data.
struct FocusOptions {
    std::optional<double> doppler_centroid_hz;      ///< absolute, at the carrier of the first frame
    std::optional<DopplerSlopes> doppler_slopes;    ///< how it varies over slant range
    std::optional<DopplerSurface> doppler_surface;  ///< instead, where it is known for all places
    ParameterSource doppler_from = ParameterSource::automatic;
    std::optional<double> velocity_m_s;
    ParameterSource velocity_from = ParameterSource::automatic;
    DataEstimates estimates;                 ///< see with_estimates in data_estimates.h
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
    LoweringHints lowering;         ///< how the device is to go about it
    MemoryWish memory;
    std::vector<std::int64_t>
        block_rows_of_frames;  ///< of an earlier run that is to be gone on with; empty: as `memory` says
};

/// Whether echoes are taken to come later than geometry says.
inline bool has_delays(const FocusOptions& options) { return options.range_delay_m != 0 || options.troposphere; }

/// The same with a Doppler centroid that is known from elsewhere.
FocusOptions with_doppler(const FocusOptions& options, const DopplerChoice& known);

/// Everything decided before the first sample is processed.
struct FocusSetup {
    DopplerChoice doppler;
    std::string velocity_source;
    SceneHeight height_m;             ///< of the ground, where an orbit tells the geometry
    std::string algorithm;            ///< that forms the image
    std::vector<FormerOffer> offers;  ///< of all that were asked; of the one that was named
    std::string forced_over;          ///< why the algorithm does not hold, where it was forced; "" where it does
    ImagePlan image;
    std::vector<FormerNote> notes;        ///< of the algorithm
    std::optional<Prediction> predicted;  ///< FormerOffer::predicted
    MemoryPlan memory;
    std::shared_ptr<const ViewingGeometry> geometry;
    std::vector<std::string> warnings;

    /// The image as one block sees it: its range histories are those of its own middle.
    ImagePlan image_of(const Acquisition& acquisition, std::size_t block) const;
};

/// A part of the machine that worked during a stage.
struct BusyTime {
    std::string part;  ///< read, upload, compute, download or write
    double seconds = 0;
};

/// One stage: wall-clock time, and where several parts worked side by side, how long each was busy.
struct StageTime {
    std::string name;
    double seconds = 0;
    std::vector<BusyTime> busy = {};
};

/// What happened on the way of one frame.
struct FocusReport {
    Acquisition acquisition;  ///< without its tables
    FocusSetup setup;
    std::optional<std::int64_t> non_finite_samples;  ///< zeroed; counted in floating-point echoes only
    std::vector<StageTime> stages;
    double wall_s = 0;
    TransferCount transferred;
    std::uint64_t stored_bytes = 0;  ///< read from the disk
    std::size_t blocks_formed = 0;   ///< by this run: without those that were there
    bool plans_reused = false;       ///< of the frame before
    std::optional<double>
        signal_to_error_db;  ///< of an image with halves between its passes to that in full precision, if measured
    std::vector<std::string> warnings;

    /// Of one part over all stages; compute: also all that is left of stages without such figures.
    double busy_s(std::string_view part) const;
    /// One more stage; to one of the same name before it, as of another block, its times are added.
    void add(StageTime stage);
};

struct FocusResult {
    Image image;
    FocusReport report;
};

/// Of one of several frames, which may have blocks of its own.
FocusOptions options_of_frame(FocusOptions options, std::size_t frame);

/// Decides and plans. Throws InputError where options and acquisition do not go together, velocity or Doppler cannot be
/// known, or the memory does not suffice, and std::logic_error where the data have to tell and options.estimates does
/// not hold what they say (with_estimates).
FocusSetup set_up_focus(Device& device, const Acquisition& acquisition, const FocusOptions& options);

/// The Doppler centroid that set_up_focus would choose if the data told none: by options and file, else by orbit and
/// attitude; nothing where these do not tell it, or the options are refused.
std::optional<DopplerSurface> doppler_before_data(const Acquisition& acquisition, const FocusOptions& options);
/// The track of the rows of an image, where that is another one than the acquisition's: given, or for one that sways.
std::optional<Orbit> reference_of(const Acquisition& acquisition, const FocusOptions& options);
/// Heights that go with such options, which tell the centroid. Throws what set_up_focus throws.
SceneHeight height_of(const Acquisition& acquisition, const FocusOptions& options);

/// Bandwidth of a point in range, in the image that such options make of the echo; nothing for maps, where the beam is
/// not known, and where set_up_focus refuses the options. Throws std::logic_error like that.
std::optional<double> range_bandwidth_of_image_hz(const Acquisition& acquisition, const FocusOptions& options);

/// The same options for another frame of a job whose first one has this centroid: given or estimated, it goes in Hz
/// with the carrier; the file tells it for each frame. An estimated velocity is that of the first.
FocusOptions options_beside(const Acquisition& first, const DopplerChoice& of_first, const Acquisition& frame,
                            const FocusOptions& options);

/// What follows from setup.image: the algorithm's notes, blocks, memory.
void plan_steps(Device& device, const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup);

/// Called for each frame: what to tell of its stages.
using FrameObserver = std::function<StageObserver(const Acquisition& frame)>;

/// set_up_focus for frames whose images go into one file, the others as options_beside has it. All images get the rows
/// of one zero-Doppler axis and, within a frequency, the same columns; throws InputError where that cannot be.
std::vector<FocusSetup> set_up_frames(Device& device, std::span<const Acquisition* const> frames,
                                      const FocusOptions& options);

/// Told what was decided about all frames before the first one is begun.
using PlanObserver = std::function<void(std::span<const FocusSetup>)>;

/// Focuses frames, set up as above with_estimates, one after the other into one sink. Frames of the same kind use the
/// same plans and memory. Blocks whose rows the sink has already are not formed again.
std::vector<FocusReport> focus_frames(Device& device, std::span<EchoSource* const> frames, const FocusOptions& options,
                                      ImageSink& sink, const Progress& progress = {},
                                      const FrameObserver& observer = {}, const PlanObserver& planned = {});

/// One frame, an azimuth block when it is asked for.
class BlockFocus {
public:
    /// All must outlive it; `setup` is of the same device, frame and options.
    BlockFocus(Device& device, EchoSource& frame, const FocusOptions& options, FocusSetup setup, ImageSink& sink,
               const Progress& progress = {});
    ~BlockFocus();
    std::size_t blocks() const { return report_.setup.memory.blocks.size(); }
    /// One after the other. Between them it holds no memory: others may take turns.
    void run(std::size_t block);
    FocusReport& report() { return report_; }

private:
    struct Run;
    EchoSource& frame_;
    ImageSink& sink_;
    FocusReport report_;
    std::unique_ptr<Run> run_;
};

/// One frame from host memory to host memory, along or beside a reference track where its own sways, but for what is
/// forced.
FocusResult focus(Device& device, const Echo& echo, const FocusOptions& options, const Progress& progress = {},
                  const StageObserver& observer = {});

}  // namespace cornerturn

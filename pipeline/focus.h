// SPDX-License-Identifier: Apache-2.0
// From an echo in host memory to an image in host memory: chooses what the file and the options leave open, plans, checks the
// memory, and runs the algorithm on a device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/device.h"
#include "pipeline/acquisition.h"
#include "pipeline/doppler.h"
#include "pipeline/image.h"
#include "pipeline/progress.h"
#include "pipeline/range_doppler.h"
#include "pipeline/velocity.h"

namespace cornerturn {

/// What the user asked for; what is left open comes from the file, its orbit or the data.
struct FocusOptions {
    std::optional<double> doppler_centroid_hz;  ///< absolute
    bool estimate_doppler = false;              ///< from the data, whatever the file says
    std::optional<double> velocity_m_s;
    std::optional<double>
        azimuth_bandwidth_hz;  ///< processed; default: the beam's where the file knows it and a window is used, else the PRF
    Window range_window;
    Window azimuth_window;
    int interpolation_taps = 16;
    ImageExtent extent = ImageExtent::full;
    CornerTurnVariant corner_turn = CornerTurnVariant::production;
    std::string software;  ///< for the processing record
};

/// Everything decided before the first sample is processed.
struct FocusSetup {
    DopplerChoice doppler;
    std::string velocity_source;
    RangeDopplerPlan plan;
    std::vector<std::string> warnings;
};

struct StageTime {
    std::string name;
    double seconds = 0;
};

/// What happened on the way.
struct FocusReport {
    FocusSetup setup;
    std::optional<std::int64_t> non_finite_samples;  ///< zeroed; counted in floating-point echoes only
    std::vector<StageTime> stages;
    TransferCount transferred;
    std::vector<std::string> warnings;
};

struct FocusResult {
    Image image;
    FocusReport report;
};

/// Decides and plans. `estimate` is called only if the Doppler centroid has to come from the data.
/// Throws InputError where options and acquisition do not go together or velocity or Doppler cannot be known.
FocusSetup set_up_focus(const Acquisition& acquisition, const FocusOptions& options, const DopplerEstimator& estimate);

/// The estimator of set_up_focus for an echo in host memory; the reduction over all of it runs on the device.
DopplerEstimate estimate_doppler_on(Device& device, const Echo& echo);

/// Throws InputError if the scene needs more memory than the device has free.
void check_memory(const Device& device, const RangeDopplerPlan& plan);

FocusResult focus(Device& device, const Echo& echo, const FocusOptions& options, const Progress& progress = {},
                  const StageObserver& observer = {});

}  // namespace cornerturn

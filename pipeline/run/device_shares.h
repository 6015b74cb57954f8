// SPDX-License-Identifier: Apache-2.0
// Azimuth blocks of frames shared by devices. Each device has a thread, a conveyor and plans of its own and takes
// the next block when it is free, so that a slow device takes fewer; the calling thread writes rows in order. The
// block of a device that fails goes to another.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pipeline/run/focus.h"

namespace cornerturn {

/// What one of several devices did.
struct DeviceShare {
    std::string device;
    std::int64_t blocks = 0;
    double busy_s = 0;      ///< from the first line of each block to the last of its rows in host memory
    std::string lost = {};  ///< the failure for which it was left out; "" if it was not
};

struct SharedFocus {
    std::vector<FocusReport> frames;  ///< times of stages are added up over devices
    std::vector<DeviceShare> devices;
};

/// set_up_frames for devices that share the work. The one with the least memory decides how long blocks are: as long as
/// for it alone, where options.memory says how much it may have, or else, where there are fewer of them than devices,
/// as short as pays (see blocks_for_devices). Throws InputError for devices whose images would differ.
std::vector<FocusSetup> set_up_frames(std::span<Device* const> devices, std::span<const Acquisition* const> frames,
                                      const FocusOptions& options);

/// Blocks of all frames.
std::size_t all_blocks(std::span<const FocusSetup> setups);

/// Into how many blocks each of some frames is cut, none of which would have to be for want of memory, so that devices
/// are done first. Blocks overlap by what an aperture needs: where they would take more than 1.3 times the lines of the
/// echo, there are fewer. A former that sums pixels one by one does nothing twice but compress lines.
std::int64_t blocks_for_devices(std::span<const Acquisition* const> frames, std::span<const FocusSetup> setups,
                                std::size_t devices);

/// focus_frames on devices that share the work: with equal blocks the same image, bit for bit, for any number of
/// devices of one model. One block goes in slabs over all devices (frame_in_slabs.h), or where it cannot, on the first.
/// A device that fails (DeviceError, but not for want of memory) is left out, with a warning in the report of the
/// frame; throws DeviceError when none is left.
SharedFocus focus_frames(std::span<Device* const> devices, std::span<EchoSource* const> frames,
                         const FocusOptions& options, ImageSink& sink, const Progress& progress = {},
                         const FrameObserver& observer = {}, const PlanObserver& planned = {});

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Files of bursts: a job for each, or one image of those of a swath.
#pragma once

#include <span>
#include <vector>

#include "app/verbs/focus_job.h"
#include "kernels/device/device.h"

namespace cornerturn {

/// A job for each burst that is meant, whose files have its name in theirs (slc-t064_135523_iw1.h5, or slc-IW1-0.h5
/// where ESA's is not known); the job itself where the file holds no bursts, or one burst is chosen. Throws InputError
/// for what the file does not hold.
std::vector<FocusJob> jobs_of_bursts(const FocusJob& job);

/// Of each swath that is meant one image (slc-IW1.h5; of a swath that was chosen slc.h5), of the bursts among these
/// jobs; with a map one of all of them. Bursts that are refused are left out with a warning. Returns the exit code: not
/// success where all bursts of a swath are refused, but not of others. Throws InputError where all of all are, where
/// they do not fit each other, and for options that only single images have.
int focus_merged(const FocusJob& job, std::vector<FocusJob> bursts, std::span<Device* const> devices);

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// What a batch has to do: jobs files and folders, together with what the command line says for all, as one job for each
// scene.
#pragma once

#include <string>
#include <vector>

#include "app/verbs/focus_job.h"

namespace cornerturn {

struct SceneJob {
    std::string name;  ///< of the image file, without its ending; unique in a batch
    FocusJob job;
};

/// `list`: a jobs file (data/yaml/jobs_file.h) or a folder, of which all raw files are taken and others are left out
/// with a warning. Options go scene before file before `common`. In the names of pictures, reports and folders of
/// stages {name} is the scene's name; those that are relative lie in `folder`, as do the images. Throws InputError
/// naming the place for what cannot be.
std::vector<SceneJob> scene_jobs(const std::string& list, const std::string& folder, const FocusJob& common);

/// device_names (kernels/device/device.h), of which none may come twice: a scene after the other keeps a device busy.
std::vector<std::string> devices_of_batch(const std::string& text);

}  // namespace cornerturn

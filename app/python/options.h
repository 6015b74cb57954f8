// SPDX-License-Identifier: Apache-2.0
// Keywords of Python as options of the command line, with the same names, values and refusals.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "app/python/job_thread.h"
#include "app/verbs/focus_job.h"

namespace cornerturn::python {

/// Takes progress, stop and threads out of the keywords.
JobWishes job_wishes(nanobind::kwargs& options);
/// Takes device out of them: `otherwise` where it is not there.
std::string device_in(nanobind::kwargs& options, const std::string& otherwise);

/// A job by the keywords that are left: --algorithm and all that decides what image is formed and how, --grid and
/// --spacing. `of`: what was called, for complaints. Files that they name are read. Throws InputError.
struct ImageRequest {
    FocusJob job;
    FocusOptions options;
    std::vector<std::string> remarks;
};
ImageRequest image_request(const nanobind::kwargs& options, const std::string& of, int threads);

}  // namespace cornerturn::python

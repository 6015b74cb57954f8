// SPDX-License-Identifier: Apache-2.0
// What a run of focus says of itself as one page of HTML.
#pragma once

#include <string>

#include "app/verbs/focus_report.h"

namespace cornerturn {

/// Whether a report is to be a page: its name ends in .html or .htm.
bool is_html_report(const std::string& path);

/// Parameters and plan, times, a picture of the image, its spectra, the Doppler centroid, and point targets where the
/// echo has truth; reads the image that was written. Complete or not at all.
void write_html_report(const std::string& path, const FocusRun& run);

}  // namespace cornerturn

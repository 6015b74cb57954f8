// SPDX-License-Identifier: Apache-2.0
// Conversion of lines to what algorithms need: equal steps, along or beside a track that does not sway, sampled as
// finely as the image requires.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pipeline/echo/source_and_sink.h"
#include "pipeline/estimate/imager.h"
#include "pipeline/plan/focus_options.h"

namespace cornerturn {

/// The centroid that such lines tell, which were interpolated about another one, with a warning where its multiple of
/// the PRF is a guess.
DopplerSurface doppler_of_data(EchoSource& rough, const FocusOptions& options, const Imager& imager,
                               std::vector<std::string>* warnings);

/// Nothing for an echo whose pulses leave in equal steps. The Doppler centroid comes from the options, the file or the
/// attitude; else from the data, with a warning where their multiple of the PRF is a guess. `echo` must outlive what is
/// returned.
std::unique_ptr<EchoSource> on_uniform_times(EchoSource& echo, const FocusOptions& options, const Imager& imager,
                                             std::vector<std::string>* warnings = nullptr);

/// on_reference_track (reference_echo.h), else on_uniform_times.
std::unique_ptr<EchoSource> on_even_lines(EchoSource& echo, const FocusOptions& options, const Imager& imager,
                                          std::vector<std::string>* remarks = nullptr);

/// Squint and aperture widen the range spectrum of an image beyond that of its echo (docs/theory.md): sampled as the
/// echo is, its points could not be told from others between its samples. Nothing for an echo whose image its sampling
/// holds, for maps, whose spacing is asked for, where the beam is not known, and where the image would take more than
/// four times as many samples (set_up_focus refuses it). `options` are those with_estimates of the echo, or
/// options_beside them; `echo` must outlive what is returned; `remarks` gains a line.
std::unique_ptr<EchoSource> on_finer_samples(EchoSource& echo, const FocusOptions& options, int threads = 0,
                                             std::vector<std::string>* remarks = nullptr);

}  // namespace cornerturn

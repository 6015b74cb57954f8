// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/focus_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/verbs/map_report.h"
#include "kernels/steps/corner_turn.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/run/device_shares.h"

namespace cornerturn {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

/// Of the ground that range histories are made for.
std::string height_text(const FocusSetup& setup, const FocusOptions& options) {
    if (setup.image.map) {
        const auto [lowest_m, highest_m] = setup.image.map->ground->limits();
        const MapProjection& projection = setup.image.map->grid.projection;
        const std::string above = projection.is_local()   ? "of the plane"
                                  : projection.is_plane() ? "above the scene's plane"
                                                          : "above the ellipsoid";
        if (!options.terrain) return fmt::format("{:.1f} m {}", lowest_m, above);
        return fmt::format("{:.0f} to {:.0f} m {}, from {}", lowest_m, highest_m, above, options.terrain->name());
    }
    if (setup.image.geometry->track().steady()) return "of no matter: straight flight";
    if (!options.terrain) return fmt::format("{:.1f} m above the ellipsoid", options.height_m);
    const auto [lowest_m, highest_m] = setup.height_m.limits();
    return fmt::format("{:.0f} to {:.0f} m above the ellipsoid, a smooth surface through {}", lowest_m, highest_m,
                       options.terrain->name());
}

std::string pulse_text(const Acquisition& acquisition) {
    const Chirp& chirp = acquisition.chirp;
    const std::string band =
        fmt::format("{:.6g} GHz, {:.3f} MHz", acquisition.carrier_hz / 1e9, chirp.bandwidth_hz() / 1e6);
    if (chirp.compressed()) return band + ", compressed already";
    return fmt::format("{} in {:.2f} us ({} samples), {}-chirp", band, chirp.duration_s * 1e6,
                       std::lround(acquisition.chirp_samples()), chirp.slope_hz_s < 0 ? "down" : "up");
}

std::string blocks_text(const FocusSetup& setup) {
    const std::vector<AzimuthBlock>& blocks = setup.memory.blocks;
    if (setup.memory.slabs > 1) return fmt::format("one, in {} parts", setup.memory.slabs);
    if (blocks.size() == 1) return "one: the scene fits";
    if (are_added_up(blocks)) return fmt::format("{} of {} pulses, added up", blocks.size(), blocks.front().lines);
    if (setup.image.map) return fmt::format("{} of {} rows, each of all lines", blocks.size(), blocks.front().rows);
    const std::int64_t overlap = setup.image.lines.overlap();
    return fmt::format("{} of {} rows, whose lines overlap by {}", blocks.size(), blocks.front().rows, overlap);
}

std::string autofocus_plan_text(const Acquisition& acquisition, const FocusSetup& setup, const FocusOptions& options) {
    const bool spotlight = acquisition.phase_history != nullptr;
    const AutofocusNeed need = spotlight ? need_of_spotlight(acquisition) : need_of_strip(setup.image.grid, options);
    if (spotlight)
        return fmt::format(
            "{}; before the image itself it is formed up to {} times, of which at most {} points are kept ({:.0f} MiB)",
            title_of(options.autofocus), most_autofocus_rounds, need.points,
            static_cast<double>(need.bytes) / mebibyte);
    return fmt::format(
        "{}; before the image itself it is formed up to {} times, of which {} of {} columns are kept ({:.0f} MiB)",
        title_of(options.autofocus), most_autofocus_rounds, need.columns, setup.image.grid.columns,
        static_cast<double>(need.bytes) / mebibyte);
}

}  // namespace

std::string_view turn_taken(const FocusSetup& setup, const LoweringHints& hints) {
    const auto turns = [](const std::string& step) { return step.starts_with(CornerTurn::title); };
    const std::vector<std::string>& steps = setup.memory.lowering.steps;
    return std::any_of(steps.begin(), steps.end(), turns) ? name_of(hints.corner_turn) : "none";
}

std::string setup_text(const Acquisition& acquisition, const FocusSetup& setup, const FocusOptions& options,
                       const DeviceInfo& device) {
    const ImagePlan& plan = setup.image;
    const LoweringReport& lowering = setup.memory.lowering;
    const auto [slowest, fastest] = velocity_bounds_m_s(plan);
    std::string text;
    const auto line = [&](std::string_view name, const std::string& value) {
        text += fmt::format("{:<22}{}\n", name, value);
    };
    line("echo", fmt::format("{} lines x {} samples, {} {}, PRF {:.3f} Hz, sampled at {:.3f} MHz", acquisition.lines,
                             acquisition.samples, acquisition.frequency, acquisition.polarization, acquisition.prf_hz,
                             acquisition.sample_rate_hz() / 1e6));
    line("pulse", pulse_text(acquisition));
    line("slant range", fmt::format("{:.1f} to {:.1f} m", acquisition.near_range_m, acquisition.far_range_m()));
    line("Doppler centroid", fmt::format("{:.2f} Hz ({})", setup.doppler.centroid_hz, setup.doppler.source));
    line("effective velocity", fmt::format("{:.3f} to {:.3f} m/s ({})", slowest, fastest, setup.velocity_source));
    line("ground", height_text(setup, options));
    if (has_delays(options))
        line("delays", fmt::format("{} m of the instrument, troposphere {}", options.range_delay_m,
                                   options.troposphere ? "standard" : "none"));
    const bool all_pulses = plan.map && plan.map->free_track;
    if (all_pulses)
        line("aperture", fmt::format("all {} pulses", acquisition.lines));
    else
        line("azimuth bandwidth", fmt::format("{:.2f} Hz, aperture {:.1f} lines", plan.parameters.azimuth_bandwidth_hz,
                                              plan.aperture.lines));
    line("windows", fmt::format("range {}, azimuth {}", plan.parameters.range_window.name(),
                                plan.parameters.azimuth_window.name()));
    if (all_pulses)
        line("resolution",
             fmt::format("{:.3f} m slant range (-3 dB, before windows)", range_resolution_m(acquisition)));
    else
        line("resolution", fmt::format("{:.3f} m slant range, {:.3f} m azimuth (-3 dB, before windows)",
                                       range_resolution_m(acquisition), azimuth_resolution_m(plan)));
    line("algorithm", fmt::format("{} ({})", setup.algorithm, former_named(setup.algorithm).title));
    for (const FormerOffer& offer : setup.offers) line(&offer == &setup.offers.front() ? "costs" : "", text_of(offer));
    if (options.autofocus != Autofocus::none) line("autofocus", autofocus_plan_text(acquisition, setup, options));
    if (!all_pulses) line("migration", fmt::format("{:.1f} cells", plan.aperture.migration_cells));
    for (const FormerNote& note : setup.notes) line(note.name, note.text);
    line("FFT lengths", fmt::format("range {}, azimuth {}", lowering.fft_lengths.range, lowering.fft_lengths.azimuth));
    line("chain", std::string(name_of(lowering.chain)));
    for (const std::string& step : lowering.steps) line("", step);
    for (const std::string& reason : lowering.not_taken) line("", "not " + reason);
    line("precision", std::string(name_of(options.lowering.precision)));
    line("corner turn", std::string(turn_taken(setup, options.lowering)));
    line("azimuth blocks", blocks_text(setup));
    if (plan.map)
        line("map", grid_text(plan.map->grid));
    else
        line("image", fmt::format("{} rows x {} columns ({} extent), zero-Doppler time from {:.6f} s, R0 from {:.2f} m",
                                  plan.grid.rows, plan.grid.columns, name_of(plan.parameters.extent),
                                  plan.grid.first_time_s, plan.grid.near_range_m));
    line("memory", fmt::format("{:.0f} MiB of {:.0f} to be had on {}, {:.0f} free",
                               static_cast<double>(setup.memory.needed_bytes) / mebibyte,
                               static_cast<double>(setup.memory.budget_bytes) / mebibyte, device.name,
                               static_cast<double>(device.memory_free_bytes) / mebibyte));
    return text;
}

namespace {

std::string in_parts_text(std::string_view names) {
    return fmt::format("{} hold the scene, which is one block, in parts: lines first, then columns of the image",
                       names);
}

}  // namespace

std::string shares_text(std::span<const FocusSetup> setups, const std::string& names, std::size_t devices) {
    const MemoryPlan& memory = setups.front().memory;
    const auto shares = [&] {
        if (memory.slabs > 1) return in_parts_text(names);
        if (const std::size_t blocks = all_blocks(setups); blocks > 1)
            return fmt::format(
                "{} share {} blocks of {} image{}; rows that wait for those before them take up to {:.0f} MiB of the "
                "host",
                names, blocks, setups.size(), setups.size() > 1 ? "s" : "",
                static_cast<double>(memory.waiting_bytes) / mebibyte);
        return fmt::format(
            "one of {} does it: the scene is one block, shorter ones would do too much twice, and it does not go in "
            "parts ({})",
            names, memory.why_no_slabs);
    };
    return fmt::format("{:<22}{}\n", fmt::format("{} devices", devices), shares());
}

std::string ranks_text(std::span<const FocusSetup> setups, int ranks) {
    const MemoryPlan& memory = setups.front().memory;
    const auto shares = [&] {
        if (memory.slabs > 1) return in_parts_text("they");
        if (const std::size_t blocks = all_blocks(setups); blocks > 1)
            return fmt::format("they share {} blocks of {} image{}", blocks, setups.size(),
                               setups.size() > 1 ? "s" : "");
        return fmt::format("one of them does it: the scene is one block, and does not go in parts ({})",
                           memory.why_no_slabs);
    };
    return fmt::format("{:<22}{}\n", fmt::format("{} ranks", ranks), shares());
}

std::string autofocus_line(const AutofocusReport& report) {
    std::string text = fmt::format("autofocus by {}: {}", title_of(report.record.method), report.verdict);
    if (report.rms_rad > 0)
        text += fmt::format(
            "; {:.3f} rad rms ({:.1f} degrees), {:.3f} rad ({:.1f} degrees) at most over {} lines ({:.3f} rad of it "
            "bend within apertures), in {} rounds",
            report.rms_rad, report.rms_rad / degree, report.largest_rad, report.largest_rad / degree, report.told_lines,
            report.bend_rad, report.rounds.size());
    if (report.residual_rad)
        text += fmt::format("; against the truth of the file {:.3f} rad rms are left", *report.residual_rad);
    return fmt::format("{} ({:.1f} s)", text, report.wall_s);
}

double FocusRun::busy_s(std::string_view part) const {
    double sum = 0;
    for (const FocusReport& frame : frames) sum += frame.busy_s(part);
    return sum;
}

double FocusRun::transfer_bound_s() const {
    if (!(rates.bus.upload_bytes_per_s > 0)) return 0;
    double sum = 0;
    for (const FocusReport& frame : frames)
        sum += static_cast<double>(frame.transferred.uploaded_bytes) / rates.bus.upload_bytes_per_s +
               static_cast<double>(frame.transferred.downloaded_bytes) / rates.bus.download_bytes_per_s;
    return sum / static_cast<double>(std::max<std::size_t>(1, devices.size()));
}

double FocusRun::disk_bound_s() const {
    if (!(rates.disk_read > 0) || !(rates.disk_write > 0)) return 0;
    double sum = static_cast<double>(written_bytes) / rates.disk_write;
    for (const FocusReport& frame : frames) sum += static_cast<double>(frame.stored_bytes) / rates.disk_read;
    return sum;
}

std::string longest_text(const JobTimeline& timeline) {
    const LongestWork longest = longest_work(timeline.lanes);
    if (!(longest.seconds > 0) || !(timeline.wall_s > 0)) return "Nothing was noted of what ran when.";
    return fmt::format(
        "Of {:.1f} ms the longest was {} ({}): {:.1f} ms, {:.0f} %. For {:.1f} ms nothing of what is shown ran.",
        1e3 * timeline.wall_s, longest.name, longest.lane, 1e3 * longest.seconds,
        100 * longest.seconds / timeline.wall_s, 1e3 * std::max(0.0, timeline.wall_s - busy_s(timeline.lanes)));
}

std::string summary_line(const FocusRun& run) {
    const ImageGrid& grid = run.frames.front().setup.image.grid;
    const std::string where = run.ranks.empty() ? run.device.name : fmt::format("{} ranks", run.ranks.size());
    std::string text = fmt::format("{}: {}{} rows x {} columns on {} in {:.2f} s", run.output,
                                   run.frames.size() > 1 ? fmt::format("{} images, ", run.frames.size()) : "",
                                   grid.rows, grid.columns, where, run.wall_s);
    text += fmt::format(" ({}busy: read {:.2f}, upload {:.2f}, compute {:.2f}, download {:.2f}, write {:.2f} s",
                        run.ranks.empty() ? "" : "rank 0 ", run.busy_s("read"), run.busy_s("upload"),
                        run.busy_s("compute"), run.busy_s("download"), run.busy_s("write"));
    if (run.disk_bound_s() > 0)
        text += fmt::format("; bounds: bus {:.3f}, disk {:.3f} s", run.transfer_bound_s(), run.disk_bound_s());
    return text + ")";
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// The report for programs.
#include <nlohmann/json.hpp>
#include <utility>

#include "app/verbs/focus_report.h"

namespace cornerturn {
namespace {

nlohmann::json note_json(const FormerNote& note) {
    nlohmann::json json;
    for (const auto& [key, value] : note.values) std::visit([&](const auto& v) { json[key] = v; }, value);
    return json;
}

nlohmann::json offer_json(const FormerOffer& offer) {
    if (!offer.holds()) return {{"algorithm", offer.algorithm}, {"holds", false}, {"why_not", offer.refusal}};
    nlohmann::json json{{"algorithm", offer.algorithm},
                        {"holds", true},
                        {"seconds", offer.seconds},
                        {"bytes_moved", offer.cost.bytes_moved},
                        {"operations", offer.cost.operations},
                        {"pixel_pulses", offer.cost.pixel_pulses},
                        {"azimuth_blocks", offer.blocks},
                        {"lines_of_blocks", offer.lines}};
    if (offer.predicted)
        json["prediction"] = {{"position_px", offer.predicted->position_px},
                              {"phase_deg", offer.predicted->phase_deg},
                              {"width_percent", offer.predicted->width_percent}};
    if (offer.sums_error_db) json["factorisation_error_db"] = *offer.sums_error_db;
    return json;
}

nlohmann::json plan_json(const FocusSetup& setup, const FocusOptions& options) {
    const ImagePlan& plan = setup.image;
    const LoweringReport& lowering = setup.memory.lowering;
    const auto [slowest, fastest] = velocity_bounds_m_s(plan);
    nlohmann::json json{{"algorithm", setup.algorithm},
                        {"doppler_centroid_hz", setup.doppler.centroid_hz},
                        {"doppler_source", setup.doppler.source},
                        {"velocity_m_s", {slowest, fastest}},
                        {"velocity_source", setup.velocity_source},
                        {"azimuth_bandwidth_hz", plan.parameters.azimuth_bandwidth_hz},
                        {"range_window", plan.parameters.range_window.name()},
                        {"azimuth_window", plan.parameters.azimuth_window.name()},
                        {"extent", name_of(plan.parameters.extent)},
                        {"range_fft_length", lowering.fft_lengths.range},
                        {"azimuth_fft_length", lowering.fft_lengths.azimuth},
                        {"aperture_lines", plan.aperture.lines},
                        {"migration_cells", plan.aperture.migration_cells},
                        {"chain", name_of(lowering.chain)},
                        {"steps", lowering.steps},
                        {"chains_not_taken", lowering.not_taken},
                        {"precision", name_of(options.lowering.precision)},
                        {"corner_turn", turn_taken(setup, options.lowering)},
                        {"bytes_moved", lowering.bytes_moved},
                        {"device_memory_bytes", setup.memory.needed_bytes},
                        {"waiting_rows_bytes", setup.memory.waiting_bytes},
                        {"azimuth_blocks", setup.memory.blocks.size()},
                        {"devices_per_block", setup.memory.slabs},
                        {"image",
                         {{"rows", plan.grid.rows},
                          {"columns", plan.grid.columns},
                          {"first_zero_doppler_time_s", plan.grid.first_time_s},
                          {"near_range_m", plan.grid.near_range_m}}}};
    for (const FormerNote& note : setup.notes) json[note.key] = note_json(note);
    for (const FormerOffer& offer : setup.offers) json["algorithms"].push_back(offer_json(offer));
    if (!setup.forced_over.empty()) json["forced_over"] = setup.forced_over;
    const auto [lowest_m, highest_m] = setup.height_m.limits();
    json["height_m"] = {lowest_m, highest_m};
    json["range_delay_m"] = options.range_delay_m;
    json["troposphere"] = options.troposphere ? "standard" : "none";
    if (options.terrain) json["dem"] = options.terrain->name();
    if (!plan.map) return json;
    const MapGrid& grid = plan.map->grid;
    json["image"] = {{"rows", grid.rows},       {"columns", grid.columns},  {"projection", grid.projection.name()},
                     {"first_x", grid.first_x}, {"x_spacing", grid.x_step}, {"first_y", grid.first_y},
                     {"y_spacing", grid.y_step}};
    const auto [lowest_map_m, highest_map_m] = plan.map->ground->limits();
    json["height_m"] = {lowest_map_m, highest_map_m};
    return json;
}

nlohmann::json stages_json(const FocusReport& frame) {
    nlohmann::json stages = nlohmann::json::array();
    for (const StageTime& stage : frame.stages) {
        nlohmann::json entry{{"name", stage.name}, {"wall_s", stage.seconds}};
        for (const BusyTime& busy : stage.busy) entry["busy_s"][busy.part] = busy.seconds;
        stages.push_back(std::move(entry));
    }
    return stages;
}

nlohmann::json echo_json(const Acquisition& acquisition) {
    return {{"lines", acquisition.lines},
            {"samples", acquisition.samples},
            {"frequency", acquisition.frequency},
            {"polarization", acquisition.polarization}};
}

/// null for what was not measured.
nlohmann::json unless_zero(double value) { return value > 0 ? nlohmann::json(value) : nlohmann::json(); }

nlohmann::json rate_json(double bytes_per_s) { return unless_zero(bytes_per_s / 1e9); }

nlohmann::json autofocus_json(const AutofocusReport& report) {
    nlohmann::json rounds = nlohmann::json::array();
    for (const AutofocusRound& round : report.rounds) {
        rounds.push_back({{"phase_rms_rad", round.rms_rad},
                          {"phase_rms_within_apertures_rad", round.bend_rad},
                          {"targets", round.targets},
                          {"entropy_before", round.entropy_before},
                          {"entropy_after", round.entropy_after}});
        if (round.residual_rad) rounds.back()["residual_rms_rad"] = *round.residual_rad;
    }
    nlohmann::json json{{"method", name_of(report.record.method)},
                        {"verdict", report.verdict},
                        {"rounds", rounds},
                        {"phase_rms_rad", report.rms_rad},
                        {"phase_largest_rad", report.largest_rad},
                        {"phase_rms_within_apertures_rad", report.bend_rad},
                        {"lines_used", report.told_lines},
                        {"columns", report.columns},
                        {"wall_s", report.wall_s},
                        {"first_line_time_s", report.record.first_time_s},
                        {"line_spacing_s", report.record.time_spacing_s},
                        {"phase_rad", report.record.phase_rad}};
    if (!report.record.times_s.empty()) json["line_times_s"] = report.record.times_s;
    if (report.residual_rad) json["residual_rms_rad"] = *report.residual_rad;
    return json;
}

nlohmann::json devices_json(const std::vector<DeviceShare>& shares) {
    nlohmann::json devices = nlohmann::json::array();
    for (const DeviceShare& share : shares) {
        devices.push_back({{"name", share.device}, {"blocks", share.blocks}, {"busy_s", share.busy_s}});
        if (!share.lost.empty()) devices.back()["lost"] = share.lost;
    }
    return devices;
}

nlohmann::json timeline_json(const JobTimeline& timeline) {
    const LongestWork longest = longest_work(timeline.lanes);
    nlohmann::json json{{"wall_s", timeline.wall_s},
                        {"busy_s", busy_s(timeline.lanes)},
                        {"longest", {{"lane", longest.lane}, {"name", longest.name}, {"seconds", longest.seconds}}},
                        {"lanes", nlohmann::json::array()}};
    for (const Timeline::Lane& lane : timeline.lanes) {
        nlohmann::json spans = nlohmann::json::array();
        for (const Timeline::Span& span : lane.spans)
            spans.push_back({{"name", span.name}, {"begin_s", span.begin_s}, {"end_s", span.end_s}});
        json["lanes"].push_back({{"name", lane.name}, {"spans", std::move(spans)}});
    }
    return json;
}

nlohmann::json job_json(const FocusRun& run) {
    nlohmann::json job{
        {"wall_s", run.wall_s},
        {"open_device_s", run.open_device_s},
        {"open_file_s", run.open_file_s},
        {"close_s", run.close_s},
        {"written_bytes", run.written_bytes},
        {"transfer_bound_s", unless_zero(run.transfer_bound_s())},
        {"disk_bound_s", unless_zero(run.disk_bound_s())},
        {"bus_gbytes_per_s",
         {{"upload", rate_json(run.rates.bus.upload_bytes_per_s)},
          {"download", rate_json(run.rates.bus.download_bytes_per_s)}}},
        {"disk_gbytes_per_s", {{"read", rate_json(run.rates.disk_read)}, {"write", rate_json(run.rates.disk_write)}}}};
    for (const RankWork& rank : run.ranks)
        job["ranks"].push_back({{"name", rank.name},
                                {"device", rank.device},
                                {"blocks", rank.blocks},
                                {"wall_s", rank.wall_s},
                                {"busy_s", {{"read", rank.read_s}, {"compute", rank.compute_s}}}});
    for (const char* part : {"read", "upload", "compute", "download", "write"}) job["busy_s"][part] = run.busy_s(part);
    return job;
}

}  // namespace

nlohmann::json files_json(const std::vector<StoredFile>& files) {
    nlohmann::json list = nlohmann::json::array();
    for (const StoredFile& file : files) {
        list.push_back({{"path", file.path}, {"bytes", file.bytes}});
        if (!file.sha256.empty()) list.back()["sha256"] = file.sha256;
    }
    return list;
}

nlohmann::json planned_json(const Acquisition& acquisition, const FocusSetup& setup, const FocusOptions& options) {
    return {{"echo", echo_json(acquisition)}, {"plan", plan_json(setup, options)}};
}

nlohmann::json report_json(const FocusReport& frame, const FocusOptions& options) {
    nlohmann::json json{{"echo", echo_json(frame.acquisition)},
                        {"plan", plan_json(frame.setup, options)},
                        {"stages", stages_json(frame)},
                        {"wall_s", frame.wall_s},
                        {"plans_reused", frame.plans_reused},
                        {"uploaded_bytes", frame.transferred.uploaded_bytes},
                        {"downloaded_bytes", frame.transferred.downloaded_bytes},
                        {"stored_bytes", frame.stored_bytes}};
    if (frame.signal_to_error_db) json["signal_to_error_db"] = *frame.signal_to_error_db;
    if (frame.non_finite_samples) json["non_finite_samples"] = *frame.non_finite_samples;
    return json;
}

nlohmann::json device_json(const DeviceInfo& device) {
    return {{"name", device.name}, {"description", device.description}};
}

bool is_json_report(const std::string& path) { return path.ends_with(".json"); }

nlohmann::json focus_json(const FocusRun& run) {
    nlohmann::json json{{"input", run.input},
                        {"output", run.output},
                        {"device", device_json(run.device)},
                        {"devices", devices_json(run.devices)},
                        {"products", files_json(run.products)},
                        {"job", job_json(run)},
                        {"timeline", timeline_json(run.timeline)}};
    std::vector<std::string> warnings = run.warnings;
    for (const FocusReport& frame : run.frames)
        warnings.insert(warnings.end(), frame.warnings.begin(), frame.warnings.end());
    json["warnings"] = warnings;
    run.tracks.tell(json);
    if (run.autofocus) json["autofocus"] = autofocus_json(*run.autofocus);
    for (const FocusReport& frame : run.frames) json["frames"].push_back(report_json(frame, run.options));
    return json;
}

}  // namespace cornerturn

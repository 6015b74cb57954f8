// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/focus_report_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/verbs/footprint_report.h"
#include "app/verbs/map_report.h"
#include "app/verbs/point_report.h"
#include "app/verbs/scene_report.h"
#include "data/files/output_file.h"
#include "data/open_image.h"
#include "data/picture/bar_chart.h"
#include "data/picture/footprint_chart.h"
#include "data/picture/line_chart.h"
#include "data/picture/quicklook.h"
#include "data/picture/response_plot.h"
#include "data/picture/spectrum_picture.h"
#include "data/picture/timeline_chart.h"
#include "data/report/html_page.h"
#include "pipeline/measure/map_targets.h"

namespace cornerturn {
namespace {

constexpr std::size_t most_points = 25, most_responses = 6;

void add_job(const FocusRun& run, HtmlPage& page) {
    page.facts(
        {{"input", run.input},
         {"output", fmt::format("{}, {:.1f} MB of samples", run.output, static_cast<double>(run.written_bytes) / 1e6)},
         {"software", run.options.software},
         {"processed", run.options.processed_at},
         {"device", fmt::format("{} ({})", run.device.name, run.device.description)},
         {"from opening the file to closing the image", fmt::format("{:.3f} s", run.wall_s)}});
    std::vector<std::string> warnings = run.warnings;
    for (const FocusReport& frame : run.frames)
        warnings.insert(warnings.end(), frame.warnings.begin(), frame.warnings.end());
    for (const std::string& warning : warnings) page.paragraph("Warning: " + warning);
    BarChart busy{.title = "How long parts of the machine were busy",
                  .subtitle = fmt::format("side by side, in {:.3f} s", run.wall_s),
                  .unit = "s",
                  .bars = {}};
    for (const char* part : {"read", "upload", "compute", "download", "write"})
        busy.bars.push_back({part, run.busy_s(part), fmt::format("{:.3f} s", run.busy_s(part))});
    page.drawing(bar_chart_svg(busy));
}

void add_timeline(const JobTimeline& timeline, HtmlPage& page) {
    page.heading("What ran when");
    page.paragraph(longest_text(timeline));
    page.drawing(timeline_svg({.title = "What ran beside what",
                               .subtitle = fmt::format("{:.1f} ms, from the beginning to this report; what lies under "
                                                       "each other ran at the same time",
                                                       1e3 * timeline.wall_s),
                               .wall_s = timeline.wall_s,
                               .lanes = timeline.lanes}));
}

void add_stages(const FocusReport& frame, HtmlPage& page) {
    BarChart stages{.title = "Stages", .subtitle = fmt::format("of {:.3f} s", frame.wall_s), .unit = "s", .bars = {}};
    for (const StageTime& stage : frame.stages)
        stages.bars.push_back({stage.name, stage.seconds, fmt::format("{:.3f} s", stage.seconds)});
    if (!stages.bars.empty()) page.drawing(bar_chart_svg(stages));
}

/// The mean of a spectrum over the other frequency, in dB of the greatest.
LineChart::Curve marginal(const std::vector<float>& db, std::int64_t size, bool azimuth, double rate) {
    LineChart::Curve curve;
    for (std::int64_t i = 0; i < size; ++i) {
        double sum = 0;
        for (std::int64_t k = 0; k < size; ++k)
            sum += std::pow(
                10.0, 0.1 * static_cast<double>(db[static_cast<std::size_t>(azimuth ? i * size + k : k * size + i)]));
        curve.x.push_back((static_cast<double>(i) / static_cast<double>(size) - 0.5) * rate);
        curve.y.push_back(10 * std::log10(sum));
    }
    const double greatest = *std::max_element(curve.y.begin(), curve.y.end());
    for (double& y : curve.y) y -= greatest;
    return curve;
}

void add_spectra(const ImageView& image, HtmlPage& page) {
    const ImageGrid& grid = image.header().grid;
    const std::int64_t size = spectrum_size(grid);
    if (size == 0) return page.paragraph("The image is too small for spectra.");
    const std::vector<float> db = mean_spectrum_db(image, size);
    const double range_rate_mhz = speed_of_light_m_s / (2 * grid.range_spacing_m) / 1e6;
    page.drawing(line_chart_svg({.title = "Range spectrum",
                                 .x_title = "MHz about the carrier",
                                 .y_title = "dB",
                                 .curves = {marginal(db, size, false, range_rate_mhz)}}));
    page.drawing(line_chart_svg({.title = "Azimuth spectrum",
                                 .x_title = "Hz, wrapped by the rate of rows",
                                 .y_title = "dB",
                                 .curves = {marginal(db, size, true, 1 / grid.time_spacing_s)}}));
    page.picture(spectrum_picture(image.header(), db, size), "spectrum over azimuth and range frequency");
}

/// As the image was processed, over slant range.
void add_doppler(const Image& image, const FocusSetup& setup, HtmlPage& page) {
    constexpr int places = 65;
    page.facts({{"in the middle", fmt::format("{:.3f} Hz ({})", setup.doppler.centroid_hz, setup.doppler.source)}});
    LineChart chart{.title = "Doppler centroid", .x_title = "slant range, km", .y_title = "Hz", .curves = {}};
    const auto last_row = static_cast<double>(image.grid.rows - 1),
               last_column = static_cast<double>(image.grid.columns - 1);
    for (const auto& [name, part] :
         {std::pair("last row", 1.0), std::pair("middle row", 0.5), std::pair("first row", 0.0)}) {
        LineChart::Curve curve{name, {}, {}};
        for (int i = 0; i < places; ++i) {
            const double range_m = image.grid.range_m(last_column * i / (places - 1));
            curve.x.push_back(range_m / 1000);
            curve.y.push_back(image.processing.doppler_hz(image.grid.time_s(part * last_row), range_m));
        }
        chart.curves.push_back(std::move(curve));
    }
    page.drawing(line_chart_svg(chart));
}

/// The footprint, where the image tells where on the Earth it lies.
void add_footprint(const Image& image, HtmlPage& page) {
    const FootprintChart chart = footprint_of(image);
    if (chart.outline.empty()) return;
    page.heading("Place on the Earth");
    page.drawing(footprint_svg(chart));
}

/// How far places and phases of measured points are off.
void add_errors(const std::vector<PointAnalysis>& points, HtmlPage& page) {
    LineChart::Curve phase{.name = "", .x = {}, .y = {}, .joined = false};
    LineChart::Curve along{.name = "azimuth", .x = {}, .y = {}, .joined = false}, across = along;
    across.name = "range";
    for (const PointAnalysis& point : points) {
        if (!point.refused.empty() || !point.target.exact) continue;
        const double range_km = point.range_m / 1000;
        if (point.phase_error_deg) phase.x.push_back(range_km), phase.y.push_back(*point.phase_error_deg);
        if (point.azimuth.position_error_px)
            along.x.push_back(range_km), along.y.push_back(*point.azimuth.position_error_px);
        if (point.range.position_error_px)
            across.x.push_back(range_km), across.y.push_back(*point.range.position_error_px);
    }
    if (!along.x.empty())
        page.drawing(line_chart_svg({.title = "Places of targets less their true ones",
                                     .x_title = "slant range, km",
                                     .y_title = "pixels",
                                     .curves = {along, across}}));
    if (!phase.x.empty())
        page.drawing(line_chart_svg({.title = "Phases of targets less their true ones",
                                     .x_title = "slant range, km",
                                     .y_title = "degrees",
                                     .curves = {phase}}));
}

void add_points(const ImageView& image, HtmlPage& page) {
    std::vector<AnalysisTarget> targets = known_targets(image.header());
    if (targets.empty()) return;
    page.heading("Point targets against theory");
    if (targets.size() > most_points) {
        page.paragraph(fmt::format("The first {} of {} known targets.", most_points, targets.size()));
        targets.resize(most_points);
    }
    std::vector<PointAnalysis> points;
    for (const AnalysisTarget& target : targets) points.push_back(analyze_point(image, target));
    page.lines(point_table(image.header(), points));
    add_errors(points, page);
    if (points.size() > most_responses) points.resize(most_responses);
    const Picture responses = response_plot(image, points);
    if (responses.height > 0) page.picture(responses, "responses of the first points: measured cuts red, theory blue");
}

/// The whole image; `axes` says what they are.
PictureCells add_image(StoredImage& file, const std::string& axes, HtmlPage& page) {
    page.heading("Image");
    QuicklookSink quicklook({.max_size_px = 1024});
    file.pass_to(quicklook);
    page.picture(quicklook.picture(), axes + ", brightness in dB");
    return quicklook.cells();
}

void add_map(const FocusRun& run, const FrameSelection& selection, HtmlPage& page) {
    StoredImage file = open_image(run.output, selection);
    const ImageView image = file.view();
    add_image(file, "x to the right, y upwards", page);
    page.paragraph(grid_text(*image.header().map));
    page.lines(scene_text(scene_statistics(image)));
    add_footprint(image.header(), page);
    std::vector<MapTarget> targets = known_map_targets(image.header());
    if (targets.empty()) return;
    if (targets.size() > most_points) targets.resize(most_points);
    page.heading("Point targets on the map");
    std::vector<MapPointAnalysis> points;
    for (const MapTarget& target : targets) points.push_back(analyze_map_point(image, target));
    page.lines(map_point_table(points));
}

void add_frame(const FocusRun& run, const FocusReport& frame, HtmlPage& page) {
    FrameSelection selection;  // formats other than HDF5 name no frames
    if (run.frames.size() > 1)
        selection = {.frequency = frame.acquisition.frequency, .polarization = frame.acquisition.polarization};
    page.heading(
        fmt::format("{} {}: parameters and plan", frame.acquisition.frequency, frame.acquisition.polarization));
    page.lines(setup_text(frame.acquisition, frame.setup, run.options, run.device));
    add_stages(frame, page);
    if (frame.setup.image.map) return add_map(run, selection, page);
    StoredImage file = open_image(run.output, selection);
    const ImageView image = file.view();
    const PictureCells cells = add_image(file, "slant range to the right, zero-Doppler time downwards", page);
    if (cells.pixel_m > 0)
        page.paragraph(fmt::format("Near range on the left, the first row on top; pixels of {:.2f} m on the ground.",
                                   cells.pixel_m));
    page.lines(scene_text(scene_statistics(image)));
    add_footprint(image.header(), page);
    page.heading("Spectra");
    add_spectra(image, page);
    page.heading("Doppler centroid");
    add_doppler(image.header(), frame.setup, page);
    add_points(image, page);
}

}  // namespace

bool is_html_report(const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    return ending == ".html" || ending == ".htm";
}

void write_html_report(const std::string& path, const FocusRun& run) {
    HtmlPage page("cornerturn focus: " + std::filesystem::path(run.output).filename().string());
    add_job(run, page);
    add_timeline(run.timeline, page);
    for (const FocusReport& frame : run.frames) add_frame(run, frame, page);
    replace_file(path, page.text());
}

}  // namespace cornerturn

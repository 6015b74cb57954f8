// SPDX-License-Identifier: Apache-2.0
// Factorised sums of spotlights on maps: the error that was chosen in every column, and what is refused by name.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <tuple>
#include <utility>

#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "pipeline/echo/echo_conveyor.h"
#include "pipeline/formers/map_plan.h"
#include "pipeline/formers/spotlight_passage.h"
#include "pipeline/proof/spotlight_pulses.h"
#include "pipeline/ranks/focus_over_ranks.h"
#include "pipeline/run/device_shares.h"
#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/signal_to_error.h"
#include "tests/data/product_fixture.h"
#include "tests/data/spotlight_echo.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/formers/exact_sum.h"
#include "tests/pipeline/ranks/thread_ranks.h"
#include "tests/pipeline/run/fickle_device.h"
#include "tests/pipeline/terrain_by_formula.h"
#include "tests/support/on_cpu.h"

namespace cornerturn {
namespace {

/// Noise in every pulse and at all frequencies and delays.
Echo noise_of(const char* preset, std::int64_t lines, double lost = 0) {
    Scene scene = preset_scene(preset);
    scene.lines = lines;
    scene.lost_lines = lost;
    scene.targets = std::vector<SceneTarget>{};
    scene.noise_db = 0;
    return simulated_spotlight(scene);
}

/// About the origin of the scene's plane, which may be turned against the line of sight.
MapGrid plane_grid(const Acquisition& echo, std::int64_t rows, std::int64_t columns, double step_m, double turned_rad) {
    ScenePlane plane = echo.scene->plane;
    const double cosine = std::cos(turned_rad), sine = std::sin(turned_rad);
    for (std::size_t i = 0; i < 3; ++i) {
        const double x = plane.x_axis[i], y = plane.y_axis[i];
        plane.x_axis[i] = cosine * x + sine * y, plane.y_axis[i] = cosine * y - sine * x;
    }
    return {.projection = MapProjection::on(plane),
            .rows = rows,
            .columns = columns,
            .first_x = -0.5 * step_m * static_cast<double>(columns - 1),
            .x_step = step_m,
            .first_y = 0.5 * step_m * static_cast<double>(rows - 1),
            .y_step = -step_m};
}

FocusOptions in_blocks(const MapGrid& grid, double error_db, double height_m = 0) {
    FocusOptions options;
    options.algorithm = "ffbp";
    options.error_db = error_db;
    options.height_m = height_m;
    options.map = MapRequest{.projection = {}, .spacing_m = 0, .grid = grid};
    return options;
}

bool in_blocks(const FocusResult& result) {
    return std::any_of(result.report.setup.notes.begin(), result.report.setup.notes.end(), [](const FormerNote& note) {
        return note.text.find("taps between lines' cells") != std::string::npos;
    });
}

struct SpotlightCase {
    const char* name;
    const char* preset;
    std::int64_t lines;
    double lost, step_m, turned_deg;
    std::vector<double> errors_db;
    Window window = {};
    std::int64_t gap = 0;  ///< lines in the middle
};
void PrintTo(const SpotlightCase& of, std::ostream* to) { *to << of.name; }

class FactorisedSpotlights : public testing::TestWithParam<SpotlightCase> {};

TEST_P(FactorisedSpotlights, HoldTheErrorThatWasChosenInEveryColumn) {
    const SpotlightCase& of = GetParam();
    const Echo echo = with_gap(noise_of(of.preset, of.lines, of.lost), of.lines / 2, of.gap);
    const MapGrid grid = plane_grid(echo.acquisition, 400, 280, of.step_m, of.turned_deg / 180 * std::numbers::pi);
    const auto device = open_device("cpu", 2);
    std::optional<const ExactSum> exact;
    for (const double allowed_db : of.errors_db) {
        FocusOptions options = in_blocks(grid, allowed_db);
        options.azimuth_window = of.window;
        const FocusResult result = focus(*device, echo, options);
        ASSERT_EQ(result.report.setup.algorithm, "ffbp");
        EXPECT_TRUE(in_blocks(result)) << "or it was the exact sum";
        if (!exact) exact.emplace(echo, result.report.setup.image);
        expect_columns_within(result.image, *exact, allowed_db);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, FactorisedSpotlights,
    testing::Values(SpotlightCase{"Spotlight", "spotlight", 1200, 0, 0.4, 0, {-40, -60, -80}},
                    SpotlightCase{"Sliding", "sliding", 1000, 0, 0.8, 0, {-40, -60}},
                    SpotlightCase{"Turned", "spotlight", 1200, 0, 0.4, 25, {-60}},
                    SpotlightCase{"TurnedBack", "sliding", 1000, 0, 0.8, 160, {-60}},
                    SpotlightCase{"Askew", "spotlight", 1200, 0, 0.3, 62, {-60}},
                    SpotlightCase{"Gap", "spotlight", 1200, 0, 0.4, 5, {-60, -80}, {}, 36},
                    SpotlightCase{"LostPulses", "spotlight", 1200, 0.05, 0.4, 0, {-60}},
                    SpotlightCase{"Windowed", "spotlight", 1200, 0, 0.4, 5, {-40, -50, -60}, Window::parse("hamming")}),
    [](const auto& of) { return of.param.name; });

/// On a map in metres about the scene, over hills whose crests lie some 60 m apart, beside what is smooth of them.
FocusOptions over_hills(const Acquisition& echo, std::int64_t pixels, double step_m, double hills_m, double error_db) {
    const Geographic place = geographic(echo.scene->plane.origin_m);
    MapGrid grid;
    grid.projection = MapProjection::utm_at(place);
    const MapPoint at = MapTransform(grid.projection).of(place);
    const double half_m = 0.5 * step_m * static_cast<double>(pixels);
    FocusOptions options = in_blocks(
        grid_over(grid.projection, {at.x - half_m, at.y - half_m}, {at.x + half_m, at.y + half_m}, step_m, step_m),
        error_db);
    options.terrain = std::make_shared<TerrainByFormula>(
        box_about({place.latitude_deg, place.longitude_deg, 0}, 0.1), [=](double latitude_deg, double longitude_deg) {
            return 240 + hills_m * std::sin(1.15e4 * latitude_deg) * std::cos(7.5e3 * longitude_deg);
        });
    return options;
}

class FactorisedHills : public EveryDevice {};

TEST_P(FactorisedHills, HoldTheErrorInEveryColumn) {
    const Echo echo = noise_of("spotlight", 1200);
    for (const auto& [hills_m, allowed_db, window] : {std::tuple{10.0, -60.0, "none"}, {50.0, -60.0, "hamming"}}) {
        FocusOptions options = over_hills(echo.acquisition, 180, 0.4, hills_m, allowed_db);
        options.azimuth_window = Window::parse(window);
        const FocusResult result = focus(*device, echo, options);
        EXPECT_TRUE(in_blocks(result)) << "or it was the exact sum";
        const ExactSum exact(echo, result.report.setup.image);
        expect_columns_within(result.image, exact, allowed_db);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, FactorisedHills, testing::Values("cpu", "cuda"), device_name);

/// Pixel by pixel what the plan finds in steps.
Interval columns_held(const Acquisition& echo, const MapView& map, std::int64_t row) {
    Interval held{};
    for (std::int64_t column = 0; column < map.grid.columns; ++column) {
        const Place place = map.ground->at(map.grid.at(static_cast<double>(row), static_cast<double>(column))).place;
        bool all = true;
        for (const std::int64_t line : {std::int64_t{0}, echo.lines / 2, echo.lines - 1}) {
            const PulsePath path = echo.phase_history->path(line);
            const double range_m = distance_m(path.start, place) - 0.5 * c_m_s * path.opens_s;
            all &= range_m >= echo.range_m(0) && range_m <= echo.far_range_m();
        }
        if (!all) continue;
        if (held.first == held.last) held.first = static_cast<std::int32_t>(column);
        held.last = static_cast<std::int32_t>(column + 1);
    }
    return held;
}

TEST(MapsOfSpotlights, AreValidWhereWindowsOfAllPulsesHoldThem) {
    const Acquisition echo = noise_of("spotlight", 64).acquisition;
    FormerParameters parameters;
    parameters.velocity = VelocityProfile(7500);
    parameters.azimuth_bandwidth_hz = echo.prf_hz;
    for (const double turned_rad : {0.0, 0.7, 1.2, 2.6}) {
        const MapGrid grid = plane_grid(echo, 41, 1500, 7, turned_rad);
        std::vector<std::string> remarks;
        const ImagePlan plan = plan_of_all_pulses(echo, parameters, {.projection = {}, .spacing_m = 0, .grid = grid},
                                                  {0, nullptr}, 0, remarks);
        int parts = 0;
        for (std::int64_t row = 0; row < grid.rows; ++row) {
            const Interval found = plan.coverage.valid.intervals[static_cast<std::size_t>(row)],
                           held = columns_held(echo, *plan.map, row);
            EXPECT_EQ(found.last - found.first, held.last - held.first) << turned_rad << " rad, row " << row;
            if (held.first == held.last) continue;
            EXPECT_EQ(found.first, held.first) << turned_rad << " rad, row " << row;
            parts += held.first > 0 || held.last < grid.columns ? 1 : 0;
        }
        EXPECT_GT(parts, 10) << turned_rad << " rad: windows end within rows";
    }
}

TEST(FactorisedSpotlight, SeesAPeakOfOnePixel) {
    const Echo echo = noise_of("spotlight", 300);
    FocusOptions options = over_hills(echo.acquisition, 900, 0.4, 0, -60);
    const Geographic place = geographic(echo.acquisition.scene->plane.origin_m);
    options.terrain = std::make_shared<TerrainByFormula>(
        box_about({place.latitude_deg, place.longitude_deg, 0}, 0.1), [=](double latitude_deg, double longitude_deg) {
            constexpr double m_of_degree = 111e3, aside_m = 31.5, wide_m = 0.4;
            const double y_m = m_of_degree * (latitude_deg - place.latitude_deg) - aside_m,
                         x_m = 0.81 * m_of_degree * (longitude_deg - place.longitude_deg) - aside_m;
            return 240 + 60 * std::exp(-(x_m * x_m + y_m * y_m) / (2 * wide_m * wide_m));
        });
    const auto device = open_device("cpu", 2);
    options.algorithm = "backprojection";
    const MapView map = set_up_focus(*device, echo.acquisition, options).image.map.value();
    const NodeGround nodes = node_ground(map);
    double highest_m = 0;
    for (const float relief_m : nodes.ground->relief_m(map.grid))
        highest_m = std::max(highest_m, std::abs(static_cast<double>(relief_m)));
    EXPECT_GT(highest_m, 20);
    EXPECT_EQ(nodes.highest_m, highest_m);
}

TEST(FactorisedSpotlight, RefusesByNameWhatBlocksOfLinesDoNotHoldFor) {
    const Echo echo = noise_of("spotlight", 300);
    const auto device = open_device("cpu", 2);
    const auto refused = [&](const FocusOptions& options, const std::vector<std::string>& words) {
        expect_refused([&] { set_up_focus(*device, echo.acquisition, options); }, words);
    };
    // Rows along the track: echoes of a row come all at once.
    refused(in_blocks(plane_grid(echo.acquisition, 200, 200, 0.4, std::numbers::pi / 2), -60),
            {"ffbp", "samples later from pixel to pixel", "backprojection"});
    refused(in_blocks(plane_grid(echo.acquisition, 200, 200, 2.5, 0), -60), {"ffbp", "less than two samples"});
}

class PartsOfPulses : public EveryDevice {};

FocusOptions on_small_plane(const Echo& echo, const char* algorithm) {
    FocusOptions options = in_blocks(plane_grid(echo.acquisition, 200, 180, 0.4, 0.1), -60);
    options.algorithm = algorithm;
    return options;
}

/// In less than half of the memory that the whole takes; on a GPU, where work areas of kernels are most of that, in
/// somewhat less than blocks of rows take, which hold all lines.
FocusOptions in_little_memory(FocusOptions options, const Device& device, const Echo& echo, const FocusResult& whole) {
    const bool host = device.info().shares_host_memory;
    options.memory.most_bytes =
        static_cast<std::size_t>((host ? 0.4 : 0.9) * static_cast<double>(whole.report.setup.memory.needed_bytes));
    if (host) *options.memory.most_bytes += (std::size_t{128} << 20) + staged_bytes(echo.acquisition);
    return options;
}

TEST_P(PartsOfPulses, AreAddedUpWhereTheLinesOfAllDoNotFit) {
    const Echo echo = noise_of("spotlight", 600);
    for (const auto& [algorithm, window] :
         {std::pair{"backprojection", "none"}, {"backprojection", "hamming"}, {"ffbp", "hamming"}}) {
        SCOPED_TRACE(testing::Message() << algorithm << ", window " << window);
        FocusOptions options = on_small_plane(echo, algorithm);
        options.azimuth_window = Window::parse(window);
        const FocusResult whole = focus(*device, echo, options),
                          result = focus(*device, echo, in_little_memory(options, *device, echo, whole));
        const std::vector<AzimuthBlock>& parts = result.report.setup.memory.blocks;
        ASSERT_TRUE(are_added_up(parts));
        EXPECT_EQ(lines_of(parts), 600);
        EXPECT_EQ(result.report.blocks_formed, parts.size());
        if (options.algorithm == "ffbp") {
            const ExactSum exact(echo, result.report.setup.image);
            expect_columns_within(result.image, exact, -60);
        } else {
            EXPECT_GT(signal_to_error_db(result.image.samples, whole.image.samples), 110);
        }
    }
}

TEST_P(PartsOfPulses, ComeIntoMemoryOfTheDevice) {
    const Echo echo = noise_of("spotlight", 600);
    FocusOptions options = on_small_plane(echo, "backprojection");
    options = in_little_memory(options, *device, echo, focus(*device, echo, options));
    const FocusResult result = focus(*device, echo, options);
    const Matrix memory = device->allocate(SampleFormat::complex64, 200, 180);
    ImageInto sink([&](const Image&) { return std::span(memory.data<std::complex<float>>(), 200 * 180); },
                   device->place());
    EchoInMemory source(echo);
    EchoSource* const frame = &source;
    ASSERT_TRUE(are_added_up(focus_frames(*device, std::span(&frame, 1), options, sink).front().setup.memory.blocks));
    std::vector<std::complex<float>> pixels;
    device->download_rows(memory, [&](std::int64_t, std::span<const std::complex<float>> rows) {
        pixels.insert(pixels.end(), rows.begin(), rows.end());
    });
    EXPECT_EQ(pixels, result.image.samples);
}

SharedFocus focus_on(std::span<Device* const> devices, const Echo& echo, const FocusOptions& options,
                     ImageSink& image) {
    EchoInMemory source(echo);
    EchoSource* const frame = &source;
    return focus_frames(devices, std::span(&frame, 1), options, image);
}

/// Bit for bit, as parts are the same where somebody says how much memory each may have.
TEST_P(PartsOfPulses, AreSharedByDevices) {
    const Echo echo = noise_of("spotlight", 600);
    FocusOptions options = on_small_plane(echo, "backprojection");
    options = in_little_memory(options, *device, echo, focus(*device, echo, options));
    const FocusResult alone = focus(*device, echo, options);
    for (const std::size_t count : {2, 3}) {
        std::vector<std::unique_ptr<Device>> owned;
        std::vector<Device*> devices;
        for (std::size_t i = 0; i < count; ++i) devices.push_back(owned.emplace_back(open_device(GetParam(), 1)).get());
        ImageInMemory shared;
        const SharedFocus done = focus_on(devices, echo, options, shared);
        ASSERT_TRUE(are_added_up(done.frames.front().setup.memory.blocks));
        EXPECT_EQ(shared.image.samples, alone.image.samples) << count;
        std::int64_t parts = 0;
        for (const DeviceShare& share : done.devices) parts += share.blocks;
        EXPECT_EQ(parts, std::ssize(alone.report.setup.memory.blocks));
    }
}

/// The memory of one, in which images that wait lie, too.
TEST(PartsOfPulsesOnProcessors, AreAsManyForEachOfThem) {
    const Echo echo = noise_of("spotlight", 600);
    FocusOptions options = on_small_plane(echo, "backprojection");
    FickleDevice first(open_device("cpu", 1)), second(open_device("cpu", 1)), third(open_device("cpu", 1));
    const FocusResult whole = focus(first, echo, options);
    const std::size_t all = whole.report.setup.memory.needed_bytes, images = 8 * whole.image.samples.size();
    for (FickleDevice* device : {&first, &second, &third})
        device->free_bytes = 3 * (all / 2 + 3 * images + staged_bytes(echo.acquisition));
    ImageInMemory shared;
    const std::vector<Device*> devices{&first, &second, &third};
    const SharedFocus done = focus_on(devices, echo, options, shared);
    const MemoryPlan& plan = done.frames.front().setup.memory;
    ASSERT_TRUE(are_added_up(plan.blocks));
    EXPECT_EQ(plan.blocks.size() % 3, 0u);
    EXPECT_LE(plan.needed_bytes, plan.budget_bytes);
    EXPECT_GT(signal_to_error_db(shared.image.samples, whole.image.samples), 110);
}

TEST_P(PartsOfPulses, AreSharedByRanks) {
    const Echo echo = noise_of("spotlight", 600);
    FocusOptions options = on_small_plane(echo, "backprojection");
    const FocusResult whole = focus(*device, echo, options);
    options = in_little_memory(options, *device, echo, whole);
    for (const int count : {2, 5}) {
        ImageInMemory image;
        SharedReports reports;
        on_ranks(count, [&](Ranks& own) {
            const auto of_rank = open_device(GetParam(), 1);
            EchoInMemory source(echo);
            EchoSource* const frame = &source;
            const GatheredJob gathered{.file = image,
                                       .planned = [](auto setups) { return std::vector<std::int64_t>(setups.size()); }};
            SharedReports done =
                focus_over_ranks(own, *of_rank, std::span(&frame, 1), options, own.leads() ? &gathered : nullptr);
            if (own.leads()) reports = std::move(done);
        });
        const std::vector<AzimuthBlock>& parts = reports.frames.front().setup.memory.blocks;
        ASSERT_TRUE(are_added_up(parts));
        EXPECT_EQ(lines_of(parts), 600);
        for (const RankWork& rank : reports.ranks)
            EXPECT_EQ(rank.blocks * count, std::ssize(parts)) << "or one rank waits for others";
        EXPECT_GT(signal_to_error_db(image.image.samples, whole.image.samples), 110) << count;
    }
}

/// Exact sums in double precision are made of parts, too.
TEST_P(PartsOfPulses, AreProvedWithoutTheLinesOfAll) {
    const Echo echo = noise_of("spotlight", 600);
    const auto in_double = open_device("cpu-double", 2);
    for (const auto* algorithm : {"backprojection", "ffbp"}) {
        SCOPED_TRACE(algorithm);
        FocusOptions options = on_small_plane(echo, algorithm);
        const FocusResult whole = focus(*device, echo, options);
        if (device->info().shares_host_memory)
            options = in_little_memory(options, *device, echo, whole);
        else
            options.memory.part_pulses = 170;  // what is little for a GPU is less than nothing for a program
        EchoInMemory source(echo);
        ImageInMemory image;
        const ReferenceOutcome outcome =
            run_reference_stage(*device, *in_double, source, options, on_cpu(2), {}, &image);
        ASSERT_TRUE(are_added_up(outcome.report.setup.memory.blocks));
        ASSERT_EQ(outcome.checks.size(), 1u);
        EXPECT_TRUE(outcome.passed()) << outcome.checks.front().value << " dB";
        EXPECT_LT(outcome.checks.front().value, 200) << "dB: or an image was compared with itself";
        EXPECT_GT(signal_to_error_db(image.image.samples, whole.image.samples), 55);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, PartsOfPulses, testing::Values("cpu", "cuda"), device_name);

}  // namespace
}  // namespace cornerturn

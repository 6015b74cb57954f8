// SPDX-License-Identifier: Apache-2.0
// A part of an image, of the lines and samples that it needs, is what the image of the whole has there.
#include "pipeline/plan/image_part.h"

#include <gtest/gtest.h>

#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/run/even_lines.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/formers/focused_scene.h"
#include "tests/support/on_cpu.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

constexpr auto lines_200 = "--lines 600:800";
const PartRequest lines_in_the_middle{.lines = AskedSpan<std::int64_t>{600, 800}, .lines_text = lines_200};

/// Noise all over, so that whatever a filter lacks at the edges of a part is seen.
Scene noisy_scene() {
    Scene scene = small_scene(1200, 260);
    scene.targets.emplace();
    scene.noise_db = -10;
    return scene;
}

class ImagePartTest : public testing::Test {
protected:
    Image image_of(EchoSource& echo, const FocusOptions& options) {
        ImageInMemory memory;
        focus(*device_, echo, options, memory);
        return std::move(memory.image);
    }
    Image part_of(EchoSource& whole, const FocusOptions& options, const PartRequest& request) {
        part_ = part_of_image(whole.acquisition(), options, request);
        EchoWindow echo(whole, part_.lines, part_.samples, echo_of(whole.acquisition(), part_));
        FocusOptions of_part = options;
        of_part.part = std::make_shared<ImagePart>(part_);
        return image_of(echo, of_part);
    }
    /// The root of the energy of the difference to that of the part.
    static double difference(const Image& whole, const Image& part) {
        const std::vector<std::complex<float>> same = same_area(whole, part.grid);
        double error = 0, energy = 0;
        for (std::size_t i = 0; i < same.size(); ++i)
            error += std::norm(same[i] - part.samples[i]), energy += std::norm(same[i]);
        return std::sqrt(error / energy);
    }

    std::unique_ptr<Device> device_ = open_device("cpu", 2);
    ImagePart part_;
};

TEST_F(ImagePartTest, OfSomeLinesIsThatOfTheWhole) {
    const Echo echo = simulate(noisy_scene());
    EchoInMemory lines(echo);
    for (const char* algorithm : {"rda", "omegak", "backprojection"}) {
        SCOPED_TRACE(algorithm);
        FocusOptions options = by(algorithm);
        const Image whole = image_of(lines, options), part = part_of(lines, options, lines_in_the_middle);
        EXPECT_EQ(part.grid.rows, 200);
        EXPECT_EQ(part.grid.columns, whole.grid.columns);
        EXPECT_LT(part_.lines.last - part_.lines.first, 950) << "no more lines than it needs";
        EXPECT_LT(difference(whole, part), 1e-4);
    }
}

TEST_F(ImagePartTest, OfRowsCloserThanPulsesLastsAsLong) {
    Scene scene = noisy_scene();
    scene.prf_hz = 180 * 1.02;  // the beam's
    const Echo echo = simulate(scene);
    EchoInMemory lines(echo);
    const ImageGrid grid = part_of(lines, by("backprojection"), lines_in_the_middle).grid;
    EXPECT_LT(grid.time_spacing_s, 0.81 / scene.prf_hz);
    EXPECT_NEAR(static_cast<double>(grid.rows) * grid.time_spacing_s, 200 / scene.prf_hz, grid.time_spacing_s);
}

TEST_F(ImagePartTest, OfUnevenLinesIsThatOfTheWhole) {
    Scene scene = noisy_scene();
    scene.dither = 0.06;
    scene.lost_lines = 0.01;
    const Echo echo = simulate(scene);
    EchoInMemory recorded(echo);
    const auto even = on_even_lines(recorded, {}, on_cpu());
    ASSERT_TRUE(even);
    const Image part = part_of(*even, {}, lines_in_the_middle);
    EXPECT_LT(difference(image_of(*even, {}), part), 1e-4);
}

TEST_F(ImagePartTest, AtTheEndOfTheEchoEndsAsTheWholeDoes) {
    const Echo echo = simulate(noisy_scene());
    EchoInMemory lines(echo);
    const Image whole = image_of(lines, {});
    const Image part = part_of(lines, {}, {.lines = AskedSpan<std::int64_t>{-100, {}}, .lines_text = "--lines -100:"});
    EXPECT_EQ(part_.lines.last, 1200);
    EXPECT_EQ(part.grid.rows, 100);
    EXPECT_EQ(part.valid_columns, std::vector<Interval>(whole.valid_columns.end() - 100, whole.valid_columns.end()));
    EXPECT_LT(difference(whole, part), 1e-4);
}

class BoxOnTheGround : public ImagePartTest {
protected:
    BoxOnTheGround() : scene_(squinted_scene(0.1, 1700, 560)) {
        scene_.targets = {{SceneTarget{BeamCentrePosition{850.3, 90.4}, 1.0, 40.0},
                           SceneTarget{BeamCentrePosition{400.3, 30.4}, 1.0, 40.0}}};
        echo_ = simulate(scene_);
    }
    /// About the first target.
    PartRequest box(double half_deg, double east_deg = 0) const {
        const Acquisition& a = echo_.acquisition;
        const PointTarget& target = a.truth.front();
        const Place at =
            OrbitTrack(*a.orbit, a.identification.look_side, 0.0).place(target.zero_doppler_time_s, target.range_m);
        const Geographic place = geographic({at.x_m, at.y_m, at.z_m});
        const double longitude_deg = place.longitude_deg + east_deg;
        return {.box = GeographicBox{.south_deg = place.latitude_deg - half_deg,
                                     .north_deg = place.latitude_deg + half_deg,
                                     .west_deg = longitude_deg - half_deg,
                                     .east_deg = longitude_deg + half_deg},
                .box_text = "--bbox ..."};
    }

    Scene scene_;
    Echo echo_;
};

TEST_F(BoxOnTheGround, HoldsTheTargetThatLiesInIt) {
    EchoInMemory lines(echo_);
    const Image part = part_of(lines, {}, box(0.004));
    ASSERT_EQ(part.acquisition.truth.size(), 1u);
    EXPECT_EQ(part.acquisition.truth.front(), echo_.acquisition.truth.front());
    EXPECT_LT(part_.lines.last - part_.lines.first, 1700);
    EXPECT_LT(part.grid.columns, 150) << "half a kilometre to either side, turned by the heading";
    expect_focused(part);
}

TEST_F(BoxOnTheGround, IsThatOfTheWhole) {
    EchoInMemory lines(echo_);
    FocusOptions options = by("backprojection");
    EXPECT_LT(difference(image_of(lines, options), part_of(lines, options, box(0.004))), 1e-4);
}

TEST_F(BoxOnTheGround, AsLargeAsTheEarthIsTheWhole) {
    const PartRequest earth{.box = GeographicBox{-90, 90, -180, 180}, .box_text = "--bbox -180,-90,180,90"};
    const ImagePart part = part_of_image(echo_.acquisition, {}, earth);
    EXPECT_EQ(part.lines, (Interval{0, 1700}));
    EXPECT_EQ(part.samples, (Interval{0, 560}));
}

TEST_F(BoxOnTheGround, BesideTheImageIsRefusedWithWhereThatLies) {
    for (const double east_deg : {0.5, -12.0, 100.0})
        expect_refused([&] { part_of_image(echo_.acquisition, {}, box(0.01, east_deg)); },
                       {"--bbox ...", "zero-Doppler times 3595", "(west, south, east, north)"});
}

TEST_F(ImagePartTest, ThatHoldsNothingIsRefusedWithWhatThereIs) {
    Acquisition whole = describe(noisy_scene());
    whole.orbit.reset();
    const auto expect_refusal = [&](const PartRequest& request, const std::string& word) {
        expect_refused([&] { part_of_image(whole, {}, request); }, word);
    };
    expect_refusal({.lines = AskedSpan<std::int64_t>{7, 7}, .lines_text = "--lines 7:7"}, "lines 0 to 1199");
    expect_refusal({.lines = AskedSpan<std::int64_t>{1200, {}}, .lines_text = "--lines 1200:"}, "lines 0 to 1199");
    expect_refusal({.time_s = AskedSpan<double>{1, 2}, .time_text = "--time 1:2"}, "zero-Doppler times");
    expect_refusal({.box = GeographicBox{0, 1, 0, 1}, .box_text = "--bbox 0,0,1,1"}, "--lines or --time");
}

TEST(AskedLines, AreThoseOfASliceOrOfATime) {
    const Acquisition whole = describe(noisy_scene());
    const auto of_lines = [&](std::optional<std::int64_t> first, std::optional<std::int64_t> last) {
        return asked_lines(whole, {.lines = AskedSpan<std::int64_t>{first, last}, .lines_text = ""});
    };
    EXPECT_EQ(of_lines({}, {}), (Interval{0, 1200}));
    EXPECT_EQ(of_lines(-100, {}), (Interval{1100, 1200}));
    EXPECT_EQ(of_lines(100, -100), (Interval{100, 1100}));
    EXPECT_EQ(of_lines(100, 99999), (Interval{100, 1200}));
    const double first_s = whole.pulse_time_s(0);
    EXPECT_EQ(asked_lines(whole, {.time_s = AskedSpan<double>{first_s + 1, first_s + 2}, .time_text = ""}),
              (Interval{400, 800}));
}

}  // namespace
}  // namespace cornerturn

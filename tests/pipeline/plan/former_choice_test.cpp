// SPDX-License-Identifier: Apache-2.0
// Which algorithm a scene is given where nobody chose one, and what it is told of the others.
#include "pipeline/plan/former_choice.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/formers/focused_scene.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// Algorithms as they say they are: seconds, and lines of all blocks for 100 of the echo; no seconds: refused.
struct Told {
    double seconds = 0;
    std::int64_t lines = 100;
};
class Formers {
public:
    explicit Formers(std::map<std::string_view, Told> told) : told_(std::move(told)) {}

    FormerChoice choose(bool all) {
        return cheapest_that_holds({[this](const Former& former) { return plan(former); },
                                    [this](const PlannedFormer& sums) {
                                        asked_.push_back("a look at " + std::string(sums.offer.algorithm));
                                        return slower * sums.offer.seconds;
                                    }},
                                   all);
    }
    const std::vector<std::string>& asked() const { return asked_; }

    double slower = 1;  ///< than predicted, once looked at

private:
    PlannedFormer plan(const Former& former) {
        asked_.emplace_back(former.name);
        const Told told = told_[former.name];
        PlannedFormer planned;
        planned.offer = {.algorithm = former.name, .seconds = told.seconds, .blocks = 1, .lines = told.lines};
        if (told.seconds == 0) planned.offer.refusal = std::string(former.name) + " would not do";
        planned.memory.blocks = {{.first_row = 0, .rows = 90, .first_line = 0, .lines = 100}};
        return planned;
    }

    std::map<std::string_view, Told> told_;
    std::vector<std::string> asked_;
};

TEST(FormerChoice, AsksNobodyElseWhereRangeDopplerReadsLinesOnce) {
    Formers formers({{"rda", {2}}, {"csa", {1.5}}});
    EXPECT_EQ(formers.choose(false).taken.offer.algorithm, "rda");
    EXPECT_EQ(formers.asked(), std::vector<std::string>{"rda"});
}

TEST(FormerChoice, TellsAllAndTakesNoOtherForThat) {
    Formers formers({{"rda", {2}}, {"csa", {1.5}}});
    const FormerChoice choice = formers.choose(true);
    EXPECT_EQ(choice.taken.offer.algorithm, "rda");
    EXPECT_EQ(choice.offers.size(), all_formers().size());
    EXPECT_EQ(text_of(choice.offers[1]).substr(0, 14), "csa about 1.5 ");
    EXPECT_EQ(text_of(choice.offers[2]), "omegak does not hold: omegak would not do");
}

/// As along a flight whose speed changes: hundreds of blocks that overlap.
TEST(FormerChoice, LeavesBlocksThatOverlapToOneThatNeedsNone) {
    Formers formers({{"rda", {173, 20000}}, {"backprojection", {60}}, {"ffbp", {13}}});
    EXPECT_EQ(formers.choose(false).taken.offer.algorithm, "ffbp");
    EXPECT_EQ(formers.asked().size(), all_formers().size());
}

TEST(FormerChoice, TakesWhatHoldsHoweverMuchItCosts) {
    Formers formers({{"backprojection", {1000}}});
    EXPECT_EQ(formers.choose(false).taken.offer.algorithm, "backprojection");
}

/// As on a GPU whose tiles do not hold.
TEST(FormerChoice, LooksAtExactSumsBeforeTheyAreTaken) {
    Formers formers({{"backprojection", {1}}, {"ffbp", {3}}});
    EXPECT_EQ(formers.choose(false).taken.offer.algorithm, "backprojection");
    EXPECT_EQ(formers.asked().back(), "a look at backprojection");
    formers.slower = 90;
    const FormerChoice choice = formers.choose(false);
    EXPECT_EQ(choice.taken.offer.algorithm, "ffbp");
    EXPECT_EQ(choice.taken.offer.seconds, 3);
    EXPECT_EQ(choice.offers[3].seconds, 90);
    EXPECT_EQ(choice.offers.size(), all_formers().size());
}

TEST(FormerChoice, LooksAtNothingThatNoOtherWouldDo) {
    Formers formers({{"backprojection", {1}}});
    formers.choose(false);
    EXPECT_EQ(formers.asked().size(), all_formers().size());
}

TEST(FormerChoice, RefusesByNameWhereNothingHolds) {
    Formers formers({});
    for (const Former& former : all_formers())
        expect_refused([&] { formers.choose(false); }, std::string(former.name) + " would not do");
}

FocusOptions forced(const char* algorithm) {
    FocusOptions options = by(algorithm);
    options.force = true;
    return options;
}

FocusSetup setup_for(const Scene& scene, FocusOptions options) {
    const Acquisition acquisition = describe(scene);
    options.doppler_centroid_hz = acquisition.doppler_centroid_hz.value_or(0);
    return set_up_focus(*open_device("cpu"), acquisition, options);
}

TEST(AutomaticAlgorithm, IsRangeDopplerWhereTheCouplingIsTheSameAtAllRanges) {
    for (const char* preset : {"spaceborne", "airborne", "squint"}) {
        const FocusSetup setup = setup_for(preset_scene(preset), by("auto"));
        EXPECT_EQ(setup.algorithm, "rda") << preset;
        ASSERT_EQ(setup.offers.size(), 1u);
        EXPECT_GT(setup.offers[0].seconds, 0);
        EXPECT_GT(setup.offers[0].cost.operations, 1e9);
    }
}

/// Along straight flight, too: the ends of a beam that fills the PRF are lost by all, and what is forced says so.
TEST(PredictedErrors, AreThoseOfEveryAlgorithmThatHolds) {
    Scene scene = small_scene(700, 330);
    scene.near_range_m = 12000;
    scene.noise_db = 0;
    scene.targets.emplace();  // nothing is focused
    FocusOptions all = by("auto");
    all.weigh_all = true;
    for (const FormerOffer& offer : setup_for(scene, all).offers) {
        ASSERT_TRUE(offer.holds()) << offer.refusal;
        ASSERT_TRUE(offer.predicted) << offer.algorithm;
        EXPECT_TRUE(holds(*offer.predicted)) << offer.algorithm;
        expect_in(text_of(offer), "off by at most");
        EXPECT_EQ(offer.sums_error_db.has_value(), offer.algorithm == "ffbp");
        EXPECT_LE(offer.sums_error_db.value_or(all.error_db), all.error_db);
    }
    scene.prf_hz = 1.02 * scene.azimuth_bandwidth_hz;
    scene.near_range_m = 6000;
    for (const Former& former : all_formers()) {
        const FocusSetup setup = setup_for(scene, forced(former.name.data()));
        ASSERT_EQ(setup.offers.size(), 1u);
        EXPECT_EQ(setup.offers[0].algorithm, former.name);
        EXPECT_GT(setup.offers[0].predicted.value().width_percent, error_limits.width_percent) << former.name;
        EXPECT_EQ(setup.predicted, setup.offers[0].predicted);
    }
}

/// Of a short echo under squint: over the swath a row is seen in times that are many times as long apart, and laws over
/// range would not follow a centroid that is held beside the echo (0.84 degrees).
TEST(PredictedErrors, AreSmallWhereARowIsSeenInOtherTimesThanTheEcho) {
    Scene scene = squinted_scene(0.6, 100, 3500);
    scene.sample_rate_hz = 9e6;
    scene.chirp_slope_hz_s = 70e9;
    scene.chirp_duration_s = 78e-6;
    scene.noise_db = 0;
    scene.targets.emplace();  // nothing is focused
    const FocusSetup setup = set_up_focus(*open_device("cpu"), describe(scene), forced("rda"));
    EXPECT_GT(setup.image.grid.rows, 10 * scene.lines);
    EXPECT_LT(setup.predicted.value().phase_deg, 0.1);
}

TEST(AutomaticAlgorithm, IsOmegaKForAWideBandAndAperture) {
    const FocusSetup setup = setup_for(wide_scene(), by("auto"));
    EXPECT_EQ(setup.algorithm, "omegak");
    expect_in(setup.offers.at(0).refusal, "range-Doppler would leave");
}

/// A bin of the 2-D frequency domain would have to be two Doppler frequencies.
TEST(AutomaticAlgorithm, IsOmegaKWhereTheCentroidLeavesThePrfOverTheSwath) {
    Scene scene = squinted_scene(0.6, 1600, 5000);
    scene.chirp_slope_hz_s *= 1.8, scene.sample_rate_hz *= 1.8;
    const Acquisition acquisition = describe(scene);
    const auto set_up = [&](const char* algorithm) {
        return set_up_focus(*open_device("cpu"), acquisition, by(algorithm));
    };
    EXPECT_EQ(set_up("auto").algorithm, "omegak");
    expect_refused([&] { set_up("rda"); }, "one Doppler frequency a bin");
}

/// An aircraft under 25 degrees of squint: a beam of half the PRF or less would be right only on finer samples.
TEST(UnknownBeam, IsToldOfWhereItWouldNotFitBetweenSamples) {
    Acquisition acquisition;
    acquisition.lines = 1400;
    acquisition.samples = 2000;
    acquisition.prf_hz = 220;
    acquisition.carrier_hz = 9.4e9;
    acquisition.near_range_m = 6200;
    acquisition.range_spacing_m = speed_of_light_m_s / 150e6;
    acquisition.chirp = {.slope_hz_s = -10e12, .duration_s = 6e-6};
    acquisition.effective_velocity_m_s = 95;
    acquisition.doppler_centroid_hz = -2517;
    const auto told = [&] {
        std::string all;
        for (const std::string& warning : set_up_focus(*open_device("cpu"), acquisition, forced("omegak")).warnings)
            all += warning + "\n";
        return all;
    };
    const std::string unknown = "the beam's bandwidth is not known";
    expect_in(told(), {unknown + ": if it is more than ", "--azimuth-bandwidth HZ"});
    acquisition.doppler_centroid_hz = 0;
    EXPECT_EQ(told().find(unknown), std::string::npos) << "without squint half of the PRF fits";
    acquisition.doppler_centroid_hz = -2517;
    acquisition.azimuth_bandwidth_hz = 5;
    EXPECT_EQ(told().find(unknown), std::string::npos);
}

TEST(ForcedAlgorithm, IsTakenWithAWordWhereItDoesNotHold) {
    EXPECT_THROW(setup_for(wide_scene(), by("rda")), InputError);
    const FocusSetup setup = setup_for(wide_scene(), forced("rda"));
    EXPECT_EQ(setup.algorithm, "rda");
    expect_in(setup.forced_over, "range-Doppler would leave");
    ASSERT_FALSE(setup.warnings.empty());
    expect_in(setup.warnings.back(), "--force");
}

TEST(ForcedAlgorithm, SaysNothingWhereItHolds) {
    const FocusSetup setup = setup_for(preset_scene("spaceborne"), forced("rda"));
    EXPECT_EQ(setup.forced_over, "");
    EXPECT_TRUE(setup.warnings.empty());
}

/// Product 29 at 1.03 times the band; of 35 at 1.4 times nothing is said.
TEST(ShortChirp, IsWarnedOfWhereItsSpectrumFoldsBack) {
    Scene scene = small_scene(700, 900);
    scene.targets.emplace();
    scene.noise_db = 0;
    scene.chirp_duration_s = 0.3e-6;
    scene.chirp_slope_hz_s = 97e6 / scene.chirp_duration_s;
    const std::vector<std::string> warnings = setup_for(scene, by("rda")).warnings;
    ASSERT_EQ(warnings.size(), 1u);
    expect_in(warnings[0], {"the chirp of 97 MHz x 0.3 us is so short", "beyond the 100 MHz of its sampling",
                            "in range, where 0.005 px, 2 degrees and 1 % of width are allowed"});
    scene.chirp_duration_s = 0.5e-6;
    scene.chirp_slope_hz_s = 70e6 / scene.chirp_duration_s;
    EXPECT_TRUE(setup_for(scene, by("rda")).warnings.empty()) << setup_for(scene, by("rda")).warnings.front();
}

/// Where the orbit knows another one, by which apertures would end with more than pi / 4.
TEST(VelocityOption, IsWarnedOfWhereItBlurs) {
    for (const char* preset : {"spaceborne", "radarsat"}) {
        const Scene scene = preset_scene(preset);
        FocusOptions options = by("auto");
        const auto warnings = [&](double times) {
            options.velocity_m_s = times * choose_velocity(describe(scene), 0, {}).profile(scene.near_range_m);
            std::vector<std::string> told = setup_for(scene, options).warnings;
            std::erase_if(told, [](const std::string& text) { return text.starts_with("--doppler-centroid"); });
            return told;
        };
        EXPECT_TRUE(warnings(1.0001).empty()) << preset;
        ASSERT_EQ(warnings(1.02).size(), 1u) << preset;
        expect_in(warnings(1.02)[0], {"--velocity 7", "m/s: the orbit has 70", "blur points"});
    }
}

/// A beam so far off broadside that its band, skewed, is wider in range than what the image samples: points would lie
/// 0.007 px off by every algorithm (a find of scripts/campaign). The band that is told fits; what is forced says so.
TEST(RangeSampling, RefusesAnImageWhoseSpectrumIsWiderThanItsSampling) {
    Scene scene = preset_scene("spaceborne");
    scene.carrier_hz = 26.1e9;
    scene.prf_hz = 3370;
    scene.sample_rate_hz = 8.92e6;
    scene.near_range_m = 651.1e3;
    scene.lines = 1217;
    scene.samples = 891;
    scene.chirp_duration_s = 69.9e-6;
    scene.chirp_slope_hz_s = -5.46e6 / scene.chirp_duration_s;
    scene.velocity_m_s = 7020;
    scene.doppler_centroid_hz = 140e3;
    scene.azimuth_bandwidth_hz = 1540;
    scene.altitude_m = 560e3;
    scene.noise_db = 0;
    scene.targets.emplace();  // nothing is focused
    for (const char* algorithm : {"auto", "rda", "backprojection"}) {
        SCOPED_TRACE(algorithm);
        const std::string text = error_of([&] { setup_for(scene, by(algorithm)); }), before = "at most ";
        expect_in(text, "more than the 8.92 MHz of its sampling");
        FocusOptions narrow = by(algorithm);
        narrow.azimuth_bandwidth_hz = std::stod(text.substr(text.rfind(before) + before.size()));
        EXPECT_GT(*narrow.azimuth_bandwidth_hz, 1000);
        EXPECT_NO_THROW(setup_for(scene, narrow));
    }
    FocusOptions force = by("rda");
    force.force = true;
    const FocusSetup forced = setup_for(scene, force);
    expect_in(forced.forced_over, "alias");
}

}  // namespace
}  // namespace cornerturn

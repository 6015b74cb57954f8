// SPDX-License-Identifier: Apache-2.0
// Several polarizations and frequencies from file to file.
#include "app/verbs/frames.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/verbs/precision_check.h"
#include "data/nisar/l0b_reader.h"
#include "data/nisar/rslc_reader.h"
#include "data/nisar/rslc_writer.h"
#include "data/picture/quicklook.h"
#include "kernels/device/device.h"
#include "pipeline/run/focus.h"
#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/signal_to_error.h"
#include "tests/app/three_frames.h"
#include "tests/data/product_fixture.h"
#include "tests/support/stopped_job.h"

namespace cornerturn {
namespace {

class FramesOfAFile : public ProductTest {
protected:
    std::string three_frames() { return write_three_frames(path("raw.h5")); }

    std::vector<std::unique_ptr<EchoSource>> open(const std::string& file,
                                                  const std::vector<FrameSelection>& selections) {
        std::vector<std::unique_ptr<EchoSource>> sources;
        for (const FrameSelection& selection : selections) sources.push_back(open_l0b(file, selection, warnings_));
        return sources;
    }

    void focus_into(ImageSink& sink, const std::vector<std::unique_ptr<EchoSource>>& sources) {
        std::vector<EchoSource*> frames;
        for (const auto& source : sources) frames.push_back(source.get());
        focus_frames(*device_, frames, {}, sink);
    }

    std::unique_ptr<Device> device_ = open_device("cpu", 2);
    std::vector<std::string> warnings_;
};

std::vector<std::string> names(const std::vector<FrameSelection>& selections) {
    std::vector<std::string> names;
    for (const FrameSelection& one : selections)
        names.push_back(one.frequency.value_or("-") + one.polarization.value_or("-"));
    return names;
}

TEST_F(FramesOfAFile, AreFocusedOnceMoreToSayHowFarTheirImagesAreOff) {
    const std::string file = three_frames();
    const auto selections = choose_frames(file, {"A", "all"});
    {
        RslcFile output(path("slc.h5"), selections.size());
        focus_into(output, open(file, selections));
        output.commit();
    }
    const auto ratios_db = [&](const FocusOptions& options) {
        const auto sources = open(file, selections);
        const std::vector<EchoSource*> frames{sources[0].get(), sources[1].get()};
        Device* const device = device_.get();
        return signal_to_error_db(std::span(&device, 1), frames, options, path("slc.h5"), {});
    };
    EXPECT_EQ(ratios_db({}), (std::vector<double>{INFINITY, INFINITY})) << "the same image";
    FocusOptions fewer_taps;
    fewer_taps.interpolation_taps = 8;
    const std::vector<double> off = ratios_db(fewer_taps);
    for (std::size_t i = 0; i < off.size(); ++i) {
        const auto sources = open(file, {selections[i]});
        EchoSource* const frame = sources[0].get();
        ImageInMemory right;
        focus_frames(*device_, std::span(&frame, 1), fewer_taps, right);
        EXPECT_NEAR(off[i], signal_to_error_db(read_rslc(path("slc.h5"), selections[i]).samples, right.image.samples),
                    1e-6);
    }
}

TEST_F(FramesOfAFile, AreChosenByName) {
    const std::string file = three_frames();
    using Names = std::vector<std::string>;
    EXPECT_EQ(names(choose_frames(file, {"", ""})), Names{"--"}) << "the reader takes the first, and says so";
    EXPECT_EQ(names(choose_frames(file, {"", "hv"})), Names{"-hv"});
    EXPECT_EQ(names(choose_frames(file, {"", "HV,hh"})), (Names{"AHV", "AHH"}));
    EXPECT_EQ(names(choose_frames(file, {"", "all"})), (Names{"AHH", "AHV"}));
    EXPECT_EQ(names(choose_frames(file, {"all", ""})), (Names{"AHH", "BHH"}));
    EXPECT_EQ(names(choose_frames(file, {"B,A", "all"})), (Names{"BHH", "AHH", "AHV"}));
    EXPECT_EQ(names(choose_frames(file, {"b", "all"})), Names{"BHH"});
    expect_refused([&] { choose_frames(file, {"", "HH,HH"}); }, {"--polarization", "HH", "twice"});
    expect_refused([&] { choose_frames(file, {"A,", ""}); }, {"--frequency", "comma"});
    expect_refused([&] { open(file, choose_frames(file, {"all", "HV"})); }, {"polarization", "HV", "frequencyB"});
    expect_refused([&] { open(file, choose_frames(file, {"A,C", ""})); }, {"frequency", "C"});
    expect_refused([&] { choose_frames(path("none.h5"), {"all", ""}); }, {"none.h5"});
}

TEST_F(FramesOfAFile, GoIntoOneFileAsEachWouldAlone) {
    const std::string file = three_frames();
    {
        RslcFile output(path("slc.h5"), 3);
        focus_into(output, open(file, choose_frames(file, {"all", "all"})));
        EXPECT_GT(output.written_bytes(), 0u);
        output.commit();
    }
    EXPECT_EQ(left().size(), 2u) << "the raw file and the image";
    for (const FrameSelection& one : choose_frames(file, {"all", "all"})) {
        SCOPED_TRACE(*one.frequency + *one.polarization);
        ImageInMemory alone;
        focus_into(alone, open(file, {one}));
        const Image image = read_rslc(path("slc.h5"), one);
        EXPECT_EQ(image.acquisition.polarization, one.polarization);
        EXPECT_EQ(image.acquisition.samples, alone.image.acquisition.samples)
            << "the echo of its own frequency is on record";
        EXPECT_EQ(image.processing.effective_velocity_m_s.size(), static_cast<std::size_t>(image.grid.columns));
        ASSERT_EQ(image.grid.columns, alone.image.grid.columns);
        ASSERT_EQ(image.grid.rows, alone.image.grid.rows) << "no squint to speak of";
        EXPECT_TRUE(image.samples == alone.image.samples);
    }
    const h5::File written(H5Fopen(path("slc.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const auto count = [&](const char* name) {
        const h5::Dataset data(H5Dopen2(written, name, H5P_DEFAULT));
        return h5::shape(data).at(0);
    };
    EXPECT_EQ(count("/science/LSAR/identification/listOfFrequencies"), 2u);
    EXPECT_EQ(count("/science/LSAR/RSLC/swaths/frequencyA/listOfPolarizations"), 2u);
    EXPECT_EQ(count("/science/LSAR/RSLC/swaths/frequencyB/listOfPolarizations"), 1u);
}

/// Stops after some rows of the second image.
class StopInTheMiddle final : public ImageSink {
public:
    explicit StopInTheMiddle(ImageSink& to) : to_(to) {}
    void begin(const Image& header) override {
        ++images_;
        to_.begin(header);
    }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        to_.write(first_row, rows);
        if (images_ == 2) stop_job();
        to_.write(first_row, rows);
    }

private:
    ImageSink& to_;
    int images_ = 0;
};

TEST_F(FramesOfAFile, LeaveNothingWhenInterrupted) {
    const std::string file = three_frames();
    {
        RslcFile output(path("slc.h5"), 3);
        StopInTheMiddle sink(output);
        EXPECT_THROW(focus_into(sink, open(file, choose_frames(file, {"all", "all"}))), Interrupted);
        EXPECT_EQ(left().size(), 2u) << "half-written under another name";
    }
    EXPECT_EQ(left(), std::vector<std::string>{"raw.h5"});
}

TEST(Frames, HavePicturesOfTheirOwn) {
    EXPECT_EQ(path_of_piece("out/slc.png", "A-HV"), "out/slc-A-HV.png");
    EXPECT_EQ(path_of_piece("slc", "B-VV"), "slc-B-VV");
}

}  // namespace
}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// The bench of whole processes starts the program, checks its images, and cleans up behind it.
#include "app/bench/job_bench.h"

#include <gtest/gtest.h>

#include "kernels/errors.h"
#include "tests/app/program.h"
#include "tests/data/product_fixture.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class JobBenches : public ProductTest {
protected:
    JobRequest request() const {
        return {.program = built_program(),
                .device = "cpu",
                .lines = 400,
                .samples = 512,
                .scenes = 3,
                .repeat = 2,
                .folder = path("")};
    }
};

TEST_F(JobBenches, TimesProcessesBesidePlainWrites) {
    const JobBench job = measure_job(request(), {});
    EXPECT_TRUE(job.wrong.empty()) << job.wrong.front();
    for (const JobTimes* times : {&job.program, &job.start, &job.write, &job.warm, &job.stream_write, &job.stream}) {
        EXPECT_EQ(times->runs, 2);
        EXPECT_GT(times->least_ms, 0);
        EXPECT_LE(times->least_ms, times->median_ms);
        EXPECT_LE(times->median_ms, times->greatest_ms);
    }
    EXPECT_EQ(job.cold.runs, 1);
    EXPECT_GE(job.image_bytes, 8u * 400 * 512);
    EXPECT_LT(job.position_error_px, 0.05);
    EXPECT_EQ(job.device.at("name"), "cpu");
    EXPECT_DOUBLE_EQ(job.scene_ms(), (job.stream.median_ms - job.start.median_ms) / 3);
    EXPECT_TRUE(left().empty()) << "its files are gone";
}

TEST_F(JobBenches, WithoutAStream) {
    JobRequest single = request();
    single.scenes = 0;
    single.repeat = 1;
    const JobBench job = measure_job(single, {});
    EXPECT_EQ(job.stream.runs, 0);
    EXPECT_EQ(job.warm.runs, 1);
}

TEST_F(JobBenches, WhatTheProgramComplainsOfIsTold) {
    JobRequest bad = request();
    bad.preset = "nowhere";
    expect_error<DeviceError>([&] { measure_job(bad, {}); }, {"exit code 2", "nowhere"});
    EXPECT_TRUE(left().empty());
}

TEST_F(JobBenches, TimesOfSeveralRuns) {
    const JobTimes times = times_of({3, 1, 7});
    EXPECT_EQ(times.median_ms, 3);
    EXPECT_EQ(times.least_ms, 1);
    EXPECT_EQ(times.greatest_ms, 7);
    EXPECT_EQ(times.runs, 3);
}

}  // namespace
}  // namespace cornerturn

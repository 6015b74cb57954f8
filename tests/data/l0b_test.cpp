// SPDX-License-Identifier: Apache-2.0
// Raw echo: what is written reads back the same, what is missing is told, what contradicts itself is refused.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

#include "data/hdf5/hdf5_reader.h"
#include "data/nisar/l0b_writer.h"
#include "data/nisar/rslc_reader.h"
#include "tests/data/l0b_fixture.h"
#include "tests/data/nisar_groups.h"
#include "tests/support/stopped_job.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

void expect_same(const Acquisition& a, const Acquisition& b) {
    EXPECT_EQ(a.identification.mission, b.identification.mission);
    EXPECT_EQ(a.identification.look_side, b.identification.look_side);
    EXPECT_EQ(a.identification.pass_direction, b.identification.pass_direction);
    EXPECT_EQ(a.identification.absolute_orbit_number, b.identification.absolute_orbit_number);
    EXPECT_EQ(a.identification.planned_datatake_id, b.identification.planned_datatake_id);
    EXPECT_EQ(a.identification.planned_observation_id, b.identification.planned_observation_id);
    EXPECT_EQ(a.identification.bounding_polygon, b.identification.bounding_polygon);
    EXPECT_EQ(a.band, b.band);
    EXPECT_EQ(a.frequency, b.frequency);
    EXPECT_EQ(a.polarization, b.polarization);
    EXPECT_EQ(a.lines, b.lines);
    EXPECT_EQ(a.samples, b.samples);
    EXPECT_EQ(a.epoch, b.epoch);
    EXPECT_EQ(a.first_pulse_time_s, b.first_pulse_time_s);
    EXPECT_NEAR(a.prf_hz / b.prf_hz, 1, 1e-12);  // goes through rounded times
    EXPECT_EQ(a.carrier_hz, b.carrier_hz);
    EXPECT_EQ(a.near_range_m, b.near_range_m);
    EXPECT_EQ(a.range_spacing_m, b.range_spacing_m);
    EXPECT_EQ(a.chirp.slope_hz_s, b.chirp.slope_hz_s);
    EXPECT_EQ(a.chirp.duration_s, b.chirp.duration_s);
    EXPECT_EQ(a.orbit, b.orbit);
    EXPECT_EQ(a.attitude, b.attitude);
    EXPECT_EQ(a.effective_velocity_m_s, b.effective_velocity_m_s);
    EXPECT_EQ(a.doppler_centroid_hz, b.doppler_centroid_hz);
    EXPECT_EQ(a.azimuth_bandwidth_hz, b.azimuth_bandwidth_hz);
    EXPECT_EQ(a.truth, b.truth);
}

TEST_F(L0bTest, EveryFormatReadsBackAsItWas) {
    for (const SampleFormat format : {SampleFormat::int8, SampleFormat::int16, SampleFormat::float16,
                                      SampleFormat::lut16, SampleFormat::complex64, SampleFormat::complex128}) {
        const Echo echo = small_echo(format);
        write_l0b(path("a.h5"), echo, L0bSamples::compact);
        const Echo back = read_quietly(path("a.h5"));
        expect_same(back.acquisition, echo.acquisition);
        EXPECT_EQ(back.acquisition.format, format);
        EXPECT_EQ(back.acquisition.decoding.levels, echo.acquisition.decoding.levels);
        EXPECT_TRUE(back.samples == echo.samples);
        EXPECT_EQ(product_kind(path("a.h5")), ProductKind::raw);
    }
}

TEST_F(L0bTest, PhaseErrorsOfSimulatedEchoesReadBack) {
    Echo echo = small_echo(SampleFormat::int8);
    EXPECT_TRUE((write_l0b(path("a.h5"), echo), read_quietly(path("a.h5")).acquisition.true_phase_error_rad.empty()));
    for (int i = 0; i < 37; ++i) echo.acquisition.true_phase_error_rad.push_back(0.1 * i * i);
    write_l0b(path("b.h5"), echo);
    EXPECT_EQ(read_quietly(path("b.h5")).acquisition.true_phase_error_rad, echo.acquisition.true_phase_error_rad);
}

TEST_F(L0bTest, IntegersGoThroughALookUpTableForOtherSoftware) {
    for (const SampleFormat format : {SampleFormat::int8, SampleFormat::int16}) {
        const Echo echo = small_echo(format);
        write_l0b(path("a.h5"), echo);
        const Echo back = read_quietly(path("a.h5"));
        ASSERT_EQ(back.acquisition.format, SampleFormat::lut16);
        ASSERT_EQ(back.acquisition.decoding.levels.size(), 65536u);
        for (std::size_t i = 0; i < 2 * 37 * 211; ++i) {
            std::uint16_t index = 0;
            std::int16_t value = 0;
            std::memcpy(&index, back.samples.data() + 2 * i, 2);
            if (format == SampleFormat::int8)
                value = static_cast<std::int8_t>(echo.samples[i]);
            else
                std::memcpy(&value, echo.samples.data() + 2 * i, 2);
            ASSERT_EQ(back.acquisition.decoding.levels[index], static_cast<float>(value)) << i;
        }
    }
}

TEST_F(L0bTest, GainAndSubSwathsReadBack) {
    Echo echo = small_echo(SampleFormat::complex64);
    EchoDecoding& decoding = echo.acquisition.decoding;
    for (int line = 0; line < 37; ++line) {
        decoding.line_gain.push_back(1.0f + 0.25f * static_cast<float>(line));
        decoding.valid_samples.push_back({3, 100});
        decoding.valid_samples.push_back({110 + line, 211});
    }
    decoding.intervals_per_line = 2;
    write_l0b(path("a.h5"), echo);
    const EchoDecoding back = read_quietly(path("a.h5")).acquisition.decoding;
    EXPECT_EQ(back.intervals_per_line, 2);
    EXPECT_EQ(back.valid_samples, decoding.valid_samples);
    ASSERT_EQ(back.line_gain.size(), 37u);
    for (std::size_t line = 0; line < 37; ++line)
        EXPECT_NEAR(back.line_gain[line] / decoding.line_gain[line], 1, 1e-6);  // dB in float32
}

TEST_F(L0bTest, SubSwathsWithoutGapsAreNoGaps) {
    Echo echo = small_echo(SampleFormat::complex64);
    for (int line = 0; line < 37; ++line)
        for (const Interval part : {Interval{100, 211}, Interval{0, 100}})
            echo.acquisition.decoding.valid_samples.push_back(part);
    echo.acquisition.decoding.intervals_per_line = 2;
    write_l0b(path("a.h5"), echo);
    EXPECT_TRUE(read_quietly(path("a.h5")).acquisition.decoding.valid_samples.empty());
}

TEST_F(L0bTest, SubSwathsAreClippedToTheLine) {
    write_l0b(path("a.h5"), small_echo(SampleFormat::complex64));
    Editor(path("a.h5")).change(l0b_pulses + "/validSamplesSubSwath1", [](std::vector<double>& v) {
        v[0] = 5, v[1] = 9999, v[2] = 300, v[3] = 4e9;
    });
    const auto intervals = header().decoding.valid_samples;
    EXPECT_EQ(warnings_.size(), 1u);  // of the line that holds none
    ASSERT_EQ(intervals.size(), 37u);
    EXPECT_EQ(intervals[0], (Interval{5, 211}));
    EXPECT_EQ(intervals[1].first, intervals[1].last);  // wholly outside
    EXPECT_EQ(intervals[2], (Interval{0, 211}));
}

TEST_F(L0bTest, MissingOrbitIsMadeUpForOthersButNotBelieved) {
    Echo echo = small_echo(SampleFormat::complex64);
    echo.acquisition.orbit.reset();
    echo.acquisition.attitude.reset();
    write_l0b(path("a.h5"), echo);
    const Acquisition back = header();
    EXPECT_FALSE(back.orbit);
    EXPECT_FALSE(back.attitude);
    expect_one_warning("orbit and attitude");
    const h5::Reader file(path("a.h5"));
    const auto times = file.numbers(lsar + "/RRSD/lowRateTelemetry/orbit/time", {});
    EXPECT_LT(times.front(), echo.acquisition.first_pulse_time_s);
    EXPECT_GT(times.back(), echo.acquisition.pulse_time_s(36));
}

TEST_F(L0bTest, TellsWhatIsMissing) {
    write_l0b(path("a.h5"), small_echo(SampleFormat::complex64));
    {
        Editor file(path("a.h5"));
        file.remove(lsar + "/identification");
        file.remove(l0b_pulses + "/calType");
        file.remove(l0b_pulses + "/validSamplesSubSwath1");
        file.remove(lsar + "/RRSD/lowRateTelemetry/attitude");
        file.remove(l0b_pulses + "/rangeBandwidth");
        file.remove(l0b_pulses + "/nominalAcquisitionPRF");
        file.remove(l0b_pulses + "/slantRangeSpacing");
    }
    const Acquisition back = header();
    EXPECT_NEAR(back.range_spacing_m, 1.49896229, 1e-8);
    for (const char* word : {"identification", "calType", "validSamples", "attitude"})
        EXPECT_EQ(warnings_of(word), 1) << word;
    EXPECT_EQ(warnings_.size(), 4u);
}

TEST_F(L0bTest, UnevenPulsesKeepTheirTimes) {
    Echo echo = small_echo(SampleFormat::complex64);
    Acquisition& acquisition = echo.acquisition;
    const double interval_s = 1 / acquisition.prf_hz;
    for (int line = 0; line < 37; ++line)  // one is lost, the others dithered
        acquisition.pulse_times_s.push_back(acquisition.first_pulse_time_s +
                                            interval_s *
                                                (line + (line >= 20) + (line % 36 == 0 ? 0 : 0.05 * std::sin(line))));
    write_l0b(path("a.h5"), echo);
    const Acquisition back = header();
    EXPECT_EQ(back.pulse_times_s, acquisition.pulse_times_s);
    EXPECT_TRUE(back.identification.dithered);
    EXPECT_NEAR(back.prf_hz / acquisition.prf_hz, 1, 1e-9);
    expect_one_warning({"uneven", "1 of 38 pulses are missing"});
}

TEST_F(L0bTest, OrbitTimesMayCountFromAnotherDay) {
    const Echo echo = small_echo(SampleFormat::complex64);
    write_l0b(path("a.h5"), echo);
    {
        Editor file(path("a.h5"));
        const std::string time = lsar + "/RRSD/lowRateTelemetry/orbit/time";
        // 2026-02-28T23:59:30 is 86370 s after midnight.
        file.change(time, [](std::vector<double>& v) {
            for (double& t : v) t += 86370;
        });
        H5Adelete_by_name(file.id(), time.c_str(), "units", H5P_DEFAULT);
        const h5::Object object(H5Oopen(file.id(), time.c_str(), H5P_DEFAULT));
        const h5::Type type(H5Tcopy(H5T_C_S1));
        H5Tset_size(type, H5T_VARIABLE);  // as other writers do
        const h5::Space space(H5Screate(H5S_SCALAR));
        const h5::Attribute attribute(H5Acreate2(object, "units", type, space, H5P_DEFAULT, H5P_DEFAULT));
        const char* text = "seconds since 2026-02-28 00:00:00";
        H5Awrite(attribute, type, &text);
    }
    expect_same(read_quietly(path("a.h5")).acquisition, echo.acquisition);
}

TEST_F(L0bTest, TimesWithoutUnitsCountFromTheOrbitsEpoch) {
    const Echo echo = small_echo(SampleFormat::complex64);
    write_l0b(path("a.h5"), echo);
    H5Adelete_by_name(Editor(path("a.h5")).id(), (l0b_pulses + "/UTCtime").c_str(), "units", H5P_DEFAULT);
    expect_same(header(), echo.acquisition);
    expect_one_warning("UTCtime has no units");
}

TEST_F(L0bTest, TellsOfFewerSubSwathsThanStated) {
    write_l0b(path("a.h5"), small_echo(SampleFormat::complex64));
    Editor(path("a.h5")).change(l0b_pulses + "/numberOfSubSwaths", 3);
    header();
    expect_one_warning("numberOfSubSwaths is 3");
}

TEST_F(L0bTest, ChoosesFrequencyAndPolarization) {
    Echo echo = small_echo(SampleFormat::complex64);
    write_l0b(path("a.h5"), echo);
    {  // HH beside HV, and frequency B a copy of A
        Editor file(path("a.h5"));
        H5Ocopy(file.id(), (l0b_pulses + "/rxV").c_str(), file.id(), (l0b_pulses + "/rxH").c_str(), H5P_DEFAULT,
                H5P_DEFAULT);
        H5Lmove(file.id(), (l0b_pulses + "/rxH/HV").c_str(), file.id(), (l0b_pulses + "/rxH/HH").c_str(), H5P_DEFAULT,
                H5P_DEFAULT);
        H5Ocopy(file.id(), (lsar + "/RRSD/swaths/frequencyA").c_str(), file.id(),
                (lsar + "/RRSD/swaths/frequencyB").c_str(), H5P_DEFAULT, H5P_DEFAULT);
    }
    const Acquisition first = header();
    EXPECT_EQ(first.frequency + first.polarization, "AHH");
    expect_one_warning("HH, HV");
    const Acquisition chosen = read_quietly(path("a.h5"), {.frequency = "b", .polarization = "hv"}).acquisition;
    EXPECT_EQ(chosen.frequency + chosen.polarization, "BHV");
    expect_refused([&] { header("a.h5", {.frequency = {}, .polarization = "VV"}); }, {"polarization VV", "HH, HV"});
    expect_refused([&] { header("a.h5", {.frequency = "C", .polarization = {}}); }, {"frequency C", "A and B"});
}

/// The file has one Doppler centroid, at the carrier of frequency A.
TEST_F(L0bTest, DopplerCentroidGoesWithTheCarrier) {
    Echo echo = small_echo(SampleFormat::complex64);
    echo.acquisition.doppler_centroid_hz = 100;
    echo.acquisition.azimuth_bandwidth_hz = 80;
    write_l0b(path("a.h5"), echo);
    {
        Editor file(path("a.h5"));
        H5Ocopy(file.id(), (lsar + "/RRSD/swaths/frequencyA").c_str(), file.id(),
                (lsar + "/RRSD/swaths/frequencyB").c_str(), H5P_DEFAULT, H5P_DEFAULT);
        file.change(lsar + "/RRSD/swaths/frequencyB/txH/centerFrequency", 1.1 * echo.acquisition.carrier_hz);
    }
    EXPECT_EQ(read_quietly(path("a.h5"), {.frequency = "A", .polarization = {}}).acquisition.doppler_centroid_hz, 100);
    const Acquisition b = read_quietly(path("a.h5"), {.frequency = "B", .polarization = {}}).acquisition;
    EXPECT_DOUBLE_EQ(b.doppler_centroid_hz.value(), 110);
    EXPECT_EQ(b.azimuth_bandwidth_hz, 80) << "the beam narrows as the carrier grows";
}

TEST_F(L0bTest, OneLineNeedsAStatedPrf) {
    write_l0b(path("a.h5"), small_echo(SampleFormat::int8, 1, 300));
    EXPECT_EQ(read_quietly(path("a.h5")).acquisition.prf_hz, 500);
    Editor(path("a.h5")).remove(l0b_pulses + "/nominalAcquisitionPRF");
    expect_refused([&] { read_quietly(path("a.h5")); }, {"UTCtime", "single pulse"});
}

TEST_F(L0bTest, InterruptionLeavesNothing) {
    stop_job();
    EXPECT_THROW(write_l0b(path("a.h5"), small_echo(SampleFormat::int16)), Interrupted);
    EXPECT_TRUE(left().empty());
}

/// A dataset in chunks that were never written: as large as it likes in a small file.
void claim(Editor& file, const std::string& path, const std::vector<hsize_t>& extents) {
    if (H5Lexists(file.id(), path.c_str(), H5P_DEFAULT) > 0) file.remove(path);
    const h5::Space space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
    const h5::Properties creation(H5Pcreate(H5P_DATASET_CREATE));
    const std::vector<hsize_t> chunk(extents.size(), 1);
    H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
    const h5::Dataset data(
        H5Dcreate2(file.id(), path.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    EXPECT_TRUE(data.valid());
}

TEST_F(L0bTest, ReadsATableOfDopplerCentroids) {
    write_l0b(path("raw.h5"), small_echo(SampleFormat::complex64));
    const std::string group = lsar + "/RRSD/metadata/processingInformation/parameters/frequencyA";
    const std::vector<double> times{0, 1, 2}, ranges{9000, 9100, 9200, 9300};
    const auto truth = [](double time_s, double range_m) {
        return -7000 + 3 * time_s + 0.5 * (range_m - 9000) + 0.001 * time_s * (range_m - 9000);
    };
    std::vector<double> values;
    for (const double time_s : times)
        for (const double range_m : ranges) values.push_back(truth(time_s, range_m));
    EXPECT_FALSE(read_quietly(path("raw.h5")).acquisition.doppler_of_pixels_hz);
    {
        Editor file(path("raw.h5"));
        H5Gclose(H5Gcreate2(file.id(), group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        file.replace(group + "/zeroDopplerTime", H5T_NATIVE_DOUBLE, {3}, times.data());
        file.replace(group + "/slantRange", H5T_NATIVE_DOUBLE, {4}, ranges.data());
        file.replace(group + "/dopplerCentroid", H5T_NATIVE_DOUBLE, {3, 4}, values.data());
    }
    const auto table = read_quietly(path("raw.h5")).acquisition.doppler_of_pixels_hz;
    ASSERT_TRUE(table);
    EXPECT_NEAR((*table)(0.7, 9233), truth(0.7, 9233), 1e-6);
    {
        Editor file(path("raw.h5"));
        file.replace(group + "/zeroDopplerTime", H5T_NATIVE_DOUBLE, {2}, times.data());
    }
    expect_refused([&] { read_quietly(path("raw.h5")); }, {"zeroDopplerTime", "2", "3"});
}

TEST_F(L0bTest, RefusesTablesThatNoMemoryHolds) {
    write_l0b(path("good.h5"), small_echo(SampleFormat::complex64));
    const hsize_t absurd = 1'000'000'000'000;
    const std::string orbit = lsar + "/RRSD/lowRateTelemetry/orbit";
    const std::vector<std::pair<std::string, std::vector<hsize_t>>> claims{
        {l0b_pulses + "/validSamplesSubSwath1", {37, absurd}},
        {l0b_pulses + "/rxV/attenuation", {37, absurd}},
        {l0b_pulses + "/slantRange", {absurd}},
        {orbit + "/time", {absurd}},
        {orbit + "/position", {11, absurd}}};
    for (const auto& [name, extents] : claims) {
        SCOPED_TRACE(name);
        std::filesystem::copy_file(path("good.h5"), path("bad.h5"), std::filesystem::copy_options::overwrite_existing);
        {
            Editor file(path("bad.h5"));
            claim(file, name, extents);
        }
        expect_refused([&] { read_quietly(path("bad.h5")); }, {"bad.h5", name, "1000000000000"});
    }
}

TEST_F(L0bTest, RefusesWhatIsNoFileOfThisKind) {
    std::ofstream(path("text.h5")) << std::string(2000, 'x');
    std::ofstream(path("empty.h5")).close();
    expect_refused([&] { read_quietly(path("text.h5")); }, {"text.h5", "not an HDF5 file"});
    expect_refused([&] { read_quietly(path("empty.h5")); }, {"empty.h5", "is empty"});
    expect_refused([&] { read_quietly(path("absent.h5")); }, {"absent.h5", "No such file"});
    expect_refused([&] { read_quietly(path("")); }, {"is a folder"});
    expect_refused([&] { product_kind(path("text.h5")); }, {"text.h5", "not an HDF5 file"});
    write_l0b(path("a.h5"), small_echo(SampleFormat::complex64));
    const auto size = std::filesystem::file_size(path("a.h5"));
    std::filesystem::resize_file(path("a.h5"), size / 2);
    expect_refused([&] { read_quietly(path("a.h5")); },
                   {"a.h5", "truncated", std::to_string(size / 2), std::to_string(size)});
}

TEST_F(L0bTest, WritesSeveralPolarizationsOfTheSamePulses) {
    Echo co = small_echo(SampleFormat::int16), cross = co;
    co.acquisition.polarization = "HH";
    cross.acquisition.polarization = "HV";
    std::reverse(cross.samples.begin(), cross.samples.end());
    EchoInMemory first(co), second(cross);
    EchoSource* const received[] = {&first, &second};
    write_l0b(path("both.h5"), received, L0bSamples::compact);
    EXPECT_EQ(read_quietly(path("both.h5"), {.polarization = "HH"}).samples, co.samples);
    const Echo other = read_quietly(path("both.h5"), {.polarization = "HV"});
    EXPECT_EQ(other.samples, cross.samples);
    EXPECT_EQ(other.acquisition.polarization, "HV");
}

}  // namespace
}  // namespace cornerturn

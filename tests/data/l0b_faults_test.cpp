// SPDX-License-Identifier: Apache-2.0
// Raw files with one thing wrong each: refused, and the refusal names it.
#include <cmath>
#include <filesystem>

#include "data/hdf5/hdf5_reader.h"
#include "data/nisar/l0b_reader.h"
#include "data/nisar/l0b_writer.h"
#include "product_fixture.h"
#include "tests/data/nisar_groups.h"
#include "tests/support/texts.h"
#include "tests/support/whole_files.h"

namespace cornerturn {
namespace {

using L0bFaults = ProductTest;

/// A file with one thing wrong, and words its refusal must hold.
struct Fault {
    const char* name;
    Spoil spoil;
    std::vector<std::string> words;
};

Spoil reshaped_samples(hid_t part, const std::vector<hsize_t>& shape) {
    return [=](Editor& file) { file.replace(l0b_pulses + "/rxV/HV", h5::complex_type(part), shape); };
}

void make_samples_a_group(Editor& file) {
    file.remove(l0b_pulses + "/rxV/HV");
    H5Gclose(H5Gcreate2(file.id(), (l0b_pulses + "/rxV/HV").c_str(), 0, 0, 0));
}

void count_times_in_days(Editor& file) {
    const std::string times = l0b_pulses + "/UTCtime";
    H5Adelete_by_name(file.id(), times.c_str(), "units", 0);
    const h5::Object object(H5Oopen(file.id(), times.c_str(), 0));
    const h5::Type type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, 4);
    const h5::Space space(H5Screate(H5S_SCALAR));
    const h5::Attribute units(H5Acreate2(object, "units", type, space, 0, 0));
    H5Awrite(units, type, "days");
}

std::vector<Fault> faults() {
    const std::string root = lsar + "/RRSD", samples = l0b_pulses + "/rxV/HV", times = l0b_pulses + "/UTCtime",
                      ranges = l0b_pulses + "/slantRange", carrier = l0b_pulses + "/centerFrequency",
                      slope = l0b_pulses + "/chirpSlope", orbit = root + "/lowRateTelemetry/orbit",
                      attitude = root + "/lowRateTelemetry/attitude",
                      parameters = root + "/metadata/processingInformation/parameters";
    using Values = std::vector<double>;
    return {
        {"no product group", without(root), {"no group", "RRSD"}},
        {"no frequency", without(root + "/swaths/frequencyA"), {"RRSD/swaths", "frequencyA"}},
        {"no polarization", without(l0b_pulses + "/rxV"), {"frequencyA", "no polarization"}},
        {"no samples", without(samples), {"rxV/HV", "missing"}},
        {"samples are a group", make_samples_a_group, {"rxV/HV", "group"}},
        {"one axis", reshaped_samples(H5T_IEEE_F32LE, {37}), {"rxV/HV", "two axes"}},
        {"three axes", reshaped_samples(H5T_IEEE_F32LE, {2, 37, 211}), {"rxV/HV", "2 x 37 x 211", "channels"}},
        {"real samples", reshaped(samples, H5T_IEEE_F32LE, {37, 211}), {"rxV/HV", "float32", "complex"}},
        {"empty echo", reshaped_samples(H5T_IEEE_F32LE, {0, 211}), {"rxV/HV", "empty"}},
        {"indices without table", reshaped_samples(H5T_STD_U16LE, {37, 211}), {"rxV/HV", "BFPQLUT", "missing"}},
        {"no times", without(times), {"UTCtime", "missing"}},
        {"too few times", reshaped(times, H5T_IEEE_F64LE, {36}), {"UTCtime", "36", "37"}},
        {"times as matrix", reshaped(times, H5T_IEEE_F64LE, {37, 2}), {"UTCtime", "37 x 2"}},
        {"times as text", reshaped(times, H5T_C_S1, {37}), {"UTCtime", "text", "numbers"}},
        {"times stand still", changed(times, [](Values& t) { t[7] = t[6]; }), {"UTCtime", "index 7"}},
        {"times with NaN", changed_at(times, 7, NAN), {"UTCtime", "nan", "index 7"}},
        {"two pulses at nearly one time",
         changed(times, [](Values& t) { t[7] = t[6] + 0.1 * (t[7] - t[6]); }),
         {"UTCtime", "no train of pulses", "line 7"}},
        {"most pulses missing",
         changed(times, [](Values& t) { std::for_each(t.begin() + 20, t.end(), [](double& v) { v += 1; }); }),
         {"UTCtime", "no train of pulses", "missing"}},
        {"odd time units", count_times_in_days, {"UTCtime", "days", "seconds since"}},
        {"another PRF", changed(l0b_pulses + "/nominalAcquisitionPRF", 510), {"nominalAcquisitionPRF", "510", "500"}},
        {"range not uniform", changed(ranges, [](Values& r) { r[100] += 0.1; }), {"slantRange", "index 100"}},
        {"range falls",
         changed(ranges, [](Values& r) { std::reverse(r.begin(), r.end()); }),
         {"slantRange", "index 1"}},
        {"range negative",
         changed(ranges, [](Values& r) { std::for_each(r.begin(), r.end(), [](double& v) { v -= 1e5; }); }),
         {"slantRange", "positive"}},
        {"range too short", reshaped(ranges, H5T_IEEE_F64LE, {10}), {"slantRange", "10", "211"}},
        {"spacing contradicts",
         changed(l0b_pulses + "/slantRangeSpacing", 1.4992),
         {"slantRangeSpacing", "1.4992", "1.49896"}},
        {"spacing zero", changed(l0b_pulses + "/slantRangeSpacing", 0), {"slantRangeSpacing", "positive"}},
        {"carrier negative", changed(carrier, -9.65e9), {"centerFrequency", "positive"}},
        {"carrier NaN", changed(carrier, NAN), {"centerFrequency", "nan"}},
        {"carrier in GHz", changed(carrier, 9.65), {"centerFrequency", "sample rate"}},
        {"carrier as text", reshaped(carrier, H5T_C_S1, {}), {"centerFrequency", "text"}},
        {"carrier as vector", reshaped(carrier, H5T_IEEE_F64LE, {2}), {"centerFrequency", "single number"}},
        {"slope zero", changed(slope, 0), {"chirpSlope"}},
        {"slope too steep", changed(slope, 2e14), {"chirpSlope", "chirpDuration", "sample rate"}},
        {"slope infinite", changed(slope, INFINITY), {"chirpSlope", "inf"}},
        {"chirp too long", changed(l0b_pulses + "/chirpDuration", 3e-6), {"chirpDuration", "211 samples"}},
        {"bandwidth contradicts", changed(l0b_pulses + "/rangeBandwidth", 60e6), {"rangeBandwidth", "6e+07", "8e+07"}},
        {"valid samples as vector",
         reshaped(l0b_pulses + "/validSamplesSubSwath1", H5T_STD_U32LE, {37}),
         {"validSamplesSubSwath1", "37 x 2"}},
        {"cal type too short", reshaped(l0b_pulses + "/calType", H5T_STD_U8LE, {5}), {"calType", "5", "37"}},
        {"attenuation too short",
         reshaped(l0b_pulses + "/rxV/attenuation", H5T_IEEE_F32LE, {5, 1}),
         {"attenuation", "37"}},
        {"one state vector", reshaped(orbit + "/time", H5T_IEEE_F64LE, {1}), {"orbit/time", "at least 2"}},
        {"orbit times fall", changed_at(orbit + "/time", 4, 0), {"orbit/time", "index 4"}},
        {"positions in a plane", reshaped(orbit + "/position", H5T_IEEE_F64LE, {11, 2}), {"orbit/position", "11 x 3"}},
        {"no velocities", without(orbit + "/velocity"), {"orbit/velocity", "missing"}},
        {"short quaternions", reshaped(attitude + "/quaternions", H5T_IEEE_F64LE, {11, 3}), {"quaternions", "11 x 4"}},
        {"standing still", changed(parameters + "/effectiveVelocity", 0), {"effectiveVelocity", "positive"}},
        {"Doppler NaN", changed(parameters + "/dopplerCentroid", NAN), {"dopplerCentroid", "nan"}},
        {"too few amplitudes",
         reshaped(root + "/metadata/simulation/targets/amplitudeReal", H5T_IEEE_F64LE, {1}),
         {"amplitudeReal", "one for each target"}},
    };
}

TEST_F(L0bFaults, AreRefusedByName) {
    write_l0b(path("good.h5"), small_echo(SampleFormat::complex64));
    for (const Fault& fault : faults()) {
        SCOPED_TRACE(fault.name);
        std::filesystem::copy_file(path("good.h5"), path("bad.h5"), std::filesystem::copy_options::overwrite_existing);
        {
            Editor editor(path("bad.h5"));
            fault.spoil(editor);
        }
        std::vector<std::string> words = fault.words;
        words.push_back("bad.h5");
        std::vector<std::string> warnings;
        expect_refused([&] { read_l0b(path("bad.h5"), {}, warnings); }, words);
    }
}

}  // namespace
}  // namespace cornerturn

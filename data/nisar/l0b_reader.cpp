// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/l0b_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "data/files/refusal.h"
#include "data/hdf5/sample_reader.h"
#include "data/nisar/l0b_axes.h"
#include "data/nisar/l0b_calibration.h"
#include "data/nisar/product_group.h"
#include "data/nisar/product_parts.h"
#include "data/nisar/surface_table.h"
#include "data/nisar/uniform_axis.h"
#include "data/nisar/valid_intervals.h"
#include "kernels/errors.h"
#include "kernels/host/available_memory.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/number_text.h"

namespace cornerturn {
namespace {

bool is_one_of(char c, std::string_view letters) { return letters.find(c) != std::string_view::npos; }

std::string find_raw_product(const h5::Reader& file) {
    if (const auto raw = find_product(file, raw_products)) return *raw;
    for (const auto& [names, what] : {std::pair(image_products, "a focused image"),
                                      {map_products, "an image on a map"},
                                      {detected_products, "a detected image"}})
        if (const auto other = find_product(file, names))
            throw InputError(fmt::format("{}: {}: this is {}, expected raw echo (NISAR L0B, group RRSD)",
                                         file.file_name(), *other, what));
    throw InputError(
        fmt::format("{}: no group /science/LSAR/RRSD or /science/SSAR/RRSD, expected raw echo in NISAR L0B layout",
                    file.file_name()));
}

std::vector<std::string> frequencies_of(const h5::Reader& file, const std::string& product) {
    const std::string group = product + "/swaths";
    std::vector<std::string> found = frequencies_below(file, group);
    if (found.empty()) file.refuse(group, "holds neither frequencyA nor frequencyB, expected one of them");
    return found;
}

std::string find_frequency(const h5::Reader& file, const std::string& product,
                           const std::optional<std::string>& wanted) {
    const std::vector<std::string> found = frequencies_of(file, product);
    const std::string chosen = wanted ? upper(*wanted) : found.front();
    if (std::find(found.begin(), found.end(), chosen) == found.end())
        file.refuse(product + "/swaths", fmt::format("there is no frequency {}, only {}; choose one of these", *wanted,
                                                     fmt::join(found, " and ")));
    return chosen;
}

std::vector<std::string> polarizations_of(const h5::Reader& file, const std::string& frequency_group) {
    std::vector<std::string> found;
    for (const std::string& tx : file.children(frequency_group)) {
        if (tx.size() != 3 || !tx.starts_with("tx") || !is_one_of(tx[2], "HVLR")) continue;
        for (const std::string& rx : file.children(frequency_group + "/" + tx))
            if (rx.size() == 3 && rx.starts_with("rx") && is_one_of(rx[2], "HV")) found.push_back({tx[2], rx[2]});
    }
    if (found.empty())
        file.refuse(frequency_group,
                    "holds no polarization, expected a group txH, txV, txL or txR with rxH or rxV below it");
    return found;
}

std::string find_polarization(const h5::Reader& file, const std::string& frequency_group,
                              const std::optional<std::string>& wanted, Warnings& warnings) {
    const std::vector<std::string> found = polarizations_of(file, frequency_group);
    const std::string chosen = wanted ? upper(*wanted) : found.front();
    if (std::find(found.begin(), found.end(), chosen) == found.end())
        file.refuse(frequency_group, fmt::format("there is no polarization {}, only {}; choose one of these", *wanted,
                                                 fmt::join(found, ", ")));
    if (!wanted && found.size() > 1)
        warnings.push_back(
            fmt::format("{}: holds polarizations {}; {} is taken", file.file_name(), fmt::join(found, ", "), chosen));
    return chosen;
}

/// What is known of the receiver's attenuation, in dB, for each line and channel.
bool means_gain_control(const h5::Reader& file, const std::string& path, const h5::Table& attenuation) {
    const std::string description = lower(file.attribute(path, "description").value_or(""));
    if (description.find("gain control") != std::string::npos) return true;
    bool varies = false;
    for (std::int64_t line = 0; line < attenuation.rows; ++line) {
        varies = varies || attenuation.at(line, 0) != attenuation.at(0, 0);
        for (std::int64_t channel = 1; channel < attenuation.columns; ++channel)
            if (attenuation.at(line, channel) != attenuation.at(line, 0)) return false;
    }
    return varies;
}

/// Gain control (l0b_reader.h): the factor of each line; nothing where there is none.
std::vector<float> read_line_gain(const h5::Reader& file, const L0bPaths& paths, std::int64_t lines,
                                  Warnings& warnings) {
    const std::string path = paths.receive + "/attenuation";
    if (!file.exists(path)) return {};
    const auto extents = h5::shape(file.dataset(path));
    const auto channels = extents.size() == 2 ? std::optional(static_cast<std::int64_t>(extents[1])) : std::nullopt;
    if (channels == 0) return {};
    constexpr std::int64_t most_channels = 1024;
    if (channels > most_channels)
        file.refuse(path, fmt::format("has {} columns, expected one for each receive channel, at most {}", *channels,
                                      most_channels));
    const h5::Table table =
        file.table(path, {.rows = lines, .columns = channels, .meaning = "one row for each line of " + paths.samples});
    if (std::all_of(table.values.begin(), table.values.end(), [](double db) { return db == 0; })) return {};
    if (!means_gain_control(file, path, table)) {
        const auto [least, most] = std::minmax_element(table.values.begin(), table.values.end());
        warnings.push_back(
            fmt::format("{}: {}: {:.6g} to {:.6g} dB in {} channels are not used: they do not change from line to line "
                        "by the same in all channels, as gain control does",
                        file.file_name(), path, *least, *most, table.columns));
        return {};
    }
    std::vector<float> gain(static_cast<std::size_t>(lines));
    for (std::int64_t i = 0; i < lines; ++i) {
        const double factor = std::pow(10.0, table.at(i, 0) / 20.0);
        if (!(factor < 1e30))
            file.refuse(path, fmt::format("is {} dB at line {}, expected a receiver's attenuation", table.at(i, 0), i));
        gain[static_cast<std::size_t>(i)] = static_cast<float>(factor);
    }
    return gain;
}

/// True if the intervals of a line leave no sample out.
bool covers(std::vector<Interval> intervals, std::int64_t samples) {
    std::sort(intervals.begin(), intervals.end(), [](Interval a, Interval b) { return a.first < b.first; });
    std::int64_t reached = 0;
    for (const Interval interval : intervals)
        if (interval.first <= reached) reached = std::max<std::int64_t>(reached, interval.last);
    return reached >= samples;
}

/// The intervals' datasets; fewer than the stated number is worth a word.
std::vector<std::string> sub_swaths_of(const h5::Reader& file, const L0bPaths& paths, Warnings& warnings) {
    const double stated = file.optional_number(paths.transmit + "/numberOfSubSwaths").value_or(0);
    std::vector<std::string> found = sub_swath_paths(file, paths.transmit);
    if (found.empty())
        warnings.push_back(fmt::format("{}: {}/validSamplesSubSwath1 is missing: every sample is taken as echo",
                                       file.file_name(), paths.transmit));
    else if (static_cast<double>(found.size()) < stated)
        warnings.push_back(
            fmt::format("{}: {}/numberOfSubSwaths is {}, but only {} of validSamplesSubSwath1 ... are there: echo "
                        "outside these is left out",
                        file.file_name(), paths.transmit, stated, found.size()));
    return found;
}

void read_valid_samples(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition, Warnings& warnings) {
    const auto sub_swaths = sub_swaths_of(file, paths, warnings);
    if (sub_swaths.empty()) return;
    const auto lines = static_cast<std::size_t>(acquisition.lines);
    require_memory(static_cast<double>(lines * sub_swaths.size() * sizeof(Interval)),
                   fmt::format("{}: {} and its like", file.file_name(), sub_swaths.front()));
    std::vector<Interval> intervals =
        read_valid_intervals(file, sub_swaths, acquisition.lines, acquisition.samples, "line of " + paths.samples);
    if (std::all_of(intervals.begin(), intervals.end(), [](Interval i) { return i.first == i.last; })) {
        warnings.push_back(fmt::format("{}: {} and its like mark no sample as valid: every sample is taken as echo",
                                       file.file_name(), sub_swaths.front()));
        return;
    }
    const auto line_covered = [&](std::size_t line) {
        const auto begin = intervals.begin() + static_cast<std::ptrdiff_t>(line * sub_swaths.size());
        return covers({begin, begin + static_cast<std::ptrdiff_t>(sub_swaths.size())}, acquisition.samples);
    };
    bool all_covered = true;
    for (std::size_t line = 0; line < lines && all_covered; ++line) all_covered = line_covered(line);
    if (all_covered) return;
    acquisition.decoding.intervals_per_line = static_cast<int>(sub_swaths.size());
    acquisition.decoding.valid_samples = std::move(intervals);
}

std::vector<float> read_levels(const h5::Reader& file, const L0bPaths& paths, Warnings& warnings) {
    const std::string path = paths.receive + "/BFPQLUT";
    if (!file.exists(path))
        file.refuse(
            paths.samples,
            fmt::format("holds uint16 indices, but their table {} is missing; expected 65536 float32 levels there",
                        path));
    constexpr std::size_t count = 65536;
    const h5::Dataset data = file.dataset(path);
    const h5::Type type = h5::type_of(data);
    const auto extents = h5::shape(data);
    if (extents != std::vector<hsize_t>{count} || h5::class_of(type) != H5T_FLOAT)
        file.refuse(path, fmt::format("holds {} of {}, expected 65536 levels of float32", h5::shape_text(data),
                                      h5::type_text(type)));
    std::vector<float> levels(count);
    file.read(data, H5T_NATIVE_FLOAT, levels.data(), path);
    const auto bad = std::count_if(levels.begin(), levels.end(), [](float v) { return !std::isfinite(v); });
    if (bad > 0)
        warnings.push_back(
            fmt::format("{}: {}: {} of 65536 levels are not finite; samples of these levels count as missing",
                        file.file_name(), path, bad));
    return levels;
}

/// The carrier that the file's one Doppler centroid belongs to: that of its first frequency group, A where there is
/// one.
double carrier_of_centroid_hz(const h5::Reader& file, const L0bPaths& paths, const Acquisition& acquisition) {
    const std::string frequency = frequencies_of(file, paths.product).front();
    if (frequency == acquisition.frequency) return acquisition.carrier_hz;
    const std::string group = fmt::format("{}/swaths/frequency{}", paths.product, frequency);
    const std::string path = fmt::format("{}/tx{}/centerFrequency", group, polarizations_of(file, group).front()[0]);
    const double carrier_hz = file.number(path);
    check_positive(file, path, carrier_hz, "Hz");
    return carrier_hz;
}

/// A table at the place where focused products have it: that of the frequency, else that of the file's first at this
/// carrier.
void read_doppler_table(const h5::Reader& file, const L0bPaths& paths, const std::string& group,
                        Acquisition& acquisition) {
    const auto of_frequency = [&](const std::string& frequency) {
        return read_surface(file, fmt::format("{}/frequency{}", group, frequency), "dopplerCentroid",
                            epoch_of(acquisition), acquisition.orbit, SurfaceWanted::always);
    };
    acquisition.doppler_of_pixels_hz = of_frequency(acquisition.frequency);
    if (acquisition.doppler_of_pixels_hz) return;
    acquisition.doppler_of_pixels_hz = of_frequency(frequencies_of(file, paths.product).front());
    if (!acquisition.doppler_of_pixels_hz) return;
    const double carrier_hz = carrier_of_centroid_hz(file, paths, acquisition);
    for (auto& row : acquisition.doppler_of_pixels_hz->powers)
        for (double& power : row) power = doppler_at_carrier_hz(power, carrier_hz, acquisition.carrier_hz);
}

/// Our own extension of the layout, for echoes without an orbit.
void read_parameters(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition) {
    const std::string group = paths.product + "/metadata/processingInformation/parameters";
    acquisition.effective_velocity_m_s = file.optional_number(group + "/effectiveVelocity");
    acquisition.doppler_centroid_hz = file.optional_number(group + "/dopplerCentroid");
    acquisition.azimuth_bandwidth_hz = file.optional_number(group + "/azimuthBandwidth");
    for (const auto& [name, value] : {std::pair{"effectiveVelocity", acquisition.effective_velocity_m_s},
                                      std::pair{"azimuthBandwidth", acquisition.azimuth_bandwidth_hz}})
        if (value && *value <= 0)
            file.refuse(fmt::format("{}/{}", group, name), fmt::format("is {}, expected a positive number", *value));
    if (auto& centroid_hz = acquisition.doppler_centroid_hz)
        centroid_hz = doppler_at_carrier_hz(*centroid_hz, carrier_of_centroid_hz(file, paths, acquisition),
                                            acquisition.carrier_hz);
    read_doppler_table(file, paths, group, acquisition);
}

void read_platform(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition, Warnings& warnings) {
    const std::string group = paths.product + "/lowRateTelemetry";
    const Epoch epoch = epoch_of(acquisition);
    acquisition.orbit = read_orbit(file, group + "/orbit", epoch);
    acquisition.attitude = read_attitude(file, group + "/attitude", epoch);
    acquisition.local_track = read_local_track(file, group + "/orbit", epoch);
    if (acquisition.local_track) return;  // where there is neither Doppler centroid nor velocity
    const char* missing = !acquisition.orbit && !acquisition.attitude ? "orbit and attitude are"
                          : !acquisition.orbit                        ? "orbit is"
                          : !acquisition.attitude                     ? "attitude is"
                                                                      : nullptr;
    if (missing != nullptr)
        warnings.push_back(
            fmt::format("{}: {}: {} missing or synthetic: no Doppler centroid or velocity follows from them",
                        file.file_name(), group, missing));
}

/// Receive channels have numbers only.
std::optional<std::int64_t> channel_of(const std::string& path, const FrameSelection& selection) {
    if (!selection.channel) return std::nullopt;
    const std::string& text = *selection.channel;
    const auto number = number_from<std::int64_t>(text);
    if (!number)
        refuse(path, fmt::format("--channel {}: receive channels of NISAR have numbers; give one, from 0 on", text));
    return number;
}

struct OpenedEcho {
    h5::Reader file;
    SampleMatrix samples;
    Acquisition acquisition;
};

/// What a file says of its lines, in one turn: where many are opened at once, one for each dataset would take longer.
L0bPaths read_lines(OpenedEcho& echo, const FrameSelection& selection, Warnings& warnings) {
    const h5::Turn turn;
    const h5::Reader& file = echo.file;
    Acquisition& acquisition = echo.acquisition;
    L0bPaths paths;
    paths.product = find_raw_product(file);
    acquisition.band = paths.band_group().substr(sizeof("/science/") - 1);
    acquisition.frequency = find_frequency(file, paths.product, selection.frequency);
    paths.frequency = fmt::format("{}/swaths/frequency{}", paths.product, acquisition.frequency);
    acquisition.polarization = find_polarization(file, paths.frequency, selection.polarization, warnings);
    paths.transmit = fmt::format("{}/tx{}", paths.frequency, acquisition.polarization[0]);
    paths.receive = fmt::format("{}/rx{}", paths.transmit, acquisition.polarization[1]);
    paths.samples = fmt::format("{}/{}", paths.receive, acquisition.polarization);

    echo.samples = inspect_samples(file, paths.samples, channel_of(file.file_name(), selection));
    acquisition.lines = echo.samples.rows;
    acquisition.samples = echo.samples.columns;
    acquisition.format = echo.samples.format;
    read_pulse_times(file, paths, acquisition, warnings);
    read_slant_range(file, paths, acquisition);
    read_pulse(file, paths, acquisition, warnings);
    read_line_phase(file, paths, acquisition);
    if (acquisition.format == SampleFormat::lut16) acquisition.decoding.levels = read_levels(file, paths, warnings);
    acquisition.decoding.line_gain = read_line_gain(file, paths, acquisition.lines, warnings);
    read_valid_samples(file, paths, acquisition, warnings);
    return paths;
}

/// Likewise what it says of the rest.
void read_scene(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition, Warnings& warnings) {
    const h5::Turn turn;
    acquisition.identification = read_identification(file, paths.band_group() + "/identification", warnings);
    if (are_dithered(acquisition.prf_hz, acquisition.pulse_times_s))
        acquisition.identification.dithered = true;  // whatever the file says
    read_platform(file, paths, acquisition, warnings);
    read_parameters(file, paths, acquisition);
    acquisition.truth = read_truth(file, paths.product + "/metadata/simulation/targets", epoch_of(acquisition));
    const std::string phase_error = paths.product + l0b_true_phase_error;
    if (file.exists(phase_error)) acquisition.true_phase_error_rad = file.numbers(phase_error, {});
    if (std::ssize(acquisition.true_phase_error_rad) != acquisition.lines)
        acquisition.true_phase_error_rad.clear();  // of other lines
}

OpenedEcho open_echo(const std::string& path, const FrameSelection& selection, Warnings& warnings) {
    OpenedEcho echo{.file = h5::Reader(path), .samples = {}, .acquisition = {}};
    const L0bPaths paths = read_lines(echo, selection, warnings);
    count_empty_lines_as_missing(echo.file, paths, echo.acquisition, warnings);
    // This may read samples, by several threads, each in its own turn.
    leave_out_calibration(echo.file, paths, echo.samples, echo.acquisition, warnings);
    read_scene(echo.file, paths, echo.acquisition, warnings);
    return echo;
}

class L0bFrame final : public EchoSource {
public:
    L0bFrame(OpenedEcho opened, int threads)
        : file_(std::move(opened.file)),
          acquisition_(std::move(opened.acquisition)),
          rows_(file_, std::move(opened.samples), threads) {}

    const Acquisition& acquisition() const override { return acquisition_; }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        rows_.read(first_line, lines, to);
    }
    void read_samples(std::int64_t first_line, std::int64_t lines, const Interval& samples,
                      std::span<std::byte> to) override {
        rows_.read(first_line, lines, samples, to);
    }
    std::int64_t line_unit() const override { return rows_.unit(); }
    std::uint64_t stored_bytes() const override { return rows_.stored_bytes(); }

private:
    h5::Reader file_;
    Acquisition acquisition_;
    SampleRows rows_;
};

}  // namespace

RawContents list_l0b(const std::string& path) {
    const h5::Reader file(path);
    const std::string product = find_raw_product(file);
    RawContents contents;
    for (const std::string& frequency : frequencies_of(file, product))
        contents.frequencies.push_back(
            {frequency, polarizations_of(file, fmt::format("{}/swaths/frequency{}", product, frequency))});
    return contents;
}

std::unique_ptr<EchoSource> open_l0b(const std::string& path, const FrameSelection& selection,
                                     std::vector<std::string>& warnings) {
    return std::make_unique<L0bFrame>(open_echo(path, selection, warnings), selection.threads);
}

Acquisition read_l0b_header(const std::string& path, const FrameSelection& selection,
                            std::vector<std::string>& warnings) {
    return open_echo(path, selection, warnings).acquisition;
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/range_doppler.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "kernels/hyperbola.h"
#include "pipeline/range_filter.h"

namespace cornerturn {
namespace {

RangeCompression range_compression(const Acquisition& acquisition, const RangeDopplerPlan& plan, std::int64_t block_lines) {
    const double fs = acquisition.sample_rate_hz();
    const double reference_velocity = plan.parameters.velocity_m_s(plan.reference_range_m);
    const MeanResponse droop(plan.kernel);
    const auto correction = [&](double f_tau) {
        const double cycles = plan.coupling == CouplingDomain::two_dimensional
                                  ? 0.0
                                  : secondary_range_cycles(plan.reference_range_m, f_tau, plan.parameters.doppler_centroid_hz,
                                                           reference_velocity, acquisition.carrier_hz);
        const Complex128 phasor = unit_phasor<double>(cycles);
        // The migration gather lets the edges of the band droop; taken away here, where it costs nothing.
        return std::complex<double>(phasor.re, phasor.im) / droop(f_tau / fs);
    };
    return {.lines = acquisition.lines,
            .samples = acquisition.samples,
            .fft_length = plan.range_fft_length,
            .format = acquisition.format,
            .decoding = acquisition.decoding,
            .block_lines = block_lines,
            .filter = range_filter(acquisition.chirp, fs, plan.range_fft_length, plan.range_reach_samples, plan.parameters.range_window,
                                   correction)};
}

AzimuthSpectrum azimuth_spectrum(const Acquisition& acquisition, const RangeDopplerPlan& plan) {
    return {.range_cells = acquisition.samples, .lines = acquisition.lines, .fft_length = plan.azimuth_fft_length};
}

SecondaryRangeCompression secondary_range_compression(const Acquisition& acquisition, const RangeDopplerPlan& plan) {
    return {.azimuth_bins = plan.azimuth_fft_length,
            .range_cells = acquisition.samples,
            .fft_length = plan.range_fft_length,
            .carrier_hz = acquisition.carrier_hz,
            .sample_rate_hz = acquisition.sample_rate_hz(),
            .prf_hz = acquisition.prf_hz,
            .doppler_centroid_hz = plan.parameters.doppler_centroid_hz,
            .reference_range_m = plan.reference_range_m,
            .velocity_m_s = plan.parameters.velocity_m_s(plan.reference_range_m)};
}

/// Azimuth window over the processed band, scaled so that a point of amplitude A, seen over the whole band, peaks at A. Its edges fade:
/// so the filter ends in time, and the weight is 0 where phase and migration jump from one end of the PRF to the other.
std::vector<double> azimuth_weight(const Acquisition& acquisition, const RangeDopplerPlan& plan) {
    const double centroid = plan.parameters.doppler_centroid_hz, bandwidth = plan.parameters.azimuth_bandwidth_hz;
    const double fade = plan.azimuth_fade_hz, fade_begin = std::min(bandwidth + fade, acquisition.prf_hz) / 2 - fade;
    // Stationary phase: the DFT of the azimuth chirp has the magnitude PRF / sqrt(Ka); the hook supplies sqrt(Ka).
    const double scale = 1 / (static_cast<double>(plan.azimuth_fft_length) * bandwidth * plan.parameters.azimuth_window.mean());
    std::vector<double> weight;
    for (std::int64_t bin = 0; bin < plan.azimuth_fft_length; ++bin) {
        const double f = azimuth_frequency_hz(bin, plan.azimuth_fft_length, acquisition.prf_hz, centroid) - centroid;
        weight.push_back(scale * plan.parameters.azimuth_window(std::clamp(f / bandwidth, -0.5, 0.5)) *
                         fade_out((std::abs(f) - fade_begin) / fade));
    }
    return weight;
}

AzimuthCompression azimuth_compression(const Acquisition& acquisition, const RangeDopplerPlan& plan) {
    const bool per_frequency = plan.coupling == CouplingDomain::two_dimensional;
    const double reference_m = plan.reference_range_m;
    const double factor =
        migration_factor(plan.parameters.doppler_centroid_hz, plan.parameters.velocity_m_s(reference_m), acquisition.wavelength_m());
    const double mean_square_hz2 = plan.range_mean_square_hz2;
    return {.input_cells = acquisition.samples,
            .fft_length = plan.azimuth_fft_length,
            .columns = plan.grid.columns,
            .image_rows = plan.grid.rows,
            .carrier_hz = acquisition.carrier_hz,
            .prf_hz = acquisition.prf_hz,
            .doppler_centroid_hz = plan.parameters.doppler_centroid_hz,
            .input_near_range_m = acquisition.near_range_m,
            .image_near_range_m = plan.grid.near_range_m,
            .range_spacing_m = plan.grid.range_spacing_m,
            .image_delay_s = plan.grid.first_time_s - acquisition.first_pulse_time_s,
            .range_mean_square_hz2 = mean_square_hz2,
            .coupling_range_m = per_frequency ? reference_m : 0.0,
            .coupling_taken_cycles =
                per_frequency ? 0.0 : mean_secondary_range_cycles(reference_m, factor, mean_square_hz2, acquisition.carrier_hz),
            .velocity_m_s = plan.velocity_m_s,
            .weight = azimuth_weight(acquisition, plan),
            .covered_rows = plan.covered_rows,
            .kernel = plan.kernel};
}

/// Whether the passes of two frames, planned with the same options, differ in nothing but the decoding.
bool same_passes(const Acquisition& a, const RangeDopplerPlan& p, const Acquisition& b, const RangeDopplerPlan& q) {
    const auto echo = [](const Acquisition& x) {
        return std::tuple(x.lines, x.samples, x.format, x.first_pulse_time_s, x.prf_hz, x.carrier_hz, x.near_range_m, x.range_spacing_m,
                          x.chirp.slope_hz_s, x.chirp.duration_s);
    };
    const auto plan = [](const RangeDopplerPlan& x) {
        return std::tuple(x.parameters.doppler_centroid_hz, x.parameters.azimuth_bandwidth_hz, x.grid.rows, x.grid.columns,
                          x.grid.first_time_s, x.grid.near_range_m, x.range_fft_length, x.azimuth_fft_length, x.reference_range_m);
    };
    return echo(a) == echo(b) && plan(p) == plan(q) && p.velocity_m_s == q.velocity_m_s;
}

}  // namespace

void check_corner_turns(const Device& device, const Acquisition& acquisition, const RangeDopplerPlan& plan) {
    const CornerTurnVariant variant = plan.parameters.corner_turn;
    require_corner_turn(device, variant, acquisition.lines, acquisition.samples);
    if (plan.coupling == CouplingDomain::two_dimensional)
        require_corner_turn(device, variant, acquisition.samples, plan.azimuth_fft_length);
    require_corner_turn(device, variant, plan.grid.columns, plan.grid.rows);
}

RangeDopplerProcessor::RangeDopplerProcessor(Device& device, const Acquisition& acquisition, const RangeDopplerPlan& plan,
                                             std::int64_t block_lines)
    : device_(device), acquisition_(acquisition), plan_(plan), block_lines_(block_lines) {
    check_corner_turns(device, acquisition, plan);
    compress_range_ = device.plan(range_compression(acquisition, plan, block_lines));
    transform_azimuth_ = device.plan(azimuth_spectrum(acquisition, plan));
    if (plan.coupling == CouplingDomain::two_dimensional) compress_secondary_ = device.plan(secondary_range_compression(acquisition, plan));
    compress_azimuth_ = device.plan(azimuth_compression(acquisition, plan));
    a_ = device.allocate(device.info().native, 1, plan.matrix_samples(acquisition)).reshaped(acquisition.lines, acquisition.samples);
}

bool RangeDopplerProcessor::prepare(const Acquisition& acquisition, const RangeDopplerPlan& plan, std::int64_t block_lines) {
    if (block_lines != block_lines_ || !same_passes(acquisition, plan, acquisition_, plan_)) return false;
    if (acquisition.decoding == acquisition_.decoding) return true;
    if (!compress_range_->decode_as(acquisition.decoding))
        compress_range_ = device_.plan(range_compression(acquisition, plan, block_lines));
    acquisition_ = acquisition;
    return true;
}

Matrix RangeDopplerProcessor::finish(const Progress& progress, const StageObserver& observer) {
    const CornerTurnVariant turn = plan_.parameters.corner_turn;
    const std::int64_t lines = acquisition_.lines, samples = acquisition_.samples, bins = plan_.azimuth_fft_length;
    const auto stage = [&](std::string_view name, const Matrix& result, std::string_view rows, std::string_view columns, double done) {
        device_.synchronize();
        if (observer) observer(name, result, rows, columns);
        if (progress) progress(name, done);
    };
    stage("range_compression", a_, "line", "range", 0.3);

    if (!b_.storage) b_ = device_.allocate(a_.format, 1, plan_.matrix_samples(acquisition_));
    Matrix b = b_.reshaped(samples, lines);
    device_.corner_turn(a_, b, turn);
    stage("corner_turn", b, "range", "line", 0.35);

    Matrix a = a_.reshaped(samples, bins);
    transform_azimuth_->run(b, a);
    stage("azimuth_spectrum", a, "range", "azimuth_frequency", 0.5);

    if (compress_secondary_) {
        b = b.reshaped(bins, samples);
        device_.corner_turn(a, b, turn);
        compress_secondary_->run(b, b);
        stage("secondary_range_compression", b, "azimuth_frequency", "range", 0.6);
        device_.corner_turn(b, a, turn);
    }

    b = b.reshaped(plan_.grid.columns, plan_.grid.rows);
    compress_azimuth_->run(a, b);
    stage("azimuth_compression", b, "slant_range", "zero_doppler_time", 0.95);

    a = a.reshaped(plan_.grid.rows, plan_.grid.columns);
    device_.corner_turn(b, a, turn);
    stage("image", a, "zero_doppler_time", "slant_range", 1.0);
    return a;
}

Matrix focus_range_doppler(Device& device, const Acquisition& acquisition, const RangeDopplerPlan& plan, Matrix echo,
                           const Progress& progress, const StageObserver& observer) {
    RangeDopplerProcessor processor(device, acquisition, plan);
    if (progress) progress("plan", 0.0);
    processor.compress_range(echo, 0);
    echo = {};
    return processor.finish(progress, observer);
}

}  // namespace cornerturn

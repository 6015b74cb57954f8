// SPDX-License-Identifier: Apache-2.0
#include "pipeline/range_doppler.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "kernels/errors.h"
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
            .scaled_halves = plan.parameters.precision == Precision::half_middle,
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

Method method_of(Chain chain) { return chain == Chain::plain ? Method::plain : Method::fused; }

}  // namespace

std::vector<PlannedPass> passes_of(const Acquisition& acquisition, const RangeDopplerPlan& plan, std::int64_t block_lines) {
    const Method method = method_of(plan.parameters.chain);
    std::vector<PlannedPass> passes{{range_compression(acquisition, plan, block_lines), method}};
    if (plan.parameters.chain == Chain::turn_free) {
        passes.push_back({UnturnedAzimuthCompression{.lines = acquisition.lines,
                                                     .azimuth = azimuth_compression(acquisition, plan),
                                                     .scaled_halves = plan.parameters.precision == Precision::half_middle},
                          method});
        return passes;
    }
    passes.push_back({azimuth_spectrum(acquisition, plan), method});
    if (plan.coupling == CouplingDomain::two_dimensional) passes.push_back({secondary_range_compression(acquisition, plan), method});
    passes.push_back({azimuth_compression(acquisition, plan), method});
    return passes;
}

void check_corner_turns(const Device& device, const Acquisition& acquisition, const RangeDopplerPlan& plan) {
    if (plan.parameters.chain == Chain::turn_free) {
        if (plan.coupling == CouplingDomain::two_dimensional)
            throw Unsupported("secondary range compression in the 2-D frequency domain needs the corner turns");
        return;
    }
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
    for (const auto& [pass, method] : passes_of(acquisition, plan, block_lines)) plan_of(pass) = device.plan(pass, method);
    const SampleFormat format = plan.parameters.precision == Precision::full ? device.info().native : SampleFormat::float16;
    a_ = device.allocate(format, 1, plan.compressed_samples(acquisition)).reshaped(acquisition.lines, acquisition.samples);
}

std::unique_ptr<PassPlan>& RangeDopplerProcessor::plan_of(const Pass& pass) {
    struct Visitor {
        RangeDopplerProcessor& p;
        std::unique_ptr<PassPlan>& operator()(const RangeCompression&) const { return p.compress_range_; }
        std::unique_ptr<PassPlan>& operator()(const AzimuthSpectrum&) const { return p.transform_azimuth_; }
        std::unique_ptr<PassPlan>& operator()(const SecondaryRangeCompression&) const { return p.compress_secondary_; }
        std::unique_ptr<PassPlan>& operator()(const AzimuthCompression&) const { return p.compress_azimuth_; }
        std::unique_ptr<PassPlan>& operator()(const UnturnedAzimuthCompression&) const { return p.compress_unturned_; }
    };
    return std::visit(Visitor{*this}, pass);
}

bool RangeDopplerProcessor::prepare(const Acquisition& acquisition, const RangeDopplerPlan& plan, std::int64_t block_lines) {
    if (block_lines != block_lines_ || !same_passes(acquisition, plan, acquisition_, plan_)) return false;
    if (acquisition.decoding == acquisition_.decoding) return true;
    if (!compress_range_->decode_as(acquisition.decoding))
        compress_range_ = device_.plan(range_compression(acquisition, plan, block_lines), method_of(plan.parameters.chain));
    acquisition_ = acquisition;
    return true;
}

std::vector<ChainStage> RangeDopplerProcessor::stages_through_corner_turns() const {
    const std::int64_t lines = acquisition_.lines, samples = acquisition_.samples, bins = plan_.azimuth_fft_length;
    const auto turn = [this](const Matrix& from) {
        return [this, from](Matrix& to) { device_.corner_turn(from, to, plan_.parameters.corner_turn); };
    };
    const auto run = [](const std::unique_ptr<PassPlan>& pass, const Matrix& from) {
        return [&pass = *pass, from](Matrix& to) { pass.run(from, to); };
    };
    const Matrix echo = a_.reshaped(lines, samples), turned = b_.reshaped(samples, lines), spectra = a_.reshaped(samples, bins);
    const Matrix columns = b_.reshaped(plan_.grid.columns, plan_.grid.rows), image = a_.reshaped(plan_.grid.rows, plan_.grid.columns);

    std::vector<ChainStage> stages{{"corner_turn", "range", "line", 0.35, turned, turn(echo)},
                                   {"azimuth_spectrum", "range", "azimuth_frequency", 0.5, spectra, run(transform_azimuth_, turned)}};
    if (compress_secondary_) {
        const Matrix by_frequency = b_.reshaped(bins, samples);
        stages.push_back({"corner_turn_to_range", "azimuth_frequency", "range", 0.53, by_frequency, turn(spectra)});
        stages.push_back(
            {"secondary_range_compression", "azimuth_frequency", "range", 0.6, by_frequency, run(compress_secondary_, by_frequency)});
        stages.push_back({"corner_turn_to_azimuth", "range", "azimuth_frequency", 0.63, spectra, turn(by_frequency)});
    }
    stages.push_back({"azimuth_compression", "slant_range", "zero_doppler_time", 0.95, columns, run(compress_azimuth_, spectra)});
    stages.push_back({"image", "zero_doppler_time", "slant_range", 1.0, image, turn(columns)});
    return stages;
}

std::vector<ChainStage>& RangeDopplerProcessor::stages() {
    if (!b_.storage) b_ = device_.allocate(device_.info().native, 1, plan_.matrix_samples(acquisition_));
    if (!stages_.empty()) return stages_;
    if (!compress_unturned_) return stages_ = stages_through_corner_turns();
    stages_.push_back({"image", "zero_doppler_time", "slant_range", 1.0, b_.reshaped(plan_.grid.rows, plan_.grid.columns),
                       [this](Matrix& image) { compress_unturned_->run(a_, image); }});
    return stages_;
}

Matrix RangeDopplerProcessor::finish(const Progress& progress, const StageObserver& observer) {
    const auto done = [&](std::string_view name, const Matrix& result, std::string_view rows, std::string_view columns, double fraction) {
        device_.synchronize();
        if (observer) observer(name, result, rows, columns);
        if (progress) progress(name, fraction);
    };
    done("range_compression", a_, "line", "range", 0.3);
    for (ChainStage& stage : stages()) {
        stage.run(stage.result);
        done(stage.name, stage.result, stage.rows, stage.columns, stage.done);
    }
    return stages().back().result;
}

std::unique_ptr<Recording> RangeDopplerProcessor::record(const Matrix& echo) {
    stages();
    return device_.record([this, echo] {
        compress_range(echo, 0);
        for (ChainStage& stage : stages_) stage.run(stage.result);
    });
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

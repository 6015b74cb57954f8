// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/omega_k_passes.h"

#include <algorithm>
#include <cmath>

#include "pipeline/formers/azimuth_filter.h"
#include "pipeline/formers/migration_table.h"
#include "pipeline/formers/range_doppler_passes.h"
#include "pipeline/formers/wavenumber.h"

namespace cornerturn {
namespace {

constexpr double filled = 0.65;           ///< of the transform by the swath
constexpr std::int64_t margin_cells = 8;  ///< about the columns, for azimuth compression to read

/// Of cell 0 behind the Stolt interpolation.
double near_range_m(const ImagePlan& image) { return image.grid.range_m(-static_cast<double>(margin_cells)); }

/// Half of the delays that the swath has behind the reference function, in samples.
double half_swath_samples(const Acquisition& echo, const ImagePlan& image) {
    const AwayFromReference away(echo, image);
    double most = 0;
    for (const double column : {0.0, static_cast<double>(image.grid.columns - 1)}) {
        const double range_m = image.grid.range_m(column);
        const RangeHistory::Column history = image.histories.middle.column(range_m);
        for (const double part : {-1.0, 0.0, 1.0}) {
            const double f_hz = history.centroid_hz + part * processed_half_band_hz(echo, image);
            const AwayFromReference::Rest rest = away.at(history, range_m, f_hz);
            most = std::max(most, std::abs(rest.delay_s) * rest.stretch * echo.sample_rate_hz());
        }
    }
    return most;
}

/// Which Doppler frequency the azimuth bins are to which columns: where the centroid changes over the swath, a bin at
/// the end of one column's band is a PRF away for another.
class BinFrequencies {
public:
    struct Law {
        double hz = 0;
        Interval columns{0, 0};
        std::int32_t width() const { return columns.last - columns.first; }
    };

    BinFrequencies(const Acquisition& echo, const ImagePlan& image, std::int64_t bins)
        : bins_(bins),
          columns_(image.grid.columns),
          prf_hz_(echo.prf_hz),
          centroid_hz_(image.parameters.doppler_centroid_hz),
          weight_(azimuth_weight(echo, image, bins)),
          bands_(column_bands(echo, image, bins)) {
        if (bands_.shifts.empty())
            bands_.shifts.assign(static_cast<std::size_t>((columns_ + bands_.columns - 1) / bands_.columns), 0);
        laws_.resize(static_cast<std::size_t>(bins));
        again_.assign(static_cast<std::size_t>(bins), -1);
        for (std::int64_t bin = 0; bin < bins; ++bin) {
            std::vector<Law> laws = laws_of(bin);
            if (laws.empty()) continue;
            // The narrower one is stored over the other: it may lie in the middle of that.
            std::sort(laws.begin(), laws.end(), [](const Law& a, const Law& b) { return a.width() > b.width(); });
            laws_[static_cast<std::size_t>(bin)] = laws[0];
            if (laws.size() < 2) continue;
            again_[static_cast<std::size_t>(bin)] = static_cast<std::int32_t>(laws_.size());
            laws_.push_back(laws[1]);
        }
        if (static_cast<std::int64_t>(laws_.size()) == bins) again_.clear();
    }

    /// Of each bin, and behind them the second ones; those of bins that are not processed have no columns.
    const std::vector<Law>& laws() const { return laws_; }
    /// Of each bin the second law, or -1; empty where no bin has one.
    const std::vector<std::int32_t>& again() const { return again_; }

private:
    /// One for each Doppler frequency that some columns process.
    std::vector<Law> laws_of(std::int64_t bin) const {
        const double step_hz = prf_hz_ / static_cast<double>(bins_);
        std::vector<Law> laws;
        for (std::size_t group = 0; group < bands_.shifts.size(); ++group) {
            const std::int64_t of = (bin - bands_.shifts[group]) % bins_;
            if (!(weight_[static_cast<std::size_t>(of < 0 ? of + bins_ : of)] > 0)) continue;
            const double hz = azimuth_frequency_hz(bin, bins_, prf_hz_, centroid_hz_ + bands_.shifts[group] * step_hz);
            const auto first = static_cast<std::int64_t>(group) * bands_.columns;
            const auto last = static_cast<std::int32_t>(std::min(first + bands_.columns, columns_));
            const auto same =
                std::find_if(laws.begin(), laws.end(), [&](const Law& law) { return std::abs(law.hz - hz) < step_hz; });
            if (same == laws.end())
                laws.push_back({hz, {static_cast<std::int32_t>(first), last}});
            else
                same->columns.last = last;
        }
        return laws;
    }

    std::int64_t bins_, columns_;
    double prf_hz_, centroid_hz_;
    std::vector<double> weight_;
    ColumnBands bands_;
    std::vector<Law> laws_;
    std::vector<std::int32_t> again_;
};

/// With the cells beside them, but for those of other columns.
Interval cells_of(Interval columns, std::int64_t all) {
    constexpr auto margin = static_cast<std::int32_t>(margin_cells);
    if (columns.last <= columns.first) return {0, 0};
    return {columns.first == 0 ? 0 : columns.first + margin,
            columns.last + (columns.last == all ? 2 * margin : margin)};
}

/// Phase that the reference function takes away at a Doppler frequency, at the range frequencies of a spectrum. The
/// pulse is moved by the Doppler frequency, of which the range filter took that of the centroid.
double reference_cycles(const Acquisition& echo, const ImagePlan& image, const ReferenceSpectrum& spectrum,
                        std::size_t k, double f_hz) {
    const double centroid_hz = image.parameters.doppler_centroid_hz, beyond_hz = f_hz - centroid_hz;
    const double u_hz = spectrum.range_frequency_hz(k), slope_hz_s = echo.chirp.slope_hz_s;
    const double pulse = beyond_hz * ((0.5 * (f_hz + centroid_hz) - u_hz) / slope_hz_s - 0.5 * echo.chirp.duration_s);
    const double delay_s = 2 / speed_of_light_m_s * (image.histories.middle.middle_range_m() - echo.near_range_m);
    return spectrum.phase_cycles(k, f_hz) + u_hz * delay_s + pulse;
}

/// Laws at one Doppler frequency; the spectrum's range frequencies are the Chebyshev points to the edges.
class StoltBin {
public:
    StoltBin(const Acquisition& echo, const ImagePlan& image, const ReferenceSpectrum& spectrum, double edge_hz,
             double f_hz) {
        std::vector<double> cycles, image_hz, amplitude;
        for (std::size_t k = 0; k < spectrum.size(); ++k) {
            cycles.push_back(reference_cycles(echo, image, spectrum, k, f_hz));
            image_hz.push_back(spectrum.image_hz(k, f_hz));
            amplitude.push_back(spectrum.amplitude(k, f_hz));
        }
        cycles_ = ChebyshevSeries::through(-edge_hz, edge_hz, cycles);
        image_hz_ = ChebyshevSeries::through(-edge_hz, edge_hz, image_hz);
        amplitude_ = ChebyshevSeries::through(-edge_hz, edge_hz, amplitude);
        slope_ = image_hz_.derivative();
    }

    const ChebyshevSeries& cycles() const { return cycles_; }
    StoltLaws::Band band() const {
        const double from = image_hz_(image_hz_.from()), to = image_hz_(image_hz_.to());
        return {.centre_hz = 0.5 * (from + to), .half_hz = 0.5 * (to - from)};
    }
    /// The range frequency that was moved to this one, by Newton's method.
    double source_hz(double hz) const {
        double u_hz = image_hz_.from() +
                      (image_hz_.to() - image_hz_.from()) * (hz - image_hz_(image_hz_.from())) / (2 * band().half_hz);
        for (int round = 0; round < 20; ++round) {
            const double step_hz = (image_hz_(u_hz) - hz) / slope_(u_hz);
            u_hz -= step_hz;
            if (!(std::abs(step_hz) > 1e-12 * image_hz_.to())) break;
        }
        return u_hz;
    }
    /// Evens the spectrum out, and keeps its integral.
    double gain(double u_hz) const { return 1 / (slope_(u_hz) * amplitude_(u_hz)); }

private:
    ChebyshevSeries cycles_, image_hz_, amplitude_, slope_;
};

StoltLaws stolt_laws(const Acquisition& echo, const ImagePlan& image,
                     const std::vector<BinFrequencies::Law>& frequencies) {
    constexpr int terms = StoltLaws::terms, gain_terms = StoltLaws::gain_terms;
    const auto count = static_cast<std::int64_t>(frequencies.size());
    const double edge_hz = range_edge_hz(echo, image);
    const DopplerUnion band = doppler_union(echo, image);
    const ReferenceSpectrum spectrum(image.histories.middle, chebyshev_points(-edge_hz, edge_hz, terms), band.from_hz,
                                     band.to_hz);
    StoltLaws laws{.half_hz = edge_hz, .reference_cycles = {}, .bands = {}, .source_hz = {}, .gain = {}};
    laws.bands.resize(frequencies.size());
    for (auto* powers : {&laws.reference_cycles, &laws.source_hz})
        powers->resize(static_cast<std::size_t>(count * terms));
    laws.gain.resize(static_cast<std::size_t>(count * gain_terms));
    const PowersThrough powers_through(terms), gain_through(gain_terms);
#pragma omp parallel for
    for (std::int64_t law = 0; law < count; ++law) {
        const BinFrequencies::Law& of = frequencies[static_cast<std::size_t>(law)];
        if (of.width() == 0) continue;
        const StoltBin at(echo, image, spectrum, edge_hz, of.hz);
        const StoltLaws::Band moved = laws.bands[static_cast<std::size_t>(law)] = at.band();
        const std::vector<double> cycles = at.cycles().powers();
        std::copy(cycles.begin(), cycles.end(),
                  laws.reference_cycles.begin() + static_cast<std::ptrdiff_t>(law * terms));
        const double from_hz = moved.centre_hz - moved.half_hz, to_hz = moved.centre_hz + moved.half_hz;
        std::vector<double> source, gain;
        for (const double hz : chebyshev_points(from_hz, to_hz, terms)) source.push_back(at.source_hz(hz));
        for (const double hz : chebyshev_points(from_hz, to_hz, gain_terms)) gain.push_back(at.gain(at.source_hz(hz)));
        powers_through(source.data(), laws.source_hz.data() + law * terms);
        gain_through(gain.data(), laws.gain.data() + law * gain_terms);
    }
    return laws;
}

}  // namespace

RangeCompression matched_range_compression(const Acquisition& echo, const ImagePlan& image, const FftLengths& fft) {
    return compression_by(matched_filter(echo, image, fft.range, image.parameters.doppler_centroid_hz), echo, fft);
}

std::int64_t least_stolt_length(const Acquisition& echo, const ImagePlan& image) {
    return static_cast<std::int64_t>(std::ceil(2 * half_swath_samples(echo, image) / filled));
}

StoltInterpolation stolt_interpolation(const Acquisition& echo, const ImagePlan& image, const FftLengths& fft) {
    const std::int64_t bins = fft.azimuth, columns = image.grid.columns + 2 * margin_cells;
    const BinFrequencies frequencies(echo, image, bins);
    std::vector<Interval> covered;
    for (const BinFrequencies::Law& law : frequencies.laws())
        covered.push_back(cells_of(law.columns, image.grid.columns));
    const double band = 2 * half_swath_samples(echo, image) / static_cast<double>(fft.range);
    return {
        .azimuth_bins = bins,
        .samples = echo.samples,
        .fft_length = fft.range,
        .columns = columns,
        .sample_rate_hz = echo.sample_rate_hz(),
        .reference_delay_s = 2 / speed_of_light_m_s * (image.histories.middle.middle_range_m() - near_range_m(image)),
        .laws = [=] { return stolt_laws(echo, image, frequencies.laws()); },
        .covered_columns = covered,
        .again = frequencies.again(),
        .kernel = SincKernel::for_band(image.parameters.interpolation_taps, std::clamp(band, 0.25, 1.0))};
}

MigrationTable laws_after_stolt(const Acquisition& echo, const ImagePlan& image, const StoltInterpolation& stolt) {
    const AwayFromReference away(echo, image);
    const MeanResponse response(stolt.kernel);
    const ChebyshevSeries droop = ChebyshevSeries::of(-0.5, 0.5, 1e-8, 64, response);
    const double fs = echo.sample_rate_hz(), delay_s = image_delay_lines(echo, image.grid) / echo.prf_hz;
    const double half_hz = processed_half_band_hz(echo, image);
    const std::int64_t columns = image.grid.columns;
    const auto history_of = [&](std::int64_t column) {
        return image.histories.middle.column(image.grid.range_m(static_cast<double>(column)));
    };
    const auto terms =
        static_cast<std::int64_t>(columns > 0 ? history_of(0).phase_cycles.coefficients().size() + 1 : 1);
    return tabulated(columns, terms, half_hz, [&](std::int64_t column) -> ColumnLaw {
        const double range_m = image.grid.range_m(static_cast<double>(column));
        return {history_of(column).centroid_hz,
                [&, range_m, history = history_of(column)](double offset_hz) -> Migration {
                    const double f_hz = history.centroid_hz + offset_hz;
                    const AwayFromReference::Rest rest = away.at(history, range_m, f_hz);
                    const double before = rest.delay_s * rest.stretch * fs / static_cast<double>(stolt.fft_length);
                    return {.position_cells = (rest.delay_s + stolt.reference_delay_s) * fs,
                            .phase_cycles = rest.phase_cycles + 0.125 + f_hz * delay_s,
                            .gain = history.root_rate(offset_hz) / droop(before)};
                }};
    });
}

AzimuthCompression compression_after_stolt(const Acquisition& echo, const ImagePlan& image,
                                           const StoltInterpolation& stolt, const MigrationTable& laws) {
    AzimuthCompression pass = azimuth_compression(echo, image, laws, migration_kernel(echo, image.parameters),
                                                  {stolt.fft_length, stolt.azimuth_bins});
    pass.input_cells = stolt.columns;
    return pass;
}

}  // namespace cornerturn

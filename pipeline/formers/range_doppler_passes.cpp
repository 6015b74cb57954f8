// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/range_doppler_passes.h"

#include <fmt/format.h>

#include "kernels/hyperbola.h"
#include "pipeline/formers/azimuth_filter.h"
#include "pipeline/formers/range_filter.h"

namespace cornerturn {

SincKernel migration_kernel(const Acquisition& acquisition, const ImagePlan& image) {
    return SincKernel::for_band(image.parameters.interpolation_taps, acquisition.chirp.bandwidth_hz() / acquisition.sample_rate_hz());
}

RangeCompression range_compression(const Acquisition& acquisition, const ImagePlan& image, const RangeCoupling& coupling,
                                   const SincKernel& kernel, const FftLengths& fft) {
    const double fs = acquisition.sample_rate_hz(), carrier_hz = acquisition.carrier_hz;
    const auto filter = [=, chirp = acquisition.chirp, reach = image.reach.range_samples, window = image.parameters.range_window,
                         reference_m = image.reference_range_m(), velocity = image.parameters.velocity(image.reference_range_m()),
                         centroid_hz = image.parameters.doppler_centroid_hz] {
        const MeanResponse droop(kernel);
        const auto correction = [&](double f_tau) {
            const double cycles = coupling.place == CouplingPlace::two_dimensional
                                      ? 0.0
                                      : secondary_range_cycles(reference_m, f_tau, centroid_hz, velocity, carrier_hz);
            const Complex128 phasor = unit_phasor<double>(cycles);
            // The migration gather lets the edges of the band droop; taken away here, where it costs nothing.
            return std::complex<double>(phasor.re, phasor.im) / droop(f_tau / fs);
        };
        return range_filter(chirp, fs, fft.range, reach, window, correction);
    };
    return {.lines = acquisition.lines,
            .samples = acquisition.samples,
            .fft_length = fft.range,
            .format = acquisition.format,
            .decoding = acquisition.decoding,
            .filter = filter};
}

SecondaryRangeCompression secondary_range_compression(const Acquisition& acquisition, const ImagePlan& image, const FftLengths& fft) {
    return {.azimuth_bins = fft.azimuth,
            .range_cells = acquisition.samples,
            .fft_length = fft.range,
            .carrier_hz = acquisition.carrier_hz,
            .sample_rate_hz = acquisition.sample_rate_hz(),
            .prf_hz = acquisition.prf_hz,
            .doppler_centroid_hz = image.parameters.doppler_centroid_hz,
            .reference_range_m = image.reference_range_m(),
            .velocity_m_s = image.parameters.velocity(image.reference_range_m())};
}

AzimuthCompression azimuth_compression(const Acquisition& acquisition, const ImagePlan& image, const RangeCoupling& coupling,
                                       const SincKernel& kernel, const FftLengths& fft) {
    const bool per_frequency = coupling.place == CouplingPlace::two_dimensional;
    const double reference_m = image.reference_range_m(), centroid_hz = image.parameters.doppler_centroid_hz;
    const double factor = migration_factor(centroid_hz, image.parameters.velocity(reference_m), acquisition.wavelength_m());
    return {.input_cells = acquisition.samples,
            .fft_length = fft.azimuth,
            .columns = image.grid.columns,
            .image_rows = image.grid.rows,
            .carrier_hz = acquisition.carrier_hz,
            .prf_hz = acquisition.prf_hz,
            .doppler_centroid_hz = centroid_hz,
            .input_near_range_m = acquisition.near_range_m,
            .image_near_range_m = image.grid.near_range_m,
            .range_spacing_m = image.grid.range_spacing_m,
            .image_delay_s = image_delay_lines(acquisition, image) / acquisition.prf_hz,
            .range_mean_square_hz2 = coupling.mean_square_hz2,
            .coupling_range_m = per_frequency ? reference_m : 0.0,
            .coupling_taken_cycles =
                per_frequency ? 0.0 : mean_secondary_range_cycles(reference_m, factor, coupling.mean_square_hz2, acquisition.carrier_hz),
            .velocity_m_s = image.velocity_m_s,
            .weight = azimuth_weight(acquisition, image, fft.azimuth),
            .covered_rows = image.covered_rows,
            .kernel = kernel};
}

FormerNote note_of(const RangeCoupling& coupling) {
    const std::string place =
        coupling.place == CouplingPlace::range_filter ? "in the range filter at the Doppler centroid" : "in the 2-D frequency domain";
    return {.name = "range coupling",
            .text = fmt::format("{}; the range filter would leave {:.3f} rad at the corners of the band (limit {})", place,
                                coupling.left_rad, largest_coupling_left_rad),
            .key = "secondary_range_compression",
            .values = {{"place", place}, {"phase_left_by_range_filter_rad", coupling.left_rad}}};
}

FormerNote note_of(const SincKernel& kernel) {
    return {.name = "interpolation",
            .text = fmt::format("{} taps (Kaiser {:.1f})", kernel.taps, kernel.beta),
            .key = "interpolation",
            .values = {{"taps", static_cast<double>(kernel.taps)}, {"kaiser_beta", kernel.beta}}};
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// The samples of pulses over frequency, whichever domain and type they are stored in.
#pragma once

#include "data/cphd/pulse_parameters.h"
#include "kernels/host/line_fft.h"

namespace cornerturn::cphd {

/// Equal steps of frequency that a pulse holds.
struct Bins {
    double first_hz = 0;
    std::int64_t first = 0, count = 0;  ///< of its samples; of TOA, of their transform about its middle
};

class Spectra {
public:
    /// Throws InputError where steps differ from pulse to pulse, or samples over TOA are too far apart for the band.
    Spectra(const BinaryFile& file, const FileHeader& header, const Metadata& metadata, const Channel& channel,
            const std::vector<Pulse>& pulses);

    double step_hz() const { return step_hz_; }
    /// Within FX1 and FX2. May be none.
    Bins bins_of(const Pulse& pulse) const;
    std::uint64_t stored_bytes(std::uint64_t pulses) const { return pulses * vector_bytes_; }

    /// Buffers of one thread.
    struct Work {
        explicit Work(const Spectra& spectra);
        std::vector<std::byte> stored;
        LineBuffer<float> line;
    };
    /// bins_of(pulse).count values: a target of amplitude a whose echo comes `toa` after that of the point of reference
    /// gives a exp(-j 2 pi f toa). `sign`: that of the stored phases (SGN).
    void read(const Pulse& pulse, int sign, Work& work, Complex<float>* to) const;

private:
    void decode(const std::byte* stored, double gain, int sign, Complex<float>* to) const;
    void transform(const Pulse& pulse, const Bins& bins, Complex<float>* line, Complex<float>* to) const;

    const BinaryFile& file_;
    Domain domain_;
    SampleType type_;
    std::uint64_t first_byte_, vector_bytes_;
    std::int64_t samples_, length_;  ///< of the transform of TOA
    double step_hz_;
    std::optional<LineFft<float>> fft_;
};

/// Turns values by cycles + i * cycles_per_value: multiplies them with exp(j 2 pi ...).
void turn(Complex<float>* values, std::int64_t count, double cycles, double cycles_per_value);

}  // namespace cornerturn::cphd

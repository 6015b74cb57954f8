// SPDX-License-Identifier: Apache-2.0
// The pulses of a channel as compressed lines: their samples over delay, with the phase that the whole way has.
#pragma once

#include "data/cphd/spectra.h"

namespace cornerturn::cphd {

/// When the samples of lines are taken: what Acquisition tells of them, and where each line begins.
struct Windows {
    std::int64_t samples = 0;
    double first_s = 0;               ///< delay of sample 0
    std::vector<double> opens_s;      ///< of each line, by how much later; empty: all lines begin together
    std::vector<std::int64_t> first;  ///< sample of each line from which on it holds any
};

class ChannelLines {
public:
    /// `delays_s`: of the point of reference of each pulse, as they are to be taken. `sign`: that of the phases (SGN).
    ChannelLines(const Spectra& spectra, std::vector<Pulse> pulses, std::vector<double> delays_s, int sign);

    double carrier_hz() const { return carrier_hz_; }
    double bandwidth_hz() const { return bandwidth_hz_; }
    double sample_rate_hz() const { return sample_rate_hz_; }

    /// Each line about its point of reference, or all of them on one axis of delays.
    Windows following() const;
    Windows on_one_axis() const;
    /// Samples of an axis that holds all lines.
    double samples_on_one_axis() const;

    /// Lines of windows.samples each. Several threads may call, for lines of their own.
    void read(const Windows& windows, std::int64_t line, Spectra::Work& work, LineBuffer<float>& buffer,
              Complex<float>* to) const;
    std::int64_t length() const { return length_; }  ///< of a buffer

private:
    const Spectra& spectra_;
    std::vector<Pulse> pulses_;
    std::vector<double> delays_s_;
    int sign_;
    double carrier_hz_ = 0, bandwidth_hz_ = 0, sample_rate_hz_ = 0, window_s_ = 0;
    std::int64_t length_ = 0, window_samples_ = 0;
    std::optional<LineFft<float>> inverse_;
};

}  // namespace cornerturn::cphd

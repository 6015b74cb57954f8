// SPDX-License-Identifier: Apache-2.0
// Bits of Sentinel-1 packets that tests make.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace cornerturn {

/// Bits one after the other, as packets hold them.
class BitWriter {
public:
    BitWriter& put(std::uint64_t value, int count) {
        while (count-- > 0) bits_ += (value >> count & 1) != 0 ? '1' : '0';
        return *this;
    }
    BitWriter& put(const std::string& bits) {
        bits_ += bits;
        return *this;
    }
    BitWriter& end_word() {
        while (bits_.size() % 16 != 0) bits_ += '0';
        return *this;
    }
    std::string bytes() const {
        std::string bytes;
        for (std::size_t i = 0; i < bits_.size(); i += 8)
            bytes += static_cast<char>(std::stoi(bits_.substr(i, 8), nullptr, 2));
        return bytes;
    }

private:
    std::string bits_;
};

/// Whole numbers from -511 to 511.
inline std::string plain(const std::vector<std::complex<int>>& samples) {
    BitWriter bits;
    const auto part = [&](std::size_t first, bool real) {
        for (std::size_t i = first; i < samples.size(); i += 2) {
            const int value = real ? samples[i].real() : samples[i].imag();
            bits.put(value < 0 ? 1 : 0, 1).put(static_cast<std::uint64_t>(std::abs(value)), 9);
        }
        bits.end_word();
    };
    part(0, true), part(1, true), part(0, false), part(1, false);
    return bits.bytes();
}

}  // namespace cornerturn

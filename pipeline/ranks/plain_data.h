// SPDX-License-Identifier: Apache-2.0
// Values as plain bytes, for other ranks of the same program on the same kind of processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace cornerturn {

class PlainWriter {
public:
    template <class T>
    requires std::is_trivially_copyable_v<T> PlainWriter& operator<<(const T& value) {
        return add(&value, sizeof value);
    }
    template <class T>
    requires std::is_trivially_copyable_v<T> PlainWriter& operator<<(const std::vector<T>& values) {
        *this << static_cast<std::uint64_t>(values.size());
        return add(values.data(), values.size() * sizeof(T));
    }
    PlainWriter& operator<<(const std::string& text) {
        *this << static_cast<std::uint64_t>(text.size());
        return add(text.data(), text.size());
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    PlainWriter& add(const void* from, std::size_t bytes) {
        const auto* first = static_cast<const std::byte*>(from);
        bytes_.insert(bytes_.end(), first, first + bytes);
        return *this;
    }
    std::vector<std::byte> bytes_;
};

/// Throws std::logic_error at the end of the bytes.
class PlainReader {
public:
    explicit PlainReader(std::span<const std::byte> bytes) : rest_(bytes) {}
    template <class T>
    requires std::is_trivially_copyable_v<T> PlainReader& operator>>(T& value) { return take(&value, sizeof value); }
    template <class T>
    requires std::is_trivially_copyable_v<T> PlainReader& operator>>(std::vector<T>& values) {
        values.resize(count(sizeof(T)));
        return take(values.data(), values.size() * sizeof(T));
    }
    PlainReader& operator>>(std::string& text) {
        text.resize(count(1));
        return take(text.data(), text.size());
    }

private:
    std::size_t count(std::size_t bytes_each) {
        std::uint64_t count = 0;
        *this >> count;
        if (count > rest_.size() / bytes_each) throw std::logic_error("a message between ranks is cut short");
        return count;
    }
    PlainReader& take(void* to, std::size_t bytes) {
        if (bytes > rest_.size()) throw std::logic_error("a message between ranks is cut short");
        if (bytes > 0) std::memcpy(to, rest_.data(), bytes);
        rest_ = rest_.subspan(bytes);
        return *this;
    }
    std::span<const std::byte> rest_;
};

}  // namespace cornerturn

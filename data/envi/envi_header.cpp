// SPDX-License-Identifier: Apache-2.0
#include "data/envi/envi_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "data/files/binary_file.h"
#include "data/files/refusal.h"
#include "data/files/trimmed.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/number_text.h"

namespace cornerturn {
namespace {

std::string text_of_header(const std::string& path) {
    constexpr std::uint64_t largest = 16 << 20;
    const BinaryFile file(path);
    if (file.bytes() > largest)
        refuse(path, fmt::format("has {} bytes, too many for a header of ENVI's", file.bytes()));
    std::string text(static_cast<std::size_t>(file.bytes()), '\0');
    file.read(0, std::as_writable_bytes(std::span(text)));
    return text;
}

}  // namespace

EnviHeader::EnviHeader(const std::string& path) : name_(path) {
    const std::string text = text_of_header(path);
    if (!text.starts_with("ENVI")) cornerturn::refuse(path, "does not begin with ENVI, expected a header of ENVI's");
    std::size_t at = std::min(text.find('\n'), text.size() - 1) + 1;
    while (at < text.size()) {
        std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = std::string_view(text).substr(at, end - at);
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) {  // blank, or a comment
            at = end + 1;
            continue;
        }
        const std::string key = lower(std::string(trimmed(line.substr(0, equals))));
        std::string_view value = trimmed(line.substr(equals + 1));
        if (value.starts_with('{')) {
            const std::size_t open = text.find('{', at + equals), close = text.find('}', open);
            if (close == std::string::npos) cornerturn::refuse(path, fmt::format("{}: no }} ends it", shown(key)));
            value = trimmed(std::string_view(text).substr(open + 1, close - open - 1));
            end = std::min(text.find('\n', close), text.size());
        }
        values_[key] = std::string(value);
        at = end + 1;
    }
}

std::optional<std::string> EnviHeader::text(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::int64_t EnviHeader::count(const std::string& name, std::int64_t least, std::int64_t most,
                               std::optional<std::int64_t> usual) const {
    const auto digits = text(name);
    if (!digits && usual) return *usual;
    if (!digits) cornerturn::refuse(name_, fmt::format("has no '{}'", name));
    const auto value = number_from<std::int64_t>(*digits);
    if (!value || *value < least || *value > most)
        refuse(name,
               least == most ? fmt::format("{}", least) : fmt::format("a whole number from {} to {}", least, most));
    return *value;
}

std::vector<std::string> EnviHeader::list(const std::string& name) const {
    std::vector<std::string> words;
    const auto found = text(name);
    if (!found) return words;
    for (std::size_t at = 0; at <= found->size();) {
        const std::size_t comma = std::min(found->find(',', at), found->size());
        words.emplace_back(trimmed(std::string_view(*found).substr(at, comma - at)));
        at = comma + 1;
    }
    return words;
}

void EnviHeader::refuse(const std::string& name, const std::string& expected) const {
    cornerturn::refuse(name_, fmt::format("{} is '{}', expected {}", name, shown(text(name).value_or("")), expected));
}

}  // namespace cornerturn

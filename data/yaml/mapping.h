// SPDX-License-Identifier: Apache-2.0
// YAML that people write: every fault names its key and line.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/files/refusal.h"
#include "kernels/errors.h"
#include "kernels/host/number_text.h"

namespace cornerturn::yaml {

inline std::string text_of(const YAML::Node& node) {
    if (node.IsScalar()) return fmt::format("'{}'", node.Scalar());
    return node.IsSequence() ? "a list" : node.IsMap() ? "a mapping" : "empty";
}

/// A mapping whose keys are all known and given once. `where` is the file and the place in it.
class Mapping {
public:
    Mapping(const YAML::Node& node, std::string where, const std::vector<std::string>& known)
        : node_(node), where_(std::move(where)) {
        if (!node.IsMap())
            refuse(where_, fmt::format("must be a mapping of keys to values, but is {}; known keys: {}", text_of(node),
                                       fmt::join(known, ", ")));
        std::set<std::string> seen;
        for (const auto& entry : node) {
            const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : text_of(entry.first);
            if (std::find(known.begin(), known.end(), key) == known.end())
                refuse(where_, fmt::format("unknown key '{}' in line {}; known keys: {}", key,
                                           entry.first.Mark().line + 1, fmt::join(known, ", ")));
            if (!seen.insert(key).second)
                refuse(where_, fmt::format("key '{}' is given twice, again in line {}; keep one", key,
                                           entry.first.Mark().line + 1));
        }
    }

    bool has(const std::string& key) const { return static_cast<bool>(node_[key]); }
    YAML::Node at(const std::string& key) const { return node_[key]; }

    template <class Value>
    Value get(const std::string& key, std::string_view expected) const {
        const YAML::Node value = node_[key];
        Value result{};
        if (!value.IsScalar() || !decode(value, result))
            refuse(where_, fmt::format("{} is {} in line {}, but must be {}", key, text_of(value),
                                       value.Mark().line + 1, expected));
        return result;
    }

    template <class Value>
    void read(const std::string& key, Value& to, std::string_view expected) const {
        if (has(key)) to = get<Value>(key, expected);
    }

    const std::string& where() const { return where_; }

private:
    /// yaml-cpp takes 010 for octal, as YAML 1.1 does; who pads numbers with zeros means 10.
    template <class Value>
    static bool decode(const YAML::Node& value, Value& result) {
        if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>)
            if (const auto number = number_from<Value>(value.Scalar())) return result = *number, true;
        return YAML::convert<Value>::decode(value, result);
    }

    YAML::Node node_;
    std::string where_;
};

/// An item of a list, by its place in the file.
inline Mapping item_of(const Mapping& map, const std::string& list, std::size_t i,
                       const std::vector<std::string>& keys) {
    return {map.at(list)[i], fmt::format("{}: {}[{}]", map.where(), list, i), keys};
}

inline std::size_t items_of(const Mapping& map, const std::string& list) {
    const YAML::Node node = map.at(list);
    if (!node.IsSequence())
        refuse(map.where(),
               fmt::format("{} is {} in line {}, but must be a list", list, text_of(node), node.Mark().line + 1));
    return node.size();
}

}  // namespace cornerturn::yaml

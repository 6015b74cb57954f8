// SPDX-License-Identifier: Apache-2.0
// Elements of an XML document as readers of metadata want them: by path, whatever the prefix of their namespace, with
// complaints that name them. Entities beyond the five of XML are not expanded, nothing outside is loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cornerturn {

class XmlElement {
public:
    /// The root of a document. Throws InputError where it is none.
    static XmlElement parse(const std::string& file, std::span<const std::byte> text);

    std::string name() const;
    /// Below this one, by path ("Data/Channel"): the first, all, or none.
    XmlElement at(std::string_view path) const;
    std::optional<XmlElement> find(std::string_view path) const;
    std::vector<XmlElement> all(std::string_view path) const;
    std::vector<XmlElement> children() const;

    std::string text() const;
    /// Empty where it has none of that name.
    std::string attribute(std::string_view name) const;
    /// Finite. Throw InputError.
    double number() const;
    std::uint64_t count() const;
    /// "FILE: /CPHD/Global/SGN": complaint.
    [[noreturn]] void refuse(const std::string& complaint) const;

private:
    struct Node;
    XmlElement(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
    std::shared_ptr<const Node> node_;
};

}  // namespace cornerturn

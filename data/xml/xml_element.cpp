// SPDX-License-Identifier: Apache-2.0
#include "data/xml/xml_element.h"

#include <fmt/format.h>

#include <pugixml.hpp>

#include "data/files/refusal.h"
#include "data/files/trimmed.h"
#include "kernels/host/number_text.h"

namespace cornerturn {
namespace {

std::string_view local_name(const pugi::xml_node& node) {
    const std::string_view name = node.name();
    const std::size_t colon = name.find(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

}  // namespace

struct XmlElement::Node {
    std::string file;
    std::shared_ptr<const pugi::xml_document> document;
    pugi::xml_node node;

    XmlElement with(const pugi::xml_node& other) const {
        return XmlElement(std::make_shared<const Node>(Node{file, document, other}));
    }
};

XmlElement XmlElement::parse(const std::string& file, std::span<const std::byte> text) {
    const auto document = std::make_shared<pugi::xml_document>();
    const pugi::xml_parse_result result = document->load_buffer(text.data(), text.size());
    if (!result)
        cornerturn::refuse(file, fmt::format("its XML is not well-formed at byte {} of {}: {}", result.offset,
                                             text.size(), result.description()));
    return XmlElement(std::make_shared<const Node>(Node{file, document, document->document_element()}));
}

std::string XmlElement::name() const { return std::string(local_name(node_->node)); }

std::vector<XmlElement> XmlElement::children() const {
    std::vector<XmlElement> children;
    for (const pugi::xml_node& child : node_->node.children())
        if (child.type() == pugi::node_element) children.push_back(node_->with(child));
    return children;
}

std::vector<XmlElement> XmlElement::all(std::string_view path) const {
    const std::size_t slash = path.find('/');
    const std::string_view first = path.substr(0, slash);
    std::vector<XmlElement> found;
    for (const pugi::xml_node& child : node_->node.children()) {
        if (child.type() != pugi::node_element || local_name(child) != first) continue;
        const XmlElement element = node_->with(child);
        if (slash == std::string_view::npos) {
            found.push_back(element);
        } else {
            const std::vector<XmlElement> below = element.all(path.substr(slash + 1));
            found.insert(found.end(), below.begin(), below.end());
        }
    }
    return found;
}

std::optional<XmlElement> XmlElement::find(std::string_view path) const {
    const std::vector<XmlElement> found = all(path);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

XmlElement XmlElement::at(std::string_view path) const {
    const auto found = find(path);
    if (!found) refuse(fmt::format("has no {}", path));
    return *found;
}

std::string XmlElement::text() const { return std::string(trimmed(node_->node.text().get())); }

std::optional<std::string> XmlElement::attribute(const char* name) const {
    const pugi::xml_attribute found = node_->node.attribute(name);
    return found ? std::optional<std::string>(found.value()) : std::nullopt;
}

std::uint64_t XmlElement::attribute_count(const char* name, std::uint64_t most) const {
    const std::string digits = attribute(name).value_or("");
    const auto value = number_from<std::uint64_t>(digits);
    if (!value || *value > most)
        refuse(fmt::format("{} is '{}', expected a whole number from 0 to {}", name, shown(digits), most));
    return *value;
}

double XmlElement::number() const {
    const std::string digits = text();
    const auto value = finite_number_from(digits);
    if (!value) refuse(fmt::format("is '{}', expected a number", shown(digits)));
    return *value;
}

std::uint64_t XmlElement::count() const {
    const std::string digits = text();
    const auto value = number_from<std::uint64_t>(digits);
    if (!value) refuse(fmt::format("is '{}', expected a whole number", shown(digits)));
    return *value;
}

void XmlElement::refuse(const std::string& complaint) const {
    std::string path;
    for (pugi::xml_node node = node_->node; node && node.type() == pugi::node_element; node = node.parent())
        path = fmt::format("/{}{}", shown(local_name(node)), path);
    cornerturn::refuse(node_->file, fmt::format("{}: {}", path, complaint));
}

}  // namespace cornerturn

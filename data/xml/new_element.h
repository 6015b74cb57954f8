// SPDX-License-Identifier: Apache-2.0
// Elements of an XML document that is being written.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "pipeline/acquisition/orbit.h"

namespace cornerturn {

/// Without the declaration before it; on one line where there is nothing to indent by.
inline std::string text_of(const pugi::xml_document& document, const char* indent = "") {
    std::ostringstream text;
    document.save(text, indent, (*indent == 0 ? pugi::format_raw : pugi::format_indent) | pugi::format_no_declaration);
    return text.str();
}

/// An element that children are added to, in the order that the schema wants.
class NewElement {
public:
    explicit NewElement(pugi::xml_node node) : node_(node) {}

    NewElement in(const char* name) const { return NewElement(node_.append_child(name)); }
    void text(const char* name, const std::string& value) const { in(name).set_text(value); }
    void number(const char* name, double value) const { in(name).set(value); }
    void count(const char* name, std::int64_t value) const { text(name, fmt::format("{}", value)); }
    NewElement with(const char* attribute, const std::string& value) const {
        node_.append_attribute(attribute) = value.c_str();
        return *this;
    }
    NewElement with(const char* attribute, std::int64_t value) const {
        return with(attribute, fmt::format("{}", value));
    }

    void set_text(const std::string& text) const { node_.text().set(text.c_str()); }
    void set(double value) const { node_.text().set(fmt::format("{:.17g}", value).c_str()); }
    void vector(const char* name, const Vec3& v) const {
        const NewElement to = in(name);
        to.number("X", v[0]);
        to.number("Y", v[1]);
        to.number("Z", v[2]);
    }
    void polynomial(const char* name, const std::vector<double>& polynomial) const {
        const NewElement to = in(name).with("order1", static_cast<std::int64_t>(polynomial.size()) - 1);
        for (std::size_t i = 0; i < polynomial.size(); ++i)
            to.coefficient(polynomial[i]).with("exponent1", static_cast<std::int64_t>(i));
    }
    void polynomial(const char* name, const std::vector<std::vector<double>>& polynomial) const {
        const NewElement to = in(name)
                                  .with("order1", static_cast<std::int64_t>(polynomial.size()) - 1)
                                  .with("order2", static_cast<std::int64_t>(polynomial.front().size()) - 1);
        for (std::size_t i = 0; i < polynomial.size(); ++i)
            for (std::size_t j = 0; j < polynomial[i].size(); ++j)
                to.coefficient(polynomial[i][j])
                    .with("exponent1", static_cast<std::int64_t>(i))
                    .with("exponent2", static_cast<std::int64_t>(j));
    }

private:
    NewElement coefficient(double value) const {
        const NewElement to = in("Coef");
        to.set(value);
        return to;
    }

    mutable pugi::xml_node node_;
};

}  // namespace cornerturn

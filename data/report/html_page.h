// SPDX-License-Identifier: Apache-2.0
// A page of HTML that needs nothing but itself: pictures are inside, there is no script and no address of anything
// else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/picture/picture.h"

namespace cornerturn {

class HtmlPage {
public:
    explicit HtmlPage(std::string title) : title_(std::move(title)) {}

    void heading(const std::string& text);
    void paragraph(const std::string& text);
    /// As it is, in letters of one width.
    void lines(const std::string& text);
    /// A name and a value in each row.
    void facts(const std::vector<std::pair<std::string, std::string>>& rows);
    /// An <svg> element.
    void drawing(const std::string& svg) { body_ += "<div>" + svg + "</div>\n"; }
    /// As PNG inside the page; `words` describe it.
    void picture(const Picture& picture, const std::string& words);

    /// The whole page.
    std::string text() const;

private:
    std::string title_, body_;
};

}  // namespace cornerturn

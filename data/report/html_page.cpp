// SPDX-License-Identifier: Apache-2.0
#include "data/report/html_page.h"

#include <fmt/format.h>

#include <cstddef>
#include <span>

#include "data/picture/svg.h"

namespace cornerturn {
namespace {

/// RFC 4648.
std::string base64(std::span<const std::byte> bytes) {
    static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? letters[group >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

}  // namespace

void HtmlPage::heading(const std::string& text) { body_ += "<h2>" + html_text(text) + "</h2>\n"; }
void HtmlPage::paragraph(const std::string& text) { body_ += "<p>" + html_text(text) + "</p>\n"; }
void HtmlPage::lines(const std::string& text) { body_ += "<pre>" + html_text(text) + "</pre>\n"; }

void HtmlPage::facts(const std::vector<std::pair<std::string, std::string>>& rows) {
    body_ += "<table>\n";
    for (const auto& [name, value] : rows)
        body_ += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", html_text(name), html_text(value));
    body_ += "</table>\n";
}

void HtmlPage::picture(const Picture& picture, const std::string& words) {
    body_ += fmt::format("<img alt=\"{0}\" title=\"{0}\" src=\"data:image/png;base64,{1}\">\n", html_text(words),
                         base64(png_bytes(picture)));
}

std::string HtmlPage::text() const {
    constexpr auto style =
        "body{font-family:sans-serif;color:#282828;max-width:1100px;margin:24px auto;padding:0 "
        "16px}table{border-collapse:collapse}th{text-align:left;font-weight:normal;color:#606060;padding:2px 24px 2px "
        "0;vertical-align:top}td{padding:2px "
        "0}pre{background:#fafafa;padding:8px;overflow-x:auto;font-size:12px}img{max-width:100%;height:auto}h2{margin-"
        "top:32px;border-bottom:1px solid #dcdcdc}";
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n<title>{0}</title>\n<style>{1}</style>\n</head>\n"
        "<body>\n<h1>{0}</h1>\n{2}</body>\n</html>\n",
        html_text(title_), style, body_);
}

}  // namespace cornerturn

// SPDX-License-Identifier: Apache-2.0
// Pages that need nothing but themselves.
#include "data/report/html_page.h"

#include "tests/support/texts.h"

#include <gtest/gtest.h>

namespace cornerturn {
namespace {

TEST(HtmlPage, WritesOutWhatHtmlTakesForItself) {
    HtmlPage page("a < b");
    page.heading("c & d");
    page.paragraph("\"e\"");
    page.lines("f > g");
    page.facts({{"name<", "value>"}});
    const std::string text = page.text();
    expect_in(text, {"<title>a &lt; b</title>", "<h2>c &amp; d</h2>", "<p>&quot;e&quot;</p>", "<pre>f &gt; g</pre>",
                     "<tr><th>name&lt;</th><td>value&gt;</td></tr>"});
    EXPECT_TRUE(text.starts_with("<!DOCTYPE html>"));
    EXPECT_TRUE(text.ends_with("</html>\n"));
    EXPECT_EQ(text.find("http"), std::string::npos);
    EXPECT_EQ(text.find("<script"), std::string::npos);
}

TEST(HtmlPage, PicturesAreInside) {
    for (const std::int64_t width : {1, 2, 3, 40}) {  // all remainders of three bytes
        Picture picture(width, 2, 1);
        HtmlPage page("p");
        page.picture(picture, "words");
        const std::string text = page.text(), mark = "data:image/png;base64,";
        const auto begin = text.find(mark) + mark.size(), end = text.find('"', begin);
        const std::string coded = text.substr(begin, end - begin);
        EXPECT_EQ(coded.substr(0, 11), "iVBORw0KGgo");  // the eight bytes that every PNG begins with
        EXPECT_EQ(coded.size() % 4, 0u);
        const std::size_t bytes = png_bytes(picture).size();
        EXPECT_EQ(coded.size(), (bytes + 2) / 3 * 4);
        EXPECT_EQ(coded.size() - coded.find_last_not_of('=') - 1, (3 - bytes % 3) % 3);
    }
}

}  // namespace
}  // namespace cornerturn

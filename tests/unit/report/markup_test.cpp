#include "report/markup.h"

#include <catch2/catch.hpp>

#include "support/xml_check.h"

using namespace rooftune;

TEST_CASE("text and attributes are escaped") {
  CHECK(escaped("a<b>&\"c'") == "a&lt;b&gt;&amp;&quot;c&#39;");
  CHECK(escaped("\u00e9 \u2588") == "\u00e9 \u2588");
  CHECK(escaped("line\nbreak\ttab") == "line\nbreak\ttab");
}

TEST_CASE("what no document may hold becomes the replacement character") {
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(escaped(std::string("a\0b", 3)) == "a" + bad + "b");
  CHECK(escaped("\x1b[31m") == bad + "[31m");
  CHECK(escaped("\xff\xfe") == bad + bad);
  CHECK(escaped("\xC0\xAF") == bad + bad);            // overlong /
  CHECK(escaped("\xE0\x80\xAF") == bad + bad + bad);  // overlong
  CHECK(escaped("\xED\xA0\x80") == bad + bad + bad);  // surrogate
  CHECK(escaped("\xF4\x90\x80\x80") == bad + bad + bad + bad);
  CHECK(escaped("\xEF\xBF\xBF") == bad);  // U+FFFF
  CHECK(escaped("cut \xE2\x96") == "cut " + bad + bad);
}

TEST_CASE("coordinates are short and never exponents") {
  CHECK(coordinate(1.5) == "1.5");
  CHECK(coordinate(100) == "100");
  CHECK(coordinate(-0.001) == "0");
  CHECK(coordinate(1234567.891) == "1234567.89");
  CHECK(coordinate(std::nan("")) == "0");
}

TEST_CASE("elements nest and are closed") {
  Markup m;
  m.open("a", {{"k", "<v>"}}).element("b", {}, "x & y").empty("c").close();
  const std::string text = m.finish();
  CHECK(text == "<a k=\"&lt;v&gt;\"><b>x &amp; y</b><c/></a>");
  CHECK(sample::xml_fault(text).empty());
}

TEST_CASE("an element left open is a bug") {
  Markup m;
  m.open("a");
  CHECK_THROWS_AS(m.finish(), std::logic_error);
  Markup n;
  CHECK_THROWS_AS(n.close(), std::logic_error);
}

TEST_CASE("the checker finds faults") {
  for (const char* bad : {"<a>", "<a></b>", "<a b=c/>", "<a b=\"1\" b=\"2\"/>", "<a>&nbsp;</a>",
                          "<a/><b/>", "text", "<a b=\"<\"/>", "<a"})
    CHECK_FALSE(sample::xml_fault(bad).empty());
  CHECK(sample::xml_fault("<!DOCTYPE html>\n<html><p class=\"x\">a &lt; b</p></html>\n").empty());
}

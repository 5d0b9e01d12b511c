// In every picture of a staircase no text lies on another, none leaves the picture, and each word
// of the table is there.
#include <catch2/catch.hpp>

#include "report/charts.h"
#include "report/convergence.h"
#include "report/sentences.h"
#include "report/waterfall.h"
#include "support/sample_staircase.h"
#include "support/xml_check.h"

using namespace rooftune;

namespace {

struct Text {
  std::string words;
  Box box;
};

std::string attribute(const std::string& tag, const std::string& name) {
  const std::string before = " " + name + "=\"";
  const std::size_t found = tag.find(before);
  if (found == std::string::npos) return "";
  const std::size_t begin = found + before.size();
  return tag.substr(begin, tag.find('"', begin) - begin);
}

std::string unescaped(std::string text) {
  for (const auto& [from, to] :
       {std::pair("&gt;", ">"), {"&lt;", "<"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
      text.replace(at, std::string(from).size(), to);
  return text;
}

/// All texts of a picture with the places that they take. Regular expressions took two thirds of
/// the test's time.
std::vector<Text> texts(const std::string& svg) {
  std::vector<Text> all;
  for (std::size_t at = svg.find("<text "); at != std::string::npos; at = svg.find("<text ", at)) {
    const std::size_t begin = svg.find('>', at), end = svg.find('<', begin);
    REQUIRE(svg.compare(end, 7, "</text>") == 0);
    const std::string tag = svg.substr(at, begin - at);
    const std::string words = unescaped(svg.substr(begin + 1, end - begin - 1));
    at = end;
    const double size = std::stod(attribute(tag, "font-size"));
    const double width =
        text_width(words, size) * (attribute(tag, "font-weight").empty() ? 1 : 1.08);
    const std::string anchor = attribute(tag, "text-anchor"), turn = attribute(tag, "transform");
    const double angle = turn.empty() ? 0 : std::stod(turn.substr(turn.find('(') + 1));
    const double radians = angle * 3.14159265358979 / 180;
    const double along = anchor == "middle" ? 0 : anchor == "end" ? -width / 2 : width / 2;
    // The middle of small letters stands a third of the size above the line of writing.
    const double up = 0.36 * size;
    all.push_back(
        {words,
         {std::stod(attribute(tag, "x")) + std::cos(radians) * along + std::sin(radians) * up,
          std::stod(attribute(tag, "y")) + std::sin(radians) * along - std::cos(radians) * up,
          width, 0.9 * size, angle}});
  }
  return all;
}

void check_texts(const std::string& svg, double width) {
  CHECK(sample::xml_fault(svg) == "");
  CHECK(svg.find("nan") == std::string::npos);
  const double height = std::stod(attribute(svg, "height"));
  const Box margins[] = {{width / 2, -500, 3 * width, 1000},
                         {width / 2, height + 500, 3 * width, 1000},
                         {-500, height / 2, 1000, 3 * height},
                         {width + 500, height / 2, 1000, 3 * height}};
  const auto all = texts(svg);
  // Millions of pairs: one assertion for all that do not overlap.
  std::string faults;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Box& margin : margins)
      if (overlap(all[i].box, margin)) faults += all[i].words + " leaves the picture; ";
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(all[i].box, all[j].box))
        faults += all[i].words + " lies on " + all[j].words + "; ";
  }
  CHECK(faults == "");
}

}  // namespace

TEST_CASE("no label of a staircase's pictures lies on another, on a desk and on a phone") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const StudyResult result = sample::random_climb(seed);
    for (const double width : {chart_width, phone_width}) {
      INFO("seed " << seed << ", " << width << " pixels");
      check_texts(svg_document(waterfall(result, width)), width);
      check_texts(svg_document(roofline_chart(result, width)), width);
      check_texts(svg_document(convergence(result, width)), width);
    }
  }
}

TEST_CASE("a waterfall has every step, and each limit in the bar of the step that broke it") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    const StudyResult result = sample::random_climb(seed);
    const std::string picture = svg_document(waterfall(result));
    const auto& stairs = result.staircase->stairs;
    for (std::size_t i = 0; i < stairs.size(); ++i) {
      const std::size_t begin = picture.find(fmt::format("data-stair=\"{}\"", i));
      REQUIRE(begin != std::string::npos);
      const std::string row = picture.substr(begin, picture.find("data-stair", begin + 1) - begin);
      for (const LedgerEntry& entry : stairs[i].passed)
        CHECK(row.find("data-limit=\"" + short_name(entry) + '"') != std::string::npos);
    }
  }
}

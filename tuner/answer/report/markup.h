// Builds XML and HTML text: input is escaped and every element gets closed. The caller closes all
// it opens; `finish` asserts this. Then the parts that every page has: frame, headings, tables,
// definition lists.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/list.h"
#include "core/unique.h"
#include "report/text_table.h"

namespace rooftune::report {

/// plain_text with & < > " ' escaped: safe in text and attributes.
std::string escaped(std::string_view text);
/// A coordinate: at most two decimals, no exponent, no "-0". Not finite: 0 (never reaches a chart).
std::string coordinate(double value);

struct Attribute {
  std::string name, value;
  Attribute(std::string its_name, std::string text)
      : name(std::move(its_name)), value(std::move(text)) {}
  Attribute(std::string its_name, double number)
      : Attribute(std::move(its_name), coordinate(number)) {}
};

class Markup {
 public:
  /// Attributes without a value are left out.
  using Attributes = std::vector<Attribute>;

  Markup& open(const std::string& tag, const Attributes& attributes = {});
  Markup& close();
  /// Closes, and begins a new line.
  Markup& close_line() { return close().newline(); }
  /// <tag .../>
  Markup& empty(const std::string& tag, const Attributes& attributes = {});
  /// <tag ...>text</tag>
  Markup& element(const std::string& tag, const Attributes& attributes, std::string_view text);
  Markup& text(std::string_view text);
  /// Finished markup (what another Markup returned).
  Markup& raw(std::string_view markup);
  Markup& newline();
  std::string finish();

 private:
  void start(const std::string& tag, const Attributes& attributes);
  std::string out_;
  Texts open_;
};

/// A table cell: text, escaped when it is written.
struct HtmlCell {
  std::string text = {};
  std::string classes = {};     ///< "n" numbers, "w" breaks anywhere, "broken", ...
  std::string sort_value = {};  ///< a number to sort by, empty: the text
  bool code = false;
  std::string link = {};   ///< target address; empty: none
  std::string brief = {};  ///< the text in a terminal; empty: `text`
  Ink ink = Ink::none;     ///< in a terminal
  std::string hover = {};  ///< told on a page when pointed at
  int from = 0;            ///< a head's: terminals with fewer columns leave the column out
};
using HtmlRow = std::vector<HtmlCell>;
/// A column of figures, shown on a page and on terminals from `from` columns on.
inline HtmlCell number_head(const std::string& text, int from = 0) {
  return {.text = text, .classes = "n", .from = from};
}
/// More columns than any terminal has.
constexpr int page_only = 10000;
/// A figure, sorted by its value whatever its text.
HtmlCell number_cell(double value, const std::string& text);
struct HtmlTable {
  HtmlRow head = {};
  std::vector<HtmlRow> rows = {};
  bool sortable = false;
  std::string classes = {};  ///< further ones for a style sheet; "slim": as wide as its texts
};

/// Our own script or style sheet, with its name in a Content-Security-Policy.
struct PagePart {
  const char *text = "", *hash = "";
};
/// What a page adds to the style sheets and the script that all pages have (page/).
struct PageExtras {
  PagePart style = {}, script = {};
};

void html_begin(Markup& page, const std::string& title, const PageExtras& extras = {});
/// Closes the page; the footer names the tool's version and, when not empty, `date`.
std::string html_end(Markup& page, const std::string& version, const std::string& date,
                     const PageExtras& extras = {});
/// A part of a page that a click opens, from here to the end of the object's life.
class HtmlFold : Unique {
 public:
  HtmlFold(Markup& page, const std::string& title);
  ~HtmlFold();

 private:
  Markup& page_;
};

void html_heading(Markup& page, const std::string& text);
void html_paragraph(Markup& page, const std::string& text, const std::string& classes = {});
void html_table(Markup& page, const HtmlTable& table);
void html_definitions(Markup& page, const TextPairs& entries, const std::string& classes = {});
/// An SVG, scaled to the page; phones show the one made for them, where there is one.
void html_figure(Markup& page, const std::string& svg, const std::string& narrow = {});

}  // namespace rooftune::report

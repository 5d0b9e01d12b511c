// The parts that every page is made of: frame, headings, tables, definition lists.
#pragma once
#include <string>
#include <vector>

#include "report/markup.h"

namespace rooftune::report {

/// A cell of a table: text, escaped when it is written.
struct HtmlCell {
  std::string text = {};
  std::string classes = {};     ///< "n" numbers, "w" breaks anywhere, "broken", ...
  std::string sort_value = {};  ///< a number to sort by, empty: the text
  bool code = false;
  std::string link = {};  ///< where it leads, empty: nowhere
};
/// A figure, sorted by its value whatever its text.
HtmlCell number_cell(double value, const std::string& text);
struct HtmlTable {
  std::vector<HtmlCell> head;
  std::vector<std::vector<HtmlCell>> rows;
  std::vector<std::string> row_classes;  ///< empty, or one for every row
  /// Empty, or what a filter looks for its words in, for every row that it counts.
  std::vector<std::string> row_searches = {};
  bool sortable = false;
  bool slim = false;         ///< as wide as its texts, not as the page
  std::string classes = {};  ///< what else a style sheet calls it
};

/// A script or a style sheet of ours with its name in a Content-Security-Policy.
struct PagePart {
  const char *text = "", *hash = "";
};
/// What a page has besides the style sheets and the script of all pages (page/).
struct PageExtras {
  PagePart style = {}, script = {};
};

/// What a browser may do with a page: use our style sheets and run our scripts, by their hashes.
std::string html_policy(const PageExtras& extras);
void html_begin(Markup& page, const std::string& title, const PageExtras& extras = {});
/// Closes the page; the footer names the tool's version and, when not empty, `date`.
std::string html_end(Markup& page, const std::string& version, const std::string& date,
                     const PageExtras& extras = {});
/// A part of a page that a click opens, from here to the end of the object's life.
class HtmlFold {
 public:
  HtmlFold(Markup& page, const std::string& title);
  ~HtmlFold();
  HtmlFold(const HtmlFold&) = delete;
  HtmlFold& operator=(const HtmlFold&) = delete;

 private:
  Markup& page_;
};

void html_heading(Markup& page, const std::string& text);
void html_paragraph(Markup& page, const std::string& text, const std::string& classes = {});
void html_table(Markup& page, const HtmlTable& table);
void html_definitions(Markup& page,
                      const std::vector<std::pair<std::string, std::string>>& entries);
/// An SVG, scaled to the page.
void html_figure(Markup& page, const std::string& svg);

}  // namespace rooftune::report

#include "report/html.h"

#include <fmt/format.h>

#include "report/page_resources.h"
#include "report/palette_resources.h"

namespace rooftune::report {
namespace {

void cell(Markup& page, const char* tag, const HtmlCell& cell) {
  Markup::Attributes attributes;
  if (!cell.classes.empty()) attributes.emplace_back("class", cell.classes);
  if (!cell.sort_value.empty()) attributes.emplace_back("data-v", cell.sort_value);
  page.open(tag, attributes);
  if (!cell.link.empty())
    page.element("a", {{"href", cell.link}}, cell.text);
  else if (cell.code)
    page.element("code", {}, cell.text);
  else
    page.text(cell.text);
  page.close();
}

}  // namespace

HtmlCell number_cell(double value, const std::string& text) {
  return {text, "n", fmt::format("{:.9g}", value)};
}

std::string html_policy(const PageExtras& extras) {
  const auto also = [](const PagePart& part) {
    return *part.hash ? ' ' + std::string(part.hash) : "";
  };
  return fmt::format(
      "default-src 'none'; style-src {} {}{}; script-src {}{}; base-uri 'none'; form-action 'none'",
      page_style_hash, palette_style_hash, also(extras.style), page_script_hash,
      also(extras.script));
}

void html_begin(Markup& page, const std::string& title, const PageExtras& extras) {
  page.raw("<!DOCTYPE html>\n");
  page.open("html", {{"lang", "en"}}).newline().open("head").newline();
  page.empty("meta", {{"charset", "utf-8"}}).newline();
  page.empty("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", html_policy(extras)}})
      .newline();
  page.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}})
      .newline();
  page.element("title", {}, title).newline();
  for (const char* style : {page_style, palette_style, extras.style.text})
    if (*style) page.open("style").raw(style).close().newline();
  page.close().newline().open("body").open("main").newline();
}

std::string html_end(Markup& page, const std::string& version, const std::string& date,
                     const PageExtras& extras) {
  page.open("footer").text("Rooftune " + version);
  if (!date.empty()) page.text(", " + date);
  page.close().newline().close().newline();
  page.open("script").raw(page_script).close().newline();
  if (*extras.script.text) page.open("script").raw(extras.script.text).close().newline();
  page.close().close().newline();
  return page.finish();
}

HtmlFold::HtmlFold(Markup& page, const std::string& title) : page_(page) {
  page_.open("details", {{"class", "evidence"}}).open("summary");
  page_.element("h2", {}, title).close().newline();
}

HtmlFold::~HtmlFold() { page_.close().newline(); }

void html_heading(Markup& page, const std::string& text) { page.element("h2", {}, text).newline(); }

void html_paragraph(Markup& page, const std::string& text, const std::string& classes) {
  if (text.empty()) return;
  Markup::Attributes attributes;
  if (!classes.empty()) attributes.emplace_back("class", classes);
  page.element("p", attributes, text).newline();
}

void html_table(Markup& page, const HtmlTable& table) {
  // A scrolling part must be within reach of keys.
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}});
  Markup::Attributes attributes;
  std::string classes = table.sortable ? "sortable" : table.slim ? "slim" : "";
  if (!table.classes.empty()) classes += (classes.empty() ? "" : " ") + table.classes;
  if (!classes.empty()) attributes.emplace_back("class", classes);
  page.open("table", attributes).newline().open("thead").open("tr");
  // A column without a heading has a plain cell there.
  for (const HtmlCell& head : table.head) cell(page, head.text.empty() ? "td" : "th", head);
  page.close().close().newline().open("tbody").newline();
  for (const auto& row : table.rows) {
    page.open("tr");
    for (const HtmlCell& one : row) cell(page, "td", one);
    page.close().newline();
  }
  page.close().close().close().newline();
}

void html_definitions(Markup& page,
                      const std::vector<std::pair<std::string, std::string>>& entries) {
  page.open("dl").newline();
  for (const auto& [term, text] : entries)
    if (!text.empty()) page.element("dt", {}, term).element("dd", {}, text).newline();
  page.close().newline();
}

void html_figure(Markup& page, const std::string& svg) {
  page.open("div", {{"class", "figure"}, {"tabindex", "0"}}).newline().raw(svg).close().newline();
}

}  // namespace rooftune::report

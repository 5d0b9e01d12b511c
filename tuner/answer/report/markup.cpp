#include "report/markup.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string_view>

#include "core/text.h"
#include "report/page_resources.h"
#include "report/palette_resources.h"

namespace rooftune::report {

std::string escaped(std::string_view text) {
  static constexpr std::string_view special = "&<>\"'";
  static constexpr const char* entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  std::string out;
  for (const char c : plain_text(std::string(text)))
    if (const auto at = special.find(c); at != std::string_view::npos)
      out += entities[at];
    else
      out += c;
  return out;
}

std::string coordinate(double value) {
  if (!std::isfinite(value)) return "0";
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

void Markup::start(const std::string& tag, const Attributes& attributes) {
  out_ += '<' + tag;
  for (const auto& [name, value] : attributes)
    if (!value.empty()) out_ += ' ' + name + "=\"" + escaped(value) + '"';
}

Markup& Markup::open(const std::string& tag, const Attributes& attributes) {
  start(tag, attributes);
  out_ += '>';
  open_.push_back(tag);
  return *this;
}

Markup& Markup::close() {
  if (open_.empty()) throw std::logic_error("Markup: nothing is open");
  out_ += "</" + open_.back() + '>';
  open_.pop_back();
  return *this;
}

Markup& Markup::empty(const std::string& tag, const Attributes& attributes) {
  start(tag, attributes);
  out_ += "/>";
  return *this;
}

Markup& Markup::element(const std::string& tag, const Attributes& attributes,
                        std::string_view content) {
  return open(tag, attributes).text(content).close();
}

Markup& Markup::text(std::string_view content) {
  out_ += escaped(content);
  return *this;
}

Markup& Markup::raw(std::string_view markup) {
  out_ += markup;
  return *this;
}

Markup& Markup::newline() {
  out_ += '\n';
  return *this;
}

std::string Markup::finish() {
  if (!open_.empty()) throw std::logic_error("Markup: <" + open_.back() + "> is still open");
  return std::move(out_);
}

namespace {

void cell(Markup& page, const char* tag, const HtmlCell& cell) {
  page.open(tag, {{"class", cell.classes}, {"title", cell.hover}, {"data-v", cell.sort_value}});
  if (!cell.link.empty())
    page.element("a", {{"href", cell.link}}, cell.text);
  else if (cell.code)
    page.element("code", {}, cell.text);
  else
    page.text(cell.text);
  page.close();
}

/// What a browser may run on a page: our style sheets and our scripts, by their hashes.
std::string html_policy(const PageExtras& extras) {
  const auto also = [](const PagePart& part) {
    return *part.hash ? ' ' + std::string(part.hash) : "";
  };
  return fmt::format(
      "default-src 'none'; style-src {} {}{}; script-src {}{}; base-uri 'none'; form-action 'none'",
      page_style_hash, palette_style_hash, also(extras.style), page_script_hash,
      also(extras.script));
}

}  // namespace

HtmlCell number_cell(double value, const std::string& text) {
  return {text, "n", fmt::format("{:.9g}", value)};
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
    if (*style) page.open("style").raw(style).close_line();
  page.close_line().open("body").open("main").newline();
}

std::string html_end(Markup& page, const std::string& version, const std::string& date,
                     const PageExtras& extras) {
  page.open("footer").text("Rooftune " + version);
  if (!date.empty()) page.text(", " + date);
  page.close_line().close_line();
  page.open("script").raw(page_script).close_line();
  if (*extras.script.text) page.open("script").raw(extras.script.text).close_line();
  page.close().close_line();
  return page.finish();
}

HtmlFold::HtmlFold(Markup& page, const std::string& title) : page_(page) {
  page_.open("details", {{"class", "evidence"}}).open("summary");
  page_.element("h2", {}, title).close_line();
}

HtmlFold::~HtmlFold() { page_.close_line(); }

void html_heading(Markup& page, const std::string& text) { page.element("h2", {}, text).newline(); }

void html_paragraph(Markup& page, const std::string& text, const std::string& classes) {
  if (text.empty()) return;
  page.element("p", {{"class", classes}}, text).newline();
}

void html_table(Markup& page, const HtmlTable& table) {
  // A part that scrolls must be reachable by keyboard.
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}});
  std::string classes = table.sortable ? "sortable" : "";
  if (!table.classes.empty()) join(classes, table.classes, " ");
  page.open("table", {{"class", classes}}).newline().open("thead").open("tr");
  // A column without a heading has a plain cell there.
  for (const HtmlCell& head : table.head) cell(page, head.text.empty() ? "td" : "th", head);
  page.close().close_line().open("tbody").newline();
  for (const auto& row : table.rows) {
    page.open("tr");
    for (const HtmlCell& one : row) cell(page, "td", one);
    page.close_line();
  }
  page.close().close().close_line();
}

void html_definitions(Markup& page, const TextPairs& entries, const std::string& classes) {
  page.open("dl", {{"class", classes}}).newline();
  for (const auto& [term, text] : entries)
    if (!text.empty()) page.element("dt", {}, term).element("dd", {}, text).newline();
  page.close_line();
}

void html_figure(Markup& page, const std::string& svg, const std::string& narrow) {
  const auto figure = [&](const char* classes, const std::string& text) {
    page.open("div", {{"class", classes}, {"tabindex", "0"}}).newline().raw(text).close_line();
  };
  figure(narrow.empty() ? "figure" : "figure wide", svg);
  if (!narrow.empty()) figure("figure narrow", narrow);
}

}  // namespace rooftune::report

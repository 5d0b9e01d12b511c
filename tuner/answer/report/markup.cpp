#include "report/markup.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string_view>

#include "core/text.h"

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
  for (const auto& [name, value] : attributes) out_ += ' ' + name + "=\"" + escaped(value) + '"';
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

}  // namespace rooftune::report

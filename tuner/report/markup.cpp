#include "report/markup.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace rooftune::inline report {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Length of the well-formed UTF-8 sequence at the start of `text`, 0 when there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates and what lies beyond U+10FFFF are no characters.
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

/// U+FFFE and U+FFFF are no XML characters.
bool forbidden(std::string_view sequence) {
  return sequence == "\xEF\xBF\xBE" || sequence == "\xEF\xBF\xBF";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view piece = text.substr(0, length ? length : 1);
    const char c = piece[0];
    if (length == 0 || forbidden(piece) || c == '\x7f' ||
        (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'))
      out += replacement;
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += piece;
    text.remove_prefix(piece.size());
  }
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

}  // namespace rooftune::inline report

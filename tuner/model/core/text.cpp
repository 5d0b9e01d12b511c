// Which characters in a foreign text may pass.
#include "core/text.h"

namespace rooftune::core {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Length [B] of the well-formed UTF-8 sequence at the start of `text`; 0 when there is none.
size_t sequence_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? uint8_t(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  // Overlong forms, surrogates and code points beyond the last plane.
  const bool bad = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                   (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
  return bad ? 0 : length;
}

/// Whether a two- or three-byte sequence is a C1 control, a direction mark or override, a line
/// separator, or a non-character in XML.
bool hidden(std::string_view sequence) {
  const auto in_range = [&](std::string_view low, std::string_view high) {
    return sequence.size() == low.size() && sequence >= low && sequence <= high;
  };
  return in_range("\xc2\x80", "\xc2\x9f") || in_range("\xd8\x9c", "\xd8\x9c") ||
         in_range("\xe2\x80\x8e", "\xe2\x80\x8f") || in_range("\xe2\x80\xa8", "\xe2\x80\xae") ||
         in_range("\xe2\x81\xa6", "\xe2\x81\xa9") || in_range("\xef\xbf\xbe", "\xef\xbf\xbf");
}

bool is_control(char c) { return uint8_t(c) < 0x20 || c == '\x7f'; }

/// Most texts are one ASCII line and stay as they are.
bool is_simple(char c) { return uint8_t(c) < 0x80 && !is_control(c); }

}  // namespace

size_t shown_point(std::string_view text) {
  const size_t length = sequence_length(text);
  if (length == 1) return is_control(text[0]) ? 0 : 1;
  return hidden(text.substr(0, length)) ? 0 : length;
}

std::string plain_text(std::string text) {
  if (all_of(text, is_simple)) return text;
  std::string out;
  out.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const size_t shown = shown_point(rest), sequence = sequence_length(rest);
    if (shown > 0 || rest[0] == '\n' || rest[0] == '\t')
      out += rest.substr(0, sequence);
    else if (!rest.starts_with("\r\n"))
      out += replacement;
    rest.remove_prefix(std::max<size_t>(1, sequence));
  }
  return out;
}

}  // namespace rooftune::core

// Numbers as programs print them, for people.
#include <algorithm>
#include <charconv>

#include "core/pattern.h"
#include "core/text.h"
#include "run/metric.h"

namespace rooftune::run {
namespace {

/// All of the text; with Fortran's exponent.
std::optional<double> plain_number(std::string text) {
  if (text.starts_with('+')) text.erase(0, 1);
  std::ranges::replace_if(
      text, [](char c) { return c == 'D' || c == 'd'; }, 'e');
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || rest != end || text.starts_with("+")) return std::nullopt;
  return value;
}

std::string erased(std::string text, char separator) {
  std::erase(text, separator);
  return text;
}

/// Commas and underscores between digits, as far as they have one meaning.
std::optional<std::string> without_groups(const std::string& text) {
  static const Pattern thousands("[-+]?[1-9][0-9]{0,2}([,_][0-9]{3})+(\\.[0-9]*)?([eEdD].*)?");
  static const Pattern decimal_comma("[-+]?[0-9]*,[0-9]*([eEdD].*)?");
  if (text.find_first_of(",_") == std::string::npos) return text;
  const auto commas = std::ranges::count(text, ',');
  if (thousands.matches(text) && (commas != 1 || text.find('.') != std::string::npos))
    return erased(erased(text, ','), '_');
  if (!decimal_comma.matches(text) || thousands.matches(text)) return std::nullopt;
  std::string result = text;
  std::ranges::replace(result, ',', '.');
  return result;
}

/// "0m0.016s", "1:02:03.5".
std::optional<double> seconds_of_clock(const std::string& text) {
  static const Pattern of_bash("(?:([0-9]+)h)?([0-9]+)m([0-9]+(?:[.,][0-9]*)?)s");
  static const Pattern of_time("(?:([0-9]+):)?([0-9]+):([0-9]{2}(?:[.,][0-9]*)?)");
  auto parts = of_bash.match(text);
  if (!parts) parts = of_time.match(text);
  if (!parts) return std::nullopt;
  std::string seconds = (*parts)[3];
  std::ranges::replace(seconds, ',', '.');
  const std::string& hours = (*parts)[1];
  return 3600 * plain_number(hours.empty() ? "0" : hours).value_or(0) +
         60 * plain_number((*parts)[2]).value_or(0) + plain_number(seconds).value_or(0);
}

}  // namespace

std::optional<PrintedNumber> printed_number(std::string_view text) {
  // A number and its unit; std::regex takes a frame of the stack for each character.
  constexpr std::size_t longest = 60;
  const std::string whole(trimmed(text));
  if (whole.empty() || whole.size() > longest) return std::nullopt;
  if (const auto seconds = seconds_of_clock(whole)) return PrintedNumber{*seconds, "s"};
  if (const auto value = plain_number(whole)) return PrintedNumber{*value, {}};
  static const Pattern with_unit(
      "([-+]?[0-9.,_]*[0-9][.]?(?:[eEdD][-+]?[0-9]+)?) *([^-+0-9.,_ ][^ 0-9]*)?");
  const auto parts = with_unit.match(whole);
  if (!parts) return std::nullopt;
  const auto digits = without_groups((*parts)[1]);
  const auto value = digits ? plain_number(*digits) : std::nullopt;
  if (!value) return std::nullopt;
  return PrintedNumber{*value, (*parts)[2]};
}

}  // namespace rooftune::run

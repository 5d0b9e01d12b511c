#include "run/printed_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "build/includes.h"
#include "core/list.h"
#include "core/split.h"
#include "core/text.h"

namespace rooftune::run {
namespace {

constexpr double relative = 1e-6;
/// Residuals and the like: what rounding leaves.
constexpr double negligible = 1e-9;

std::string shown(std::string_view text) {
  constexpr size_t most = 40;
  return std::string(trimmed(text)).substr(0, most);
}

}  // namespace

PrintedOutput::Line PrintedOutput::parts(const std::string& line) {
  Line all;
  std::string text;
  const auto add_text = [&] {
    // NaN has no sign that anybody meant.
    for (size_t at = text.find("-nan"); at != text.npos; at = text.find("-nan")) text.erase(at, 1);
    if (!text.empty()) all.push_back({text});
    text.clear();
  };
  for (size_t at = 0; at < line.size();) {
    double number = 0;
    const bool begins = at == 0 || (!is_identifier_char(line[at - 1]) && line[at - 1] != '.');
    const char* const begin = line.data() + at;
    const char* const end = line.data() + line.size();
    const bool digit = is_digit(*begin) || *begin == '-' || *begin == '.';
    const auto [rest, fault] = begins && digit
                                   ? std::from_chars(begin, end, number)
                                   : std::from_chars_result{begin, std::errc::invalid_argument};
    if (fault == std::errc{} && (rest == end || !is_identifier_char(*rest))) {
      add_text();
      all.push_back({std::string(begin, rest), number, true});
      at += rest - begin;
    } else {
      text += line[at++];
    }
  }
  add_text();
  return all;
}

bool PrintedOutput::agree(const Part& one, const Part& other) {
  if (one.is_number != other.is_number) return false;
  if (!one.is_number) return trimmed(one.text) == trimmed(other.text);
  const double larger = std::max(std::abs(one.number), std::abs(other.number));
  return std::abs(one.number - other.number) <= std::max(relative * larger, negligible);
}

void PrintedOutput::learn(const Printed& run) {
  refused_ = run.refused;
  std::vector<Line> read;
  for (const std::string& line : run.lines) read.push_back(parts(line));
  if (runs_++ == 0) lines_ = read;
  comparable_ = comparable_ && read.size() == lines_.size();
  for (size_t i = 0; comparable_ && i < read.size(); ++i) {
    Line& known = lines_[i];
    const bool alike = known.size() == read[i].size();
    for (const size_t k : indices(known))
      known[k].varies = known[k].varies || !alike || !agree(known[k], read[i][k]);
  }
}

std::string PrintedOutput::difference(const Texts& lines,
                                      const std::multimap<std::string, std::string>& echoes) const {
  if (!comparable_ || runs_ == 0) return {};
  if (lines.size() != lines_.size())
    return fmt::format("{} lines instead of {}", lines.size(), lines_.size());
  const auto echoed = [&](const Part& from, const Part& to) {
    const auto [begin, end] = echoes.equal_range(shown(from.text));
    return std::any_of(begin, end, [&](const auto& one) { return one.second == shown(to.text); });
  };
  constexpr size_t most = 3;
  Texts found;
  for (size_t i = 0; i < lines.size() && found.size() < most; ++i) {
    const Line here = parts(lines[i]);
    const Line& known = lines_[i];
    const auto varies = [](const Part& one) { return one.varies; };
    if (here.size() != known.size()) {
      if (none_of(known, varies)) found.push_back(fmt::format("\"{}\"", shown(lines[i])));
      continue;
    }
    for (size_t k = 0; k < here.size() && found.size() < most; ++k) {
      if (known[k].varies || agree(known[k], here[k]) || echoed(known[k], here[k])) continue;
      const std::string label = k > 0 ? shown(known[k - 1].text) + " " : "";
      found.push_back(fmt::format("{}{} -> {}", label, shown(known[k].text), shown(here[k].text)));
    }
  }
  return joined(found);
}

Printed printed(const std::string& output,
                const std::function<bool(const std::string&)>& is_figure) {
  Printed result;
  for (const std::string& line : split(plain_text(output))) {
    const std::string text(trimmed(line));
    // GNU's run-time, and LLVM's.
    const bool refuses = (text.starts_with("libgomp: ") && contains(lower_case(text), "invalid")) ||
                         text.starts_with("OMP: Warning");
    if (refuses && result.refused.empty()) result.refused = text;
    if (!refuses && !is_figure(line)) result.lines.push_back(line);
  }
  return result;
}

std::string PrintedOutput::fault(const Printed& run, bool compared, const SearchSpace& space,
                                 const Configuration& configuration) const {
  if (!run.refused.empty() && run.refused != refused_)
    return "this is another configuration, since the program said: " + run.refused;
  std::multimap<std::string, std::string> echoes;
  for (const Knob& knob : space.knobs())
    echoes.emplace(to_text(space.baseline().at(knob.name)), to_text(configuration.at(knob.name)));
  const std::string found = compared ? difference(run.lines, echoes) : "";
  if (found.empty()) return {};
  return fmt::format(
      "the output differs from the baseline's: {} (--check says what is right, "
      "--check none compares nothing)",
      found);
}

}  // namespace rooftune::run

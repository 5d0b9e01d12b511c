#include "sweep/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/list.h"
#include "core/text.h"
#include "core/version.h"
#include "report/figures.h"
#include "report/markup.h"

namespace rooftune::sweep {
namespace {

/// Seconds without an exponent: xs:decimal has none.
std::string plain_seconds(double seconds) {
  std::string text = fmt::format("{:.12f}", seconds);
  text.erase(text.find_last_not_of('0') + 1);
  return text.back() == '.' ? text + '0' : text;
}

double time_of(const Night& night) { return night.seconds ? night.seconds->value : 0; }

struct Tally {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const Night& night) {
    const Standing standing = night.standing();
    ++tests;
    failures += standing == Standing::regressed;
    errors += standing == Standing::failed;
    skipped += standing == Standing::inconclusive;
    seconds += time_of(night);
  }
  Markup::Attributes attributes(const std::string& name) const {
    return {{"name", name},
            {"tests", std::to_string(tests)},
            {"failures", std::to_string(failures)},
            {"errors", std::to_string(errors)},
            {"skipped", std::to_string(skipped)},
            {"time", plain_seconds(seconds)}};
  }
};

std::string sentences_of(const Night& night) {
  std::string text = night.verdict ? night.verdict->sentence : "";
  for (const std::string& reason : night.inconclusive) join(text, reason, "; ");
  return text;
}

void junit_case(Markup& xml, const std::string& name, const NightOf& one) {
  const Night& night = one.night;
  xml.open("testcase", {{"classname", one.series.machine.empty() ? "rooftune" : one.series.machine},
                        {"name", name},
                        {"time", plain_seconds(time_of(night))}});
  const Standing standing = night.standing();
  const std::string text = sentences_of(night);
  if (standing == Standing::regressed)
    xml.element("failure", {{"message", comparison_text(one)}, {"type", "regression"}}, text);
  else if (standing == Standing::failed)
    xml.element("error", {{"message", night.message}, {"type", "study"}}, night.message);
  else if (standing == Standing::inconclusive)
    xml.empty("skipped", {{"message", text.empty() ? word(standing) : text}});
  if (!night.revision.empty()) xml.element("system-out", {}, "revision " + night.revision);
  xml.close_line();
}

/// Escapes text as GitHub reads it in a command's data; in a title, a property, also the signs that
/// end a property.
std::string escaped(const std::string& text, bool is_title) {
  const std::string special = is_title ? "%\r\n:," : "%\r\n";
  std::string result;
  for (const char c : plain_text(text))
    result += !contains(special, c) ? std::string(1, c) : fmt::format("%{:02X}", c);
  return result;
}

/// The command for each Standing; nullptr where nobody has to look.
constexpr const char* annotations[] = {"error",  "error", "warning", "warning", "notice",
                                       "notice", nullptr, nullptr,   nullptr};

}  // namespace

std::string series_name(const Series& series) {
  std::string name = series.kernel;
  const std::string threads = series.threads == 0 ? "" : plural(series.threads, "thread");
  for (const std::string& part :
       {series.backend, series.problem, series.machine, threads, series.cache})
    if (!part.empty()) name += '/' + part;
  std::ranges::replace_if(
      name, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return name;
}

Texts names_of(const std::vector<NightOf>& nights) {
  ByName<int> uses;
  for (const NightOf& one : nights) ++uses[series_name(one.series)];
  Texts names;
  for (const NightOf& one : nights) {
    std::string name = series_name(one.series);
    if (uses.at(name) > 1)
      name += fmt::format("/{} of {}/{}", one.night.name, one.night.plan, one.series.machine_id);
    std::ranges::replace(name, '\n', ' ');
    names.push_back(std::move(name));
  }
  return names;
}

std::string verdict_word(const Night& night) {
  const Standing standing = night.standing();
  return standing == Standing::unjudged ? "" : word(standing);
}

std::string spoken(Standing standing) {
  // In the order of Standing.
  static constexpr const char* words[] = {
      "regressed",           "failed",    "inconclusive",
      "machine slower",      "improved",  "better configuration found",
      "first, the baseline", "no change", ""};
  return words[size_t(standing)];
}

std::string comparison_text(const NightOf& one) {
  const Night& night = one.night;
  const std::string text = spoken(night.standing());
  std::string ratio;
  if (night.verdict && !night.verdict->decided) return text + ", not decided";
  if (night.verdict && night.verdict->ratio())
    ratio = ratio_text(night.verdict->ratio()->value);
  else if (!night.verdict && night.seconds && one.series.baseline())
    ratio = ratio_text(night.seconds->value / one.series.baseline()->seconds.value) +
            " of the baseline's time";
  return text + (text.empty() || ratio.empty() ? "" : " ") + ratio;
}

std::string junit_format(const SweepHistory& history) {
  const auto nights = newest_nights(history);
  const auto names = names_of(nights);
  ByName<Indices> plans;
  Tally all;
  for (const size_t i : indices(nights)) {
    plans[nights[i].night.plan].push_back(i);
    all.add(nights[i].night);
  }
  Markup xml;
  xml.raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  xml.open("testsuites", all.attributes("rooftune")).newline();
  for (const auto& [plan, positions] : plans) {
    Tally tally;
    std::string date;
    for (const size_t i : positions) {
      tally.add(nights[i].night);
      date = std::max(date, nights[i].night.date);
    }
    auto attributes = tally.attributes(plan);
    attributes.emplace_back("timestamp", date);
    xml.open("testsuite", attributes).newline();
    for (const size_t i : positions) junit_case(xml, names[i], nights[i]);
    xml.close_line();
  }
  xml.close_line();
  return xml.finish();
}

std::string github_format(const SweepHistory& history) {
  const auto nights = newest_nights(history);
  const auto names = names_of(nights);
  std::string text;
  for (const size_t i : indices(nights)) {
    const Night& night = nights[i].night;
    const Standing standing = night.standing();
    if (const char* const kind = annotations[size_t(standing)])
      text += fmt::format(
          "::{} title={}::{}\n", kind, escaped(names[i] + " " + comparison_text(nights[i]), true),
          escaped(standing == Standing::failed ? night.message : sentences_of(night), false));
  }
  return text;
}

std::string series_json_format(const SweepHistory& history) {
  Json json{{"schema", "rooftune-series-1"}, {"version", version}};
  json["series"] = encode(history.series);
  json["faults"] = history.faults;
  return json_text(json, 2) + '\n';
}

}  // namespace rooftune::sweep

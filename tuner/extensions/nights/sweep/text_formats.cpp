// The formats of sweeps other than JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "core/text.h"
#include "report/markup.h"
#include "sweep/formats.h"

namespace rooftune::sweep {
namespace {

/// A figure with exactly its value when read back.
std::string exact(double value) { return fmt::format("{}", value); }
std::string exact(const std::optional<double>& value) { return value ? exact(*value) : ""; }

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

/// The figures of a night by name; unknown ones are left out.
std::vector<std::pair<const char*, std::string>> key_values(const Night& night) {
  std::vector<std::pair<const char*, std::string>> all;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) all.emplace_back(key, value);
  };
  if (night.seconds) add("seconds", exact(night.seconds->value));
  if (night.bound) add("bound_seconds", exact(night.bound->value));
  add("gap", exact(night.gap));
  add("speedup", exact(night.speedup));
  add("verdict", verdict_word(night));
  add("ceiling", night.ceiling);
  add("compiler", night.compiler);
  if (!night.configuration.is_null()) add("configuration", json_text(night.configuration));
  return all;
}

/// A value up to the next blank.
std::string logfmt_value(const std::string& text) {
  const std::string plain = plain_text(text);
  return plain.find_first_of(" \t\n\"=") == std::string::npos ? plain : json_text(plain);
}

std::string sentences_of(const Night& night) {
  std::string text = night.verdict ? night.verdict->sentence : "";
  for (const ExportVerdict& one : night.exports)
    text += (text.empty() ? "" : "; ") + sentence_of(one);
  for (const std::string& reason : night.inconclusive) text += (text.empty() ? "" : "; ") + reason;
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
  std::string lines;
  for (const auto& [key, value] : key_values(night)) lines += fmt::format("{}={}\n", key, value);
  if (!lines.empty()) xml.element("system-out", {}, lines);
  xml.close().newline();
}

using Labels = std::vector<std::pair<const char*, std::string>>;

std::string label_value(const std::string& text) {
  std::string out;
  for (const char c : plain_text(text))
    if (c == '\n')
      out += "\\n";
    else
      out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out;
}

std::string label_text(const Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels)
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, label_value(value));
  return text;
}

Labels labels_of(const NightOf& one) {
  return {{"plan", one.night.plan},
          {"study", one.night.name},
          {"kernel", one.series.kernel},
          {"problem", one.series.problem},
          {"backend", one.series.backend},
          {"machine", one.series.machine},
          {"machine_id", one.series.machine_id},
          {"threads", std::to_string(one.series.threads)},
          {"cache", one.series.cache}};
}

/// One family of metrics; a unit ends its name.
struct MetricFamily {
  const char *name, *unit, *help;
  std::function<std::optional<double>(const Night&)> value;
};

std::optional<double> middle(const std::optional<Estimate>& estimate) {
  return estimate ? std::optional(estimate->value) : std::nullopt;
}

const std::vector<MetricFamily>& metric_families() {
  static const std::vector<MetricFamily> all{
      {"rooftune_best_seconds", "seconds", "Time per call of the best configuration.",
       [](const Night& night) { return middle(night.seconds); }},
      {"rooftune_bound_seconds", "seconds", "Time that no variant beats.",
       [](const Night& night) { return middle(night.bound); }},
      {"rooftune_gap_ratio", "ratio", "Time of the best over the bound.",
       [](const Night& night) { return night.gap; }},
      {"rooftune_speedup_ratio", "ratio", "Time of the untuned form over that of the best.",
       [](const Night& night) { return night.speedup; }},
      {"rooftune_ceiling_rate", "",
       "What the ceiling that binds gave during the study [B/s or flop/s].",
       [](const Night& night) { return night.ceiling_rate; }},
      {"rooftune_study_failed", "", "1 when the study failed.",
       [](const Night& night) { return std::optional<double>(night.failed() ? 1 : 0); }},
      {"rooftune_regressed", "", "1 when a regression was confirmed, absent when nobody judged.",
       [](const Night& night) {
         return night.verdict
                    ? std::optional<double>(night.verdict->finding == Finding::regressed ? 1 : 0)
                    : std::nullopt;
       }},
  };
  return all;
}

/// A cell of RFC 4180. A spreadsheet would take a text that begins with = + - @ for a formula.
std::string csv_text(std::string text) {
  text = plain_text(std::move(text));
  if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos)
    text.insert(0, "'");
  if (text.find_first_of(",\"\n\t'") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string{c};
  return out + '"';
}

std::vector<std::string> csv_row(const Series& series, const Night& night) {
  const auto part = [](const std::optional<Estimate>& estimate, double Estimate::*member) {
    return estimate ? exact((*estimate).*member) : std::string();
  };
  return {csv_text(night.date),
          csv_text(night.plan),
          csv_text(night.name),
          csv_text(series.kernel),
          csv_text(series.problem),
          csv_text(series.backend),
          csv_text(series.machine),
          csv_text(series.machine_id),
          std::to_string(series.threads),
          csv_text(series.cache),
          series.key,
          word(night.state),
          part(night.seconds, &Estimate::value),
          part(night.seconds, &Estimate::low),
          part(night.seconds, &Estimate::high),
          exact(night.gap),
          part(night.bound, &Estimate::value),
          csv_text(night.ceiling),
          exact(night.ceiling_rate),
          exact(night.speedup),
          csv_text(verdict_word(night)),
          csv_text(night.compiler),
          csv_text(night.version),
          night.configuration.is_null() ? "" : csv_text(json_text(night.configuration)),
          csv_text(night.message)};
}

}  // namespace

std::string junit_format(const SweepHistory& history) {
  const auto nights = newest_nights(history);
  const auto names = names_of(nights);
  std::map<std::string, std::vector<std::size_t>> plans;
  Tally all;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    plans[nights[i].night.plan].push_back(i);
    all.add(nights[i].night);
  }
  Markup xml;
  xml.raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  xml.open("testsuites", all.attributes("rooftune")).newline();
  for (const auto& [plan, positions] : plans) {
    Tally tally;
    std::string date;
    for (const std::size_t i : positions) {
      tally.add(nights[i].night);
      date = std::max(date, nights[i].night.date);
    }
    auto attributes = tally.attributes(plan);
    if (!date.empty()) attributes.emplace_back("timestamp", date);
    xml.open("testsuite", attributes).newline();
    for (const std::size_t i : positions) junit_case(xml, names[i], nights[i]);
    xml.close().newline();
  }
  xml.close().newline();
  return xml.finish();
}

std::string openmetrics_format(const SweepHistory& history) {
  const auto nights = newest_nights(history);
  std::string text;
  for (const MetricFamily& family : metric_families()) {
    text += fmt::format("# TYPE {} gauge\n", family.name);
    if (*family.unit) text += fmt::format("# UNIT {} {}\n", family.name, family.unit);
    text += fmt::format("# HELP {} {}\n", family.name, family.help);
    for (const NightOf& one : nights)
      if (const auto value = family.value(one.night))
        text += fmt::format("{}{{{}}} {}\n", family.name, label_text(labels_of(one)), *value);
  }
  return text + "# EOF\n";
}

std::string logfmt_format(const SweepHistory& history) {
  std::string text;
  for (const auto& [series, night] : newest_nights(history)) {
    text += fmt::format("study={} plan={} kernel={} machine={} state={}", logfmt_value(night.name),
                        logfmt_value(night.plan), logfmt_value(series.kernel),
                        logfmt_value(series.machine), word(night.state));
    for (const auto& [key, value] : key_values(night))
      text += fmt::format(" {}={}", key, logfmt_value(value));
    text += '\n';
  }
  return text;
}

std::string csv_format(const SweepHistory& history) {
  std::string text =
      "date,plan,study,kernel,problem,backend,machine,machine_id,threads,cache,series,state,"
      "seconds,seconds_low,seconds_high,gap,bound_seconds,ceiling,ceiling_rate,speedup,verdict,"
      "compiler,version,configuration,message\r\n";
  for (const Series& series : history.series)
    for (const Night& night : series.nights) {
      std::string row;
      for (const std::string& cell : csv_row(series, night)) row += ',' + cell;
      text += row.substr(1) + "\r\n";
    }
  return text;
}

}  // namespace rooftune::sweep

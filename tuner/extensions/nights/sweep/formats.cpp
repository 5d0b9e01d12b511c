#include "sweep/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/figures.h"

namespace rooftune::sweep {

const std::vector<SweepFormatRow>& sweep_formats() {
  static const std::vector<SweepFormatRow> rows{
      {"html", "site/", "Pages of all nights for a browser, without a server", nullptr},
      {"junit", "junit.xml", "JUnit XML for GitLab, Jenkins and GitHub", junit_format},
      {"google-benchmark", "benchmark.json", "Google Benchmark's JSON, for its compare.py",
       google_benchmark_format},
      {"openmetrics", "rooftune.prom", "OpenMetrics text, for Prometheus and Grafana",
       openmetrics_format},
      {"logfmt", "-", "A line of key=value for each study, for patterns of other tools",
       logfmt_format},
      {"csv", "nights.csv", "A row for each study of each night", csv_format},
      {"json", "series.json", "All series with every night and change point", series_json_format},
  };
  return rows;
}

const SweepFormatRow& find_sweep_format(const std::string& name) {
  std::vector<std::string> names;
  for (const SweepFormatRow& row : sweep_formats()) {
    if (name == row.name) return row;
    names.emplace_back(row.name);
  }
  throw Error("unknown format of a sweep \"" + excerpt(name) + "\"", "--output",
              did_you_mean(name, names));
}

std::string series_name(const Series& series) {
  std::string name = series.kernel;
  const std::string threads = series.threads == 0 ? ""
                                                  : fmt::format("{} thread{}", series.threads,
                                                                series.threads == 1 ? "" : "s");
  for (const std::string& part :
       {series.backend, series.problem, series.machine, threads, series.cache})
    if (!part.empty()) name += '/' + part;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return name;
}

std::vector<std::string> names_of(const std::vector<NightOf>& nights) {
  std::map<std::string, int> uses;
  for (const NightOf& one : nights) ++uses[series_name(one.series)];
  std::vector<std::string> names;
  for (const NightOf& one : nights) {
    std::string name = series_name(one.series);
    if (uses.at(name) > 1)
      name += fmt::format("/{} of {}/{}", one.night.name, one.night.plan, one.series.machine_id);
    std::replace(name.begin(), name.end(), '\n', ' ');
    names.push_back(std::move(name));
  }
  return names;
}

std::string verdict_word(const Night& night) {
  const Standing standing = night.standing();
  return standing == Standing::unjudged ? "" : word(standing);
}

std::string spoken(Standing standing) {
  if (standing == Standing::none) return "no change";
  if (standing == Standing::machine) return "machine slower";
  if (standing == Standing::first) return "first, the baseline";
  return standing == Standing::unjudged ? "" : word(standing);
}

std::string comparison_text(const NightOf& one) {
  const Night& night = one.night;
  const std::string text = spoken(night.standing());
  std::string ratio;
  if (night.verdict && night.verdict->ratio)
    ratio = ratio_text(night.verdict->ratio->value);
  else if (!night.verdict && night.seconds && one.series.baseline())
    ratio = ratio_text(night.seconds->value / one.series.baseline()->seconds.value) +
            " of the baseline's time";
  return text + (text.empty() || ratio.empty() ? "" : " ") + ratio;
}

}  // namespace rooftune::sweep

// The JSON formats of sweeps.
#include <fmt/format.h>

#include "core/file.h"
#include "core/version.h"
#include "sweep/change_points.h"
#include "sweep/formats.h"

namespace rooftune::sweep {
namespace {

constexpr double nanoseconds = 1e9;

std::string document(const Json& json) { return json_text(json, 2) + '\n'; }

Json night_json(const Night& night) {
  FieldWriter writer;
  writer("run", night.run.filename().string())("plan", night.plan)("name", night.name);
  writer("state", night.state)("message", night.message);
  NightFigures::fields(night, writer);
  writer("verdict", night.verdict)("exports", night.exports);
  return std::move(writer.json);
}

Json series_json(const Series& series) {
  FieldWriter writer;
  writer("key", series.key);
  SeriesIdentity::fields(series, writer);
  writer("baselines", series.baselines);
  Json json = std::move(writer.json);
  json["nights"] = Json::array();
  for (const Night& night : series.nights) json["nights"].push_back(night_json(night));
  json["changes"] = Json::array();
  for (const ChangePoint& point : change_points(series))
    json["changes"].push_back({{"night", point.at},
                               {"date", series.nights[point.at].date},
                               {"before", point.before},
                               {"after", point.after}});
  return json;
}

Json benchmark_row(const std::string& name, const NightOf& one, std::size_t index) {
  const Night& night = one.night;
  const double time = nanoseconds * night.seconds->value;
  Json row{{"name", name},
           {"family_index", index},
           {"per_family_instance_index", 0},
           {"run_name", name},
           {"run_type", "iteration"},
           {"repetitions", 1},
           {"repetition_index", 0},
           {"threads", std::max(1, one.series.threads)},
           {"iterations", 1},
           {"real_time", time},
           {"cpu_time", time},
           {"time_unit", "ns"}};
  // Counters are members of their own.
  if (night.gap) row["gap"] = *night.gap;
  if (night.bound) row["bound_seconds"] = night.bound->value;
  if (night.speedup) row["speedup"] = *night.speedup;
  return row;
}

}  // namespace

std::string google_benchmark_format(const SweepHistory& history) {
  Json rows = Json::array();
  std::string date, machine;
  const auto nights = newest_nights(history);
  const auto names = names_of(nights);
  for (std::size_t i = 0; i < nights.size(); ++i) {
    if (!nights[i].night.seconds) continue;
    date = std::max(date, nights[i].night.date);
    machine = nights[i].series.machine;
    rows.push_back(benchmark_row(names[i], nights[i], rows.size()));
  }
  // Readers insist on members without meaning for a sweep: caches, CPUs.
  return document({{"context",
                    {{"date", date.empty() ? utc_now() : date},
                     {"host_name", machine},
                     {"executable", std::string("tune ") + version},
                     {"num_cpus", 0},
                     {"mhz_per_cpu", 0},
                     {"cpu_scaling_enabled", false},
                     {"caches", Json::array()},
                     {"load_avg", Json::array()},
                     {"library_build_type", "release"},
                     {"json_schema_version", 1}}},
                   {"benchmarks", rows}});
}

std::string series_json_format(const SweepHistory& history) {
  Json json{{"schema", "rooftune-series-1"}, {"version", version}};
  json["series"] = Json::array();
  for (const Series& series : history.series) json["series"].push_back(series_json(series));
  json["faults"] = history.faults;
  return document(json);
}

}  // namespace rooftune::sweep

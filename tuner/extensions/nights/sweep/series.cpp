#include "sweep/series.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/fields.h"
#include "core/hash.h"
#include "sweep/plan.h"
#include "sweep/schedule.h"

namespace rooftune::sweep {
namespace {

using std::filesystem::path;

/// A member by pointer, nullptr where it is missing or null.
const Json* member(const Json& json, const char* pointer) {
  const Json::json_pointer place(pointer);
  if (!json.is_structured() || !json.contains(place) || json.at(place).is_null()) return nullptr;
  return &json.at(place);
}

std::string text(const Json& json, const char* pointer) {
  const Json* found = member(json, pointer);
  return found && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> number(const Json& json, const char* pointer) {
  const Json* found = member(json, pointer);
  if (!found || !found->is_number() || !std::isfinite(found->get<double>())) return std::nullopt;
  return found->get<double>();
}

/// A time or a ratio: above 0, with the interval around it where one is stated.
std::optional<Estimate> estimate(const Json& json, const std::string& at,
                                 const char* value = "/value") {
  const auto middle = number(json, (at + value).c_str());
  if (!middle || !(*middle > 0)) return std::nullopt;
  const double low = number(json, (at + "/low").c_str()).value_or(*middle);
  const double high = number(json, (at + "/high").c_str()).value_or(*middle);
  return Estimate{*middle, std::min(low, *middle), std::max(high, *middle)};
}

std::vector<std::string> texts(const Json& json, const char* pointer) {
  std::vector<std::string> all;
  if (const Json* list = member(json, pointer); list && list->is_array())
    for (const Json& one : *list)
      if (one.is_string()) all.push_back(one.get<std::string>());
  return all;
}

/// The geometric mean over all inputs; nullopt when one of them was not measured.
std::optional<Estimate> mean(const Json& rows, const std::string& at, const char* value) {
  Estimate logs{0, 0, 0};
  for (const Json& row : rows) {
    const auto one = estimate(row, at, value);
    if (!one || !(one->low > 0)) return std::nullopt;
    logs.value += std::log(one->value);
    logs.low += std::log(one->low);
    logs.high += std::log(one->high);
  }
  const double count = static_cast<double>(rows.size());
  return Estimate{std::exp(logs.value / count), std::exp(logs.low / count),
                  std::exp(logs.high / count)};
}

/// "n=1000, matrix=a.mtx".
std::string problem_text(const Json& problem) {
  std::string all;
  if (problem.is_object())
    for (const auto& [name, value] : problem.items())
      all += (all.empty() ? "" : ", ") + name + "=" +
             (value.is_string() ? value.get<std::string>() : json_text(value));
  return all;
}

const Json* inputs_of(const Json& result) {
  const Json* rows = member(result, "/inputs/inputs");
  return rows && rows->is_array() && !rows->empty() ? rows : nullptr;
}

void read_figures(const Json& result, Night& night) {
  if (const Json* rows = inputs_of(result)) {
    night.seconds = mean(*rows, "/best/seconds", "/value");
    night.bound = mean(*rows, "/bound", "/seconds");
    night.gap = number(result, "/inputs/gap/value");
    night.speedup = number(result, "/inputs/speedup/value");
  } else {
    night.seconds = estimate(result, "/best/seconds");
    night.bound = estimate(result, "/bound", "/seconds");
    night.gap = number(result, "/best/gap/total");
    night.speedup = number(result, "/speedup/value");
  }
  night.doubts = headline_doubts(result);
  night.ceiling = text(result, "/bound/ceiling");
  night.ceiling_rate = number(result, "/bound/rate/meanwhile");
  night.ceiling_unit = text(result, "/bound/rate/unit");
  if (const Json* configuration = member(result, "/best/configuration"))
    night.configuration = *configuration;
}

/// The identity in a result; no nights yet.
Series identity_of(const Json& result) {
  Series series;
  series.kernel = text(result, "/kernel");
  if (const Json* rows = inputs_of(result)) {
    for (const Json& row : *rows)
      if (const Json* problem = member(row, "/problem"))
        series.problem += (series.problem.empty() ? "" : "; ") + problem_text(*problem);
  } else if (const Json* problem = member(result, "/problem")) {
    series.problem = problem_text(*problem);
  }
  series.backend = text(result, "/backend");
  series.machine = text(result, "/machine");
  series.machine_id = text(result, "/machine_id");
  series.cache = text(result, "/study/cache");
  series.amortize = number(result, "/study/amortize").value_or(0);
  series.threads =
      static_cast<int>(std::clamp(number(result, "/study/threads").value_or(0), 0.0, 1e6));
  return series;
}

std::string key_of(const Series& series) {
  return LabelledHash()
      .add("kernel", series.kernel)
      .add("problem", series.problem)
      .add("backend", series.backend)
      .add("machine", series.machine)
      .add("machine_id", series.machine_id)
      .add("cache", series.cache)
      .add("threads", std::to_string(series.threads))
      .add("amortize", std::to_string(series.amortize))
      .hex()
      .substr(0, 16);
}

/// "2026-11-23T16-10-19Z.0123", possibly extended after a clash.
bool named_as_run(const path& folder) {
  const std::string name = folder.filename().string();
  constexpr std::string_view pattern = "dddd-dd-ddTdd-dd-ddZ";
  if (name.size() <= pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i] == 'd' ? name[i] < '0' || name[i] > '9' : name[i] != pattern[i]) return false;
  return true;
}

bool is_run(const path& folder) {
  return named_as_run(folder) || std::filesystem::exists(folder / summary_file);
}

/// "2026-11-23T16:10:19Z" of a run's name; empty of another.
std::string date_of(const path& run) {
  if (!named_as_run(run)) return {};
  std::string date = run.filename().string().substr(0, 20);
  date[13] = date[16] = ':';
  return date;
}

void add_runs(const path& folder, int depth, std::vector<path>& runs) {
  if (is_run(folder)) {
    runs.push_back(folder);
    return;
  }
  if (depth == 0) return;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.is_directory(ignored) && !entry.is_symlink(ignored))
      add_runs(entry.path(), depth - 1, runs);
}

/// All sweeps below, by the time of their begin.
std::vector<path> runs_below(const path& folder) {
  std::vector<path> runs;
  const path sweeps = folder / "sweeps";
  add_runs(std::filesystem::is_directory(sweeps) ? sweeps : folder, 2, runs);
  std::sort(runs.begin(), runs.end(), [](const path& a, const path& b) {
    return std::pair(a.filename(), a) < std::pair(b.filename(), b);
  });
  return runs;
}

/// Series under construction, and the studies without one yet.
class Reader {
 public:
  void read_run(const path& run) {
    for (const path& file : outcome_files(run)) {
      try {
        read_study(read_json(file), file);
      } catch (const std::exception& fault) {
        say(fault);
      }
    }
  }

  SweepHistory finish() {
    for (Night& night : unplaced_) {
      Series series = last_series(night);
      add(std::move(series), std::move(night));
    }
    for (auto& [key, series] : series_) {
      std::stable_sort(series.nights.begin(), series.nights.end(),
                       [](const Night& a, const Night& b) {
                         // Not by date: clocks are set back.
                         return a.run.filename() < b.run.filename();
                       });
      read_baselines(series);
      history_.series.push_back(std::move(series));
    }
    const auto order = [](const Series& s) {
      return std::tie(s.kernel, s.problem, s.backend, s.machine, s.threads, s.cache, s.key);
    };
    std::sort(history_.series.begin(), history_.series.end(),
              [&](const Series& a, const Series& b) { return order(a) < order(b); });
    return std::move(history_);
  }

 private:
  void say(const std::exception& fault) {
    const Error error = as_error(fault);
    history_.faults.push_back((error.where().empty() ? "" : error.where() + ": ") +
                              error.message());
  }

  void read_study(const Json& json, const path& file) {
    Night night;
    night.run = file.parent_path();
    night.plan = night.run.parent_path().filename().string();
    night.name = text(json, "/name");
    night.state = text(json, "/state");
    night.message = text(json, "/message");
    night.date = date_of(night.run);
    if (night.name.empty() || night.state.empty())
      throw Error("is no study of a sweep: it lacks \"name\" or \"state\"", file.string());
    const Json* result = member(json, "/result");
    if (!result && night.failed()) {
      unplaced_.push_back(std::move(night));
      return;
    }
    if (!result || text(*result, "/kernel").empty()) throw Error("has no result", file.string());
    if (const std::string ended = text(*result, "/study/date"); !ended.empty()) night.date = ended;
    night.study = text(*result, "/study/id");
    night.compiler = text(*result, "/study/compiler");
    night.version = text(*result, "/study/version");
    night.inconclusive = texts(*result, "/inconclusive");
    read_figures(*result, night);
    Series series = identity_of(*result);
    series.key = key_of(series);
    if (const Json* verdict = member(json, "/verdict"))
      night.verdict = decoded<SeriesVerdict>(*verdict, file.string());
    if (const Json* exports = member(json, "/exports"))
      night.exports = decoded<std::vector<ExportVerdict>>(*exports, file.string());
    add(std::move(series), std::move(night));
  }

  void add(Series identity, Night night) {
    auto& series = series_[identity.key];
    if (series.key.empty()) series = std::move(identity);
    named_[{night.plan, night.name}].emplace_back(night.date, series.key);
    series.nights.push_back(std::move(night));
  }

  /// Where the study of this name was the last time before, else the first time after; else a
  /// series of its own.
  Series last_series(const Night& night) {
    Series identity;
    auto& times = named_[{night.plan, night.name}];
    if (times.empty()) {
      identity.kernel = night.name;
      identity.key = key_of(identity);
      return identity;
    }
    std::sort(times.begin(), times.end());
    auto at =
        std::upper_bound(times.begin(), times.end(), night.date,
                         [](const std::string& date, const auto& one) { return date < one.first; });
    if (at != times.begin()) --at;
    identity.key = at->second;
    return identity;
  }

  /// Verdicts name their baseline.
  void read_baselines(Series& series) {
    const auto judged = std::find_if(series.nights.rbegin(), series.nights.rend(),
                                     [](const Night& night) { return night.verdict.has_value(); });
    if (judged == series.nights.rend()) return;
    // results/sweeps/<plan>/<run>
    const path results = judged->run.parent_path().parent_path().parent_path();
    try {
      series.baselines = read_acceptances(results, judged->verdict->key);
    } catch (const std::exception& fault) {
      say(fault);
    }
  }

  SweepHistory history_;
  std::map<std::string, Series> series_;
  std::vector<Night> unplaced_;
  /// For each study of a plan its series over time.
  std::map<std::pair<std::string, std::string>, std::vector<std::pair<std::string, std::string>>>
      named_;
};

}  // namespace

SweepHistory read_history(const path& folder) {
  const std::string hint = "a results folder, or that of a plan or a sweep below its sweeps/";
  if (!std::filesystem::is_directory(folder)) throw Error("is no folder", folder.string(), hint);
  const std::vector<path> runs = runs_below(std::filesystem::absolute(folder).lexically_normal());
  if (runs.empty()) throw Error("holds no sweep", folder.string(), hint);
  Reader reader;
  for (const path& run : runs) reader.read_run(run);
  return reader.finish();
}

std::vector<NightOf> newest_nights(const SweepHistory& history) {
  std::map<path, path> newest;  // of the folder of a plan
  const auto each = [&](const auto& see) {
    for (const Series& series : history.series)
      for (const Night& night : series.nights) see(series, night);
  };
  each([&](const Series&, const Night& night) {
    path& run = newest[night.run.parent_path()];
    run = std::max(run, night.run);
  });
  std::vector<NightOf> nights;
  each([&](const Series& series, const Night& night) {
    if (newest.at(night.run.parent_path()) == night.run) nights.push_back({series, night});
  });
  return nights;
}

}  // namespace rooftune::sweep

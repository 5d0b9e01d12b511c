#include "sweep/series.h"

#include <algorithm>
#include <map>

#include "core/file.h"
#include "core/hash.h"
#include "core/pattern.h"
#include "sweep/plan.h"
#include "sweep/schedule.h"

namespace rooftune::sweep {
namespace {

using std::filesystem::path;

std::string key_of(const SeriesIdentity& series) {
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
  static const Pattern form("\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\dZ.+");
  return form.matches(folder.filename().string());
}

/// "2026-11-23T16:10:19Z" of a run's name; empty of another.
std::string date_of(const path& run) {
  if (!named_as_run(run)) return {};
  std::string date = run.filename().string().substr(0, 20);
  date[13] = date[16] = ':';
  return date;
}

void add_runs(const path& folder, int depth, std::vector<path>& runs) {
  if (named_as_run(folder) || std::filesystem::exists(folder / summary_file)) {
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
        read_study(decoded<StudyOutcome>(read_json(file), file.string()), file);
      } catch (const std::exception& fault) {
        say(fault);
      }
    }
  }

  /// Of a night without a result, whose series only the others tell.
  void place_later(Night night) {
    night.date = date_of(night.run);
    if (!place(night)) unplaced_.push_back(std::move(night));
  }

  SweepHistory finish() {
    for (Night& night : unplaced_)
      if (!place(night)) {
        Series own;
        own.kernel = night.name;
        own.key = key_of(own);
        add(std::move(own), std::move(night));
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

  void read_study(StudyOutcome outcome, const path& file) {
    Night night;
    night.run = file.parent_path();
    night.plan = night.run.parent_path().filename().string();
    static_cast<StudyEnd&>(night) = outcome;
    if (!outcome.result) {
      if (!night.failed()) throw Error("has no result", file.string());
      place_later(std::move(night));
      return;
    }
    static_cast<NightFigures&>(night) = *outcome.result;
    if (night.date.empty()) night.date = date_of(night.run);
    Series series;
    static_cast<SeriesIdentity&>(series) = *outcome.result;
    series.key = key_of(series);
    add(std::move(series), std::move(night));
  }

  void add(Series identity, Night night) {
    auto& series = series_[identity.key];
    if (series.key.empty()) series = std::move(identity);
    named_[{night.plan, night.name}] = series.key;
    series.nights.push_back(std::move(night));
  }

  /// Adds it where the study of this name was the last time; false where it was nowhere yet.
  bool place(Night& night) {
    const auto found = named_.find({night.plan, night.name});
    if (found == named_.end()) return false;
    Series identity;
    identity.key = found->second;
    add(std::move(identity), std::move(night));
    return true;
  }

  /// Verdicts name their baseline.
  void read_baselines(Series& series) {
    const auto judged = std::find_if(series.nights.rbegin(), series.nights.rend(),
                                     [](const Night& night) { return night.verdict.has_value(); });
    if (judged == series.nights.rend()) return;
    // results/sweeps/<plan>/<run>
    const path results = judged->run.parent_path().parent_path().parent_path();
    try {
      const path file = baseline_folder(results) / (judged->verdict->key + ".json");
      if (!std::filesystem::exists(file)) return;
      const Json json = read_json(file);
      Faults faults;
      ObjectReader reader(json, file.string(), faults);
      auto all = reader.get<std::vector<Acceptance>>("earlier");
      all.push_back(reader.get<Acceptance>("accepted"));
      faults.raise();
      series.baselines = std::move(all);
    } catch (const std::exception& fault) {
      say(fault);
    }
  }

  SweepHistory history_;
  std::map<std::string, Series> series_;
  std::vector<Night> unplaced_;
  std::map<std::pair<std::string, std::string>, std::string> named_;  ///< key of a plan's study
};

}  // namespace

Standing Night::standing() const {
  if (failed()) return Standing::failed;
  if (verdict) return verdict->finding;
  return conclusive() ? Standing::unjudged : Standing::inconclusive;
}

SweepHistory read_history(const path& folder, const std::vector<Night>& missing) {
  const std::string hint = "a results folder, or that of a plan or a sweep below its sweeps/";
  if (!std::filesystem::is_directory(folder)) throw Error("is no folder", folder.string(), hint);
  const std::vector<path> runs = runs_below(std::filesystem::absolute(folder).lexically_normal());
  if (runs.empty()) throw Error("holds no sweep", folder.string(), hint);
  Reader reader;
  for (const path& run : runs) reader.read_run(run);
  for (const Night& night : missing) reader.place_later(night);
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

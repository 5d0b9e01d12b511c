#include "sweep/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/file.h"
#include "core/hash.h"
#include "core/list.h"
#include "core/object_reader.h"
#include "core/pattern.h"
#include "core/text.h"
#include "report/answer.h"
#include "report/figures.h"
#include "store/record_reader.h"
#include "sweep/schedule.h"
#include "trial/objective.h"

namespace rooftune::sweep {
namespace {

/// JSON knows no infinity: such a figure is absent.
std::optional<double> finite(const std::optional<double>& figure) {
  return figure && std::isfinite(*figure) ? figure : std::nullopt;
}

std::optional<double> finite_value(const std::optional<Estimate>& estimate) {
  return estimate ? finite(estimate->value) : std::nullopt;
}

/// A usable time: above 0, inside its interval.
std::optional<Estimate> time_of(const std::optional<Estimate>& time) {
  if (!finite_value(time) || !(time->low > 0) || !std::isfinite(time->high)) return std::nullopt;
  return Estimate{time->value, std::min(time->low, time->value), std::max(time->high, time->value)};
}

std::optional<Estimate> bound_of(const Bound& bound) {
  if (!bound.known()) return std::nullopt;
  return time_of(Estimate{bound.time.value(), bound.low.value(), bound.high.value()});
}

/// The geometric mean over all inputs; nullopt when any input has no time.
template <class TimeOf>
std::optional<Estimate> mean(const std::vector<InputRow>& rows, const TimeOf& time_of_row) {
  Estimates all;
  for (const InputRow& row : rows) {
    const std::optional<Estimate> one = time_of_row(row);
    if (!one) return std::nullopt;
    all.push_back(*one);
  }
  return Estimate{geometric_mean(members(all, &Estimate::value)),
                  geometric_mean(members(all, &Estimate::low)),
                  geometric_mean(members(all, &Estimate::high))};
}

void add_times(const StudyResult& result, NightFigures& figures) {
  if (result.inputs) {
    figures.seconds =
        mean(result.inputs->rows, [](const InputRow& row) { return time_of(row.best); });
    figures.bound =
        mean(result.inputs->rows, [](const InputRow& row) { return bound_of(row.bound); });
    figures.gap = finite_value(result.inputs->gap);
    figures.speedup = finite_value(result.inputs->speedup);
    return;
  }
  figures.bound = bound_of(result.bound);
  figures.speedup = finite_value(result.speedup);
  if (!result.best) return;
  figures.seconds = time_of(result.best->seconds);
  if (result.bound.known()) figures.gap = finite(result.best->gap.total.value);
}

using fs::path;

std::string key_of(const SeriesIdentity& series) {
  return hash_hex(json_text(encode(series))).substr(0, 16);
}

/// "2026-11-23T16-10-19Z.0123", possibly extended after a clash.
bool named_as_run(const path& folder) {
  static const Pattern form("\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\dZ.+");
  return form.matches(file_name(folder));
}

/// "2026-11-23T16:10:19Z" from a run's name; empty for another name.
std::string date_of(const path& run) {
  if (!named_as_run(run)) return {};
  std::string date = file_name(run).substr(0, 20);
  date[13] = date[16] = ':';
  return date;
}

void add_runs(const path& folder, int depth, Paths& runs) {
  if (named_as_run(folder) || fs::exists(folder / summary_file)) {
    runs.push_back(folder);
    return;
  }
  if (depth == 0) return;
  for (const path& one : folders_in(folder))
    if (!fs::is_symlink(one)) add_runs(one, depth - 1, runs);
}

/// All sweeps below the folder, by start time.
Paths runs_below(const path& folder) {
  Paths runs;
  const path sweeps = folder / "sweeps";
  add_runs(fs::is_directory(sweeps) ? sweeps : folder, 2, runs);
  sort(runs, {}, [](const path& run) { return std::pair(run.filename(), run); });
  return runs;
}

/// Builds the series, and keeps the studies that have none yet.
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

  /// Takes a night without a result, whose series only other nights tell.
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
      // Not by date: clocks may be set back.
      stable_sort(series.nights, {}, [](const Night& night) { return night.run.filename(); });
      read_baselines(series);
      history_.series.push_back(std::move(series));
    }
    const auto order = [](const Series& s) {
      return std::tie(s.kernel, s.problem, s.backend, s.machine, s.threads, s.cache, s.key);
    };
    sort(history_.series, {}, order);
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
    night.plan = file_name(night.run.parent_path());
    static_cast<StudyEnd&>(night) = outcome;
    if (!outcome.result) {
      if (!night.failed()) throw Error("has no result", file);
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

  /// Adds the night to the series where a study with its name was last; false where there is none
  /// yet.
  bool place(Night& night) {
    const auto found = named_.find({night.plan, night.name});
    if (found == named_.end()) return false;
    Series identity;
    identity.key = found->second;
    add(std::move(identity), std::move(night));
    return true;
  }

  /// Reads the baseline that the latest verdict names.
  void read_baselines(Series& series) {
    const auto judged = std::find_if(series.nights.rbegin(), series.nights.rend(),
                                     [](const Night& night) { return night.verdict.has_value(); });
    if (judged == series.nights.rend()) return;
    // results/sweeps/<plan>/<run>
    const path results = judged->run.parent_path().parent_path().parent_path();
    try {
      const path file = baseline_folder(results) / (judged->verdict->key + ".json");
      if (!fs::exists(file)) return;
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
  ByName<Series> series_;
  NightList unplaced_;
  std::map<std::pair<std::string, std::string>, std::string> named_;  ///< series' key, by study
};

}  // namespace

StudyFigures figures_of(const StudyResult& result) {
  StudyFigures figures;
  const StudyHeader& study = result.header;
  const StudySetup& setup = result.setup;
  const Machine& machine = result.roofline.machine;
  static_cast<SeriesIdentity&>(figures) = {
      study, {}, study.machine_id, study.cache_state, setup.amortize};
  if (result.inputs)
    for (const InputRow& row : result.inputs->rows)
      join(figures.problem, facts_text(row.problem), "; ");
  else
    figures.problem = facts_text(result.problem);
  figures.date = result.date;
  figures.study = study.id;
  figures.compiler = setup.compiler;
  figures.version = setup.version;
  figures.revision = setup.revision;
  add_times(result, figures);
  if (result.bound.known()) figures.ceiling = result.bound.ceiling;
  if (const Ceiling* ceiling = ceiling_named(machine.ceilings, figures.ceiling)) {
    figures.ceiling_unit = rate_unit(*ceiling) + "/s";
    figures.ceiling_rate = finite(given_rate(result, *ceiling));
  }
  if (result.best) figures.configuration = to_json(result.best->configuration);
  figures.inconclusive = result.inconclusive;
  const Claims said = claims(result);
  // The first claim says what is gained, the second what limits.
  figures.doubts.speedup = said[0].doubts;
  if (said.size() > 1) figures.doubts.gap = said[1].doubts;
  figures.stop = result.stop.reason;
  figures.searched = result.cost.total;
  for (const auto& [outcome, count] : counts(result)) figures.trials[to_text(outcome)] = count;
  return figures;
}

std::string amount_unit(const std::string& rate) { return text_before(rate, '/'); }

fs::path outcome_file(const std::string& study, const fs::path& directory) {
  return directory / (study + ".json");
}

std::optional<StudyOutcome> outcome_of(const std::string& study, const fs::path& directory) {
  const fs::path file = outcome_file(study, directory);
  if (!fs::exists(file)) return std::nullopt;
  try {
    auto outcome = decoded<StudyOutcome>(read_json(file), file.string());
    outcome.earlier = true;
    return outcome;
  } catch (const std::exception&) {
    return std::nullopt;  // A study whose file cannot be read is measured again, from its records.
  }
}

std::string ended_text(const StudyOutcome& outcome) {
  std::string text = fmt::format("{}: {} after {}", outcome.name, word(outcome.state),
                                 duration_text(outcome.seconds));
  if (const auto gap = outcome.gap()) text += ", gap " + significant(*gap, 3);
  if (outcome.verdict)
    text += fmt::format(", {}: {}", word(outcome.verdict->finding), outcome.verdict->sentence);
  if (!outcome.message.empty()) text += ": " + text_before(outcome.message, '\n');
  return text;
}

Standing Night::standing() const {
  if (failed()) return Standing::failed;
  if (verdict) return verdict->finding;
  return conclusive() ? Standing::unjudged : Standing::inconclusive;
}

SweepHistory read_history(const path& folder, const NightList& missing) {
  const std::string hint = "a results folder, or that of a plan or a sweep below its sweeps/";
  if (!fs::is_directory(folder)) throw Error("is no folder", folder, hint);
  const Paths runs = runs_below(fs::absolute(folder).lexically_normal());
  if (runs.empty()) throw Error("holds no sweep", folder, hint);
  Reader reader;
  for (const path& run : runs) reader.read_run(run);
  for (const Night& night : missing) reader.place_later(night);
  return reader.finish();
}

std::vector<NightOf> newest_nights(const SweepHistory& history) {
  std::map<path, path> newest;  // the newest run in each plan's folder
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

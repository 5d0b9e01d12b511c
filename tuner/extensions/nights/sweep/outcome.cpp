#include "sweep/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/file.h"
#include "report/answer.h"
#include "report/figures.h"
#include "report/result_json.h"

namespace rooftune::sweep {
namespace {

/// JSON knows no infinity: such a figure is absent.
std::optional<double> finite(const std::optional<double>& figure) {
  return figure && std::isfinite(*figure) ? figure : std::nullopt;
}

std::optional<double> finite_value(const std::optional<Estimate>& estimate) {
  return estimate ? finite(estimate->value) : std::nullopt;
}

/// A time: above 0, inside its interval.
std::optional<Estimate> time_of(const std::optional<Estimate>& time) {
  if (!finite_value(time) || !(time->low > 0) || !std::isfinite(time->high)) return std::nullopt;
  return Estimate{time->value, std::min(time->low, time->value), std::max(time->high, time->value)};
}

std::optional<Estimate> bound_of(const Bound& bound) {
  if (!bound.known()) return std::nullopt;
  return time_of(Estimate{bound.time.value(), bound.low.value(), bound.high.value()});
}

/// The geometric mean over all inputs; nullopt when one of them has none.
template <class TimeOf>
std::optional<Estimate> mean(const std::vector<InputRow>& rows, const TimeOf& time_of_row) {
  Estimate logs{0, 0, 0};
  for (const InputRow& row : rows) {
    const std::optional<Estimate> one = time_of_row(row);
    if (!one) return std::nullopt;
    logs.value += std::log(one->value);
    logs.low += std::log(one->low);
    logs.high += std::log(one->high);
  }
  const double count = static_cast<double>(rows.size());
  return Estimate{std::exp(logs.value / count), std::exp(logs.low / count),
                  std::exp(logs.high / count)};
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

}  // namespace

StudyFigures figures_of(const StudyResult& result) {
  StudyFigures figures;
  const ResultIdentity& study = result.identity;
  const Machine& machine = result.roofline.machine;
  static_cast<SeriesIdentity&>(figures) = {study.kernel,
                                           {},
                                           study.backend,
                                           machine.name,
                                           machine.id,
                                           study.cache_state,
                                           result.roofline.threads,
                                           study.amortize};
  if (result.inputs)
    for (const InputRow& row : result.inputs->rows)
      figures.problem += (figures.problem.empty() ? "" : "; ") + facts_text(row.problem);
  else
    figures.problem = facts_text(result.problem);
  figures.date = study.date;
  figures.study = study.id;
  figures.compiler = study.compiler;
  figures.version = study.version;
  figures.revision = study.revision;
  add_times(result, figures);
  if (result.bound.known()) figures.ceiling = result.bound.ceiling;
  if (const Ceiling* ceiling = ceiling_named(machine.ceilings, figures.ceiling)) {
    figures.ceiling_unit = rate_unit(*ceiling) + "/s";
    figures.ceiling_rate = finite(given_rate(result, *ceiling));
  }
  if (result.best) figures.configuration = to_json(result.best->configuration);
  figures.inconclusive = result.inconclusive;
  const Answer said = answer(result);
  // First what is gained, then what limits.
  if (!said.headline.empty()) figures.doubts.speedup = said.headline[0].doubts;
  if (said.headline.size() > 1) figures.doubts.gap = said.headline[1].doubts;
  figures.stop = result.stop.reason;
  figures.searched = result.cost.total;
  for (const auto& [outcome, count] : counts(result)) figures.trials[to_text(outcome)] = count;
  return figures;
}

std::string amount_unit(const std::string& rate) { return rate.substr(0, rate.find('/')); }

std::filesystem::path outcome_file(const std::string& study,
                                   const std::filesystem::path& directory) {
  return directory / (study + ".json");
}

std::optional<StudyOutcome> outcome_of(const std::string& study,
                                       const std::filesystem::path& directory) {
  const std::filesystem::path file = outcome_file(study, directory);
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    auto outcome = decoded<StudyOutcome>(read_json(file), file.string());
    outcome.earlier = true;
    return outcome;
  } catch (const std::exception&) {
    return std::nullopt;  // An unreadable file is measured again, from its records.
  }
}

std::string ended_text(const StudyOutcome& outcome) {
  std::string text = fmt::format("{}: {} after {}", outcome.name, word(outcome.state),
                                 duration_text(outcome.seconds));
  if (const auto gap = outcome.gap()) text += ", gap " + significant(*gap, 3);
  if (outcome.verdict)
    text += fmt::format(", {}: {}", word(outcome.verdict->finding), outcome.verdict->sentence);
  for (const ExportVerdict& one : outcome.exports) text += "; " + sentence_of(one);
  if (!outcome.message.empty())
    text += ": " + outcome.message.substr(0, outcome.message.find('\n'));
  return text;
}

}  // namespace rooftune::sweep

#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/error.h"
#include "report/figures.h"

namespace rooftune::report {
namespace {

/// Traits to tell studies of one kernel apart, most useful first.
std::vector<std::string> traits(const StudyResult& study) {
  std::string date = study.identity.date.substr(0, 16);
  std::replace(date.begin(), date.end(), 'T', ' ');
  return {
      study.roofline.machine.name,
      study.identity.backend,
      study.identity.compiler,
      facts_text(study.problem),
      fmt::format("{} thread{}", study.roofline.threads, study.roofline.threads == 1 ? "" : "s"),
      date};
}

/// The differing traits of the studies; without any, their ids.
std::vector<std::string> names(const std::vector<StudyResult>& studies) {
  std::vector<std::vector<std::string>> all, differing(studies.size());
  for (const StudyResult& study : studies) all.push_back(traits(study));
  for (std::size_t t = 0; t < all.front().size(); ++t)
    if (std::ranges::any_of(all, [&](const auto& one) { return one[t] != all.front()[t]; }))
      for (std::size_t i = 0; i < all.size(); ++i) differing[i].push_back(all[i][t]);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<std::string> texts = differing[i];
    if (std::ranges::count(differing, differing[i]) > 1)
      texts.push_back(studies[i].identity.id.substr(0, 8));
    names.push_back(fmt::format("{}", fmt::join(texts, ", ")));
  }
  return names;
}

/// Of every configuration with a time: its time over the fastest trial's.
std::map<std::string, double> losses(const StudyResult& study) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const Trial& trial : study.trials)
    if (trial.ok()) fastest = std::min(fastest, trial.measurement->seconds.value);
  std::map<std::string, double> all;
  for (const Trial& trial : study.trials)
    if (trial.ok()) all[trial.configuration.key()] = trial.measurement->seconds.value / fastest;
  return all;
}

void find_common(Comparison& comparison, const std::vector<StudyResult>& studies) {
  std::vector<std::map<std::string, double>> all;
  for (const StudyResult& study : studies) all.push_back(losses(study));
  double least = std::numeric_limits<double>::infinity();
  for (const Trial& trial : studies.front().trials) {
    const std::string key = trial.configuration.key();
    double logs = 0;
    for (const auto& one : all) {
      const auto found = one.find(key);
      logs +=
          found == one.end() ? std::numeric_limits<double>::infinity() : std::log(found->second);
    }
    if (!(logs < least)) continue;
    least = logs;
    comparison.common = trial.configuration;
  }
  if (!comparison.common) {
    comparison.no_common_because = "no configuration ran in all of these studies";
    return;
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    comparison.studies[i].loss = all[i].at(comparison.common->key());
}

}  // namespace

Comparison compare(const std::vector<StudyResult>& studies) {
  if (studies.size() < 2)
    throw Error("one study has nothing to be compared with", "tune report",
                "name two or more studies of a kernel");
  const std::string& kernel = studies.front().identity.kernel;
  for (const StudyResult& study : studies)
    if (study.identity.kernel != kernel)
      throw Error(fmt::format("these are studies of {} and of {}", kernel, study.identity.kernel),
                  "study " + study.identity.id, "compare studies of one kernel");
  Comparison comparison;
  const auto called = names(studies);
  double sum = 0;
  for (std::size_t i = 0; i < studies.size(); ++i) {
    const StudyResult& study = studies[i];
    ComparedStudy one{called[i], {}, {}};
    if (study.best && study.bound.known())
      one.efficiency = study.bound.time.value() / study.best->seconds.value;
    sum += one.efficiency ? 1 / *one.efficiency : std::numeric_limits<double>::infinity();
    comparison.studies.push_back(std::move(one));
  }
  if (std::isfinite(sum)) comparison.portability = static_cast<double>(studies.size()) / sum;
  find_common(comparison, studies);
  return comparison;
}

std::vector<std::string> comparison_sentences(const std::vector<StudyResult>& studies,
                                              const Comparison& comparison) {
  const auto percent = [](double share) { return significant(100 * share, 3) + " %"; };
  const auto& all = comparison.studies;
  const std::string& kernel = studies.front().identity.kernel;
  std::vector<std::string> sentences;
  if (comparison.portability) {
    const auto [least, most] = std::ranges::minmax_element(all, {}, &ComparedStudy::efficiency);
    sentences.push_back(
        fmt::format("{} reaches {} of what the machine can do in {} studies (harmonic mean): most "
                    "in {} ({}), least in {} ({})",
                    kernel, percent(*comparison.portability), all.size(), most->name,
                    percent(*most->efficiency), least->name, percent(*least->efficiency)));
  } else {
    for (const ComparedStudy& one : all)
      if (!one.efficiency)
        sentences.push_back(fmt::format(
            "no mean of efficiencies: {} has no bound or no configuration that ran", one.name));
  }
  if (comparison.common) {
    double logs = 0;
    for (const ComparedStudy& one : all) logs += std::log(*one.loss);
    const auto most = std::ranges::max_element(all, {}, &ComparedStudy::loss);
    sentences.push_back(fmt::format(
        "one configuration for all would take {} of the time of each one's own (geometric mean, by "
        "the trials' own times), at most {} in {}",
        ratio_text(std::exp(logs / static_cast<double>(all.size()))), ratio_text(*most->loss),
        most->name));
  } else {
    sentences.push_back("what one configuration for all would lose is not known: " +
                        comparison.no_common_because);
  }
  return sentences;
}

}  // namespace rooftune::report

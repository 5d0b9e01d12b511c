#include "sweep/regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/rematch.h"
#include "report/figures.h"
#include "sweep/schedule.h"
#include "sweep/sweep.h"
#include "trial/statistics.h"

namespace rooftune::sweep {
namespace {

/// Fewer do not show the usual; more reach back into other conditions.
constexpr std::size_t least_nights = 3, most_nights = 10;

bool starts_with_any(const std::string& text, std::initializer_list<const char*> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](const char* start) { return text.starts_with(start); });
}

/// Possible causes, from the labels of a study's identity.
std::string blamed(const std::vector<std::string>& changed) {
  std::vector<std::string> sources, tools, rest;
  for (const std::string& label : changed)
    if (starts_with_any(label, {"source ", "header ", "space"}))
      sources.push_back(label);
    else if (starts_with_any(label, {"compiler", "back end flags", "driver"}))
      tools.push_back(label);
    else
      rest.push_back(label);
  std::vector<std::string> causes;
  if (!sources.empty())
    causes.push_back(fmt::format("the kernel changed ({})", fmt::join(sources, ", ")));
  if (!tools.empty())
    causes.push_back(fmt::format("the toolchain changed ({})", fmt::join(tools, ", ")));
  if (!rest.empty()) causes.push_back(fmt::format("{} changed", fmt::join(rest, ", ")));
  if (causes.empty()) return "nothing that is known of the study changed";
  return fmt::format("{}", fmt::join(causes, " and "));
}

/// "; DRAM read at 0.91 of its rate then", for changed roofs.
std::string roofs_text(const Baseline& baseline, const Rematch& rematch) {
  std::string text;
  for (const auto& [name, then] : baseline.roofs)
    if (const auto now = rematch.roofs.find(name); now != rematch.roofs.end() && then > 0)
      text += fmt::format("; {} at {:.2f} of its rate then", name, now->second / then);
  return text;
}

void conclude(SeriesVerdict& verdict, const Baseline& baseline, const Rematch& rematch,
              double threshold) {
  const std::string ratio = ratio_interval(*rematch.best),
                    since = fmt::format("the baseline of {}", baseline.accepted.date);
  switch (compared(*rematch.best, threshold)) {
    case Against::slower:
      if (rematch.rebuilt && compared(*rematch.rebuilt, threshold) == Against::same) {
        verdict.sentence = fmt::format(
            "the search found nothing as fast as {}: {} its time; its configuration built tonight "
            "takes {}, so the kernel has not become slower",
            since, ratio, ratio_interval(*rematch.rebuilt));
        return;
      }
      verdict.finding = Standing::regressed;
      verdict.sentence =
          fmt::format("takes {} of the time of {}; {}", ratio, since, blamed(rematch.changed));
      return;
    case Against::faster:
      verdict.finding = Standing::improved;
      verdict.sentence = fmt::format(
          "takes {} of the time of {}; `tune baseline accept` takes it for good", ratio, since);
      return;
    case Against::same:
      break;
    case Against::unknown:
      verdict.finding = Standing::inconclusive;
      verdict.sentence = fmt::format("{} of the time of {} in {} rounds, which tells nothing",
                                     ratio, since, rematch.rounds);
      return;
  }
  // The same variant, so only the machine can have changed; beyond the noise of both nights.
  const Estimate& then = baseline.accepted.seconds;
  if (rematch.now && rematch.now->low > then.high * (1 + threshold)) {
    verdict.finding = Standing::machine;
    verdict.sentence = fmt::format(
        "as fast as {} in the same rounds, but that one takes {:.2f} times what it took then: the "
        "machine is slower{}",
        since, rematch.now->value / then.value, roofs_text(baseline, rematch));
    return;
  }
  verdict.sentence = fmt::format("{} of the time of {}", ratio, since);
}

/// The median of the latest nights.
double usual_time(const std::vector<double>& nights) {
  const auto first =
      nights.end() - static_cast<std::ptrdiff_t>(std::min(most_nights, nights.size()));
  return quantile({first, nights.end()}, 0.5);
}

}  // namespace

Against compared(const Estimate& ratio, double threshold) {
  if (ratio.low > 1 && ratio.value >= 1 + threshold) return Against::slower;
  if (ratio.high < 1 && ratio.value <= 1 - threshold) return Against::faster;
  if (ratio.high <= 1 + 2 * threshold) return Against::same;
  return Against::unknown;
}

bool is_suspicious(const std::vector<double>& nights, double tonight, double threshold) {
  return nights.size() < least_nights || std::abs(tonight / usual_time(nights) - 1) > threshold / 2;
}

std::string reason_to_race(const std::vector<double>& nights, double tonight, double threshold,
                           const std::vector<std::string>& changed) {
  if (!changed.empty()) return fmt::format("{} changed since", fmt::join(changed, ", "));
  if (!is_suspicious(nights, tonight, threshold)) return {};
  if (nights.size() < least_nights)
    return fmt::format("{} nights are known since, {} tell what is usual", nights.size(),
                       least_nights);
  return fmt::format("it takes {:.3f} of the median of the nights before",
                     tonight / usual_time(nights));
}

SeriesVerdict judge(const Baseline& baseline, const Rematch& rematch, double threshold) {
  SeriesVerdict verdict;
  verdict.key = baseline.key;
  verdict.raced = true;
  if (rematch.best) {
    verdict.ratio = rematch.best;
    conclude(verdict, baseline, rematch, threshold);
  } else {
    verdict.finding = Standing::inconclusive;
    verdict.sentence = fmt::format("the baseline of {} could not be raced: {}",
                                   baseline.accepted.date, rematch.fault);
  }
  return verdict;
}

std::vector<double> nights_since(const std::filesystem::path& root, const std::string& study,
                                 const std::string& key, const std::string& date) {
  std::vector<double> nights;
  std::string before = date;
  for (const auto& run : folders_in(root)) {
    const auto night = outcome_of(study, run);
    if (!night || !night->result || !night->verdict || night->verdict->key != key) continue;
    const std::string& ended = night->result->date;
    // A clock set back has lost the order.
    if (ended < before) nights.clear();
    before = std::max(ended, date);
    if (ended >= date && night->result->seconds) nights.push_back(night->result->seconds->value);
  }
  return nights;
}

SeriesVerdict held_against_baseline(const Watch& watch, const std::string& study,
                                    const StudyRecord& record, const StudyResult& result,
                                    PreparedStudy& prepared) {
  SeriesVerdict verdict;
  verdict.key = series_key(record.header, record.require_setup().amortize);
  try {
    const auto baseline = read_baseline(watch.results, verdict.key);
    if (!baseline) {
      accept(watch.results, prepared, record, result, "tune sweep", "the first of its series");
      verdict.finding = Standing::first;
      verdict.sentence = "the first of its series: the baseline from now on";
      return verdict;
    }
    const auto nights = nights_since(watch.root, study, verdict.key, baseline->accepted.date);
    const double tonight = figures_of(result).seconds.value_or(result.best->seconds).value;
    const std::string reason =
        reason_to_race(nights, tonight, watch.threshold,
                       changed_parts(baseline->header.explanation, record.header.explanation));
    if (watch.log && !reason.empty())
      watch.log(fmt::format("{}: raced against the baseline of {}: {}", study,
                            baseline->accepted.date, reason));
    if (reason.empty()) {
      verdict.sentence = fmt::format("as in the {} nights before", nights.size());
      return verdict;
    }
    return judge(*baseline,
                 rematch(*baseline, prepared, result.best->configuration, watch.threshold,
                         watch.share_machine),
                 watch.threshold);
  } catch (const Error& error) {
    verdict.finding = Standing::inconclusive;
    verdict.sentence = error.what();
    return verdict;
  }
}

}  // namespace rooftune::sweep

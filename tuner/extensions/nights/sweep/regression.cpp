#include "sweep/regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/list.h"
#include "host/host_platform.h"
#include "report/figures.h"
#include "store/study_store.h"
#include "sweep/plan.h"
#include "sweep/sweep.h"
#include "trial/statistics.h"

namespace rooftune::sweep {
namespace {

/// Fewer nights do not show the usual time; more reach back into other conditions.
constexpr size_t least_nights = 3, most_nights = nights_judged;

/// Possible causes, from the labels in a study's identity.
std::string blamed(const Texts& changed) {
  Texts sources, tools, rest;
  for (const std::string& label : changed)
    if (begins(label, "source header space"))
      sources.push_back(label);
    else if (begins(label, "compiler back driver"))
      tools.push_back(label);
    else
      rest.push_back(label);
  Texts causes;
  if (!sources.empty()) causes.push_back(fmt::format("the kernel changed ({})", joined(sources)));
  if (!tools.empty()) causes.push_back(fmt::format("the toolchain changed ({})", joined(tools)));
  if (!rest.empty()) causes.push_back(joined(rest) + " changed");
  if (causes.empty()) return "nothing that is known of the study changed";
  return joined(causes, " and ");
}

/// "; DRAM read at 0.91 of its rate then", for changed roofs.
std::string roofs_text(const Baseline& baseline, const Rematch& rematch) {
  std::string text;
  for (const auto& [name, then] : baseline.roofs)
    if (auto* now = value_at(rematch.roofs, name); now && then > 0)
      text += fmt::format("; {} at {:.2f} of its rate then", name, *now / then);
  return text;
}

/// "; revision 0123abc then, 4567def now"
std::string revisions_text(const std::string& then, const std::string& now) {
  if (then.empty() || now.empty()) return {};
  return then == now ? fmt::format("; revision {} then and now", now)
                     : fmt::format("; revision {} then, {} now", then, now);
}

/// Builds the verdict on one race.
class Judgement {
 public:
  Judgement(const Baseline& baseline, const Rematch& rematch, double threshold)
      : baseline_(baseline), rematch_(rematch), threshold_(threshold) {
    verdict.key = baseline.key;
    verdict.raced = true;
    verdict.threshold = threshold;
    verdict.code = rematch.rebuilt;
    verdict.tuning = rematch.best;
    const double then = baseline.accepted.seconds.value;
    if (rematch.now && then > 0) verdict.machine = *rematch.now / then;
  }

  /// Whether the sources and tools alone decide.
  bool by_code(const std::string& revision) {
    if (rematch_.same_code) return false;
    const std::string changes =
        blamed(rematch_.changed) + revisions_text(baseline_.setup.revision, revision);
    if (!rematch_.rebuilt) {
      if (compared(*rematch_.best, threshold_) != Against::slower) return false;
      return found(Standing::inconclusive,
                   fmt::format("its configuration does not build or run any more; tonight's best "
                               "takes {} of the time of {}; {}",
                               ratio_interval(*rematch_.best), since(), changes));
    }
    const std::string takes =
        fmt::format("takes {} of the time of {}", ratio_interval(*rematch_.rebuilt), since());
    switch (compared(*rematch_.rebuilt, threshold_)) {
      case Against::slower:
        return found(Standing::regressed, takes + "; " + changes);
      case Against::faster:
        return found(
            Standing::improved,
            fmt::format("{}; {}; `tune baseline accept` takes it for good", takes, changes));
      case Against::unknown:
        return undecided(Standing::inconclusive,
                         fmt::format("its configuration built tonight against {}: not decided in "
                                     "{} rounds; {}",
                                     since(), rematch_.rounds, changes));
      case Against::same:
        break;
    }
    return false;
  }

  /// Whether the machine became slower: it is the same build, and the times differ beyond the noise
  /// of both nights.
  bool by_machine() {
    const Estimate& then = baseline_.accepted.seconds;
    if (!rematch_.now || rematch_.now->low <= then.high * (1 + threshold_)) return false;
    return found(
        Standing::machine,
        fmt::format("the kept build of {} takes {:.2f} times what it took then: the machine "
                    "is slower{}",
                    since(), verdict.machine->value, roofs_text(baseline_, rematch_)));
  }

  void by_tuning() {
    const std::string ratio = ratio_interval(*rematch_.best);
    switch (compared(*rematch_.best, threshold_)) {
      case Against::faster:
        found(
            Standing::better,
            fmt::format("the search found what takes {} of the time of {}; `tune baseline accept` "
                        "takes it for good",
                        ratio, since()));
        break;
      case Against::slower:
        verdict.sentence = fmt::format("the search found nothing as fast as {}: {} of its time{}",
                                       since(), ratio, control());
        break;
      case Against::same:
        verdict.sentence = fmt::format("{} of the time of {}{}", ratio, since(), control());
        break;
      case Against::unknown:
        undecided(Standing::none,
                  fmt::format("tonight's best against {}: not decided in {} rounds{}", since(),
                              rematch_.rounds, control()));
    }
  }

  SeriesVerdict verdict;

 private:
  bool found(Standing finding, std::string sentence) {
    verdict.finding = finding;
    verdict.sentence = std::move(sentence);
    return true;
  }
  bool undecided(Standing finding, std::string sentence) {
    verdict.decided = false;
    return found(finding, std::move(sentence));
  }
  std::string since() const { return "the baseline of " + baseline_.accepted.date; }
  /// The accepted configuration as built tonight, in words.
  std::string control() const {
    if (!rematch_.rebuilt) return {};
    const Estimate& rebuilt = *rematch_.rebuilt;
    // The same machine code does not differ tenfold from itself.
    if (rematch_.same_code && (rebuilt.low < 0.1 || rebuilt.high > 10))
      return "; the rounds of the same machine code tell nothing, so busy was the machine";
    return fmt::format("; its configuration built tonight{} takes {}",
                       rematch_.same_code ? ", the same machine code," : "",
                       ratio_interval(rebuilt));
  }

  const Baseline& baseline_;
  const Rematch& rematch_;
  double threshold_;
};

/// The latest nights' median time [s].
double usual_time(const Numbers& nights) {
  const auto first = nights.end() - ptrdiff_t(std::min(most_nights, nights.size()));
  return quantile({first, nights.end()}, 0.5);
}

}  // namespace

std::string ratio_of(const SeriesVerdict& verdict) {
  if (const auto ratio = verdict.ratio()) return ' ' + ratio_interval(*ratio);
  return verdict.decided ? "" : ", not decided";
}

bool is_suspicious(const Numbers& nights, double tonight, double threshold) {
  return nights.size() < least_nights || std::abs(tonight / usual_time(nights) - 1) > threshold / 2;
}

std::string reason_to_race(const Numbers& nights, double tonight, double threshold,
                           const Texts& changed) {
  if (!changed.empty()) return joined(changed) + " changed since";
  if (!is_suspicious(nights, tonight, threshold)) return {};
  if (nights.size() < least_nights)
    return fmt::format("{} nights are known since, {} tell what is usual", nights.size(),
                       least_nights);
  return fmt::format("it takes {:.3f} of the median of the nights before",
                     tonight / usual_time(nights));
}

SeriesVerdict judge(const Baseline& baseline, const Rematch& rematch, double threshold,
                    const std::string& revision) {
  Judgement judgement(baseline, rematch, threshold);
  if (!rematch.best) {
    judgement.verdict.finding = Standing::inconclusive;
    judgement.verdict.sentence = fmt::format("the baseline of {} could not be raced: {}",
                                             baseline.accepted.date, rematch.fault);
  } else if (!judgement.by_code(revision) && !judgement.by_machine()) {
    judgement.by_tuning();
  }
  return judgement.verdict;
}

Numbers nights_since(const fs::path& root, const std::string& study, const std::string& key,
                     const std::string& date) {
  Numbers nights;
  const auto runs = folders_in(root);
  std::string later = "9999";
  for (auto run = runs.rbegin(); run != runs.rend() && nights.size() < most_nights; ++run) {
    const auto night = outcome_of(study, *run);
    if (!night || !night->result || !night->verdict || night->verdict->key != key) continue;
    // An undecided night does not tell what is usual; tonight is undecided when it is raced again.
    if (night->verdict->finding == Standing::inconclusive) continue;
    const std::string& ended = night->result->date;
    // If the clock was set back, the order is lost.
    if (ended < date || ended > later) break;
    later = ended;
    if (night->result->seconds) nights.push_back(night->result->seconds->value);
  }
  std::ranges::reverse(nights);
  return nights;
}

SeriesVerdict held_against_baseline(const Watch& watch, const std::string& study,
                                    const StudyRecord& record, const StudyResult& result,
                                    PreparedStudy& prepared) {
  SeriesVerdict verdict;
  verdict.key = series_key(record.header, record.require_setup().amortize);
  verdict.threshold = watch.threshold;
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
                 rematch(*baseline, prepared, result.best->configuration, watch.threshold),
                 watch.threshold, record.require_setup().revision);
  } catch (const Error& error) {
    verdict.finding = Standing::inconclusive;
    verdict.sentence = error.what();
    return verdict;
  }
}

}  // namespace rooftune::sweep

// Answer of a study, in the order of the user's questions: how fast is it now and how fast could it
// be, its limit, the effective changes, the next try, whether to go on. Terminal, page and JSON
// render the same answer. And all of the result as data: the document of `tune --json FILE`.
#pragma once
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "study/result.h"

namespace rooftune::report {

/// A figure with a wider interval than this, upper end over lower one, is in doubt.
constexpr double wide_interval = 1.25;

/// A piece of the headline, and why the figure in it may be off.
struct Phrase {
  std::string text;
  std::vector<std::string> doubts;  ///< a sentence each; empty: it stands
};

struct AnswerLine {
  std::string about;  ///< "limited by", "broke", "helped", "beware", "failed", "next", "go on?"
  std::string text;   ///< one sentence without a full stop
  std::string word;   ///< of the glossary, for `about`
};

struct Answer {
  enum class Verdict {
    faster,          ///< something beats the baseline
    baseline_best,   ///< nothing does, beyond the noise
    undecided,       ///< best and baseline cannot be told apart, or were not raced
    not_measured,    ///< no configuration ran
    above_the_roof,  ///< faster than the bound: a ceiling, the work model or the validation is
                     ///< wrong
  };
  Verdict verdict = Verdict::not_measured;
  std::vector<Phrase> headline;   ///< one sentence
  std::vector<AnswerLine> lines;  ///< only those with content
  /// A phrase of `headline` with the blank before it, if any.
  std::string joined(const Phrase& phrase) const;
  /// The headline without marks: "spmv is 3.89x faster than your baseline and within 1.23x of what
  /// this machine can do; DRAM bandwidth is the limit".
  std::string sentence() const;
};
inline Words words(Answer::Verdict) {
  static constexpr const char* all[] = {"faster", "baseline_best", "undecided", "not_measured",
                                        "above_the_roof"};
  return all;
}

Answer answer(const StudyResult& result);
/// {"verdict", "headline": [{"text", "doubts"}], "lines": [{"about", "text"}]}
Json to_json(const Answer& answer);

/// {schema: "rooftune-result-1", kernel, problem, machine, backend, bound, baseline, best, ledger,
/// stop, trials, cost, ...}; times in seconds, rates in base units. Unknown figures are null, never
/// left out. docs/records.md describes every member.
Json to_json(const StudyResult& result);
/// The binding ceiling's rate during the study: in the same rounds as the best, else as an anchor
/// for it; nullopt when it was not measured again.
std::optional<double> given_rate(const StudyResult& result, const Ceiling& ceiling);

}  // namespace rooftune::report

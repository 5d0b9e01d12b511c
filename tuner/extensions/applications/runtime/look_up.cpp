#include "runtime/look_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>
#include <tuple>

#include "core/error.h"
#include "core/list.h"

namespace rooftune::runtime {
namespace {

using Place = Standing::Place;

std::string value_text(const Value& value) {
  if (value.is_real()) return fmt::format("{:g}", value.real());
  return excerpt(to_text(value));
}

std::string problem_text(const NamedValues& problem) {
  constexpr size_t longest = 200;
  std::string text;
  for (const NamedValue& value : problem)
    if (text.size() < longest)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", excerpt(value.name),
                          value_text(value.value));
  return text;
}

/// All names with their lengths, so different lists give different texts.
std::string names_of(const NamedValues& problem) {
  std::string names;
  for (const NamedValue& value : problem)
    names += std::to_string(value.name.size()) + ' ' + value.name;
  return names;
}

/// A parameter in the question, with its costly parts computed once.
struct Asked {
  explicit Asked(const rooftune_value& value)
      : name(value.name ? value.name : ""),
        text(value.kind == ROOFTUNE_TEXT && value.text ? value.text : ""),
        is_text(value.kind == ROOFTUNE_TEXT),
        is_integer(value.kind == ROOFTUNE_INTEGER),
        integer(value.integer),
        number(value.kind == ROOFTUNE_REAL ? value.real : double(value.integer)) {
    if (!is_text && number > 0 && std::isfinite(number)) logarithm = std::log(number);
  }
  Asked() = default;
  std::string_view name, text;
  bool is_text = false, is_integer = false;
  int64_t integer = 0;
  double number = 0, logarithm = std::numeric_limits<double>::quiet_NaN();
};

/// The problem in the question. As a rule, a kernel's exports have the same parameters, so their
/// places are found once.
class Wanted {
 public:
  Wanted(const rooftune_value* problem, size_t parameters) noexcept
      : problem_(problem), size_(problem ? parameters : 0) {
    for (size_t i = 0; i < std::min(size_, asked_.size()); ++i) asked_[i] = Asked(problem[i]);
  }
  size_t size() const { return size_; }
  const Asked& operator[](size_t i) {
    return i < asked_.size() ? asked_[i] : beyond_ = Asked(problem_[i]);
  }
  /// The question's parameter numbered `i` in the tuned problem; nullptr where it has none.
  const NamedValue* tuned(size_t i, const Candidate& candidate) {
    const NamedValues& problem = candidate.problem();
    if (i >= asked_.size()) return find(problem, problem_[i].name);
    if (!names_ || *names_ != candidate.names) {
      names_ = &candidate.names;
      for (size_t k = 0; k < std::min(size_, asked_.size()); ++k) {
        const NamedValue* const found = find(problem, problem_[k].name);
        places_[k] = found ? found - problem.data() : -1;
      }
    }
    return places_[i] < 0 ? nullptr : problem.data() + places_[i];
  }

 private:
  static constexpr size_t prepared = 16;  // kernels have up to a dozen
  const rooftune_value* problem_;
  size_t size_;
  std::array<Asked, prepared> asked_;
  Asked beyond_;
  std::array<ptrdiff_t, prepared> places_{};
  const std::string* names_ = nullptr;  ///< whose places these are
};

/// The distance between two problems: differences without a logarithm count before those with one.
struct Distance {
  int different = 0;
  double logarithms = 0;
  size_t unasked = 0;  ///< parameters in the export but not in the question
  size_t shared = 0;   ///< the export's problems: with fewer, each fits better
  bool none() const { return different == 0 && logarithms == 0; }
  auto operator<=>(const Distance&) const = default;
};

bool same(const Asked& a, const NamedValue& b) {
  const bool text = b.value.is_text();
  if (a.is_text || text) return a.is_text && text && a.text == b.value.text();
  return a.is_integer && b.value.is_integer() ? a.integer == b.value.integer()
                                              : a.number == b.value.real();
}

Distance distance(Wanted& wanted, const Candidate& candidate) {
  Distance result;
  size_t met = 0;
  for (const size_t i : indices(wanted)) {
    const NamedValue* const tuned = wanted.tuned(i, candidate);
    met += tuned != nullptr;
    const Asked& asked = wanted[i];
    const double far = tuned ? std::abs(asked.logarithm - tuned->logarithm) : std::nan("");
    if (far > 0)
      result.logarithms += far;
    else if (!tuned || !same(asked, *tuned)) {
      // Different large integers may have the same logarithm.
      if (far == 0)
        result.logarithms += std::numeric_limits<double>::min();
      else
        ++result.different;
    }
  }
  const size_t parameters = candidate.problem().size();
  result.unasked = parameters - std::min(met, parameters);
  result.shared = candidate.exported().problems.size();
  return result;
}

/// How well a candidate fits; the smallest fits best.
struct Fit {
  Place place = Place::foreign;
  int unlike = 0;
  Distance distance;
  auto operator<=>(const Fit&) const = default;
};

bool of_this_host(const char* machine) {
  return !machine || !*machine || std::strcmp(machine, "host") == 0 ||
         shown_host().id == std::string_view(machine);
}

bool is_of(const Candidate& candidate, const char* named) {
  return candidate.exported().machine_id == named || candidate.exported().machine == named;
}

/// `named`: the machine as asked for; nullptr: this host.
Place place_of(const Candidate& candidate, const char* named) {
  if (!candidate.standing().runs) return Place::foreign;
  if (!named) return candidate.standing().place;
  return is_of(candidate, named) ? Place::here : Place::foreign;
}

rooftune_answer defaults(const char* reason) {
  return {ROOFTUNE_DEFAULTS, reason, "", "", "", nullptr};
}

rooftune_answer answer(const Candidate& best, const Fit& fit) {
  rooftune_match match = ROOFTUNE_EXACT;
  const char* reason = "";
  if (fit.place == Place::alike) {
    match = ROOFTUNE_OTHER_MACHINE;
    reason = fit.distance.none() ? best.standing().reason.c_str()
                                 : best.other_machine_and_problem.c_str();
  } else if (!fit.distance.none()) {
    match = ROOFTUNE_OTHER_PROBLEM;
    reason = best.other_problem.c_str();
  }
  return {match,
          reason,
          best.machine().c_str(),
          best.exported().study.c_str(),
          best.exported().verdict.c_str(),
          &best.exported().knobs};
}

/// Why none of the kernel's exports fits; `first` is among them.
rooftune_answer unusable(const Candidate& first, const Candidate* of_named, const char* named) {
  if (named && !of_named) return defaults("no export of the machine that was asked for");
  return defaults((of_named ? *of_named : first).standing().reason.c_str());
}

}  // namespace

Candidate::Candidate(std::shared_ptr<const Exported> from, size_t number)
    : of(std::move(from)),
      which(number),
      names(names_of(problem())),
      other_problem("tuned for the problem " + problem_text(problem())),
      other_machine_and_problem(standing().reason + ", for the problem " +
                                problem_text(problem())) {}

bool operator<(const Candidate& a, const Candidate& b) {
  const Exported &one = a.exported(), &two = b.exported();
  if (one.kernel != two.kernel) return one.kernel < two.kernel;
  if (one.date != two.date) return one.date > two.date;
  return std::tie(one.study, one.content, a.which) < std::tie(two.study, two.content, b.which);
}

const NamedValue* find(const NamedValues& values, const char* name) noexcept {
  if (!name) return nullptr;
  const std::string_view wanted(name);
  const auto found = std::lower_bound(
      values.begin(), values.end(), wanted,
      [](const NamedValue& value, std::string_view text) { return value.name < text; });
  return found != values.end() && found->name == wanted ? &*found : nullptr;
}

rooftune_answer look_up(const Candidates& candidates, const char* kernel, const char* machine,
                        const rooftune_value* problem, size_t parameters) noexcept {
  const std::string_view name(kernel ? kernel : "");
  const auto first = std::partition_point(
      candidates.begin(), candidates.end(),
      [&](const Candidate* candidate) { return candidate->exported().kernel < name; });
  if (first == candidates.end() || (*first)->exported().kernel != name)
    return defaults("no export of this kernel was loaded");
  const char* const named = of_this_host(machine) ? nullptr : machine;
  const auto last = std::partition_point(first, candidates.end(), [&](const Candidate* candidate) {
    return candidate->exported().kernel == name;
  });
  Wanted wanted(problem, parameters);
  const Candidate *best = nullptr, *of_named = nullptr;
  Fit best_fit;
  for (auto it = first; it != last; ++it) {
    if (named && !of_named && is_of(**it, named)) of_named = *it;
    Fit fit{place_of(**it, named), named ? 0 : (*it)->standing().unlike, {}};
    // Problems are compared only where the machine does not decide.
    if (fit.place == Place::foreign ||
        (best && std::tie(fit.place, fit.unlike) > std::tie(best_fit.place, best_fit.unlike)))
      continue;
    fit.distance = distance(wanted, **it);
    if (best && !(fit < best_fit)) continue;
    best = *it;
    best_fit = fit;
  }
  if (!best) return unusable(**first, of_named, named);
  for (const size_t i : indices(wanted)) {
    const auto knows = [&](const Candidate* one) { return wanted.tuned(i, *one) != nullptr; };
    if (!knows(best) && std::none_of(first, last, knows))
      return defaults("a parameter that was asked for is in no export of this kernel");
  }
  return answer(*best, best_fit);
}

}  // namespace rooftune::runtime

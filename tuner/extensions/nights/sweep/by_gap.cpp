#include "sweep/by_gap.h"

#include <algorithm>
#include <cmath>

namespace rooftune::sweep {
namespace {

/// A smaller improvement of the best is no gain.
constexpr double least_gain = 0.01;
/// Less than this share of a slice is not worth a turn.
constexpr double least_turn = 0.05;

/// Slices since the best last improved.
int fruitless(const std::vector<Slice>& own) {
  int count = 0;
  for (std::size_t i = 1; i < own.size(); ++i) {
    const bool gained =
        own[i].gap && (!own[i - 1].gap || *own[i].gap <= *own[i - 1].gap * (1 - least_gain));
    count = gained ? 0 : count + 1;
  }
  return count;
}

/// Prospective gain of another slice; 0 for none.
double prospect(const std::vector<Slice>& own, double target_gap) {
  const Slice& last = own.back();
  if (!last.goes_on() || !last.gap) return 0;
  return std::max(0.0, std::log(*last.gap / target_gap)) * std::pow(0.5, fruitless(own));
}

}  // namespace

double charged(const std::vector<Slice>& taken) {
  double sum = 0;
  for (const Slice& slice : taken) sum += slice.seconds;
  return sum;
}

std::vector<Slice> slices_of(const std::vector<Slice>& taken, const std::string& study) {
  std::vector<Slice> own;
  std::copy_if(taken.begin(), taken.end(), std::back_inserter(own),
               [&](const Slice& slice) { return slice.study == study; });
  return own;
}

std::optional<Turn> next_turn(const Plan& plan, const std::vector<Slice>& taken) {
  const double left = plan.budget->total - charged(taken);
  const double length = std::min(plan.budget->slice, left);
  if (length < least_turn * plan.budget->slice) return std::nullopt;
  std::optional<Turn> turn;
  double most = 0;
  for (std::size_t i = 0; i < plan.studies.size(); ++i) {
    const auto own = slices_of(taken, plan.studies[i].name);
    if (own.empty()) return Turn{i, length, length};
    const double worth = prospect(own, plan.studies[i].spec.target_gap);
    if (worth <= most) continue;
    most = worth;
    turn = Turn{i, length, own.back().searched + length};
  }
  return turn;
}

}  // namespace rooftune::sweep

#include "replay/calibration.h"

#include <boost/math/distributions/binomial.hpp>

#include "trial/statistics.h"

namespace rooftune::replay {
namespace {

using Binomial = boost::math::binomial_distribution<double>;

void bound(Calibration& calibration) {
  if (calibration.declared == 0) return;
  const auto n = static_cast<double>(calibration.declared);
  const auto k = static_cast<double>(calibration.wrong);
  calibration.low = Binomial::find_lower_bound_on_p(n, k, 0.025);
  calibration.high = Binomial::find_upper_bound_on_p(n, k, 0.025);
}

}  // namespace

Declared trace_until_sure(const BenchmarkSpace& benchmark, const Strategy& strategy,
                          std::uint64_t seed, std::size_t budget, const Certainty& certainty) {
  Declared result;
  result.trace = convergence_trace(benchmark, strategy, seed, budget, [&](const History& history) {
    result.declared = chance_if_certain(strategy, benchmark.space, history, certainty).has_value();
    return result.declared;
  });
  return result;
}

Calibration calibration(const std::vector<Declared>& searches, double share) {
  Calibration result;
  result.searches = searches.size();
  std::vector<double> evaluations;
  for (const Declared& search : searches) {
    if (!search.declared) continue;
    evaluations.push_back(static_cast<double>(search.trace.size()));
    if (search.trace.back() * (1 + share) < 1 - 1e-12) ++result.wrong;
  }
  result.declared = evaluations.size();
  bound(result);
  if (evaluations.empty()) return result;
  result.median = quantile(evaluations, 0.5);
  result.q25 = quantile(evaluations, 0.25);
  result.q75 = quantile(evaluations, 0.75);
  return result;
}

Calibration pooled(const std::vector<Calibration>& all) {
  Calibration sum;
  for (const Calibration& one : all) {
    sum.searches += one.searches;
    sum.declared += one.declared;
    sum.wrong += one.wrong;
  }
  bound(sum);
  return sum;
}

}  // namespace rooftune::replay

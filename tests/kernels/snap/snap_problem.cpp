// The problem and calls of snap: see the header.
#include "snap_problem.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "kernel/kernel.h"

namespace rooftune::testing {

MemoryProblem solved(const Parameters& parameters) {
  return made(parameters, {{"twojmax", "8"},
                           {"cells", "10"},
                           {"amplitude", "0.001"},
                           {"seed", "1"},
                           {"cutoff", "0"},
                           {"positions", ""},
                           {"coefficients", ""}});
}

std::string file_with(const std::string& text) {
  static std::vector<TextFile> files;
  return files.emplace_back(text).path();
}

double Result::total_energy() const {
  double sum = 0;
  for (const double e : energy) sum += e;
  return sum;
}

double Result::largest_force() const { return largest(force); }

SnapCall::SnapCall(const MemoryProblem& problem, Flush flush)
    : problem_(problem),
      atoms_(problem.fact("atoms")),
      pairs_(problem.fact("pairs")),
      max_neighbours_(problem.fact("max_neighbours")),
      twojmax_(problem.integer("twojmax")),
      coefficients_(problem.fact("coefficient_count")),
      cutoff_(problem.facts.at("cutoff_used")),
      beta_(problem.reals.at("beta").size(), flush),
      displacement_(problem.reals.at("displacement").size(), flush),
      force_(3 * static_cast<std::size_t>(atoms_), flush),
      energy_(static_cast<std::size_t>(atoms_), flush),
      first_(problem.integers.at("first")),
      neighbour_(problem.integers.at("neighbour")),
      mirror_(problem.integers.at("mirror")) {
  std::copy(problem.reals.at("beta").begin(), problem.reals.at("beta").end(), beta_.data());
  std::copy(problem.reals.at("displacement").begin(), problem.reals.at("displacement").end(),
            displacement_.data());
}

Result SnapCall::run(const BuiltFunction& function, bool prepares) {
  const auto count = static_cast<std::size_t>(atoms_);
  std::fill(force_.data(), force_.data() + 3 * count, std::nan(""));
  std::fill(energy_.data(), energy_.data() + count, std::nan(""));
  const double *beta = beta_.data(), *displacement = displacement_.data();
  const std::int32_t *first = first_.data(), *neighbour = neighbour_.data();
  const std::int32_t* mirror = mirror_.data();
  void* arguments[] = {&atoms_,
                       &pairs_,
                       &max_neighbours_,
                       &twojmax_,
                       &coefficients_,
                       &cutoff_,
                       const_cast<double*>(beta),
                       const_cast<std::int32_t*>(first),
                       const_cast<std::int32_t*>(neighbour),
                       const_cast<std::int32_t*>(mirror),
                       const_cast<double*>(displacement),
                       force_.data(),
                       energy_.data()};
  if (prepares) function.prepare(arguments);
  function.call(arguments);
  const auto& wanted = problem_.reals.at("displacement");
  if (!std::equal(wanted.begin(), wanted.end(), displacement)) FAIL_CHECK("inputs changed");
  return {{force_.data(), force_.data() + 3 * count}, {energy_.data(), energy_.data() + count}};
}

Result reference(const MemoryProblem& problem) {
  static const Kernel kernel = find_kernel("snap", ROOFTUNE_SOURCE_DIR);
  static const BuiltFunction built(kernel);
  return SnapCall(problem, Flush::end).run(built, false);
}

}  // namespace rooftune::testing

// Problem and reference of kernels/gpp called in memory.
// The caller links kernels/gpp/problem.cpp and reference.cpp.
#include "gpp_problem.h"

#include <cmath>

namespace rooftune::testing {
namespace {

const Parameters defaults = {{"input", ""},       {"nb", "32"}, {"ngpown", "32"},
                             {"ncouls", "2048"},  {"nw", "2"},  {"nvband", "8"},
                             {"seed", "20200826"}};

}  // namespace

std::vector<double> Sigma::reference() const {
  std::vector<double> result(static_cast<std::size_t>(4 * nw), NAN);
  const auto at = [this](const char* name) { return arrays.at(name).data(); };
  gpp(nb, ng, nc, nw, at("wtilde"), at("i_eps"), at("aqsn"), at("aqsm"), at("vcoul"), at("occ"),
      at("wx"), result.data());
  return result;
}

Loaded load(const Parameters& parameters) {
  MemoryProblem problem = made(parameters, defaults);
  Loaded result;
  result.scale = problem.reals.at("sigma_scale");
  problem.reals.erase("sigma_scale");
  result.sigma = {problem.fact("bands"), problem.fact("gprimes"), problem.fact("gvectors"),
                  problem.fact("energy_count"), std::move(problem.reals)};
  result.facts = std::move(problem.facts);
  return result;
}

Loaded load(std::int64_t nb, std::int64_t ng, std::int64_t nc, std::int64_t nw, std::int64_t nv) {
  return load({{"nb", std::to_string(nb)},
               {"ngpown", std::to_string(ng)},
               {"ncouls", std::to_string(nc)},
               {"nw", std::to_string(nw)},
               {"nvband", std::to_string(nv)}});
}

Loaded load_file(const std::string& content) {
  return from_file(content, [](const std::string& path) { return load({{"input", path}}); });
}

double difference(const std::vector<double>& got, const std::vector<double>& wanted,
                  const std::vector<double>& scale) {
  double largest = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const double error = std::abs(got[k] - wanted[k]);
    if (error == 0) continue;
    const double relative = error / scale[k];
    if (!(relative <= largest)) largest = std::isnan(relative) ? INFINITY : relative;
  }
  return largest;
}

}  // namespace rooftune::testing

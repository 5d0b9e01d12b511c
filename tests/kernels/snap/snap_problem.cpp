// SnapProblem and SnapCall: see the header.
#include "snap_problem.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "kernel/catalogue.h"

namespace rooftune::testing {

SnapProblem::SnapProblem(std::map<std::string, std::string> parameters)
    : parameters_(std::move(parameters)) {
  parameters_.insert({{"twojmax", "8"},
                      {"cells", "10"},
                      {"amplitude", "0.001"},
                      {"seed", "1"},
                      {"cutoff", "0"},
                      {"positions", ""},
                      {"coefficients", ""}});
}

const char* SnapProblem::text(const char* parameter) const {
  return parameters_.at(parameter).c_str();
}
std::int64_t SnapProblem::integer(const char* parameter) const {
  return std::stoll(parameters_.at(parameter));
}
double SnapProblem::real(const char* parameter) const {
  return std::stod(parameters_.at(parameter));
}
void SnapProblem::set(const char* fact, double value) { facts[fact] = value; }
void SnapProblem::set(const char* fact, std::int64_t value) {
  facts[fact] = static_cast<double>(value);
}
void SnapProblem::set(const char*, const char*) {
  throw std::logic_error("snap has no fact that is text");
}
double* SnapProblem::float64(const char* name, std::int64_t count) {
  return reals.insert_or_assign(name, std::vector<double>(static_cast<std::size_t>(count)))
      .first->second.data();
}
float* SnapProblem::float32(const char*, std::int64_t) {
  throw std::logic_error("snap has no array of float");
}
std::int32_t* SnapProblem::int32(const char* name, std::int64_t count) {
  return integers.insert_or_assign(name, std::vector<std::int32_t>(static_cast<std::size_t>(count)))
      .first->second.data();
}
std::int64_t* SnapProblem::int64(const char*, std::int64_t) {
  throw std::logic_error("snap has no array of int64");
}
void SnapProblem::fail(const char* message, const char* where, const char* hint) {
  throw Refusal{message, where, hint};
}
std::int64_t SnapProblem::fact(const char* name) const {
  return static_cast<std::int64_t>(facts.at(name));
}

SnapProblem solved(std::map<std::string, std::string> parameters) {
  SnapProblem problem(std::move(parameters));
  ::problem(problem);
  return problem;
}

std::string file_with(const std::string& text) {
  // Removed when the process ends.
  static struct Files {
    std::vector<std::string> paths;
    ~Files() {
      for (const std::string& path : paths) std::filesystem::remove(path);
    }
  } files;
  std::string path = (std::filesystem::temp_directory_path() / "rooftune-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) throw std::runtime_error("mkstemp failed");
  close(file);
  std::ofstream(path, std::ios::binary) << text;
  files.paths.push_back(path);
  return path;
}

double Result::total_energy() const {
  double sum = 0;
  for (const double e : energy) sum += e;
  return sum;
}

double Result::largest_force() const {
  return difference(force, std::vector<double>(force.size()));
}

SnapCall::SnapCall(const SnapProblem& problem, Flush flush)
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

Result reference(const SnapProblem& problem) {
  static const Kernel kernel = find_kernel("snap", ROOFTUNE_SOURCE_DIR);
  static const BuiltFunction built(kernel);
  return SnapCall(problem, Flush::end).run(built, false);
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    if (!(d <= most)) most = std::isnan(d) ? INFINITY : d;
  }
  return most;
}

}  // namespace rooftune::testing

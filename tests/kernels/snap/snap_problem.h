// An input of snap in the memory of a test, and calls of functions on it.
// The caller links kernels/snap/problem.cpp and names parameters as kernel.json does.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "built_function.h"
#include "guarded_array.h"
#include "rooftune/problem.h"

namespace rooftune::testing {

/// What Problem::fail was told.
struct Refusal {
  std::string message, where, hint;
};

class SnapProblem final : public Problem {
 public:
  explicit SnapProblem(std::map<std::string, std::string> parameters);

  const char* text(const char* parameter) const override;
  std::int64_t integer(const char* parameter) const override;
  double real(const char* parameter) const override;
  void set(const char* fact, double value) override;
  void set(const char* fact, std::int64_t value) override;
  void set(const char* fact, const char* value) override;
  double* float64(const char* name, std::int64_t count) override;
  float* float32(const char* name, std::int64_t count) override;
  std::int32_t* int32(const char* name, std::int64_t count) override;
  std::int64_t* int64(const char* name, std::int64_t count) override;
  [[noreturn]] void fail(const char* message, const char* where, const char* hint) override;

  std::int64_t fact(const char* name) const;
  std::map<std::string, double> facts;
  std::map<std::string, std::vector<double>> reals;
  std::map<std::string, std::vector<std::int32_t>> integers;

 private:
  std::map<std::string, std::string> parameters_;
};

/// The input that kernels/snap/problem.cpp makes. Throws Refusal.
SnapProblem solved(std::map<std::string, std::string> parameters);
/// A file with `text`, until the process ends.
std::string file_with(const std::string& text);

struct Result {
  std::vector<double> force, energy;

  double total_energy() const;
  double largest_force() const;
};

/// Arguments of one call between forbidden pages; outputs hold NaN before.
class SnapCall {
 public:
  SnapCall(const SnapProblem& problem, Flush flush);
  /// Prepares unless told not to, calls, and checks that inputs are as they were.
  Result run(const BuiltFunction& function, bool prepares);

 private:
  const SnapProblem& problem_;
  std::int64_t atoms_, pairs_, max_neighbours_, twojmax_, coefficients_;
  double cutoff_;
  GuardedArray beta_, displacement_, force_, energy_;
  std::vector<std::int32_t> first_, neighbour_, mirror_;
};

/// The reference on a problem.
Result reference(const SnapProblem& problem);

/// Largest difference of any force component.
double difference(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace rooftune::testing

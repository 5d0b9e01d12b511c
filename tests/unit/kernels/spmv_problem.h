// A problem that lives in the memory of a test: parameters in, arrays and facts out; a refusal is
// thrown. The caller names parameters as kernels/spmv/kernel.json does.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rooftune/problem.h"

namespace rooftune::testing {

/// What Problem::fail was told.
struct Refusal {
  std::string message, where, hint;
};

class MemoryProblem final : public Problem {
 public:
  explicit MemoryProblem(std::map<std::string, std::string> parameters);

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

  std::map<std::string, double> facts;
  std::map<std::string, std::vector<double>> reals;
  std::map<std::string, std::vector<std::int32_t>> integers;

 private:
  std::map<std::string, std::string> parameters_;
};

/// A sparse matrix with rows in order and the vector that it meets.
struct Sparse {
  std::int64_t rows = 0, cols = 0;
  std::vector<std::int32_t> pointer{0}, column;
  std::vector<double> value, x;

  std::int64_t entries() const { return pointer.back(); }
  /// Row-major, rows x cols.
  std::vector<double> dense() const;
  /// kernels/spmv/reference.cpp
  std::vector<double> product() const;
};

/// The input that kernels/spmv/problem.cpp makes of the parameters. Throws Refusal.
Sparse loaded(const MemoryProblem& problem);
MemoryProblem solved(std::map<std::string, std::string> parameters);
/// Writes `text` to a file that is gone afterwards, and loads it. Throws Refusal, whose `where` has
/// no directory.
MemoryProblem solved_text(const std::string& text);

}  // namespace rooftune::testing

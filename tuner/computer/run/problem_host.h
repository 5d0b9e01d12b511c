// The worker's side of problem.cpp: parameters in, arrays and facts out.
// The caller saves the result when problem() has returned.
#pragma once
#include <rooftune/problem.h>

#include <map>
#include <string>
#include <vector>

#include "run/guarded_array.h"

namespace rooftune::run {

/// problem.cpp called fail().
struct ProblemFault {
  std::string message, where, hint;
};

class ProblemHost final : public Problem {
 public:
  explicit ProblemHost(Facts parameters) : parameters_(std::move(parameters)) {}

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

  const Facts& facts() const { return facts_; }
  const std::map<std::string, GuardedArray>& arrays() const { return arrays_; }

 private:
  const Value& parameter(const char* name) const;
  void* array(const char* name, Argument::Type type, std::int64_t count);

  Facts parameters_, facts_;
  std::map<std::string, GuardedArray> arrays_;
};

}  // namespace rooftune::run

// The worker's side of problem.cpp: parameters in, arrays and facts out.
// The caller saves the result when problem() has returned.
#pragma once
#include <rooftune/problem.h>

#include <map>
#include <string>
#include <vector>

#include "run/array_set.h"

namespace rooftune::run {

/// problem.cpp called fail().
struct ProblemFault {
  std::string message, where, hint;
};

class ProblemHost final : public Problem {
 public:
  explicit ProblemHost(Facts parameters) : parameters_(std::move(parameters)) {}

  const char* text(const char* name) const override { return parameter(name).text().c_str(); }
  std::int64_t integer(const char* name) const override { return parameter(name).integer(); }
  double real(const char* name) const override { return parameter(name).real(); }
  void set(const char* fact, double value) override;
  void set(const char* fact, std::int64_t value) override { store(fact, value); }
  void set(const char* fact, const char* value) override { store(fact, or_empty(value)); }
  void* elements(const char* name, const char* type, std::size_t size, std::int64_t count) override;
  [[noreturn]] void fail(const char* message, const char* where, const char* hint) override;

  const Facts& facts() const { return facts_; }
  const std::map<std::string, GuardedArray>& arrays() const { return arrays_; }

 private:
  static const char* or_empty(const char* text) { return text ? text : ""; }
  void store(const char* fact, const Value& value) { facts_[or_empty(fact)] = value; }
  const Value& parameter(const char* name) const;

  Facts parameters_, facts_;
  std::map<std::string, GuardedArray> arrays_;
};

}  // namespace rooftune::run

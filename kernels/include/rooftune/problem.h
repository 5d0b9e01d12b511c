// What a kernel's problem.cpp uses to load or generate its input. Built like the reference and run
// in a worker process; it defines:  extern "C" void problem(rooftune::Problem& p);
#pragma once
#include <cstdint>

namespace rooftune {

/// Parameters in, named arrays and facts out. Arrays live as long as the worker's problem.
class Problem {
 public:
  /// Parameters as declared in kernel.json, after defaults and --problem.
  virtual const char* text(const char* parameter) const = 0;
  virtual std::int64_t integer(const char* parameter) const = 0;
  virtual double real(const char* parameter) const = 0;

  /// Facts named in kernel.json under "facts"; expressions of counts, work and traffic can use
  /// them.
  virtual void set(const char* fact, double value) = 0;
  virtual void set(const char* fact, std::int64_t value) = 0;
  virtual void set(const char* fact, const char* value) = 0;

  /// Allocates an array (zeroed, 64-byte aligned) under the name of an argument with "from":
  /// "problem", or of a tolerance scale.
  virtual double* float64(const char* name, std::int64_t count) = 0;
  virtual float* float32(const char* name, std::int64_t count) = 0;
  virtual std::int32_t* int32(const char* name, std::int64_t count) = 0;
  virtual std::int64_t* int64(const char* name, std::int64_t count) = 0;

  /// Ends with an error of the user's input: what, where (file:line), how to mend it. Does not
  /// return.
  [[noreturn]] virtual void fail(const char* message, const char* where, const char* hint) = 0;

 protected:
  ~Problem() = default;
};

}  // namespace rooftune

extern "C" void problem(rooftune::Problem& p);

// What a kernel's problem.cpp uses to load or generate its input. Built like the reference and run
// in a worker process; it defines:  extern "C" void problem(rooftune::Problem& p);
#pragma once
#include <cstdint>

#include "rooftune/elements.h"

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

  /// array<T>: T is a number, rooftune::Half, rooftune::BFloat16, std::complex or a structure.
  /// Allocates an array (zeroed, 64-byte aligned) under the name of an argument with "from":
  /// "problem", or of a tolerance scale.
  template <class T>
  T* array(const char* name, std::int64_t count) {
    return static_cast<T*>(elements(name, element_word<T>().c_str(), sizeof(T), count));
  }
  double* float64(const char* name, std::int64_t count) { return array<double>(name, count); }
  float* float32(const char* name, std::int64_t count) { return array<float>(name, count); }
  std::int32_t* int32(const char* name, std::int64_t count) {
    return array<std::int32_t>(name, count);
  }
  std::int64_t* int64(const char* name, std::int64_t count) {
    return array<std::int64_t>(name, count);
  }

  /// Ends with an error of the user's input: what, where (file:line), how to mend it. Does not
  /// return.
  [[noreturn]] virtual void fail(const char* message, const char* where, const char* hint) = 0;

 protected:
  /// Elements of a type with a word in kernel.json, and of a size in bytes.
  virtual void* elements(const char* name, const char* type, std::size_t size,
                         std::int64_t count) = 0;
  ~Problem() = default;
};

}  // namespace rooftune

extern "C" void problem(rooftune::Problem& p);

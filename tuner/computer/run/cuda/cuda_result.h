// The outcome of a trial after a failed call of the driver.
#pragma once
#include <concepts>
#include <string>

#include "run/cuda/cuda_driver.h"

namespace rooftune::run {

/// Throws VariantFault with the failure's outcome; success costs no text.
[[noreturn]] void throw_fault(const CudaDriver& driver, CudaResult result, const std::string& what);

inline void check(const CudaDriver& driver, CudaResult result, const char* what) {
  if (result != 0) throw_fault(driver, result, what);
}
/// Calls `what` for the text, only after a failure.
template <std::invocable What>
void check(const CudaDriver& driver, CudaResult result, const What& what) {
  if (result != 0) throw_fault(driver, result, what());
}

}  // namespace rooftune::run

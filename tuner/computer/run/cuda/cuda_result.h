// What a failed call of the driver means for the trial at hand.
#pragma once
#include <concepts>
#include <string>

#include "run/cuda/cuda_driver.h"

namespace rooftune::run {

/// Throws VariantFault with the outcome that the failure means; success costs no text.
[[noreturn]] void throw_fault(const CudaDriver& driver, CudaResult result, const std::string& what);

inline void check(const CudaDriver& driver, CudaResult result, const char* what) {
  if (result != 0) throw_fault(driver, result, what);
}
/// `what` makes the text when there is a failure.
template <std::invocable What>
void check(const CudaDriver& driver, CudaResult result, const What& what) {
  if (result != 0) throw_fault(driver, result, what());
}

}  // namespace rooftune::run

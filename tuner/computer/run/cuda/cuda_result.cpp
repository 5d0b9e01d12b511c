// Outcomes by the driver's results (CUresult).
#include "run/cuda/cuda_result.h"

#include "run/loaded_variant.h"

namespace rooftune::run {
namespace {

Outcome outcome_of(CudaResult result) {
  switch (result) {
    case 2:  // out of memory
      return Outcome::out_of_memory;
    case 200:  // invalid image
    case 209:  // no binary for this card
    case 218:  // invalid PTX
    case 221:  // no compiler of PTX in the driver
    case 222:  // PTX of a newer version than the driver's
    case 223:  // PTX is not to be compiled
    case 500:  // no such kernel
      return Outcome::build_failed;
    case 702:  // launch timeout
      return Outcome::timed_out;
    default:
      return Outcome::crashed;
  }
}

}  // namespace

void throw_fault(const CudaDriver& driver, CudaResult result, const std::string& what) {
  throw VariantFault{outcome_of(result), what + ": " + driver.text(result)};
}

}  // namespace rooftune::run

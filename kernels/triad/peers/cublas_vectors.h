// The vectors of a triad on the card, and cuBLAS on the stream in which it is timed. The caller
// passes at most 2^31 - 1 elements, which is what cuBLAS counts to.
#pragma once
#include "cublas_api.h"
#include "rooftune/gpu.h"

namespace {

std::unique_ptr<cublas::Library> library;
rooftune::DeviceBuffer<double> b_on_card, c_on_card, a_on_card;

}  // namespace

void triad_prepare(std::int64_t n, double, const double* b, const double* c, double*) {
  if (!library) library = rooftune::started<cublas::Library>(cublas::names());
  library->check(library->SetStream(library->handle, rooftune::cuda->stream()), "cublasSetStream");
  b_on_card.copy_in(b, n);
  c_on_card.copy_in(c, n);
  a_on_card.reserve(n);
}

void triad_finish(std::int64_t n, double, const double*, const double*, double* a) {
  a_on_card.copy_out(a, n);
}

// A Sigma-GPP problem in the memory of a test: parameters in, arrays and facts out; a refusal is
// thrown. The caller names parameters as kernels/gpp/kernel.json does.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/memory_problem.h"

/// kernels/gpp/reference.cpp
void gpp(std::int64_t nb, std::int64_t ngpown, std::int64_t ncouls, std::int64_t nw,
         const double* wtilde, const double* i_eps, const double* aqsn, const double* aqsm,
         const double* vcoul, const double* occ, const double* wx, double* sigma);

namespace rooftune::testing {

/// Arrays of a calculation under the names of the manifest, and its sizes.
struct Sigma {
  std::int64_t nb = 0, ng = 0, nc = 0, nw = 0;
  std::map<std::string, std::vector<double>> arrays;

  std::vector<double>& operator[](const std::string& name) { return arrays.at(name); }
  /// What the reference makes of it: Re, Im of asx, Re, Im of ach per energy.
  std::vector<double> reference() const;
};

struct Loaded {
  Sigma sigma;
  std::vector<double> scale;
  std::map<std::string, double> facts;
};

/// Runs problem.cpp with these parameters on top of the manifest's defaults.
Loaded load(const Parameters& parameters);
/// Sizes only.
Loaded load(std::int64_t nb, std::int64_t ng, std::int64_t nc, std::int64_t nw, std::int64_t nv);
/// Runs problem.cpp on a file with this content; its path in a refusal reads "file".
Loaded load_file(const std::string& content);

/// Largest |got - wanted| / scale; infinite for a NaN.
double difference(const std::vector<double>& got, const std::vector<double>& wanted,
                  const std::vector<double>& scale);

}  // namespace rooftune::testing

// The application's host, by the means of `tune probe`.
#pragma once
#include <rooftune/rooftune.h>

#include <map>
#include <string>
#include <vector>

#include "os/topology.h"

namespace rooftune::runtime {

/// Abilities of a machine, to judge a configuration from another one.
struct CapabilityClass {
  bool gpu = false;
  std::string model;
  double cores = 0, threads = 0, simd_bits = 0;  ///< 0: unknown
  std::vector<std::string> features;             ///< instruction sets
  std::map<std::string, double> caches;          ///< bytes of one instance, by level
};

struct Host {
  std::string id;
  MachineIdentity identity;
  CapabilityClass can;
  std::string features, caches;  ///< as texts
  rooftune_machine shown{};      ///< points into the others
};
/// Found out at the first call. Throws std::bad_alloc.
const Host& host();
/// As host(), and where memory is gone a host without an id.
const rooftune_machine& shown_host() noexcept;

}  // namespace rooftune::runtime

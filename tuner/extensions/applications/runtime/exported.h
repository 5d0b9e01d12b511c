// Configurations as `tune export --format json` writes them, and how well they fit the
// application's host, which is examined as `tune probe` does.
#pragma once
#include <rooftune/rooftune.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/value.h"
#include "os/topology.h"

namespace rooftune::runtime {

struct NamedValue {
  std::string name;
  Value value;  ///< no list
  /// The logarithm if the value is a number above 0; else NaN.
  double logarithm = std::numeric_limits<double>::quiet_NaN();
};
/// Sorted by name.
using NamedValues = std::vector<NamedValue>;

/// What a machine can do, to judge whether its configurations suit another machine.
struct CapabilityClass {
  bool gpu = false;
  std::string model;
  double cores = 0, threads = 0, simd_bits = 0;  ///< 0: unknown
  Texts features;                                ///< instruction sets
  NamedNumbers caches;                           ///< bytes in one instance, by level
};

/// Where an export was tuned, as seen from this host.
struct Standing {
  enum class Place { here, alike, foreign };  ///< alike: another machine in the same class
  Place place = Place::foreign;
  bool runs = true;    ///< false: needs instruction sets that this host lacks
  int unlike = 0;      ///< how many facts differ, if `alike`
  std::string reason;  ///< why it is not `here`; empty when it is
};
struct Exported {
  std::string kernel, machine, machine_id, study, date, verdict;
  MachineIdentity identity;
  std::optional<CapabilityClass> can;  ///< absent: not in the file
  NamedValues knobs;
  std::vector<NamedValues> problems;  ///< all that were tuned for together
  std::string content;  ///< a hash of the document: a sort key that is the same on every computer
  Standing standing;    ///< judged once for all its problems
};

/// Throws Error for anything but an export in this version's format.
Exported read_exported(const fs::path& file);

struct Host {
  std::string id;
  MachineIdentity identity;
  CapabilityClass can;
  std::string features, caches;  ///< as texts
  rooftune_machine shown{};      ///< points into the other members
};
/// Examined at the first call. Throws std::bad_alloc.
const Host& host();
/// As host(); out of memory, a host without an id.
const rooftune_machine& shown_host() noexcept;

/// Hosts that differ only in name count as one: a cluster's nodes answer alike.
Standing standing(const Exported& exported, const Host& host);

}  // namespace rooftune::runtime

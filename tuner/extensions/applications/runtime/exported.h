// Configurations as files of `tune export --format json` hold them, and their fitness for the
// application's host, by the means of `tune probe`.
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
  /// The logarithm of a number above 0; else NaN.
  double logarithm = std::numeric_limits<double>::quiet_NaN();
};
/// In the order of their names.
using NamedValues = std::vector<NamedValue>;

/// Abilities of a machine, to judge a configuration from another one.
struct CapabilityClass {
  bool gpu = false;
  std::string model;
  double cores = 0, threads = 0, simd_bits = 0;  ///< 0: unknown
  Texts features;                                ///< instruction sets
  NamedNumbers caches;                           ///< bytes of one instance, by level
};

/// Where an export was tuned, as seen from this host.
struct Standing {
  enum class Place { here, alike, foreign };  ///< alike: another machine of its capability class
  Place place = Place::foreign;
  bool runs = true;    ///< false: needs instruction sets missing on this host
  int unlike = 0;      ///< differing facts of a machine of the class
  std::string reason;  ///< why it is not `here`; empty when it is
};
struct Exported {
  std::string kernel, machine, machine_id, study, date, verdict;
  MachineIdentity identity;
  std::optional<CapabilityClass> can;  ///< absent: not in the file
  NamedValues knobs;
  std::vector<NamedValues> problems;  ///< tuned for together, or one
  std::string content;  ///< a hash of the document: a sort key independent of the computer
  Standing standing;    ///< judged once for all its problems
};

/// Throws Error for anything but an export of this version.
Exported read_exported(const fs::path& file);

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

/// Two hosts with different names only are one: nodes of a cluster answer alike.
Standing standing(const Exported& exported, const Host& host);

}  // namespace rooftune::runtime

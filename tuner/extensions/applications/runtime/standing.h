// Fitness of a configuration tuned elsewhere for this host.
#pragma once
#include <string>

#include "runtime/exported.h"

namespace rooftune::runtime {

/// Where an export was tuned, as seen from this host.
struct Standing {
  enum class Place { here, alike, foreign };  ///< alike: another machine of its capability class
  Place place = Place::foreign;
  bool runs = true;    ///< false: needs instruction sets missing on this host
  int unlike = 0;      ///< differing facts of a machine of the class
  std::string reason;  ///< why it is not `here`; empty when it is
};
/// Two hosts with different names only are one: nodes of a cluster answer alike.
Standing standing(const Exported& exported, const Host& host);

}  // namespace rooftune::runtime

// Whether a configuration that was tuned somewhere may be used on this host.
#pragma once
#include <string>

#include "runtime/exported.h"

namespace rooftune::runtime {

/// Where an export was tuned, as seen from this host.
struct Standing {
  enum class Place { here, alike, foreign };  ///< alike: another machine of its capability class
  Place place = Place::foreign;
  bool runs = true;    ///< false: needs instruction sets that this host lacks
  int unlike = 0;      ///< facts in which a machine of the class differs
  std::string reason;  ///< why it is not `here`; empty when it is
};
/// Two hosts that differ in their names only are one: nodes of a cluster answer alike.
Standing standing(const Exported& exported, const Host& host);

}  // namespace rooftune::runtime

// The identity of a processor, by its maker's numbers of the design.
#pragma once
#include <string>

#include "core/modules.h"

namespace rooftune::counters {

/// x86 has vendor, family, model and stepping; Arm has implementer and part. -1 or empty: unknown.
struct CpuIdentity {
  std::string vendor;  ///< "GenuineIntel", "AuthenticAMD"
  int family = -1, model = -1, stepping = -1;
  int implementer = -1, part = -1;
  /// "GenuineIntel family 6 model 143 stepping 8", "Arm implementer 0x41 part 0xd40".
  std::string text() const;
};
/// Of the first processor in the text of /proc/cpuinfo.
CpuIdentity cpu_identity(const std::string& cpuinfo);
/// Of this machine. A hypervisor may report any numbers here.
CpuIdentity cpu_identity();

}  // namespace rooftune::counters

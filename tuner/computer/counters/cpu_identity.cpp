// Processor numbers from /proc/cpuinfo. Unreadable numbers stay absent: an unknown processor has no
// event set, and a message says so.
#include "counters/cpu_identity.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "core/file.h"
#include "core/text.h"

namespace rooftune::counters {

namespace {

/// "143", "0x41"; -1 for anything else.
int identity_number(const std::string& text) {
  const bool hexadecimal = text.starts_with("0x");
  const char* first = text.data() + (hexadecimal ? 2 : 0);
  const char* last = text.data() + text.size();
  int value = -1;
  const auto [end, error] = std::from_chars(first, last, value, hexadecimal ? 16 : 10);
  return error == std::errc{} && end == last && value >= 0 ? value : -1;
}

void take(CpuIdentity& identity, const std::string& key, const std::string& value) {
  if (key == "vendor_id")
    identity.vendor = value;
  else if (key == "cpu family")
    identity.family = identity_number(value);
  else if (key == "model")
    identity.model = identity_number(value);
  else if (key == "stepping")
    identity.stepping = identity_number(value);
  else if (key == "CPU implementer")
    identity.implementer = identity_number(value);
  else if (key == "CPU part")
    identity.part = identity_number(value);
}

}  // namespace

CpuIdentity cpu_identity(const std::string& cpuinfo) {
  CpuIdentity identity;
  std::istringstream lines(cpuinfo);
  std::string line;
  bool begun = false;
  while (std::getline(lines, line)) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) {
      if (begun) break;
      continue;
    }
    begun = true;
    const std::string_view both = line;
    take(identity, std::string(trimmed(both.substr(0, colon))),
         std::string(trimmed(both.substr(colon + 1))));
  }
  return identity;
}

CpuIdentity cpu_identity() { return cpu_identity(text_if_readable("/proc/cpuinfo")); }

std::string CpuIdentity::text() const {
  if (implementer >= 0) return fmt::format("Arm implementer {:#x} part {:#x}", implementer, part);
  if (vendor.empty()) return "an unnamed processor";
  return fmt::format("{} family {} model {} stepping {}", vendor, family, model, stepping);
}

}  // namespace rooftune::counters

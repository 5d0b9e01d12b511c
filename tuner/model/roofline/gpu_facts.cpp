#include "roofline/gpu_facts.h"

#include <fmt/format.h>

namespace rooftune::roofline {
namespace {

/// `text` fits `pattern`, where * stands for any text.
bool fits(const char* pattern, const char* text) {
  if (*pattern == '\0') return *text == '\0';
  if (*pattern != '*') return *pattern == *text && fits(pattern + 1, text + 1);
  for (; *text != '\0'; ++text)
    if (fits(pattern + 1, text)) return true;
  return fits(pattern + 1, text);
}

}  // namespace

bool GpuFacts::describes(const std::string& device) const {
  for (const std::string& pattern : devices)
    if (fits(pattern.c_str(), device.c_str())) return true;
  return false;
}

std::string compute_capability_text(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

}  // namespace rooftune::roofline

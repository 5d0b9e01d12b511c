#include "kernel/block_sides.h"

#include <algorithm>
#include <sstream>

#include "core/text.h"

namespace rooftune {
namespace {

/// What stands between the `*` of a formula; nothing for 1.
std::vector<std::string> factors(const std::string& formula) {
  std::vector<std::string> all;
  std::istringstream parts(formula);
  for (std::string part; std::getline(parts, part, '*');) all.emplace_back(trimmed(part));
  if (all == std::vector<std::string>{"1"}) return {};
  return all;
}

}  // namespace

std::optional<std::vector<std::string>> block_knobs_of_launch(const Kernel& kernel,
                                                              const std::vector<Knob>& knobs) {
  std::vector<std::string> all;
  for (const char* side : {"block_x", "block_y", "block_z"}) {
    const auto argument =
        std::find_if(kernel.arguments.begin(), kernel.arguments.end(),
                     [&](const Argument& a) { return a.name == side && !a.pointer; });
    if (argument == kernel.arguments.end()) return std::nullopt;
    for (const std::string& factor : factors(argument->value.text())) {
      const bool known = std::any_of(knobs.begin(), knobs.end(),
                                     [&](const Knob& knob) { return knob.name == factor; });
      if (!known) return std::vector<std::string>();
      all.push_back(factor);
    }
  }
  return all;
}

}  // namespace rooftune

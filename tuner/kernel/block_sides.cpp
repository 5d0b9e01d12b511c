#include "kernel/block_sides.h"

#include <algorithm>
#include <regex>

namespace rooftune {
namespace {

/// The factors of a product of names; nullopt for any other formula. No factor: 1.
std::optional<std::vector<std::string>> factors(const std::string& formula) {
  static const std::regex one(R"(\s*1\s*)"), name(R"([A-Za-z_]\w*)"),
      product(R"(\s*[A-Za-z_]\w*(\s*\*\s*[A-Za-z_]\w*)*\s*)");
  if (std::regex_match(formula, one)) return std::vector<std::string>();
  if (!std::regex_match(formula, product)) return std::nullopt;
  return std::vector<std::string>(std::sregex_token_iterator(formula.begin(), formula.end(), name),
                                  {});
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
    const auto found = factors(argument->value.text());
    if (!found) return std::vector<std::string>();
    for (const std::string& factor : *found) {
      const bool known = std::any_of(knobs.begin(), knobs.end(),
                                     [&](const Knob& knob) { return knob.name == factor; });
      if (!known) return std::vector<std::string>();
      all.push_back(factor);
    }
  }
  return all;
}

}  // namespace rooftune

#include "space/knob.h"

#include <algorithm>
#include <array>

namespace rooftune {
namespace {

/// In the order of the enum.
constexpr std::array<const char*, 6> kinds{"compile", "flag",        "argument",
                                           "openmp",  "environment", "memory"};

}  // namespace

std::size_t Knob::index_of(const Value& value) const {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

const char* to_text(Knob::Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }

const std::vector<std::string>& knob_kinds() {
  static const std::vector<std::string> all(kinds.begin(), kinds.end());
  return all;
}

const Knob* thread_knob(const std::vector<Knob>& knobs) {
  const auto found = std::find_if(knobs.begin(), knobs.end(), [](const Knob& knob) {
    return knob.kind == Knob::Kind::openmp && knob.setting == "threads";
  });
  return found == knobs.end() ? nullptr : &*found;
}

Json facts_json(const Facts& facts) {
  Json json = Json::object();
  for (const auto& [name, value] : facts) json[name] = to_json(value);
  return json;
}

}  // namespace rooftune

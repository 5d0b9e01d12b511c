// Knobs: their kinds' words and the number of a value.
#include "space/knob.h"

#include <algorithm>

namespace rooftune {

std::size_t Knob::index_of(const Value& value) const {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

const char* to_text(Knob::Kind kind) {
  switch (kind) {
    case Knob::Kind::compile:
      return "compile";
    case Knob::Kind::flag:
      return "flag";
    case Knob::Kind::argument:
      return "argument";
    case Knob::Kind::openmp:
      return "openmp";
    case Knob::Kind::environment:
      return "environment";
    case Knob::Kind::memory:
      break;
  }
  return "memory";
}

Json facts_json(const Facts& facts) {
  Json json = Json::object();
  for (const auto& [name, value] : facts) json[name] = to_json(value);
  return json;
}

}  // namespace rooftune

// One choice of a value for every knob.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/fields.h"

namespace rooftune::space {

/// Ordered by knob name; equality is equality of all values.
class Configuration {
 public:
  Configuration() = default;
  const Value& at(const std::string& knob) const;  ///< throws Error for an unknown knob
  bool has(const std::string& knob) const { return values_.count(knob) != 0; }
  void set(const std::string& knob, Value value) { values_[knob] = std::move(value); }
  const std::map<std::string, Value>& values() const { return values_; }
  bool operator==(const Configuration&) const = default;
  /// "knob=value knob=value": the identity used in maps and records.
  std::string key() const;

 private:
  std::map<std::string, Value> values_;
};

/// The same as value numbers (in the knob's order), by knob: for computation in spaces and
/// searches.
using Assignment = std::vector<std::uint32_t>;

Json to_json(const Configuration& configuration);
void decode(const Json& json, const Place& place, Configuration& configuration);

/// "unroll=4 simd=8": only the differences from `baseline`; "(baseline)" without any.
std::string difference_text(const Configuration& configuration, const Configuration& baseline);

}  // namespace rooftune::space

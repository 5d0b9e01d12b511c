// What a knob, problem parameter or expression holds: truth, integer, real, text or a list of
// these.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/json.h"
#include "core/list.h"

namespace rooftune::core {

class Value;
using ValueList = std::vector<Value>;

/// Compares and prints like Python: 1 == 1.0 == True, 'a' != 1.
class Value {
 public:
  Value() : data_(int64_t{0}) {}
  Value(bool v) : data_(v) {}
  Value(int v) : data_(int64_t{v}) {}
  Value(int64_t v) : data_(v) {}
  Value(double v) : data_(v) {}
  Value(const char* v) : data_(std::string(v)) {}
  Value(std::string v) : data_(std::move(v)) {}
  Value(ValueList v) : data_(std::move(v)) {}

  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_integer() const { return std::holds_alternative<int64_t>(data_); }
  bool is_real() const { return std::holds_alternative<double>(data_); }
  bool is_number() const { return is_bool() || is_integer() || is_real(); }
  bool is_text() const { return std::holds_alternative<std::string>(data_); }
  bool is_list() const { return std::holds_alternative<ValueList>(data_); }

  /// Numbers convert as Python does; anything else throws Error.
  double real() const;
  /// Integers and truths only; throws Error otherwise.
  int64_t integer() const;
  const std::string& text() const;
  const ValueList& list() const;
  /// Python truthiness: 0, 0.0, False, '' and [] are false.
  bool truth() const;

  bool operator==(const Value& other) const;
  /// A total order for maps and sorted output: numbers by value, then texts, then lists.
  bool operator<(const Value& other) const;

 private:
  std::variant<bool, int64_t, double, std::string, ValueList> data_;
};

/// As typed by hand: 8, 0.5, true, csr, [1, 2]. Reals round-trip.
std::string to_text(const Value& value);
inline Texts texts_of(const auto& values) {
  return members(values, [](const Value& value) { return to_text(value); });
}
/// The value typed on a command line (true/false, integer, real, else text).
Value parse_value(const std::string& text);
Json to_json(const Value& value);
/// Throws Error (without place) for null and objects.
Value value_from_json(const Json& json);

}  // namespace rooftune::core

// Values compare as in Python.
#include "core/value.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/expression.h"
#include "core/scalar.h"

namespace rooftune::core {
namespace {

const char* kind_of(const Value& value) {
  if (value.is_bool()) return "a truth";
  if (value.is_integer()) return "an integer";
  if (value.is_real()) return "a real";
  return value.is_text() ? "a text" : "a list";
}

[[noreturn]] void expected(const char* what, const Value& value) {
  throw Error(
      fmt::format("expected {}, got {}: {}", what, kind_of(value), excerpt(to_text(value))));
}

/// How the total order ranks kinds: 0 numbers, 1 texts, 2 lists.
int rank_of(const Value& value) { return value.is_number() ? 0 : value.is_text() ? 1 : 2; }

std::string real_text(double value) {
  std::string text = fmt::format("{}", value);
  if (!has_any_of(text, ".en")) text += ".0";
  return text;
}

}  // namespace

double Value::real() const {
  if (is_real()) return std::get<double>(data_);
  if (!is_number()) expected("a number", *this);
  return double(integer());
}

int64_t Value::integer() const {
  if (is_bool()) return std::get<bool>(data_) ? 1 : 0;
  if (!is_integer()) expected("an integer", *this);
  return std::get<int64_t>(data_);
}

const std::string& Value::text() const {
  if (!is_text()) expected("a text", *this);
  return std::get<std::string>(data_);
}

const ValueList& Value::list() const {
  if (!is_list()) expected("a list", *this);
  return std::get<ValueList>(data_);
}

bool Value::truth() const {
  if (is_real()) return real() != 0;
  if (is_number()) return integer() != 0;
  return is_text() ? !text().empty() : !list().empty();
}

bool Value::operator==(const Value& other) const {
  if (is_integer() && other.is_integer()) return integer() == other.integer();
  if (rank_of(*this) != rank_of(other)) return false;
  if (is_text()) return text() == other.text();
  if (is_list()) return list() == other.list();
  return order(as_scalar(*this), as_scalar(other)) == std::partial_ordering::equivalent;
}

bool Value::operator<(const Value& other) const {
  if (is_integer() && other.is_integer()) return integer() < other.integer();
  if (rank_of(*this) != rank_of(other)) return rank_of(*this) < rank_of(other);
  if (is_text()) return text() < other.text();
  if (is_list()) return list() < other.list();
  // NaN comes after every number, so the order stays total.
  const auto is_nan = [](const Value& v) { return v.is_real() && std::isnan(v.real()); };
  if (is_nan(*this) || is_nan(other)) return !is_nan(*this) && is_nan(other);
  return order(as_scalar(*this), as_scalar(other)) == std::partial_ordering::less;
}

std::string to_text(const Value& value) {
  if (value.is_bool()) return value.truth() ? "true" : "false";
  if (value.is_integer()) return std::to_string(value.integer());
  if (value.is_real()) return real_text(value.real());
  if (value.is_text()) return value.text();
  std::string text;
  for (const Value& element : value.list()) join(text, to_text(element));
  return "[" + text + "]";
}

Value parse_value(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  // Words such as inf, nan and 0x10 stay text: a number is written with these characters only.
  if (!is_only_of(text, "0123456789.eE+-")) return text;
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  const char* begin = text.data() + (plus ? 1 : 0);
  const char* end = text.data() + text.size();
  int64_t integer = 0;
  const auto as_integer = std::from_chars(begin, end, integer);
  if (as_integer.ptr == end && as_integer.ec == std::errc{}) return integer;
  if (as_integer.ptr == end && as_integer.ec == std::errc::result_out_of_range)
    throw Error("integer out of range (64 bits): " + excerpt(text));
  double real = 0;
  const auto as_real = std::from_chars(begin, end, real);
  if (as_real.ptr != end || as_real.ec == std::errc::invalid_argument) return text;
  if (as_real.ec != std::errc{}) throw Error("real number out of range: " + excerpt(text));
  return real;
}

Json to_json(const Value& value) {
  if (value.is_bool()) return value.truth();
  if (value.is_integer()) return value.integer();
  if (value.is_text()) return value.text();
  if (value.is_real()) {
    if (!std::isfinite(value.real())) throw Error("not a finite number: " + to_text(value));
    return value.real();
  }
  Json array = Json::array();
  for (const Value& element : value.list()) array.push_back(to_json(element));
  return array;
}

Value value_from_json(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t(INT64_MAX))
    throw Error("integer out of range (64 bits): " + json_text(json));
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_array())
    throw Error(fmt::format("expected a number, text, truth or list, got {}", json.type_name()));
  return members(json, value_from_json);
}

}  // namespace rooftune::core

// Members read from JSON by lists of fields; every fault with its JSON pointer.
#include "core/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/list.h"
#include "core/number.h"
#include "core/value.h"

namespace rooftune::core {

std::string Place::text() const {
  if (!parent_) return std::string(step_);
  return place_of(parent_->text(), step_.empty() ? std::to_string(index_) : std::string(step_));
}

void Place::fault(const std::string& message, const std::string& hint) const {
  faults_.add(text(), message, hint);
}

void Place::unexpected(const char* wanted, const Json& got) const {
  fault(fmt::format("expected {}, got {}", wanted, shown(got)));
}

void decode(const Json& json, const Place& place, bool& value) {
  if (!json.is_boolean()) return place.unexpected("true or false", json);
  value = json.get<bool>();
}

void decode(const Json& json, const Place& place, double& value) {
  if (!json.is_number()) return place.unexpected("a number", json);
  value = json.get<double>();
}

void decode(const Json& json, const Place& place, int64_t& value) {
  if (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{INT64_MAX})
    return place.fault("integer out of range (64 bits): " + shown(json));
  // 4e9 is how people write large integers; JSON calls it a real.
  const double real = json.is_number_float() ? json.get<double>() : 0;
  if (json.is_number_integer())
    value = json.get<int64_t>();
  else if (json.is_number_float() && real == std::trunc(real) && std::abs(real) <= 0x1p53)
    value = int64_t(real);
  else
    place.unexpected("an integer", json);
}

void decode(const Json& json, const Place& place, uint64_t& value) {
  if (json.is_number_unsigned()) {
    value = json.get<uint64_t>();
    return;
  }
  int64_t integer = 0;
  decode(json, place, integer);
  if (integer < 0) return place.fault("must not be negative");
  value = uint64_t(integer);
}

void decode(const Json& json, const Place& place, int& value) {
  int64_t integer = value;
  decode(json, place, integer);
  if (integer < std::numeric_limits<int>::min() || integer > std::numeric_limits<int>::max())
    return place.fault("is out of range: " + shown(json));
  value = int(integer);
}

void decode(const Json& json, const Place& place, std::string& value) {
  if (!json.is_string()) return place.unexpected("a text", json);
  value = json.get<std::string>();
}

void decode(const Json& json, const Place& place, fs::path& value) {
  std::string text = value.string();
  decode(json, place, text);
  value = text;
}

void decode(const Json& json, const Place& place, Value& value) {
  try {
    value = value_from_json(json);
  } catch (const Error& error) {
    place.fault(error.message(), error.hint());
  }
}

Json to_json(const AnyNumber<const double>& number) {
  if (std::isfinite(number.value)) return number.value;
  return std::isnan(number.value) ? "nan" : number.value > 0 ? "inf" : "-inf";
}

void decode(const Json& json, const Place& place, AnyNumber<double>& number) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (json == "nan")
    number.value = std::numeric_limits<double>::quiet_NaN();
  else if (json == "inf" || json == "-inf")
    number.value = json == "inf" ? infinity : -infinity;
  else
    decode(json, place, number.value);
}

Json to_json(const AsText<const uint64_t>& number) { return std::to_string(number.value); }

void decode(const Json& json, const Place& place, AsText<uint64_t>& number) {
  const auto value =
      json.is_string() ? number_in<uint64_t>(json.get_ref<const std::string&>()) : std::nullopt;
  if (!value) return place.unexpected("a whole number of 64 bits, as text", json);
  number.value = *value;
}

std::optional<size_t> fields_detail::decode_word(const Json& json, const Place& place,
                                                 Words words) {
  if (!json.is_string()) {
    place.unexpected("a word", json);
    return std::nullopt;
  }
  const auto text = json.get<std::string>();
  const auto index = index_of(words, text);
  if (!index)
    place.fault(fmt::format("unknown {} \"{}\"", place.name(), excerpt(text)),
                suggestion(words, text));
  return index;
}

FieldReader::FieldReader(const Json& object, const Place& place, bool row)
    : object_(object), place_(place), row_(row), faults_before_(place.faults().size()) {
  known_.reserve(16);
  if (!row && !object.is_object()) place.unexpected("an object", object);
}

const Json* FieldReader::find(const char* name) {
  known_.push_back(name);
  if (row_) {
    const bool there = object_.is_array() && known_.size() <= object_.size();
    return there ? &object_[known_.size() - 1] : nullptr;
  }
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

void FieldReader::require(const char* name, const char* kind, const char* missing,
                          const char* hint) {
  incomplete_row_ = row_;
  if (!object_.is_object()) return;
  place_.member(name).fault(missing ? missing : fmt::format("is missing ({})", kind), hint);
}

FieldReader& FieldReader::schema(const char* text, const char* fault) {
  const Json* found = find("schema");
  if (!found || *found != text)
    place_.member("schema").fault(fault, fmt::format("\"schema\": \"{}\"", text));
  return *this;
}

FieldReader& FieldReader::check(const char* name, bool holds, const std::string& message,
                                const std::string& hint) {
  if (!holds && place_.faults().size() == faults_before_) place_.member(name).fault(message, hint);
  return *this;
}

void FieldReader::finish() const {
  if (row_ && (!object_.is_array() || object_.size() > known_.size() || incomplete_row_))
    place_.unexpected(fmt::format("[{}]", joined(known_)).c_str(), object_);
  if (row_ || open_ || !object_.is_object()) return;
  for (const auto& [name, member] : object_.items())
    if (!contains(known_, std::string_view(name)))
      add_unknown(place_.text(), name, {known_.begin(), known_.end()}, place_.faults());
}

void FieldWriter::add(const char* name, Json&& member) {
  if (json.is_array())
    json.push_back(std::move(member));
  else
    json[name] = std::move(member);
}

}  // namespace rooftune::core

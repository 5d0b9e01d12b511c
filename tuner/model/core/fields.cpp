// Reads members from JSON by lists of fields; every fault has its JSON pointer.
#include "core/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/list.h"
#include "core/number.h"
#include "core/value.h"

namespace rooftune::core {

const Json Place::absent;

Place Place::member(std::string_view name) const {
  const auto found = json_.find(name);
  return {this, found == json_.end() ? absent : *found, name, 0};
}

Place Place::element(size_t index) const {
  return {this, json_.is_array() && index < json_.size() ? json_[index] : absent, {}, index};
}

std::string Place::text() const {
  if (!parent_) return std::string(step_);
  return place_of(parent_->text(), step_.empty() ? std::to_string(index_) : std::string(step_));
}

void Place::fault(const std::string& message, const std::string& hint) const {
  faults_.add(text(), message, hint);
}

void Place::unexpected(const char* wanted) const {
  fault(fmt::format("expected {}, got {}", wanted, shown(json_)));
}

void decode(const Place& place, bool& value) {
  if (!place->is_boolean()) return place.unexpected("true or false");
  value = place->get<bool>();
}

void decode(const Place& place, double& value) {
  if (!place->is_number()) return place.unexpected("a number");
  value = place->get<double>();
}

void decode(const Place& place, int64_t& value) {
  if (place->is_number_unsigned() && place->get<uint64_t>() > uint64_t{INT64_MAX})
    return place.fault("integer out of range (64 bits): " + shown(*place));
  // 4e9 is how people write large integers; JSON calls it a real.
  const double real = place->is_number_float() ? place->get<double>() : 0;
  if (place->is_number_integer())
    value = place->get<int64_t>();
  else if (place->is_number_float() && real == std::trunc(real) && std::abs(real) <= 0x1p53)
    value = int64_t(real);
  else
    place.unexpected("an integer");
}

void decode(const Place& place, uint64_t& value) {
  if (place->is_number_unsigned()) {
    value = place->get<uint64_t>();
    return;
  }
  int64_t integer = 0;
  decode(place, integer);
  if (integer < 0) return place.fault("must not be negative");
  value = uint64_t(integer);
}

void decode(const Place& place, int& value) {
  int64_t integer = value;
  decode(place, integer);
  if (integer < std::numeric_limits<int>::min() || integer > std::numeric_limits<int>::max())
    return place.fault("is out of range: " + shown(*place));
  value = int(integer);
}

void decode(const Place& place, std::string& value) {
  if (!place->is_string()) return place.unexpected("a text");
  value = place->get<std::string>();
}

void decode(const Place& place, fs::path& value) {
  std::string text = value.string();
  decode(place, text);
  value = text;
}

void decode(const Place& place, Value& value) {
  try {
    value = value_from_json(*place);
  } catch (const Error& error) {
    place.fault(error.message(), error.hint());
  }
}

Json to_json(const AnyNumber<const double>& number) {
  if (std::isfinite(number.value)) return number.value;
  return std::isnan(number.value) ? "nan" : number.value > 0 ? "inf" : "-inf";
}

void decode(const Place& place, AnyNumber<double>& number) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (*place == "nan")
    number.value = std::numeric_limits<double>::quiet_NaN();
  else if (*place == "inf" || *place == "-inf")
    number.value = *place == "inf" ? infinity : -infinity;
  else
    decode(place, number.value);
}

Json to_json(const AsText<const uint64_t>& number) { return std::to_string(number.value); }

void decode(const Place& place, AsText<uint64_t>& number) {
  const auto value =
      place->is_string() ? number_in<uint64_t>(place->get_ref<const std::string&>()) : std::nullopt;
  if (!value) return place.unexpected("a whole number of 64 bits, as text");
  number.value = *value;
}

std::optional<size_t> fields_detail::decode_word(const Place& place, Words words) {
  if (!place->is_string()) {
    place.unexpected("a word");
    return std::nullopt;
  }
  const auto text = place->get<std::string>();
  const auto index = index_of(words, text);
  if (!index)
    place.fault(fmt::format("unknown {} \"{}\"", place.name(), excerpt(text)),
                suggestion(words, text));
  return index;
}

FieldReader::FieldReader(const Place& object, bool row)
    : object_(object), row_(row), faults_before_(object.faults().size()) {
  known_.reserve(16);
  if (!row && !object->is_object()) object.unexpected("an object");
}

Place FieldReader::find(const char* name) {
  known_.push_back(name);
  return row_ ? object_.element(known_.size() - 1) : object_.member(name);
}

void FieldReader::require(const Place& member, const char* kind, const char* missing,
                          const char* hint) {
  incomplete_row_ = row_;
  if (object_->is_object())
    member.fault(missing ? missing : fmt::format("is missing ({})", kind), hint);
}

FieldReader& FieldReader::schema(const char* text, const char* fault) {
  if (const Place found = find("schema"); *found != text)
    found.fault(fault, fmt::format("\"schema\": \"{}\"", text));
  return *this;
}

FieldReader& FieldReader::check(const char* name, bool holds, const std::string& message,
                                const std::string& hint) {
  if (!holds && object_.faults().size() == faults_before_)
    object_.member(name).fault(message, hint);
  return *this;
}

void FieldReader::finish() const {
  if (row_ && (!object_->is_array() || object_->size() > known_.size() || incomplete_row_))
    object_.unexpected(fmt::format("[{}]", joined(known_)).c_str());
  if (row_ || open_ || !object_->is_object()) return;
  for (const auto& [name, member] : object_->items())
    if (!contains(known_, std::string_view(name)))
      add_unknown(object_.text(), name, {known_.begin(), known_.end()}, object_.faults());
}

void FieldWriter::add(const char* name, Json&& member) {
  if (json.is_array())
    json.push_back(std::move(member));
  else
    json[name] = std::move(member);
}

}  // namespace rooftune::core

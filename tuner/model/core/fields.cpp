// Members read from JSON: by lists of fields, and one by one; every fault with its JSON pointer.
#include "core/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/list.h"
#include "core/option.h"
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
  const std::string text = json.is_string() ? json.get<std::string>() : std::string();
  const char* const end = text.data() + text.size();
  uint64_t value = 0;
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end)
    return place.unexpected("a whole number of 64 bits, as text", json);
  number.value = value;
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

namespace {

const Json absent;
const Json empty_object = Json::object();
constexpr size_t most_suggestions = 100;

/// Pointer syntax of RFC 6901.
std::string escaped(std::string_view key) {
  std::string text;
  for (const char c : excerpt(key)) {
    if (c == '~')
      text += "~0";
    else if (c == '/')
      text += "~1";
    else
      text += c;
  }
  return text;
}

}  // namespace

std::string place_of(const std::string& where, std::string_view step) {
  // Without a file the pointer is a fragment, because "/x" could as well be the name of a file.
  if (where.empty()) return "#/" + escaped(step);
  const bool pointer = where[0] == '#' || contains(where, ": /");
  return where + (pointer ? "/" : ": /") + escaped(step);
}

std::string shown(const Json& json) {
  if (json.is_object() || json.is_array()) return json.is_object() ? "an object" : "an array";
  return excerpt(json_text(json));
}

void add_unknown(const std::string& where, const std::string& member, const Texts& known,
                 Faults& faults) {
  // A person mistypes a few; the search among all words costs too much for a million.
  faults.add(place_of(where, member), fmt::format("unknown member \"{}\"", excerpt(member)),
             faults.size() < most_suggestions ? did_you_mean(member, known, "") : "");
}

ObjectReader::ObjectReader(const Json& object, std::string where, Faults& faults)
    : object_(object.is_object() ? object : empty_object),
      where_(std::move(where)),
      faults_(faults) {
  if (!object.is_object()) faults_.add(where_, "expected an object, got " + shown(object));
}

bool ObjectReader::has(const std::string& key) const { return object_.contains(key); }

std::string ObjectReader::where(const std::string& key) const {
  return key.empty() ? where_ : place_of(where_, key);
}

void ObjectReader::fault(const std::string& key, const std::string& message,
                         const std::string& hint) {
  faults_.add(where(key), message, hint);
}

void ObjectReader::fault(const std::string& key, size_t element, const std::string& message,
                         const std::string& hint) {
  faults_.add(place_of(where(key), std::to_string(element)), message, hint);
}

const Json& ObjectReader::member(const std::string& key) {
  know(key);
  const auto found = object_.find(key);
  return found == object_.end() ? absent : *found;
}

template <class T>
T ObjectReader::required(const std::string& key) {
  if (!has(key)) fault(key, fmt::format("is missing ({})", fields_detail::wanted<T>()));
  return get<T>(key);
}

std::string ObjectReader::text(const std::string& key) { return required<std::string>(key); }

std::string ObjectReader::text(const std::string& key, const std::string& fallback) {
  return get(key, fallback);
}

int64_t ObjectReader::integer(const std::string& key) { return required<int64_t>(key); }

int64_t ObjectReader::integer(const std::string& key, int64_t fallback) {
  return get(key, fallback);
}

double ObjectReader::real(const std::string& key) { return required<double>(key); }

double ObjectReader::real(const std::string& key, double fallback) { return get(key, fallback); }

bool ObjectReader::truth(const std::string& key, bool fallback) { return get(key, fallback); }

Texts ObjectReader::texts(const std::string& key) { return get<Texts>(key); }

std::string ObjectReader::formula(const std::string& key, const std::string& fallback) {
  const Json& json = member(key);
  if (!has(key)) return fallback;
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number()) return to_text(value_from_json(json));
  fault(key, "expected a number or an expression, got " + shown(json));
  return fallback;
}

void ObjectReader::each(const std::string& key, const std::function<void(ObjectReader&)>& read) {
  const Json& json = member(key);
  if (!has(key)) return;
  if (!json.is_array()) {
    fault(key, "expected an array of objects, got " + shown(json));
    return;
  }
  for (const size_t i : indices(json)) {
    ObjectReader element(json[i], place_of(where(key), std::to_string(i)), faults_);
    if (json[i].is_object()) read(element);
  }
}

bool ObjectReader::object(const std::string& key, const std::function<void(ObjectReader&)>& read) {
  const Json& json = member(key);
  if (!has(key)) return false;
  ObjectReader element(json, where(key), faults_);
  if (json.is_object()) read(element);
  return true;
}

void ObjectReader::finish() {
  for (const auto& [key, member] : object_.items()) {
    if (contains(known_, key)) continue;
    add_unknown(where_, key, known_, faults_);
  }
}

std::string range_text(const Option& option) {
  return std::isfinite(option.most) ? fmt::format("must be {} to {}", option.least, option.most)
                                    : fmt::format("must be at least {}", option.least);
}

std::optional<std::string> text_or_number(const Json& json, const Place& place) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number()) return json.dump();
  place.unexpected("a text or a number", json);
  return std::nullopt;
}

void from_text(const std::string& text, Fraction& fraction) {
  size_t used = 0;
  double value = -1;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
  }
  const std::string unit = value < 0 ? text : text.substr(used);
  if (unit == "%") value /= 100;
  if (!(unit.empty() || unit == "%") || !(value > 0 && value < 1))
    throw Error(fmt::format("\"{}\" is no share between 0 and 1", excerpt(text)), {},
                "for example 5%");
  fraction.value = value;
}

bool OptionReader::refuse(const char* name, const Option& option) {
  if (!option.refused_in_files) return false;
  Json ignored;
  reader_.defaulted(name, ignored);
  if (!ignored.is_null()) place_.member(name).fault(option.refused_in_files);
  return true;
}

}  // namespace rooftune::core

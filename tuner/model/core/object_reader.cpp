// One JSON object, read member by member; every fault is collected with its JSON pointer.
#include <fmt/format.h>

#include <algorithm>

#include "core/fields.h"
#include "core/value.h"

namespace rooftune::core {
namespace {

const Json absent;
const Json empty_object = Json::object();
constexpr std::size_t most_suggestions = 100;

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
  const bool pointer = where[0] == '#' || where.find(": /") != std::string::npos;
  return where + (pointer ? "/" : ": /") + escaped(step);
}

std::string shown(const Json& json) {
  if (json.is_object() || json.is_array()) return json.is_object() ? "an object" : "an array";
  return excerpt(json_text(json));
}

void add_unknown(const std::string& where, const std::string& member,
                 const std::vector<std::string>& known, Faults& faults) {
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

void ObjectReader::fault(const std::string& key, std::size_t element, const std::string& message,
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

std::int64_t ObjectReader::integer(const std::string& key) { return required<std::int64_t>(key); }

std::int64_t ObjectReader::integer(const std::string& key, std::int64_t fallback) {
  return get(key, fallback);
}

double ObjectReader::real(const std::string& key) { return required<double>(key); }

double ObjectReader::real(const std::string& key, double fallback) { return get(key, fallback); }

bool ObjectReader::truth(const std::string& key, bool fallback) { return get(key, fallback); }

std::vector<std::string> ObjectReader::texts(const std::string& key) {
  return get<std::vector<std::string>>(key);
}

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
  for (std::size_t i = 0; i < json.size(); ++i) {
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
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    add_unknown(where_, key, known_, faults_);
  }
}

}  // namespace rooftune::core

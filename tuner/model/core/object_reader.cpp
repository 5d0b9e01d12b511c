#include "core/object_reader.h"

namespace rooftune::core {
namespace {

const Json absent;
const Json empty_object = Json::object();

}  // namespace

ObjectReader::ObjectReader(const Json& object, std::string where, Faults& faults)
    : object_(object.is_object() ? object : empty_object),
      where_(std::move(where)),
      faults_(faults) {
  if (!object.is_object()) faults_.add(where_, "expected an object, got " + shown(object));
}

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

std::string ObjectReader::formula(const std::string& key, const std::string& fallback) {
  const Json& json = member(key);
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number()) return to_text(value_from_json(json));
  if (has(key)) fault(key, "expected a number or an expression, got " + shown(json));
  return fallback;
}

void ObjectReader::finish() const {
  for (const auto& [key, member] : object_.items())
    if (!contains(known_, key)) add_unknown(where_, key, known_, faults_);
}

}  // namespace rooftune::core

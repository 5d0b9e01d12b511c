// Reads a JSON object member by member, where no list of fields says how: members that depend on
// each other, or objects with free names.
#pragma once
#include <string>
#include <type_traits>

#include "core/expression.h"
#include "core/fields.h"
#include "core/list.h"

namespace rooftune::core {

/// Collects every fault instead of throwing at the first. `where` is "file: /pointer". Ask
/// `finish()` last: it reports unknown members.
class ObjectReader {
 public:
  ObjectReader(const Json& object, std::string where, Faults& faults);

  bool has(const std::string& key) const { return object_.contains(key); }
  /// A member that may be missing, or be faulty: `value` then stays as it is.
  template <class T>
  void read(const std::string& key, T& value) {
    know(key);
    if (has(key)) decode(place().member(key), value);
  }
  /// The same; a missing one is a fault.
  template <class T>
  void need(const std::string& key, T& value) {
    if (!has(key)) fault(key, std::string("is missing (") + fields_detail::wanted<T>() + ")");
    read(key, value);
  }
  template <class T>
  T get(const std::string& key, T fallback = {}) {
    read(key, fallback);
    return fallback;
  }
  std::string text(const std::string& key, const std::string& fallback) {
    return get(key, fallback);
  }
  std::string text(const std::string& key) {
    std::string value;
    need(key, value);
    return value;
  }
  /// Number or text, for expressions: 3 and "2*n" both come as text. Absent: `fallback`.
  std::string formula(const std::string& key, const std::string& fallback);
  /// Parses; where it cannot, adds a fault at the member and returns an empty expression.
  Expression expression(const std::string& key, const std::string& text) {
    return attempted(key, [&] { return Expression::parse(text); });
  }
  /// Returns what `make` returns; an Error that it throws becomes the member's fault.
  template <class Make, class Made = std::invoke_result_t<Make>>
  Made attempted(const std::string& key, const Make& make,
                 std::type_identity_t<Made> otherwise = {}) {
    try {
      return make();
    } catch (const Error& error) {
      fault(key, error.message(), error.hint());
      return otherwise;
    }
  }
  /// The raw member (null Json when absent), marked as known.
  const Json& member(const std::string& key);
  /// Calls `visit` for each element in an array of objects; absent counts as empty.
  void each(const std::string& key, const auto& visit) {
    const Json& json = member(key);
    if (has(key) && !json.is_array())
      return fault(key, "expected an array of objects, got " + shown(json));
    for (const size_t i : indices(json)) {
      ObjectReader element(json[i], place_of(where(key), std::to_string(i)), faults_);
      if (json[i].is_object()) visit(element);
    }
  }
  /// Calls `visit` for an object member when present; returns whether it was.
  bool object(const std::string& key, const auto& visit) {
    const Json& json = member(key);
    if (!has(key)) return false;
    ObjectReader element(json, where(key), faults_);
    if (json.is_object()) visit(element);
    return true;
  }
  /// The object; its place ends with this reader.
  Place place() const { return {object_, where_, faults_}; }
  /// For maps with free keys.
  const Json& json() const { return object_; }
  void know(const std::string& key) { known_.push_back(key); }

  std::string where(const std::string& key = {}) const;
  void fault(const std::string& key, const std::string& message, const std::string& hint = {});
  /// At one list element.
  void fault(const std::string& key, size_t element, const std::string& message,
             const std::string& hint = {});
  /// Unknown members become faults ("unknown member "knbs"; did you mean "knobs"?).
  void finish() const;

 private:
  const Json& object_;
  std::string where_;
  Faults& faults_;
  Texts known_;
};

}  // namespace rooftune::core

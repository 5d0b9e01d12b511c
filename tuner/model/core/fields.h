// A struct lists its fields once; JSON is written and read from the list:
//
//   struct Team {
//     int threads = 1;
//     std::string schedule;
//     static void fields(auto& self, auto& visit) {
//       visit("threads", self.threads).defaulted("schedule", self.schedule);
//     }
//   };
//   Json json = encode(team);
//   Team back = decoded<Team>(json, "plan.json");  // throws Error with all faults
//
// Members may be numbers, quantities (in base units), texts, paths, Values, Json, enums with
// words(), structs with fields, types with their own to_json() and decode(), and optionals,
// vectors, sets, pairs and maps of these. A struct from another module gets a free function
// fields() beside the message around it.
#pragma once
#include <boost/preprocessor/seq/for_each.hpp>
#include <boost/preprocessor/stringize.hpp>
#include <boost/preprocessor/tuple/elem.hpp>
#include <boost/preprocessor/variadic/to_seq.hpp>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "core/list.h"
#include "core/quantity.h"
#include "core/value.h"

namespace rooftune::core {

/// A JSON value and its place; file and pointer become text only for a fault. A place refers to its
/// parent; the parent must outlive it.
class Place {
 public:
  Place(const Json& json, std::string_view where, Faults& faults)
      : json_(json), faults_(faults), step_(where) {}
  const Json& operator*() const { return json_; }
  const Json* operator->() const { return &json_; }
  /// A member or element may be absent, and is null then. each(visit(name, member)).
  Place member(std::string_view name) const;
  Place element(size_t index) const;
  void each(const auto& visit) const {
    for (const auto& [name, json] : json_.items()) visit(name, Place(this, json, name, 0));
  }
  bool is_absent() const { return &json_ == &absent; }
  std::string text() const;
  /// The member's name; "word" for a list's element.
  std::string_view name() const { return parent_ && !step_.empty() ? step_ : "word"; }
  void fault(const std::string& message, const std::string& hint = {}) const;
  /// "expected a number, got ..."
  void unexpected(const char* wanted) const;
  Faults& faults() const { return faults_; }

 private:
  Place(const Place* parent, const Json& json, std::string_view step, size_t index)
      : json_(json), faults_(parent->faults_), parent_(parent), step_(step), index_(index) {}

  static const Json absent;

  const Json& json_;
  Faults& faults_;
  const Place* parent_ = nullptr;
  std::string_view step_;  ///< the root's: the file; an element's: empty
  size_t index_ = 0;
};

void decode(const Place& place, bool& value);
void decode(const Place& place, double& value);
void decode(const Place& place, int64_t& value);
void decode(const Place& place, uint64_t& value);
void decode(const Place& place, int& value);
void decode(const Place& place, std::string& value);
void decode(const Place& place, fs::path& value);
void decode(const Place& place, Value& value);
inline void decode(const Place& place, Json& value) { value = *place; }
template <class T>
void decode(const Place& place, T& value);
template <class T>
Json encode(const T& value);

namespace fields_detail {

template <class T, template <class...> class Template>
inline constexpr bool is = false;
template <class... Of, template <class...> class Template>
inline constexpr bool is<Template<Of...>, Template> = true;

/// The kind that a member should have, as faults put it.
template <class T>
constexpr const char* wanted() {
  if constexpr (requires { T::wanted; }) return T::wanted;
  if constexpr (is<T, std::optional>) return wanted<typename T::value_type>();
  if constexpr (std::same_as<T, bool>) return "true or false";
  if constexpr (std::integral<T>) return "an integer";
  if constexpr (std::floating_point<T>) return "a number";
  if constexpr (std::same_as<T, std::string> || std::same_as<T, fs::path>) return "a text";
  if constexpr (std::is_enum_v<T>) return "a word";
  if constexpr (is<T, std::vector> || is<T, std::set> || is<T, std::pair>) return "an array";
  return "an object";
}

}  // namespace fields_detail

/// Reads one object; every fault is collected with its pointer.
class FieldReader {
 public:
  explicit FieldReader(const Place& object, bool row = false);
  /// A required member; `missing` and `hint` say more about it than its kind.
  template <class T>
  FieldReader& operator()(const char* name, T&& member, const char* missing = nullptr,
                          const char* hint = "") {
    if (const Place found = find(name); !found.is_absent())
      decode(found, member);
    else
      require(found, fields_detail::wanted<std::remove_cvref_t<T>>(), missing, hint);
    return *this;
  }
  /// A member always written; where it is missing, the default stays.
  template <class T>
  FieldReader& defaulted(const char* name, T&& member) {
    if (const Place found = find(name); !found.is_absent()) decode(found, member);
    return *this;
  }
  /// Member "schema" of a document that has one kind; `fault` says that another is not this kind.
  FieldReader& schema(const char* text, const char* fault);
  /// A member left out when empty, or a number left out at its usual value.
  template <class T, class... Usual>
  FieldReader& sparse(const char* name, T&& member, const Usual&...) {
    return defaulted(name, member);
  }
  /// A condition on the members; checked only when all could be read.
  FieldReader& check(const char* name, bool holds, const std::string& message,
                     const std::string& hint = {});
  /// Calls `complete(self, place)` with the members listed before as they were read.
  template <class T, class Complete>
  FieldReader& then(T& self, const Complete& complete) {
    if (row_ || object_->is_object()) complete(self, object_);
    return *this;
  }
  /// Unlisted members belong to others; without this they are faults.
  FieldReader& open() {
    open_ = true;
    return *this;
  }
  /// Reports unknown members.
  void finish() const;

 private:
  Place find(const char* name);
  void require(const Place& member, const char* kind, const char* missing, const char* hint);

  const Place& object_;
  bool row_, open_ = false, incomplete_row_ = false;
  size_t faults_before_;
  std::vector<const char*> known_;
};

/// Writes one object, with its members in the list's order.
class FieldWriter {
 public:
  explicit FieldWriter(bool row = false) : json(row ? Json::array() : Json::object()) {}
  template <class T>
  FieldWriter& operator()(const char* name, const T& member, const char* = nullptr,
                          const char* = nullptr) {
    add(name, encode(member));
    return *this;
  }
  template <class T>
  FieldWriter& defaulted(const char* name, const T& member) {
    return (*this)(name, member);
  }
  template <class T>
  FieldWriter& sparse(const char* name, const T& member) {
    if constexpr (requires { member.empty(); })
      return member.empty() ? *this : (*this)(name, member);
    else if constexpr (requires { member.has_value(); })
      return member ? (*this)(name, member) : *this;
    else
      return sparse(name, member, T{});
  }
  template <class T, class U>
  FieldWriter& sparse(const char* name, const T& member, const U& usual) {
    return member == usual ? *this : (*this)(name, member);
  }
  FieldWriter& schema(const char* text, const char*) {
    return (*this)("schema", std::string(text));
  }
  FieldWriter& check(const char*, bool, const std::string&, const std::string& = {}) {
    return *this;
  }
  template <class T, class Complete>
  FieldWriter& then(const T&, const Complete&) {
    return *this;
  }
  FieldWriter& open() { return *this; }

  Json json;

 private:
  void add(const char* name, Json&& member);
};

template <class T>
concept ListsFields = requires(T& value, FieldReader& visit) {
  T::fields(value, visit);
};
template <class T>
concept HasFields = ListsFields<T> || requires(T& value, FieldReader& visit) {
  fields(value, visit);
};
/// A list outside its struct: `void fields(FieldsOf<Level> auto& self, auto& visit)`.
template <class T, class Struct>
concept FieldsOf = std::same_as<std::remove_const_t<T>, Struct>;
/// Many such structs stand in one file: `static constexpr bool row = true` writes the fields as an
/// array.
template <class T>
concept IsRow = T::row;

/// A number that may be infinite or not a number, which JSON cannot write: "inf", "-inf", "nan".
template <class Number>
struct AnyNumber {
  static constexpr const char* wanted = "a number";
  Number& value;
};
Json to_json(const AnyNumber<const double>& number);
void decode(const Place& place, AnyNumber<double>& number);

/// 64 bits without sign, as text: half of these numbers are no JSON integer.
template <class Number>
struct AsText {
  static constexpr const char* wanted = "a whole number, as text";
  Number& value;
};
Json to_json(const AsText<const uint64_t>& number);
void decode(const Place& place, AsText<uint64_t>& number);

/// In base units.
template <int T, int B, int F>
Json to_json(const Quantity<T, B, F>& quantity) {
  return quantity.value();
}
template <int T, int B, int F>
void decode(const Place& place, Quantity<T, B, F>& quantity) {
  double value = quantity.value();
  decode(place, value);
  quantity = Quantity<T, B, F>(value);
}

/// A list whose elements have another form on paper: a Form holds its element as `value`.
template <class Form, class List>
struct ListAs {
  static constexpr const char* wanted = "an array";
  List& list;
  bool empty() const { return list.empty(); }
};
template <class Form, class List>
ListAs<Form, List> list_as(List& list) {
  return {list};
}
template <class Form, class List>
Json to_json(const ListAs<Form, List>& all) {
  Json json = Json::array();
  for (const auto& element : all.list) json.push_back(encode(Form{element}));
  return json;
}
template <class Form, class List>
void decode(const Place& place, ListAs<Form, List>& all) {
  std::vector<Form> forms;
  decode(place, forms);
  all.list.clear();
  for (Form& form : forms) all.list.push_back(std::move(form.value));
}

namespace fields_detail {

template <class T, class Visitor>
void visit(T& value, Visitor& visitor) {
  if constexpr (ListsFields<std::remove_const_t<T>>)
    std::remove_const_t<T>::fields(value, visitor);
  else
    fields(value, visitor);
}

template <class T>
void decode_list(const Place& place, std::vector<T>& list) {
  if (!place->is_array()) return place.unexpected("an array");
  list.assign(place->size(), T{});
  for (const size_t i : indices(list)) decode(place.element(i), list[i]);
}

template <class T>
void decode_fields(const Place& place, T& value) {
  FieldReader reader(place, IsRow<T>);
  visit(value, reader);
  reader.finish();
}

/// The word's index; or nothing, and a fault that suggests the nearest.
std::optional<size_t> decode_word(const Place& place, Words words);

}  // namespace fields_detail

template <class T>
void decode(const Place& place, T& value) {
  using namespace fields_detail;
  if constexpr (HasFields<T>) {
    decode_fields(place, value);
  } else if constexpr (HasWords<T>) {
    if (const auto index = decode_word(place, words(T{}))) value = T(*index);
  } else if constexpr (is<T, std::optional>) {
    value.reset();
    if (!place->is_null()) decode(place, value.emplace());
  } else if constexpr (is<T, std::vector>) {
    decode_list(place, value);
  } else if constexpr (is<T, std::set>) {
    std::vector<typename T::value_type> list;
    decode_list(place, list);
    value = {list.begin(), list.end()};
  } else if constexpr (is<T, std::map>) {
    if (!place->is_object()) return place.unexpected("an object");
    value.clear();
    place.each([&](const std::string& name, const Place& member) { decode(member, value[name]); });
  } else {
    static_assert(is<T, std::pair>, "neither fields(), words() nor decode() for this type");
    if (!place->is_array() || place->size() != 2) return place.unexpected("an array of two");
    decode(place.element(0), value.first);
    decode(place.element(1), value.second);
  }
}

template <class T>
Json encode(const T& value) {
  using namespace fields_detail;
  if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string> || std::same_as<T, Json>) {
    return value;
  } else if constexpr (std::same_as<T, fs::path>) {
    return value.string();
  } else if constexpr (HasFields<T>) {
    FieldWriter writer(IsRow<T>);
    visit(value, writer);
    return std::move(writer.json);
  } else if constexpr (HasWords<T>) {
    return word(value);
  } else if constexpr (requires {
                         { to_json(value) } -> std::same_as<Json>;
                       }) {
    return to_json(value);
  } else if constexpr (is<T, std::optional>) {
    return value ? encode(*value) : Json();
  } else if constexpr (is<T, std::vector> || is<T, std::set>) {
    Json list = Json::array();
    list.get_ref<Json::array_t&>().reserve(value.size());
    for (const auto& element : value) list.push_back(encode(element));
    return list;
  } else if constexpr (is<T, std::map>) {
    Json map = Json::object();
    for (const auto& [name, member] : value) map[name] = encode(member);
    return map;
  } else {
    static_assert(is<T, std::pair>, "neither fields(), words() nor to_json() for this type");
    return Json::array({encode(value.first), encode(value.second)});
  }
}

/// `json` as a T; throws one Error with all faults. `where`: the file, or its holder.
template <class T>
T decoded(const Json& json, const std::string& where) {
  Faults faults;
  T value{};
  decode(Place(json, where, faults), value);
  faults.raise();
  return value;
}

/// Members visited in one way, by their own names: ROOFTUNE_EACH(visit.defaulted, self, seed).
#define ROOFTUNE_EACH(visit, self, ...) \
  BOOST_PP_SEQ_FOR_EACH(ROOFTUNE_ONE, (visit, self), BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__))
#define ROOFTUNE_ONE(r, visit_self, member) \
  BOOST_PP_TUPLE_ELEM(0, visit_self)        \
  (BOOST_PP_STRINGIZE(member), BOOST_PP_TUPLE_ELEM(1, visit_self).member);
/// In a struct's fields(): a member by its own name, with the further arguments about it.
#define ROOFTUNE_FIELD(name, ...) visit(#name, self.name __VA_OPT__(, ) __VA_ARGS__)
/// fields() for a struct whose members are all required, under their own names.
#define ROOFTUNE_FIELDS(...) \
  static void fields(auto& self, auto& visit) { ROOFTUNE_EACH(visit, self, __VA_ARGS__) }
/// The same outside its struct.
#define ROOFTUNE_FIELDS_OF(Struct, ...) \
  void fields(FieldsOf<Struct> auto& self, auto& visit) { ROOFTUNE_EACH(visit, self, __VA_ARGS__) }

}  // namespace rooftune::core

// Reader of search-space files ("rooftune-space-1"); every fault with its JSON pointer.
#include "space/space_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <set>

#include "core/fields.h"
#include "core/list.h"
#include "core/object_reader.h"
#include "space/knob.h"
#include "space/search_space.h"

namespace rooftune::space {
namespace {

std::string element(const std::string& where, size_t number) {
  return where + "/" + std::to_string(number);
}

bool is_formula(const Json& json) {
  return json.is_string() && json.get_ref<const std::string&>().starts_with('=');
}

/// The form besides Rooftune's own, where an extension has added it.
SpaceForm foreign;
bool is_foreign(const Json& json) { return foreign.recognises && foreign.recognises(json); }

class SpaceReader {
 public:
  /// `of_kernel`: every knob declares its paradigms. What a program's knobs do is unknown.
  SpaceReader(const Facts& facts, Faults& faults, bool of_kernel)
      : facts_(facts), faults_(faults), of_kernel_(of_kernel) {}

  /// Reads one element of /knobs.
  Knob knob(ObjectReader& object) const {
    Knob knob;
    knob.name = object.text("name");
    if (const std::string fault = name_fault(knob.name); object.has("name") && !fault.empty())
      object.fault("name", fmt::format("\"{}\" is no name for a knob", knob.name), fault);
    object.read("doc", knob.doc);
    const std::string kind = object.text("kind");
    const auto known = index_of(words(knob.kind), kind);
    if (known)
      knob.kind = Knob::Kind(*known);
    else if (!kind.empty())
      object.fault("kind", fmt::format("unknown kind \"{}\"", kind),
                   suggestion(words(knob.kind), kind));
    object.read("breaks", knob.breaks);
    if (of_kernel_ && object.member("breaks").empty())
      object.fault("breaks", "names no ceiling or wall that this knob can break",
                   "one or more of " + joined(words(Paradigm{})));
    setting(object, knob);
    values(object, knob);
    fallback(object, knob);
    if (known)
      for (const ValueFault& fault : value_faults(knob))
        object.fault("values", fault.message, fault.hint);
    knob.active = expression(object, "active");
    object.text("promise", "");
    applicable(object, knob);
    object.finish();
    return knob;
  }

  /// Reads one element of /constraints; `knobs` are those read before.
  Constraint constraint(ObjectReader& object, const Knobs& knobs) const {
    Constraint constraint;
    if (!object.has("expression")) object.fault("expression", "is missing (a text)");
    constraint.expression = expression(object, "expression");
    object.read("reason", constraint.reason);
    about(object);
    check_names(object.where("expression"), constraint.expression, knobs);
    object.finish();
    return constraint;
  }

  /// Checks names in `active`, perhaps of later knobs, and texts that become equal macros.
  void check_together(ObjectReader& space, const Knobs& knobs) const {
    // A knob's macro and another's enumerator could have one name: KNOB_A_B.
    NamedTexts macros;
    for (const size_t k : indices(knobs)) {
      const std::string where = element(space.where("knobs"), k);
      const Knob& knob = knobs[k];
      check_names(where + "/active", knob.active, knobs);
      for (size_t other = 0; other < k; ++other)
        if (!knob.name.empty() && knobs[other].name == knob.name)
          faults_.add(where + "/name", fmt::format("knob \"{}\" appears twice", knob.name));
        else if (!knob.name.empty() && macro_name(knobs[other].name) == macro_name(knob.name))
          faults_.add(where + "/name",
                      fmt::format("knobs \"{}\" and \"{}\" differ by capitals alone",
                                  knobs[other].name, knob.name),
                      "exports name both by the same word: rename one");
      if (facts_.contains(knob.name))
        faults_.add(where + "/name",
                    fmt::format("\"{}\" is the name of a problem parameter or fact", knob.name),
                    "rename the knob");
      if (knob.kind == Knob::Kind::compiler &&
          first_with(knobs, &Knob::kind, Knob::Kind::compiler) != &knob)
        faults_.add(where + "/kind", "two knobs choose the compiler", "one is enough");
      if (knob.kind != Knob::Kind::compile) continue;
      const auto claim = [&](const std::string& macro, const std::string& owner) {
        const auto [found, fresh] = macros.emplace(macro, owner);
        if (!fresh && found->second != owner)
          faults_.add(where,
                      fmt::format("{} and {} are one macro, {}", found->second, owner, macro));
      };
      claim(macro_name(knob.name), fmt::format("knob \"{}\"", knob.name));
      for (const Value& value : knob.values)
        if (value.is_text())
          claim(macro_name(knob.name + "_" + value.text()),
                fmt::format("value \"{}\" of knob \"{}\"", value.text(), knob.name));
    }
  }

 private:
  /// The machine says which compilers there are; without its word there is one.
  void compilers(Knob& knob) const {
    const Value* const here = value_at(facts_, compilers_fact);
    knob.values = here ? here->list() : ValueList{"c++"};
    knob.fallback = knob.values.front();
    if (knob.values.size() == 1) knob.collapsed = "no second compiler builds variants here";
  }
  void values(ObjectReader& object, Knob& knob) const {
    if (knob.kind == Knob::Kind::compiler) return compilers(knob);
    const Json& json = object.member("values");
    const std::string where = object.where("values");
    std::set<Value> seen;
    if (!object.has("values")) object.fault("values", "is missing (a list)");
    flags(object, knob);
    if (is_formula(json)) {
      const auto list = computed(where, json.get<std::string>().substr(1));
      if (list && !list->is_list()) object.fault("values", "the expression gives no list");
      if (list && list->is_list() && list->list().empty()) object.fault("values", "is empty");
      if (list && list->is_list())
        for (const Value& value : list->list())
          if (seen.insert(value).second) knob.values.push_back(value);
    } else if (json.is_array()) {
      if (json.empty()) object.fault("values", "is empty");
      for (const size_t i : indices(json)) add_value(element(where, i), json[i], knob, seen);
    } else if (object.has("values")) {
      object.fault("values", "expected a list or an expression \"=...\"");
    }
  }

  /// Appends one element of /values unless `seen` has it.
  void add_value(const std::string& where, const Json& json, Knob& knob,
                 std::set<Value>& seen) const {
    const std::optional<Value> value = plain_or_computed(where, json);
    if (!value) return;
    if (value->is_list()) {
      faults_.add(where, "the expression gives a list",
                  "write \"values\": \"=...\" for a computed list");
      return;
    }
    if (seen.insert(*value).second) {
      knob.values.push_back(*value);
      return;
    }
    // Computed values may coincide on a small machine; a value written twice by hand is an error.
    if (!is_formula(json))
      faults_.add(where, fmt::format("value {} appears twice", excerpt(to_text(*value))));
    const size_t at = knob.values.size();
    if (at < knob.flags.size()) knob.flags.erase(knob.flags.begin() + ptrdiff_t(at));
  }

  /// A number, text or truth, or a formula's value; else a fault.
  std::optional<Value> plain_or_computed(const std::string& where, const Json& json) const {
    if (is_formula(json)) return computed(where, json.get<std::string>().substr(1));
    if (!json.is_structured() && !json.is_null()) return value_from_json(json);
    faults_.add(where, "expected a number, text or truth");
    return std::nullopt;
  }

  void fallback(ObjectReader& object, Knob& knob) const {
    if (knob.kind == Knob::Kind::compiler) return;
    const Json& json = object.member("default");
    if (!object.has("default")) {
      object.fault("default", "is missing (one of the values)");
      return;
    }
    const std::optional<Value> value = plain_or_computed(object.where("default"), json);
    if (!value) return;
    knob.fallback = *value;
    const size_t at = knob.index_of(*value);
    if (at < knob.values.size())
      knob.fallback = knob.values[at];
    else if (!knob.values.empty())
      object.fault("default", excerpt(to_text(*value)) + " is none of the values",
                   "one of " + excerpt(to_text(Value(knob.values)), 200));
  }

  void flags(ObjectReader& object, Knob& knob) const {
    const Json& json = object.member("flags");
    const std::string where = object.where("flags");
    if (knob.kind != Knob::Kind::flag) {
      if (object.has("flags")) object.fault("flags", "has no meaning but for kind \"flag\"");
      return;
    }
    const Json& values = object.member("values");
    if (!json.is_array() || !values.is_array() || json.size() != values.size()) {
      object.fault("flags", "expected one list of compiler flags for each value");
      return;
    }
    decode(Place(json, where, faults_), knob.flags);
    for (const size_t i : indices(knob.flags))
      for (const size_t j : indices(knob.flags[i]))
        // A program's build is its user's: its compiler may know any word.
        if (of_kernel_ && !allowed_flag(knob.flags[i][j]))
          faults_.add(element(element(where, i), j),
                      fmt::format("compiler flag \"{}\" is not allowed", knob.flags[i][j]),
                      allowed_flags_hint);
  }

  void setting(ObjectReader& object, Knob& knob) const {
    using enum Knob::Kind;
    const bool wanted = knob.kind == openmp || knob.kind == memory || knob.kind == environment;
    knob.setting = object.text("setting", wanted ? knob.name : "");
    if (!wanted && !knob.setting.empty())
      object.fault("setting",
                   fmt::format("has no meaning for a knob of kind \"{}\"", to_text(knob.kind)));
    if (!wanted) return;
    if (knob.kind == environment) {
      if (!allowed_variable(knob.setting))
        object.fault("setting",
                     fmt::format("environment variable \"{}\" is not allowed", knob.setting),
                     allowed_variables_hint);
      return;
    }
    const Texts known = settings_of(knob.kind);
    if (!contains(known, knob.setting))
      object.fault("setting", fmt::format("unknown setting \"{}\"", knob.setting),
                   did_you_mean(knob.setting, known));
  }

  void applicable(ObjectReader& object, Knob& knob) const {
    object.object("applicable", [&](ObjectReader& rule) {
      const std::string condition = rule.text("if");
      const std::string reason = rule.text("reason");
      about(rule);
      rule.finish();
      if (condition.empty()) return;
      const std::optional<Value> holds = computed(rule.where("if"), condition);
      if (!holds || holds->truth()) return;
      const size_t at = knob.index_of(knob.fallback);
      if (at == knob.values.size()) return;
      knob.collapsed = reason.empty() ? condition : reason;
      for (const Value& value : knob.values)
        if (value != knob.fallback) knob.barred.push_back(value);
      knob.values = {knob.fallback};
      if (at < knob.flags.size()) knob.flags = {knob.flags[at]};
    });
  }

  /// A condition's "about": whether results or only times are wrong where it does not hold. The
  /// space is the same either way; exports read it.
  static void about(ObjectReader& object) {
    const std::string word = object.text("about", "result");
    if (word != "result" && word != "speed")
      object.fault("about", fmt::format("\"{}\" is nothing that a condition is about", word),
                   "\"speed\": the results are right all the same; \"result\": they are not");
  }

  /// Parses; a fault at `key` and an empty expression when it cannot.
  Expression expression(ObjectReader& object, const std::string& key) const {
    const std::string text = object.text(key, "");
    if (!object.has(key) || (text.empty() && !object.json()[key].is_string())) return {};
    return object.expression(key, text);
  }

  /// Evaluates over facts only; a fault at `where` when it cannot.
  std::optional<Value> computed(const std::string& where, const std::string& text) const {
    try {
      const Expression formula = Expression::parse(text);
      const size_t before = faults_.size();
      check_names(where, formula, {});
      if (faults_.size() > before) return std::nullopt;
      return formula.evaluate(lookup_in(facts_));
    } catch (const Error& error) {
      faults_.add(where, error.message(), error.hint());
      return std::nullopt;
    }
  }

  void check_names(const std::string& where, const Expression& expression,
                   const Knobs& knobs) const {
    Texts known = members(knobs, &Knob::name);
    append(known, keys_of(facts_));
    for (const std::string& name : expression.names()) {
      if (contains(known, name)) continue;
      faults_.add(where, fmt::format("unknown name \"{}\"", name),
                  did_you_mean(name, known, "known are the knobs, problem parameters and facts"));
    }
  }

  const Facts& facts_;
  Faults& faults_;
  bool of_kernel_;
};

SearchSpace constructed(const Json& json, const std::string& where, const Facts& facts) {
  if (is_foreign(json)) return foreign.read(json, where);
  Faults faults;
  ObjectReader object(json, where, faults);
  const std::string schema = object.text("schema");
  if (!schema.empty() && schema != "rooftune-space-1")
    object.fault("schema", fmt::format("unknown schema \"{}\"", schema), "rooftune-space-1");
  const std::string kernel = object.text("kernel");
  const std::string backend = object.text("backend");
  const bool of_command = backend == command_space;
  const SpaceReader reader(facts, faults, !of_command);
  Knobs knobs;
  Constraints constraints;
  if (!object.has("knobs")) object.fault("knobs", "is missing (an array of objects)");
  object.each("knobs", [&](ObjectReader& knob) { knobs.push_back(reader.knob(knob)); });
  object.each("constraints", [&](ObjectReader& constraint) {
    constraints.push_back(reader.constraint(constraint, knobs));
  });
  reader.check_together(object, knobs);
  // Read for pruning, by least_movements_from_json(), and by a study.
  for (const char* elsewhere : {"walls", "moves", "start"}) object.know(elsewhere);
  for (const char* limit : {"work", "traffic"})
    if (of_command) object.know(limit);
  object.finish();
  faults.raise();
  const std::string name = kernel + "." + backend;
  return space_of_file(name, where, [&] {
    return SearchSpace(name, std::move(knobs), std::move(constraints), facts);
  });
}

}  // namespace

void add_space_form(const SpaceForm& form) { foreign = form; }

SearchSpace space_of_file(const std::string& name, const std::string& where,
                          const std::function<SearchSpace()>& make) {
  const auto place = [&](const Error& error) {
    const std::string& inner = error.where();
    return inner.starts_with(name) ? where + inner.substr(name.size()) : where;
  };
  try {
    return make();
  } catch (const EmptySpace& empty) {
    throw EmptySpace(Error(empty.message(), place(empty), empty.hint()), empty.knobs(),
                     empty.conflict());
  } catch (const Error& error) {
    throw Error(error.message(), place(error), error.hint());
  }
}

// A command asks for one study's space several times, and a huge space takes seconds: the latest is
// kept. Texts tell 1 from 1.0, which are equal as values.
SearchSpace space_from_json(const Json& json, const std::string& where, const Facts& facts) {
  static std::mutex mutex;
  static std::optional<std::pair<std::string, SearchSpace>> latest;
  const std::string made_of = json_text(json) + json_text(facts_json(facts));
  {
    const std::lock_guard lock(mutex);
    if (latest && latest->first == made_of) return latest->second;
  }
  SearchSpace space = constructed(json, where, facts);
  const std::lock_guard lock(mutex);
  latest.emplace(made_of, space);
  return space;
}

bool chooses_compiler(const Json& space) {
  const auto knobs = space.find("knobs");
  const auto chooses = [](const Json& knob) {
    return text_of(knob, "kind") == word(Knob::Kind::compiler);
  };
  return knobs != space.end() && any_of(*knobs, chooses);
}

Json read_command_space(const fs::path& file, const std::string& name) {
  Json space = read_json(file);
  if (is_foreign(space) || !space.is_object()) return space;
  space.emplace("schema", "rooftune-space-1");
  space.emplace("kernel", name);
  if (const Json& backend = *space.emplace("backend", command_space).first;
      backend != command_space)
    throw Error("is " + json_text(backend), file.string() + "/backend",
                "a program's space has \"command\" there, or leaves it out");
  if (const auto knobs = space.find("knobs"); knobs != space.end() && knobs->is_array())
    for (Json& knob : *knobs)
      if (knob.is_object()) knob.emplace("kind", word(Knob::Kind::argument));
  return space;
}

SearchSpace read_space(const fs::path& file, const Facts& facts) {
  return space_from_json(read_json(file), file.string(), facts);
}

}  // namespace rooftune::space

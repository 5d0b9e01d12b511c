// Conditions on a problem for correct results of a configuration: the search space's requirements
// on the facts of a problem, not on knobs or the machine.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/expression.h"
#include "exports/library_text.h"
#include "study/find_study.h"

namespace rooftune::exports {
namespace {

using Node = ExpressionNode;

/// The names of parameters and facts passed on unchanged by an argument of the kernel.
std::map<std::string, std::string> arguments_by_fact(const Kernel& kernel) {
  std::map<std::string, std::string> names;
  for (const Argument& argument : kernel.arguments)
    if (!argument.pointer && !passed_by_address(argument) &&
        argument.value.names() == std::vector{argument.value.text()})
      names[argument.value.text()] = argument.name;
  return names;
}

/// Writes an expression in C++, computed in double as far as it is numbers.
class CppWriter {
 public:
  CppWriter(const Expression::Lookup& known, const std::map<std::string, std::string>& arguments)
      : known_(known), arguments_(arguments) {}

  /// nullopt for an expression without a counterpart; "true" and "false" for a known one.
  std::optional<std::string> text(const Node& node) const {
    try {
      return constant(evaluated(node, "", known_));
    } catch (const Error&) {
    }
    switch (node.kind) {
      case Node::Kind::name:
        return argument(node.name);
      case Node::Kind::negate:
        return prefixed(node, "-");
      case Node::Kind::plus:
        return prefixed(node, "");
      case Node::Kind::logical_not:
        return prefixed(node, "!");
      case Node::Kind::conjunction:
        return joined(node, " && ", "false");
      case Node::Kind::disjunction:
        return joined(node, " || ", "true");
      case Node::Kind::chain:
        return chained(node);
      case Node::Kind::compare:
        return node.operators.size() == 1 ? chained(node) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

 private:
  static std::optional<std::string> constant(const Value& value) {
    if (value.is_bool()) return value.truth() ? "true" : "false";
    if (!value.is_number()) return std::nullopt;
    return value.is_real() ? fmt::format("{:.17g}", value.real())
                           : fmt::format("{}.0", value.integer());
  }

  std::optional<std::string> argument(const std::string& name) const {
    const auto found = arguments_.find(name);
    if (found == arguments_.end()) return std::nullopt;
    return "double(" + found->second + ")";
  }

  std::optional<std::string> prefixed(const Node& node, const char* sign) const {
    const auto part = text(*node.children.front());
    return part ? std::optional(fmt::format("{}({})", sign, *part)) : std::nullopt;
  }

  /// One `decisive` part decides, even beside parts without a counterpart; its opposite does not.
  std::optional<std::string> joined(const Node& node, const char* between,
                                    const std::string& decisive) const {
    std::vector<std::string> parts;
    bool all = true;
    for (const Node::Pointer& child : node.children) {
      const auto part = text(*child);
      if (part == decisive) return decisive;
      all = all && part;
      if (part && *part != "true" && *part != "false") parts.push_back(*part);
    }
    if (!all) return std::nullopt;
    return fmt::format("({})", fmt::join(parts, between));
  }

  static const char* symbol(Operator op) {
    using enum Operator;
    for (const Operator spelt : {add, subtract, multiply, divide, less, less_equal, greater,
                                 greater_equal, equal, not_equal})
      if (op == spelt) return to_text(op);
    return nullptr;
  }

  std::optional<std::string> chained(const Node& node) const {
    auto result = text(*node.children.front());
    for (std::size_t i = 0; result && i < node.operators.size(); ++i) {
      const char* const op = symbol(node.operators[i]);
      const auto next = text(*node.children[i + 1]);
      if (!op || !next) return std::nullopt;
      result = fmt::format("({} {} {})", *result, op, *next);
    }
    return result;
  }

  const Expression::Lookup& known_;
  const std::map<std::string, std::string>& arguments_;
};

class Collector {
 public:
  Collector(const StudyRecord& study, const Kernel& kernel, const Configuration& configuration)
      : configuration_(configuration), arguments_(arguments_by_fact(kernel)) {
    machine_ = machine_facts(study.require_setup().machine, study.header.threads);
    facts_ = known_facts(study, 0);
  }

  void require(const std::string& text, const std::string& reason) {
    const Expression expression = Expression::parse(text);
    const Expression::Lookup known = [this](const std::string& name) { return known_value(name); };
    const auto check = CppWriter(known, arguments_).text(*expression.root());
    // Independent of the problem: knobs and the machine decide.
    if (check != "true") add({text, reason, check.value_or("")});
  }

  /// The value was computed from facts: it is right while they are unchanged.
  void require_same(const std::string& formula, const std::string& knob) {
    const Expression expression = Expression::parse(formula);
    for (const std::string& name : expression.names()) {
      const auto value = facts_.find(name);
      if (known_value(name) || value == facts_.end()) continue;
      require(fmt::format("{} == {}", name, to_text(value->second)),
              fmt::format("{} was made for this value", knob));
    }
  }

  void promise(const std::string& text, const std::string& reason) { add({text, reason, {}}); }

  std::vector<Condition> take() { return std::move(result_); }

 private:
  std::optional<Value> known_value(const std::string& name) const {
    if (configuration_.has(name)) return configuration_.at(name);
    const auto fact = machine_.find(name);
    return fact == machine_.end() ? std::nullopt : std::optional(fact->second);
  }

  void add(Condition condition) {
    if (std::find(result_.begin(), result_.end(), condition) == result_.end())
      result_.push_back(std::move(condition));
  }

  Configuration configuration_;
  std::map<std::string, std::string> arguments_;
  Facts machine_, facts_;
  std::vector<Condition> result_;
};

bool is_about_speed(const Json& entry) { return entry.value("about", "") == "speed"; }

void collect(const Json& knob, const Value& value, const Value& fallback, Collector& collector) {
  if (value == fallback) return;
  const std::string name = knob.at("name");
  if (const auto only = knob.find("applicable"); only != knob.end() && !is_about_speed(*only))
    collector.require(only->at("if"), only->value("reason", ""));
  if (const std::string promise = knob.value("promise", ""); !promise.empty())
    collector.promise(promise, fmt::format("{} = {} is wrong", name, to_text(value)));
  const Json& values = knob.at("values");
  const std::string all = values.is_string() ? values.get<std::string>() : "";
  if (all.starts_with('=')) collector.require_same(all.substr(1), name);
}

}  // namespace

bool holds(const std::vector<Condition>& conditions, const Condition& one) {
  return std::any_of(conditions.begin(), conditions.end(),
                     [&](const Condition& other) { return other.expression == one.expression; });
}

std::vector<Condition> conditions_of(const StudyRecord& study, const Kernel& kernel,
                                     const Configuration& configuration) {
  const Json& space = study.require_setup().space.content;
  const Configuration baseline = space_of(study).baseline();
  Collector collector(study, kernel, configuration);
  for (const Json& knob : space.at("knobs")) {
    const std::string name = knob.at("name");
    if (configuration.has(name))
      collect(knob, configuration.at(name), baseline.at(name), collector);
  }
  for (const Json& constraint : space.value("constraints", Json::array()))
    if (!is_about_speed(constraint))
      collector.require(constraint.at("expression"), constraint.value("reason", ""));
  return collector.take();
}

}  // namespace rooftune::exports

#include "exports/kernel_library.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>

#include "core/expression.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/list.h"
#include "core/pattern.h"
#include "exports/library.h"
#include "os/paths.h"
#include "os/temporary_directory.h"
#include "report/exporter.h"
#include "study/find_study.h"
#include "study/model.h"

namespace rooftune::exports {
namespace {

/// Marks a folder that `tune export` wrote and may write again.
constexpr const char* marker = "provenance.json";

void check_arguments(const Kernel& kernel, const Configuration& configuration) {
  // The library's own parameters stand beside the arguments, so their names are taken.
  for (const Argument& argument : kernel.arguments) {
    if (is_among(argument.name, "promises problem arguments_"))
      throw Error("a library cannot have an argument named " + argument.name,
                  (kernel.folder / "kernel.json"), "rename it there");
    const auto& names = argument.value.names();
    const auto knobs = count_if(names, [&](const auto& name) { return configuration.has(name); });
    if (knobs > 0 && size_t(knobs) < names.size())
      throw Error(fmt::format("argument {} depends on a knob and on the problem: {}", argument.name,
                              argument.value.text()),
                  (kernel.folder / "kernel.json"),
                  "a library cannot hold it: make the knob one of kind compile");
  }
}

/// Names everything but the interface by the content. So two libraries in one program share no
/// function and never choose for each other, whether one Rooftune version wrote them or two.
void name_by_content(FileTexts& files, const std::string& name) {
  const auto is_code = [](const fs::path& file) {
    return is_among(file.extension().string(), ".cpp .h");
  };
  LabelledHash content;
  for (const auto& [file, text] : files)
    if (is_code(file)) content.add(file.string(), text);
  const std::string id = "_" + content.hex().substr(0, 12);
  for (auto& [file, text] : files)
    for (const std::string& space :
         {std::string("rooftune_library"), std::string("rooftune_cuda_library"), name + "_library"})
      for (size_t at = text.find(space); is_code(file) && at != std::string::npos;
           at = text.find(space, at + space.size()))
        text.insert(at + space.size(), id);
}

using Node = ExpressionNode;
using Kind = ExpressionNode::Kind;

/// C++ for the parameters and facts that a kernel argument passes on unchanged, or that the
/// kernel's inspector finds.
NamedTexts arguments_by_fact(const Kernel& kernel) {
  NamedTexts names;
  for (const Argument& argument : kernel.arguments)
    if (!argument.pointer && !passed_by_address(argument) &&
        argument.value.names() == std::vector{argument.value.text()})
      names[argument.value.text()] = argument.name;
  for (const size_t i : indices(kernel.inspected))
    names.emplace(kernel.inspected[i], fmt::format("arguments_.facts_[{}]", i));
  return names;
}

/// Writes an expression in C++; its numbers are computed in double.
class CppWriter {
 public:
  CppWriter(const Expression::Lookup& known, const NamedTexts& arguments)
      : known_(known), arguments_(arguments) {}

  /// nullopt if C++ has no counterpart; "true" or "false" if the value is known.
  std::optional<std::string> text(const Node& node) const {
    try {
      return constant(evaluated(node, "", known_));
    } catch (const Error&) {
    }
    switch (node.kind) {
      case Kind::name:
        return argument(node.name);
      case Kind::negate:
        return prefixed(node, "-");
      case Kind::plus:
        return prefixed(node, "");
      case Kind::logical_not:
        return prefixed(node, "!");
      case Kind::conjunction:
        return joined(node, " && ", "false");
      case Kind::disjunction:
        return joined(node, " || ", "true");
      case Kind::chain:
        return chained(node);
      case Kind::compare:
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
    const auto* found = value_at(arguments_, name);
    if (!found) return std::nullopt;
    return found->ends_with("]") ? *found : "double(" + *found + ")";
  }

  std::optional<std::string> prefixed(const Node& node, const char* sign) const {
    const auto part = text(*node.children.front());
    return part ? std::optional(fmt::format("{}({})", sign, *part)) : std::nullopt;
  }

  /// A `decisive` part decides alone, even beside parts that C++ cannot express; other parts do
  /// not.
  std::optional<std::string> joined(const Node& node, const char* between,
                                    const std::string& decisive) const {
    Texts parts;
    bool all = true;
    for (const Node::Pointer& child : node.children) {
      const auto part = text(*child);
      if (part == decisive) return decisive;
      all = all && part;
      if (part && *part != "true" && *part != "false") parts.push_back(*part);
    }
    if (!all) return std::nullopt;
    return fmt::format("({})", rooftune::joined(parts, between));
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
    for (size_t i = 0; result && i < node.operators.size(); ++i) {
      const char* const op = symbol(node.operators[i]);
      const auto next = text(*node.children[i + 1]);
      if (!op || !next) return std::nullopt;
      result = fmt::format("({} {} {})", *result, op, *next);
    }
    return result;
  }

  const Expression::Lookup& known_;
  const NamedTexts& arguments_;
};

bool is_about_speed(const Json& entry) { return text_of(entry, "about") == "speed"; }

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
    // What knobs and the machine alone make true is no condition on the problem.
    if (check != "true") add_once(result_, {text, reason, check.value_or("")});
  }

  /// Collects what a knob needs at a value other than its usual one.
  void take(const Json& knob, const Value& value) {
    const std::string name = knob.at("name");
    if (const auto only = knob.find("applicable"); only != knob.end() && !is_about_speed(*only))
      require(only->at("if"), text_of(*only, "reason"));
    if (const std::string promise = text_of(knob, "promise"); !promise.empty())
      add_once(result_, {promise, fmt::format("{} = {} is wrong", name, to_text(value)), {}});
    const std::string all = text_of(knob, "values");
    if (all.starts_with('=')) require_same(all.substr(1), name);
  }

  Conditions result() { return std::move(result_); }

 private:
  /// The knob's value was computed from facts: it is right only while they stay the same.
  void require_same(const std::string& formula, const std::string& knob) {
    const Expression expression = Expression::parse(formula);
    for (const std::string& name : expression.names()) {
      const auto* value = value_at(facts_, name);
      if (known_value(name) || !value) continue;
      require(name + " == " + to_text(*value), knob + " was made for this value");
    }
  }

  std::optional<Value> known_value(const std::string& name) const {
    if (configuration_.has(name)) return configuration_.at(name);
    const auto* fact = value_at(machine_, name);
    return fact ? std::optional(*fact) : std::nullopt;
  }

  Configuration configuration_;
  NamedTexts arguments_;
  Facts machine_, facts_;
  Conditions result_;
};

}  // namespace

LibraryVariant library_variant(const StudyRecord& study, const ChosenKernel& chosen,
                               const SearchSpace& space, const Configuration& configuration) {
  const auto& [kernel, backend] = chosen;
  check_arguments(kernel, configuration);
  const Machine& machine = study.require_setup().machine;
  LibraryVariant variant;
  variant.configuration = configuration;
  variant.threads = study.header.threads;
  variant.simd_bits = x86_simd_bits(machine);
  variant.settings = launch_settings(kernel, space, configuration, known_facts(study, 0),
                                     study.header.threads, machine.numa_nodes > 1);
  for (const std::string& fact : kernel.inspected)
    variant.inspected.push_back(known_facts(study, 0).at(fact).real());
  variant.conditions = conditions_of(study, kernel, configuration);
  variant.macros = build::knob_macros(space, configuration);
  variant.compiler = build::knob_compiler(space, configuration);
  variant.flags = backend.flags;
  const Texts flags = build::knob_flags(space, configuration);
  if (backend.needs_gpu_compiler() && machine.gpu) {
    variant.threads = machine.gpu->multiprocessors;
    variant.capability = machine.gpu->compute_capability;
    variant.kernel_options = flags;
  } else {
    append(variant.flags, flags);
  }
  return variant;
}

FileTexts library_files(const LibrarySource& source) {
  const Library library(source);
  const std::string name = library.library_name();
  const fs::path headers = variant_include_directory() / "rooftune";
  FileTexts files{{"CMakeLists.txt", library.build_text()},
                  {"README.md", library.readme_text()},
                  {"LICENSE", library.licence_text()},
                  {marker, library.provenance_text()},
                  {"include/" + name + ".h", library.header_text()},
                  {"include/" + name + ".f90", library.fortran_text()},
                  {"python/" + name + ".py", library.python_text()},
                  {"src/" + name + ".cpp", library.dispatch_text()},
                  {"src/variants.h", library.variants_header_text()},
                  {"src/exports.map", "/* SPDX-License-Identifier: MIT-0 */\n{ global: " + name +
                                          "_*; local: *; };\n"},
                  {"test/self_test.cpp", library.self_test_text()}};
  const auto add = [&](const char* folder, const char* part) -> std::string& {
    return files[fmt::format("{}/rooftune/{}", folder, part)] = read_text(headers / part);
  };
  for (std::string* const text :
       {&add("test", "self_test.h"), &add("test", "elements.h"), &add("src", "elements.h")})
    // The library's own copy, in a namespace that is named by the content.
    *text = Pattern("\\brooftune(::| \\{)").replaced(*text, "rooftune_library$1");
  add("src", "library_choice.h");
  add("src", "library_fault.h");
  if (source.backend.needs_gpu_compiler()) {
    add("test", "self_test_cuda.h");
    for (const char* part : {"library_cuda.h", "library_driver.h", "library_nvrtc.h"})
      add("src", part);
  } else {
    add("test", "self_test_race.h");
    for (const char* part : {"library.h", "library_race.h"}) add("src", part);
  }
  if (source.backend.needs_kokkos()) files["kokkos.cmake"] = library.filled("kokkos.cmake", {});
  for (const LibraryVariant& one : source.variants) {
    files["src/" + one.name + ".cpp"] = library.variant_text(one);
    if (source.backend.needs_gpu_compiler())
      files["src/" + one.name + "_kernels.cpp"] = library.cuda_kernels_text(one);
  }
  name_by_content(files, name);
  return files;
}

void write_library(const fs::path& folder, const FileTexts& files) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  const fs::path target = whole.has_filename() ? whole : whole.parent_path();
  const bool there = fs::exists(fs::symlink_status(target));
  if (there && !fs::is_directory(target))
    throw Error("is no folder", target, "a library is a folder: name a new one");
  if (there && !fs::is_empty(target) && !fs::exists(target / marker))
    throw Error("this folder holds something else than an exported library", target,
                "name a new or an empty folder");
  make_folders(target.parent_path());
  // Written whole beside the old library, then exchanged in one step: a killed process leaves the
  // old one.
  const TemporaryDirectory beside(target.parent_path(), "rooftune-library");
  const fs::path fresh = beside.path() / "library";
  for (const auto& [name, text] : files) {
    make_folders((fresh / name).parent_path());
    write_atomically(fresh / name, text);
  }
  if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, target.c_str(), there ? RENAME_EXCHANGE : 0) !=
      0)
    throw Error(fmt::format("cannot be put in place: {}", std::strerror(errno)), target,
                "remove the old one, or name a new folder", ExitCode::io);
}

std::string in_cpp(const Expression& formula, const Kernel& kernel) {
  return CppWriter({}, arguments_by_fact(kernel)).text(*formula.root()).value_or("");
}

bool holds(const Conditions& conditions, const Condition& one) {
  return contains(conditions, one.expression, &Condition::expression);
}

Conditions conditions_of(const StudyRecord& study, const Kernel& kernel,
                         const Configuration& configuration) {
  const Json& space = study.require_setup().space.content;
  const Configuration baseline = space_of(study).baseline();
  Collector collector(study, kernel, configuration);
  for (const Json& knob : space.at("knobs")) {
    const std::string name = knob.at("name");
    if (configuration.has(name) && configuration.at(name) != baseline.at(name))
      collector.take(knob, configuration.at(name));
  }
  for (const Json& constraint : space.contains("constraints") ? space.at("constraints") : Json())
    if (!is_about_speed(constraint))
      collector.require(constraint.at("expression"), text_of(constraint, "reason"));
  return collector.result();
}

}  // namespace rooftune::exports

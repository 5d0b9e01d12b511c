// The worker's side of problem.cpp: parameters in, arrays and facts out. Wrong names and sizes are
// faults of the kernel's author.
#include <rooftune/problem.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "build/artefact.h"
#include "core/error.h"
#include "run/worker.h"

namespace rooftune::run {
namespace {

/// Names become names of files.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

class ProblemHost final : public Problem {
 public:
  explicit ProblemHost(Facts parameters) : parameters_(std::move(parameters)) {}

  const char* text(const char* name) const override { return parameter(name).text().c_str(); }
  std::int64_t integer(const char* name) const override { return parameter(name).integer(); }
  double real(const char* name) const override { return parameter(name).real(); }
  void set(const char* fact, double value) override;
  void set(const char* fact, std::int64_t value) override { store(fact, value); }
  void set(const char* fact, const char* value) override { store(fact, or_empty(value)); }
  void* elements(const char* name, const char* type, std::size_t size, std::int64_t count) override;
  [[noreturn]] void fail(const char* message, const char* where, const char* hint) override;

  const Facts& facts() const { return facts_; }
  const std::map<std::string, GuardedArray>& arrays() const { return arrays_; }

 private:
  static const char* or_empty(const char* text) { return text ? text : ""; }
  void store(const char* fact, const Value& value) { facts_[or_empty(fact)] = value; }
  const Value& parameter(const char* name) const;

  Facts parameters_, facts_;
  std::map<std::string, GuardedArray> arrays_;
};

const Value& ProblemHost::parameter(const char* name) const {
  const auto found = parameters_.find(or_empty(name));
  if (found == parameters_.end())
    throw Error(std::string("problem.cpp asks for parameter \"") + or_empty(name) +
                "\", which kernel.json does not declare");
  return found->second;
}

void ProblemHost::set(const char* fact, double value) {
  if (!std::isfinite(value))
    throw Error(std::string("problem.cpp sets fact \"") + or_empty(fact) +
                "\" to a value that is not finite");
  store(fact, value);
}

void* ProblemHost::elements(const char* name, const char* type, std::size_t, std::int64_t count) {
  const std::string text = or_empty(name);
  const auto known = ElementType::named(or_empty(type));
  if (!is_plain_name(text)) throw Error("problem.cpp names an array \"" + text + "\"");
  if (!known)
    throw Error(
        "problem.cpp makes array " + text + " of the unknown type \"" + or_empty(type) + "\"", {},
        ElementType::words());
  if (count < 0) throw Error("problem.cpp makes array " + text + " with a negative count");
  if (arrays_.contains(text)) throw Error("problem.cpp makes array " + text + " twice");
  Slot slot;
  slot.argument.name = text;
  slot.argument.type = *known;
  slot.argument.pointer = true;
  slot.count = count;
  return arrays_.emplace(text, GuardedArray(std::move(slot), 0, false)).first->second.data();
}

void ProblemHost::fail(const char* message, const char* where, const char* hint) {
  throw ProblemFault{or_empty(message), or_empty(where), or_empty(hint)};
}

}  // namespace

void Worker::make_problem(const Json& request) {
  auto parameters = member<Facts>(request, "parameters");
  const auto folder = member<std::filesystem::path>(request, "folder");
  problem_ = std::make_unique<DynamicLibrary>(member<std::string>(request, "library"));
  const auto problem = reinterpret_cast<void (*)(Problem&)>(problem_->symbol(problem_symbol));
  ProblemHost host(std::move(parameters));
  problem(host);
  std::map<std::string, Slot> arrays;
  for (const auto& [name, array] : host.arrays()) {
    if (const std::string damage = array.damage(); !damage.empty()) throw Error(damage);
    write_bytes(array_file(folder, name), array.data(), array.bytes());
    arrays[name] = array.slot();
  }
  replies_.send(Phase::done, {{"facts", encode(host.facts())}, {"arrays", encode(arrays)}});
}

}  // namespace rooftune::run

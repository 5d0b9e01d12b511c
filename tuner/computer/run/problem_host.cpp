// Services for problem.cpp; wrong names and sizes are faults of the kernel's author.
#include "run/problem_host.h"

#include <cctype>
#include <cmath>
#include <cstring>

#include "core/error.h"

namespace rooftune::run {
namespace {

const char* or_empty(const char* text) { return text ? text : ""; }

/// Names become names of files.
bool is_plain_name(const std::string& name) {
  if (name.empty() || name.size() > 100) return false;
  for (const unsigned char c : name)
    if (!std::isalnum(c) && c != '_') return false;
  return true;
}

}  // namespace

const Value& ProblemHost::parameter(const char* name) const {
  const auto found = parameters_.find(or_empty(name));
  if (found == parameters_.end())
    throw Error(std::string("problem.cpp asks for parameter \"") + or_empty(name) +
                "\", which kernel.json does not declare");
  return found->second;
}

const char* ProblemHost::text(const char* name) const { return parameter(name).text().c_str(); }

std::int64_t ProblemHost::integer(const char* name) const { return parameter(name).integer(); }

double ProblemHost::real(const char* name) const { return parameter(name).real(); }

void ProblemHost::set(const char* fact, double value) {
  if (!std::isfinite(value))
    throw Error(std::string("problem.cpp sets fact \"") + or_empty(fact) +
                "\" to a value that is not finite");
  facts_[or_empty(fact)] = Value(value);
}

void ProblemHost::set(const char* fact, std::int64_t value) {
  facts_[or_empty(fact)] = Value(value);
}

void ProblemHost::set(const char* fact, const char* value) {
  facts_[or_empty(fact)] = Value(or_empty(value));
}

void* ProblemHost::array(const char* name, Argument::Type type, std::int64_t count) {
  const std::string text = or_empty(name);
  if (!is_plain_name(text)) throw Error("problem.cpp names an array \"" + text + "\"");
  if (count < 0) throw Error("problem.cpp makes array " + text + " with a negative count");
  if (arrays_.contains(text)) throw Error("problem.cpp makes array " + text + " twice");
  Slot slot;
  slot.argument.name = text;
  slot.argument.type = type;
  slot.argument.pointer = true;
  slot.count = count;
  return arrays_.emplace(text, GuardedArray(std::move(slot), 0, false)).first->second.data();
}

double* ProblemHost::float64(const char* name, std::int64_t count) {
  return static_cast<double*>(array(name, Argument::Type::float64, count));
}

float* ProblemHost::float32(const char* name, std::int64_t count) {
  return static_cast<float*>(array(name, Argument::Type::float32, count));
}

std::int32_t* ProblemHost::int32(const char* name, std::int64_t count) {
  return static_cast<std::int32_t*>(array(name, Argument::Type::int32, count));
}

std::int64_t* ProblemHost::int64(const char* name, std::int64_t count) {
  return static_cast<std::int64_t*>(array(name, Argument::Type::int64, count));
}

void ProblemHost::fail(const char* message, const char* where, const char* hint) {
  throw ProblemFault{or_empty(message), or_empty(where), or_empty(hint)};
}

}  // namespace rooftune::run

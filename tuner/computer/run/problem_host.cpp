// Services for problem.cpp; wrong names and sizes are faults of the kernel's author.
#include "run/problem_host.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/error.h"

namespace rooftune::run {
namespace {

/// Names become names of files.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

}  // namespace

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

}  // namespace rooftune::run

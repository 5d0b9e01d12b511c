// Knobs and spaces for tests, in a few words.
#pragma once
#include <string>
#include <vector>

#include "core/error.h"
#include "space/search_space.h"

namespace rooftune::samples {

/// An argument knob whose default is its first value.
inline Knob knob(const std::string& name, std::vector<Value> values,
                 const std::string& active = "") {
  Knob made;
  made.name = name;
  made.kind = Knob::Kind::argument;
  made.values = std::move(values);
  if (!made.values.empty()) made.fallback = made.values.front();
  made.breaks = {Paradigm::ilp};
  if (!active.empty()) made.active = Expression::parse(active);
  return made;
}

inline std::vector<Constraint> constraints(const std::vector<std::string>& texts) {
  std::vector<Constraint> all;
  for (const std::string& text : texts) all.push_back({Expression::parse(text), ""});
  return all;
}

/// What the user sees when `make` fails.
template <typename Function>
std::string fault_of(Function make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace rooftune::samples

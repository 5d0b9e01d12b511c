// Knobs, sorted by their way to a worker.
#include "run/launch_settings.h"

#include <cmath>
#include <limits>

namespace rooftune::run {
namespace {

std::string place(const Kernel& kernel, std::size_t position, const char* member) {
  return (kernel.folder / "kernel.json").string() + ": /arguments/" + std::to_string(position) +
         "/" + member;
}

Value evaluated(const Expression& expression, const Expression::Lookup& lookup,
                const std::string& where) {
  try {
    return expression.evaluate(lookup);
  } catch (const Error& error) {
    throw Error("\"" + expression.text() + "\": " + error.message(), where, error.hint());
  }
}

/// A scalar argument as the worker gets it: an integer in range, or a finite real.
Json scalar(const Argument& argument, const Value& value, const std::string& where) {
  const std::string shown = argument.name + " = " + to_text(value);
  if (!value.is_number()) throw Error(shown + " is no number", where);
  const bool is_real =
      argument.type == Argument::Type::float64 || argument.type == Argument::Type::float32;
  if (is_real) {
    if (!std::isfinite(value.real())) throw Error(shown + " is not finite", where);
    return value.real();
  }
  if (value.is_real())
    throw Error(shown + " is no integer", where, "use // to divide without remainder");
  const std::int64_t integer = value.integer();
  if (argument.type == Argument::Type::int32 &&
      (integer > std::numeric_limits<std::int32_t>::max() ||
       integer < std::numeric_limits<std::int32_t>::min()))
    throw Error(shown + " does not fit 32 bits", where, "make the argument an int64");
  return integer;
}

void apply_openmp(const Knob& knob, const Value& value, Team& team) {
  if (knob.setting == "threads")
    team.threads = static_cast<int>(value.integer());
  else if (knob.setting == "schedule")
    team.schedule = value.text();
  else if (knob.setting == "chunk")
    team.chunk = static_cast<int>(value.integer());
  else
    throw Error("unknown OpenMP setting \"" + knob.setting + "\"", "knob " + knob.name,
                "threads, schedule or chunk");
}

struct Memory {
  Placement placement;
  bool parallel_touch = true;
};

void apply_memory(const Knob& knob, const Value& value, Memory& memory) {
  if (knob.setting == "huge_pages")
    memory.placement.huge_pages = value.truth();
  else if (knob.setting == "first_touch")
    memory.parallel_touch = value.text() != "serial";
  else if (knob.setting == "numa_policy")
    memory.placement.interleave = value.text() == "interleave";
  else if (knob.setting == "memory_tier")
    memory.placement.fast_memory = value.text() == "fast";
  else if (knob.setting == "offset")
    memory.placement.offset = static_cast<std::size_t>(value.integer());
  else
    throw Error("unknown memory setting \"" + knob.setting + "\"", "knob " + knob.name,
                "huge_pages, first_touch, numa_policy, memory_tier or offset");
}

Json scalars(const Kernel& kernel, const SearchSpace& space, const Configuration& configuration,
             const Facts& facts) {
  const Expression::Lookup lookup = [&](const std::string& name) -> std::optional<Value> {
    const Knob* knob = space.knob(name);
    if (knob) return configuration.at(name);
    const auto fact = facts.find(name);
    return fact == facts.end() ? std::nullopt : std::optional(fact->second);
  };
  Json result = Json::array();
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const Argument& argument = kernel.arguments[i];
    const std::string where = place(kernel, i, "value");
    result.push_back(argument.pointer
                         ? Json()
                         : scalar(argument, evaluated(argument.value, lookup, where), where));
  }
  return result;
}

}  // namespace

LaunchSettings launch_settings(const Kernel& kernel, const SearchSpace& space,
                               const Configuration& configuration, const Facts& facts, int threads,
                               bool has_numa) {
  LaunchSettings result;
  result.team.threads = threads;
  Memory memory;
  for (const Knob& knob : space.knobs()) {
    const Value& value = configuration.at(knob.name);
    if (knob.kind == Knob::Kind::environment) result.environment[knob.setting] = to_text(value);
    if (knob.kind == Knob::Kind::openmp) apply_openmp(knob, value, result.team);
    if (knob.kind == Knob::Kind::memory) apply_memory(knob, value, memory);
  }
  // A chunk without a schedule is a chunk of the static one.
  if (result.team.chunk > 0 && result.team.schedule.empty()) result.team.schedule = "static";
  result.placement = memory.placement;
  result.placement.touch_threads = !has_numa               ? threads
                                   : memory.parallel_touch ? result.team.threads
                                                           : 1;
  result.scalars = scalars(kernel, space, configuration, facts);
  return result;
}

std::vector<Slot> slots(const Kernel& kernel, const Facts& facts) {
  const Expression::Lookup lookup = [&](const std::string& name) -> std::optional<Value> {
    const auto fact = facts.find(name);
    return fact == facts.end() ? std::nullopt : std::optional(fact->second);
  };
  std::vector<Slot> result;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    Slot slot;
    slot.argument = kernel.arguments[i];
    if (slot.argument.pointer && !slot.argument.count.empty()) {
      const std::string where = place(kernel, i, "count");
      const Value count = evaluated(slot.argument.count, lookup, where);
      // A whole real is a count too: facts and Mi-parameters come as reals.
      if (!count.is_number() || count.real() < 0 || count.real() != std::floor(count.real()) ||
          count.real() > 1e15)
        throw Error("\"" + slot.argument.count.text() + "\" is " + to_text(count) +
                        ", no count of elements",
                    where, "use // to divide without remainder");
      slot.count = static_cast<std::int64_t>(count.real());
    }
    result.push_back(std::move(slot));
  }
  return result;
}

}  // namespace rooftune::run

// Knobs, sorted by their way to a worker.
#include "run/launch_settings.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "core/list.h"
#include "run/element.h"

namespace rooftune::run {
namespace {

std::string place(const Kernel& kernel, size_t position, const char* member) {
  return (kernel.folder / "kernel.json").string() + ": /arguments/" + std::to_string(position) +
         "/" + member;
}

/// A scalar argument as the worker gets it: an integer in range, or a finite real.
Json scalar(const Argument& argument, const Value& value, const std::string& where) {
  const std::string shown = argument.name + " = " + to_text(value);
  if (!value.is_number()) throw Error(shown + " is no number", where);
  if (argument.type.is_rounded()) {
    if (!std::isfinite(value.real())) throw Error(shown + " is not finite", where);
    return value.real();
  }
  if (value.is_real())
    throw Error(shown + " is no integer", where, "use // to divide without remainder");
  const int64_t integer = value.integer();
  const bool fits = with_type(argument.type, [&]<class T>(T*) {
    if constexpr (std::is_integral_v<T>) return std::in_range<T>(integer);
    return integer == 0 || integer == 1;
  });
  if (!fits)
    throw Error(shown + " does not fit " + argument.type.word(), where,
                "a larger type, such as int64");
  return integer;
}

/// Element i of a permutation is (seed + i)*scale modulo high, where scale and high have no common
/// divisor; indices "of" a number go up to it.
void permute(Slot& slot, const Expression::Lookup& lookup, const std::string& where) {
  Fill& fill = slot.argument.fill;
  const Expression& indices = slot.argument.value;
  const bool permutation = fill.kind == Fill::Kind::permutation;
  if (indices.empty() && !permutation) return;
  fill.high = indices.empty() ? double(slot.count) : indices.evaluate(lookup, where).real();
  if (!permutation) {
    fill.scale = fill.high / std::max(1.0, double(slot.count) - 1);
    return;
  }
  if (!(fill.high >= 0 && fill.high < 0x1p32))
    throw Error("there are no such indices", where, "fewer than 2^32 elements, or a \"file\"");
  const auto size = uint64_t(fill.high);
  constexpr double golden = 0.618;
  auto step = uint64_t(golden * fill.high);
  while (std::gcd(step, size) > 1 || step == 0) ++step;
  fill.scale = double(step);
}

/// What the value of each setting changes; names and values are checked where the space is read.
const ByName<void (*)(const Value&, Team&)> openmp_settings{
    {"threads", [](const Value& v, Team& team) { team.threads = int(v.integer()); }},
    {"schedule", [](const Value& v, Team& team) { team.schedule = v.text(); }},
    {"chunk", [](const Value& v, Team& team) { team.chunk = int(v.integer()); }}};

struct Memory {
  Placement placement;
  bool serial_touch = false;
};
const ByName<void (*)(const Value&, Memory&)> memory_settings{
    {"huge_pages", [](const Value& v, Memory& m) { m.placement.huge_pages = v.truth(); }},
    {"first_touch", [](const Value& v, Memory& m) { m.serial_touch = v == Value("serial"); }},
    {"numa_policy",
     [](const Value& v, Memory& m) { m.placement.interleave = v == Value("interleave"); }},
    {"memory_tier",
     [](const Value& v, Memory& m) { m.placement.fast_memory = v == Value("fast"); }},
    {"offset", [](const Value& v, Memory& m) { m.placement.offset = v.integer(); }}};

Json scalars(const Kernel& kernel, const SearchSpace& space, const Configuration& configuration,
             const Facts& facts) {
  const Expression::Lookup lookup = [&](const std::string& name) {
    return space.knob(name) ? configuration.at(name) : copy_at(facts, name);
  };
  Json result = Json::array();
  for (const size_t i : indices(kernel.arguments)) {
    const Argument& argument = kernel.arguments[i];
    const std::string where = place(kernel, i, "value");
    result.push_back(argument.pointer
                         ? Json()
                         : scalar(argument, argument.value.evaluate(lookup, where), where));
  }
  return result;
}

/// The team that the OpenMP knobs set; `threads` where no knob sets them.
Team openmp_team(const SearchSpace& space, const Configuration& configuration, int threads) {
  Team result{threads, {}, 0};
  for (const Knob& knob : space.knobs())
    if (knob.kind == Knob::Kind::openmp)
      openmp_settings.at(knob.setting)(configuration.at(knob.name), result);
  // A chunk without a schedule belongs to the static one.
  if (result.chunk > 0 && result.schedule.empty()) result.schedule = "static";
  return result;
}

/// The environment knobs.
NamedTexts environment_variables(const SearchSpace& space, const Configuration& configuration) {
  NamedTexts result;
  for (const Knob& knob : space.knobs())
    if (knob.kind == Knob::Kind::environment)
      result[knob.setting] = to_text(configuration.at(knob.name));
  return result;
}

}  // namespace

NamedTexts program_variables(const SearchSpace& space, const Configuration& configuration) {
  // A knob for a variable outranks the OpenMP knobs.
  auto result = environment_variables(space, configuration);
  const Team team = openmp_team(space, configuration, 0);
  if (team.threads > 0) result.emplace("OMP_NUM_THREADS", std::to_string(team.threads));
  if (!team.schedule.empty())
    result.emplace("OMP_SCHEDULE",
                   team.schedule + (team.chunk > 0 ? fmt::format(",{}", team.chunk) : ""));
  return result;
}

LaunchSettings launch_settings(const Kernel& kernel, const SearchSpace& space,
                               const Configuration& configuration, const Facts& facts, int threads,
                               bool has_numa) {
  Memory memory;
  for (const Knob& knob : space.knobs())
    if (knob.kind == Knob::Kind::memory)
      memory_settings.at(knob.setting)(configuration.at(knob.name), memory);
  LaunchSettings result{environment_variables(space, configuration), memory.placement,
                        openmp_team(space, configuration, threads),
                        scalars(kernel, space, configuration, facts)};
  result.placement.touch_threads = !has_numa             ? threads
                                   : memory.serial_touch ? 1
                                                         : result.team.threads;
  return result;
}

Slots slots(const Kernel& kernel, const Facts& facts) {
  const auto lookup = lookup_in(facts);
  Slots result;
  for (const size_t i : indices(kernel.arguments)) {
    Slot slot;
    slot.argument = kernel.arguments[i];
    if (slot.argument.pointer && !slot.argument.count.empty()) {
      const std::string where = place(kernel, i, "count");
      const Value count = slot.argument.count.evaluate(lookup, where);
      // A whole real is a count too: facts and Mi-parameters come as reals.
      if (!count.is_number() || count.real() < 0 || count.real() != std::floor(count.real()) ||
          count.real() > 1e15)
        throw Error("\"" + slot.argument.count.text() + "\" is " + to_text(count) +
                        ", no count of elements",
                    where, "use // to divide without remainder");
      slot.count = int64_t(count.real());
      permute(slot, lookup, place(kernel, i, "fill/of"));
    }
    result.push_back(std::move(slot));
  }
  return result;
}

}  // namespace rooftune::run

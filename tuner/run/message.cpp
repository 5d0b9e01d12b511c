// Requests as JSON and back.
// The worker trusts nobody: every member is checked, so that a broken line ends in an Error.
#include "run/message.h"

#include <cmath>

namespace rooftune {
namespace {

const char* const type_names[] = {"int32", "int64", "float32", "float64"};
const char* const accesses[] = {"read", "write", "update"};
const char* const fills[] = {"zero", "constant", "uniform", "index", "sine"};

template <class Enum, std::size_t N>
Enum enumerator(const char* const (&words)[N], const std::string& word) {
  for (std::size_t i = 0; i < N; ++i)
    if (word == words[i]) return static_cast<Enum>(i);
  throw Error("unknown word \"" + word + "\" in a request");
}

template <std::size_t N, class Enum>
const char* word(const char* const (&words)[N], Enum value) {
  return words[static_cast<std::size_t>(value)];
}

Json fill_json(const Fill& fill) {
  return {{"kind", word(fills, fill.kind)},
          {"value", fill.value},
          {"low", fill.low},
          {"high", fill.high},
          {"seed", fill.seed},
          {"scale", fill.scale},
          {"offset", fill.offset},
          {"waves", fill.waves}};
}

Fill fill_from(const Json& json) {
  Fill fill;
  fill.kind = enumerator<Fill::Kind>(fills, json.at("kind").get<std::string>());
  json.at("value").get_to(fill.value);
  json.at("low").get_to(fill.low);
  json.at("high").get_to(fill.high);
  json.at("seed").get_to(fill.seed);
  json.at("scale").get_to(fill.scale);
  json.at("offset").get_to(fill.offset);
  json.at("waves").get_to(fill.waves);
  return fill;
}

Json slot_json(const Slot& slot) {
  const Argument& argument = slot.argument;
  return {{"name", argument.name},
          {"type", word(type_names, argument.type)},
          {"pointer", argument.pointer},
          {"access", word(accesses, argument.access)},
          {"from_problem", argument.from_problem},
          {"fill", fill_json(argument.fill)},
          {"count", slot.count}};
}

Slot slot_from(const Json& json) {
  Slot slot;
  json.at("name").get_to(slot.argument.name);
  slot.argument.type = enumerator<Argument::Type>(type_names, json.at("type").get<std::string>());
  json.at("pointer").get_to(slot.argument.pointer);
  slot.argument.access =
      enumerator<Argument::Access>(accesses, json.at("access").get<std::string>());
  json.at("from_problem").get_to(slot.argument.from_problem);
  slot.argument.fill = fill_from(json.at("fill"));
  json.at("count").get_to(slot.count);
  if (slot.count < 0) throw Error("negative count in a request");
  return slot;
}

/// nlohmann's exceptions for missing members and wrong types become Errors.
template <class Read>
auto checked(Read read) {
  try {
    return read();
  } catch (const Json::exception& fault) {
    throw Error(std::string("malformed request: ") + fault.what());
  }
}

Json placement_json(const Placement& placement) {
  return {{"huge_pages", placement.huge_pages},
          {"interleave", placement.interleave},
          {"fast_memory", placement.fast_memory},
          {"offset", placement.offset},
          {"touch_threads", placement.touch_threads}};
}

Placement placement_from(const Json& json) {
  Placement placement;
  json.at("huge_pages").get_to(placement.huge_pages);
  json.at("interleave").get_to(placement.interleave);
  json.at("fast_memory").get_to(placement.fast_memory);
  json.at("offset").get_to(placement.offset);
  json.at("touch_threads").get_to(placement.touch_threads);
  return placement;
}

Json timing_json(const Timing& timing) {
  return {{"sample_seconds", timing.sample_seconds},
          {"trial_seconds", timing.trial_seconds},
          {"min_samples", timing.min_samples},
          {"max_samples", timing.max_samples},
          {"incumbent", timing.incumbent ? Json(*timing.incumbent) : Json()}};
}

Timing timing_from(const Json& json) {
  Timing timing;
  json.at("sample_seconds").get_to(timing.sample_seconds);
  json.at("trial_seconds").get_to(timing.trial_seconds);
  json.at("min_samples").get_to(timing.min_samples);
  json.at("max_samples").get_to(timing.max_samples);
  if (!json.at("incumbent").is_null()) timing.incumbent = json.at("incumbent").get<double>();
  return timing;
}

const char* const modes[] = {"none", "card", "emulated", "planned"};

Json cuda_json(const CudaSetup& cuda) {
  return {{"mode", word(modes, cuda.mode)},
          {"card", cuda.card},
          {"multiprocessors", cuda.multiprocessors},
          {"shared_per_block", cuda.shared_per_block},
          {"l2_bytes", cuda.l2_bytes},
          {"memory_bytes", cuda.memory_bytes},
          {"compute_capability", cuda.limits.compute_capability},
          {"threads", cuda.limits.threads},
          {"blocks", cuda.limits.blocks},
          {"registers", cuda.limits.registers},
          {"shared_bytes", cuda.limits.shared_bytes},
          {"shared_reserved", cuda.limits.shared_reserved}};
}

CudaSetup cuda_from(const Json& json) {
  CudaSetup cuda;
  cuda.mode = enumerator<CudaSetup::Mode>(modes, json.at("mode").get<std::string>());
  json.at("card").get_to(cuda.card);
  json.at("multiprocessors").get_to(cuda.multiprocessors);
  json.at("shared_per_block").get_to(cuda.shared_per_block);
  json.at("l2_bytes").get_to(cuda.l2_bytes);
  json.at("memory_bytes").get_to(cuda.memory_bytes);
  json.at("compute_capability").get_to(cuda.limits.compute_capability);
  json.at("threads").get_to(cuda.limits.threads);
  json.at("blocks").get_to(cuda.limits.blocks);
  json.at("registers").get_to(cuda.limits.registers);
  json.at("shared_bytes").get_to(cuda.limits.shared_bytes);
  json.at("shared_reserved").get_to(cuda.limits.shared_reserved);
  return cuda;
}

}  // namespace

Json to_json(const Setup& setup) {
  Json slots = Json::array();
  for (const Slot& slot : setup.slots) slots.push_back(slot_json(slot));
  return {{"slots", slots},
          {"relative", setup.tolerance.relative},
          {"absolute", setup.tolerance.absolute},
          {"scale", setup.tolerance.scale},
          {"problem_folder", setup.problem_folder.string()},
          {"reference_folder", setup.reference_folder.string()},
          {"openmp", setup.openmp},
          {"warm", setup.warm},
          {"flush_bytes", setup.flush_bytes},
          {"array_sets", setup.array_sets},
          {"cuda", cuda_json(setup.cuda)}};
}

Setup setup_from_json(const Json& json) {
  return checked([&] {
    Setup setup;
    for (const Json& slot : json.at("slots")) setup.slots.push_back(slot_from(slot));
    json.at("relative").get_to(setup.tolerance.relative);
    json.at("absolute").get_to(setup.tolerance.absolute);
    json.at("scale").get_to(setup.tolerance.scale);
    setup.problem_folder = json.at("problem_folder").get<std::string>();
    setup.reference_folder = json.at("reference_folder").get<std::string>();
    json.at("openmp").get_to(setup.openmp);
    json.at("warm").get_to(setup.warm);
    json.at("flush_bytes").get_to(setup.flush_bytes);
    json.at("array_sets").get_to(setup.array_sets);
    setup.cuda = cuda_from(json.at("cuda"));
    return setup;
  });
}

Json to_json(const PlannedLaunch& launch) {
  return {{"kernel", launch.kernel},
          {"blocks", launch.blocks},
          {"threads", launch.threads},
          {"shared_bytes", launch.shared_bytes},
          {"times", launch.times}};
}

PlannedLaunch planned_launch_from_json(const Json& json) {
  return checked([&] {
    PlannedLaunch launch;
    json.at("kernel").get_to(launch.kernel);
    json.at("blocks").get_to(launch.blocks);
    json.at("threads").get_to(launch.threads);
    json.at("shared_bytes").get_to(launch.shared_bytes);
    json.at("times").get_to(launch.times);
    return launch;
  });
}

Json to_json(const Task& task) {
  return {{"library", task.library.string()}, {"image", task.image.string()},
          {"scalars", task.scalars},          {"placement", placement_json(task.placement)},
          {"threads", task.team.threads},     {"schedule", task.team.schedule},
          {"chunk", task.team.chunk},         {"timing", timing_json(task.timing)}};
}

Task task_from_json(const Json& json) {
  return checked([&] {
    Task task;
    task.library = json.at("library").get<std::string>();
    task.image = json.at("image").get<std::string>();
    task.scalars = json.at("scalars");
    task.placement = placement_from(json.at("placement"));
    json.at("threads").get_to(task.team.threads);
    json.at("schedule").get_to(task.team.schedule);
    json.at("chunk").get_to(task.team.chunk);
    task.timing = timing_from(json.at("timing"));
    return task;
  });
}

Json to_json(const CountingPlan& plan) {
  Json levels = Json::array();
  for (const MemoryLevel& level : plan.levels)
    levels.push_back({{"name", level.name},
                      {"capacity", level.capacity ? Json(*level.capacity) : Json()},
                      {"reported", level.reported ? Json(*level.reported) : Json()},
                      {"instances", level.instances}});
  return {{"levels", levels},
          {"threads", plan.threads},
          {"warm", plan.warm},
          {"compute_capability", plan.compute_capability}};
}

CountingPlan plan_from_json(const Json& json) {
  return checked([&] {
    CountingPlan plan;
    for (const Json& one : json.at("levels")) {
      MemoryLevel level;
      one.at("name").get_to(level.name);
      if (!one.at("capacity").is_null()) level.capacity = one.at("capacity").get<double>();
      if (!one.at("reported").is_null()) level.reported = one.at("reported").get<double>();
      one.at("instances").get_to(level.instances);
      plan.levels.push_back(std::move(level));
    }
    json.at("threads").get_to(plan.threads);
    json.at("warm").get_to(plan.warm);
    json.at("compute_capability").get_to(plan.compute_capability);
    return plan;
  });
}

Json to_json(const Sample& sample) {
  return Json::array({sample.seconds, sample.cpu_share, sample.switches});
}

Sample sample_from_json(const Json& json) {
  return checked([&] {
    return Sample{json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<int>()};
  });
}

}  // namespace rooftune

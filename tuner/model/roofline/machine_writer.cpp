// The writer of machine files: rates in GFLOP/s or GB/s and capacities in KiB or MiB on paper.
#include "core/estimate_json.h"
#include "core/units.h"
#include "roofline/machine.h"

namespace rooftune::roofline {
namespace {

Json paper(double value, double factor, const char* unit) {
  return Json{{"value", value / factor}, {"unit", unit}};
}

/// Powers of two lose no digit.
Json capacity_json(double bytes) {
  const bool mebibytes = bytes >= bytes_unit("MiB");
  return paper(bytes, bytes_unit(mebibytes ? "MiB" : "KiB"), mebibytes ? "MiB" : "KiB");
}

Json rate_json(const Estimate& rate, double factor, const char* unit) {
  return Json{{"value", rate.value / factor},
              {"low", rate.low / factor},
              {"high", rate.high / factor},
              {"unit", unit}};
}

void write_bandwidth(Json& json, const Ceiling& ceiling) {
  json["level"] = ceiling.level;
  json["mix"] = ceiling.mix;
  json["reads"] = ceiling.reads;
  json["stride"] = ceiling.stride;
  if (ceiling.non_temporal) json["non_temporal"] = true;
  if (ceiling.huge_pages) json["huge_pages"] = true;
  if (ceiling.remote) json["remote"] = true;
  if (ceiling.working_set > 0) json["working_set"] = capacity_json(ceiling.working_set);
}

Json ceiling_json(const Ceiling& ceiling) {
  const bool flops = ceiling.kind == Ceiling::Kind::in_core;
  const bool launches = ceiling.kind == Ceiling::Kind::launch;
  const char* unit = launches ? "launches/s" : flops ? "GFLOP/s" : "GB/s";
  const double factor = launches ? 1 : flops ? flop_rate_unit(unit) : byte_rate_unit(unit);
  Json json{{"name", ceiling.name}, {"kind", to_text(ceiling.kind)}};
  if (flops) {
    json["precision"] = ceiling.precision;
    json["mix"] = ceiling.mix;
    json["simd_bits"] = ceiling.simd_bits;
    json["ilp"] = ceiling.ilp;
  } else if (!launches) {
    write_bandwidth(json, ceiling);
  }
  json["threads"] = ceiling.threads;
  json["rate"] = rate_json(ceiling.rate, factor, unit);
  json["requires"] = words(ceiling.requirements);
  json["source"] = source_json(ceiling.source);
  json["stable"] = ceiling.stable;
  if (ceiling.shown_only) json["binding"] = false;
  if (ceiling.clock > 0) json["clock"] = paper(ceiling.clock, parse_hertz("1 GHz").value(), "GHz");
  if (!ceiling.samples.empty()) {
    json["samples"] = Json::array();
    for (const double sample : ceiling.samples) json["samples"].push_back(sample / factor);
  }
  return json;
}

Json level_json(const MemoryLevel& level) {
  Json json{{"name", level.name}};
  if (level.capacity) json["capacity"] = capacity_json(*level.capacity);
  if (level.reported) json["reported"] = capacity_json(*level.reported);
  if (level.at_most) json["at_most"] = capacity_json(*level.at_most);
  json["instances"] = level.instances;
  if (level.ways > 0) json["ways"] = level.ways;
  return json;
}

}  // namespace

Json to_json(const Machine& machine) {
  Json json{{"schema", "rooftune-machine-1"},
            {"name", machine.name},
            {"description", machine.description},
            {"kind", to_text(machine.kind)},
            {"id", machine.id}};
  json["identity"] = machine.identity;
  json["cores"] = machine.cores;
  json["numa_nodes"] = machine.numa_nodes;
  if (machine.fast_memory_nodes > 0) json["fast_memory_nodes"] = machine.fast_memory_nodes;
  json["simd_bits"] = machine.simd_bits;
  json["features"] = machine.features;
  if (machine.gpu) json["gpu"] = to_json(*machine.gpu);
  json["levels"] = Json::array();
  for (const auto& level : machine.levels) json["levels"].push_back(level_json(level));
  json["ceilings"] = Json::array();
  for (const auto& ceiling : machine.ceilings) json["ceilings"].push_back(ceiling_json(ceiling));
  json["notes"] = machine.notes;
  if (machine.slurm) json["slurm"] = to_json(*machine.slurm);
  return json;
}

}  // namespace rooftune::roofline

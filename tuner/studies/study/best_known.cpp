#include "study/best_known.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"
#include "os/paths.h"

namespace rooftune::study {
namespace {

constexpr const char* schema = "rooftune-best-known-1";

/// "AMD" of "AMD EPYC 9575F 64-Core Processor".
std::string vendor(const MachineClass& machine) {
  return machine.model.substr(0, machine.model.find_first_of(" ("));
}

/// Doublings between two sizes.
double doublings(double a, double b) {
  if (a == b) return 0;
  return a > 0 && b > 0 ? std::abs(std::log2(a / b)) : 1;
}

/// Share of the instruction sets found on one side only.
double share_differing(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const std::set<std::string> mine(a.begin(), a.end()), others(b.begin(), b.end());
  std::set<std::string> all = mine;
  all.insert(others.begin(), others.end());
  const auto differing = std::count_if(all.begin(), all.end(), [&](const std::string& name) {
    return mine.count(name) != others.count(name);
  });
  return all.empty() ? 0 : static_cast<double>(differing) / static_cast<double>(all.size());
}

Json class_json(const MachineClass& machine) {
  return {{"kind", to_text(machine.kind)},
          {"model", machine.model},
          {"cores", machine.cores},
          {"simd_bits", machine.simd_bits},
          {"features", machine.features}};
}

MachineClass class_from(ObjectReader& reader) {
  MachineClass machine;
  const std::string kind = reader.text("kind");
  if (kind == to_text(MachineKind::gpu))
    machine.kind = MachineKind::gpu;
  else if (kind != to_text(MachineKind::cpu))
    reader.fault("kind", "\"" + excerpt(kind) + "\" is no kind of machine", "cpu or gpu");
  machine.model = reader.text("model");
  machine.cores = static_cast<int>(reader.integer("cores"));
  machine.simd_bits = static_cast<int>(reader.integer("simd_bits", 0));
  machine.features = reader.texts("features");
  reader.finish();
  return machine;
}

/// Names with values, none of them a list.
std::map<std::string, Value> values_of(ObjectReader& reader, const std::string& key) {
  std::map<std::string, Value> values;
  const bool there = reader.object(key, [&](ObjectReader& object) {
    for (const auto& [name, value] : object.json().items()) {
      object.know(name);
      if (value.is_primitive() && !value.is_null())
        values[name] = value_from_json(value);
      else
        object.fault(name, "must be a number, text or truth");
    }
  });
  if (!there) reader.fault(key, "is missing (an object of names with their values)");
  return values;
}

double positive(ObjectReader& reader, const std::string& key) {
  const double value = reader.real(key);
  if (!(value > 0)) reader.fault(key, "must be more than 0");
  return value;
}

KnownBest entry_from(ObjectReader& reader) {
  KnownBest entry;
  if (!reader.object("machine", [&](ObjectReader& one) { entry.machine = class_from(one); }))
    reader.fault("machine", "is missing (kind, model, cores, simd_bits, features)");
  entry.problem = values_of(reader, "problem");
  for (const auto& [name, value] : values_of(reader, "configuration"))
    entry.difference.set(name, value);
  entry.seconds = positive(reader, "seconds");
  if (!reader.member("over_baseline").is_null())
    entry.over_baseline = positive(reader, "over_baseline");
  entry.gap = positive(reader, "gap");
  entry.compiler = reader.text("compiler", "");
  entry.date = reader.text("date", "");
  entry.version = reader.text("version", "");
  entry.study = reader.text("study", "");
  reader.finish();
  return entry;
}

}  // namespace

MachineClass machine_class(const Machine& machine) {
  const auto cpu = machine.identity.find("cpu");
  return {machine.kind,
          cpu != machine.identity.end() && !machine.is_gpu() ? cpu->second : machine.description,
          machine.cores, machine.simd_bits, machine.features};
}

double distance(const MachineClass& a, const MachineClass& b) {
  double far = a.model == b.model ? 0 : vendor(a) == vendor(b) ? 1 : 2;
  if (a.kind != b.kind) far += 8;
  far += doublings(std::max(1, a.simd_bits), std::max(1, b.simd_bits));
  far += share_differing(a.features, b.features);
  return far + doublings(a.cores, b.cores);
}

double distance(const Facts& a, const Facts& b) {
  double far = 0;
  const auto add_distance = [&far](const Facts& mine, const Facts& others, bool count_both) {
    for (const auto& [name, value] : mine) {
      const auto other = others.find(name);
      if (other == others.end())
        far += 1;
      else if (count_both && value.is_number() && other->second.is_number())
        far += doublings(value.real(), other->second.real());
      else if (count_both && !(value == other->second))
        far += 1;
    }
  };
  add_distance(a, b, true);
  add_distance(b, a, false);
  return far;
}

void add(BestKnown& known, KnownBest entry) {
  for (KnownBest& other : known.entries) {
    if (!(other.machine == entry.machine) || other.problem != entry.problem) continue;
    if (entry.seconds < other.seconds) other = std::move(entry);
    return;
  }
  known.entries.push_back(std::move(entry));
}

BestKnown best_known_from_json(const Json& json, const std::string& where) {
  Faults faults;
  ObjectReader reader(json, where, faults);
  BestKnown known;
  if (reader.text("schema") != schema)
    reader.fault("schema", std::string("must be \"") + schema + "\"",
                 "tune export --format best-known writes such files");
  known.kernel = reader.text("kernel");
  known.backend = reader.text("backend");
  reader.each("entries", [&](ObjectReader& one) { known.entries.push_back(entry_from(one)); });
  reader.finish();
  faults.raise();
  return known;
}

Json to_json(const BestKnown& known) {
  Json entries = Json::array();
  for (const KnownBest& entry : known.entries)
    entries.push_back({{"machine", class_json(entry.machine)},
                       {"problem", facts_json(entry.problem)},
                       {"configuration", to_json(entry.difference)},
                       {"seconds", entry.seconds},
                       {"over_baseline", entry.over_baseline ? Json(*entry.over_baseline) : Json()},
                       {"gap", entry.gap},
                       {"compiler", entry.compiler},
                       {"date", entry.date},
                       {"version", entry.version},
                       {"study", entry.study}});
  return {{"schema", schema},
          {"kernel", known.kernel},
          {"backend", known.backend},
          {"entries", entries}};
}

std::optional<BestKnown> shipped_best(const std::string& kernel, const std::string& backend) {
  const auto file = best_known_directory() / (kernel + "." + backend + ".json");
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return std::nullopt;
  return best_known_from_json(read_json(file), file.string());
}

}  // namespace rooftune::study

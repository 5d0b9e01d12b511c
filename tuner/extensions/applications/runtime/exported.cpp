#include "runtime/exported.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/list.h"
#include "os/topology.h"
#include "runtime/look_up.h"

namespace rooftune::runtime {
namespace {

constexpr const char* export_schema = "rooftune-export-1";
/// A study has only a handful.
constexpr size_t most_problems = 1000;

/// The member, if `json` is an object that has it; else null.
const Json& member(const Json& json, const char* key) {
  static const Json null;
  if (!json.is_object()) return null;
  const auto found = json.find(key);
  return found != json.end() ? *found : null;
}

double positive_of(const Json& json, const char* key) {
  const Json& number = member(json, key);
  return number.is_number() ? std::max(0.0, number.get<double>()) : 0;
}

/// The value with its name; nullopt for a list, an object or null.
std::optional<NamedValue> named_value(const std::string& name, const Json& json) {
  if (json.is_structured() || json.is_null()) return std::nullopt;
  const bool too_large = json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX;
  NamedValue result{name, too_large ? Value(json.get<double>()) : value_from_json(json)};
  const double number = result.value.is_number() ? result.value.real() : 0;
  if (number > 0 && std::isfinite(number)) result.logarithm = std::log(number);
  return result;
}

/// Members other than plain values (lists) are left out: an application could not use them.
NamedValues named_values(const Json& json) {
  NamedValues values;
  if (!json.is_object()) return values;
  for (const auto& [name, value] : json.items())
    if (auto named = named_value(name, value)) values.push_back(std::move(*named));
  sort(values, {}, &NamedValue::name);
  return values;
}

/// Throws Error for a value that the search space did not have: somebody edited it, and nobody
/// tried it.
void check_values(const Json& configuration, const Json& knobs, const std::string& where) {
  if (!configuration.is_object()) return;
  for (const auto& [name, value] : configuration.items()) {
    const Json& allowed = member(member(knobs, name.c_str()), "values");
    if (!allowed.is_array() || contains(allowed, value)) continue;
    throw Error(excerpt(name) + " = " + excerpt(json_text(value)) +
                    " is none of the values that were searched: " + excerpt(json_text(allowed)),
                where, "put the value of its study back: tune export writes it");
  }
}

std::optional<CapabilityClass> capability_class(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  CapabilityClass can;
  can.gpu = text_of(json, "kind") == "gpu";
  can.model = text_of(json, "model");
  can.cores = positive_of(json, "cores");
  can.threads = positive_of(json, "threads");
  can.simd_bits = positive_of(json, "simd_bits");
  const Json& features = member(json, "features");
  if (!features.is_array()) return std::nullopt;
  for (const Json& feature : features)
    // A feature that is no text is unknown, so this host lacks it.
    can.features.push_back(feature.is_string() ? feature.get<std::string>() : "?");
  const Json& caches = member(json, "caches");
  if (caches.is_object())
    for (const auto& [level, bytes] : caches.items())
      can.caches[level] = positive_of(caches, level.c_str());
  return can;
}

void read_machine_of(const Json& machine, Exported& exported) {
  exported.machine = text_of(machine, "name");
  exported.machine_id = text_of(machine, "id");
  exported.can = capability_class(member(machine, "class"));
  const Json& identity = member(machine, "identity");
  if (identity.is_object())
    for (const auto& [name, value] : identity.items())
      if (value.is_string()) exported.identity[name] = value.get<std::string>();
}

void check_schema(const Json& json, const std::string& where) {
  const std::string schema = text_of(json, "schema");
  if (schema == export_schema) return;
  const bool newer = schema.rfind("rooftune-export-", 0) == 0;
  throw Error(newer ? "is a document " + excerpt(schema) + ", this library reads " + export_schema
                    : std::string("is no ") + export_schema + " document",
              where,
              newer
                  ? "link the library of the Rooftune that wrote it, or export again with this one"
                  : "tune export --format json writes such files");
}

void describe(Host& host) {
  const Topology here = topology();
  const CpuFeatures features = cpu_features();
  host.identity = machine_identity(here, features);
  host.id = machine_id(host.identity);
  host.can.model = here.cpu_model;
  host.can.cores = here.cores;
  host.can.threads = double(here.cpus.size());
  host.can.simd_bits = features.simd_bits;
  host.can.features = features.names;
  for (const ReportedCache& cache : here.caches) host.can.caches[cache.name] = double(cache.bytes);
  host.features = host.identity.at("features");
  host.caches = host.identity.at("caches");
  host.shown = {host.id.c_str(), host.can.model.c_str(), host.features.c_str(), host.caches.c_str(),
                here.cores,      int(here.cpus.size()),  features.simd_bits};
}

MachineIdentity without_name(MachineIdentity identity) {
  identity.erase("hostname");
  return identity;
}

/// Whether the two differ by at most a factor of two; 0 is unknown and fits.
bool is_within_factor_two(double a, double b) {
  return a == 0 || b == 0 || (a <= 2 * b && b <= 2 * a);
}

/// The first instruction set that this host lacks; empty if it has all.
std::string lacking(const CapabilityClass& there, const CapabilityClass& here) {
  for (const std::string& feature : there.features)
    if (!contains(here.features, feature)) return feature;
  return {};
}

/// Why the machines belong to different classes; empty when they share one.
std::string class_difference(const CapabilityClass& there, const CapabilityClass& here) {
  // A processor that names no instruction sets (neither x86 nor Arm) must be the same model.
  if (there.features.empty() != here.features.empty() ||
      (there.features.empty() && there.model != here.model))
    return "may be of another architecture";
  if (there.simd_bits != here.simd_bits)
    return fmt::format("has {:g}-bit vectors, this one {:g}", there.simd_bits, here.simd_bits);
  if (!is_within_factor_two(there.cores, here.cores) ||
      !is_within_factor_two(there.threads, here.threads))
    return fmt::format("has {:g} cores with {:g} threads, {:g} with {:g} are usable here",
                       there.cores, there.threads, here.cores, here.threads);
  for (const auto& [level, bytes] : there.caches)
    if (const auto* own = value_at(here.caches, level); own && !is_within_factor_two(bytes, *own))
      return fmt::format("has {} of {:.4g} KiB, here it has {:.4g} KiB", excerpt(level),
                         bytes / 1024, *own / 1024);
  return {};
}

int differences(const CapabilityClass& there, const CapabilityClass& here) {
  return (there.model != here.model) + (there.cores != here.cores) +
         (there.threads != here.threads) + (there.features != here.features) +
         (there.caches != here.caches);
}

}  // namespace

Exported read_exported(const fs::path& file) {
  // Reading a pipe would wait, and a device never ends.
  if (std::error_code fault; fs::exists(file, fault) && !is_file(file))
    throw Error("is no file", file, "name a file that tune export wrote, or its folder");
  const Json json = read_json(file);
  check_schema(json, file.string());
  Exported exported;
  exported.kernel = text_of(json, "kernel");
  read_machine_of(member(json, "machine"), exported);
  const Json& provenance = member(json, "provenance");
  exported.study = text_of(provenance, "study");
  exported.date = text_of(provenance, "date");
  exported.verdict = text_of(member(provenance, "verdict"), "sentence");
  check_values(member(json, "configuration"), member(json, "knobs"), file.string());
  exported.knobs = named_values(member(json, "configuration"));
  exported.content = hash_hex(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (exported.kernel.empty() || exported.knobs.empty())
    throw Error("names no kernel or no configuration", file, "export it again");
  const Json& problems = member(json, "problems");
  if (problems.size() > most_problems)
    throw Error("names more than " + std::to_string(most_problems) + " problems", file,
                "export a study of fewer inputs");
  if (problems.is_array())
    for (const Json& problem : problems) exported.problems.push_back(named_values(problem));
  if (exported.problems.empty()) exported.problems = {named_values(member(json, "problem"))};
  return exported;
}

const Host& host() {
  // Never destroyed: threads may ask while the process ends.
  static const Host* const one = [] {
    auto* const made = new Host;
    describe(*made);
    return made;
  }();
  return *one;
}

const rooftune_machine& shown_host() noexcept {
  static constexpr rooftune_machine unknown{"", "", "", "", 1, 1, 0};
  try {
    return host().shown;
  } catch (...) {
    return unknown;
  }
}

Standing standing(const Exported& exported, const Host& host) {
  Standing result;
  const std::string there =
      fmt::format("machine {} ({})", excerpt(exported.machine),
                  exported.can ? excerpt(exported.can->model) : excerpt(exported.machine_id));
  const auto foreign = [&](const std::string& why) {
    result.reason = fmt::format("not used: it was tuned on {}, which {}", there, why);
    return result;
  };
  if (exported.can && !exported.can->gpu) {
    const std::string lacks = lacking(*exported.can, host.can);
    result.runs = lacks.empty();
    if (!result.runs) return foreign("has " + excerpt(lacks) + ", which this one lacks");
  }
  if ((!host.id.empty() && exported.machine_id == host.id) ||
      (exported.identity.size() > 1 &&
       without_name(exported.identity) == without_name(host.identity))) {
    result.place = Standing::Place::here;
    return result;
  }
  if (!exported.can) return foreign("does not say what it can; export it again");
  if (exported.can->gpu) return foreign("is a GPU; name it to use what was tuned there");
  if (const std::string why = class_difference(*exported.can, host.can); !why.empty())
    return foreign(why);
  result.place = Standing::Place::alike;
  result.unlike = differences(*exported.can, host.can);
  result.reason = "tuned on " + there + ", another one of this machine's class";
  return result;
}

}  // namespace rooftune::runtime

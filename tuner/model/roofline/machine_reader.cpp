// The reader of machine files ("rooftune-machine-1"): every fault collected, base units in memory.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/units.h"
#include "roofline/machine.h"

namespace rooftune::roofline {
namespace {

constexpr const char* schema = "rooftune-machine-1";
using UnitFactor = double (*)(const std::string&);

double hertz_unit(const std::string& unit) { return parse_hertz("1 " + unit).value(); }

/// Factor of member "unit"; an unknown one becomes a fault and counts as 1.
double unit_factor(ObjectReader& reader, UnitFactor factor) {
  const std::string unit = reader.text("unit");
  if (unit.empty()) return 1;
  try {
    return factor(unit);
  } catch (const Error& error) {
    reader.fault("unit", error.message(), error.hint());
    return 1;
  }
}

bool positive(double value) { return std::isfinite(value) && value > 0; }

int count(ObjectReader& reader, const std::string& key, int fallback, int least) {
  const std::int64_t number = reader.integer(key, fallback);
  if (number >= least && number <= std::numeric_limits<int>::max()) return static_cast<int>(number);
  reader.fault(key, "must be at least " + std::to_string(least) + " and fit 32 bits");
  return fallback;
}

/// {"value": 48, "unit": "KiB"} in base units; nullopt when the member is absent.
std::optional<double> quantity(ObjectReader& reader, const std::string& key, UnitFactor factor) {
  std::optional<double> result;
  reader.object(key, [&](ObjectReader& member) {
    const double value = member.real("value");
    result = value * unit_factor(member, factor);
    if (member.has("value") && !positive(*result)) member.fault("value", "must be positive");
    member.finish();
  });
  return result;
}

/// [B/s or flop/s]; beyond it bounds would be too short to mean anything.
constexpr double largest_rate = 1e60;

double launch_rate_unit(const std::string& unit) {
  if (unit == "launches/s") return 1;
  throw Error("unknown unit \"" + unit + "\"", {}, "launches/s");
}

void read_rate(ObjectReader& reader, Ceiling& ceiling) {
  const bool flops = ceiling.kind == Ceiling::Kind::in_core;
  const bool launches = ceiling.kind == Ceiling::Kind::launch;
  double factor = 1;
  const bool present = reader.object("rate", [&](ObjectReader& member) {
    Estimate& rate = ceiling.rate;
    rate.value = member.real("value");
    rate.low = member.real("low", rate.value);
    rate.high = member.real("high", rate.value);
    factor = unit_factor(member, launches ? launch_rate_unit
                                 : flops  ? flop_rate_unit
                                          : byte_rate_unit);
    if (!member.has("value")) return;
    if (!positive(rate.value))
      member.fault("value", "a rate must be positive");
    else if (!(rate.low <= rate.value && rate.value <= rate.high) || !positive(rate.low) ||
             !std::isfinite(rate.high))
      member.fault({}, "the interval must hold the value: 0 < low <= value <= high");
    rate = {rate.value * factor, rate.low * factor, rate.high * factor};
    if (rate.low > 0 && rate.high >= rate.low && !(rate.low >= 1 && rate.high <= largest_rate))
      member.fault({}, "no machine has such a rate",
                   "1 to 1e60 bytes, operations or launches a second");
    member.finish();
  });
  if (!present)
    reader.fault("rate", "a ceiling needs a rate", R"({"value": 31.2, "unit": "GB/s"})");

  const Json& samples = reader.member("samples");
  const bool numbers = std::all_of(samples.begin(), samples.end(),
                                   [](const Json& sample) { return sample.is_number(); });
  if (reader.has("samples") && (!samples.is_array() || !numbers))
    reader.fault("samples", "expected an array of numbers in the unit of the rate");
  else
    for (const auto& sample : samples) ceiling.samples.push_back(sample.get<double>() * factor);
}

void read_source(ObjectReader& reader, Source& source) {
  const bool present = reader.object("source", [&](ObjectReader& member) {
    const std::string kind = member.text("kind");
    try {
      if (!kind.empty()) source.kind = source_kind(kind);
    } catch (const Error& error) {
      member.fault("kind", error.message(), error.hint());
    }
    source.text = member.text("text");
    source.date = member.text("date", "");
    member.finish();
  });
  if (!present)
    reader.fault("source", "every figure names its source",
                 R"({"kind": "measured", "text": "tune probe"})");
}

void read_kind(ObjectReader& reader, Ceiling& ceiling) {
  const std::string word = reader.text("kind");
  if (word.empty()) return;
  std::vector<std::string> words;
  for (const auto kind : {Ceiling::Kind::in_core, Ceiling::Kind::bandwidth, Ceiling::Kind::latency,
                          Ceiling::Kind::launch}) {
    words.push_back(to_text(kind));
    if (word == to_text(kind)) {
      ceiling.kind = kind;
      return;
    }
  }
  // Prevents reports about the members of a bandwidth as well.
  if (reader.has("level")) ceiling.kind = Ceiling::Kind::bandwidth;
  reader.fault("kind", "unknown kind \"" + word + "\"", did_you_mean(word, words));
}

/// Share of bytes read by the mixes with a fixed one.
std::optional<double> share_of(const std::string& mix) {
  static const std::map<std::string, double> shares{
      {"load", 1},        {"store", 0},  {"copy", 0.5}, {"update", 0.5},
      {"triad", 2.0 / 3}, {"random", 1}, {"peak", 1}};
  const auto found = shares.find(mix);
  if (found == shares.end()) return std::nullopt;
  return found->second;
}

void read_reads(ObjectReader& reader, Ceiling& ceiling) {
  const auto share = share_of(ceiling.mix);
  if (!share && !reader.has("reads")) {
    reader.fault("reads", "a mix of one's own needs its share of bytes read",
                 "load store copy triad update random peak have theirs");
    return;
  }
  ceiling.reads = reader.real("reads", share.value_or(0));
  if (!(ceiling.reads >= 0 && ceiling.reads <= 1))
    reader.fault("reads", "the share of bytes read lies in [0, 1]");
  // A file says 0.6667 for a triad; the share computed by problems is 2/3 to the last digit.
  constexpr double rounding = 1e-3;
  if (share && std::abs(ceiling.reads - *share) < rounding) ceiling.reads = *share;
}

void read_bandwidth(ObjectReader& reader, const Machine& machine, Ceiling& ceiling) {
  ceiling.level = reader.text("level");
  if (!ceiling.level.empty() && !machine.level(ceiling.level)) {
    std::vector<std::string> names;
    for (const auto& level : machine.levels) names.push_back(level.name);
    reader.fault("level", "\"" + ceiling.level + "\" is not one of the machine's levels",
                 did_you_mean(ceiling.level, names, "add it to \"levels\""));
  }
  read_reads(reader, ceiling);
  ceiling.stride = reader.real("stride", 8);
  if (!positive(ceiling.stride)) reader.fault("stride", "must be positive");
  ceiling.non_temporal = reader.truth("non_temporal", false);
  ceiling.huge_pages = reader.truth("huge_pages", false);
  ceiling.remote = reader.truth("remote", false);
  ceiling.working_set = quantity(reader, "working_set", bytes_unit).value_or(0);
}

void read_in_core(ObjectReader& reader, Ceiling& ceiling) {
  ceiling.precision = reader.text("precision", "");
  if (ceiling.precision.empty())
    reader.fault("precision", "an in_core ceiling needs its precision", "\"fp64\" or \"fp32\"");
  ceiling.simd_bits = count(reader, "simd_bits", 0, 0);
  ceiling.ilp = count(reader, "ilp", 0, 0);
}

Ceiling read_ceiling(ObjectReader& reader, const Machine& machine) {
  Ceiling ceiling;
  ceiling.name = reader.text("name");
  read_kind(reader, ceiling);
  ceiling.mix = reader.text("mix", "");
  ceiling.threads = count(reader, "threads", 1, 1);
  if (ceiling.kind == Ceiling::Kind::in_core)
    read_in_core(reader, ceiling);
  else if (ceiling.kind != Ceiling::Kind::launch)
    read_bandwidth(reader, machine, ceiling);
  read_rate(reader, ceiling);
  const auto paradigms = read_paradigms(reader, "requires");
  ceiling.requirements = {paradigms.begin(), paradigms.end()};
  read_source(reader, ceiling.source);
  ceiling.stable = reader.truth("stable", true);
  ceiling.shown_only = !reader.truth("binding", true);
  ceiling.clock = quantity(reader, "clock", hertz_unit).value_or(0);
  reader.finish();
  return ceiling;
}

MemoryLevel read_level(ObjectReader& reader) {
  MemoryLevel level;
  level.name = reader.text("name");
  level.capacity = quantity(reader, "capacity", bytes_unit);
  level.reported = quantity(reader, "reported", bytes_unit);
  level.at_most = quantity(reader, "at_most", bytes_unit);
  level.instances = count(reader, "instances", 1, 1);
  level.ways = count(reader, "ways", 0, 0);
  reader.finish();
  return level;
}

template <class Named>
void check_name(ObjectReader& reader, const std::vector<Named>& before, const std::string& name) {
  if (name.empty() && reader.has("name")) reader.fault("name", "must not be empty");
  if (std::any_of(before.begin(), before.end(), [&](const Named& x) { return x.name == name; }))
    reader.fault("name", "\"" + name + "\" is there twice", "names are unique in a machine");
}

void read_identity(ObjectReader& reader, Machine& machine) {
  machine.name = reader.text("name");
  machine.description = reader.text("description", "");
  const std::string kind = reader.text("kind", to_text(machine.kind));
  for (const MachineKind each : {MachineKind::cpu, MachineKind::gpu})
    if (kind == to_text(each)) machine.kind = each;
  if (kind != to_text(machine.kind))
    reader.fault("kind", "unknown kind \"" + kind + "\"", "\"cpu\" or \"gpu\"");
  machine.id = reader.text("id", "");
  reader.object("identity", [&](ObjectReader& member) {
    for (const auto& [key, value] : member.json().items()) machine.identity[key] = member.text(key);
  });
  machine.cores = count(reader, "cores", 1, 1);
  machine.numa_nodes = count(reader, "numa_nodes", 1, 1);
  machine.fast_memory_nodes = count(reader, "fast_memory_nodes", 0, 0);
  machine.simd_bits = count(reader, "simd_bits", 0, 0);
  machine.features = reader.texts("features");
  machine.notes = reader.texts("notes");
}

void read_gpu(ObjectReader& reader, Machine& machine) {
  const bool present = reader.object("gpu", [&](ObjectReader& member) {
    machine.gpu = read_gpu_facts(member);
    if (machine.gpu->multiprocessors > 0 && machine.gpu->multiprocessors != machine.cores)
      member.fault("multiprocessors",
                   "differs from the machine's \"cores\", which counts the same");
  });
  if (present && !machine.is_gpu()) reader.fault("gpu", "only a GPU has this", "\"kind\": \"gpu\"");
}

}  // namespace

Machine machine_from_json(const Json& json, const std::string& where, bool measured) {
  Faults faults;
  ObjectReader reader(json, where, faults);
  if (reader.text("schema") != schema)
    reader.fault("schema", "this is no machine file",
                 std::string("\"schema\": \"") + schema + "\"");
  Machine machine;
  read_identity(reader, machine);
  read_gpu(reader, machine);
  reader.object("slurm", [&](ObjectReader& member) { machine.slurm = read_slurm_request(member); });
  reader.each("levels", [&](ObjectReader& element) {
    MemoryLevel level = read_level(element);
    check_name(element, machine.levels, level.name);
    machine.levels.push_back(std::move(level));
  });
  reader.each("ceilings", [&](ObjectReader& element) {
    Ceiling ceiling = read_ceiling(element, machine);
    check_name(element, machine.ceilings, ceiling.name);
    if (ceiling.kind == Ceiling::Kind::launch && !machine.is_gpu())
      element.fault("kind", "only a GPU has launches", "\"kind\": \"gpu\" of the machine");
    machine.ceilings.push_back(std::move(ceiling));
  });
  if (measured && machine.ceilings.empty())
    reader.fault("ceilings", "a machine needs at least one ceiling", "measure them: tune probe");
  reader.finish();
  faults.raise();
  return machine;
}

Machine read_machine(const std::filesystem::path& file) {
  return machine_from_json(read_json(file), file.string());
}

}  // namespace rooftune::roofline

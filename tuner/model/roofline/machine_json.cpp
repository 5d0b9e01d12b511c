// "rooftune-machine-1": rates in GFLOP/s or GB/s and capacities in KiB or MiB on paper, base units
// in memory.
#include "roofline/machine_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <ranges>

#include "core/list.h"
#include "core/pattern.h"
#include "core/units.h"

namespace rooftune::roofline {

using UnitFactor = double (*)(const std::string&);
constexpr const char* launch_unit = "launches/s";

/// {"value": 48, "unit": "KiB"}
struct OnPaper {
  double value = 0;
  std::string unit;
  ROOFTUNE_FIELDS(value, unit)
};

/// {"value": 31.2, "low": 31.1, "high": 31.4, "unit": "GB/s"}
struct RateAmount {
  double value = 0, low = 0, high = 0;
  std::string unit;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(value).then(
        self, [](RateAmount& rate, const Place&) { rate.low = rate.high = rate.value; });
    ROOFTUNE_EACH(visit.defaulted, self, low, high);
    ROOFTUNE_FIELD(unit);
  }
};

namespace {

bool positive(double value) { return std::isfinite(value) && value > 0; }

double launch_rate_unit(const std::string& unit) {
  if (unit == launch_unit) return 1;
  throw Error("unknown unit \"" + unit + "\"", {}, launch_unit);
}

/// Reads an amount as it is written, and returns its unit's factor; nothing with a fault.
template <class Written>
std::optional<double> read_amount(const Place& place, UnitFactor factor, Written& amount) {
  const size_t faults = place.faults().size();
  decode(place, amount);
  try {
    if (!amount.unit.empty()) {
      const double result = factor(amount.unit);
      if (place.faults().size() == faults) return result;
    }
  } catch (const Error& error) {
    place.member("unit").fault(error.message(), error.hint());
  }
  return std::nullopt;
}

const char* binary_unit(std::optional<double> bytes) {
  return bytes.value_or(0) >= bytes_unit("MiB") ? "MiB" : "KiB";
}

/// Which share of its bytes a mix reads, where that is fixed.
std::optional<double> share_of(const std::string& mix) {
  static const NamedNumbers shares{{"load", 1},     {"store", 0},       {"copy", 0.5},
                                   {"update", 0.5}, {"triad", 2.0 / 3}, {"random", 1},
                                   {"peak", 1}};
  return copy_at(shares, mix);
}

constexpr double unread = -1;
void expect_share(Ceiling& ceiling, const Place&) {
  ceiling.reads = share_of(ceiling.mix).value_or(unread);
}

void check_bandwidth(Ceiling& ceiling, const Place& place) {
  const auto share = share_of(ceiling.mix);
  if (ceiling.reads == unread)
    place.member("reads").fault("a mix of one's own needs its share of bytes read",
                                "load store copy triad update random peak have theirs");
  else if (!(ceiling.reads >= 0 && ceiling.reads <= 1))
    place.member("reads").fault("the share of bytes read lies in [0, 1]");
  // A file says 0.6667 for a triad; the share that problems compute is 2/3 to the last digit.
  constexpr double rounding = 1e-3;
  if (share && std::abs(ceiling.reads - *share) < rounding) ceiling.reads = *share;
  if (!positive(ceiling.stride)) place.member("stride").fault("must be positive");
}

void check_in_core(const Ceiling& ceiling, const Place& place) {
  if (ceiling.precision.empty())
    place.member("precision")
        .fault("an in_core ceiling needs its precision", "\"fp64\" or \"fp32\"");
}

template <class Named>
void check_names(const std::vector<Named>& all, const Place& place) {
  for (const size_t i : indices(all))
    if (!all[i].name.empty() && contains(std::views::take(all, i), all[i].name, &Named::name))
      place.element(i).member("name").fault("\"" + all[i].name + "\" is there twice",
                                            "names are unique in a machine");
}

void check_machine(const Machine& machine, const Place& place) {
  Texts names = members(machine.levels, &MemoryLevel::name);
  check_names(machine.levels, place.member("levels"));
  const Place ceilings = place.member("ceilings");
  check_names(machine.ceilings, ceilings);
  for (const size_t i : indices(machine.ceilings)) {
    const std::string& level = machine.ceilings[i].level;
    if (!level.empty() && !machine.level(level))
      ceilings.element(i).member("level").fault(
          "\"" + level + "\" is not one of the machine's levels",
          did_you_mean(level, names, "add it to \"levels\""));
    if (machine.ceilings[i].kind == Ceiling::Kind::launch && !machine.is_gpu())
      ceilings.element(i).member("kind").fault("only a GPU has launches",
                                               "\"kind\": \"gpu\" of the machine");
  }
  if (!machine.gpu) return;
  const Place gpu = place.member("gpu");
  if (!machine.is_gpu()) gpu.fault("only a GPU has this", "\"kind\": \"gpu\"");
  if (machine.gpu->multiprocessors > 0 && machine.gpu->multiprocessors != machine.cores)
    gpu.member("multiprocessors")
        .fault("differs from the machine's \"cores\", which counts the same");
}

}  // namespace

/// A number or nothing, above 0; it is written in `unit`.
template <class Number>
struct InUnits {
  Number& value;
  UnitFactor factor;
  const char* unit;
  bool empty() const { return !bool(value); }
};
template <class Number>
Json to_json(const InUnits<Number>& amount) {
  const double value = *std::optional<double>(amount.value);
  return encode(OnPaper{value / amount.factor(amount.unit), amount.unit});
}
template <class Number>
void decode(const Place& place, InUnits<Number>& into) {
  OnPaper amount;
  const auto factor = read_amount(place, into.factor, amount);
  if (!factor) return;
  if (!positive(amount.value)) place.member("value").fault("must be positive");
  into.value = amount.value * *factor;
}

/// Whole bytes, at least so many.
template <class Number>
struct Memory {
  static constexpr const char* wanted = "an amount of memory";
  Number& bytes;
  int least = 1;
};
Json to_json(const Memory<const int64_t>& memory) {
  const bool kibibytes = memory.bytes % 1024 == 0;
  return Json{{"value", kibibytes ? memory.bytes / 1024 : memory.bytes},
              {"unit", kibibytes ? "KiB" : "B"}};
}
void decode(const Place& place, Memory<int64_t>& memory) {
  OnPaper amount;
  const auto factor = read_amount(place, bytes_unit, amount);
  const double all = amount.value * factor.value_or(1);
  if (factor && std::isfinite(all) && all == std::trunc(all) && all < 0x1p53 && all >= memory.least)
    memory.bytes = int64_t(all);
  else if (factor)
    place.member("value").fault("must be a positive whole number of bytes");
}

template <class Number>
struct AtLeast {
  static constexpr const char* wanted = "an integer";
  Number& value;
  int least;
  bool empty() const { return value == least; }
};
Json to_json(const AtLeast<const int>& count) { return count.value; }
void decode(const Place& place, AtLeast<int>& count) {
  int64_t number = count.value;
  const size_t faults = place.faults().size();
  decode(place, number);
  if (number >= count.least && number <= INT_MAX)
    count.value = int(number);
  else if (place.faults().size() == faults)
    place.fault(fmt::format("must be at least {} and fit 32 bits", count.least));
}

/// "8.0" for 80.
template <class Number>
struct Capability {
  static constexpr const char* wanted = "a text";
  Number& value;
};
Json to_json(const Capability<const int>& capability) {
  return compute_capability_text(capability.value);
}
void decode(const Place& place, Capability<int>& capability) {
  std::string text;
  decode(place, text);
  if (!place->is_string()) return;
  static const Pattern form("([1-9][0-9]?)\\.([0-9])");
  if (const auto match = form.match(text))
    capability.value = 10 * std::stoi((*match)[1]) + std::stoi((*match)[2]);
  else
    place.fault(fmt::format("\"{}\" is no compute capability", excerpt(text)),
                "major.minor in quotation marks: \"8.0\"");
}

/// A rate in its kind's unit, and the factor for the unit it was read in.
template <class Number>
struct Rate {
  Number& rate;
  Ceiling::Kind kind;
  const char* unit = kind == Ceiling::Kind::in_core  ? "GFLOP/s"
                     : kind == Ceiling::Kind::launch ? launch_unit
                                                     : "GB/s";
  UnitFactor of = kind == Ceiling::Kind::in_core  ? flop_rate_unit
                  : kind == Ceiling::Kind::launch ? launch_rate_unit
                                                  : byte_rate_unit;
  double factor = of(unit);
};
Json to_json(const Rate<const Estimate>& on_paper) {
  const auto& [rate, kind, unit, of, factor] = on_paper;
  return encode(RateAmount{rate.value / factor, rate.low / factor, rate.high / factor, unit});
}
void decode(const Place& place, Rate<Estimate>& on_paper) {
  /// Beyond this rate bounds would be too short to mean anything.
  constexpr double largest = 1e60;
  RateAmount read;
  const auto factor = read_amount(place, on_paper.of, read);
  if (!factor) return;
  on_paper.factor = *factor;
  Estimate& rate = on_paper.rate;
  rate = {read.value * *factor, read.low * *factor, read.high * *factor};
  if (!positive(read.value))
    place.member("value").fault("a rate must be positive");
  else if (!Estimate{read.value, read.low, read.high}.holds() || !positive(read.low))
    place.fault("the interval must hold the value: 0 < low <= value <= high");
  else if (!(rate.low >= 1 && rate.high <= largest))
    place.fault("no machine has such a rate", "1 to 1e60 bytes, operations or launches a second");
}

/// Numbers in their rate's unit.
template <class Values>
struct InUnitOf {
  Values& values;
  double factor;
  bool empty() const { return values.empty(); }
};
Json to_json(const InUnitOf<const Numbers>& samples) {
  Numbers values = samples.values;
  for (double& sample : values) sample /= samples.factor;
  return values;
}
void decode(const Place& place, InUnitOf<Numbers>& samples) {
  decode(place, samples.values);
  for (double& sample : samples.values) sample *= samples.factor;
}

void check_gpu(const GpuFacts& facts, const Place& place) {
  if (facts.warp != 32 && facts.warp != 64)
    place.member("warp").fault("must be 32 or 64 threads");
  else if (facts.threads_per_multiprocessor % facts.warp != 0)
    place.member("threads_per_multiprocessor").fault("must be a multiple of \"warp\"");
  if (facts.shared_per_block + facts.shared_reserved > facts.shared_per_multiprocessor)
    place.member("shared_per_block")
        .fault("with \"shared_reserved\" it is more than \"shared_per_multiprocessor\"");
  if (facts.registers_per_block > facts.registers_per_multiprocessor)
    place.member("registers_per_block").fault("is more than \"registers_per_multiprocessor\"");
}

void fields(FieldsOf<GpuFacts> auto& self, auto& visit) {
  constexpr const char* memory = R"({"value": 164, "unit": "KiB"})";
  const auto amount = [&](const char* name, auto& bytes, int least) {
    visit(name, Memory{bytes, least}, "is missing (an amount of memory)", memory);
  };
  ROOFTUNE_FIELD(devices, "is missing (names of the cards it describes)",
                 "[\"NVIDIA A100-SXM4-40GB\"]; * stands for any text");
  visit("compute_capability", Capability{self.compute_capability});
  visit("multiprocessors", AtLeast{self.multiprocessors, 1});
  visit.defaulted("warp", AtLeast{self.warp, 1});
  visit("threads_per_multiprocessor", AtLeast{self.threads_per_multiprocessor, 1});
  visit("blocks_per_multiprocessor", AtLeast{self.blocks_per_multiprocessor, 1});
  visit.defaulted("threads_per_block", AtLeast{self.threads_per_block, 1});
  visit("registers_per_multiprocessor", AtLeast{self.registers_per_multiprocessor, 1});
  visit("registers_per_block", AtLeast{self.registers_per_block, 1});
  amount("shared_per_multiprocessor", self.shared_per_multiprocessor, 1);
  amount("shared_per_block", self.shared_per_block, 1);
  amount("shared_reserved", self.shared_reserved, 0);
  amount("l2", self.l2, 1);
  amount("memory", self.memory, 1);
  visit.then(self, check_gpu);
}

struct LevelOnPaper {
  MemoryLevel value;
  static void fields(auto& self, auto& visit) {
    auto& level = self.value;
    const auto size = [&](const char* name, auto& bytes) {
      visit.sparse(name, InUnits{bytes, bytes_unit, binary_unit(bytes)});
    };
    visit("name", level.name).check("name", !level.name.empty(), "must not be empty");
    size("capacity", level.capacity);
    size("reported", level.reported);
    size("at_most", level.at_most);
    visit.defaulted("instances", AtLeast{level.instances, 1});
    visit.sparse("ways", AtLeast{level.ways, 0});
  }
};

void fields(FieldsOf<Ceiling> auto& self, auto& visit) {
  ROOFTUNE_FIELD(name).check("name", !self.name.empty(), "must not be empty");
  size_t faults_before = 0, faults_after = 0;
  visit.then(self, [&](auto&, const Place& place) { faults_before = place.faults().size(); });
  ROOFTUNE_FIELD(kind).then(
      self, [&](auto&, const Place& place) { faults_after = place.faults().size(); });
  // An unknown kind's members would count as another kind's faults.
  if (faults_after > faults_before) {
    visit.open();
    return;
  }
  if (self.kind == Ceiling::Kind::in_core) {
    visit.defaulted("precision", self.precision).then(self, check_in_core);
    visit.defaulted("mix", self.mix).defaulted("simd_bits", AtLeast{self.simd_bits, 0});
    visit.defaulted("ilp", AtLeast{self.ilp, 0});
  } else if (self.kind != Ceiling::Kind::launch) {
    ROOFTUNE_FIELD(level).defaulted("mix", self.mix).then(self, expect_share);
    visit.defaulted("reads", self.reads).defaulted("stride", self.stride);
    visit.then(self, check_bandwidth);
    ROOFTUNE_EACH(visit.sparse, self, non_temporal, huge_pages, remote);
    visit.sparse("working_set",
                 InUnits{self.working_set, bytes_unit, binary_unit(self.working_set)});
  }
  Rate rate{self.rate, self.kind};
  bool binding = !self.shown_only;
  visit.defaulted("threads", AtLeast{self.threads, 1});
  visit("rate", rate, "a ceiling needs a rate", R"({"value": 31.2, "unit": "GB/s"})");
  visit.defaulted("requires", self.requirements)("source", self.source,
                                                 "every figure names its source",
                                                 R"({"kind": "measured", "text": "tune probe"})");
  visit.defaulted("stable", self.stable).sparse("binding", binding, true);
  visit.then(self, [&](Ceiling& one, const Place&) { one.shown_only = !binding; });
  visit.sparse("clock", InUnits{self.clock, hertz_unit, "GHz"});
  visit.sparse("samples", InUnitOf{self.samples, rate.factor});
}

void fields(FieldsOf<Machine> auto& self, auto& visit) {
  visit.schema("rooftune-machine-1", "this is no machine file");
  ROOFTUNE_FIELD(name);
  ROOFTUNE_EACH(visit.defaulted, self, description, kind, id, identity);
  visit.defaulted("cores", AtLeast{self.cores, 1});
  visit.defaulted("numa_nodes", AtLeast{self.numa_nodes, 1});
  visit.sparse("fast_memory_nodes", AtLeast{self.fast_memory_nodes, 0});
  visit.defaulted("simd_bits", AtLeast{self.simd_bits, 0}).defaulted("features", self.features);
  visit.sparse("gpu", self.gpu).defaulted("levels", list_as<LevelOnPaper>(self.levels));
  ROOFTUNE_EACH(visit.defaulted, self, ceilings, notes);
  visit.sparse("slurm", self.slurm).then(self, check_machine);
}

Json to_json(const Machine& machine) {
  FieldWriter writer;
  fields(machine, writer);
  return std::move(writer.json);
}

void decode(const Place& place, Machine& machine) { fields_detail::decode_fields(place, machine); }

Machine machine_from_json(const Json& json, const std::string& where) {
  Faults faults;
  Machine machine;
  const Place place(json, where, faults);
  decode(place, machine);
  if (machine.ceilings.empty() && !contains(machine.notes, Machine::no_micro_kernels))
    place.member("ceilings")
        .fault("a machine needs at least one ceiling", "measure them: tune probe");
  faults.raise();
  return machine;
}

Machine read_machine(const fs::path& file) {
  return machine_from_json(read_json(file), file.string());
}

}  // namespace rooftune::roofline

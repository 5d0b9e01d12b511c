#include "roofline/machine.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.h"
#include "roofline/machine_json.h"
#include "roofline/roofline.h"

using namespace rooftune;

namespace {

Json valid() {
  return Json::parse(R"({
    "schema": "rooftune-machine-1", "name": "m", "cores": 2, "simd_bits": 512,
    "identity": {"cpu": "x"}, "features": ["fma"],
    "levels": [{"name": "L1", "capacity": {"value": 40, "unit": "KiB"},
                "reported": {"value": 48, "unit": "KiB"}, "instances": 2}, {"name": "DRAM"}],
    "ceilings": [
      {"name": "core", "kind": "in_core", "precision": "fp64", "mix": "fma", "threads": 2,
       "simd_bits": 512, "ilp": 12,
       "rate": {"value": 217.0, "low": 216.1, "high": 217.2, "unit": "GFLOP/s"},
       "requires": ["simd", "fma"], "source": {"kind": "measured", "text": "probe", "date": "2026-11-21"},
       "clock": {"value": 3.39, "unit": "GHz"}, "samples": [217.0, 216.9]},
      {"name": "dram", "kind": "bandwidth", "level": "DRAM", "mix": "triad", "reads": 0.6667,
       "non_temporal": true, "threads": 2, "working_set": {"value": 256, "unit": "MiB"},
       "rate": {"value": 31.2, "unit": "GB/s"}, "source": {"kind": "vendor", "text": "sheet"},
       "stable": false}],
    "notes": ["n"]})");
}

std::string fault_of(const Json& json) {
  try {
    machine_from_json(json, "m.json");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("rates that no machine has are refused: bounds of nothing, of ever or of none") {
  for (const auto& [value, low, high] : std::vector<std::array<double, 3>>{
           {1e300, 1e300, 1e300}, {1e-300, 1e-300, 1e-300}, {31, 1e-12, 31}, {31, 31, 1e55}}) {
    Json json = valid();
    json["ceilings"][1]["rate"] = {
        {"value", value}, {"low", low}, {"high", high}, {"unit", "GB/s"}};
    INFO(json["ceilings"][1]["rate"]);
    CHECK(mentions(fault_of(json), "m.json: /ceilings/1/rate: no machine has such a rate"));
  }
  for (const double value : {0.0, -1.0}) {
    Json json = valid();
    json["ceilings"][1]["rate"]["value"] = value;
    CHECK(mentions(fault_of(json), "m.json: /ceilings/1/rate/value: a rate must be positive"));
  }
}

TEST_CASE("a machine file is read into base units") {
  const Machine m = machine_from_json(valid(), "m.json");
  REQUIRE(m.ceilings.size() == 2);
  const Ceiling& core = m.ceilings[0];
  CHECK(core.kind == Ceiling::Kind::in_core);
  CHECK(core.rate.value == Approx(217e9));
  CHECK(core.rate.low == Approx(216.1e9));
  CHECK(core.clock == Approx(3.39e9));
  CHECK(core.samples.at(1) == Approx(216.9e9));
  CHECK(core.requirements == Paradigms{Paradigm::fma, Paradigm::simd});
  CHECK(core.source.date == "2026-11-21");
  const Ceiling& dram = m.ceilings[1];
  CHECK(dram.rate.low == dram.rate.value);
  CHECK(dram.working_set == 256 * 1024.0 * 1024);
  CHECK(dram.non_temporal);
  CHECK_FALSE(dram.stable);
  CHECK(dram.stride == 8);
}

TEST_CASE("the share of a triad is two thirds, however it is rounded in the file") {
  CHECK(machine_from_json(valid(), "m.json").ceilings[1].reads == 2.0 / 3);
  Json other = valid();
  other["ceilings"][1]["reads"] = 0.75;
  CHECK(machine_from_json(other, "m.json").ceilings[1].reads == 0.75);
  other["ceilings"][1].erase("reads");
  CHECK(machine_from_json(other, "m.json").ceilings[1].reads == 2.0 / 3);
}

TEST_CASE("levels know their capacity") {
  const Machine m = machine_from_json(valid(), "m.json");
  REQUIRE(m.level("L1"));
  CHECK(m.level("L1")->capacity == 40 * 1024.0);
  CHECK(m.held_inside(m.levels[1].name, 2) == 96 * 1024.0);
  CHECK(m.held_inside(m.levels[1].name, 1) == 48 * 1024.0);
  CHECK(std::isinf(Machine::most_held(*m.level("DRAM"))));
  CHECK(m.level("L7") == nullptr);
}

TEST_CASE("the reported size stands in where none was measured") {
  Json json = valid();
  json["levels"][0].erase("capacity");
  const Machine m = machine_from_json(json, "m.json");
  CHECK(m.held_inside(m.levels[1].name, 2) == 96 * 1024.0);
}

TEST_CASE("what a level holds at most goes before what a sweep found effective") {
  Json json = valid();
  json["levels"][0]["at_most"] = {{"value", 48}, {"unit", "KiB"}};
  json["levels"][0]["ways"] = 12;
  const Machine m = machine_from_json(to_json(machine_from_json(json, "m.json")), "again");
  CHECK(m.levels[0].ways == 12);
  CHECK(m.levels[0].capacity == 40 * 1024.0);
  CHECK(Machine::most_held(m.levels[0]) == 48 * 1024.0);
  json["levels"][0]["ways"] = -1;
  CHECK_THROWS_AS(machine_from_json(json, "m.json"), Error);
}

TEST_CASE("writing and reading a machine keeps 12 digits and everything else") {
  const Machine first = machine_from_json(valid(), "m.json");
  const Machine second = machine_from_json(to_json(first), "again");
  CHECK(second.name == first.name);
  CHECK(second.identity == first.identity);
  CHECK(second.features == first.features);
  CHECK(second.notes == first.notes);
  CHECK(second.levels[0].capacity == first.levels[0].capacity);
  CHECK(second.levels[0].reported == first.levels[0].reported);
  CHECK(second.levels[0].instances == 2);
  REQUIRE(second.ceilings.size() == first.ceilings.size());
  for (std::size_t i = 0; i < first.ceilings.size(); ++i) {
    const Ceiling &a = first.ceilings[i], &b = second.ceilings[i];
    CHECK(b.name == a.name);
    CHECK(b.kind == a.kind);
    CHECK(b.mix == a.mix);
    CHECK(b.reads == a.reads);
    CHECK(b.threads == a.threads);
    CHECK(b.rate.value == Approx(a.rate.value).epsilon(1e-13));
    CHECK(b.rate.low == Approx(a.rate.low).epsilon(1e-13));
    CHECK(b.rate.high == Approx(a.rate.high).epsilon(1e-13));
    CHECK(b.clock == Approx(a.clock).epsilon(1e-13));
    CHECK(b.working_set == a.working_set);
    CHECK(b.requirements == a.requirements);
    CHECK(b.stable == a.stable);
    CHECK(b.non_temporal == a.non_temporal);
    CHECK(b.source.text == a.source.text);
    CHECK(b.source.kind == a.source.kind);
    CHECK(b.samples.size() == a.samples.size());
  }
  CHECK(to_json(second).dump() == to_json(machine_from_json(to_json(second), "x")).dump());
}

TEST_CASE("all faults of a machine file come at once, each with its place") {
  Json json = valid();
  json["ceilings"][0]["rate"]["unit"] = "GFLOPS/hour";
  json["ceilings"][0].erase("precision");
  json["ceilings"][1]["level"] = "DRM";
  json["ceilings"][1]["rate"]["value"] = -3;
  json["ceilings"][1]["name"] = "core";
  json["coers"] = 4;
  const std::string text = fault_of(json);
  CHECK(mentions(text, "/ceilings/0/rate/unit"));
  CHECK(mentions(text, "/ceilings/0/precision"));
  CHECK(mentions(text, "/ceilings/1/level"));
  CHECK(mentions(text, "did you mean \"DRAM\""));
  CHECK(mentions(text, "/ceilings/1/rate/value"));
  CHECK(mentions(text, "\"core\" is there twice"));
  CHECK(mentions(text, "did you mean \"cores\""));
}

TEST_CASE("each fault of a machine file is found") {
  const auto faulty = [](const char* pointer, Json value) {
    Json json = valid();
    json[Json::json_pointer(pointer)] = std::move(value);
    return fault_of(json);
  };
  CHECK(fault_of(valid()).empty());
  CHECK(mentions(faulty("/ceilings/0/rate/unit", "KB/s"), "unit"));
  CHECK(mentions(faulty("/ceilings/0/rate/low", 218), "interval"));
  CHECK(mentions(faulty("/ceilings/0/rate/high", 100), "interval"));
  CHECK(mentions(faulty("/ceilings/0/rate/value", 0), "positive"));
  CHECK(mentions(faulty("/ceilings/0/kind", "incore"), "did you mean \"in_core\""));
  CHECK(mentions(faulty("/ceilings/0/source/kind", "guessed"), "source/kind"));
  CHECK(mentions(faulty("/ceilings/0/threads", 0), "threads"));
  CHECK(mentions(faulty("/ceilings/0/threads", 1e13), "threads"));
  CHECK(mentions(faulty("/ceilings/0/samples", "many"), "samples"));
  CHECK(mentions(faulty("/ceilings/1/reads", 1.5), "reads"));
  CHECK(mentions(faulty("/ceilings/1/stride", 0), "stride"));
  CHECK(mentions(faulty("/levels/0/capacity/value", -1), "positive"));
  CHECK(mentions(faulty("/levels/0/instances", 0), "instances"));
  CHECK(mentions(faulty("/levels/1/name", "L1"), "there twice"));
  CHECK(mentions(faulty("/kind", "tpu"), "unknown kind"));
  CHECK(mentions(faulty("/schema", "rooftune-kernel-1"), "machine file"));
  CHECK(mentions(faulty("/ceilings", Json::array()), "at least one ceiling"));
  CHECK(mentions(faulty("/ceilings", 3), "ceilings"));
  CHECK(mentions(faulty("/ceilings/0", 3), "expected an object"));
}

TEST_CASE("a probe without micro-kernels leaves a machine without ceilings, which says why") {
  Json json = valid();
  json["ceilings"] = Json::array();
  json["identity"] = {{"cpu", "rv64imafdcv"}};
  CHECK(mentions(fault_of(json), "at least one ceiling"));
  json["notes"].push_back(Machine::no_micro_kernels);
  const Machine machine = machine_from_json(json, "test");
  CHECK(machine.why_no_ceilings() == Machine::no_micro_kernels);
  CHECK(mentions(Machine{}.why_no_ceilings(), "tune probe, 15 s"));
  Roofline roofline{{}, {}, machine};
  CHECK(mentions(roofline.why_no_bound(), "--work"));
  roofline.traffic.read = Bytes(8);
  CHECK(roofline.why_no_bound() == machine.why_no_ceilings());
}

TEST_CASE("a ceiling requires only paradigms that a knob can break") {
  Json json = valid();
  json["ceilings"][0]["requires"] = {"fma", "smid", "add_mul"};
  const std::string text = fault_of(json);
  CHECK(mentions(
      text, "/ceilings/0/requires/1: unknown paradigm \"smid\"\nhint: did you mean \"simd\"?"));
  CHECK(mentions(text, "/ceilings/0/requires/2: unknown paradigm \"add_mul\""));
}

TEST_CASE("a mix of one's own must say how much it reads") {
  Json json = valid();
  json["ceilings"][1]["mix"] = "gather";
  json["ceilings"][1].erase("reads");
  CHECK(mentions(fault_of(json), "/ceilings/1/reads"));
}

TEST_CASE(
    "every machine that comes with the project can be read and says where its figures are from") {
  const std::filesystem::path folder = std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "machines";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    INFO(entry.path());
    const Machine m = read_machine(entry.path());
    ++files;
    CHECK(m.name == entry.path().stem());
    CHECK_FALSE(m.description.empty());
    for (const auto& ceiling : m.ceilings) CHECK_FALSE(ceiling.source.text.empty());
    const Machine again = machine_from_json(to_json(m), "again");
    CHECK(again.ceilings.size() == m.ceilings.size());
  }
  CHECK(files >= 9);
}

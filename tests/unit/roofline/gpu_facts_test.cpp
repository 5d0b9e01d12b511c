// What a machine file says of a card: read, refused, written, matched to names of drivers.

#include <catch2/catch.hpp>

#include "core/error.h"
#include "roofline/machine.h"
#include "roofline/machine_json.h"
#include "roofline/roofline.h"

using namespace rooftune;

namespace {

Json card_file() {
  return Json::parse(R"({
    "schema": "rooftune-machine-1", "name": "m", "kind": "gpu", "cores": 108,
    "gpu": {"devices": ["NVIDIA A100-SXM4-40GB", "A100 80GB*"], "compute_capability": "8.0",
            "multiprocessors": 108, "threads_per_multiprocessor": 2048,
            "blocks_per_multiprocessor": 32, "registers_per_multiprocessor": 65536,
            "registers_per_block": 65536, "shared_per_multiprocessor": {"value": 164, "unit": "KiB"},
            "shared_per_block": {"value": 163, "unit": "KiB"},
            "shared_reserved": {"value": 1, "unit": "KiB"}, "l2": {"value": 40, "unit": "MiB"},
            "memory": {"value": 40, "unit": "GiB"}},
    "levels": [{"name": "DRAM"}],
    "ceilings": [{"name": "core", "kind": "in_core", "precision": "fp64", "mix": "fma",
                  "rate": {"value": 9746, "unit": "GFLOP/s"},
                  "source": {"kind": "vendor", "text": "sheet"}}]})");
}

std::string card_fault(const Json& json) {
  try {
    machine_from_json(json, "m.json");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the facts of a card are read into bytes and counts") {
  const Machine machine = machine_from_json(card_file(), "m.json");
  REQUIRE(machine.gpu);
  CHECK(machine.gpu->compute_capability == 80);
  CHECK(machine.gpu->multiprocessors == 108);
  CHECK(machine.gpu->warp == 32);
  CHECK(machine.gpu->threads_per_block == 1024);
  CHECK(machine.gpu->shared_per_multiprocessor == 164 * 1024);
  CHECK(machine.gpu->shared_per_block + machine.gpu->shared_reserved == 164 * 1024);
  CHECK(machine.gpu->l2 == 40 << 20);
  CHECK(machine.gpu->memory == std::int64_t{40} << 30);
}

TEST_CASE("cards are recognised by the driver's name, * standing for any text") {
  const GpuFacts facts = *machine_from_json(card_file(), "m.json").gpu;
  CHECK(facts.describes("NVIDIA A100-SXM4-40GB"));
  CHECK(facts.describes("A100 80GB"));
  CHECK(facts.describes("A100 80GB PCIe"));
  CHECK_FALSE(facts.describes("NVIDIA A100-SXM4-80GB"));
  CHECK_FALSE(facts.describes("nvidia a100-sxm4-40gb"));
  CHECK_FALSE(facts.describes("NVIDIA A100-SXM4-40GB MIG 1g.5gb"));
  CHECK_FALSE(facts.describes(""));
}

TEST_CASE("what is written is what was read") {
  const Machine machine = machine_from_json(card_file(), "m.json");
  const Machine again = machine_from_json(to_json(machine), "again");
  CHECK(to_json(again).at("gpu") == to_json(machine).at("gpu"));
  CHECK(again.gpu->memory == machine.gpu->memory);
}

TEST_CASE("all faults of a card come at once, each with its place") {
  Json json = card_file();
  json["gpu"]["compute_capability"] = "eight";
  json["gpu"]["multiprocessors"] = 0;
  json["gpu"]["shared_per_block"] = {{"value", 165}, {"unit", "KiB"}};
  json["gpu"]["l2"] = {{"value", 40}, {"unit", "MB/s"}};
  json["gpu"]["threads_per_multiprocessor"] = 2040;
  json["gpu"]["registers_per_block"] = 131072;
  json["gpu"].erase("memory");
  json["gpu"].erase("devices");
  json["gpu"]["wrap"] = 32;
  const std::string text = card_fault(json);
  for (const char* part :
       {"m.json: /gpu/compute_capability: \"eight\"", "/gpu/multiprocessors: must be at least 1",
        "/gpu/shared_per_block: with", "/gpu/l2/unit", "/gpu/threads_per_multiprocessor: must be",
        "/gpu/registers_per_block: is more", "/gpu/memory: is missing", "/gpu/devices: is missing",
        "did you mean \"warp\"?"}) {
    INFO(part << "\n" << text);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("a warp has 32 or 64 threads") {
  Json json = card_file();
  CHECK(machine_from_json(json, "m.json").gpu->warp == 32);
  json["gpu"]["warp"] = 64;
  CHECK(machine_from_json(json, "m.json").gpu->warp == 64);
  json["gpu"]["warp"] = 48;
  CHECK(card_fault(json).find("/gpu/warp: must be 32 or 64") != std::string::npos);
}

TEST_CASE("a card agrees with its machine") {
  Json json = card_file();
  json["kind"] = "cpu";
  CHECK(card_fault(json).find("/gpu: only a GPU has this") != std::string::npos);
  json = card_file();
  json["cores"] = 80;
  CHECK(card_fault(json).find("/gpu/multiprocessors: differs") != std::string::npos);
  for (const char* wrong : {"8", "8.", ".0", "8.10", "8.0a", "-1.0", "0.5"}) {
    json = card_file();
    json["gpu"]["compute_capability"] = wrong;
    INFO(wrong);
    CHECK(card_fault(json).find("no compute capability") != std::string::npos);
  }
  json["gpu"]["compute_capability"] = "12.0";
  CHECK(machine_from_json(json, "m.json").gpu->compute_capability == 120);
}

TEST_CASE("figures beside measured ones are kept and bound nothing") {
  Json json = card_file();
  Json measured = json["ceilings"][0];
  measured["name"] = "measured";
  measured["rate"]["value"] = 9500;
  json["ceilings"][0]["binding"] = false;
  json["ceilings"].push_back(measured);
  const Machine machine = machine_from_json(to_json(machine_from_json(json, "m.json")), "again");
  REQUIRE(machine.ceilings.size() == 2);
  CHECK(machine.ceilings[0].shown_only);
  CHECK_FALSE(machine.ceilings[1].shown_only);
  Work work;
  work.least["fp64"] = Flops(9500e9);
  CHECK(Roofline{work, Traffic{}, machine, 1}.bound().time.value() == Approx(1));
}

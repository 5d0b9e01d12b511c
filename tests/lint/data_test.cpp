// Every kernel, search space and machine that comes with Rooftune can be read and fits its fellows.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "build/includes.h"
#include "core/file.h"
#include "core/json.h"
#include "kernel/kernel.h"
#include "roofline/machine.h"
#include "roofline/machine_json.h"
#include "space/search_space.h"
#include "space/space_reader.h"
#include "support/published_path.h"

using namespace rooftune;

namespace {

const std::filesystem::path root = ROOFTUNE_SOURCE_DIR;

std::vector<std::filesystem::path> json_files(const std::string& folder) {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(root / folder))
    // What `tune probe` wrote here is this computer's, not the project's.
    if (entry.path().extension() == ".json" && entry.path().filename() != "host.json")
      all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

/// Facts of a problem and of a machine with `nodes` NUMA nodes, for reading a space without either.
Facts example_facts(const Kernel& kernel, std::int64_t nodes) {
  Facts facts = problem_parameters(kernel, {});
  for (const std::string& fact : kernel.facts) facts[fact] = Value(fact == "bands" ? 64 : 2);
  facts["machine_cores"] = Value(8);
  facts["machine_threads"] = Value(8);
  facts["machine_numa_nodes"] = Value(nodes);
  facts["machine_simd_bits"] = Value(512);
  facts["machine_l1_bytes"] = Value(48 * 1024);
  facts["machine_l2_bytes"] = Value(2 * 1024 * 1024);
  facts["machine_l3_bytes"] = Value(32 * 1024 * 1024);
  facts["machine_huge_pages"] = Value(true);
  facts["machine_fast_memory"] = Value(nodes > 1);
  facts["kokkos_version"] = Value(nodes > 1 ? 40601 : 30401);
  facts["kokkos_space"] = Value(nodes > 1 ? "openmp" : "serial");
  // A100, V100.
  facts["machine_compute_capability"] = Value(nodes > 1 ? 80 : 70);
  facts["machine_multiprocessors"] = Value(nodes > 1 ? 108 : 80);
  facts["machine_warp"] = Value(32);
  facts["machine_threads_per_multiprocessor"] = Value(2048);
  facts["machine_blocks_per_multiprocessor"] = Value(32);
  facts["machine_threads_per_block"] = Value(1024);
  facts["machine_registers_per_multiprocessor"] = Value(65536);
  facts["machine_registers_per_block"] = Value(65536);
  facts["machine_shared_per_multiprocessor"] = Value((nodes > 1 ? 164 : 96) * 1024);
  facts["machine_shared_per_block"] = Value((nodes > 1 ? 163 : 96) * 1024);
  facts["machine_memory_bytes"] = Value(16'000'000'000);
  return facts;
}

}  // namespace

TEST_CASE("every kernel's manifest reads, and its folder has its name and an explanation") {
  const auto names = kernel_names(root);
  REQUIRE_FALSE(names.empty());
  for (const std::string& name : names) {
    INFO(name);
    const Kernel kernel = find_kernel(name, root);
    CHECK(kernel.name == name);
    CHECK(std::filesystem::is_regular_file(kernel.folder / "README.md"));
  }
}

TEST_CASE("every back end of every kernel has a search space that reads and fits") {
  for (const std::string& name : kernel_names(root)) {
    const Kernel kernel = find_kernel(name, root);
    for (const Backend& backend : kernel.backends) {
      INFO(name << " " << backend.name);
      const auto file = find_space(kernel, backend.name, root);
      for (const std::int64_t nodes : {1, 2}) {
        const Facts facts = example_facts(kernel, nodes);
        const SearchSpace space = read_space(file, facts);
        CHECK(space.size() > 1);
        CHECK_NOTHROW(least_movements_from_json(read_json(file), file.string(), space, facts));
        CHECK(unknown_names(kernel, space).empty());
        const auto named = named_knobs(backend.source, root / "kernels" / "include");
        CHECK(unknown_knobs(named, space) == std::vector<std::string>{});
        CHECK(unread_knobs(named, kernel, space) == std::vector<std::string>{});
        for (const Knob& knob : space.knobs()) {
          INFO(knob.name);
          CHECK_FALSE(knob.breaks.empty());
          CHECK_FALSE(knob.doc.empty());
        }
      }
    }
  }
}

TEST_CASE("every published path reads, and its steps are configurations of its space") {
  std::size_t paths = 0;
  for (const std::string& name : kernel_names(root)) {
    const Kernel kernel = find_kernel(name, root);
    for (const Backend& backend : kernel.backends) {
      INFO(name << " " << backend.name);
      const auto path = testing::published_path(kernel, backend.name);
      if (!path) continue;
      ++paths;
      Facts facts = problem_parameters(kernel, path->problem);
      facts.merge(example_facts(kernel, 2));
      const SearchSpace space = read_space(find_space(kernel, backend.name, root), facts);
      for (const PlacedStep& step : placed(*path, space, name)) CHECK(step.impossible == "");
    }
  }
  CHECK(paths > 0);
}

TEST_CASE("every list of peers reads") {
  for (const std::string& name : kernel_names(root))
    for (const Peer& peer : read_peers(find_kernel(name, root))) {
      INFO(name << " " << peer.name);
      CHECK_FALSE(peer.title.empty());
      CHECK_FALSE(peer.cure.empty());
    }
}

TEST_CASE("every search space belongs to a kernel that is there") {
  for (const auto& file : json_files("search_spaces")) {
    INFO(file.string());
    const Json space = read_json(file);
    const std::string kernel = space.at("kernel"), backend = space.at("backend");
    CHECK(file.filename() == kernel + "." + backend + ".json");
    CHECK(find_kernel(kernel, root).backend(backend) != nullptr);
    // What a space states about walls must be about walls that the kernel has.
    for (const Json& stated : space.value("walls", Json::array())) {
      const Kernel owner = find_kernel(kernel, root);
      CHECK(std::any_of(owner.walls.begin(), owner.walls.end(), [&](const WallFormula& wall) {
        return wall.name == stated.at("wall").get<std::string>();
      }));
    }
  }
}

namespace {

/// The words of every member `key`, however deep.
void collect(const Json& json, const std::string& key, std::set<std::string>& words) {
  if (!json.is_structured()) return;
  for (const auto& [name, value] : json.items()) {
    if (name == key && value.is_string()) words.insert(value.get<std::string>());
    if (name == key && value.is_array())
      for (const Json& word : value) words.insert(word.get<std::string>());
    collect(value, key, words);
  }
}

}  // namespace

TEST_CASE("files use paradigms of the one list, and docs/formats.md explains each") {
  std::set<std::string> used;
  for (const auto& file : json_files("machines")) collect(read_json(file), "requires", used);
  for (const auto& file : json_files("search_spaces")) collect(read_json(file), "breaks", used);
  for (const std::string& name : kernel_names(root))
    collect(read_json(root / "kernels" / name / "kernel.json"), "breaks", used);
  CHECK(used.size() > 10);
  for (const std::string& word : used) {
    INFO(word);
    CHECK(index_of(words(Paradigm{}), word).has_value());
  }
  const std::string formats = read_text(root / "docs/formats.md");
  for (const std::string word : words(Paradigm{}))
    CHECK_THAT(formats, Catch::Contains("| `" + word + "` | "));
}

TEST_CASE("every machine file reads and bears its own name") {
  for (const auto& file : json_files("machines")) {
    INFO(file.string());
    CHECK(read_machine(file).name == file.stem().string());
  }
}

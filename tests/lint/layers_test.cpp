// Which module may include which: the one place where the table lives, checked from the #include
// lines.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>

#include "lint/tree.h"

using rooftune::lint::files;
using rooftune::lint::SourceFile;

namespace {

using Modules = std::set<std::string>;

/// A module may include itself and what stands in its row.
const std::map<std::string, Modules>& allowed() {
  static const Modules below_cli = {"core",  "roofline", "space", "trial",  "search",
                                    "os",    "kernel",   "build", "run",    "counters",
                                    "probe", "store",    "study", "report", "host"};
  // Commands of an extension stand on all floors.
  static const auto commands = [](const Modules& own) {
    Modules modules = below_cli;
    modules.insert("cli");
    modules.insert(own.begin(), own.end());
    return modules;
  };
  static const std::map<std::string, Modules> table = {
      {"core", {}},
      {"roofline", {"core"}},
      {"space", {"core", "roofline"}},
      {"trial", {"core", "roofline", "space"}},
      {"search", {"core", "roofline", "space", "trial"}},
      {"os", {"core"}},
      {"kernel", {"core", "roofline", "space"}},
      {"build", {"core", "roofline", "space", "kernel", "os"}},
      {"counters", {"core", "roofline", "trial", "os"}},
      {"run", {"core", "roofline", "space", "trial", "kernel", "build", "counters", "os"}},
      {"probe", {"core", "roofline", "trial", "build", "run", "os"}},
      {"store", {"core", "roofline", "space", "trial", "os"}},
      // Sees interfaces of what builds and runs, so that a whole study runs without them.
      {"study", {"core", "roofline", "space", "trial", "search", "os", "kernel", "store"}},
      {"report", {"core", "roofline", "space", "trial", "kernel", "study"}},
      {"host",
       {"core", "roofline", "space", "trial", "os", "kernel", "build", "counters", "run", "probe",
        "store", "study"}},
      {"exports",
       {"core", "roofline", "space", "trial", "os", "kernel", "build", "run", "store", "study",
        "report"}},
      {"scaffold", {"core", "os", "kernel", "build"}},
      {"sweep", {"core", "os", "search", "store", "space", "trial", "study", "report", "host"}},
      {"runtime", {"core", "os"}},
      {"kokkos", {}},
      {"replay", {"core", "roofline", "space", "trial", "search", "os", "kernel", "store"}},
      {"instrumentation", {"core", "roofline", "os", "counters"}},
      {"cli", below_cli},
      {"night_commands", commands({"sweep"})},
      {"application_commands", commands({"exports", "scaffold"})},
      {"replay_commands", commands({"replay"})},
  };
  return table;
}

/// Third-party headers stay inside the modules named here.
const std::map<std::string, Modules>& third_party() {
  static const std::map<std::string, Modules> table = {
      {"numa.h", {"os"}},
      {"numaif.h", {"os", "run"}},
      {"boost/", {"core", "space", "trial", "search", "run"}},
      {"CLI/", {"cli", "night_commands", "application_commands", "replay_commands"}},
      {"nlohmann/", {"core", "kokkos"}},
      {"xxhash.h", {"core"}},
      {"zlib.h", {"replay", "store"}},
  };
  return table;
}

/// Floors, lowest first: one includes only itself and those below it.
const std::vector<std::string>& floors() {
  static const std::vector<std::string> order = {"model", "computer", "studies", "answer", "cli"};
  return order;
}

/// The parts of tuner/computer/run/worker.cpp are computer and run; those of an extension are its
/// folder (extensions/nights) and its module. The command line is one module.
struct Location {
  std::string floor, module;
};
Location location(const std::filesystem::path& file) {
  std::vector<std::string> parts;
  for (const auto& part : file) parts.push_back(part.string());
  if (parts.at(1) == "cli") return {"cli", "cli"};
  if (parts[1] == "extensions") return {parts[1] + "/" + parts.at(2), parts.at(3)};
  return {parts[1], parts.at(2)};
}

/// "core/error.h" names module core.
std::string module_of(const std::string& target) { return target.substr(0, target.find('/')); }

void check(const SourceFile& file, const std::string& line, std::vector<std::string>& broken) {
  static const std::regex include(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::smatch match;
  if (!std::regex_search(line, match, include)) return;
  const std::string module = location(file.path).module;
  const std::string target = match[2];
  if (match[1] == "<") {
    for (const auto& [prefix, modules] : third_party())
      if (target.starts_with(prefix) && modules.count(module) == 0)
        broken.push_back(file.path.string() + " includes <" + target + ">");
    return;
  }
  const std::string used = module_of(target);
  if (used == module) return;
  const auto row = allowed().find(module);
  if (row == allowed().end())
    broken.push_back(file.path.string() + ": module " + module + " is in no row of the table");
  else if (row->second.count(used) == 0)
    broken.push_back(file.path.string() + " includes \"" + target + "\"");
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("modules include only what the table of layers allows") {
  const auto sources = files("tuner", {".h", ".cpp"});
  REQUIRE(sources.size() > 20);
  std::vector<std::string> broken;
  for (const SourceFile& file : sources)
    for (const std::string& line : file.lines) check(file, line, broken);
  INFO(joined(broken));
  CHECK(broken.empty());
}

TEST_CASE(
    "a floor includes only floors below it, and no extension, and extensions not each other") {
  std::map<std::string, std::string> floor_of;
  const auto sources = files("tuner", {".h", ".cpp"});
  for (const SourceFile& file : sources) {
    const Location at = location(file.path);
    const auto [known, added] = floor_of.emplace(at.module, at.floor);
    INFO(file.path.string());
    CHECK(known->second == at.floor);
  }
  const auto height = [](const std::string& floor) {
    return std::find(floors().begin(), floors().end(), floor) - floors().begin();
  };
  const auto top = static_cast<std::ptrdiff_t>(floors().size());
  for (const auto& [module, uses] : allowed()) {
    const std::string floor = floor_of.at(module);
    for (const std::string& used : uses) {
      INFO(module << " of " << floor << " uses " << used << " of " << floor_of.at(used));
      const std::string other = floor_of.at(used);
      const bool fine = floor == other || (height(other) < top && height(other) < height(floor));
      CHECK(fine);
    }
  }
}

TEST_CASE("the table has no cycle: every module stands above what it includes") {
  std::vector<std::string> order;
  while (order.size() < allowed().size()) {
    const auto placed = [&](const std::string& module) {
      return std::find(order.begin(), order.end(), module) != order.end();
    };
    const auto next = std::find_if(allowed().begin(), allowed().end(), [&](const auto& row) {
      return !placed(row.first) && std::all_of(row.second.begin(), row.second.end(), placed);
    });
    REQUIRE(next != allowed().end());
    order.push_back(next->first);
  }
  CHECK(order.size() == allowed().size());
}

TEST_CASE("the check of layers sees what is forbidden") {
  std::vector<std::string> broken;
  check({"tuner/model/core/error.cpp", {}}, "#include \"space/knob.h\"", broken);
  check({"tuner/studies/study/stages.cpp", {}}, "#include \"run/host_evaluator.h\"", broken);
  check({"tuner/answer/report/page.cpp", {}}, "#include <zlib.h>", broken);
  check({"tuner/answer/nonsense/page.cpp", {}}, "# include \"core/error.h\"", broken);
  CHECK(broken.size() == 4);
  check({"tuner/studies/study/stages.cpp", {}}, "#include \"study/stages.h\"", broken);
  check({"tuner/cli/main.cpp", {}}, "#include \"study/run_study.h\"", broken);
  check({"tuner/extensions/replay/replay/recording_file.cpp", {}}, "#include <zlib.h>", broken);
  CHECK(broken.size() == 4);
}

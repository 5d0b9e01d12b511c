#include "user.h"

#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/file.h"
#include "os/topology.h"
#include "roofline/machine.h"
#include "roofline/machine_json.h"

namespace rooftune::e2e {
namespace {

Ceiling ceiling(const std::string& name, Ceiling::Kind kind, const std::string& where,
                double rate) {
  Ceiling result;
  result.name = name;
  result.kind = kind;
  (kind == Ceiling::Kind::in_core ? result.precision : result.level) = where;
  result.rate = {rate, 0.99 * rate, 1.01 * rate};
  result.source = {Source::Kind::modelled, "made up for a test", "2026-01-01T00:00:00Z"};
  result.requirements = {Paradigm::tlp};
  return result;
}

/// This host as far as `tune` can tell, with ceilings that are far too high, so that no gap closes.
Machine imagined_host() {
  const Topology host = topology();
  const CpuFeatures features = cpu_features();
  Machine machine;
  machine.name = "host";
  machine.description = "this host with imagined ceilings";
  machine.id = "imagined";
  machine.identity = {{"cpu", host.cpu_model}, {"hostname", host.hostname}};
  machine.cores = host.cores;
  machine.simd_bits = features.simd_bits;
  machine.features = features.names;
  machine.levels = {
      {"L1", 32e3, 32e3, host.cores}, {"L2", 1e6, 1e6, host.cores}, {"DRAM", {}, {}, 1}};
  Ceiling peak = ceiling("fp64 fma", Ceiling::Kind::in_core, "fp64", 1e15);
  peak.mix = "fma";
  peak.threads = host.cores;
  peak.simd_bits = features.simd_bits;
  peak.ilp = 12;
  machine.ceilings.push_back(peak);
  for (const char* level : {"L1", "L2", "DRAM"}) {
    Ceiling load = ceiling(std::string(level) + " load", Ceiling::Kind::bandwidth, level, 1e15);
    load.mix = "load";
    load.reads = 1;
    load.threads = host.cores;
    machine.ceilings.push_back(load);
  }
  return machine;
}

/// The words of a kernel's study or of a comparison, as User::tune() says. With more threads every
/// parallel region waits for a time slice of the tests beside it.
std::vector<std::string> completed(std::vector<std::string> words) {
  const auto says = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const bool studies = !words.empty() && words[0] == "--kernel";
  const bool measures = studies || (!words.empty() && words[0] == "bench");
  if (measures && !says("--threads") && !says("--machine") && !says("--gpu") && !says("cuda"))
    words.insert(words.end(), {"--threads", "1"});
  if (studies && !says(whole_study))
    for (const char* less : {"--no-staircase", "--no-anchors"})
      if (!says(less)) words.emplace_back(less);
  std::erase(words, whole_study);
  return words;
}

}  // namespace

User::User(Builds builds)
    : cache_(builds == Builds::own ? path("cache") : std::filesystem::path(ROOFTUNE_TEST_CACHE)) {
  std::filesystem::create_directories(path("machines"));
  std::filesystem::create_directories(path("best_known"));
  std::filesystem::create_directories(path("tmp"));
  std::filesystem::create_directories(path("locks"));
  write_atomically(path("machines") / "host.json", to_json(imagined_host()).dump(1));
}

std::map<std::string, std::string> User::environment() const {
  return {{"ROOFTUNE_MACHINES", path("machines").string()},
          {"ROOFTUNE_BEST_KNOWN", path("best_known").string()},
          {"ROOFTUNE_RESULTS", path("results").string()},
          {"ROOFTUNE_CACHE", cache_.string()},
          {"TMPDIR", path("tmp").string()},
          {"ROOFTUNE_LOCKS", path("locks").string()},
          {"COLUMNS", "100"}};
}

Ran User::tune(const std::vector<std::string>& words,
               const std::map<std::string, std::string>& extra, int limit_seconds) const {
  return run(ROOFTUNE_TUNE, words, extra, limit_seconds);
}

Ran User::run(const std::string& program, const std::vector<std::string>& words,
              const std::map<std::string, std::string>& extra, int limit_seconds) const {
  Command command;
  command.argv = {program};
  const std::vector<std::string> all = completed(words);
  command.argv.insert(command.argv.end(), all.begin(), all.end());
  command.environment = environment();
  for (const auto& [name, value] : extra) command.environment[name] = value;
  command.directory = directory_.path();
  command.limit = std::chrono::seconds(limit_seconds);
  const Finished finished = execute(command);
  INFO("tune ended: " << finished.status.text());
  return {finished.status.code.value_or(-1), finished.output};
}

Ran User::python(const std::string& interpreter, std::vector<std::string> words,
                 int limit_seconds) const {
  Command command;
  command.argv = std::move(words);
  command.argv.insert(command.argv.begin(), interpreter);
  command.limit = std::chrono::seconds(limit_seconds);
  command.environment = environment();
  command.environment["PYTHONPATH"] =
      ROOFTUNE_SOURCE_DIR "/tuner/extensions/applications/bindings/python";
  command.environment["PYTHONDONTWRITEBYTECODE"] = "1";
  command.environment["ROOFTUNE_TUNE"] = ROOFTUNE_TUNE;
  command.directory = directory_.path();
  const Finished finished = execute(command);
  return {finished.status.code.value_or(-1), finished.output};
}

Json User::tuned(std::vector<std::string> words) const {
  words.insert(words.end(), {"--json", path("out.json").string()});
  const Ran ran = tune(words);
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  return read_json(path("out.json"));
}

void User::write(const std::string& name, const std::string& text) const {
  std::filesystem::create_directories(path(name).parent_path());
  write_atomically(path(name), text);
}

std::vector<std::filesystem::path> User::files(const std::string& below,
                                               const std::string& extension) const {
  std::vector<std::filesystem::path> found;
  if (!std::filesystem::exists(path(below))) return found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path(below)))
    if (entry.path().extension() == extension) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Json> User::trials(const std::string& study) const {
  std::map<int, Json> by_index;
  for (const auto& file : files("results/records/" + study, ".jsonl")) {
    std::istringstream lines(read_text(file));
    for (std::string line; std::getline(lines, line);) {
      const Json record = parse_json(line, file.string());
      if (record.at("event") == "trial")
        by_index[record.at("body").at("index").get<int>()] = record.at("body").at("configuration");
    }
  }
  std::vector<Json> result;
  for (const auto& [index, configuration] : by_index) result.push_back(configuration);
  return result;
}

std::string output_of(const User& user, const std::vector<std::string>& words,
                      const std::map<std::string, std::string>& environment) {
  Command command;
  command.argv = words;
  command.environment = user.environment();
  for (const auto& [name, value] : environment) command.environment[name] = value;
  command.directory = user.path("");
  command.limit = std::chrono::minutes(5);
  const Finished finished = execute(command);
  INFO(finished.output);
  REQUIRE(finished.status.ok());
  return finished.output;
}

std::string example(const std::string& name) {
  return std::string(ROOFTUNE_SOURCE_DIR) + "/docs/examples/" + name;
}

void build_project(const User& user, const std::string& source, const std::string& folder,
                   std::vector<std::string> options) {
  // One set of instructions instead of four takes a third of the time to compile.
  options.insert(options.begin(), {"cmake", "-S", source, "-B", folder, "-DTUNED_ISA=native"});
  std::map<std::string, std::string> environment;
  // What one project has compiled another one of this user finds.
  if (find_program("ccache")) {
    options.emplace_back("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache");
    environment["CCACHE_DIR"] = user.path("ccache").string();
  }
  output_of(user, options, environment);
  output_of(user, {"cmake", "--build", folder, "-j2"}, environment);
}

std::map<std::string, std::string> installed(const User& user, const std::string& name,
                                             const std::string& text) {
  user.write("bin/" + name, text);
  std::filesystem::permissions(user.path("bin/" + name), std::filesystem::perms::owner_all);
  const char* path = std::getenv("PATH");
  return {{"PATH", user.path("bin").string() + ":" + (path ? path : "")}};
}

pid_t start(const User& user, const std::vector<std::string>& words,
            const std::map<std::string, std::string>& extra) {
  std::string script = "cd '" + user.path(".").string() + "'; ";
  std::map<std::string, std::string> environment = user.environment();
  environment.insert(extra.begin(), extra.end());
  for (const auto& [name, value] : environment) script += name + "='" + value + "' ";
  script += "exec '" ROOFTUNE_TUNE "'";
  for (const auto& word : completed(words)) script += " '" + word + "'";
  script += " > log 2>&1";
  std::string shell = "/bin/sh", flag = "-c";
  char* argv[] = {shell.data(), flag.data(), script.data(), nullptr};
  pid_t child = -1;
  REQUIRE(posix_spawn(&child, "/bin/sh", nullptr, nullptr, argv, environ) == 0);
  return child;
}

bool gone(const User& user) {
  for (int n = 0; n < 50; ++n) {
    if (processes(user).empty()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

std::vector<pid_t> processes(const User& user) {
  const std::string text = "ROOFTUNE_BEST_KNOWN=" + user.environment().at("ROOFTUNE_BEST_KNOWN");
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "environ");
    std::stringstream words;
    words << file.rdbuf();
    if (words.str().find(text) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

std::optional<std::filesystem::path> data(const std::string& name) {
  const char* root = std::getenv("ROOFTUNE_DATA");
  if (!root || !*root || !std::filesystem::exists(std::filesystem::path(root) / name))
    return std::nullopt;
  return std::filesystem::path(root) / name;
}

bool any_has(const Json& texts, const std::string& what) {
  for (const Json& text : texts)
    if (text.get<std::string>().find(what) != std::string::npos) return true;
  return false;
}

}  // namespace rooftune::e2e

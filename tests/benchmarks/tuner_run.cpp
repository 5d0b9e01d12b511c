#include "tuner_run.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "core/error.h"
#include "os/subprocess.h"
#include "os/topology.h"

namespace rooftune::testing {

std::map<std::string, std::string> arguments(int argc, char** argv,
                                             std::map<std::string, std::string> defaults) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    const auto known = defaults.find(word.substr(0, equals));
    if (equals == std::string::npos || known == defaults.end()) {
      fmt::print(stderr, "\"{}\" is none of:\n", word);
      for (const auto& [name, value] : defaults) fmt::print(stderr, "  {}={}\n", name, value);
      std::exit(2);
    }
    known->second = word.substr(equals + 1);
  }
  return defaults;
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

TunerRun::TunerRun(std::filesystem::path tune, std::filesystem::path folder)
    : tune_(std::filesystem::absolute(tune)), folder_(std::filesystem::absolute(folder)) {
  if (!std::filesystem::exists(tune_))
    throw Error("is not there", tune_.string(), "tune=PATH names the built program");
  std::filesystem::create_directories(folder_);
}

Json TunerRun::tuned(std::vector<std::string> words) const {
  const auto document = folder_ / "result.json";
  words.insert(words.begin(), tune_.string());
  words.insert(words.end(),
               {"--quiet", "--results", results().string(), "--json", document.string()});
  Command command;
  command.argv = words;
  command.limit = std::chrono::hours(2);
  const Finished finished = execute(command);
  if (!finished.status.ok())
    throw Error(finished.status.text() + "\n" + finished.output,
                fmt::format("{}", fmt::join(words, " ")));
  return read_json(document);
}

Json environment_now(const Json& machine) {
  const Topology host = topology();
  std::time_t now = std::time(nullptr);
  char date[32] = "";
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  double load = 0;
  std::ifstream("/proc/loadavg") >> load;
  return {{"date", date},
          {"machine", machine},
          {"processor", host.cpu_model},
          {"cores", host.cores},
          {"load_average", load}};
}

}  // namespace rooftune::testing

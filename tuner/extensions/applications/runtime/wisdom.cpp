// Configurations as Kernel Launcher's wisdom files hold them: a line with the names of the knobs,
// then a line for each device and problem size; the last number, the objective, is minimised.
#include <map>
#include <sstream>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json.h"
#include "runtime/look_up.h"

namespace rooftune::runtime {
namespace {

NamedValues named(const Json& names, const Json& values) {
  NamedValues all;
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i)
    if (auto one = named_value(names[i].get<std::string>(), values[i]))
      all.push_back(std::move(*one));
  std::sort(all.begin(), all.end(),
            [](const NamedValue& a, const NamedValue& b) { return a.name < b.name; });
  return all;
}

}  // namespace

std::vector<Exported> read_wisdom(const std::filesystem::path& file) {
  static const Json axes{"problem_size_x", "problem_size_y", "problem_size_z"};
  std::istringstream lines(read_text(file));
  std::string line, place;
  // The best of each device and problem size, with its objective.
  std::map<std::pair<std::string, std::string>, std::pair<double, Exported>> best;
  Json head;
  try {
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
      if (line.empty()) continue;
      place = file.string() + ":" + std::to_string(number);
      const Json json = parse_json(line, place);
      if (number == 1) {
        head = json;
        if (json.at("version") != "1.0") throw Error("its version is not 1.0", place);
        continue;
      }
      Exported exported;
      exported.kernel = head.at("key").get<std::string>();
      exported.machine = json.at("environment").value("device_name", "");
      exported.knobs = named(head.at("tunable_parameters"), json.at("config"));
      exported.problems = {named(axes, json.at("problem_size"))};
      exported.content = hash_hex(line);
      if (exported.knobs.size() != head.at("tunable_parameters").size())
        throw Error("its config is not a value for each of the tunable_parameters", place);
      const double objective = json.at(head.at("objective").get<std::string>()).get<double>();
      const auto key = std::pair(exported.machine, json.at("problem_size").dump());
      const auto found = best.find(key);
      if (found == best.end() || objective < found->second.first)
        best.insert_or_assign(key, std::pair(objective, std::move(exported)));
    }
  } catch (const Json::exception& fault) {
    throw Error(std::string("is no line of a wisdom file: ") + fault.what(), place);
  }
  std::vector<Exported> all;
  for (auto& [key, one] : best) all.push_back(std::move(one.second));
  return all;
}

}  // namespace rooftune::runtime

// The published schemas of files that people write (docs/schema), for editors: they hold for every
// file of this repository, and for none with a member that is misspelt.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>

#include "core/file.h"
#include "support/published_schema.h"

using namespace rooftune;
using rooftune::testing::PublishedSchema;

namespace {

const std::filesystem::path root = ROOFTUNE_SOURCE_DIR;

struct WrittenKind {
  const char* schema;
  const char* folder;  ///< searched with all that is below it
  const char* ending;  ///< of the files' names
  std::size_t fewest;
};
constexpr WrittenKind kinds[] = {
    {"kernel", "kernels", "kernel.json", 11}, {"kernel", "docs/examples", "kernel.json", 2},
    {"peers", "kernels", "peers.json", 7},    {"space", "search_spaces", ".json", 31},
    {"machine", "machines", ".json", 20},     {"plan", "docs/examples/nightly", "nightly.json", 1}};

std::vector<std::filesystem::path> written_files(const WrittenKind& kind) {
  std::vector<std::filesystem::path> files;
  // Events are the vendors' lists, best-known configurations are exports of `tune`.
  const std::set<std::string> others{"events", "best_known"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / kind.folder))
    if (entry.path().string().ends_with(kind.ending) &&
        !others.contains(entry.path().parent_path().filename().string()))
      files.push_back(entry.path());
  return files;
}

bool is_free(const std::string& name) {
  // Names of the user's own: precisions and operations apart, which are words.
  for (const char* own : {"problem", "identity", "backends", "exclude"})
    if (name == own) return true;
  return false;
}

/// Calls `check` with the document once for each of its members with that one misspelt.
template <class Check>
void misspell(Json& document, Json& here, const std::string& place, const Check& check) {
  if (here.is_array()) {
    // A list's first elements are like the others.
    for (std::size_t i = 0; i < std::min<std::size_t>(here.size(), 3); ++i)
      misspell(document, here[i], fmt::format("{}/{}", place, i), check);
    return;
  }
  if (!here.is_object()) return;
  std::vector<std::string> names;
  for (const auto& [name, value] : here.items()) names.push_back(name);
  for (const std::string& name : names) {
    const Json before = here;
    Json changed = Json::object();
    for (const auto& [member, value] : before.items())
      changed[member == name ? member + "s_" : member] = value;
    here = changed;
    check(place + "/" + name);
    here = before;
    if (!is_free(name)) misspell(document, here[name], place + "/" + name, check);
  }
}

struct JsonBlock {
  std::string place;
  Json json;
};
/// The blocks of JSON in the documentation, but for those that quote a file. Members without the
/// braces around them are an object.
std::vector<JsonBlock> documented_json() {
  std::vector<JsonBlock> blocks;
  for (const auto& entry : std::filesystem::directory_iterator(root / "docs")) {
    if (entry.path().extension() != ".md") continue;
    std::istringstream lines(read_text(entry.path()));
    std::string before, text;
    bool inside = false, quoted = false;
    for (std::string line; std::getline(lines, line); before = line) {
      if (line == "```json") {
        inside = true, quoted = before.starts_with("<!-- from "), text.clear();
      } else if (inside && line == "```") {
        inside = false;
        const std::string place = entry.path().filename().string() + ": " + text.substr(0, 60);
        if (!quoted)
          blocks.push_back({place, parse_json(text[0] == '"' ? "{" + text + "}" : text, place)});
      } else if (inside) {
        text += line + '\n';
      }
    }
  }
  return blocks;
}

}  // namespace

TEST_CASE("what the documentation shows of files that people write keeps to their schemas") {
  const std::map<std::string, std::string> schemas{{"rooftune-kernel-1", "kernel"},
                                                   {"rooftune-space-1", "space"},
                                                   {"rooftune-machine-1", "machine"},
                                                   {"rooftune-sweep-1", "plan"},
                                                   {"rooftune-peers-1", "peers"}};
  Json machine;
  std::map<std::string, int> held;
  const auto blocks = documented_json();
  for (const auto& [place, json] : blocks) {
    const auto schema = schemas.find(json.value("schema", ""));
    if (schema == schemas.end()) continue;
    INFO(place);
    CHECK(PublishedSchema(schema->second).holds(json));
    ++held[schema->second];
    if (schema->second == "machine") machine = json;
  }
  // Parts are of machine files: what only some machines have.
  PublishedSchema schema("machine");
  for (const auto& [place, json] : blocks) {
    if (!json.contains("slurm") && !json.contains("gpu")) continue;
    INFO(place);
    Json whole = machine;
    whole.update(json);
    CHECK(schema.holds(whole));
    ++held["part"];
  }
  CHECK(held == std::map<std::string, int>{{"machine", 1}, {"part", 2}, {"peers", 1}, {"plan", 1}});
}

TEST_CASE("the published schemas hold for every file of the repository that people write") {
  for (const WrittenKind& kind : kinds) {
    PublishedSchema schema(kind.schema);
    const auto files = written_files(kind);
    INFO(kind.schema << " in " << kind.folder);
    CHECK(files.size() >= kind.fewest);
    for (const auto& file : files) {
      INFO(file.string());
      CHECK(schema.holds(read_json(file)));
    }
  }
}

TEST_CASE("a published schema refuses a member that is misspelt, wherever it stands") {
  for (const auto& [name, file] : {std::pair("kernel", "kernels/triad/kernel.json"),
                                   {"space", "search_spaces/triad.openmp.json"},
                                   {"machine", "machines/v100.json"},
                                   {"peers", "kernels/spmv/peers.json"},
                                   {"plan", "docs/examples/nightly/nightly.json"}}) {
    PublishedSchema schema(name);
    Json document = read_json(root / file);
    std::size_t tried = 0;
    misspell(document, document, "", [&](const std::string& place) {
      INFO(file << place);
      CHECK_FALSE(schema.holds(document));
      ++tried;
    });
    CHECK(tried >= 8);
  }
}

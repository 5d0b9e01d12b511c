// The published schemas of files that people write (docs/schema), for editors: they hold for every
// file of this repository, and for none with a member that is misspelt.
#include <fmt/format.h>

#include <catch2/catch.hpp>

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
    {"peers", "kernels", "peers.json", 6},    {"space", "search_spaces", ".json", 31},
    {"machine", "machines", ".json", 20},     {"plan", "docs/examples/nightly", "nightly.json", 1}};

std::vector<std::filesystem::path> written_files(const WrittenKind& kind) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / kind.folder))
    // Events are the vendors' lists.
    if (entry.path().string().ends_with(kind.ending) &&
        entry.path().parent_path().filename() != "events")
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

}  // namespace

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

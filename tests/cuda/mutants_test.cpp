// A test of the tests: each barrier, fence or wait of the CUDA kernels is removed in turn, and the
// emulation must find that out. mutants.json says with which --problem and --set, for a file or one
// statement of it, or why it cannot. Some run with the suite, all in scripts/nightly.
#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

namespace fs = std::filesystem;

const std::regex synchronisation(
    R"(__syncthreads\(\);|rooftune::sync_warp\(\);|__threadfence\(\);|rooftune::async_wait<[^>]*>\(\);)");

fs::path kernels() { return fs::path(ROOFTUNE_SOURCE_DIR) / "kernels"; }

Json mutants() {
  return read_json(fs::path(ROOFTUNE_SOURCE_DIR) / "tests" / "cuda" / "mutants.json");
}

/// Where the statements begin in a source, and how long they are.
std::vector<std::pair<std::size_t, std::size_t>> places(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::sregex_iterator each(text.begin(), text.end(), synchronisation), end; each != end;
       ++each)
    found.emplace_back(each->position(), each->length());
  return found;
}

/// What `tune check` says of a copy of the kernel without statement `number` of a file (from 1; 0:
/// with all of them).
Ran checked(const User& user, const std::string& file, const Json& row, std::size_t number) {
  const fs::path relative(file), copy = user.path("copy");
  fs::remove_all(copy);
  fs::copy(kernels() / relative.parent_path(), copy, fs::copy_options::recursive);
  if (number > 0) {
    std::string text = read_text(copy / relative.filename());
    const auto [begin, length] = places(text).at(number - 1);
    text.replace(begin, length, ";");
    user.write("copy/" + relative.filename().string(), text);
  }
  return user.tune({"check", copy.string(), "--backend", "cuda", "--problem", row.at("problem"),
                    "--set", row.at("knobs")},
                   {}, 600);
}

/// Removes the statements of one file that `chosen` names and requires that it shows, with `saying`
/// in what is said.
void require_caught(const User& user, const std::string& file, const Json& row,
                    const std::vector<std::size_t>& chosen, const std::string& saying = {}) {
  std::set<std::string> sound;  ///< problem and knobs with which the whole kernel is right
  for (const std::size_t number : chosen) {
    Json mine = row;
    if (const Json& own = row.at("removed").at(number - 1); own.is_object()) mine.update(own);
    if (sound.insert(mine.at("problem").dump() + mine.at("knobs").dump()).second) {
      const Ran whole = checked(user, file, mine, 0);
      INFO(whole.output);
      REQUIRE(whole.code == 0);
    }
    const Ran ran = checked(user, file, mine, number);
    INFO(file << " without statement " << number << ":\n" << ran.output);
    CHECK(ran.code == 1);
    CHECK((ran.says("wrong_result") || ran.says("crashed")));
    CHECK(ran.says(saying));
  }
}

}  // namespace

TEST_CASE("mutants: every barrier, fence and wait of the kernels has a row") {
  const Json rows = mutants();
  std::set<std::string> known;
  for (const fs::directory_entry& folder : fs::directory_iterator(kernels()))
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (folder.path().filename() == "include" || name.rfind("cuda", 0) != 0) continue;
      const std::string file = folder.path().filename().string() + "/" + name;
      const std::size_t count = places(read_text(entry.path())).size();
      INFO(file << " in tests/cuda/mutants.json");
      if (count > 0) REQUIRE(rows.contains(file));
      if (rows.contains(file)) CHECK(rows.at(file).at("removed").size() == count);
      known.insert(file);
    }
  for (const auto& [file, row] : rows.items()) CHECK(known.count(file) == 1);
}

TEST_CASE("races that only show in another order of threads are found", "[.night]") {
  const User user;
  const Json rows = mutants();
  for (const auto& [file, row] : rows.items())
    if (row.contains("suite"))
      require_caught(user, file, row, row.at("suite").get<std::vector<std::size_t>>(),
                     row.at("suite_says"));
}

TEST_CASE("all mutants: each that can show does", "[.night]") {
  const User user;
  const Json rows = mutants();
  for (const auto& [file, row] : rows.items()) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < row.at("removed").size(); ++i)
      if (const Json& each = row.at("removed").at(i); each.is_object() || each == "caught")
        chosen.push_back(i + 1);
    require_caught(user, file, row, chosen);
  }
}

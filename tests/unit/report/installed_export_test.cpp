// Exports where applications load them: exchanged with the earlier one kept, and refused where they
// are damaged.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "report/exporter.h"
#include "support/scratch_folder.h"

using namespace rooftune;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

Json export_of(const std::string& mode) {
  return {{"schema", export_document}, {"kernel", "own"}, {"configuration", {{"mode", mode}}}};
}

/// Bytes of a shared object with a record.
std::string object_of(const std::string& mode) {
  return std::string("\177ELF\0\0", 6) +
         record_text({{{"arguments", "int n"}}, Json::array({export_of(mode)})}) +
         std::string("\0rooftune-library-1\0", 20);
}

std::string mode_of(const fs::path& object) {
  return library_record(object).studies.at(0).at("configuration").at("mode");
}

}  // namespace

TEST_CASE("a shared object says what it holds, and a foreign or damaged one is refused") {
  const testing::ScratchFolder folder;
  const fs::path good = folder.write("libtuned_own.so", object_of("well"));
  CHECK(mode_of(good) == "well");
  CHECK(library_record(good).interface.at("arguments") == "int n");
  CHECK_THROWS_WITH(library_record(folder.path() / "none.so"), Contains("none.so"));
  CHECK_THROWS_WITH(library_record(folder.write("a.so", "\177ELF rooftune-library-1")),
                    Contains("no shared object of an exported library"));
  CHECK_THROWS_WITH(library_record(folder.write("b.so", "rooftune-library-1 {\"interface\": ")),
                    Contains("b.so:1"));
  CHECK_THROWS_WITH(library_record(folder.write("c.so", "rooftune-library-1 {\"studies\": 3}")),
                    Contains("record of studies is damaged"));
}

TEST_CASE("names of shared objects end in .so or go on behind it") {
  CHECK(is_shared_object("lib/libtuned_a.so"));
  CHECK(is_shared_object("libtuned_a.so.1.1"));
  CHECK_FALSE(is_shared_object("lib.so/tuned_a"));
  CHECK_FALSE(is_shared_object("tuned_a.sos"));
  CHECK_FALSE(is_shared_object("so"));
}

TEST_CASE("an export is exchanged behind its links, and the earlier one is kept") {
  const testing::ScratchFolder folder;
  const fs::path object = folder.write("libtuned_own.so.1.1", object_of("first"));
  const fs::path link = folder.path() / "libtuned_own.so";
  fs::create_symlink("libtuned_own.so.1", link);
  fs::create_symlink("libtuned_own.so.1.1", folder.path() / "libtuned_own.so.1");
  fs::permissions(object, fs::perms::owner_all);

  const fs::path kept = replace_export(link, object_of("second"));
  CHECK(kept.parent_path() == object.parent_path());
  // ldconfig would link to a copy named lib*.so*.
  CHECK_THAT(kept.filename().string(), Catch::StartsWith("tuned_own.so.1.1.until-2"));
  replace_export(link, object_of("third"));
  CHECK(fs::is_symlink(link));
  CHECK(mode_of(link) == "third");
  CHECK(mode_of(kept) == "first");
  CHECK(fs::status(kept).permissions() == fs::perms::owner_all);
}

TEST_CASE("documents are of one task for the same kernel, problem and settings") {
  Json one = export_of("well");
  one["problem"] = {{"n", 1000}};
  Json other = export_of("late");
  other["problem"] = {{"n", 1000}};
  CHECK(same_task(one, other));
  other["problem"]["n"] = 1001;
  CHECK_FALSE(same_task(one, other));
  CHECK(part_of(one, "/machine/id").is_null());
  CHECK(part_of(3, "/machine/id").is_null());
}

// Hashes, random numbers, files and sources.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/list.h"
#include "core/quantity.h"
#include "core/rng.h"
#include "core/text.h"
#include "support/scratch_folder.h"

namespace rooftune {
namespace {

std::ptrdiff_t files_of(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

}  // namespace

TEST_CASE("foreign text is made plain, and plain text stays as it is") {
  const std::string bad = "\xef\xbf\xbd";
  for (const std::string text : {"", "a b", "two\nlines\tand a tab", "\u00e9 \u2588 \U0001f600"})
    CHECK(plain_text(text) == text);
  CHECK(plain_text("a\r\nb\rc") == "a\nb" + bad + "c");
  CHECK(plain_text(std::string("a\0b", 3)) == "a" + bad + "b");
  CHECK(plain_text("\x1b[31mred\x1b[0m") == bad + "[31mred" + bad + "[0m");
  CHECK(plain_text("\x7f\x9b\xff") == bad + bad + bad);
  // C1, a mark and an override of direction, an isolate, a separator of lines, no character.
  for (const char* hidden : {"\xc2\x9b", "\u200f", "\u202e", "\u2066", "\u2028", "\xef\xbf\xbe"})
    CHECK(plain_text(hidden) == bad);
  CHECK(plain_text("cut \xe2\x96") == "cut " + bad + bad);
  CHECK(plain_text(plain_text("\x01\xff")) == bad + bad);
}

TEST_CASE("a text ends before a mark, and is whole without one") {
  CHECK(text_before(std::string("a=b=c"), '=') == "a");
  CHECK(text_before(std::string_view("=b"), '=').empty());
  CHECK(text_before(std::string("int x; // text"), " //") == "int x;");
  CHECK(text_before(std::string("none"), '=') == "none");
  for (const char c : {' ', '\t', '\n', '\v', '\f', '\r'}) CHECK(is_space(c));
  for (const char c : {'\0', '\x0e', 'a', '_', '\xa0'}) CHECK_FALSE(is_space(c));
}

TEST_CASE("places of a list begin at 0, and equal neighbours are one") {
  CHECK(all_places(0).empty());
  CHECK(all_places(3) == Indices{0, 1, 2});
  Texts names{"a", "a", "b", "a"};
  drop_repeats(names);
  CHECK(names == Texts{"a", "b", "a"});
}

TEST_CASE("a file is no folder, a link is what it leads to, and nothing is neither") {
  const testing::ScratchFolder scratch;
  const auto file = scratch.path() / "file", link = scratch.path() / "link";
  write_atomically(file, "text");
  std::filesystem::create_symlink(scratch.path(), link);
  CHECK((is_file(file) && !is_folder(file)));
  CHECK((is_folder(link) && !is_file(link)));
  CHECK_FALSE((is_file(scratch.path() / "none") || is_folder(scratch.path() / "none")));
  CHECK_FALSE(is_file(file / "below a file"));
  CHECK(file_name(file) == "file");
  CHECK(file_name("/").empty());
}

TEST_CASE("hashes tell labels, texts and their borders apart") {
  const auto key = [](std::string a, const char* b, std::string c, const char* d) {
    return LabelledHash().add(std::move(a), b).add(std::move(c), d).hex();
  };
  const std::set<std::string> keys{key("a", "b", "c", "d"), key("a", "bc", "", "d"),
                                   key("ab", "", "c", "d"), key("c", "d", "a", "b"),
                                   key("a", "b", "c", ""),  LabelledHash().add("a", "b").hex(),
                                   LabelledHash().hex()};
  CHECK(keys.size() == 7);
  for (const std::string& hex : keys) CHECK(hex.size() == 32);
  CHECK(key("a", "b", "c", "d") == key("a", "b", "c", "d"));
  // XXH3 128 of the empty text, as xxhsum -H2 prints it.
  CHECK(hash_hex("") == "99aa06d3014798d86001c324468d497f");
}

TEST_CASE("a hash explains itself") {
  const std::string long_text(300, 'x');
  CHECK(LabelledHash().add("flags", "-O3").add("source", long_text).dump() ==
        "flags = -O3\nsource = <300 bytes, " + hash_hex(long_text) + ">\n");
}

TEST_CASE("random numbers depend on seed and position only") {
  Rng a(1, 2), b(1, 2), c(1, 3), d(2, 2);
  const std::uint64_t first = a.next();
  CHECK(first == b.next());
  CHECK(first != c.next());
  CHECK(first != d.next());
  // Fixed for ever: records name seeds.
  CHECK(Rng(0, 0).next() == 18159663500948011932U);
  CHECK(Rng(42, 7).below(1000) == 838);
  for (int i = 0; i < 1000; ++i) {
    CHECK(a.below(7) < 7);
    const double unit = a.unit();
    CHECK((unit >= 0 && unit < 1));
  }
  CHECK(a.below(1) == 0);
}

TEST_CASE("streams of neighbouring positions share no numbers") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t position = 0; position < 100; ++position) {
    Rng rng(42, position);
    for (int i = 0; i < 100; ++i) seen.insert(rng.next());
  }
  CHECK(seen.size() == 10'000);
}

TEST_CASE("files are read whole") {
  const testing::ScratchFolder folder;
  const auto file = folder.write("f", "one\ntwo");
  CHECK(read_text(file) == "one\ntwo");
  CHECK_THROWS_WITH(read_text(file, 3),
                    Catch::StartsWith(file.string() + ": is larger than the limit of 3 bytes"));
  CHECK_THROWS_WITH(read_text(folder.path()),
                    folder.path().string() + ": is a directory, not a file");
  CHECK_THROWS_WITH(read_text(folder.path() / "absent"),
                    Catch::Contains("absent: cannot be read: No such file"));
  CHECK(read_text("/dev/null").empty());
  CHECK_THROWS_AS(read_text("/dev/zero", 1000), Error);
}

TEST_CASE("files are written atomically") {
  const testing::ScratchFolder folder;
  const auto file = folder.path() / "f";
  write_atomically(file, "old");
  write_atomically(file, std::string(100'000, 'n'));
  CHECK(read_text(file) == std::string(100'000, 'n'));
  CHECK(files_of(folder.path()) == 1);
  CHECK_THROWS_WITH(write_atomically(folder.path() / "no" / "f", "x"),
                    Catch::Contains("cannot be written: No such file"));
  std::filesystem::create_directory(folder.path() / "d");
  CHECK_THROWS_AS(write_atomically(folder.path() / "d", "x"), Error);
  // The failed attempt leaves nothing behind.
  CHECK(files_of(folder.path()) == 2);
  CHECK_THROWS_AS(write_atomically("/dev/full/x", "x"), Error);
}

TEST_CASE("the time is ISO 8601 in UTC") {
  const std::string now = utc_now();
  REQUIRE(now.size() == 20);
  CHECK(now.substr(0, 2) == "20");
  CHECK(now[4] == '-');
  CHECK(now[10] == 'T');
  CHECK(now[13] == ':');
  CHECK(now.back() == 'Z');
}

TEST_CASE("sources have words") {
  const auto kind_of = [](const char* word) {
    return enumerator<Source::Kind>("kind of source", word);
  };
  for (const auto kind : enumerators<Source::Kind>()) CHECK(kind_of(to_text(kind)) == kind);
  CHECK(std::string(to_text(Source::Kind::declared)) == "declared");
  CHECK_THROWS_WITH(kind_of("mesured"),
                    "unknown kind of source \"mesured\"\nhint: did you mean \"measured\"?");
  CHECK_THROWS_WITH(kind_of("guess"),
                    "unknown kind of source \"guess\"\nhint: one of vendor, measured, modelled, "
                    "counted, instrumented, declared");
  CHECK(Estimate{2, 1, 3}.overlaps({4, 3, 5}));
  CHECK_FALSE(Estimate{2, 1, 3}.overlaps({4, 3.5, 5}));
  CHECK(Estimate::exact(2) == Estimate{2, 2, 2});
}

}  // namespace rooftune

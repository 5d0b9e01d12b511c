// Errors and nearest words.
#include "core/error.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <new>
#include <system_error>

#include "core/text.h"

namespace rooftune {

TEST_CASE("an error shows place, message and cure") {
  CHECK(std::string(Error("bad").what()) == "bad");
  CHECK(std::string(Error("bad", "f.json").what()) == "f.json: bad");
  CHECK(std::string(Error("bad", "f.json", "do this").what()) == "f.json: bad\nhint: do this");
  CHECK(Error("x", "", "", ExitCode::unavailable).code() == ExitCode::unavailable);
}

TEST_CASE("no part of an error steers a terminal") {
  const Error error("title \x1b[2J\x1b]0;owned\x07", "name\x9b.json", "\xe2\x80\xaehint\r");
  for (const std::string& text :
       {std::string(error.what()), error.message(), error.where(), error.hint()}) {
    INFO(text);
    CHECK(text == plain_text(text));
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\r') == std::string::npos);
  }
}

TEST_CASE("whatever is thrown becomes words for a user") {
  CHECK(std::string(as_error(Error("a", "b", "c", ExitCode::io)).what()) == "b: a\nhint: c");
  try {
    std::filesystem::create_directories("/proc/nothing/here");
    FAIL("was made");
  } catch (const std::filesystem::filesystem_error& fault) {
    const Error error = as_error(fault);
    CHECK(error.code() == ExitCode::io);
    CHECK_THAT(error.what(), Catch::StartsWith("/proc/nothing") &&
                                 Catch::Contains("No such file or directory") &&
                                 !Catch::Contains("filesystem error"));
  }
  const Error thread =
      as_error(std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again)));
  CHECK_THAT(thread.what(), Catch::Contains("Resource temporarily unavailable"));
  CHECK_THAT(as_error(std::bad_alloc()).what(), Catch::StartsWith("out of memory"));
  CHECK_THAT(as_error(std::logic_error("x")).what(), Catch::StartsWith("internal error: x"));
}

TEST_CASE("no faults raise nothing") {
  Faults faults;
  CHECK(faults.empty());
  CHECK_NOTHROW(faults.raise());
  faults.add("a", "one");
  faults.add("b", "two", "cure");
  CHECK(faults.size() == 2);
  CHECK_THROWS_WITH(faults.raise(), "2 faults\na: one\nb: two\nhint: cure");
}

TEST_CASE("the nearest word is the one a person meant") {
  const std::vector<std::string> words{"schedule", "threads", "chunk", "huge_pages"};
  CHECK(nearest_word("shedule", words) == "schedule");
  CHECK(nearest_word("Threads", words) == "threads");
  CHECK(nearest_word("chunck", words) == "chunk");
  CHECK(nearest_word("hgue_pages", words) == "huge_pages");
  CHECK(nearest_word("banana", words).empty());
  CHECK(nearest_word("", words).empty());
  CHECK(nearest_word("n", {"x"}).empty());
  CHECK(nearest_word(std::string(1'000'000, 'a'), {"aaa"}).empty());
  CHECK(nearest_word("abc", {}).empty());
}

TEST_CASE("messages quote little, printable and valid UTF-8") {
  CHECK(excerpt("csr") == "csr");
  CHECK(excerpt(std::string(100, 'a')) == std::string(60, 'a') + "...");
  CHECK(excerpt("a\nb\x7f") == "a?b?");
  CHECK(excerpt("µs 😀") == "µs 😀");
  CHECK(excerpt("µµ", 3) == "µ...");
  // Cut, stray, overlong, surrogate, beyond the last plane.
  CHECK(excerpt("\xc2") == "?");
  CHECK(excerpt("\x80z") == "?z");
  CHECK(excerpt("\xc0\xaf") == "??");
  CHECK(excerpt("\xed\xa0\x80") == "???");
  CHECK(excerpt("\xf4\x90\x80\x80") == "????");
}

}  // namespace rooftune

// What shells offer, and what is said of words that nobody knows.
#include <catch2/catch.hpp>

#include "cli/choices.h"
#include "cli/command_table.h"
#include "cli/options.h"
#include "core/error.h"
#include "support/with_extensions.h"

using namespace rooftune;
using Catch::Contains;
using Typed = std::vector<std::string>;

namespace {

std::string fault_of(const Typed& words) {
  std::vector<const char*> argv{"tune"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    parse(static_cast<int>(argv.size()), argv.data());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("offers are commands, options, choices and names") {
  CHECK(completions({"expo"}) == Typed{"export"});
  CHECK(completions({"records", "ver"}) == Typed{"verify"});
  CHECK(completions({"records", "gc", "--older"}) == Typed{"--older-than"});
  CHECK(completions({"--cache", ""}) == Typed{"warm", "cold"});
  CHECK(completions({"list", "ker"}) == Typed{"kernels"});
  CHECK(completions({"--kernel", "spm"}) == Typed{"spmv"});
  CHECK(completions({"--machine", "au"}) == Typed{"auto"});
  CHECK(completions({"--backend", "open"}) == Typed{"openmp"});
  CHECK(completions({"replay", "x.json", "--strategy", "roo"}) == Typed{"roofline"});
}

TEST_CASE("nothing is offered where nobody can know, and what is hidden stays so") {
  CHECK(completions({"sweep", "nightly"}).empty());
  CHECK(completions({"--budget", ""}).empty());
  CHECK(completions({"--transf"}).empty());
}

TEST_CASE("a mistyped word is told with the nearest") {
  struct Row {
    Typed words;
    const char *what, *near;
  };
  const std::vector<Row> rows = {
      {{"spmv"}, "unknown command \"spmv\"", "tune --kernel NAME"},
      {{"exprot"}, "unknown command \"exprot\"", "did you mean \"export\"?"},
      {{"--kernl", "spmv"}, "unknown option \"--kernl\"", "did you mean \"--kernel\"?"},
      {{"--kernel", "spmv", "--budgt=3"}, "\"--budgt\"", "did you mean \"--budget\"?"},
      {{"records", "verfy"}, "unknown command \"verfy\"", "did you mean \"verify\"?"},
      {{"records", "verfy"}, "unknown command \"verfy\"", "did you mean \"verify\"?"},
      {{"records", "gc", "--dry-rn"}, "\"--dry-rn\"", "did you mean \"--dry-run\"?"},
      {{"--kernel", "spmv", "--cache", "wrm"}, "--cache: \"wrm\"", "did you mean \"warm\"?"},
      {{"list", "kernls"}, "what: \"kernls\"", "did you mean \"kernels\"?"},
      {{"--kernel", "spmv", "--path", "publihsed"}, "--path", "did you mean \"published\"?"},
      {{"--kernel", "a", "--strategy", "rofline"},
       "unknown strategy \"rofline\"",
       "did you mean \"roofline\"?"},
  };
  for (const Row& row : rows) {
    const std::string fault = fault_of(row.words);
    CHECK_THAT(fault, Contains(row.what) && Contains(row.near));
  }
  CHECK_THAT(fault_of({"--kernel", "spmv", "--zzzzzz"}),
             Contains("unknown option \"--zzzzzz\"") && Contains("tune --help"));
}

#include "report/sentences.h"

#include <catch2/catch.hpp>

#include "support/sample_report.h"

using namespace rooftune;
using Catch::Contains;

TEST_CASE("an entry of the ledger is named by what it limits and what it lacks") {
  using Kind = LedgerEntry::Kind;
  using P = Paradigm;
  LedgerEntry entry = sample::entry(Kind::bandwidth, "DRAM", "DRAM load (2 MiB pages) 1t",
                                    {P::tlp, P::huge_pages}, 1);
  CHECK(short_name(entry) == "DRAM without huge pages, on fewer threads");
  CHECK(full_name(entry) ==
        "DRAM without huge pages, on fewer threads (DRAM load (2 MiB pages) 1t)");
  entry.lacks = {};
  CHECK(short_name(entry) == "DRAM bandwidth");
  entry = sample::entry(Kind::in_core, "fp64", "fp64 fma 1t", {P::tlp}, 1);
  CHECK(full_name(entry) == "fp64 on fewer threads (fp64 fma 1t)");
  entry.lacks = {};
  CHECK(full_name(entry) == "fp64 peak (fp64 fma 1t)");
  entry = sample::named(sample::entry(Kind::wall, "L2", "L2 load", {P::capacity}, 1),
                        "all columns (CSR)");
  CHECK(short_name(entry) == "all columns (CSR)");
  CHECK(full_name(entry) == "all columns (CSR) (L2 traffic at L2 load)");
}

TEST_CASE("the digest merges what says the same and keeps the nearest to the roof") {
  StudyResult report = sample::report();
  const std::size_t before = ledger_digest(report).rows.size();
  LedgerEntry twin = report.ledger[0];
  twin.ceiling = "fp64 add scalar ilp1 1t";
  twin.time = twin.beside = Seconds(5.5e-3);
  report.ledger.push_back(twin);
  const LedgerDigest digest = ledger_digest(report);
  CHECK(digest.rows.size() == before);
  CHECK(digest.rows[0].entry.ceiling == twin.ceiling);
  CHECK(digest.rows[0].alike == 1);
  for (std::size_t i = 1; i < digest.rows.size(); ++i)
    CHECK(digest.rows[i - 1].entry.beside >= digest.rows[i].entry.beside);
}

TEST_CASE("ceilings beyond the bound are counted, not listed") {
  StudyResult report = sample::report();
  const std::size_t before = ledger_digest(report).rows.size();
  report.ledger.push_back(
      sample::entry(LedgerEntry::Kind::bandwidth, "L1", "L1 load 2t", {}, 1e-6));
  CHECK(ledger_digest(report).beyond == 1);
  CHECK(ledger_digest(report).rows.size() == before);
}

TEST_CASE("counts and collapsed knobs are sentences") {
  const StudyResult report = sample::report();
  CHECK(outcome_sentence(report) ==
        "55 ok, 1 build failed, 1 crashed, 1 timed out, 1 wrong result, 1 pruned");
  CHECK(collapsed_knobs(report) ==
        std::vector<std::string>{"numa_policy = local: this machine has one NUMA node"});
  CHECK_THAT(tie_sentence(report), Contains("1 other configuration cannot be told from the best"));
}

// Matrix Market files as spmv reads them: every form, and every fault with its line.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "spmv_problem.h"
#include "support/scratch_folder.h"

using namespace rooftune::testing;

namespace {

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

std::vector<double> dense(const std::string& text) { return loaded(solved_text(text)).dense(); }

Refusal refusal(const std::string& text) {
  return refusal_of([&] { solved_text(text); });
}

void check_refused(const std::string& text, const std::string& where, const std::string& message) {
  const Refusal refused = refusal(text);
  INFO(text << refused.where << ": " << refused.message);
  CHECK(refused.where == where);
  CHECK(refused.message.find(message) != std::string::npos);
}

using Dense = std::vector<double>;

}  // namespace

TEST_CASE("a general matrix is read in any order with comments, blank lines and line ends") {
  const Dense expected = {1, 0, 2.5, 0, -3, 0};
  CHECK(dense(general + "% a comment\n\n2 3 3\n2 2 -3\n1 3 2.5\n1 1 1\n") == expected);
  CHECK(
      dense(
          "%%MatrixMarket matrix coordinate real general\r\n2 3 3\r\n2 2 -3\r\n1 3 2.5\r\n1 1 1") ==
      expected);
  CHECK(dense("%%matrixmarket MATRIX Coordinate Real GENERAL\n%\n  2\t3 3 \n 2  2 -3e0 \n% inside\n"
              "1 3 +2.5D0\n\n1 1 .1d1\n\n% after\n") == expected);
}

TEST_CASE("columns of a row come out ascending and duplicates are added up") {
  const Sparse a =
      loaded(solved_text(general + "3 4 6\n3 4 1\n3 1 2\n1 2 5\n3 4 10\n3 1 -2\n3 2 7\n"));
  CHECK(a.pointer == std::vector<std::int32_t>{0, 1, 1, 4});
  CHECK(a.column == std::vector<std::int32_t>{1, 0, 1, 3});
  CHECK(a.value == Dense{5, 0, 7, 11});
}

TEST_CASE("symmetric, skew-symmetric, integer and pattern matrices") {
  CHECK(
      dense("%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 4\n3 1 -7\n2 2 1\n") ==
      Dense{4, 0, -7, 0, 1, 0, -7, 0, 0});
  CHECK(dense("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n") ==
        Dense{0, -3, 3, 0});
  CHECK(dense("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n") ==
        Dense{0, 1, 1, 0});
  CHECK(dense("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n") ==
        Dense{0, 1, 1, 0});
  // Some writers repeat the symmetry where the field belongs.
  CHECK(dense("%%MatrixMarket matrix coordinate general general\n1 1 1\n1 1 0.5\n") == Dense{0.5});
}

TEST_CASE("arrays are read column by column") {
  CHECK(dense("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n") ==
        Dense{1, 3, 5, 2, 4, 6});
  CHECK(dense("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n") ==
        Dense{1, 2, 2, 3});
  CHECK(dense("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n") ==
        Dense{0, -1, -2, 1, 0, -3, 2, 3, 0});
}

TEST_CASE("a matrix without entries has no work and is refused") {
  for (const char* sizes : {"0 0 0\n", "0 5 0\n", "5 0 0\n", "3 2 0\n"})
    CHECK_THAT(refusal(general + sizes).message, Catch::Contains("no entries"));
}

TEST_CASE("extreme values are kept, overflow and not-a-number are refused") {
  CHECK(dense(general + "1 3 3\n1 1 1.7976931348623157e308\n1 2 -1e-400\n1 3 4.9e-324\n") ==
        Dense{1.7976931348623157e308, -0.0, 4.9e-324});
  check_refused(general + "1 1 1\n1 1 1e999\n", "file:3", "not finite");
  check_refused(general + "1 1 1\n1 1 nan\n", "file:3", "not finite");
  check_refused(general + "1 1 1\n1 1 -inf\n", "file:3", "not finite");
  check_refused(general + "1 1 1\n1 1 0x10\n", "file:3", "no number");
  check_refused(general + "1 1 1\n1 1 1.5x\n", "file:3", "no number");
  check_refused(general + "1 1 1\n1 1 abc\n", "file:3", "\"abc\"");
  check_refused(general + "2 2 2\n1 1 1\n2 2\n%\n", "file:4", "the value is missing");
  check_refused("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", "file:3",
                "no whole number");
}

TEST_CASE("a wrong header is refused with what is right") {
  check_refused("", "file:1", "no Matrix Market file");
  check_refused("1 1 1\n1 1 1\n", "file:1", "no Matrix Market file");
  check_refused("%%MatrixMarket matrix coordinate real\n", "file:1", "five words");
  check_refused("%%MatrixMarket vector coordinate real general\n", "file:1", "no matrix");
  check_refused("%%MatrixMarket matrix csr real general\n", "file:1", "unknown format");
  check_refused("%%MatrixMarket matrix coordinate quad general\n", "file:1", "unknown field");
  check_refused("%%MatrixMarket matrix coordinate real triangular\n", "file:1", "unknown symmetry");
  check_refused("%%MatrixMarket matrix coordinate complex general\n", "file:1", "complex");
  check_refused("%%MatrixMarket matrix coordinate real hermitian\n", "file:1", "hermitian");
  check_refused("%%MatrixMarket matrix array pattern general\n", "file:1", "pattern");
  check_refused("%%MatrixMarket matrix coordinate pattern skew-symmetric\n", "file:1", "pattern");
  const Refusal compressed = refusal("\x1f\x8b\x08 and more");
  CHECK_THAT(compressed.message, Catch::Contains("gzip"));
  CHECK_THAT(compressed.hint, Catch::Contains("gunzip"));
  CHECK(refusal("hello").hint.find("%%MatrixMarket matrix coordinate real general") !=
        std::string::npos);
}

TEST_CASE("wrong sizes are refused before anything is allocated") {
  check_refused(general, "file:2", "sizes is missing");
  check_refused(general + "% only\n", "file:3", "sizes is missing");
  check_refused(general + "2 2\n1 1 1\n", "file:2", "number of entries is missing");
  CHECK_THAT(refusal(general + "2 2\n").hint, Catch::Contains("the header says array"));
  check_refused(general + "two 2 1\n", "file:2", "\"two\"");
  check_refused(general + "-2 2 1\n1 1 1\n", "file:2", "negative");
  check_refused(general + "2 2 -1\n1 1 1\n", "file:2", "negative");
  check_refused(general + "2 2 1 7\n1 1 1\n", "file:2", "unexpected text");
  check_refused(general + "3000000000 2 1\n1 1 1\n", "file: size line", "32 bits");
  check_refused(general + "2 99999999999999999999999 1\n1 1 1\n", "file:2", "beyond 64 bits");
  check_refused(general + "2 2 4000000000\n1 1 1\n", "file:2", "room for at most");
  check_refused(general + "2 2 9223372036854775807\n1 1 1\n", "file:2", "room for at most");
  check_refused("%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n", "file:2",
                "room for at most");
  const Refusal memory = refusal(general + "2000000000 2000000000 1\n1 1 1\n");
  CHECK(memory.message.find("GiB") != std::string::npos);
  check_refused("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", "file:2",
                "2 rows and 3 columns");
}

TEST_CASE("wrong entries are refused with their line") {
  check_refused(general + "2 2 2\n1 1 1\n", "file:2", "room for at most");
  check_refused(general + "2 2 2\n1 1 1.000000\n", "file:4", "after 1 of 2 entries");
  check_refused(general + "2 2 1\n1 1 1\n2 2 1\n", "file:4", "more entries than the 1");
  check_refused(general + "2 2 1\n3 1 1\n", "file:3", "row 3 is not in 1..2");
  check_refused(general + "2 2 1\n1 0 1\n", "file:3", "column 0 is not in 1..2");
  check_refused(general + "2 2 1\n1 -1 1\n", "file:3", "column -1");
  check_refused(general + "2 2 1\n1 1.5 1\n", "file:3", "no whole number");
  check_refused(general + "2 2 1\n1 1 1 1\n", "file:3", "unexpected text");
  check_refused(general + "2 2 1\n1 1 " + std::string(1, '\0') + "\n", "file:3", "no text");
  check_refused("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", "file:3",
                "above the diagonal");
  check_refused("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n", "file:3",
                "diagonal");
  check_refused("%%MatrixMarket matrix array real general\n2 2\n1.00\n2.00\n3.00\n", "file:6",
                "after 3 of 4 entries");
  check_refused("%%MatrixMarket matrix array real general\n1 2\n1\n2\n3\n", "file:5",
                "more entries");
}

TEST_CASE("a file that cannot be read is named") {
  const Refusal refused = refusal_of([] { solved({{"matrix", "/nonexistent/a.mtx"}}); });
  CHECK(refused.where == "/nonexistent/a.mtx");
  CHECK(refused.message.find("cannot read") != std::string::npos);
  CHECK_THROWS_AS(solved({{"matrix", "/tmp"}}), Refusal);
}

TEST_CASE("mutated files are read or refused, never worse") {
  const std::vector<std::string> seeds = {
      general + "% c\n4 5 6\n1 1 1.5\n4 5 -2e3\n2 2 3\n2 3 .25\n3 1 1e-3\n4 4 7\n",
      "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n3 3\n5 1\n4 2\n",
      "%%MatrixMarket matrix array integer general\n3 2\n1\n-2\n3\n4\n5\n6\n",
      "%%MatrixMarket matrix coordinate real skew-symmetric\r\n3 3 2\r\n2 1 4\r\n3 1 -1\r\n"};
  const std::string bytes = "0123456789 .-+eE%\n\r\tDxnai/\xff";
  std::uint64_t state = 20261121;
  const auto below = [&state](std::size_t count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(state >> 33) % count;
  };
  int read = 0, refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t change = 0, changes = 1 + below(2); change < changes; ++change) {
      if (text.empty()) break;
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = bytes[below(bytes.size())];
          break;
        case 1:
          text.insert(at, 1 + below(3), bytes[below(bytes.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(5));
          break;
        default:
          text.resize(at + 1);
      }
    }
    INFO(text);
    try {
      const MemoryProblem problem = solved_text(text);
      const Sparse a = loaded(problem);
      ++read;
      // Whatever was accepted is a matrix.
      REQUIRE(a.pointer.size() == static_cast<std::size_t>(a.rows) + 1);
      for (const std::int32_t c : a.column) REQUIRE((c >= 0 && c < a.cols));
      REQUIRE(problem.facts.at("full_matrix_bytes") >= 4 * problem.facts.at("nnz"));
    } catch (const Refusal& refusal) {
      ++refused;
      REQUIRE(refusal.message.size() > 5);
      REQUIRE(refusal.where.rfind("file", 0) == 0);
    }
  }
  CHECK(read > 100);
  CHECK(refused > 1000);
}

TEST_CASE("whole numbers of any size are values to the nearest, and sizes only within 64 bits") {
  const std::string integer = "%%MatrixMarket matrix coordinate integer general\n";
  CHECK(dense(integer + "1 3 3\n1 1 1234567890123456789\n1 2 -123456789012345678901234567890\n"
                        "1 3 +100000000000000000\n") ==
        Dense{1234567890123456789.0, -123456789012345678901234567890.0, 1e17});
  CHECK(dense(integer + "1 1 1\n1 1 9223372036854775808\n") == Dense{9223372036854775808.0});
  check_refused(general + "1 99999999999999999999 0\n", "file:2", "beyond 64 bits");
  check_refused(general + "1 1 1\n1 9223372036854775809 1\n", "file:3", "beyond 64 bits");
  check_refused(integer + "1 1 1\n1 1 " + std::string(400, '9') + "\n", "file:3", "not finite");
}

TEST_CASE("a pipe, an endless device and more than the memory holds are refused at once") {
  const ScratchFolder folder;
  const std::string pipe = (folder.path() / "pipe.mtx").string();
  const std::string huge = folder.write("huge.mtx", general).string();
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::filesystem::resize_file(huge, std::uintmax_t{1} << 42);
  for (const std::string& path : {pipe, std::string("/dev/zero")})
    CHECK(refusal_of([&] {
            solved({{"matrix", path}});
          }).message.find("a pipe or a device") != std::string::npos);
  CHECK(refusal_of([&] {
          solved({{"matrix", huge}});
        }).message.find("the file needs") != std::string::npos);
}

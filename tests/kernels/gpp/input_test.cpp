// What problem.cpp of Sigma-GPP makes of generated data and of files, and what it refuses.
#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "gpp_problem.h"
#include "kernel/kernel.h"

using namespace rooftune::testing;

namespace {

/// Bands 2, G' 1, G 3, energies 2.
const char* const small_file = R"(rooftune-gpp-1 text
2 1 3 2
wtilde
 1 .1  2 -.1  3 .2
I_eps  1 0  -1 .1  .5 0
aqsn   1 2 3 4 5 6
       6 5 4 3 2 1
aqsm   1 -1  2 0
vcoul  .5
occ    1 0
wx     -1 0
       1.5 2
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

Refusal refusal(const std::string& content) {
  return refusal_of([&] { load_file(content); });
}

std::string binary_of(const Sigma& s) {
  std::ostringstream text;
  text << "rooftune-gpp-1 binary\n" << s.nb << ' ' << s.ng << ' ' << s.nc << ' ' << s.nw << '\n';
  std::string bytes = text.str();
  for (const char* name : {"wtilde", "i_eps", "aqsn", "aqsm", "vcoul", "occ", "wx"}) {
    const std::vector<double>& array = s.arrays.at(name);
    bytes.append(reinterpret_cast<const char*>(array.data()), array.size() * sizeof(double));
  }
  return bytes;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("generated data starts as the generator is documented to") {
  Loaded problem = load(3, 2, 5, 2, 2);
  std::uint64_t state = 20200826;
  for (std::size_t k = 0; k < 20; ++k) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double u = static_cast<double>(state >> 11) / 9007199254740992.0;
    CHECK(problem.sigma["wtilde"][k] ==
          Approx(k % 2 == 0 ? 0.5 + 4.5 * u : u - 0.5).epsilon(1e-15));
  }
  CHECK(problem.sigma["occ"] == std::vector<double>{1, 0.5, 0});
  CHECK(problem.sigma["wx"][0] == Approx(-8 + 16.0 / 3 - 0.5));
  CHECK(problem.facts.at("occupied_bands") == 2);
  CHECK(problem.facts.at("active_triples") <= 30);
}

TEST_CASE("counts of cells are those of the data") {
  Loaded problem = load(7, 5, 64, 2, 3);
  const double cells = 7 * 5 * 64 * 2;
  const auto& f = problem.facts;
  CHECK(f.at("far_cells") == Approx(cells * (1 - f.at("near_share"))));
  CHECK(f.at("exchange_cells") <= 3 * 5 * 64 * 2);
  CHECK(f.at("exchange_cells") >= 3 * 5 * 64 * 2 - cells * f.at("cut_share"));
  CHECK(f.at("active_triples") <= 7 * 5 * 64);
}

TEST_CASE("every fact of the manifest is set, and no other") {
  const rooftune::Kernel kernel =
      rooftune::find_kernel("gpp", std::filesystem::path(ROOFTUNE_SOURCE_DIR));
  std::vector<std::string> declared = kernel.facts, set;
  for (const auto& [name, value] : load(2, 2, 3, 1, 1).facts) set.push_back(name);
  std::sort(declared.begin(), declared.end());
  CHECK(set == declared);
}

TEST_CASE("a sample of the cells is close to all of them") {
  // Beyond 1e7 cells they are sampled.
  const Loaded whole = load(16, 16, 1024, 2, 4), sampled = load(16, 64, 8192, 2, 4);
  CHECK(sampled.facts.at("near_share") == Approx(whole.facts.at("near_share")).epsilon(0.01));
  for (const char* counted : {"far_cells", "exchange_cells", "active_triples"})
    CHECK(sampled.facts.at(counted) == Approx(32 * 0.99 * whole.facts.at(counted)).epsilon(0.01));
  for (std::size_t k = 0; k < 8; ++k) CHECK(sampled.scale[k] > 10 * whole.scale[k]);
}

TEST_CASE("a text file is read, energies at zero are moved") {
  Loaded problem = load_file(small_file);
  CHECK(problem.sigma.nb == 2);
  CHECK(problem.sigma.ng == 1);
  CHECK(problem.sigma.nc == 3);
  CHECK(problem.sigma.nw == 2);
  CHECK(problem.sigma["aqsn"] == std::vector<double>{1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1});
  CHECK(problem.sigma["wx"] == std::vector<double>{-1, 1e-12, 1.5, 2});
}

TEST_CASE("a binary file holds what was written") {
  Loaded problem = load(4, 3, 6, 2, 2);
  const Loaded read = load_file(binary_of(problem.sigma));
  CHECK(read.sigma.arrays == problem.sigma.arrays);
  CHECK(read.scale == problem.scale);
}

TEST_CASE("files with faults are refused with line or field") {
  struct Fault {
    const char *from, *to, *where, *message;
  };
  const Fault faults[] = {
      {"rooftune-gpp-1 text", "rooftune-gpp-2 text", "file:1", "not a file of this kernel"},
      {"2 1 3 2", "2 1 3", "file:2", "nw"},
      {"2 1 3 2", "2 0 3 2", "file:2", "ngpown"},
      {"2 1 3 2", "2 1 3 2 7", "file:2", "unexpected"},
      {"2 1 3 2", "2 1 3 65", "file:2", "64"},
      {"3 .2", "3 x.2", "file:4", "\"x.2\""},
      {"3 .2\n", "3\n", "file:5", "number 6 of 6"},
      {"I_eps ", "eps ", "file:5", "\"eps\""},
      {"6 5 4", "6 nan 4", "file:7", "aqsn: number 8 is not finite"},
      {"6 5 4", "6 1e16 4", "file:7", "larger than 1e15"},
      {"occ    1 0", "occ    1 3", "file:10", "occupation"},
      {"1.5 2\n", "1.5\n", "file:13", "ends after 3 of 4"},
      {"1.5 2\n", "1.5 2 9\n", "file:12", "more data"},
  };
  for (const Fault& fault : faults) {
    INFO(fault.from << " -> " << fault.to);
    const Refusal refused = refusal(replaced(small_file, fault.from, fault.to));
    CHECK(refused.where == fault.where);
    INFO(refused.message);
    CHECK(contains(refused.message, fault.message));
  }
}

TEST_CASE("an energy on a real pole is refused") {
  const Refusal refused = refusal(replaced(small_file, "2 -.1", "2 0"));
  CHECK(refused.where == "file");
  CHECK(contains(refused.message, "(2, 1)"));
  CHECK_NOTHROW(load_file(replaced(small_file, "2 -.1", "2.1 0")));
}

TEST_CASE("binary files with faults are refused with the field") {
  const std::string good = binary_of(load(4, 3, 6, 2, 2).sigma);
  const Refusal cut = refusal(good.substr(0, good.size() - 8));
  CHECK(cut.where == "file");
  CHECK(contains(cut.message, "wx: the file ends after 7 of 8"));
  CHECK(contains(refusal(good + "x").message, "more data"));
  CHECK(contains(refusal(good.substr(0, 100)).message, "wtilde"));
}

TEST_CASE("sizes that do not fit the memory are refused before anything is allocated") {
  const Refusal refused = refusal_of([] { load(1000000, 10000000, 100000000, 64, 1); });
  CHECK(refused.where == "--problem");
  CHECK(contains(refused.message, "GiB"));
}

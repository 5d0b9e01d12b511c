// Manifests with random damage: each ends in a Kernel or an Error, and never in anything else.
#include <catch2/catch.hpp>

#include "core/rng.h"
#include "kernel/kernel.h"
#include "support/manifest_folder.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

constexpr std::uint64_t seed = 20261121;

/// One to four edits of bytes: flip, erase, double or insert.
std::string damaged(std::string text, Rng& rng) {
  const std::uint64_t edits = 1 + rng.below(4);
  static const std::string spice = "{}[]\",:0123456789eE+-.*/nst \\\x01\xff";
  for (std::uint64_t i = 0; i < edits && !text.empty(); ++i) {
    const std::size_t at = rng.below(text.size());
    switch (rng.below(4)) {
      case 0:
        text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text.erase(at, 1 + rng.below(30));
        break;
      case 2:
        text.insert(at, text.substr(at, rng.below(40)));
        break;
      default:
        text.insert(at, 1, spice[rng.below(spice.size())]);
    }
  }
  return text;
}

/// Every pointer to a member or element of `json`.
void collect(const Json& json, const Json::json_pointer& here,
             std::vector<Json::json_pointer>& all) {
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) {
    const auto place =
        json.is_array() ? here / static_cast<std::size_t>(std::stoul(key)) : here / key;
    all.push_back(place);
    collect(value, place, all);
  }
}

Json strange_value(Rng& rng) {
  static const std::vector<Json> values = {nullptr,
                                           true,
                                           0,
                                           -1,
                                           1e308,
                                           9223372036854775807,
                                           "",
                                           "n",
                                           "n**n**n",
                                           "1/0",
                                           "((((((((((n",
                                           "..",
                                           "/",
                                           "\xc3\xa9",
                                           "zero",
                                           "n+",
                                           Json::array(),
                                           Json::object(),
                                           Json{1, "a", nullptr},
                                           18446744073709551615u};
  return values[rng.below(values.size())];
}

/// Reads the folder and uses what was read; anything but an Error fails the test by itself.
bool survives(const ManifestFolder& folder) {
  try {
    const Kernel kernel = read_kernel(folder.path());
    const Facts facts = problem_parameters(kernel, {});
    work(kernel, facts);
    traffic(kernel, facts);
    array_bytes(kernel, facts);
    return true;
  } catch (const Error& error) {
    CHECK(std::string(error.what()).size() > 5);
    return false;
  }
}

}  // namespace

TEST_CASE("damaged bytes") {
  const std::string good = triad_manifest().dump(1);
  const ManifestFolder folder(good);
  int read = 0, refused = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    Rng rng(seed, i);
    folder.write("kernel.json", damaged(good, rng));
    INFO("seed " << seed << " position " << i);
    (survives(folder) ? read : refused) += 1;
  }
  CHECK(read > 0);
  CHECK(refused > 1000);
}

TEST_CASE("members replaced by values of other kinds, or removed") {
  const Json good = triad_manifest();
  std::vector<Json::json_pointer> places;
  collect(good, Json::json_pointer(""), places);
  const ManifestFolder folder(good);
  int refused = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    Rng rng(seed, i);
    Json manifest = good;
    const auto& place = places[rng.below(places.size())];
    const Json value = strange_value(rng);
    manifest[place] = value;
    folder.write("kernel.json", manifest.dump(-1, ' ', false, Json::error_handler_t::replace));
    INFO("seed " << seed << " position " << i << ": " << place.to_string());
    refused += survives(folder) ? 0 : 1;
  }
  CHECK(refused > 1000);
}

TEST_CASE("a manifest cut at any byte is refused") {
  const std::string good = triad_manifest().dump();
  const ManifestFolder folder(good);
  for (std::size_t length = 0; length < good.size(); length += 3) {
    folder.write("kernel.json", good.substr(0, length));
    CHECK_THROWS_AS(read_kernel(folder.path()), Error);
  }
}

TEST_CASE("problem parameters of any text end in a value or an Error") {
  const ManifestFolder folder(triad_manifest());
  const Kernel kernel = read_kernel(folder.path());
  const std::string alphabet = "0123456789.eE+-kKMiGT naifx\xff";
  for (std::uint64_t i = 0; i < 5000; ++i) {
    Rng rng(seed, i);
    std::string text;
    for (std::uint64_t k = rng.below(12); k > 0; --k) text += alphabet[rng.below(alphabet.size())];
    try {
      const std::int64_t n = problem_parameters(kernel, {{"n", text}}).at("n").integer();
      CHECK((n >= 1 && n <= 4000000000));
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find("--problem n") != std::string::npos);
    }
  }
}

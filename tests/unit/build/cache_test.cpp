// The cache heals, is nobody else's, and has an end.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "build/artefact_folder.h"
#include "core/error.h"
#include "core/file.h"
#include "os/parallel.h"
#include "support/environment_variable.h"
#include "support/workshop.h"

using namespace rooftune;
using Catch::Contains;
using testing::one_knob;
using testing::Workshop;

namespace {

/// Writes what stands for a library, and counts.
constexpr const char* writes_library =
    "printf 'the code of a library' > variant.so; echo >> ../../../builds";

/// A cache that is filled by a compiler of no time; every look-up is another process's.
class QuickCache {
 public:
  Artefact variant(std::size_t index = 0) {
    return shop_.cache(writes_library)
        .variant(shop_.kernel, shop_.backend, space_, space_.configuration(index));
  }
  ArtefactCache cache() const { return shop_.cache(writes_library); }
  const Workshop& shop() const { return shop_; }
  const SearchSpace& space() const { return space_; }
  std::filesystem::path directory() const { return shop_.folder.path() / "cache"; }
  std::size_t builds() const {
    const auto file = shop_.folder.path() / "builds";
    return std::filesystem::exists(file) ? read_text(file).size() : 0;
  }
  /// As if it had been used last so long ago.
  void age(const Artefact& artefact, std::chrono::hours hours) const {
    std::filesystem::last_write_time(artefact.library.parent_path() / "manifest",
                                     std::filesystem::file_time_type::clock::now() - hours);
  }

 private:
  Workshop shop_;
  SearchSpace space_ = testing::space_with({testing::knob("u", Knob::Kind::compile, {1, 2, 3, 4})});
};

void flip_bit(const std::filesystem::path& file) {
  std::string text = read_text(file);
  text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 4);
  std::ofstream(file, std::ios::binary) << text;
}

constexpr std::chrono::hours day{24};

}  // namespace

TEST_CASE("an artefact that is not as it was sealed is built anew") {
  QuickCache cache;
  const Artefact first = cache.variant();
  REQUIRE(first.error == "");
  const auto folder = first.library.parent_path();
  const std::vector<std::pair<const char*, std::function<void()>>> faults{
      {"torn library", [&] { std::filesystem::resize_file(first.library, 5); }},
      {"empty library", [&] { std::filesystem::resize_file(first.library, 0); }},
      {"flipped bit", [&] { flip_bit(first.library); }},
      {"library gone", [&] { std::filesystem::remove(first.library); }},
      {"of a version without a manifest", [&] { std::filesystem::remove(folder / "manifest"); }},
      {"torn manifest", [&] { std::filesystem::resize_file(folder / "manifest", 30); }},
      {"empty manifest", [&] { std::filesystem::resize_file(folder / "manifest", 0); }},
      {"flipped bit in the manifest", [&] { flip_bit(folder / "manifest"); }},
      {"a link for a library",
       [&] {
         std::filesystem::rename(first.library, folder / "elsewhere");
         std::filesystem::create_symlink("elsewhere", first.library);
       }},
      {"a folder that others may write", [&] { REQUIRE(chmod(folder.c_str(), 0777) == 0); }},
      {"a file for a folder", [&] {
         std::filesystem::remove_all(folder);
         std::ofstream(folder) << "x";
       }}};
  std::size_t builds = 1;
  for (const auto& [name, tear] : faults) {
    INFO(name);
    tear();
    const Artefact healed = cache.variant();
    CHECK(healed.error == "");
    CHECK_FALSE(healed.cached);
    CHECK(healed.library == first.library);
    CHECK(read_text(healed.library) == "the code of a library");
    CHECK(cache.builds() == ++builds);
    CHECK(cache.variant().cached);
  }
  CHECK(std::filesystem::is_empty(cache.directory() / "building"));
}

TEST_CASE("references and problems heal as variants do") {
  QuickCache cache;
  Kernel kernel = cache.shop().kernel;
  kernel.problem = kernel.reference;
  for (const bool problem : {false, true}) {
    const auto built = [&] {
      ArtefactCache anew = cache.cache();
      return problem ? anew.problem(kernel) : anew.reference(kernel);
    };
    std::filesystem::resize_file(built().library, 5);
    const Artefact healed = built();
    CHECK_FALSE(healed.cached);
    CHECK(read_text(healed.library) == "the code of a library");
    CHECK(built().cached);
  }
}

TEST_CASE("a size is looked at every time, contents once per process") {
  QuickCache quick;
  quick.variant();
  ArtefactCache cache = quick.cache();
  const auto variant = [&] {
    return cache.variant(quick.shop().kernel, quick.shop().backend, quick.space(),
                         quick.space().baseline());
  };
  CHECK(variant().cached);
  std::filesystem::resize_file(variant().library, 5);
  CHECK_FALSE(variant().cached);
  CHECK(variant().cached);
}

TEST_CASE("many who find a torn artefact end with one that is whole") {
  QuickCache quick;
  const Artefact first = quick.variant();
  const HostCompiler compiler = quick.cache().compiler();
  for (int round = 0; round < 5; ++round) {
    std::filesystem::resize_file(first.library, 5);
    std::vector<Artefact> found(6);
    std::vector<std::thread> users;
    for (Artefact& artefact : found)
      users.emplace_back([&] {
        ArtefactCache cache(quick.directory(), compiler);
        artefact = cache.variant(quick.shop().kernel, quick.shop().backend, quick.space(),
                                 quick.space().baseline());
      });
    for (std::thread& user : users) user.join();
    for (const Artefact& artefact : found) {
      CHECK(artefact.error == "");
      CHECK(artefact.library == first.library);
    }
    CHECK(is_whole(first.library.parent_path(), {"variant.so"}, true));
  }
  CHECK(std::filesystem::is_empty(quick.directory() / "building"));
}

TEST_CASE("no code is taken from where others can put it") {
  QuickCache quick;
  quick.variant();
  const auto above = quick.directory().parent_path();
  REQUIRE(chmod(above.c_str(), 0777) == 0);
  try {
    quick.variant();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), Contains(quick.directory().string()) &&
                                 Contains("chmod o-w " + above.string()) &&
                                 Contains("ROOFTUNE_CACHE"));
    CHECK(error.code() == ExitCode::usage);
  }
  REQUIRE(chmod(above.c_str(), 0700) == 0);
  // Made under an umask of 002 by a version before.
  REQUIRE(chmod(quick.directory().c_str(), 0775) == 0);
  CHECK(quick.variant().cached);
  struct stat status {};
  REQUIRE(stat(quick.directory().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0755);
}

TEST_CASE("a sweep takes what was not used for longest, down to the limits") {
  QuickCache quick;
  std::vector<Artefact> all;
  for (std::size_t i = 0; i < 4; ++i) {
    all.push_back(quick.variant(i));
    quick.age(all.back(), (10 - static_cast<int>(i)) * day);
  }
  constexpr std::chrono::seconds none{0};
  double each = 0;
  for (const auto& file : std::filesystem::directory_iterator(all[3].library.parent_path()))
    each += static_cast<double>(file.file_size());
  CHECK(sweep_cache(quick.directory(), {1e12, 9.5}, none) == 1);
  CHECK_FALSE(std::filesystem::exists(all[0].library));
  // A look-up is a use.
  CHECK(quick.variant(1).cached);
  CHECK(sweep_cache(quick.directory(), {2.5 * each, 1000}, none) == 1);
  CHECK(std::filesystem::exists(all[1].library));
  CHECK_FALSE(std::filesystem::exists(all[2].library));
  CHECK(std::filesystem::exists(all[3].library));
  CHECK(sweep_cache(quick.directory(), {0, 0}, none) == 2);
  CHECK(std::filesystem::is_empty(quick.directory() / "building"));
}

TEST_CASE("a sweep leaves what is in use, and what is not the cache's") {
  QuickCache quick;
  const Artefact used = quick.variant(0), mixed = quick.variant(1), idle = quick.variant(2),
                 recent = quick.variant(3);
  std::ofstream(mixed.library.parent_path() / "notes.txt") << "mine";
  std::ofstream(quick.directory() / "notes.txt") << "mine";
  const auto elsewhere = quick.shop().folder.path() / "elsewhere";
  std::filesystem::create_directory(elsewhere);
  std::filesystem::create_directory_symlink(elsewhere, quick.directory() / std::string(32, 'a'));
  for (const Artefact& artefact : {used, mixed, idle}) quick.age(artefact, 10 * day);
  {
    ArtefactCache running = quick.cache();
    CHECK(running
              .variant(quick.shop().kernel, quick.shop().backend, quick.space(),
                       quick.space().configuration(0))
              .cached);
    CHECK(sweep_cache(quick.directory(), {0, 0}, std::chrono::seconds(0)) == 1);
    CHECK(std::filesystem::exists(used.library));
    CHECK_FALSE(std::filesystem::exists(idle.library));
  }
  // Nobody lives any more; within the last hour nothing goes by itself.
  CHECK(sweep_cache(quick.directory(), {0, 0}, std::chrono::hours(1)) == 0);
  CHECK(sweep_cache(quick.directory(), {0, 0}, std::chrono::seconds(0)) == 2);
  CHECK_FALSE(std::filesystem::exists(recent.library));
  CHECK(std::filesystem::exists(mixed.library));
  CHECK(std::filesystem::exists(quick.directory() / "notes.txt"));
  CHECK(std::filesystem::is_symlink(quick.directory() / std::string(32, 'a')));
}

TEST_CASE("the first use of a day sweeps by itself") {
  QuickCache quick;
  const Artefact old = quick.variant(0);
  quick.age(old, 100 * day);
  quick.variant(1);
  CHECK(std::filesystem::exists(old.library));
  std::filesystem::last_write_time(quick.directory() / "swept",
                                   std::filesystem::file_time_type::clock::now() - 2 * day);
  quick.variant(1);
  CHECK_FALSE(std::filesystem::exists(old.library));
  CHECK(quick.variant(1).cached);
}

TEST_CASE("a limit comes from the environment") {
  CHECK(cache_limits().bytes == 4294967296);
  CHECK(cache_limits().days == 90);
  const testing::EnvironmentVariable limit("ROOFTUNE_CACHE_LIMIT", "500 MB");
  CHECK(cache_limits().bytes == 5e8);
  const testing::EnvironmentVariable bad("ROOFTUNE_CACHE_LIMIT", "4 gigs");
  CHECK_THROWS_WITH(cache_limits(), Contains("ROOFTUNE_CACHE_LIMIT"));
}

TEST_CASE("threads that want the same artefact wait for the one that builds it") {
  QuickCache cache;
  ArtefactCache shared = cache.cache();
  std::vector<Artefact> all(24);
  in_parallel(all.size(), 6, [&](std::size_t i) {
    all[i] = shared.variant(cache.shop().kernel, cache.shop().backend, cache.space(),
                            cache.space().configuration(i % 4));
  });
  CHECK(cache.builds() == 4);
  std::size_t built = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].error == "");
    CHECK(all[i].key == all[i % 4].key);
    CHECK(std::filesystem::exists(all[i].library));
    built += all[i].cached ? 0 : 1;
  }
  CHECK(built == 4);
}

TEST_CASE("a build that fails fails once for all threads that want it") {
  const Workshop shop;
  ArtefactCache cache =
      shop.cache("echo >> ../../../builds; echo 'shim.cpp:1: error: no' >&2; exit 1");
  std::vector<Artefact> all(8);
  in_parallel(all.size(), 4, [&](std::size_t i) {
    all[i] = cache.variant(shop.kernel, shop.backend, one_knob(), one_knob().baseline());
  });
  for (const Artefact& artefact : all) CHECK(artefact.error == all[0].error);
  CHECK_FALSE(all[0].error.empty());
  CHECK(read_text(shop.folder.path() / "builds").size() == 1);
}

TEST_CASE("a baseline's build outlives the sweep of its artefact, and is refused when changed") {
  QuickCache quick;
  const Artefact built = quick.variant();
  const auto directory = built.library.parent_path().parent_path();
  CHECK_FALSE(kept_baseline(directory, built.key));
  keep_baseline(directory, built.key);
  keep_baseline(directory, built.key);
  std::filesystem::remove_all(built.library.parent_path());
  const auto folder = kept_baseline(directory, built.key);
  REQUIRE(folder);
  CHECK(read_text(*folder / "variant.so") == "the code of a library");
  CHECK_FALSE(kept_baseline(directory, "../baselines/" + built.key));
  flip_bit(*folder / "variant.so");
  CHECK_FALSE(kept_baseline(directory, built.key));
}

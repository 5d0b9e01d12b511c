// Kernels by name and by path, and where their spaces are looked for.
#include <catch2/catch.hpp>

#include "kernel/kernel.h"
#include "support/manifest_folder.h"

using namespace rooftune;
using namespace rooftune::testing;
using Catch::Contains;

namespace {

/// A home with the kernels triad and spmv.
struct Home {
  ManifestFolder folder{triad_manifest()};
  Home() {
    for (const std::string name : {"triad", "spmv"}) {
      Json manifest = triad_manifest();
      manifest["name"] = name;
      folder.write("kernels/" + name + "/kernel.json", manifest.dump());
      folder.write("kernels/" + name + "/reference.cpp", "");
      folder.write("kernels/" + name + "/openmp.cpp", "");
    }
    folder.write("kernels/include/rooftune/problem.h", "");
  }
  const std::filesystem::path& path() const { return folder.path(); }
};

}  // namespace

TEST_CASE("kernels are found by name in the home, and listed in order") {
  const Home home;
  CHECK(kernel_names(home.path()) == std::vector<std::string>{"spmv", "triad"});
  CHECK(find_kernel("spmv", home.path()).name == "spmv");
  CHECK(kernel_names(home.path() / "nowhere").empty());
}

TEST_CASE("kernels are found by path, also by the path of the manifest") {
  const Home home;
  CHECK(find_kernel(home.path().string(), "/nowhere").name == "triad");
  CHECK(find_kernel((home.path() / "kernels/spmv/kernel.json").string(), "/nowhere").name ==
        "spmv");
}

TEST_CASE("an unknown kernel gets near names and the list") {
  const Home home;
  CHECK_THROWS_WITH(find_kernel("spvm", home.path()),
                    Contains("did you mean spmv") && Contains("spmv, triad"));
  CHECK_THROWS_WITH(find_kernel("", home.path()), Contains("there is no kernel"));
}

TEST_CASE("the space beside the kernel goes before the one of the home") {
  const Home home;
  const Kernel kernel = find_kernel("spmv", home.path());
  CHECK_THROWS_WITH(find_space(kernel, "openmp", home.path()), Contains("spmv.openmp.json"));
  CHECK_THROWS_WITH(find_space(kernel, "opnmp", home.path()), Contains("did you mean \"openmp\""));
  home.folder.write("search_spaces/spmv.openmp.json", "{}");
  CHECK(find_space(kernel, "openmp", home.path()) ==
        home.path() / "search_spaces/spmv.openmp.json");
  home.folder.write("kernels/spmv/search_spaces/spmv.openmp.json", "{}");
  CHECK(find_space(kernel, "openmp", home.path()) ==
        home.path() / "kernels/spmv/search_spaces/spmv.openmp.json");
  home.folder.write("kernels/spmv/spmv.openmp.json", "{}");
  CHECK(find_space(kernel, "openmp", home.path()) == home.path() / "kernels/spmv/spmv.openmp.json");
}

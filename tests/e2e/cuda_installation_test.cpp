// NVRTC as nodes have it: off the linker's path, in parts, or too new for the driver.
#include <dlfcn.h>
#include <link.h>

#include <catch2/catch.hpp>

#include "core/file.h"
#include "support/nvrtc.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

namespace fs = std::filesystem;

/// Where the dynamic linker finds a library.
fs::path file_of_loaded(const fs::path& library) {
  link_map* map = nullptr;
  void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  REQUIRE(handle);
  REQUIRE(dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0);
  return map->l_name;
}

}  // namespace

TEST_CASE("check --machine auto loads nothing where no NVRTC serves the driver") {
  const User user;
  const Ran ran = user.tune({"check", "triad", "--backend", "cuda", "--machine", "auto"},
                            {{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER},
                             {"ROOFTUNE_NVRTC", ROOFTUNE_FAKE_NVRTC},
                             {"FAKE_CUDA_CALLS", user.path("calls").string()}});
  INFO(ran.output);
  CHECK(ran.code == 3);
  CHECK(ran.says("the driver supports CUDA 13.0 and loads nothing of CUDA 99.4"));
  CHECK_FALSE(std::filesystem::exists(user.path("calls")));
}

TEST_CASE("NVRTC off the linker's path compiles, as Spack, conda and pip's wheels install it") {
  const auto known = test::nvrtc_for(80);
  if (!known) return;
  const User user;
  // A copy whose builtins no linker knows: "builtins.so.13.0" is "builtins.so.03.0" in both.
  const auto hidden = [&](const fs::path& file, const std::string& name) {
    std::string bytes = read_text(file);
    const std::string mark = "libnvrtc-builtins.so.";
    for (auto at = bytes.find(mark); at != std::string::npos; at = bytes.find(mark, at + 1))
      bytes[at + mark.size()] = '0';
    user.write(name, bytes);
  };
  const fs::path real = fs::canonical(file_of_loaded(known->library));
  const std::string version = known->version.substr(1);
  const fs::path builtins = real.parent_path() / ("libnvrtc-builtins.so." + known->version);
  if (!fs::exists(builtins)) {
    WARN("skipped: there is no " << builtins.string());
    return;
  }
  const std::string hidden_builtins = "libnvrtc-builtins.so.0" + version;
  hidden(real, "nvrtc");
  hidden(builtins, "builtins");
  const auto listed = [&](const fs::path& library) {
    return user.tune({"list", "backends"}, {{"ROOFTUNE_NVRTC", library.string()}});
  };
  const std::string compiles = "NVRTC " + known->version + ", ";
  for (const char* layout : {"spack/lib64", "conda/lib", "site-packages/nvidia/cuda_nvrtc/lib"}) {
    const fs::path folder = user.path(layout), library = folder / real.filename();
    fs::create_directories(folder);
    fs::create_symlink(user.path("nvrtc"), library);
    const Ran alone = listed(library);
    INFO(layout << '\n' << alone.output);
    CHECK(alone.says("compiles nothing: nvrtc: error: failed to open " + hidden_builtins));
    fs::create_symlink(user.path("builtins"), folder / hidden_builtins);
    const Ran whole = listed(library);
    INFO(whole.output);
    CHECK(whole.says(compiles));
  }
  // A link to the library alone is followed.
  fs::create_directory(user.path("links"));
  fs::create_symlink(user.path("nvrtc"), user.path("links/libnvrtc.so"));
  CHECK_FALSE(listed(user.path("links/libnvrtc.so")).says(compiles));
  fs::create_symlink(user.path("builtins"), user.path(hidden_builtins));
  CHECK(listed(user.path("links/libnvrtc.so")).says(compiles));
}

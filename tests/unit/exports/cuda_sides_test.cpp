// Both halves of every cuda.cu as an exported library carries them: NVRTC compiles the kernels, the
// host's compiler all launching halves in one program.
#include <catch2/catch.hpp>

#include "build/artefact.h"
#include "build/cuda/nvrtc.h"
#include "build/includes.h"
#include "core/file.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "space/space_reader.h"
#include "support/nvrtc.h"
#include "support/scratch_folder.h"

using namespace rooftune;
namespace fs = std::filesystem;

namespace {

const fs::path root = ROOFTUNE_SOURCE_DIR;

std::vector<std::string> cuda_kernels() {
  std::vector<std::string> names;
  for (const auto& folder : fs::directory_iterator(root / "kernels"))
    if (fs::exists(folder.path() / "cuda.cu")) names.push_back(folder.path().filename());
  return names;
}

/// The untuned form of a kernel, whatever the problem and the card.
Amalgamation untuned(const std::string& kernel, Side side) {
  Json space = read_json(root / "search_spaces" / (kernel + ".cuda.json"));
  space["constraints"] = Json::array();
  for (Json& knob : space["knobs"]) {
    for (const char* condition : {"applicable", "active"}) knob.erase(condition);
    // What depends on the problem is as its first value here.
    const auto depends = [](const Json& value) {
      return value.is_string() && value.get<std::string>().starts_with("=");
    };
    if (depends(knob["values"]) && depends(knob["default"])) knob["default"] = 1;
    if (depends(knob["values"])) knob["values"] = Json::array({knob["default"]});
    if (depends(knob["default"])) knob["default"] = knob["values"].front();
  }
  const SearchSpace plain = space_from_json(space, kernel, {});
  return amalgamated(root / "kernels" / kernel / "cuda.cu", variant_include_directory(),
                     knob_macros(plain, plain.baseline()), side);
}

}  // namespace

TEST_CASE("the kernels of every cuda.cu are one text that NVRTC compiles") {
  const auto compiler = test::nvrtc_for(80);
  if (!compiler) return;
  const Nvrtc nvrtc(compiler->library);
  for (const std::string& kernel : cuda_kernels()) {
    const Amalgamation code = untuned(kernel, Side::kernels);
    const CompiledKernels compiled =
        nvrtc.compile(code.includes() + code.text, kernel, {},
                      {"--gpu-architecture=" + compiler->architecture, "--std=c++20",
                       "--device-as-default-execution-space"});
    INFO(kernel << "\n" << compiled.log);
    CHECK(compiled.ok);
    CHECK(code.text.find("KNOB_") == std::string::npos);
    CHECK(code.text.find("ROOFTUNE_LAUNCH(") == std::string::npos);
  }
}

TEST_CASE("the launching halves of all kernels live in one program, on the device of a library") {
  const testing::ScratchFolder folder;
  std::string includes = "#include \"rooftune/library_cuda.h\"\n", text;
  for (const std::string& kernel : cuda_kernels()) {
    const Amalgamation code = untuned(kernel, Side::launching);
    includes += code.includes();
    text += "namespace tuned_" + kernel + " {\n" + code.text + "\nstatic const auto devices_of = " +
            "rooftune_cuda_library::devices<&rooftune::cuda, rooftune::CudaLaunch, " +
            "rooftune::CudaProperties>();\n}\n";
  }
  Command compiler;
  compiler.argv = {host_compiler().path, "-std=c++20", "-fsyntax-only",
                   "-I" + variant_include_directory().string(),
                   folder.write("all.cpp", includes + text).string()};
  const Finished finished = execute(compiler);
  INFO(finished.output.substr(0, 4000));
  CHECK(finished.status.ok());
}

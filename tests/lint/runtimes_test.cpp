// What belongs to one GPU runtime stands in the folders of its name; everyone else asks the tables,
// and kernels a header. So another runtime is a folder of files.
#include <catch2/catch.hpp>
#include <set>

#include "lint/tree.h"

using rooftune::lint::files;
using rooftune::lint::LinePattern;
using rooftune::lint::SourceFile;

namespace {

/// Where the rows of the runtimes stand: these alone name what a runtime brings.
const std::set<std::string> tables{"tuner/computer/build/gpu_compiler.cpp",
                                   "tuner/computer/run/gpu_runtime.cpp",
                                   "tuner/computer/counters/provider.cpp"};
/// Their texts speak of CUDA, or are CUDA: what they write is compiled with it, or printed.
const std::set<std::string> of_text{"exports", "cli"};

/// The names of a runtime's libraries and tools, wherever they stand in code.
const LinePattern own_names("nvrtc|cupti|nvml|libcuda|cubin|ptxas|nvidia-smi|hiprtc|rocprof", true);
const LinePattern own_header(R"(#include "\w+/(cuda|hip)/)");
/// What only one device language has.
const LinePattern own_language(
    R"(\b__\w+_sync\(|\b__syncwarp\(|\b__(ld|st)\w+\(|\basm\b|\bcuda::|cooperative_groups)"
    R"(|threadIdx\.[xyz]\)? *[%/] *32\b)");

/// tuner/computer/run/cuda/cuda_driver.cpp: a folder in a module.
bool is_of_runtime(const SourceFile& file) {
  const std::string parent = file.path.parent_path().filename().string();
  return parent == "cuda" || parent == "hip";
}

std::string without_comment(const std::string& line) { return line.substr(0, line.find("//")); }

void find(const SourceFile& file, const LinePattern& pattern, std::string& found) {
  for (std::size_t i = 0; i < file.lines.size(); ++i)
    if (pattern.is_in(without_comment(file.lines[i])))
      found += file.path.string() + ":" + std::to_string(i + 1) + ": " + file.lines[i] + "\n";
}

void check_engine(const SourceFile& file, std::string& found) {
  if (is_of_runtime(file) || tables.contains(file.path.generic_string())) return;
  find(file, own_header, found);
  if (!of_text.contains(file.path.parent_path().filename().string())) find(file, own_names, found);
}

void check_kernel(const SourceFile& file, std::string& found) {
  // Another author's code is as it is.
  if (file.path.generic_string().find("/peers/") == std::string::npos)
    find(file, own_language, found);
}

}  // namespace

TEST_CASE("outside its folders and the tables nobody names a GPU runtime's library or header") {
  const auto sources = files("tuner", {".h", ".cpp"});
  REQUIRE(std::count_if(sources.begin(), sources.end(), is_of_runtime) > 12);
  for (const std::string& table : tables)
    CHECK(std::any_of(sources.begin(), sources.end(),
                      [&](const SourceFile& file) { return file.path.generic_string() == table; }));
  std::string found;
  for (const SourceFile& file : sources) check_engine(file, found);
  CHECK(found == "");
}

TEST_CASE("kernels name nothing that only one device language has") {
  std::string found;
  std::size_t count = 0;
  for (const char* folder : {"kernels", "docs/examples"})
    for (const SourceFile& file : files(folder, {".cu", ".h"})) {
      if (file.path.generic_string().starts_with("kernels/include")) continue;
      check_kernel(file, found);
      ++count;
    }
  CHECK(count > 40);
  CHECK(found == "");
}

TEST_CASE("the check of GPU runtimes sees what is forbidden") {
  std::string found;
  const auto engine = [&](const char* path, const char* line) {
    found.clear();
    check_engine({path, {line}}, found);
    return !found.empty();
  };
  CHECK(engine("tuner/studies/host/cards.cpp", "#include \"run/cuda/driven_cuda.h\""));
  CHECK(engine("tuner/cli/main.cpp", "#include \"build/cuda/nvrtc.h\""));
  CHECK(engine("tuner/computer/probe/gpu_plan.cpp", "  Nvrtc nvrtc(library);"));
  CHECK_FALSE(engine("tuner/computer/probe/gpu_plan.cpp", "  // as NVRTC does"));
  CHECK_FALSE(
      engine("tuner/computer/run/cuda/driven_cuda.cpp", "#include \"run/cuda/cuda_driver.h\""));
  CHECK_FALSE(engine("tuner/computer/run/gpu_runtime.cpp", "#include \"run/cuda/driven_cuda.h\""));
  CHECK_FALSE(engine("tuner/cli/list_command.cpp", "    {\"ROOFTUNE_NVRTC\", \"a library\"},"));
  const auto kernel = [&](const char* path, const char* line) {
    found.clear();
    check_kernel({path, {line}}, found);
    return !found.empty();
  };
  CHECK(kernel("kernels/spmv/cuda.cu", "  x = __shfl_down_sync(0xffffffffu, x, 1);"));
  CHECK(kernel("kernels/spmv/cuda_csr.h", "  return __ldcs(p);"));
  CHECK(kernel("kernels/spmv/cuda_csr.h", "  if (threadIdx.x % 32 == 0)"));
  CHECK_FALSE(kernel("kernels/spmv/cuda_csr.h", "  return rooftune::load_streaming(p);"));
  CHECK_FALSE(kernel("kernels/spmv/peers/cusparse.cu", "  __syncwarp();"));
}

#include "readers.h"

#include <rooftune/tuned_configurations.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "core/error.h"
#include "core/expression.h"
#include "core/file.h"
#include "core/units.h"
#include "replay/replay.h"
#include "replay/t1_space.h"
#include "roofline/machine_json.h"
#include "roofline/roofline.h"
#include "run/array_contents.h"
#include "scaffold/pragmas.h"
#include "scaffold/uses.h"
#include "space/search_space.h"
#include "space/space_reader.h"
#include "spmv/matrix_market.h"
#include "support/manifest_folder.h"
#include "support/published_path.h"
#include "support/recorded_samples.h"
#include "support/recorded_text.h"
#include "support/store_fixture.h"
#include "sweep/plan.h"
#include "unit/runtime/export_files.h"

namespace rooftune::fuzz {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

const fs::path root = ROOFTUNE_SOURCE_DIR;

/// Every file below `folder` whose name ends so.
Texts files(const fs::path& folder, const std::string& end) {
  std::vector<fs::path> names;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder))
    if (entry.path().filename().string().ends_with(end) && entry.path().filename() != "host.json")
      names.push_back(entry.path());
  std::sort(names.begin(), names.end());
  Texts texts;
  for (const fs::path& name : names) texts.push_back(read_text(name));
  if (texts.empty()) throw std::logic_error("no samples end in " + end);
  return texts;
}

Texts lines(const std::string& file) {
  std::ifstream stream(root / "tests/fuzz/core/corpus" / file);
  Texts all;
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

/// A kernel folder of this process, gone when it ends.
const testing::ManifestFolder& folder() {
  static const testing::ManifestFolder one(testing::triad_manifest());
  return one;
}

Facts generous_facts() {
  Facts facts;
  for (const char* name : {"n",
                           "nx",
                           "ny",
                           "nz",
                           "rows",
                           "steps",
                           "bands",
                           "machine_cores",
                           "machine_threads",
                           "machine_simd_bits",
                           "machine_l1_bytes",
                           "machine_l2_bytes",
                           "machine_l3_bytes",
                           "machine_compute_capability",
                           "machine_multiprocessors",
                           "machine_warp",
                           "machine_threads_per_block",
                           "machine_threads_per_multiprocessor",
                           "machine_blocks_per_multiprocessor",
                           "machine_registers_per_block",
                           "machine_registers_per_multiprocessor",
                           "machine_shared_per_block",
                           "machine_shared_per_multiprocessor",
                           "machine_memory_bytes",
                           "kokkos_version"})
    facts[name] = Value(64);
  facts["machine_numa_nodes"] = Value(2);
  facts["machine_huge_pages"] = Value(true);
  facts["machine_fast_memory"] = Value(false);
  facts["kokkos_space"] = Value("openmp");
  return facts;
}

/// The laws of a space that was read; huge ones are only drawn from.
void use(const SearchSpace& space) {
  Rng rng(1, 1);
  const Configuration sample = space.sample(rng);
  if (!space.allowed(sample)) throw std::logic_error("a sample is not allowed");
  if (space.size() < 1000) {
    for (const Configuration& neighbour : space.neighbours(sample))
      if (!space.allowed(neighbour)) throw std::logic_error("a neighbour is not allowed");
    if (space.index(sample).value() >= space.size()) throw std::logic_error("no such index");
  }
}

void use(const Recording& recording) {
  const std::size_t results = recording.results.size();
  if (test::recording_from_text(t4_text(recording), "again").results.size() != results)
    throw std::logic_error("T4 loses results");
  if (test::recording_from_text(cachefile_text(recording), "again").results.size() != results)
    throw std::logic_error("a cachefile loses results");
  const Replay replay(recording);
  if (replay.space.size() != results) throw std::logic_error("the space loses results");
}

void read_recorded(const std::string& text) { use(test::recording_from_text(text, "fuzz")); }

void read_own_space(const std::string& text) {
  const Json json = parse_json(text, "fuzz");
  const Facts facts = generous_facts();
  const SearchSpace space = space_from_json(json, "fuzz", facts);
  use(space);
  least_movements_from_json(json, "fuzz", space, facts);
}

void read_machine_text(const std::string& text) {
  const Machine machine = machine_from_json(parse_json(text, "fuzz"), "fuzz");
  parse_json(to_json(machine).dump(), "again");
}

void read_folder(const std::string& text) {
  folder().write("kernel.json", text);
  const Kernel kernel = read_kernel(folder().path());
  const Facts facts = problem_parameters(kernel, {});
  work(kernel, facts);
  traffic(kernel, facts);
}

/// A file beside a sound manifest.
template <typename Read>
std::function<void(const std::string&)> beside(const std::string& name, Read read) {
  return [name, read](const std::string& text) {
    folder().write("kernel.json", testing::triad_manifest().dump());
    folder().write(name, text);
    read(read_kernel(folder().path()));
  };
}

void read_file(const std::string& name, const std::string& text,
               const std::function<void(const fs::path&)>& read) {
  folder().write(name, text);
  read(folder().path() / name);
}

Texts record_samples() {
  const testing::ResultsDirectory results;
  return {testing::text_of(
      results.write({testing::example_trial(0, 1), testing::example_trial(1, 2, 2e-3),
                     testing::failed_trial(2, 4, Outcome::crashed, "signal 11")}))};
}

void read_records(const std::string& text) {
  const testing::ResultsDirectory results;
  testing::put_text(results.write({}), text);
  const auto study = results.study();
  if (study && study->history.size() > 0) recording_of(*study);
  if (study && !study->faults.empty()) throw Error(study->faults.front());
}

void read_exports(const std::string& text) {
  read_file("exports.json", text, [](const fs::path& file) {
    TunedConfigurations tuned;
    tuned.add(file.string());
    for (const char* machine : {"host", "abc"})
      for (const TunedConfiguration& found :
           {tuned.find("triad", {{"n", 1000}, {"file", "x"}}, machine),
            tuned.find("triad", {}, machine)})
        for (std::size_t i = 0; i < found.size(); ++i)
          if (!found[i].name || (found[i].kind == ROOFTUNE_TEXT && !found[i].text))
            throw std::logic_error("a knob without a name or value");
    // The library throws nothing: what it refuses are faults, behind the file's name.
    for (const std::string& fault : tuned.faults()) throw Error(fault.substr(fault.find(": ") + 2));
  });
}

const Texts plan_samples{
    R"({"schema": "rooftune-sweep-1", "name": "nightly", "defaults": {"machine": "host", "budget": "2min", "seed": 1},
  "studies": [{"kernel": "triad", "problem": {"n": 2000}, "budget": 40},
   {"name": "mine", "kernel": "./mykernel", "strategy": "random", "target_gap": 1.1, "threads": 1, "cache": "cold"},
   {"kernel": "spmv", "problem": [{"n": 1}, {"n": 2}], "objective": "minimax"}]})",
    R"({"schema": "rooftune-sweep-1", "budget": {"total": "30min"}, "studies": [{"kernel": "spmv"}, {"kernel": "gpp"}]})"};

constexpr const char* example_export =
    R"({"schema": "rooftune-export-1", "kernel": "triad", "machine": {"name": "host", "id": "abc", "identity": {"cpu": "x", "hostname": "y"},
  "class": {"kind": "cpu", "model": "x", "cores": 2, "threads": 4, "simd_bits": 512, "features": ["avx"], "caches": {"L1": 49152}}},
 "provenance": {"study": "0123", "date": "2026-11-21T10:01:06Z", "verdict": {"sentence": "2x"}},
 "problem": {"n": 1000, "file": "x"}, "problems": [{"n": 1000}, {"n": 2000}], "knobs": {"unroll": {"values": [1, 4]}}, "configuration": {"unroll": 4, "flag": "x", "b": true, "r": 0.5}})";

/// Exports of this host, of one like it, of a card, and without a class.
Texts export_samples() {
  using namespace testing;
  Json many = exported(another_host(), size(1000), 8), card = exported(this_host(), size(10), 2),
       old = exported(this_host(), size(1000), 4);
  many["problems"] = {size(10), size(1e6), {{"n", "none"}}};
  card["machine"]["id"] = "card";
  card["machine"]["class"]["kind"] = "gpu";
  old["machine"].erase("class");
  old["knobs"] = {{"unroll", {{"values", {1, 2, 4}}}}};
  Texts samples{example_export};
  for (const Json& json : {exported(this_host(), size(1000), 4), many, card, old})
    samples.push_back(json.dump(1));
  return samples;
}

const Texts t1_kernel_samples{
    R"({"ConfigurationSpace": {"TuningParameters": [
  {"Name": "block_size_x", "Type": "int", "Values": "[16, 32, 48]", "Default": 16},
  {"Name": "tile", "Type": "int", "Values": "[1] + [2*i for i in range(1, 3) if i < 2]", "Default": 1}],
 "Conditions": [{"Expression": "block_size_x * tile <= 64", "Parameters": ["block_size_x", "tile"]}]},
 "KernelSpecification": {"Language": "CUDA", "CompilerOptions": ["-std=c++11"], "KernelName": "convolution_kernel",
  "KernelFile": "convolution.cu", "GlobalSizeType": "OpenCL", "LocalSize": {"X": "block_size_x", "Y": "1"},
  "GlobalSize": {"X": "(4096 // block_size_x) // tile", "Y": "ProblemSize[1]"}, "ProblemSize": [4096, 4096], "SharedMemory": 0,
  "Arguments": [
   {"Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "FillType": "Constant", "Size": "ProblemSize[0]*ProblemSize[1]", "FillValue": 0.0},
   {"Name": "in", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random", "Size": "ProblemSize[0] * 2", "FillValue": 1.0},
   {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 3}],
  "Work": {"fp32": "2*ProblemSize[0]"}, "Traffic": {"read": "4*ProblemSize[0]", "write": "4*ProblemSize[0]"}}})"};

Texts plain_samples() {
  return {
      R"json({"name": "s", "parameters": [{"name": "a", "values": [1, 2, 4]}, {"name": "b", "values": [0, 1, "x"]},
 {"name": "c", "values": [0.5, 1.5, true]}], "constraints": ["a * c <= 4 or b == 'x'", "1 < a + c <= 5", "a in [1, 2] and not c == 1.5"]})json"};
}

std::vector<Reader> space_readers() {
  return {
      {"expression", [] { return lines("expressions.txt"); },
       [](const std::string& text) {
         Expression::parse(text).evaluate([](const std::string& name) -> std::optional<Value> {
           if (name == "x") return Value(3);
           if (name.size() > 3) return Value(16);
           return std::nullopt;
         });
       }},
      {"plain_space", plain_samples,
       [](const std::string& text) {
         use(plain_space_from_json(parse_json(text, "fuzz"), "fuzz"));
       }},
      {"t1", [] { return Texts{test::t1_sample}; },
       [](const std::string& text) { use(t1_from_json(parse_json(text, "fuzz"), "fuzz").space); }},
      {"t1_kernel", [] { return t1_kernel_samples; },
       [](const std::string& text) { t1_kernel(parse_json(text, "fuzz"), "fuzz"); }},
      {"own_space", [] { return files("search_spaces", ".json"); }, read_own_space}};
}

std::vector<Reader> store_readers() {
  return {{"t4", [] { return Texts{test::t4_sample}; }, read_recorded},
          {"cachefile", [] { return Texts{test::cachefile_sample}; }, read_recorded},
          {"ktt", [] { return Texts{test::ktt_sample}; }, read_recorded},
          {"records", record_samples, read_records},
          {"gzip",
           [] {
             return Texts{test::t4_sample, test::cachefile_sample, test::ktt_sample};
           },
           [](const std::string& text) {
             read_file("recording.gz", text,
                       [](const fs::path& file) { use(read_recording(file)); });
           },
           true}};
}

/// Of problems that only refuse.
class RefusingProblem final : public Problem {
 public:
  const char* text(const char*) const override { return ""; }
  std::int64_t integer(const char*) const override { return 0; }
  double real(const char*) const override { return 0; }
  void set(const char*, double) override {}
  void set(const char*, std::int64_t) override {}
  void set(const char*, const char*) override {}
  void* elements(const char*, const char*, std::size_t, std::int64_t) override { return nullptr; }
  [[noreturn]] void fail(const char* message, const char* where, const char* hint) override {
    throw Error(message, where, hint);
  }
};

const Texts matrix_samples{
    "%%MatrixMarket matrix coordinate real general\n% a comment\n\n3 4 4\n1 1 1.5\n2 4 -2e-3\n3 "
    "1 +.25\n3 3 7\n",
    "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 2\n2 1 -1\n3 3 2\n",
    "%%MatrixMarket matrix coordinate pattern general\r\n2 2 2\r\n1 2\r\n2 1\r\n",
    "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1\n3 2 4\n",
    "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n",
    "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"};

void read_matrix(const std::string& text) {
  read_file("matrix.mtx", text, [](const fs::path& file) {
    RefusingProblem problem;
    const auto matrix = spmv_kernel::MatrixMarketReader(problem, file.c_str()).read();
    if (matrix.rows < 0 || matrix.cols < 0) throw std::logic_error("a negative size");
  });
}

std::vector<Reader> kernel_readers() {
  static const Texts path_samples{
      R"({"schema": "rooftune-path-1", "kernel": "triad", "backend": "openmp", "title": "t", "source": "s", "problem": {"n": 1000},
 "steps": [{"name": "v1", "title": "as it was"}, {"name": "v2", "title": "unrolled", "set": {"unroll": 4}, "doc": "why",
  "published": {"seconds": 0.66, "flops": 2.09e12, "rate": 3.18e12, "machine": "V100", "source": "slide 31"}}]})"};
  static const Texts manifest_samples{testing::triad_manifest().dump(1)};
  return {{"json", [] { return lines("documents.txt"); },
           [](const std::string& text) { parse_json(text, "fuzz"); }},
          {"matrix", [] { return matrix_samples; }, read_matrix},
          {"machine", [] { return files("machines", ".json"); }, read_machine_text},
          {"manifest", [] { return manifest_samples; }, read_folder},
          {"published_path", [] { return path_samples; },
           beside("published.openmp.json",
                  [](const Kernel& kernel) { testing::published_path(kernel, "openmp"); })},
          {"peers", [] { return files("kernels", "peers.json"); },
           beside("peers.json", [](const Kernel& kernel) { read_peers(kernel); })}};
}

/// A function, its arrays and its pragmas.
void read_source_text(const std::string& text) {
  using namespace scaffold;
  const SourceText source{text, build::Language::cpp, {{0, "fuzz.cpp", 1}}};
  const Syntax syntax(source.text);
  const FunctionSource function = function_in(syntax, source, "fuzz.cpp", "heat");
  const ArrayUses uses(syntax, function);
  for (const FunctionParameter& one : function.parameters) {
    elements(one.sides, function.constants);
    uses.contents(one.name);
  }
  const std::string kept = edited(text, function.edits);
  if (kept.size() > 2 * text.size() + 1000) throw std::logic_error("what is kept is more than all");
  edited(text, loop_knobs(syntax, function, source).edits);
}

std::vector<Reader> sweep_readers() {
  const auto numpy_file = [](int version, const std::string& head) {
    std::string length(version == 1 ? 2 : 4, '\0');
    length[0] = static_cast<char>(head.size());
    return "\x93NUMPY" + std::string{static_cast<char>(version), '\0'} + length + head;
  };
  static const Texts numpy_files{
      numpy_file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }\n"),
      numpy_file(2, "{'descr': '<c16', 'fortran_order': True, 'shape': (7,), }\n"),
      numpy_file(3, "{'descr': '|b1', 'fortran_order': False, 'shape': (), }\n")};
  return {{"source", [] { return Texts{read_text(root / "docs/examples/captured/heat.cpp")}; },
           read_source_text},
          {"npy", [] { return numpy_files; },
           [](const std::string& text) { npy_head(text, "fuzz.npy"); }},
          {"sweep_plan", [] { return plan_samples; },
           [](const std::string& text) {
             read_file("plan.json", text, [](const fs::path& file) { read_plan(file); });
           }},
          {"exports", export_samples, read_exports}};
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = [] {
    std::vector<Reader> sum;
    for (auto part : {space_readers(), store_readers(), kernel_readers(), sweep_readers()})
      sum.insert(sum.end(), part.begin(), part.end());
    return sum;
  }();
  return all;
}

std::vector<std::pair<std::string, std::string>> corpus(const std::string& reader) {
  std::vector<std::pair<std::string, std::string>> all;
  const fs::path place = root / "tests/fuzz/files/corpus" / reader;
  if (fs::is_directory(place))
    for (const auto& entry : fs::directory_iterator(place))
      all.emplace_back(entry.path().filename().string(), read_text(entry.path()));
  return all;
}

}  // namespace rooftune::fuzz

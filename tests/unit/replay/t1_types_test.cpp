// The types of a T1 file's arguments in the kernel folder made of it.
#include <catch2/catch.hpp>

#include "replay/t1_space.h"

using namespace rooftune;

namespace {

/// A file with one vector of a type, and the kernel folder of it.
T1Kernel kernel_of(const std::string& type) {
  Json file = parse_json(R"({
    "ConfigurationSpace": {"TuningParameters": [
      {"Name": "block", "Type": "int", "Values": "[32, 64]", "Default": 32}]},
    "KernelSpecification": {"Language": "CUDA", "KernelName": "f", "KernelFile": "f.cu",
      "LocalSize": {"X": "block"}, "GlobalSize": {"X": "100"}, "ProblemSize": [1000],
      "Arguments": [{"Name": "y", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "ProblemSize[0]"}]}})",
                         "test");
  file["KernelSpecification"]["Arguments"][0]["Type"] = type;
  return t1_kernel(file, "test");
}

}  // namespace

TEST_CASE("vectors of T1 have any type, by the words of the field") {
  struct Row {
    const char *word, *type, *host, *bytes;
  };
  for (const Row& row :
       {Row{"half", "half*", "DeviceBuffer<rooftune::Half>", "2*"},
        Row{"float16", "half*", "DeviceBuffer<rooftune::Half>", "2*"},
        Row{"uint8", "uint8*", "DeviceBuffer<std::uint8_t>", "1*"},
        Row{"uint", "uint32*", "DeviceBuffer<std::uint32_t>", "4*"},
        Row{"bool", "bool*", "DeviceBuffer<bool>", "1*"},
        Row{"complex128", "complex<double>*", "DeviceBuffer<std::complex<double>>", "16*"}}) {
    INFO(row.word);
    const T1Kernel kernel = kernel_of(row.word);
    const Json manifest = parse_json(kernel.files.at("kernel.json"), "kernel.json");
    CHECK(manifest.at("arguments").back().at("type") == row.type);
    CHECK(kernel.files.at("cuda.cu").find(row.host) != std::string::npos);
    const std::string written = manifest.at("traffic").at("write");
    CHECK(written.find(row.bytes) != std::string::npos);
  }
  CHECK_THROWS_WITH(kernel_of("custom"),
                    Catch::Contains("Arguments/0/Type") && Catch::Contains("complex<float>"));
  CHECK_THROWS_WITH(kernel_of("bytes:24"), Catch::Contains("cannot be passed on"));
}

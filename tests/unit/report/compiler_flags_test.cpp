// Flags of the compiler for the instruction set of a machine.
#include <catch2/catch.hpp>

#include "report/exporter.h"

using namespace rooftune;

TEST_CASE("flags of x86 are for machines that have its instructions, however wide their vectors") {
  Machine machine;
  machine.simd_bits = 512;
  machine.features = {"asimd", "sve"};
  CHECK(x86_simd_bits(machine) == 0);
  CHECK(isa_flag(x86_simd_bits(machine)) == nullptr);
  machine.features = {"sse4_2", "avx", "fma", "avx2", "avx512f"};
  CHECK(std::string(isa_flag(x86_simd_bits(machine))) == "-march=x86-64-v4");
  machine.simd_bits = 256;
  CHECK(std::string(isa_flag(x86_simd_bits(machine))) == "-march=x86-64-v3");
}

// Arm processors by what Linux tells of them. The texts are /proc/cpuinfo of the first CPU, written
// after what is published of such machines; none of them has run this.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>

#include "os/topology.h"

using namespace rooftune;

namespace {

struct ArmMachine {
  std::string cpuinfo;
  int sve_bytes;
  std::string model, features, flags;
};

const ArmMachine machines[] = {
    {"processor\t: 0\nBogoMIPS\t: 2000.00\n"
     "Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm "
     "jscvt fcma lrcpc dcpop sha3 sm3 sm4 asimddp sha512 sve asimdfhm dit uscat ilrcpc flagm ssbs "
     "sb paca pacg dcpodp sve2 sveaes svepmull svebitperm svesha3 svesm4 flagm2 frint svei8mm "
     "svebf16 i8mm bf16 dgh bti\n"
     "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd4f\n"
     "CPU revision\t: 0\n\n",
     16, "Neoverse V2 (Arm implementer 0x41, part 0xd4f, variant 0x0)",
     "simd lse fp16 dotprod sve128 sve2 i8mm bf16",
     "-march=armv8-a+simd+lse+fp16+dotprod+sve+sve2+i8mm+bf16"},
    {"processor\t: 0\nBogoMIPS\t: 2100.00\n"
     "Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm "
     "jscvt fcma lrcpc dcpop sha3 sm3 sm4 asimddp sha512 sve asimdfhm dit uscat ilrcpc flagm ssbs "
     "paca pacg dcpodp svei8mm svebf16 i8mm bf16 dgh rng\n"
     "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd40\n"
     "CPU revision\t: 1\n\n",
     32, "Neoverse V1 (Arm implementer 0x41, part 0xd40, variant 0x1)",
     "simd lse fp16 dotprod sve256 i8mm bf16",
     "-march=armv8-a+simd+lse+fp16+dotprod+sve+i8mm+bf16 -msve-vector-bits=256"},
    {"processor\t: 0\nBogoMIPS\t: 200.00\n"
     "Features\t: fp asimd evtstrm sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm fcma dcpop "
     "sve\n"
     "CPU implementer\t: 0x46\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0x001\n"
     "CPU revision\t: 0\n\n",
     64, "A64FX (Arm implementer 0x46, part 0x001, variant 0x1)", "simd lse fp16 sve512",
     "-march=armv8-a+simd+lse+fp16+sve -msve-vector-bits=512"},
    {"processor\t: 0\nBogoMIPS\t: 108.00\n"
     "Features\t: fp asimd evtstrm crc32 cpuid\n"
     "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd08\n"
     "CPU revision\t: 3\n\n",
     0, "Cortex-A72 (Arm implementer 0x41, part 0xd08, variant 0x0)", "simd",
     "-march=armv8-a+simd"}};

/// The words of AT_HWCAP and AT_HWCAP2 of a line "Features", by the order in which Linux 6.1 names
/// their bits.
std::pair<uint64_t, uint64_t> capabilities(const std::string& cpuinfo) {
  static const std::string names[] = {
      "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma "
      "lrcpc dcpop sha3 sm3 sm4 asimddp sha512 sve asimdfhm dit uscat ilrcpc flagm ssbs sb paca "
      "pacg",
      "dcpodp sve2 sveaes svepmull svebitperm svesha3 svesm4 flagm2 frint svei8mm svef32mm "
      "svef64mm svebf16 i8mm bf16 dgh rng bti"};
  std::set<std::string> has;
  std::istringstream line(cpuinfo.substr(cpuinfo.find("Features\t:") + 10));
  for (std::string name; line >> name && name != "CPU";) has.insert(name);
  std::array<uint64_t, 2> words{};
  for (const int word : {0, 1}) {
    std::istringstream all(names[word]);
    int bit = 0;
    for (std::string name; all >> name; ++bit)
      words[size_t(word)] |= uint64_t{has.contains(name)} << bit;
  }
  return {words[0], words[1]};
}

CpuFeatures features_of(const ArmMachine& machine) {
  const auto [first, second] = capabilities(machine.cpuinfo);
  return arm_features(first, second, machine.sve_bytes);
}

}  // namespace

TEST_CASE("Arm machines are told apart by design, instruction sets and vector length") {
  std::set<std::string> ids;
  Topology host = topology();
  for (const ArmMachine& machine : machines) {
    const CpuFeatures features = features_of(machine);
    host.cpu_model = cpu_model(machine.cpuinfo);
    CHECK(host.cpu_model == machine.model);
    CHECK(joined(features.names, " ") == machine.features);
    CHECK(joined(features.compiler_flags, " ") == machine.flags);
    CHECK(features.simd_bits == std::max(128, 8 * machine.sve_bytes));
    CHECK(features.fma);
    CHECK_FALSE(features.avx2);
    ids.insert(machine_id(machine_identity(host, features)));
  }
  CHECK(ids.size() == std::size(machines));
}

TEST_CASE("SVE counts where the system gives its vectors, and only in its own length") {
  const uint64_t sve = uint64_t{1} << 22 | 2, sve2 = 2;
  CHECK(joined(arm_features(sve, sve2, 0).names, " ") == "simd");
  CHECK(arm_features(sve, 0, 32).names != arm_features(sve, 0, 64).names);
  CHECK(arm_features(0, 0, 0).fma == false);
}

TEST_CASE("the name of a processor is its own, of several designs every one") {
  CHECK(cpu_model("processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"
                  "model name\t: AMD EPYC 9R14\nstepping\t: 1\ncpu MHz\t\t: 2600.000\n\n"
                  "processor\t: 1\nmodel name\t: another\n") == "AMD EPYC 9R14");
  const auto core = [](const std::string& implementer, const std::string& part) {
    return "processor\t: 0\nCPU implementer\t: " + implementer +
           "\nCPU architecture: 8\nCPU variant\t: 0x2\nCPU part\t: " + part + "\n\n";
  };
  CHECK(cpu_model(core("0x41", "0xd03") + core("0x41", "0xd03") + core("0x41", "0xd08")) ==
        "a core (Arm implementer 0x41, part 0xd03, variant 0x2) + "
        "Cortex-A72 (Arm implementer 0x41, part 0xd08, variant 0x2)");
  CHECK(cpu_model("CPU implementer\t: 0x41\nCPU part\t: 0xd40\n") == "unknown");
  CHECK(cpu_model("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n") ==
        "POWER9, altivec supported");
  CHECK(cpu_model("processor\t: 0\nhart\t\t: 0\nisa\t\t: rv64imafdcv\n") == "rv64imafdcv");
  CHECK(cpu_model("") == "unknown");
}

// Whether a machine file describes this host: more than the name of its CPU.
#include "study/machines.h"

#include <catch2/catch.hpp>

#include "os/topology.h"
#include "study/platform.h"
#include "support/taskset.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// What the probe would write of this host.
Machine here() {
  const Topology host = topology();
  Machine machine = unprobed_host();
  machine.identity = {{"cpu", host.cpu_model},
                      {"hypervisor", host.hypervisor.empty() ? "none" : host.hypervisor},
                      {"caches", caches_text(host)}};
  return machine;
}

}  // namespace

TEST_CASE("the file of this host fits it, also one that tells less") {
  CHECK(why_not_here(here()) == "");
  Machine older = here();
  older.identity.erase("caches");
  older.identity.erase("hypervisor");
  CHECK(why_not_here(older) == "");
}

TEST_CASE(
    "a file of more cores, other caches, another hypervisor or instruction set does not fit") {
  Machine machine = here();
  machine.cores = 64 + here().cores;
  CHECK_THAT(why_not_here(machine), Contains("cores, ") && Contains("are usable now"));
  machine = here();
  machine.identity["caches"] = "L1 16 KiB x 3";
  CHECK_THAT(why_not_here(machine), Contains("its caches are L1 16 KiB x 3, here they are"));
  machine = here();
  machine.identity["hypervisor"] = "a toaster";
  CHECK_THAT(why_not_here(machine), Contains("it ran under \"a toaster\""));
  machine = here();
  machine.features.emplace_back("sse9");
  CHECK_THAT(why_not_here(machine), Contains("instruction sets"));
}

TEST_CASE("on a part of its cores a machine is another one, for as many threads as they are") {
  const Machine whole = here();
  CHECK(as_usable_here(whole, 1).id == whole.id);
  if (whole.cores < 2) {
    WARN("skipped: there is one core");
    return;
  }
  const testing::Taskset one(topology().cpus.front());
  const Machine part = as_usable_here(whole, 1);
  CHECK(part.id != whole.id);
  CHECK(part.cores == whole.cores);
  CHECK(why_not_here(part) == "");
  CHECK(as_usable_here(whole, 2).id == whole.id);
  CHECK_THAT(why_not_here(whole), Contains("1 are usable now"));
  Machine other = whole;
  other.identity["caches"] = "L1 16 KiB x 3";
  CHECK_THAT(why_not_here(as_usable_here(other, 1)), Contains("its caches are"));
}

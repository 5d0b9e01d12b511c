#include "host/learnt_ceilings.h"

#include <catch2/catch.hpp>

#include "roofline/machine_json.h"
#include "support/environment_variable.h"
#include "support/machine_builder.h"
#include "support/scratch_folder.h"

using namespace rooftune;
using testing::EnvironmentVariable;

namespace {

/// A machine file with a ceiling that every computer beats.
struct SlowMachine {
  SlowMachine() {
    machine.name = machine.id = "slow";
    Ceiling load = test::stream("L1 load", "L1", 1, 1000, 1, {}, "load");
    load.working_set = 16384;
    machine.levels = {{"L1", 32e3, 32e3, 1}, {"DRAM", {}, {}, 1}};
    machine.ceilings = {load, test::core_ceiling("peak", 1e12)};
    folder.write("slow.json", json_text(to_json(machine), 1));
  }
  Ceiling on_file() const { return read_machine(folder.path() / "slow.json").ceilings.front(); }

  testing::ScratchFolder folder;
  EnvironmentVariable machines{"ROOFTUNE_MACHINES", folder.path().string()};
  Machine machine = test::plain_machine();
};

}  // namespace

TEST_CASE("A machine's file learns from ceilings read beside a race, once two readings agree") {
  const SlowMachine slow;
  const auto after = [&](int readings) {
    const Roofs roofs = learning_roofs(slow.machine, {"L1 load"}, nullptr);
    if (roofs.names.empty()) return false;  // no micro-kernels for this architecture
    double fastest = 0;
    for (int i = 0; i < readings; ++i) fastest = std::max(fastest, roofs.rates().front());
    CHECK(slow.on_file().rate.value == 1000);
    return fastest > 1000;
  };
  after(1);
  CHECK(slow.on_file().rate.value == 1000);
  if (!after(3)) return;
  const Ceiling learnt = slow.on_file();
  CHECK(learnt.rate.value > 1e6);
  CHECK(learnt.source.kind == Source::Kind::measured);
  CHECK(learnt.source.text.find("beside a study") != std::string::npos);
}

TEST_CASE("A machine's file learns neither slower readings nor those of another machine") {
  const SlowMachine slow;
  Ceiling reading = slow.machine.ceilings.front();
  reading.rate = Estimate::exact(900);
  learn(slow.machine, {reading});
  CHECK(slow.on_file().rate.value == 1000);
  reading.rate = Estimate::exact(5000);
  Machine other = slow.machine;
  other.id = "other";
  learn(other, {reading});
  CHECK(slow.on_file().rate.value == 1000);
  learn(slow.machine, {reading});
  CHECK(slow.on_file().rate.value == 5000);
}

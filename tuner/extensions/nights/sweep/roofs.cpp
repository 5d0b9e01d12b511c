#include "sweep/roofs.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/host_platform.h"
#include "study/machines.h"
#include "sweep/shard.h"

namespace rooftune::sweep {
namespace {

std::vector<Machine> probed_machines(const Plan& plan) {
  std::vector<Machine> machines;
  for (const std::string& name : machines_of(plan))
    if (machine_file(name)) machines.push_back(load_machine(name));
  return machines;
}

bool has(const Machine& machine, const std::string& ceiling) {
  return std::any_of(machine.ceilings.begin(), machine.ceilings.end(),
                     [&](const Ceiling& one) { return one.name == ceiling; });
}

}  // namespace

Json to_json(const RoofTonight& roof) {
  return {{"machine", roof.machine},
          {"ceiling", roof.ceiling},
          {"rate", roof.now},
          {"machine_file", roof.then}};
}

void require_ceilings(const Plan& plan) {
  const std::vector<Machine> machines = probed_machines(plan);
  Faults faults;
  for (const std::string& name : plan.ceilings)
    if (!machines.empty() && std::none_of(machines.begin(), machines.end(),
                                          [&](const Machine& one) { return has(one, name); }))
      faults.add("/ceilings", fmt::format("no machine of the plan has a ceiling \"{}\"", name),
                 "tune report --machine NAME lists them");
  faults.raise();
}

std::vector<RoofTonight> roofs_tonight(const Plan& plan, bool share_machine,
                                       const std::function<void(const std::string&)>& log) {
  require_ceilings(plan);
  std::vector<RoofTonight> roofs;
  if (plan.ceilings.empty()) return roofs;
  HostPlatform platform;
  for (const Machine& machine : probed_machines(plan)) {
    if (!why_not_here(machine).empty()) continue;
    StudySpec spec;
    spec.machine = machine.name;
    spec.wait = true;
    spec.share_machine = share_machine;
    const auto reservation = platform.reserve(spec, log);
    for (const Ceiling& now : platform.anchors(machine, plan.ceilings))
      for (const Ceiling& then : machine.ceilings)
        if (then.name == now.name)
          roofs.push_back({machine.name, now.name, now.rate.value, then.rate.value});
  }
  return roofs;
}

}  // namespace rooftune::sweep

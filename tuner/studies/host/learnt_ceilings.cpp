#include "host/learnt_ceilings.h"

#include <algorithm>
#include <exception>

#include "core/file.h"
#include "core/list.h"
#include "core/version.h"
#include "probe/self_check.h"
#include "roofline/machine_json.h"
#include "study/machines.h"

namespace rooftune::host {
namespace {

/// Readings of some milliseconds each. The clock of a virtual machine may jump in such a short
/// time, so the fastest reading counts only as far as a second confirms it.
class ConfirmedRates {
 public:
  void add(double rate) {
    confirmed_ = std::max(confirmed_, std::min(rate, fastest_));
    fastest_ = std::max(fastest_, rate);
  }
  double confirmed() const { return confirmed_; }

 private:
  double fastest_ = 0, confirmed_ = 0;
};

class LearningRoofs {
 public:
  LearningRoofs(const Machine& machine, const Texts& names, probe::SharedBench bench)
      : machine_(machine),
        bench_(machine.ceilings, names, std::move(bench)),
        confirmed_(bench_.names().size()) {}
  LearningRoofs(const LearningRoofs&) = delete;
  LearningRoofs& operator=(const LearningRoofs&) = delete;
  ~LearningRoofs() { learn(machine_, readings()); }

  const Texts& names() const { return bench_.names(); }
  Numbers rates() {
    const Numbers now = bench_.rates();
    for (const size_t i : indices(now)) confirmed_[i].add(now[i]);
    return now;
  }

 private:
  CeilingList readings() const {
    CeilingList result;
    for (const size_t i : indices(confirmed_)) {
      if (confirmed_[i].confirmed() <= 0) continue;
      Ceiling& reading = result.emplace_back(*ceiling_named(machine_.ceilings, names()[i]));
      reading.rate = Estimate::exact(confirmed_[i].confirmed());
      reading.samples.clear();
      reading.source = {Source::Kind::measured,
                        fmt::format("tune {}: two readings beside a study were as fast", version),
                        utc_now()};
    }
    return result;
  }

  Machine machine_;
  probe::RoofBench bench_;
  std::vector<ConfirmedRates> confirmed_;  ///< as names()
};

}  // namespace

void learn(const Machine& machine, const CeilingList& readings) {
  const auto file = machine_file(machine.name);
  if (!file || readings.empty()) return;
  try {
    Machine known = read_machine(*file);
    if (known.id != machine.id) return;
    bool faster = false;
    for (const Ceiling& reading : readings) {
      Ceiling* const before = ceiling_named(known.ceilings, reading.name);
      if (!before) known.ceilings.push_back(reading);
      faster = (before ? probe::keep_faster(*before, reading) : true) || faster;
    }
    if (!faster) return;
    probe::close_upwards(known);
    write_atomically(*file, json_text(to_json(known), 1) + "\n");
  } catch (const std::exception&) {  // somebody else's file, or a full disk: nothing is learnt
  }
}

Roofs learning_roofs(const Machine& machine, const Texts& names, probe::SharedBench bench) {
  const auto roofs = std::make_shared<LearningRoofs>(machine, names, std::move(bench));
  if (roofs->names().empty()) return {};
  return {roofs->names(), [roofs] { return roofs->rates(); }};
}

}  // namespace rooftune::host

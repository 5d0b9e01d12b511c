// Properties of this computer with an effect on results: state, effect, cure.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/words.h"
#include "os/host_settings.h"

namespace rooftune::host {

struct HostCheck {
  enum class State {
    good,
    unknown,  ///< no way to find out here
    limits,   ///< studies run, their times or conclusions are worse
    absent,   ///< a part needed by some studies only is missing
    fault,    ///< no study can run
  };
  std::string what;  ///< "compiler", "clock", "counters" ...
  State state = State::good;
  std::string found;
  std::string effect;  ///< on results; empty when good
  std::string cure;    ///< command or change; empty without one
};
inline Words words(HostCheck::State) {
  static constexpr const char* all[] = {"good", "unknown", "limits", "absent", "fault"};
  return all;
}

/// Clock, boost, huge pages, NUMA balancing and load. `cores`: usable ones.
std::vector<HostCheck> setting_checks(const HostSettings& settings, int cores);
/// All of this computer. `results`: where studies would be written.
std::vector<HostCheck> host_checks(const std::filesystem::path& results);

/// {"schema": "rooftune-doctor-1", "checks": [{"what", "state", "found", "effect", "cure"}]}
Json to_json(const std::vector<HostCheck>& checks);

}  // namespace rooftune::host

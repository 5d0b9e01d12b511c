// What on this computer changes results or forbids them: state, effect, cure.
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
    unknown,  ///< nobody here can tell
    limits,   ///< studies run, their times or conclusions are worse
    absent,   ///< something that only some studies need is missing
    fault,    ///< no study can run
  };
  std::string what;  ///< "compiler", "clock", "counters" ...
  State state = State::good;
  std::string found;
  std::string effect;  ///< on results; empty when good
  std::string cure;    ///< what to type or change; empty when nothing can be done
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

// Counting runs of a finished search: what the best and the baseline really did.
// The caller has timed everything; nothing here is part of a time.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/study.h"
#include "trial/race.h"

namespace rooftune {

/// Configurations worth counting: the best (of the race where there was one) first, then the
/// baseline; those that were measured.
std::vector<Configuration> worth_counting(const ReadyStudy& study, const History& history,
                                          const std::optional<Race>& race);

/// Counts each configuration with each provider of `word` ("auto", "none", a name) unless `earlier`
/// holds that run already; `keep` gets the whole list after every run.
std::vector<CountedRun> count(ReadyStudy& study, const std::vector<Configuration>& configurations,
                              const std::string& word, std::vector<CountedRun> earlier,
                              const std::function<void(const std::string&)>& say,
                              const std::function<void(const std::vector<CountedRun>&)>& keep);

}  // namespace rooftune

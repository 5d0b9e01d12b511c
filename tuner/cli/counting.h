// Counting runs of a finished search: what the best, the baseline and a sample really did.
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

/// `n` others that ran, spread over the ranks of the measured times, without those of `known` and
/// what `earlier` counted beside these; fewer when earlier runs counted some, or no more ran.
std::vector<Configuration> sample_to_count(const History& history,
                                           const std::vector<Configuration>& known,
                                           const std::vector<CountedRun>& earlier, std::size_t n);

/// How long the sample may take [s]: a tenth of the wall time that the user gave, else of what the
/// trials took; at least 10 s.
double sample_seconds(const std::optional<Seconds>& budget, const History& history);

/// Counts each configuration with each provider of `word` ("auto", "none", a name) unless `earlier`
/// holds that run already; `keep` gets the whole list after every run. With `limit` [s] a run is
/// left out, and said to be, when it likely ends later.
std::vector<CountedRun> count(ReadyStudy& study, const std::vector<Configuration>& configurations,
                              const std::string& word, std::vector<CountedRun> earlier,
                              const std::function<void(const std::string&)>& say,
                              const std::function<void(const std::vector<CountedRun>&)>& keep,
                              std::optional<double> limit = {});

}  // namespace rooftune

// The accepted result of a series (a kernel's problem on a machine, night after night), the
// reference of later nights. It names the variant as it was built, so it can run again beside
// tonight's after a change of compiler or sources.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/list.h"
#include "store/study_record.h"

namespace rooftune::study {

/// Accepted result, its acceptor and the reason.
struct Acceptance {
  std::string study;  ///< StudyHeader::id
  std::string date;   ///< UTC, ISO 8601
  std::string who, why;
  Estimate seconds;  ///< per call
  ROOFTUNE_FIELDS(study, date, who, why, seconds)
};

struct Baseline {
  std::string key;  ///< series_key()
  StudyHeader header;
  StudySetup setup;
  Configuration configuration;
  Acceptance accepted;
  std::string artefact;             ///< key of its build, kept in the cache
  NamedNumbers roofs;               ///< ceilings as they were then [flop/s, B/s]
  std::vector<Acceptance> earlier;  ///< oldest first
  static void fields(auto& self, auto& visit) {
    visit.schema("rooftune-baseline-2", "a newer Rooftune wrote it, or it is no baseline");
    ROOFTUNE_EACH(visit, self, key, accepted, configuration, artefact, roofs, earlier, header,
                  setup);
    visit.open();
  }
};

/// "<kernel>.<back end>.<machine>.<hash>": the hash is of these, the machine's id, problem,
/// threads, cache state and amortisation. A new compiler or source stays in the series.
std::string series_key(const StudyHeader& header, double amortize);

/// results/baselines
fs::path baseline_folder(const fs::path& results);
/// nullopt for a series without one. Throws Error for a damaged file or one of a newer version.
std::optional<Baseline> read_baseline(const fs::path& results, const std::string& key);
/// In order of their keys. Unreadable files are among the faults.
std::vector<Baseline> read_baselines(const fs::path& results, Texts& faults);
/// In one step. Throws Error.
void write_baseline(const fs::path& results, const Baseline& baseline);

/// The accepted variant run again beside the same configuration as built tonight and tonight's
/// best. Ratios are paired by rounds: above 1 is slower than the kept build.
struct Rematch {
  /// The accepted configuration as built tonight: what the sources and tools did. Absent where it
  /// cannot be built or run any more, and with a fault.
  std::optional<Estimate> rebuilt;
  std::optional<Estimate> best;  ///< tonight's best: what the search found. Absent with a fault
  /// Tonight's build of the accepted configuration is the kept one: `rebuilt` is the noise.
  bool same_code = false;
  std::optional<Estimate> now;  ///< time of the kept build tonight [s]
  NamedNumbers roofs;           ///< the baseline's, measured again
  int rounds = 0;
  Texts changed;      ///< changed parts of the study's identity: "compiler"
  std::string fault;  ///< why there is no answer
};

/// Rounds of a look at a rematch, and the limit of looks; each interval has this confidence, for a
/// risk of 1 % over all looks together.
inline constexpr int rounds_of_look = 15, most_looks = 6;
inline constexpr double confidence_of_look = 1 - 0.01 / most_looks;
/// Conclusion from a paired ratio of times, which has to exceed both noise and threshold. unknown:
/// more rounds may tell.
enum class Against { same, slower, faster, unknown };
Against compared(const Estimate& ratio, double threshold);

/// Labels of LabelledHash::dump() texts with differing values, in their order; without the labels
/// of the search alone.
Texts changed_parts(const std::string& before, const std::string& after);
/// The same, with labels that only `before` has.
Texts differing_parts(const std::string& before, const std::string& after);

}  // namespace rooftune::study

// The accepted result in a series (a kernel's problem on a machine, night after night), to which
// later nights compare. It names the variant as it was built, so that variant can run beside
// tonight's even when compiler or sources have changed.
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

/// An accepted result, who accepted it, and why.
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
  std::string artefact;             ///< its build's key; the cache keeps the build
  NamedNumbers roofs;               ///< ceilings as they were then [flop/s, B/s]
  std::vector<Acceptance> earlier;  ///< oldest first
  static void fields(auto& self, auto& visit) {
    visit.schema("rooftune-baseline-2", "a newer Rooftune wrote it, or it is no baseline");
    ROOFTUNE_EACH(visit, self, key, accepted, configuration, artefact, roofs, earlier, header,
                  setup);
    visit.open();
  }
};
using Baselines = std::vector<Baseline>;

/// "<kernel>.<back end>.<machine>.<hash>", with a hash over the machine's id, problem, threads,
/// cache state and amortisation. A new compiler or source stays in the series.
std::string series_key(const StudyHeader& header, double amortize);

/// results/baselines
fs::path baseline_folder(const fs::path& results);
/// nullopt for a series without a baseline. Throws Error for a damaged file, or one that a newer
/// version wrote.
std::optional<Baseline> read_baseline(const fs::path& results, const std::string& key);
/// Sorted by key. Unreadable files are among the faults.
Baselines read_baselines(const fs::path& results, Texts& faults);
/// Writes the file in one step. Throws Error.
void write_baseline(const fs::path& results, const Baseline& baseline);

/// The accepted variant run again beside the same configuration as built tonight and tonight's
/// best. Ratios are paired by rounds: above 1 is slower than the kept build.
struct Rematch {
  /// The accepted configuration as built tonight: shows what sources and tools changed. Absent
  /// where it cannot be built or run any more, and with a fault.
  std::optional<Estimate> rebuilt;
  std::optional<Estimate> best;  ///< tonight's best: shows what the search found. Absent with a
                                 ///< fault
  /// Tonight's build of the accepted configuration is the kept one: `rebuilt` shows only noise.
  bool same_code = false;
  std::optional<Estimate> now;  ///< the kept build's time tonight [s]
  NamedNumbers roofs;           ///< the baseline's, measured again
  int rounds = 0;
  Texts changed;      ///< changed parts of the study's identity: "compiler"
  std::string fault;  ///< why there is no answer
};

/// How many rounds precede each look at a rematch, and how many looks there are at most. Each
/// look's interval has this confidence, which leaves a risk of 1 % over all looks together.
inline constexpr int rounds_of_look = 15, most_looks = 6;
inline constexpr double confidence_of_look = 1 - 0.01 / most_looks;
/// What a paired ratio of times shows; to count, it must exceed both noise and threshold. unknown:
/// more rounds may tell.
enum class Against { same, slower, faster, unknown };
Against compared(const Estimate& ratio, double threshold);

/// Labels in `after` whose text in `before` differs or is missing (both from LabelledHash::dump()),
/// in order; without labels that concern the search alone.
Texts changed_parts(const std::string& before, const std::string& after);
/// changed_parts(), and then the labels that only `before` has.
Texts differing_parts(const std::string& before, const std::string& after);

}  // namespace rooftune::study

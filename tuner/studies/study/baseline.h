// The accepted result of a series (a kernel's problem on a machine, night after night): what later
// nights are held against. It holds the variant as it was built, so that it can run again beside
// tonight's when compiler and sources have changed.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/estimate_json.h"
#include "store/study_record.h"

namespace rooftune::study {

/// Who took which result for good, and why.
struct Acceptance {
  std::string study;  ///< StudyHeader::id
  std::string date;   ///< UTC, ISO 8601
  std::string who, why;
  Estimate seconds;  ///< per call
  static void fields(auto& self, auto& visit) {
    visit("study", self.study)("date", self.date)("who", self.who)("why", self.why);
    visit("seconds", self.seconds);
  }
};

struct Baseline {
  std::string key;  ///< series_key()
  StudyHeader header;
  StudySetup setup;
  Configuration configuration;
  Acceptance accepted;
  /// Names of files beside the baseline's own: the shared object, and for a GPU its kernels.
  std::string library, image;
  std::map<std::string, double> roofs;  ///< ceilings as they were then [flop/s, B/s]
  std::vector<Acceptance> earlier;      ///< oldest first
};

/// "<kernel>.<back end>.<machine>.<hash>": the hash is of these, the machine's id, problem,
/// threads, cache state and amortisation. A compiler or a source that changes stays in its series.
std::string series_key(const StudyHeader& header, double amortize);

/// results/baselines
std::filesystem::path baseline_folder(const std::filesystem::path& results);
/// All that were accepted in a series, oldest first; empty when none was. Reads less than
/// read_baseline(). Throws Error as that does.
std::vector<Acceptance> read_acceptances(const std::filesystem::path& results,
                                         const std::string& key);
/// nullopt when the series has none. Throws Error for a file that is damaged or of a newer version.
std::optional<Baseline> read_baseline(const std::filesystem::path& results, const std::string& key);
/// In order of their keys. Files that cannot be read are among the faults.
std::vector<Baseline> read_baselines(const std::filesystem::path& results,
                                     std::vector<std::string>& faults);
/// In one step. Throws Error.
void write_baseline(const std::filesystem::path& results, const Baseline& baseline);

/// The accepted variant after another night: run again, beside that night's.
struct Rematch {
  /// Tonight's best over the accepted artefact, paired by rounds: above 1 is slower. Absent with a
  /// fault.
  std::optional<Estimate> best;
  /// The accepted configuration as it is built tonight, over its artefact. Absent where it is
  /// tonight's best or cannot be built any more.
  std::optional<Estimate> rebuilt;
  std::optional<Estimate> now;          ///< time of the accepted artefact tonight [s]
  std::map<std::string, double> roofs;  ///< the baseline's, measured again
  int rounds = 0;
  std::vector<std::string> changed;  ///< parts of the study's identity that differ: "compiler"
  std::string fault;                 ///< why there is no answer
};

/// Rounds of a look at a rematch and looks at most; each interval holds with this confidence, so
/// that the risk of all looks together is 1 %.
inline constexpr int rounds_of_look = 15, most_looks = 3;
inline constexpr double confidence_of_look = 1 - 0.01 / most_looks;
/// Whether more rounds would change nothing: tonight's best is slower, or a regression by
/// `threshold` would have shown by now.
bool is_decided(const Estimate& ratio, double threshold);

/// Labels of LabelledHash::dump() texts whose values differ, in the order in which they stand;
/// without those that say only how it was searched.
std::vector<std::string> changed_parts(const std::string& before, const std::string& after);

}  // namespace rooftune::study

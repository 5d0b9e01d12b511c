// A night's check for a configuration better than the applications' loaded one, and its
// replacement: files of `tune export --format json` are compared with the night's best by a race.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/fields.h"
#include "host/rematch.h"

namespace rooftune::sweep {

enum class ExportFinding { same, better, no_better, inconclusive, elsewhere };
inline Words words(ExportFinding) {
  static constexpr const char* all[] = {"same", "better", "no_better", "inconclusive", "elsewhere"};
  return all;
}

/// A file of exports beside the best of a night.
struct ExportVerdict {
  std::string file;
  ExportFinding finding = ExportFinding::same;
  std::string sentence;           ///< the finding in words and figures
  std::optional<Estimate> ratio;  ///< time of the exported configuration over tonight's best
  bool written = false;           ///< the file holds tonight's best now
  static void fields(auto& self, auto& visit) {
    visit("file", self.file)("finding", self.finding)("sentence", self.sentence);
    visit("ratio", self.ratio)("written", self.written);
  }
};

/// Verdict of a race on a file with another configuration; `file` is left empty.
ExportVerdict judge_export(const Duel& race, double threshold);
/// "spmv.json: ... takes 1.31x ..."
std::string sentence_of(const ExportVerdict& verdict);

struct ExportWatch {
  /// Files of tune export --format json, shared objects of its libraries, or folders of them;
  /// empty: nothing is held.
  std::vector<std::filesystem::path> places;
  bool update = false;                               ///< replace files by a better configuration
  double threshold = 0.03;                           ///< least gain to count as better
  bool share_machine = false;                        ///< race on free cores, beside others
  std::function<void(const std::string&)> log = {};  ///< why there is a race; may be empty
  /// Exchanges a shared object for a library of the studies on record, and returns a sentence.
  /// Throws Error where that one stays. Empty: libraries are not updated.
  std::function<std::string(const std::filesystem::path& object)> update_library = {};
};

/// `named`, else the places in ROOFTUNE_EXPORTS, with ':' between them; without both none.
std::vector<std::filesystem::path> export_places(const std::string& named);

/// Unreadable exports, a line each. Throws Error for a missing place and, with `update`, for one
/// without write permission.
std::vector<std::string> checked_exports(const ExportWatch& watch);

/// Compares tonight's best with the exports of the same kernel, back end, problem, threads and
/// cache state, made on this machine. Of a different configuration both are built and validated
/// again and raced; better means faster by the threshold and beyond the noise. With `update` it
/// takes the file's place in one step, and the old one stays beside it as <file>.until-<time>. A
/// shared object is exchanged by `update_library`.
/// `text`: tonight's best as an exporter writes it. Exports of other machines are only counted, and
/// reported where there is none of this one. Throws Interrupted.
std::vector<ExportVerdict> held_against_exports(const ExportWatch& watch, PreparedStudy& study,
                                                const Configuration& best, const std::string& text);

}  // namespace rooftune::sweep

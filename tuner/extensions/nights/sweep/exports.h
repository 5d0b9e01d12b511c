// Whether a night found a better configuration than the one that applications load, and putting it
// in its place: files of `tune export --format json` are held against the night's best by a race.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/estimate_json.h"
#include "core/words.h"
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

/// What a race says of a file that holds another configuration; `file` is left empty.
ExportVerdict judge_export(const Duel& race, double threshold);
/// "spmv.json: what it holds takes 1.31x ..."
std::string sentence_of(const ExportVerdict& verdict);

struct ExportWatch {
  std::vector<std::filesystem::path> places;  ///< files, or folders of them; empty: nothing is held
  bool update = false;                        ///< write what is better
  double threshold = 0.03;                    ///< what is faster by less is no better
  bool share_machine = false;                 ///< race on free cores, beside others
  std::function<void(const std::string&)> log = {};  ///< why there is a race; may be empty
};

/// `named`, else what ROOFTUNE_EXPORTS names, with ':' between them; without both none.
std::vector<std::filesystem::path> export_places(const std::string& named);

/// What cannot be read as an export, a line each. Throws Error for a place that is not there or,
/// with `update`, cannot be written to.
std::vector<std::string> checked_exports(const ExportWatch& watch);

/// Holds tonight's best against the exports of the same kernel, back end, problem, threads and
/// cache state that were made on this machine. Where their configuration is another, both are
/// built and validated again and raced; only what is faster by the threshold and beyond the noise
/// is better. With `update` it takes the file's place in one step, and the old one stays beside it
/// as <file>.until-<time>. `text`: tonight's best as an exporter writes it. Exports of other
/// machines only count, and are said, where there is none of this one. Throws Interrupted.
std::vector<ExportVerdict> held_against_exports(const ExportWatch& watch, PreparedStudy& study,
                                                const Configuration& best, const std::string& text);

}  // namespace rooftune::sweep

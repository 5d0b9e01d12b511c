// A study's findings in sentences, the same in the terminal and on the page; and what words in
// answers and reports mean: the table in docs/glossary.md, compiled into the program.
#pragma once
#include <string>
#include <vector>

#include "core/list.h"
#include "study/result.h"

namespace rooftune::report {

/// The binding ceiling, the ceilings within its interval, and the source.
std::string bound_sentence(const StudyResult& result);
/// The whole space's bound; empty where it equals the bound.
std::string space_sentence(const StudyResult& result);
/// Ties in the final race; empty when there are none.
std::string tie_sentence(const StudyResult& result);
/// "spmv on host: openmp, at most 2 threads, warm caches".
std::string study_sentence(const StudyResult& result);
/// Collapsed knobs: "numa_policy = local: this machine has one NUMA node".
Texts collapsed_knobs(const StudyResult& result);
/// The binding ceiling's name: "DRAM bandwidth", "fp64 fma", "the time of a launch".
std::string limit_name(const StudyResult& result);
/// "60 s for 24 trials: build 44 s (25 s of waiting: several compilers at once), validate 5 s, time
/// 20 s; 90 s in all, with preparing, races and counts".
std::string cost_sentence(const StudyResult& result);
/// Which nodes tried how much, where the study raced, and who was lost or left out; empty for a
/// study on one node.
std::string nodes_sentence(const StudyResult& result);
/// "57 ok, 2 build failed, 1 pruned": the outcomes that occurred.
std::string outcome_sentence(const StudyResult& result);
/// "4 of 6 configurations failed: 3 wrong results (part=1, 2, 3), 1 did not build (opt=O3: ...);
/// tune explain 2 says more"; empty where none did.
std::string failure_sentence(const StudyResult& result);

/// A caution about the best, though its results are right: what looks between its calls found, and
/// what its calls keep; empty where there is nothing to tell.
std::string caution_sentence(const StudyResult& result);

/// A word from a file as people read it: "build failed" for "build_failed".
std::string readable(std::string word);
/// What a configuration changes in the baseline; all its knobs where no baseline was measured.
std::string changed_knobs(const StudyResult& result, const Configuration& configuration);

/// "DRAM without huge pages", "fp64 peak", or a wall's own name.
std::string short_name(const LedgerEntry& entry);
/// What a step passed, each name once: "fp64 without vectors", with the earlier step whose change
/// broke it, if any; "past ..." where no change broke it.
Texts passed_names(LedgerEntries entries);
/// The same with the measured ceiling behind it: "fp64 peak (fp64 fma 512 2t)".
std::string full_name(const LedgerEntry& entry);

/// A line in a shortened ledger: an entry, and how many more say the same.
struct LedgerRow {
  LedgerEntry entry;
  size_t alike = 0;  ///< further entries with the same kind, lack and step, all slower
};
/// The relevant entries in a ledger with perhaps a hundred ceilings, slowest first: among entries
/// with the same lacks that the same step passed, only the one nearest the roof.
struct LedgerDigest {
  std::vector<LedgerRow> rows;
  size_t beyond = 0;  ///< ceilings ahead whose time is below the bound, so beyond reach
};
LedgerDigest ledger_digest(const StudyResult& result);

struct GlossaryEntry {
  std::string word, meaning;
};

/// Sorted as on the page: alphabetically.
std::vector<GlossaryEntry> glossary();
/// Where a page explains this word, "#word-limited-by"; empty for an unknown word.
std::string glossary_link(const std::string& word);

}  // namespace rooftune::report

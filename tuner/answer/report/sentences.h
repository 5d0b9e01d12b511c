// Findings of a study in sentences, the same in the terminal and on the page; and the words of
// answers and reports with their meanings: the table of docs/glossary.md, compiled into the
// program.
#pragma once
#include <string>
#include <vector>

#include "study/result.h"

namespace rooftune::report {

/// "1.08x = work 1.00 x traffic 1.05 x rate 1.03"; unknown factors by name with the reason.
std::string gap_sentence(const Gap& gap);
/// The binding ceiling, those within its interval and the source.
std::string bound_sentence(const StudyResult& result);
/// The bound of the whole space; empty where it is the bound itself.
std::string space_sentence(const StudyResult& result);
/// How near to the bound a micro-kernel came; empty where none does such work.
std::string reach_sentence(const StudyResult& result);
/// What the compiled code of the best can reach, beside the least time of any code.
std::string code_sentence(const StudyResult& result);
/// Ties of the final race; empty when there are none.
std::string tie_sentence(const StudyResult& result);
/// "spmv on host: openmp, at most 2 threads, warm caches".
std::string study_sentence(const StudyResult& result);
/// Cost of making the best's own data layout, in calls, and its break-even against the baseline;
/// empty where nothing is converted.
std::string conversion_sentence(const StudyResult& result);
/// Collapsed knobs: "numa_policy = local: this machine has one NUMA node".
std::vector<std::string> collapsed_knobs(const StudyResult& result);
/// Of the binding ceiling: "DRAM bandwidth", "fp64 fma", "the time of a launch".
std::string limit_name(const StudyResult& result);
/// "120 parallel regions take 61 % of the time even when empty": what holds the best back; empty
/// where that was not counted.
std::string bottleneck_sentence(const StudyResult& result);
/// "60 s for 24 trials: build 44 s (25 s of waiting: several compilers at once), validate 5 s, time
/// 20 s; 90 s in all, with preparing, races, set-backs and counts".
std::string cost_sentence(const StudyResult& result);
/// Whether more search can help, from how it ended: "yes, with a longer --budget: 49 of 216
/// configurations were tried, the best was number 46".
std::string go_on_sentence(const StudyResult& result);
/// "57 ok, 2 build failed, 1 pruned": outcomes with a count above 0.
std::string outcome_sentence(const StudyResult& result);
/// "4 of 6 configurations failed: 3 wrong results (part=1, 2, 3), 1 did not build (opt=O3: ...);
/// tune explain 2 says more"; empty where none did.
std::string failure_sentence(const StudyResult& result);

/// Of the best, right as it is: what looks between its calls have found, and what its calls keep;
/// empty where there is nothing to tell.
std::string caution_sentence(const StudyResult& result);

/// A word of files as people read it: "build failed" for "build_failed".
std::string readable(std::string word);
/// A configuration's changes of the baseline; all of it where none was measured.
std::string changed_knobs(const StudyResult& result, const Configuration& configuration);

/// "huge_pages, tlp"; empty for the roof.
std::string lacks_text(const LedgerEntry& entry);
/// "DRAM bandwidth without huge_pages", "fp64 peak", or a wall's own name.
std::string short_name(const LedgerEntry& entry);
/// The short names of entries, each once.
std::vector<std::string> short_names(const std::vector<LedgerEntry>& entries);
/// The same with the measured ceiling behind it: "fp64 peak (fp64 fma 512 2t)".
std::string full_name(const LedgerEntry& entry);

/// One line of a shortened ledger: an entry and how many more say the same.
struct LedgerRow {
  LedgerEntry entry;
  std::size_t alike = 0;  ///< further entries with the same kind, lack, state and knobs, all slower
};
/// Relevant entries of a ledger of perhaps a hundred ceilings: of entries with the same lacks and
/// broken by the same knobs only the one nearest the roof, slowest first.
struct LedgerDigest {
  std::vector<LedgerRow> rows;
  std::size_t beyond = 0;  ///< ceilings above whose time is below the bound: out of reach
  std::size_t passed = 0;  ///< broken ceilings without a changed knob as cause
};
LedgerDigest ledger_digest(const StudyResult& result);
/// Entries left out of the rows, a sentence each.
std::vector<std::string> ledger_remarks(const LedgerDigest& digest);

struct GlossaryEntry {
  std::string word, meaning;
};

/// In the order of the page: alphabetical.
std::vector<GlossaryEntry> glossary();
/// The place of this word's meaning in a page, "#word-limited-by"; empty for an unknown word.
std::string glossary_link(const std::string& word);

}  // namespace rooftune::report

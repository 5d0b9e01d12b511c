// Studies on record: found by kernel, machine, back end, problem or id; their model as the record
// holds it, independent of later changes of the kernel's folder; and those changes.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/hash.h"
#include "core/list.h"
#include "kernel/published.h"
#include "roofline/machine.h"
#include "roofline/roofline.h"
#include "space/knob.h"
#include "space/search_space.h"
#include "store/record_reader.h"
#include "store/study_record.h"
#include "store/study_store.h"
#include "study/platform.h"
#include "study/result.h"
#include "study/spec.h"

namespace rooftune::study {

struct StudyDigest {
  StudyRecord head;  ///< header and setup alone
  size_t trials = 0;
  std::string fingerprint;     ///< of all trials, see History
  std::string last;            ///< date of the last trial
  Configurations fastest;      ///< first to last, at most most_of_a_study
  std::optional<double> best;  ///< time of the validated best [s]
  Texts inconclusive;          ///< as in StudyResult; a fault of the analysis too
  static void fields(auto& self, auto& visit) {
    visit("header", self.head.header)("setup", self.head.setup);
    ROOFTUNE_EACH(visit, self, trials, fingerprint, last, fastest, best, inconclusive);
    visit.open();
  }
};

/// The digest in digest.json beside the records, if it is of these very files; else one of all
/// records, which is written there where it can be. nullopt without records. `head` says why a
/// study cannot be read whole.
std::optional<StudyDigest> read_digest(const fs::path& results, const StudyFiles& study);
/// Writes it at the end of a run; a fault only makes the next reader work.
void keep_digest(const fs::path& results, const StudyRecord& record, const StudyResult& result);

/// Empty members do not restrict.
struct RecordFilter {
  std::string kernel = {};  ///< its name, or a folder of the kernel's name
  std::string machine = {}, backend = {}, id = {};
  /// One input finds studies of one, several a study of all of them.
  std::vector<InputSpec> inputs = {};
  int threads = 0;  ///< 0 does not restrict
  std::optional<CacheState> cache = {};
  double amortize = 0;  ///< 0 does not restrict
};
/// Filter of a command that reads studies, from its spec. An `id` names a study of any machine;
/// without a typed machine the spec's is this host.
RecordFilter filter_of(const StudySpec& spec, const std::string& id = {});

/// All matches with a trial, the latest worked on last. Throws Error without a match, with a list
/// of the studies there.
std::vector<StudyDigest> find_studies(const fs::path& results, const RecordFilter& filter);
/// The match with the latest run, with_model(). Throws Error without a match, with a list of the
/// studies there, and for records unreadable here.
StudyRecord find_study(const fs::path& results, const RecordFilter& filter);
/// The study without impossible entries, noting where today's kernel, space or machine file differs
/// from the record's. Throws Error for records unreadable here.
StudyRecord with_model(StudyRecord study);
/// Names of the parts (files, variables, words) that make the study of `header`, which is new,
/// another one than the latest of its name, whose id is first; empty where there is none or only
/// the search differs.
using Difference = std::pair<std::string, Texts>;
Difference difference_from_latest(const fs::path& results, const StudyHeader& header);

/// machine_cores, machine_threads, ... for expressions of a search space; machine_multiprocessors,
/// machine_shared_per_block, ... as well where the machine is a GPU.
Facts machine_facts(const Machine& machine, int threads);
/// What is known of one input: parameters, facts, and those of the machine.
Facts known_facts(const StudyRecord& study, size_t input);

/// The searched space: of one input, or the common one of several.
SearchSpace space_of(const StudyRecord& study);
/// The space's statements about walls, for one input.
LeastMovements least_movements_of(const StudyRecord& study, size_t input, const SearchSpace& space);
/// On the machine as it was measured before the study.
Roofline roofline_of(const StudyRecord& study, size_t input);
std::optional<PublishedPath> published_path_of(const StudyRecord& study);

/// Every file of a kernel's folder but prose: a change of any starts a new study.
void add_sources(LabelledHash& hash, const fs::path& folder);

/// Names of the kernel's files with contents other than in the study's id. Throws Error for an
/// unreadable folder.
Texts changed_sources(const StudyRecord& study);
/// Differences between today and the record, a sentence each; empty without any.
Texts changes_since(const StudyRecord& study);
/// Labels of changed parts of the study's id ("source openmp.cpp", "space", "compiler version"):
/// the kernel's files, its space, and for a study of this computer the tools of its builds. An
/// unreadable part is named with its fault. Empty for a study of today's sources. Not of programs.
Texts outdated_parts(const StudyRecord& study, Platform& platform);

/// Removes entries with a configuration outside `space` or an unknown input, each with a sentence
/// among the faults: they are measured again, and no reader of the study meets them.
void remove_impossible_entries(StudyRecord& study, const SearchSpace& space);

inline constexpr const char* best_known_schema = "rooftune-best-known-1";

/// Properties of a machine that measure its likeness to another.
struct MachineClass {
  MachineKind kind = MachineKind::cpu;
  std::string model;  ///< "AMD EPYC 9575F 64-Core Processor", "NVIDIA A100-SXM4-40GB"
  int cores = 1;      ///< usable
  int simd_bits = 0;
  Texts features;  ///< instruction sets
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, kind, model, cores);
    visit.defaulted("simd_bits", self.simd_bits)("features", self.features);
  }
  bool operator==(const MachineClass&) const = default;
};
MachineClass machine_class(const Machine& machine);
/// 0: the same class; grows with other features, width of vectors, number of cores, model, vendor.
double distance(const MachineClass& a, const MachineClass& b);
/// Distance between two problems: 0 for the same; doublings between sizes, 1 for another text.
double distance(const Facts& a, const Facts& b);

/// The best of one study.
struct KnownBest {
  MachineClass machine;
  Facts problem;
  Configuration difference;  ///< knobs other than in the baseline; empty: none
  double seconds = 0;
  std::optional<double> over_baseline;  ///< how many times faster, paired; absent: not measured so
  double gap = 1;                       ///< over the bound
  std::string compiler, date, version;  ///< version of Rooftune
  std::string study;                    ///< its id, for keepers of the records; may be empty
  static void fields(auto& self, auto& visit) {
    constexpr const char* positive = "must be more than 0";
    ROOFTUNE_EACH(visit, self, machine, problem);
    visit("configuration", self.difference)("seconds", self.seconds);
    visit.check("seconds", self.seconds > 0, positive)
        .defaulted("over_baseline", self.over_baseline);
    visit.check("over_baseline", self.over_baseline.value_or(1) > 0, positive);
    visit("gap", self.gap).check("gap", self.gap > 0, positive);
    ROOFTUNE_EACH(visit.defaulted, self, compiler, date, version, study);
  }
};

struct BestKnown {
  std::string kernel, backend;
  std::vector<KnownBest> entries;
  static void fields(auto& self, auto& visit) {
    visit.schema(best_known_schema, "tune export --format best-known writes such files");
    ROOFTUNE_EACH(visit, self, kernel, backend, entries);
  }
};

/// The faster entry for the same machine class and problem stays.
void add(BestKnown& known, KnownBest entry);
/// <kernel>.<backend>.json in best_known_directory(); nullopt without one. Throws Error for an
/// unreadable one.
std::optional<BestKnown> shipped_best(const std::string& kernel, const std::string& backend);

}  // namespace rooftune::study

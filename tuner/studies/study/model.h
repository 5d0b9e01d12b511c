// A study's model as its record holds it, whatever happens later to the kernel's folder; and what
// has changed there.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/hash.h"
#include "core/list.h"
#include "kernel/published.h"
#include "roofline/machine.h"
#include "roofline/roofline.h"
#include "space/search_space.h"
#include "store/study_record.h"
#include "study/platform.h"

namespace rooftune::study {

/// machine_cores, machine_threads, ... for expressions in a search space; for a GPU also
/// machine_multiprocessors, machine_shared_per_block, ...
Facts machine_facts(const Machine& machine, int threads);
/// What is known about an input: parameters, its facts, and the machine's.
Facts known_facts(const StudyRecord& study, size_t input);

/// The searched space: the only input's, or what several inputs have in common.
SearchSpace space_of(const StudyRecord& study);
/// The space's statements about walls, for one input.
LeastMovements least_movements_of(const StudyRecord& study, size_t input, const SearchSpace& space);
/// An input's roofline, on the machine as it was measured before the study.
Roofline roofline_of(const StudyRecord& study, size_t input);

/// Adds every file in a kernel's folder but prose: a change in any starts a new study.
void add_sources(LabelledHash& hash, const fs::path& folder);

/// Names of the kernel's files whose contents differ from those in the study's id. Throws Error for
/// an unreadable folder.
Texts changed_sources(const StudyRecord& study);
/// What differs today from the record, a sentence each; empty without differences.
Texts changes_since(const StudyRecord& study);
/// Labels of what has changed in the study's id ("source openmp.cpp", "space", "compiler version"):
/// the kernel's files, its space, and, for a study on this computer, its build tools. A part that
/// cannot be read is named with its fault. Empty if nothing has changed. Not for programs.
Texts outdated_parts(const StudyRecord& study, Platform& platform);

/// Removes entries with a configuration outside `space` or an unknown input, each with a sentence
/// among the faults: they are measured again, and no reader of the study meets them.
void remove_impossible_entries(StudyRecord& study, const SearchSpace& space);

}  // namespace rooftune::study

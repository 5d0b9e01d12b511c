// The model of a study as its record holds it, independent of later changes of the kernel's folder;
// and those changes.
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

/// machine_cores, machine_threads, ... for expressions of a search space; machine_multiprocessors,
/// machine_shared_per_block, ... as well where the machine is a GPU.
Facts machine_facts(const Machine& machine, int threads);
/// What is known of one input: parameters, facts, and those of the machine.
Facts known_facts(const StudyRecord& study, size_t input);

/// The searched space: one input's, or the common one of several.
SearchSpace space_of(const StudyRecord& study);
/// The space's statements about walls, for one input.
LeastMovements least_movements_of(const StudyRecord& study, size_t input, const SearchSpace& space);
/// On the machine as it was measured before the study.
Roofline roofline_of(const StudyRecord& study, size_t input);

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

}  // namespace rooftune::study

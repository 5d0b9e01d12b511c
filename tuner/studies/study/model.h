// The model of a study as its record holds it: search space, walls and roofline, whatever has
// become of the kernel's folder since; and what has become of it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/hash.h"
#include "kernel/published_path.h"
#include "roofline/roofline.h"
#include "space/least_movements.h"
#include "space/search_space.h"
#include "store/study_record.h"
#include "study/platform.h"

namespace rooftune::study {

/// machine_cores, machine_threads, ... for expressions of a search space; machine_multiprocessors,
/// machine_shared_per_block, ... as well where the machine is a GPU.
Facts machine_facts(const Machine& machine, int threads);
/// Of one input: parameters, facts, and those of the machine.
Facts known_facts(const StudyRecord& study, std::size_t input);

/// The space that was searched: of one input, or what all of several allow.
SearchSpace space_of(const StudyRecord& study);
/// What the space states about walls, for one input.
LeastMovements least_movements_of(const StudyRecord& study, std::size_t input,
                                  const SearchSpace& space);
/// On the machine as it was measured before the study.
Roofline roofline_of(const StudyRecord& study, std::size_t input);
std::optional<PublishedPath> published_path_of(const StudyRecord& study);

/// Every file of a kernel's folder but prose: a change of any starts a new study.
void add_sources(LabelledHash& hash, const std::filesystem::path& folder);

/// Names of the kernel's files whose contents are not those that the study's id was made of. Throws
/// Error when the folder cannot be read.
std::vector<std::string> changed_sources(const StudyRecord& study);
/// What differs today from what the record holds, a sentence each; empty when nothing does.
std::vector<std::string> changes_since(const StudyRecord& study);
/// Labels of what the study's id was made of that are other ones today ("source openmp.cpp",
/// "space", "compiler version"): the kernel's files, its space, and of a study of this computer
/// what builds. What cannot be read is named with its fault. Empty for a study of today's sources.
/// Not of programs.
std::vector<std::string> outdated_parts(const StudyRecord& study, Platform& platform);
/// Puts today's kernel, space and machine file into the record in memory, on purpose; the notes say
/// what changed by it. Throws Error when one is gone.
void use_current_model(StudyRecord& study);
/// Of schema 1, which does not hold its model, that of today is taken, and a note says so.
/// `no_counters`: what such records lack besides. Throws Error when kernel or space are gone.
void complete_model(StudyRecord& study, const std::string& no_counters);

}  // namespace rooftune::study

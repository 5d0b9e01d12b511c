#include "study/model.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/file.h"
#include "core/list.h"
#include "core/pattern.h"
#include "core/units.h"
#include "kernel/kernel.h"
#include "roofline/machine_json.h"
#include "space/search_space.h"
#include "space/space_reader.h"
#include "store/study_record.h"
#include "study/baseline.h"
#include "study/find_study.h"
#include "study/machines.h"
#include "study/platform.h"
#include "study/prepare.h"
#include "study/readings.h"

namespace rooftune::study {
namespace {

void add_gpu_facts(const GpuFacts& gpu, Facts& facts) {
  FieldWriter all;
  ROOFTUNE_EACH(all, gpu, compute_capability, multiprocessors, warp, threads_per_multiprocessor,
                blocks_per_multiprocessor, threads_per_block, registers_per_multiprocessor,
                registers_per_block, shared_per_multiprocessor, shared_per_block);
  all("l2_bytes", gpu.l2)("memory_bytes", gpu.memory);
  for (const auto& [name, value] : all.json.items())
    facts.insert_or_assign("machine_" + name, value_from_json(value));
}

bool is_of_program(const StudyRecord& study) { return study.header.backend == command_backend; }

Json todays_space(const StudyRecord& study) {
  const fs::path& file = study.setup->space.file;
  return is_of_program(study) ? read_command_space(file, study.header.kernel) : read_json(file);
}

/// Today's kernel, with the study's cache state.
Kernel kernel_of(const StudyRecord& study) {
  Kernel kernel = read_kernel(study.require_setup().kernel_folder);
  kernel.warm = enumerator<CacheState>("cache state", study.header.cache_state) == CacheState::warm;
  return kernel;
}

/// "<what> has changed since the study", or that it cannot be read any more; empty if it is the
/// same.
template <class Same>
std::string change(const std::string& what, Same same) {
  try {
    return same() ? std::string() : what + " has changed since the study";
  } catch (const Error& error) {
    return what + " cannot be read any more: " + error.message();
  }
}

bool is_here(const Machine& machine, Platform& platform) {
  try {
    platform.require_here(machine);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Whether all configurations in an event belong to the space, and all inputs to the study.
class Sound {
 public:
  Sound(const SearchSpace& space, size_t inputs) : space_(space), inputs_(inputs) {}

  bool operator()(const Configuration& configuration) const {
    const auto has = [&](const Knob& knob) {
      return configuration.has(knob.name) && contains(knob.values, configuration.at(knob.name));
    };
    return configuration.values().size() == space_.knobs().size() && all_of(space_.knobs(), has);
  }
  bool operator()(const Trial& trial) const {
    return (*this)(trial.configuration) &&
           (!trial.measurement || per_input(trial.measurement->inputs));
  }
  bool operator()(const Started& started) const { return (*this)(started.configuration); }
  bool operator()(const Race& race) const {
    const bool named = race.seconds.empty() || !race.configurations.empty();
    return named && per_input(race.inputs) && all(race.configurations);
  }
  bool operator()(const StaircaseRace& staircase) const {
    return (*this)(staircase.found) && (*this)(staircase.race);
  }
  bool operator()(const CountedRun& run) const { return (*this)(run.configuration); }
  template <class T>
  bool all(const std::vector<T>& list) const {
    return all_of(list, *this);
  }
  bool is_input(size_t input) const { return input < inputs_; }

 private:
  /// A list has one element per input, and is empty for a single input.
  template <class T>
  bool per_input(const std::vector<T>& list) const {
    return list.empty() || list.size() == inputs_;
  }

  const SearchSpace& space_;
  size_t inputs_;
};

/// Keeps the sound trials, in their order; returns how many are gone.
size_t keep_trials(History& history, const Sound& sound) {
  const size_t before = history.size();
  if (sound.all(history.trials())) return 0;
  History kept;
  for (Trial trial : history.trials()) {
    if (!sound(trial)) continue;
    trial.index = kept.size();
    kept.append(std::move(trial));
  }
  history = std::move(kept);
  return before - history.size();
}

}  // namespace

Facts machine_facts(const Machine& machine, int threads) {
  const auto capacity = [&](const char* name) {
    const MemoryLevel* level = machine.level(name);
    return int64_t(level && level->capacity ? *level->capacity : 0);
  };
  const bool huge_pages = any_of(machine.ceilings, &Ceiling::huge_pages);
  Facts facts{{"machine_cores", machine.cores},
              {"machine_threads", threads},
              {"machine_numa_nodes", machine.numa_nodes},
              {"machine_simd_bits", machine.simd_bits},
              {"machine_l1_bytes", capacity("L1")},
              {"machine_l2_bytes", capacity("L2")},
              {"machine_l3_bytes", capacity("L3")},
              {"machine_huge_pages", huge_pages},
              {"machine_fast_memory", machine.fast_memory_nodes > 0}};
  if (machine.gpu) add_gpu_facts(*machine.gpu, facts);
  return facts;
}

Facts known_facts(const StudyRecord& study, size_t input) {
  const StudySetup& setup = study.require_setup();
  Facts known = setup.inputs.at(input).known();
  known.merge(machine_facts(setup.machine, study.header.threads));
  return known;
}

SearchSpace space_of(const StudyRecord& study) {
  const StoredSpace& stored = study.require_setup().space;
  SearchSpaces spaces;
  FactsList facts;
  for (size_t i = 0; i < study.inputs(); ++i) {
    facts.push_back(known_facts(study, i));
    spaces.push_back(space_from_json(stored.content, stored.file.string(), facts.back()));
  }
  return spaces.size() > 1 ? common_space(spaces, facts) : std::move(spaces.front());
}

LeastMovements least_movements_of(const StudyRecord& study, size_t input,
                                  const SearchSpace& space) {
  const StoredSpace& stored = study.require_setup().space;
  return least_movements_from_json(stored.content, stored.file.string(), space,
                                   known_facts(study, input));
}

Roofline roofline_of(const StudyRecord& study, size_t input) {
  const StudySetup& setup = study.require_setup();
  const InputModel& model = setup.inputs.at(input);
  return {model.work, model.traffic, setup.machine, study.header.threads};
}

void add_sources(LabelledHash& hash, const fs::path& folder) {
  Paths files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() != ".md") files.push_back(entry.path());
  sort(files);
  for (const auto& file : files) hash.add("source " + file_name(file), read_text(file));
}

Texts changed_sources(const StudyRecord& study) {
  LabelledHash today;
  add_sources(today, study.setup->kernel_folder);
  constexpr std::string_view label = "source ";
  Texts changed;
  for (const std::string& part : changed_parts(study.header.explanation, today.dump()))
    if (part.starts_with(label)) changed.push_back(part.substr(label.size()));
  return changed;
}

Texts changes_since(const StudyRecord& study) {
  const StudySetup& setup = study.require_setup();
  const std::string folder = setup.kernel_folder.string();
  Texts changes;
  const auto add = [&](const std::string& sentence) {
    if (!sentence.empty()) changes.push_back(sentence);
  };
  if (is_of_program(study)) {
    // The command's program is part of the study's id.
  } else if (!fs::is_directory(setup.kernel_folder)) {
    add("the kernel's folder " + folder + " is not there any more");
  } else if (const auto changed = changed_sources(study); !changed.empty()) {
    add(fmt::format("changed in {} since the study: {}", folder, joined(changed)));
  }
  add(change("the search space " + setup.space.file.string(),
             [&] { return todays_space(study) == setup.space.content; }));
  if (const auto file = machine_file(study.header.machine); file && !setup.machine.ceilings.empty())
    add(change("the machine file " + file->string(), [&] {
      Machine now = recorded_machine(read_machine(*file));
      // The file learns what a study sees faster: from this one all, from later ones a little.
      const Machine seen = as_seen(setup.machine, drift(setup.machine, readings_of(study)));
      constexpr double little = 1.05;
      for (Ceiling& ceiling : now.ceilings)
        if (const Ceiling* then = ceiling_named(setup.machine.ceilings, ceiling.name);
            then && then->rate.value < little * ceiling.rate.value &&
            ceiling.rate.value < little * ceiling_named(seen.ceilings, ceiling.name)->rate.value)
          ceiling = *then;
      return to_json(now) == to_json(setup.machine);
    }));
  return changes;
}

Texts outdated_parts(const StudyRecord& study, Platform& platform) {
  const StudySetup& setup = study.require_setup();
  LabelledHash today;
  try {
    PreparedStudy now;
    now.purpose = Purpose::plan;
    now.kernel = kernel_of(study);
    add_sources(today, now.kernel.folder);
    today.add("space", read_text(setup.space.file));
    const Backend* const backend = now.kernel.backend(study.header.backend);
    if (!backend) return {"back end " + study.header.backend};
    now.backend = *backend;
    now.machine = setup.machine;
    now.space_file = setup.space;
    // On another machine, another compiler is no change.
    if (is_here(setup.machine, platform))
      for (const auto& [name, value] : platform.toolchain(now)) today.add(name, value);
  } catch (const Error& error) {
    return {error.where().empty() ? error.message() : error.where() + ": " + error.message()};
  }
  Texts parts = changed_parts(study.header.explanation, today.dump());
  // A short file with lines like "a = b" looks like several parts.
  static const Pattern known("space|back end flags|(source |header |compiler).*");
  std::erase_if(parts, [](const std::string& part) { return !known.matches(part); });
  return parts;
}

void remove_impossible_entries(StudyRecord& study, const SearchSpace& space) {
  const Sound sound(space, study.inputs());
  const auto say = [&](const char* what, size_t count) {
    if (count > 0)
      study.faults.push_back(fmt::format(
          "{} of \"{}\" left aside: not of this study's space and inputs", count, what));
  };
  const auto keep = [&](auto& event, const char* what) {
    if (!event || sound(*event)) return;
    event.reset();
    say(what, 1);
  };
  say("trial", keep_trials(study.history, sound));
  say("started", std::erase_if(study.started, std::not_fn(sound)));
  say("proposed", std::erase_if(study.proposed, std::not_fn(sound)));
  keep(study.race, "race");
  keep(study.staircase, "staircase");
  say("counts", std::erase_if(study.counts, [&](const auto& one) {
        return !sound.is_input(one.first) || !sound.all(one.second);
      }));
}

}  // namespace rooftune::study

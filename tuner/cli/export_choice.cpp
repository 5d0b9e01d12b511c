// Chooses the study to export, and checks its best against the study.
#include "cli/export_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "build/artefact.h"
#include "build/flags.h"
#include "cli/console.h"
#include "cli/study_files.h"
#include "core/list.h"
#include "core/pattern.h"
#include "host/host_platform.h"
#include "report/exporter.h"
#include "report/figures.h"
#include "space/knob.h"
#include "study/baseline.h"
#include "study/find_study.h"
#include "study/machines.h"
#include "study/model.h"
#include "study/own_code.h"
#include "study/platform.h"
#include "study/prepare.h"
#include "study/result.h"
#include "trial/evaluator.h"

namespace rooftune::cli {
namespace {

std::vector<ExportForm>& forms() {
  static std::vector<ExportForm> all{
      {.name = "header", .summary = "C and C++ header: a macro per knob", .write = header_export},
      {.name = "json",
       .summary = "JSON with provenance, for the run-time look-up",
       .write = json_export},
      {.name = "best-known",
       .summary = "Where other studies start; joins the entries of a file that is there",
       .write = best_known_export,
       .joined = joined_best_known}};
  return all;
}

/// Enough rounds for an interval on a busy machine; so many looks while the measurement objects.
constexpr int rounds = 15, most_looks = 3;
/// The fewest rounds that give an interval: a run may take minutes.
constexpr int rounds_of_program = 6;

/// The words that were typed for a program: another metric is another time.
std::string program_words(const StudyRecord& study) {
  const bool program = study.header.backend == command_backend && study.setup;
  return program ? joined(study.setup->command, " ") : "";
}

/// Studies compete only if all of this is equal.
std::string group(const StudyRecord& study) {
  const StudySetup setup = study.setup.value_or(StudySetup());
  return fmt::format("{} {} {}", series_key(study.header, setup.amortize), setup.objective,
                     program_words(study));
}

/// The option that chooses this study, and what the study is.
std::string words_for(const ExportChoice& choice) {
  const StudyHeader& header = choice.study.header;
  return fmt::format("--study {}: {} on {}, {}, {} threads, {} {}", header.id.substr(0, 8),
                     facts_text(choice.result.problem), header.machine, header.backend,
                     header.threads, seconds_text(choice.result.best->seconds.value),
                     program_words(choice.study));
}

/// A study, known by its digest; the other members as in ExportChoice.
struct Candidate {
  StudyDigest study;
  Texts outdated;
  std::string passed_over = {};
};

bool is_better(const Candidate& one, const Candidate& other) {
  if (one.outdated.empty() != other.outdated.empty()) return one.outdated.empty();
  const StudyDigest &a = one.study, &b = other.study;
  if (a.inconclusive.empty() != b.inconclusive.empty()) return a.inconclusive.empty();
  return *a.best < *b.best;
}

/// A specification for a program's study, from the words that started it.
StudySpec program_spec(const StudyRecord& record) {
  std::vector<const char*> words;
  for (const std::string& word : record.require_setup().command) words.push_back(word.c_str());
  StudySpec spec = with_connector(parse(int(words.size()), words.data()).tune);
  if (!spec.program)
    throw Error("the record does not say how the program is run", record.header.id,
                "tune it again, or export it with --as-recorded");
  return spec;
}

Texts outdated(const StudyRecord& record, Platform& platform) {
  if (record.header.backend != command_backend) return outdated_parts(record, platform);
  try {
    if (prepare(program_spec(record), platform).header.id == record.header.id) return {};
    return {"the program, its folder or its space"};
  } catch (const Error& error) {
    return {error.message()};
  }
}

/// The better of two studies that compete, with a note about an older, faster one.
Candidate better(Candidate one, Candidate other) {
  Candidate &first = is_better(one, other) ? one : other, &second = &first == &one ? other : one;
  if (first.outdated.empty() && !second.outdated.empty() && *second.study.best < *first.study.best)
    first.passed_over = fmt::format(
        "study {} of older sources was faster, {} against {} (--study takes it; since then "
        "changed: "
        "{})",
        second.study.head.header.id.substr(0, 8), seconds_text(*second.study.best),
        seconds_text(*first.study.best), joined(second.outdated));
  else if (first.passed_over.empty())
    first.passed_over = second.passed_over;
  return std::move(first);
}

/// Reads the study's whole record.
ExportChoice read(const fs::path& results, Candidate candidate) {
  const StudyHeader& header = candidate.study.head.header;
  auto record = read_study(results, header);
  if (!record) throw Error("study " + header.id + " was removed meanwhile", results);
  ExportChoice choice{with_model(std::move(*record)),
                      {},
                      std::move(candidate.outdated),
                      std::move(candidate.passed_over)};
  choice.result = analyse(choice.study);
  if (!choice.result.best)
    throw Error("has no validated configuration, though its digest says so", choice.study.place,
                "remove digest.json there; it is made again");
  return choice;
}

/// Replaces the study's times by those from a race between the baseline (0) and the best (1).
void take_times(StudyResult& result, const Race& race) {
  const Verdict whole = judge(race);
  if (result.inputs) result.inputs->speedup = whole.speedup;
  const Verdict now = result.inputs ? judge_on_input(race, result.inputs->shown, whole) : whole;
  Contender& best = *result.best;
  best.seconds = now.seconds.at(1);
  if (result.bound.known())
    best.gap = result.roofline.gap(best.seconds, best.counts ? &*best.counts : nullptr,
                                   best.gap.unknown_because);
  if (result.baseline) result.baseline->seconds = now.seconds.at(0);
  result.speedup = now.speedup;
  result.race_rounds = int(race.seconds.size());
}

/// Throws Error if the best keeps results: its time would not hold on new inputs.
void require_no_memory(const std::string& memory, const StudyRecord& record) {
  if (memory.empty()) return;
  throw Error("the best " + memory, record.header.kernel,
              "leave the knobs that keep results out of the space and tune again; where the "
              "application calls it on the same input each time, say \"inputs\": \"kept\" in "
              "kernel.json; --as-recorded exports it as it is");
}

/// What a measurement now objects to in the study's; empty: nothing.
std::string disagreement(const Verdict& now, const std::optional<Estimate>& study) {
  if (now.disturbed)
    return fmt::format("the machine is busy, neighbours took a core away in all but {}",
                       now.clean_pairs);
  const Estimate& seen = *now.speedup;
  if (seen.low <= 1) return ratio_interval(seen) + " over the baseline, so it may be slower";
  constexpr double drift = 1.1;
  if (study && (seen.high * drift < study->low || study->high * drift < seen.low))
    return ratio_interval(seen) + " over the baseline, and the study says " +
           ratio_interval(*study);
  return {};
}

}  // namespace

void add_export_form(const ExportForm& form) { forms().push_back(form); }

const std::vector<ExportForm>& export_formats() { return forms(); }

ExportChoices best_studies(const fs::path& results_folder, const RecordFilter& filter) {
  const auto results = fs::absolute(results_folder);
  ByName<Candidate> best;
  std::string refused;
  HostPlatform platform;
  for (StudyDigest& study : find_studies(results, filter)) {
    const std::string key = group(study.head), id = study.head.header.id;
    Candidate candidate{std::move(study), {}};
    candidate.outdated = outdated(candidate.study.head, platform);
    const auto& doubts = candidate.study.inconclusive;
    if (!candidate.study.best)
      refused = fmt::format("study {} has no validated configuration{}{}", id,
                            doubts.empty() ? "" : ": ", joined(doubts, "; "));
    else if (auto* known = value_at(best, key); !known)
      best.emplace(key, std::move(candidate));
    else
      *known = better(std::move(candidate), std::move(*known));
  }
  if (best.empty())
    throw Error(refused, filter.kernel,
                "tune it again with a larger --budget; `tune report` tells what went wrong");
  ExportChoices choices;
  for (auto& [key, candidate] : best) choices.push_back(read(results, std::move(candidate)));
  return choices;
}

RecordFilter typed_filter(const StudySpec& spec, const std::string& study) {
  if (spec.kernel.empty() && study.empty())
    throw Error("no kernel given", "--kernel", "name one with --kernel, or a study with --study");
  return filter_of(spec, study);
}

Texts remarks(const ExportChoice& choice) {
  Texts all;
  if (!choice.outdated.empty())
    all.push_back(
        fmt::format("study {} is of older sources, and none of today's fits; since then "
                    "changed: {}",
                    choice.study.header.id.substr(0, 8), joined(choice.outdated)));
  if (!choice.passed_over.empty()) all.push_back(choice.passed_over);
  return all;
}

ExportChoice& only(ExportChoices& choices) {
  if (choices.size() == 1) return choices.front();
  std::string all;
  for (const ExportChoice& choice : choices) all += "\n  " + words_for(choice);
  throw Error(fmt::format("{} studies fit, of different problems or machines", choices.size()),
              "--kernel", "say which one with --study, --problem, --machine or --threads:" + all);
}

std::string verified(ExportChoice& choice) {
  const StudyRecord& record = choice.study;
  const StudySetup& setup = record.require_setup();
  const bool program = record.header.backend == command_backend;
  HostPlatform platform;
  try {
    // A program without a limit needs no machine; on another machine it becomes another study.
    if (!program) platform.require_here(setup.machine);
  } catch (const Error& error) {
    throw Error(error.message(), error.where(),
                "export it there; or here with --as-recorded, without a check", error.code());
  }
  require_own_code(record);
  StudySpec spec = program ? program_spec(record) : spec_of(record);
  spec.wait = true;
  const auto alone = platform.reserve(spec, print_note);
  const PreparedStudy study = prepare(spec, platform);
  // A program itself cannot be kept: whatever file is here now is the program.
  if (program && study.header.id != record.header.id)
    throw Error("the program is another one than the study's: another " +
                    joined(differing_parts(record.header.explanation, study.header.explanation),
                           ", another "),
                "--command",
                "export it in the folder where it was tuned, tune it again, or say --as-recorded");
  const History none;
  const auto evaluator = evaluator_of(study, none);
  const Configuration best = choice.result.best->configuration;
  const Configuration baseline = study.first().space->baseline();
  if (!study.first().space->allowed(best))
    throw Error(
        "the search space of today does not allow it: " + study.first().space->why_not(best),
        setup.space.file, "tune again, or export it with --as-recorded");
  Configurations all{baseline};
  if (best != baseline) all.push_back(best);
  for (const Configuration& one : all) {
    const Trial trial = evaluator->evaluate(one, {});
    if (!trial.ok())
      throw Error(fmt::format("{} does not run any more: {}: {}",
                              one == baseline ? "the baseline" : "the best", to_text(trial.outcome),
                              trial.detail),
                  record.header.kernel, "tune again, or export it with --as-recorded");
    require_no_memory(one == best ? trial.measurement->memory(forbidden_memory) : "", record);
  }
  if (all.size() == 1) return "built and validated again; it is the baseline";
  Race race;
  race.configurations = all;
  race.with_baseline = true;
  race.looks = most_looks;
  const auto said = choice.result.inputs ? choice.result.inputs->speedup : choice.result.speedup;
  std::string objection;
  for (int look = 0; look < most_looks; ++look) {
    append(race, evaluator->race(
                     all, {program ? rounds_of_program : rounds, spec.seed + uint64_t(look)}));
    if (race.seconds.empty() || !race.fault.empty())
      throw Error("the best was not timed again: " + race.fault, record.header.kernel,
                  "try again, or export it with --as-recorded");
    objection = disagreement(judge(race), said);
    if (objection.empty()) break;
  }
  if (!objection.empty())
    throw Error(
        fmt::format("the best was timed again in {} rounds: {}", race.seconds.size(), objection),
        record.header.kernel,
        "export it when the machine is quieter, tune it again, or say --as-recorded: as "
        "the study has it, without a check");
  take_times(choice.result, race);
  return fmt::format("built, validated and timed again: {} over the baseline in {} rounds{}",
                     ratio_interval(*judge(race).speedup), race.seconds.size(),
                     said ? ", the study said " + ratio_interval(*said) : "");
}

Texts flags_of(const StudyRecord& record, const StudyResult& result) {
  const Machine& machine = record.require_setup().machine;
  // A program's compiler, if any, is its build's own.
  if (runs_on_gpu(record.header.backend) || record.header.backend == command_backend) return {};
  const SearchSpace space = space_of(record);
  Texts flags{"-O3"};
  if (why_not_here(machine).empty()) {
    flags = artefact_cache().compiler(space, result.best->configuration).flags;
    static const Pattern of_a_library("-fPIC|-shared|-std=.*");
    std::erase_if(flags, [](const std::string& flag) { return of_a_library.matches(flag); });
  } else if (const char* const isa = isa_flag(x86_simd_bits(machine))) {
    flags.emplace_back(isa);
  }
  for (const std::string& flag : knob_flags(space, result.best->configuration))
    flags.push_back(flag);
  return flags;
}

}  // namespace rooftune::cli

// tune bench: a study's best against the untuned form and other people's codes, in interleaved
// rounds.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "cli/console.h"
#include "cli/export_choice.h"
#include "cli/options.h"
#include "cli/study_files.h"
#include "core/fields.h"
#include "core/list.h"
#include "core/pattern.h"
#include "core/text.h"
#include "core/units.h"
#include "host/host_platform.h"
#include "kernel/published.h"
#include "os/interruption.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "report/figures.h"
#include "report/text_table.h"
#include "run/gpu_runtime.h"
#include "study/find_study.h"
#include "study/own_code.h"
#include "study/prepare.h"
#include "trial/statistics.h"

namespace rooftune::cli {
namespace {

constexpr double confidence = 0.95;
constexpr std::chrono::minutes program_limit{10};

/// A row in the comparison.
struct Competitor {
  std::string name, title;
  std::optional<Variant> variant;           ///< runs in a worker
  std::optional<PeerProgram> program = {};  ///< or is started as it is
  std::string cure = {};                    ///< for a peer that cannot be built or loaded
  std::string absent_because = {};          ///< why it is not in the comparison
  Estimates times = {};                     ///< per call, one for each round
};

Competitor variant(const std::string& name, const std::string& title, const Backend& backend,
                   const SearchSpace& space, const Configuration& configuration) {
  Competitor result{name, title, Variant{backend, space, space.normalised(configuration)}};
  if (!space.allowed(result.variant->configuration))
    result.absent_because = "the space no longer allows it: " + space.why_not(configuration);
  return result;
}

/// The competitor's time over the best's, paired by rounds.
Estimate ratio(const Competitor& one, const Competitor& best) {
  Estimates ratios;
  for (const size_t r : indices(one.times)) ratios.push_back(one.times[r] / best.times[r]);
  return ratio_in_quiet(ratios, confidence);
}

Estimate time_of(const Competitor& one) { return quantile_in_quiet(one.times, 0.25, confidence); }

/// The comparison at hand.
struct Bench {
  PreparedStudy& study;
  const BenchOptions& options;
  std::vector<Competitor> all = {};

  /// The best study for exactly this problem: the best for one matrix says nothing about another.
  std::optional<StudyResult> best_study(const std::string& backend) const {
    const RecordFilter filter{{study.kernel.name, backend, study.machine.name, study.spec.threads},
                              backend == study.backend.name ? options.study : "",
                              {{"", study.first().model.problem}},
                              study.cache_state(),
                              study.spec.amortize};
    try {
      const auto choices = best_studies(options.spec.results, filter);
      for (const std::string& remark : remarks(choices.front())) print_note(remark);
      return choices.front().result;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  void add_tuned() {
    const auto tuned = best_study(study.backend.name);
    if (!tuned)
      throw Error(
          fmt::format("no study of kernel {} with this problem and back end is on record",
                      study.kernel.name),
          options.spec.results,
          fmt::format(
              "tune first: tune --kernel {} --backend {}{}", options.spec.kernel,
              study.backend.name,
              options.spec.inputs.empty() ? "" : " --problem " + options.spec.inputs.front().name));
    const SearchSpace& space = *study.first().space;
    const Configuration& best = tuned->best->configuration;
    const auto add = [&](const std::string& name, const std::string& title,
                         const Configuration& configuration) {
      all.push_back(variant(name, title, study.backend, space, configuration));
    };
    add("best",
        fmt::format("found by study {}: {}", tuned->header.id,
                    difference_text(best, space.baseline())),
        best);
    add("baseline", "the untuned form", space.baseline());
    for (const std::string& word : options.trials) {
      const Trial& trial = chosen_trial(*tuned, word);
      add("trial " + word, difference_text(trial.configuration, space.baseline()),
          trial.configuration);
    }
    for (const std::string& words : options.changes)
      add(words, "the best with that", changed(best, space, words));
  }

  /// Another back end's best, if a study of it is on record.
  std::optional<Competitor> best_elsewhere(const Backend& other) const {
    if (other.name == study.backend.name) return std::nullopt;
    const auto tuned = best_study(other.name);
    if (!tuned) return std::nullopt;
    StudySpec elsewhere = options.spec;
    elsewhere.backend = other.name;
    Competitor result;
    result.name = other.name + " best";
    try {
      HostPlatform platform;
      const PreparedStudy theirs = prepare(elsewhere, platform);
      return variant(result.name, "found by study " + tuned->header.id, other,
                     *theirs.first().space, tuned->best->configuration);
    } catch (const Error& error) {
      // The library is gone or its space has changed: the others can still be compared.
      result.absent_because = error.message();
      return result;
    }
  }

  /// What a program's arguments and time may refer to, by name.
  Facts known() const {
    Facts facts{{"threads", study.spec.threads}, {"items", study.first().model.work.items}};
    facts.merge(study.first().model.known());
    return facts;
  }

  /// Why it cannot be compared in this study; empty when it can.
  std::string why_unfit(const Peer& file) const {
    if (file.on_card != study.machine.is_gpu())
      return fmt::format("it runs on {}, which {} is not", file.on_card ? "a GPU" : "the CPU",
                         study.machine.name);
    if (file.on_card && file.source && !study.backend.needs_gpu_compiler())
      return "it runs beside variants of the back end cuda";
    const Facts facts = known();
    if (!file.when.empty() && !file.when.evaluate(lookup_in(facts)).truth())
      return "it is for problems with " + file.when.text();
    return {};
  }

  /// Finds a peer's program, and takes its arguments as they are.
  void find_program_of(const Peer& file, Competitor& result) const {
    result.program = file.program;
    const std::string variable = "ROOFTUNE_PEER_" + macro_word(file.name);
    const std::string chosen = environment_text(variable.c_str());
    const auto found = find_program(chosen.empty() ? file.program->name : chosen);
    if (found)
      result.program->name = found->string();
    else
      result.absent_because = fmt::format("there is no program {}; {} (or name it: {}=FILE)",
                                          file.program->name, file.cure, variable);
    const Facts facts = known();
    for (std::string& argument : result.program->arguments)
      if (argument.starts_with('='))
        argument = to_text(Expression::parse(argument.substr(1)).evaluate(lookup_in(facts)));
  }

  Competitor peer(const Peer& file) const {
    Competitor result;
    result.name = file.name;
    result.title = file.title;
    result.cure = file.cure;
    result.absent_because = why_unfit(file);
    if (!result.absent_because.empty()) return result;
    if (file.source) {
      const SearchSpace none(file.name, {}, {}, {});
      result.variant = Variant{*file.source, none, none.baseline()};
    } else {
      find_program_of(file, result);
    }
    return result;
  }

  /// One run of a program; throws Error when its output holds no time.
  double program_seconds(const PeerProgram& program) const {
    Command command;
    command.argv = {program.name};
    append(command.argv, program.arguments);
    command.environment["OMP_NUM_THREADS"] = std::to_string(study.spec.threads);
    // The study's card, independent of its number elsewhere.
    if (study.machine.is_gpu())
      command.environment["CUDA_VISIBLE_DEVICES"] = installed_card(study.spec.card).uuid;
    const TemporaryDirectory scratch;
    command.directory = scratch.path();
    command.limit = program_limit;
    const Finished finished = execute(command);
    if (!finished.status.ok()) throw Error("it ended with " + finished.status.text());
    const auto match = Pattern(program.pattern).search(finished.output);
    if (!match) throw Error("its output holds no time: " + program.pattern);
    Facts facts = known();
    facts["value"] = std::strtod((*match)[1].c_str(), nullptr);
    const double seconds = program.seconds.evaluate(lookup_in(facts)).real();
    if (!(seconds > 0)) throw Error("the time it prints is not above 0");
    return seconds;
  }

  /// Leaves out competitors that cannot run here, with the reason.
  void try_out() {
    for (Competitor& one : all) {
      if (!one.absent_because.empty()) continue;
      if (one.program) {
        try {
          program_seconds(*one.program);
        } catch (const Error& error) {
          one.absent_because = error.message();
        }
      } else if (const Trial trial =
                     host_runner(*study.first().runner).evaluator().evaluate(*one.variant);
                 !trial.ok()) {
        one.absent_because = fmt::format("{}: {}", to_text(trial.outcome), trial.detail);
        if (trial.outcome == Outcome::build_failed && !one.cure.empty())
          one.absent_because += "; " + one.cure;
      }
    }
  }

  /// Races the competitors. False when a peer failed: it is out, and the others have to begin
  /// again.
  bool raced() {
    Variants variants;
    std::vector<Competitor*> runners, programs;
    for (Competitor& one : all) {
      one.times.clear();
      if (!one.absent_because.empty()) continue;
      if (one.program) programs.push_back(&one);
      if (!one.variant) continue;
      variants.push_back(*one.variant);
      runners.push_back(&one);
    }
    HostEvaluator& evaluator = host_runner(*study.first().runner).evaluator();
    const Rounds rounds =
        evaluator.race(variants, {options.rounds, options.spec.seed}, [&](const Rounds&) {
          for (Competitor* program : programs)
            program->times.push_back(Estimate::exact(program_seconds(*program->program)));
          return AfterRound{};
        });
    if (!rounds.fault.empty()) {
      Competitor* const failed =
          rounds.failed_configuration ? runners.at(*rounds.failed_configuration) : nullptr;
      if (!failed || failed->cure.empty())
        throw Error("the comparison failed: " + (failed ? failed->name + ": " : "") + rounds.fault);
      // The fault's text begins with a configuration, here an empty one.
      failed->absent_because = "it failed in the rounds" + rounds.fault;
      return false;
    }
    if (!rounds.disturbed.empty())
      print_note(fmt::format("the machine is busy: neighbours disturbed {} of {} samples",
                             rounds.disturbed.size(), rounds.seconds.size() * variants.size()));
    for (const size_t r : indices(rounds.seconds))
      for (const size_t i : indices(runners)) runners[i]->times.push_back(rounds.time(r, i));
    return true;
  }

  Json json() const {
    Json rows = Json::array();
    for (const Competitor& one : all) {
      Json row{{"name", one.name}, {"title", one.title}, {"absent", one.absent_because}};
      row["seconds"] = one.times.empty() ? Json() : encode(time_of(one));
      row["ratio"] = one.times.empty() ? Json() : encode(ratio(one, all.front()));
      rows.push_back(std::move(row));
    }
    return {{"schema", "rooftune-bench-1"},
            {"kernel", study.kernel.name},
            {"problem", study.header.problem},
            {"machine", study.machine.name},
            {"backend", study.backend.name},
            {"threads", study.spec.threads},
            {"rounds", options.rounds},
            {"configuration", to_json(all.front().variant->configuration)},
            {"bound", study.bound.time.value()},
            {"competitors", rows}};
  }

  void print() const {
    const TerminalStyle style = style_of(1);
    fmt::print(
        "{} on {}: {}; {}{} interleaved rounds, bound {}\n", study.kernel.name, study.machine.name,
        facts_text(study.first().model.problem),
        study.machine.is_gpu() ? "" : fmt::format("at most {} threads, ", study.spec.threads),
        options.rounds, to_text(study.bound.time));
    TextTable table(style.width);
    table.head({"", "time per call", "against best"});
    for (const Competitor& one : all) {
      if (one.times.empty()) continue;
      table.row({{one.name, Ink::strong},
                 {seconds_interval(time_of(one))},
                 {&one == &all.front() ? "1" : ratio_interval(ratio(one, all.front()))}});
    }
    fmt::print("{}\n", table.str(style.colour));
    for (const Competitor& one : all)
      fmt::print("{}",
                 paragraph("  " + one.name + ": ",
                           one.times.empty() ? "not compared: " + one.absent_because : one.title,
                           style.width));
  }
};

/// The specification with the study's settings, whatever the other options say.
StudySpec spec_of_study(const BenchOptions& options) {
  const StudyRecord record =
      find_study(fs::absolute(options.spec.results), {{options.spec.kernel}, options.study});
  require_own_code(record);
  StudySpec spec = spec_of(record);
  spec.results = options.spec.results;
  return spec;
}

void require_peers(const Texts& wanted, const Peers& peers, const std::string& kernel) {
  Texts names = members(peers, &Peer::name);
  for (const std::string& name : wanted)
    if (!contains(names, name))
      throw Error(fmt::format("kernel {} has no peer \"{}\"", kernel, name), "--peers",
                  names.empty() ? "there is no peers.json beside its kernel.json"
                                : did_you_mean(name, names));
}

}  // namespace

int bench_command(const BenchOptions& options) {
  watch_interrupts();
  require_output(options.json);
  HostPlatform platform;
  StudySpec spec = options.study.empty() ? options.spec : spec_of_study(options);
  if (spec.inputs.size() > 1)
    throw Error(fmt::format("{} inputs were given, but this takes one", spec.inputs.size()),
                "--problem",
                "all parameters of one input in one: --problem n=1000,steps=4; several are for "
                "tune --kernel");
  spec.wait = true;
  const auto alone = platform.reserve(spec, print_note);
  PreparedStudy study = prepare(std::move(spec), platform);
  Bench bench{study, options};
  std::vector<Competitor>& all = bench.all;
  bench.add_tuned();
  const bool own_only = !options.trials.empty() || !options.changes.empty();
  for (const Backend& other : study.kernel.backends)
    if (auto best = own_only ? std::nullopt : bench.best_elsewhere(other))
      all.push_back(std::move(*best));
  const Peers peers = read_peers(study.kernel);
  const Texts& wanted = options.peers;
  require_peers(wanted, peers, study.kernel.name);
  for (const Peer& file : peers) {
    // Peers for another kind of machine are shown only on demand.
    if (wanted.empty() ? !own_only && file.on_card == study.machine.is_gpu()
                       : contains(wanted, file.name))
      all.push_back(bench.peer(file));
  }
  bench.try_out();
  if (!all.front().absent_because.empty())
    throw Error("the best configuration does not run: " + all.front().absent_because);
  const auto fared = study.on_gpu() ? platform.watch_card(study.spec.card) : nullptr;
  while (!bench.raced()) continue;
  if (const auto card = fared ? fared().card : std::nullopt) print_notes(*card);
  if (!is_stdout(options.json)) bench.print();
  write_output(options.json, json_text(bench.json(), 2) + "\n");
  return 0;
}

}  // namespace rooftune::cli

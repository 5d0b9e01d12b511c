#include "run/command_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/file.h"
#include "core/list.h"
#include "core/rng.h"
#include "core/seconds_since.h"
#include "core/units.h"
#include "run/launch_settings.h"
#include "run/sampler.h"
#include "trial/statistics.h"

namespace rooftune::run {
namespace {

/// Limits on a run's time [s]: the first; factors on the fastest time and on its own; the least.
constexpr double first_limit = 600, slower_than_fastest = 4, slower_than_before = 10, least = 2;
constexpr auto check_limit = std::chrono::minutes(10);
constexpr double trial_seconds = 0.25;
constexpr int min_samples = 5, max_samples = 101;
constexpr double clearly_slower = 2;  // than the best: a run is not repeated

class ProgramEvaluator final : public CommandEvaluator {
 public:
  ProgramEvaluator(const Study& study, fs::path scratch)
      : program_(*study.kernel.program),
        problem_(study.parameters),
        builds_(program_, study.builders, scratch),
        command_(CommandTemplate::parse(program_.command, "--command")),
        check_command_(
            CommandTemplate::parse(after(program_.check, "command:").value_or(""), "--check")),
        templates_(program_.templates),
        scratch_(std::move(scratch)),
        metric_(program_, metric_amount(study.kernel, problem_)),
        figures_(program_),
        output_check_(program_) {
    for (const auto& [name, text] : program_.environment)
      environment_.emplace(name, CommandTemplate::word(text, "--env " + name));
    // A build may make the program later.
    const std::string file = command_.fixed_word(0);
    if (builds_.command().empty() && !file.empty() && !find_program(file))
      throw Unavailable(fmt::format("there is no program \"{}\"", file), "--command",
                        !contains(file, '/') ? "write ./" + file + " for a file in this folder"
                                             : "name a file that can be executed");
  }
  void use(const SearchSpace& space) override {
    space_ = space;
    const auto check = [&](const CommandTemplate& text) {
      for (const std::string& name : text.names()) require_known(name, text.option());
    };
    check(builds_.command());
    check(command_);
    check(check_command_);
    for (const auto& [name, text] : environment_) check(text);
    for (const CommandTemplate* text : templates_.texts()) check(*text);
    for (const Knob& knob : space.knobs()) require_used(knob);
  }
  void build(const Configurations& configurations) override {
    std::vector<Lookup> wanted;
    for (const Configuration& one : configurations) wanted.push_back(lookup(one));
    builds_.build(wanted);
  }
  /// Throws Error where the baseline ends well without a readable figure: no other configuration
  /// will do better then.
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override {
    Trial trial;
    trial.configuration = configuration;
    trial.started = utc_now();
    make_run_folder();
    const ProgramBuild build = builds_.take(lookup(configuration));
    trial.cost = build.cost;
    const auto begin = SteadyClock::now();
    trial.detail = build.error;
    trial.outcome = build.error.empty() ? Outcome::ok : Outcome::build_failed;
    if (build.error.empty()) measure(configuration, build, incumbent, trial);
    trial.cost.total += seconds_since(begin);
    return trial;
  }
  Rounds race(const Configurations& configurations, const RacePlan& how,
              const Between& between = {}) override {
    build(configurations);
    make_run_folder();
    Rounds result;
    std::vector<ProgramBuild> builds;
    for (const Configuration& configuration : configurations) {
      builds.push_back(builds_.take(lookup(configuration)));
      if (const std::string& error = builds.back().error; !error.empty())
        result.fault = configuration.key() + ": build_failed: " + error;
    }
    int retries = program_.retries * int(configurations.size());
    // Only the last round is checked: a race that ends early gets one more.
    bool over = false;
    for (int round = 0; round < how.rounds && result.fault.empty(); ++round) {
      const bool last = over || round + 1 == how.rounds;
      this->round(configurations, builds, Rng(how.seed, round), last, retries, result);
      if (!result.fault.empty()) break;
      if (between) over = between(result).over;
      if (last) break;
    }
    if (!result.refuted.empty()) result.seconds.clear();
    return result;
  }
  PlannedCommand plan(const Configuration& configuration) const override {
    PlannedCommand plan;
    const fs::path folder = fmt::format("{{{}}}", build_folder_name);
    Command run = command(command_, configuration, folder);
    plan.build = builds_.words(lookup(configuration), folder);
    plan.run = std::move(run.argv);
    plan.environment = std::move(run.environment);
    plan.in_copy = builds_.copies();
    plan.files = templates_.filled(lookup(configuration, folder));
    if (!check_command_.empty()) plan.check = command(check_command_, configuration, folder).argv;
    return plan;
  }

 private:
  using Lookup = CommandTemplate::Lookup;

  /// One run and its output.
  struct Run {
    Outcome outcome = Outcome::ok;
    std::string detail;  ///< why not ok
    Numbers seconds;     ///< the metric's
    Printed printed;
    double wall = 0;             ///< [s]
    Figures figures;             ///< the further ones
    std::optional<Waits> waits;  ///< where the metric is a time: all may have been in it
    Sample sample(double time) const {
      Sample sample{time, 1, 0};
      if (waits) count_waits(sample, {time}, *waits);
      return sample;
    }
    bool ok() const { return outcome == Outcome::ok; }
    void fail(Outcome how, std::string why) {
      outcome = how;
      detail = std::move(why);
    }
  };
  Texts value(const Configuration& configuration, const std::string& name) const {
    const Knob* const knob = space_->knob(name);
    if (!knob) return {to_text(problem_.at(name))};
    const Value& chosen = configuration.at(name);
    if (knob->kind != Knob::Kind::flag) return {to_text(chosen)};
    return knob->flags.at(knob->index_of(chosen));
  }
  /// `folder`: the build's.
  Lookup lookup(const Configuration& configuration, const fs::path& folder = {}) const {
    return [this, configuration, folder](const std::string& name) {
      return name == build_folder_name ? std::vector{folder.string()} : value(configuration, name);
    };
  }
  Command command(const CommandTemplate& words, const Configuration& configuration,
                  const fs::path& folder) const {
    const Lookup filled = lookup(configuration, folder);
    Command result;
    result.argv = words.filled(filled);
    result.directory = builds_.copies() ? folder : run_folder_.path();
    if (std::string& file = result.argv.front(); contains(file, '/'))
      file = (result.directory / file).string();
    result.environment = program_variables(*space_, configuration);
    // --env outranks the knobs.
    for (const auto& [name, text] : environment_) result.environment[name] = text.text(filled);
    result.kept_output = 1 << 20;
    result.keeps_end = true;
    return result;
  }
  /// Makes the folder for runs that write input files, unless the copy for a build serves.
  void make_run_folder() {
    if (!templates_.empty() && !builds_.copies() && run_folder_.path().empty())
      run_folder_ = folder_of_runs(scratch_, program_.left_out);
  }
  /// In the folder as it was built.
  Run run_once(const Configuration& configuration, const ProgramBuild& build, double limit) const {
    Command command = this->command(command_, configuration, build.folder);
    command.limit = std::chrono::milliseconds(int64_t(std::ceil(limit * 1e3)));
    command.is_measured = true;
    Run result;
    build.prepared.put_back();
    run_folder_.put_back();
    templates_.write(lookup(configuration, build.folder), command.directory);
    try {
      const Finished finished = execute(command);
      result.wall = finished.seconds;
      if (metric_.is_time()) result.waits = finished.waits;
      if (!finished.status.timed_out) {
        read(finished, result);
        return result;
      }
      result.fail(Outcome::timed_out, "killed after " + to_text(Seconds(limit)));
      if (fastest_)
        result.detail += fmt::format(" (the best needs {})", to_text(Seconds(fastest_->second)));
    } catch (const NoRoomForChild&) {
      throw;
    } catch (const Error& error) {
      // Before the first success the command is at fault, not the configuration.
      if (!fastest_ && configuration == space_->baseline()) throw;
      result.fail(Outcome::crashed, error.message());
    }
    return result;
  }
  /// The same, again while it fails and `retries` are left: a scheduler, a network or a file system
  /// may have failed and not the program.
  Run run(const Configuration& configuration, const ProgramBuild& build, double limit,
          int& retries) const {
    Run result;
    do result = run_once(configuration, build, limit);
    while (result.outcome == Outcome::crashed && retries-- > 0);
    return result;
  }
  void read(const Finished& finished, Run& run) const {
    if (!finished.status.ok())
      return run.fail(Outcome::crashed, with_last_line(finished.status.text(), finished.output));
    run.printed = printed(finished.output, [&](const std::string& line) {
      return metric_.stands_in(line) || figures_.stand_in(line);
    });
    Metric::Reading reading;
    try {
      run.figures = figures_.read(finished.output, finished.seconds);
      reading = metric_.read(finished.output, finished.seconds, run.figures);
    } catch (const Error& absent) {
      reading.fault = absent.message();
    }
    if (!reading.fault.empty())
      run.fail(Outcome::wrong_result, reading.fault + "; " + last_lines(finished.output));
    else if (const std::string fault = output_check_.fault(finished.output, run.figures);
             !fault.empty())
      run.fail(Outcome::wrong_result, with_last_line(fault, finished.output));
    run.seconds = std::move(reading.seconds);
  }
  /// Runs the command for checking a result, and may make it a wrong one.
  void check(const Configuration& configuration, const ProgramBuild& build, Run& run) const {
    if (check_command_.empty()) return;
    Command check = command(check_command_, configuration, build.folder);
    check.limit = check_limit;
    const Finished finished = execute(check);
    if (!finished.status.ok())
      run.fail(Outcome::wrong_result,
               with_last_line("the check ended with " + finished.status.text(), finished.output));
  }
  /// Holds its output against the baseline's, and may make it a wrong one.
  void compare(const Configuration& configuration, Run& run) {
    if (configuration == space_->baseline()) return printed_.learn(run.printed);
    if (printed_.runs() == 0) learn_baseline();
    run.detail = printed_.fault(run.printed, program_.check.empty(), *space_, configuration);
    if (!run.detail.empty()) run.outcome = Outcome::wrong_result;
  }
  /// Runs the baseline twice, where it was not measured here.
  void learn_baseline() {
    const ProgramBuild build = builds_.take(lookup(space_->baseline()));
    for (int i = 0; i < 2 && build.error.empty(); ++i) {
      const Run one = run_once(space_->baseline(), build, limit({}, slower_than_fastest));
      if (one.ok()) printed_.learn(one.printed);
    }
  }
  /// The limit for a run [s]: `slower` times a known time, within the bounds for every run.
  double limit(std::optional<double> known, double slower) const {
    const double most = program_.run_limit.seconds > 0 ? program_.run_limit.seconds : first_limit;
    return known ? std::min(most, std::max(least, slower * *known)) : most;
  }
  void measure(const Configuration& configuration, const ProgramBuild& build,
               std::optional<double> incumbent, Trial& trial) {
    const Timing timing{0, trial_seconds, min_samples, max_samples, incumbent};
    const double started = raw_clock();
    SampleList samples;
    std::vector<Figures> figures;
    double wall = 0;
    const auto settled = [&] {
      const double fastest = std::ranges::min(samples, {}, &Sample::seconds).seconds;
      return (incumbent && fastest > clearly_slower * *incumbent) ||
             are_enough(samples, timing, raw_clock() - started);
    };
    int retries = program_.retries;
    for (bool first = true; first || samples.empty() || !settled(); first = false) {
      const auto guess = metric_.is_wall() ? incumbent : std::nullopt;
      const double most = limit(fastest_ ? fastest_->second : guess, slower_than_fastest);
      Run one = run(configuration, build, most, retries);
      if (one.ok() && first) check(configuration, build, one);
      if (one.ok() && (first || configuration == space_->baseline())) compare(configuration, one);
      // A short first run loads its files and tells nothing about the others.
      const bool warms_up = first && one.wall < trial_seconds;
      (warms_up ? trial.cost.validate : trial.cost.time) += one.wall;
      if (!one.ok()) {
        trial.outcome = one.outcome;
        trial.detail = std::move(one.detail);
        if (!fastest_ && one.seconds.empty() && one.outcome == Outcome::wrong_result &&
            configuration == space_->baseline())
          throw Error("the baseline ended well, but " + trial.detail, "--metric",
                      "--dry-run shows what is run: run it by hand and look what it prints");
        return;
      }
      wall = std::max(wall, one.wall);
      if (warms_up) continue;
      for (const double seconds : one.seconds) samples.push_back(one.sample(seconds));
      figures.push_back(std::move(one.figures));
    }
    conclude(std::move(samples), figures, wall, trial);
  }
  void conclude(SampleList samples, const std::vector<Figures>& figures, double wall,
                Trial& trial) {
    walls_[trial.configuration.key()] = wall;
    const auto [low, high] = std::ranges::minmax(members(samples, &Sample::seconds));
    if (samples.size() > 2 && low == high) {
      constant_[trial.configuration.key()] = low;
      for (Sample& sample : samples) sample = Sample{low};
    }
    Measurement measurement;
    measurement.figures = figures_.medians(figures);
    measurement.samples = std::move(samples);
    summarise(measurement);
    if (is_irreproducible(measurement.samples, min_samples)) {
      trial.outcome = Outcome::unstable;
      trial.detail = fmt::format("the three fastest of {} runs differ by more than three times",
                                 measurement.samples.size());
    } else if (!fastest_ || measurement.seconds.value < fastest_->first) {
      fastest_ = {measurement.seconds.value, wall};
    }
    trial.measurement = std::move(measurement);
  }
  /// Adds a round in a new order; `last`: each run is checked. Failures are named without it.
  void round(const Configurations& configurations, const std::vector<ProgramBuild>& builds, Rng rng,
             bool last, int& retries, Rounds& result) const {
    Numbers seconds(configurations.size());
    Disturbed disturbed;
    for (const size_t i : shuffled(configurations.size(), rng)) {
      const double most = limit(copy_at(walls_, configurations[i].key()), slower_than_before);
      Run one;
      Sample sample;
      const double begin = raw_clock();
      do {
        one = run(configurations[i], builds[i], most, retries);
        if (one.ok()) sample = one.sample(quantile(one.seconds, 0.5));
        if (copy_at(constant_, configurations[i].key()) == sample.seconds)
          sample = Sample{sample.seconds};
      } while (one.ok() && !sample.clean() && raw_clock() - begin < retaking);
      if (last && one.ok()) check(configurations[i], builds[i], one);
      if (!one.ok()) {
        result.fault =
            fmt::format("{}: {}: {}", configurations[i].key(), to_text(one.outcome), one.detail);
        if (one.outcome == Outcome::wrong_result)
          result.refuted.push_back({configurations[i], "in a race: " + one.detail});
        return;
      }
      seconds[i] = sample.seconds;
      if (!sample.clean()) disturbed.push_back({result.seconds.size(), i, sample.lost});
    }
    append(result.disturbed, disturbed);
    result.seconds.push_back(std::move(seconds));
  }
  void require_known(const std::string& name, const std::string& option) const {
    if (space_->knob(name) || problem_.contains(name)) return;
    if (name == build_folder_name && !builds_.command().empty()) return;
    Texts names{build_folder_name};
    append(names, members(space_->knobs(), &Knob::name));
    append(names, keys_of(problem_));
    throw unknown_placeholder(name, option, names);
  }
  void require_used(const Knob& knob) const {
    const bool variable = knob.kind == Knob::Kind::environment || knob.kind == Knob::Kind::openmp;
    if (variable || command_.has(knob.name) || builds_.command().has(knob.name) ||
        templates_.has(knob.name) || knob.values.size() == 1)
      return;
    for (const auto& [name, text] : environment_)
      if (text.has(knob.name)) return;
    throw no_placeholder(knob.name);
  }

  Program program_;
  Facts problem_;
  ProgramBuilds builds_;
  CommandTemplate command_, check_command_;
  InputTemplates templates_;
  fs::path scratch_;
  PreparedFolder run_folder_;
  ByName<CommandTemplate> environment_;
  Metric metric_;
  ProgramFigures figures_;
  OutputCheck output_check_;
  PrintedOutput printed_;  ///< the baseline's
  std::optional<SearchSpace> space_;
  /// The fastest configuration so far: its metric and a run's wall time [s].
  std::optional<std::pair<double, double>> fastest_;
  NamedNumbers walls_;  ///< a measured run's, by key [s]
  NamedNumbers
      constant_;  ///< figures the same in all runs of a trial, by key [s]: no waits in them
};

}  // namespace

std::unique_ptr<CommandEvaluator> command_evaluator(const Study& study, fs::path scratch) {
  return std::make_unique<ProgramEvaluator>(study, std::move(scratch));
}

}  // namespace rooftune::run

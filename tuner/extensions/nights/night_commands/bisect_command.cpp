// tune sweep bisect SERIES: the commit that made an accepted configuration slower.
#include "night_commands/bisect_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/list.h"
#include "core/split.h"
#include "core/text.h"
#include "host/host_platform.h"
#include "os/interruption.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"
#include "report/figures.h"
#include "sweep/schedule.h"

namespace rooftune::night_commands {
namespace {

/// git's output without the last newline. Throws Error with git's words.
std::string git(const fs::path& folder, Texts words) {
  Command command;
  command.argv = {"git", "-C", folder.string()};
  append(command.argv, words);
  command.kept_output = size_t{1} << 24;
  Finished finished = execute(command);
  while (finished.output.ends_with('\n')) finished.output.pop_back();
  if (!finished.status.ok())
    throw Error("git: " + excerpt(finished.output, 300), folder,
                "the kernel's repository must hold both revisions: git fetch --unshallow");
  return finished.output;
}

/// A separate checkout beside the user's, which is removed with this object.
class Worktree {
 public:
  explicit Worktree(const fs::path& repository) : repository_(repository) {
    git(repository_, {"worktree", "add", "--quiet", "--detach", place().string(), "HEAD"});
  }
  ~Worktree() {
    try {
      git(repository_, {"worktree", "remove", "--force", place().string()});
    } catch (const std::exception&) {
      // `git worktree prune` forgets it once its folder is gone.
    }
  }
  void take(const std::string& commit) const {
    git(place(), {"checkout", "--quiet", "--force", "--detach", commit});
  }
  fs::path place() const { return folder_.path() / "tree"; }

 private:
  fs::path repository_;
  TemporaryDirectory folder_;
};

std::string commit_of(const fs::path& repository, const std::string& revision) {
  try {
    return git(repository,
               {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  } catch (const Error&) {
    throw Error("\"" + excerpt(revision) + "\" is no revision of the kernel's repository",
                repository, "git log shows them; git fetch --unshallow brings older ones");
  }
}

/// The baseline whose key begins with the word. Throws Error unless there is exactly one.
Baseline baseline_of(const fs::path& results, const std::string& series) {
  Texts faults;
  Baselines all = read_baselines(results, faults);
  const Texts keys = members(all, &Baseline::key);
  std::erase_if(all, [&](const Baseline& one) { return !one.key.starts_with(series); });
  if (all.size() == 1) return std::move(all.front());
  throw Error(
      fmt::format("{} baselines begin with \"{}\"", all.size(), excerpt(series)),
      baseline_folder(results),
      keys.empty() ? "the first night of tune sweep accepts one" : "there are: " + joined(keys));
}

/// The threshold from the latest night that judged the series; the usual one without such a night.
double threshold_of(const fs::path& results, const std::string& key) {
  for (const fs::path& plan : folders_in(results / "sweeps")) {
    const auto runs = folders_in(plan);
    for (auto run = runs.rbegin(); run != runs.rend(); ++run)
      for (const fs::path& file : outcome_files(*run))
        if (const auto outcome = outcome_of(file.stem(), *run);
            outcome && outcome->verdict && outcome->verdict->key == key)
          return outcome->verdict->threshold;
  }
  return usual_threshold;
}

enum class Commit { unknown, slower, as_before, skipped };

/// The commits after the accepted revision, oldest first, and what is known about each.
class Bisection {
 public:
  Bisection(const Baseline& baseline, const std::string& bad, double threshold)
      : baseline_(baseline),
        threshold_(threshold),
        kernel_(fs::canonical(baseline.setup.kernel_folder)) {
    const std::string revision = text_before(baseline.setup.revision, ' ');
    if (revision.empty())
      throw Error("the baseline holds no revision", baseline.key,
                  "keep the kernel in a git repository, and accept a baseline there");
    repository_ = git(kernel_, {"rev-parse", "--show-toplevel"});
    const std::string good = commit_of(repository_, revision);
    commits_ = split(git(repository_, {"rev-list", "--reverse", "--ancestry-path",
                                       good + ".." + commit_of(repository_, bad)}));
    std::erase(commits_, "");
    if (commits_.empty())
      throw Error(fmt::format("no commits lead from {} to {}", revision, bad), repository_,
                  "--bad names a revision after the accepted one");
    known_.resize(commits_.size(), Commit::unknown);
  }

  /// Whether the slow commit is found.
  bool run() {
    const Worktree tree(repository_);
    size_t good = 0, bad = commits_.size();  // the first `good` commits are as before, or skipped
    if (test(tree, bad - 1) != Commit::slower) {
      fmt::print("{} is not slower than the kept build: nothing to find\n", name(bad - 1));
      return false;
    }
    for (--bad; auto next = between(good, bad);) {
      const Commit now = test(tree, *next);
      if (now == Commit::slower) bad = *next;
      if (now == Commit::as_before) good = *next + 1;
    }
    print(good, bad);
    return true;
  }

 private:
  /// The unknown commit nearest to the middle.
  std::optional<size_t> between(size_t good, size_t bad) const {
    const auto middle = ptrdiff_t(good + bad) / 2;
    std::optional<size_t> nearest;
    const auto distance = [&](size_t i) { return std::abs(ptrdiff_t(i) - middle); };
    for (size_t i = good; i < bad; ++i)
      if (known_[i] == Commit::unknown && (!nearest || distance(i) < distance(*nearest)))
        nearest = i;
    return nearest;
  }

  std::string name(size_t i) const {
    return git(repository_, {"log", "-1", "--format=%h %s", commits_[i]});
  }

  Commit test(const Worktree& tree, size_t i) {
    throw_if_interrupted();
    tree.take(commits_[i]);
    std::string said;
    try {
      known_[i] = race(tree.place() / fs::relative(kernel_, fs::canonical(repository_)), said);
    } catch (const Error& error) {
      known_[i] = Commit::skipped;
      said = std::string("skipped: ") + error.what();
    }
    fmt::print("{}: {}\n", name(i), text_before(said, '\n'));
    std::fflush(stdout);
    return known_[i];
  }

  Commit race(const fs::path& kernel, std::string& said) const {
    StudyRecord record;
    record.header = baseline_.header;
    record.setup = baseline_.setup;
    StudySpec spec = spec_of(record);
    spec.kernel = kernel.string();
    spec.wait = true;
    HostPlatform platform;
    PreparedStudy study = prepare(spec, platform);
    if (changed_parts(baseline_.header.explanation, study.header.explanation).empty()) {
      said = "the sources and tools of the kept build";
      return Commit::as_before;
    }
    const Configuration& accepted = baseline_.configuration;
    const SearchSpace& space = *study.first().space;
    if (!space.allowed(accepted))
      throw Error("its space does not allow the accepted configuration: " +
                  space.why_not(accepted));
    ArtefactCache cache = host_runner(*study.first().runner).cache();
    const Artefact built = cache.variant(study.kernel, study.backend, space, accepted);
    if (!built.error.empty()) throw Error("it does not build: " + built.error);
    const Rematch rounds = rematch(baseline_, study, accepted, threshold_);
    if (!rounds.fault.empty()) throw Error(rounds.fault);
    if (!rounds.rebuilt) throw Error("the accepted configuration does not run there");
    said = fmt::format("takes {} of the time of the kept build", ratio_interval(*rounds.rebuilt));
    const Against against = compared(*rounds.rebuilt, threshold_);
    if (against == Against::unknown)
      throw Error(fmt::format("not decided in {} rounds", rounds.rounds));
    return against == Against::slower ? Commit::slower : Commit::as_before;
  }

  void print(size_t good, size_t bad) const {
    fmt::print("the first slower commit is {}\n{}\n", name(bad),
               git(repository_, {"show", "--stat=100", "--format=  by %an, %as", commits_[bad]}));
    for (size_t i = good; i < bad; ++i) fmt::print("or it is {}, which was skipped\n", name(i));
  }

  const Baseline& baseline_;
  double threshold_;
  fs::path kernel_, repository_;
  Texts commits_;
  std::vector<Commit> known_;
};

}  // namespace

int bisect_command(const BisectOptions& options) {
  watch_interrupts();
  const fs::path results = fs::absolute(results_directory(options.results));
  const Baseline baseline = baseline_of(results, options.series);
  const bool found = Bisection(baseline, options.bad, threshold_of(results, baseline.key)).run();
  return int(found ? ExitCode::ok : ExitCode::failure);
}

}  // namespace rooftune::night_commands

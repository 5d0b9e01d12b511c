// One search on several nodes: in the time of a clock that is only counted.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <deque>
#include <map>

#include "study_run.h"

using namespace rooftune;
using namespace rooftune::synthetic;

namespace {

constexpr double trial_seconds = 1;

/// 40 x 40 places; the best is (7, 3), as on the grid.
SearchSpace field() {
  std::vector<Knob> knobs(2);
  for (std::size_t k = 0; k < 2; ++k) {
    knobs[k].name = k == 0 ? "x" : "y";
    for (int v = 0; v < 40; ++v) knobs[k].values.emplace_back(v);
    knobs[k].fallback = Value(0);
    knobs[k].breaks = {Paradigm::ilp};
  }
  return SearchSpace("field", knobs, {}, {});
}

/// Each of its trials takes a second of this clock.
class Timed : public SyntheticEvaluator {
 public:
  explicit Timed(double& now) : SyntheticEvaluator(valley), now_(now) {
    cost = {0, 0.5, 0.5, trial_seconds, 0};
  }
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override {
    now_ += trial_seconds;
    return SyntheticEvaluator::evaluate(configuration, incumbent);
  }

 private:
  double& now_;
};

/// Nodes on the same clock.
class TimedNodes : public OtherNodes {
 public:
  TimedNodes(double& now, const std::vector<std::string>& names) : now_(now) {
    for (const std::string& name : names)
      nodes_[name].push_back({grid().baseline(), trial_seconds});
  }
  void slow_start(const std::string& node, double seconds) {
    nodes_.at(node).front().end = seconds;
  }
  /// The factor of a node's times; 1 where it has none.
  std::map<std::string, double> slower;
  /// When a node dies [s], with what it has in hand.
  std::map<std::string, double> dies;
  /// Whether a configuration ends its node.
  std::function<bool(const Configuration&)> deadly = [](const Configuration&) { return false; };
  std::function<void()> before_report = [] {};
  std::size_t given = 0;

  std::string own_node() const override { return "n1"; }
  std::vector<std::string> names() const override { return {"n2", "n3"}; }
  std::optional<NodeReport> next(bool wait) override {
    for (;;) {
      std::string first;
      double earliest = HUGE_VAL;
      for (const auto& [name, queue] : nodes_) {
        const double end = std::min(dies.contains(name) ? dies[name] : HUGE_VAL,
                                    queue.empty() ? HUGE_VAL : queue.front().end);
        if (end < earliest) first = name, earliest = end;
      }
      if (earliest == HUGE_VAL || (!wait && earliest > now_)) return std::nullopt;
      now_ = std::max(now_, earliest);
      before_report();
      return report(first);
    }
  }
  void give(const std::string& node, const Configurations& configurations,
            std::optional<double>) override {
    given += configurations.size();
    std::deque<Job>& queue = nodes_.at(node);
    for (const Configuration& one : configurations) {
      const double begin = queue.empty() ? now_ : std::max(now_, queue.back().end);
      queue.push_back({one, begin + trial_seconds});
    }
  }

 private:
  struct Job {
    Configuration configuration;
    double end;
  };
  NodeReport report(const std::string& name) {
    std::deque<Job>& queue = nodes_[name];
    const bool dead = dies.contains(name) && now_ >= dies[name];
    if (dead || deadly(queue.front().configuration)) {
      nodes_.erase(name);
      return {name, {}, {}, "killed by SIGKILL"};
    }
    const Job job = queue.front();
    queue.pop_front();
    const double factor = slower.contains(name) ? slower[name] : 1;
    SyntheticEvaluator evaluator([&](const Configuration& c) { return factor * valley(c); });
    evaluator.cost = {0, 0.5, 0.5, trial_seconds, 0};
    return {name, evaluator.evaluate(job.configuration, {}), Environment{"quiet", {}, {}}};
  }

  double& now_;
  std::map<std::string, std::deque<Job>> nodes_;
};

struct Team {
  double now = 0;
  Timed evaluator{now};
  TimedNodes nodes{now, {"n2", "n3"}};
  std::vector<std::string> said;
  SearchOptions options;

  Run run(bool alone = false, StudyRecord record = {}) {
    options.nodes = alone ? nullptr : &nodes;
    options.staircase = false;
    options.say = [this](const std::string& text) { said.push_back(text); };
    std::optional<Schedule> schedule;
    if (options.budget.time) schedule.emplace(*options.budget.time, [this] { return now; });
    return run_search(evaluator, 1e-6, options, default_strategy, std::move(record), field(),
                      std::move(schedule));
  }
  bool has_said(const std::string& words) const {
    return std::ranges::any_of(
        said, [&](const std::string& one) { return one.find(words) != std::string::npos; });
  }
};

std::map<std::string, std::size_t> by_node(const History& history) {
  std::map<std::string, std::size_t> counts;
  for (const Trial& trial : history.trials()) ++counts[trial.node];
  return counts;
}

bool all_differ(const History& history) {
  std::vector<std::string> keys = order(history);
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) == keys.end();
}

}  // namespace

TEST_CASE("three nodes try in a minute at least 2.5 times what one tries, and find the same") {
  Team one, three;
  for (Team* team : {&one, &three}) team->options.budget = {.time = Seconds(60)};
  const Run alone = one.run(true), together = three.run();
  CHECK(double(together.history().size()) >= 2.5 * double(alone.history().size()));
  CHECK(all_differ(together.history()));
  REQUIRE(together.record.race);
  CHECK(together.history().best()->configuration == alone.history().best()->configuration);
  CHECK(together.record.unfinished().empty());
  REQUIRE(together.record.nodes.size() == 2);
  for (const StudyNode& node : together.record.nodes) {
    CHECK(node.part == StudyNode::Part::tries);
    CHECK(node.baseline->value == Approx(valley(field().baseline())));
  }
  const auto counts = by_node(together.history());
  for (const char* name : {"", "n2", "n3"}) CHECK(counts.at(name) >= alone.history().size() / 2);
}

TEST_CASE("a number of evaluations is kept on several nodes") {
  for (const std::uint64_t most : {1, 2, 5, 30}) {
    Team team;
    team.options.budget = {.evaluations = most};
    const Run run = team.run();
    CHECK(run.history().size() == most);
    CHECK(run.end.reason == StopReason::budget);
    CHECK(all_differ(run.history()));
  }
}

TEST_CASE("a space is exhausted by all together, each configuration once, also when one is lost") {
  Team team;
  team.nodes.dies = {{"n3", 5.5}};
  team.options.nodes = &team.nodes;
  const Run run = run_search(team.evaluator, 1e-9, team.options);
  CHECK(run.end.reason == StopReason::exhausted);
  std::size_t searched = 0;
  for (const Trial& trial : run.history().trials()) searched += trial.because.empty() ? 1 : 0;
  CHECK(searched == 100);
  CHECK(all_differ(run.history()));
  CHECK(by_node(run.history()).size() == 3);
}

TEST_CASE("what a lost node had in hand is tried by others") {
  Team team;
  team.options.budget = {.evaluations = 40};
  team.nodes.dies = {{"n3", 5.5}};
  const Run run = team.run();
  CHECK(run.history().size() == 40);
  CHECK(team.has_said("node n3 is lost, and others try what it had in hand: killed by SIGKILL"));
  CHECK(run.record.unfinished().empty());
  CHECK(std::ranges::count(run.events, "node") == 3);
  std::size_t lost = 0;
  for (const std::string& event : run.events)
    if (event.starts_with("given up ")) {
      ++lost;
      const std::string configuration = event.substr(std::string("given up ").size());
      CHECK(std::ranges::count(run.events, "trial " + configuration) == 1);
    }
  CHECK(lost >= 1);
  CHECK(run.record.nodes.back().node == "n3");
  CHECK(run.record.nodes.back().part == StudyNode::Part::lost);
}

TEST_CASE("a configuration that ends two nodes is not tried on a third") {
  Team team;
  team.options.budget = {.evaluations = 60};
  std::string first;
  team.nodes.deadly = [&](const Configuration& one) {
    if (one == grid().baseline()) return false;
    if (first.empty()) first = one.key();
    return one.key() == first;
  };
  const Run run = team.run();
  CHECK(run.history().size() == 60);
  const auto& trials = run.history().trials();
  const auto killer = std::ranges::find_if(
      trials, [&](const Trial& trial) { return trial.configuration.key() == first; });
  REQUIRE(killer != trials.end());
  CHECK(killer->outcome == Outcome::crashed);
  CHECK(killer->detail.find("two nodes were lost") == 0);
  CHECK(std::ranges::count(members(team.evaluator.evaluated, &Configuration::key), first) == 0);
  CHECK(run.record.unfinished().empty());
}

TEST_CASE("a node whose baseline differs, fails or never comes is left out in a sentence") {
  Team team;
  team.options.budget = {.evaluations = 20};
  team.nodes.slower = {{"n2", 1.3}};
  team.nodes.dies = {{"n3", 0.5}};
  const Run run = team.run();
  CHECK(team.has_said("node n2 is left out: the baseline takes 76.7 ms there and 59.0 ms here"));
  CHECK(team.has_said("node n3 is left out: killed by SIGKILL"));
  CHECK(team.nodes.given == 0);
  CHECK(by_node(run.history()) == std::map<std::string, std::size_t>{{"", 20}});
  Trial wrong;
  wrong.outcome = Outcome::wrong_result;
  wrong.detail = "element 3";
  CHECK(why_not_equal(wrong, run.history().trials().front()) ==
        "the baseline, which runs here, is wrong_result there: element 3");
}

TEST_CASE("a node that is not ready before the end is named") {
  Team team;
  team.options.budget = {.evaluations = 5};
  team.nodes.slow_start("n3", 100);
  const Run run = team.run();
  CHECK(run.history().size() == 5);
  CHECK(team.has_said("node n3 is left out: it was not ready when the search ended"));
  CHECK_FALSE(team.has_said("node n2 is left out"));
}

TEST_CASE("an end by the user gives up what other nodes have in hand, and the study goes on") {
  Team team;
  team.options.budget = {.evaluations = 40};
  team.options.interrupted = [&] { return team.now > 8; };
  Run run = team.run();
  CHECK(run.end.reason == StopReason::interrupted);
  CHECK(run.record.unfinished().empty());
  const std::size_t before = run.history().size();
  CHECK(before < 40);
  Team later;
  later.options.budget = {.evaluations = 40};
  const Run rest = later.run(true, run.record);
  CHECK(rest.history().size() == 40);
  CHECK(all_differ(rest.history()));
  // Lost while the study waits for it alone.
  Team waiting;
  waiting.options.budget = {.evaluations = 3};
  waiting.nodes.before_report = [&] {
    if (waiting.nodes.given > 0) throw Interrupted{};
  };
  CHECK(waiting.run().end.reason == StopReason::interrupted);
}

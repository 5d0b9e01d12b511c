#include "trial/ablation.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "support/synthetic_study.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

/// Times from a formula, with a drift that all of a round share and a little noise of their own.
class Formula : public Evaluator {
 public:
  using Time = std::function<double(const Configuration&)>;
  explicit Formula(Time time) : time_(std::move(time)) {}
  std::function<Outcome(const Configuration&)> outcome = [](const Configuration&) {
    return Outcome::ok;
  };
  int evaluated = 0, races = 0;

  Trial evaluate(const Configuration& configuration, std::optional<double>) override {
    ++evaluated;
    const Outcome how = outcome(configuration);
    return how == Outcome::ok ? timed(configuration, time_(configuration))
                              : failed(configuration, how);
  }
  Rounds race(const std::vector<Configuration>& configurations, int rounds, std::uint64_t seed,
              const Between&) override {
    ++races;
    Rounds result;
    for (const auto& configuration : configurations)
      if (outcome(configuration) != Outcome::ok) {
        result.fault = configuration.key() + ": failed";
        return result;
      }
    Rng rng(seed, 0);
    for (int r = 0; r < rounds; ++r) {
      const double drift = 1 + rng.unit();
      std::vector<double> seconds;
      for (const auto& configuration : configurations)
        seconds.push_back(time_(configuration) * drift * (1 + 0.01 * rng.unit()));
      result.seconds.push_back(seconds);
    }
    return result;
  }

 private:
  Time time_;
};

SearchSpace formats() {
  return space_with(
      "formats",
      {knob("format", {"csr", "bcsr"}, "csr"), knob("rows", {1, 2, 4}, 1, "format == 'bcsr'"),
       knob("prefetch", {0, 8}, 0), knob("wide", {1, 2, 4, 8}, 1)},
      {"prefetch == 0 or wide > 1"});
}

Configuration best() {
  Configuration c = formats().baseline();
  c.set("format", "bcsr");
  c.set("rows", 4);
  c.set("prefetch", 8);
  c.set("wide", 8);
  return c;
}

History tried(const SearchSpace& space, const Formula::Time& time) {
  History history;
  for (const Configuration& c : {space.baseline(), best()}) {
    Trial trial = timed(c, time(c));
    trial.index = history.size();
    history.append(trial);
  }
  return history;
}

double product(const Configuration& c) {
  return 1e-3 * (c.at("format") == Value("csr") ? 3 : 1) * (c.at("rows") == Value(1) ? 2 : 1) *
         (c.at("prefetch") == Value(0) ? 1.5 : 1) * 8 / c.at("wide").real();
}

const SetBack& named(const Ablation& ablation, const std::string& knob) {
  for (const SetBack& back : ablation.knobs)
    if (back.knob == knob) return back;
  throw std::runtime_error("no set-back of " + knob);
}

const Estimate* factor(const Ablation& ablation, const KnobEffects& all, const std::string& knob) {
  for (const KnobEffect& effect : all.single)
    if (ablation.knobs[effect.index].knob == knob) return &effect.factor;
  return nullptr;
}

}  // namespace

TEST_CASE("only changed knobs are set back, with what depends on them, and only where allowed") {
  const SearchSpace space = formats();
  const auto backs = set_backs(space, {}, space.baseline(), best());
  REQUIRE(backs.size() == 4);
  for (const SetBack& back : backs) {
    INFO(back.knob);
    if (back.knob == "format") CHECK(back.along == std::vector<std::string>{"rows"});
    if (back.knob == "wide") {
      CHECK(back.absent_because.find("not allowed with the rest") == 0);
      CHECK(back.absent_because.find("prefetch == 0 or wide > 1") != std::string::npos);
    } else {
      CHECK(back.absent_because.empty());
      CHECK(space.allowed(back.configuration));
    }
  }
  CHECK(set_backs(space, {}, space.baseline(), space.baseline()).empty());
}

TEST_CASE("the knobs that mattered most in the trials come first") {
  const SearchSpace space = formats();
  History history;
  for (std::uint64_t i = 0; i < space.size(); ++i)
    history.append(timed(space.configuration(i), product(space.configuration(i))));
  const auto backs = set_backs(space, history, space.baseline(), best());
  CHECK(backs.front().knob == "wide");
  CHECK(backs.back().knob == "prefetch");
}

TEST_CASE("each factor is what the formula says, through drift and noise") {
  const SearchSpace space = formats();
  Formula evaluator(product);
  const Ablation ablation =
      ablate(space, tried(space, product), space.baseline(), best(), evaluator, {});
  const KnobEffects all = effects(ablation);
  CHECK(factor(ablation, all, "format")->value == Approx(6).epsilon(0.02));
  CHECK(factor(ablation, all, "rows")->value == Approx(2).epsilon(0.02));
  CHECK(factor(ablation, all, "prefetch")->value == Approx(1.5).epsilon(0.02));
  CHECK_FALSE(factor(ablation, all, "wide"));
  REQUIRE(all.total);
  CHECK(all.total->value == Approx(72).epsilon(0.02));
  for (const KnobEffect& effect : all.single) CHECK(effect.factor.low > 1);
  CHECK_FALSE(all.product);  // one factor is not known, so neither is their product
  CHECK(evaluator.evaluated == 0);
}

TEST_CASE("factors that multiply to the total show no interaction, and others say which kind") {
  const SearchSpace free = space_with("free", {knob("x", {0, 1}, 0), knob("y", {0, 1}, 0)});
  Configuration both = free.baseline();
  both.set("x", 1);
  both.set("y", 1);
  const auto interaction = [&](double x_only, double y_only) {
    const Formula::Time time = [=](const Configuration& c) {
      const bool x = c.at("x") == Value(1), y = c.at("y") == Value(1);
      return 1e-3 * (x && y ? 1 : x ? x_only : y ? y_only : 4);
    };
    Formula evaluator(time);
    History history;
    history.append(timed(free.baseline(), time(free.baseline())));
    history.append(timed(both, time(both)));
    return effects(ablate(free, history, free.baseline(), both, evaluator, {}));
  };
  CHECK_FALSE(interaction(2, 2).interacts());
  const KnobEffects same_job = interaction(1, 1);
  CHECK(same_job.interacts());
  CHECK(same_job.interaction->low > 1);
  const KnobEffects need_each_other = interaction(4, 4);
  CHECK(need_each_other.interacts());
  CHECK(need_each_other.interaction->high < 1);
}

TEST_CASE("a set-back that fails says how, and the others are measured all the same") {
  const SearchSpace space = formats();
  Formula evaluator(product);
  evaluator.outcome = [](const Configuration& c) {
    return c.at("prefetch") == Value(0) && c.at("rows") == Value(4) ? Outcome::wrong_result
                                                                    : Outcome::ok;
  };
  const Ablation ablation =
      ablate(space, tried(space, product), space.baseline(), best(), evaluator, {});
  CHECK(named(ablation, "prefetch").absent_because.find("set back it ends as wrong_result") == 0);
  CHECK(named(ablation, "format").measured());
  CHECK(named(ablation, "rows").measured());
  CHECK(ablation.fault.empty());
}

TEST_CASE("without time only the first group is measured, and the rest says so") {
  std::vector<Knob> knobs;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) knobs.push_back(knob(name, {0, 1}, 0));
  const SearchSpace wide = space_with("wide", knobs);
  Configuration all = wide.baseline();
  for (const Knob& k : knobs) all.set(k.name, 1);
  const Formula::Time time = [](const Configuration&) { return 1e-3; };
  Formula evaluator(time);
  History history;
  history.append(timed(wide.baseline(), 1e-3));
  history.append(timed(all, 1e-3));
  AblationLimits limits;
  limits.seconds = 0;
  const Ablation ablation = ablate(wide, history, wide.baseline(), all, evaluator, limits);
  CHECK(evaluator.races == 1);
  int measured = 0;
  for (const SetBack& back : ablation.knobs) {
    measured += back.measured() ? 1 : 0;
    if (!back.measured())
      CHECK(back.absent_because == "no time was left, a longer --budget has it");
  }
  CHECK(measured == 4);
  CHECK_FALSE(effects(ablation).product);
  // Beyond the wall time not even that.
  limits.seconds = -1;
  CHECK_FALSE(ablate(wide, history, wide.baseline(), all, evaluator, limits).knobs[0].measured());
  CHECK(evaluator.races == 1);
  // One that the user interrupts is none.
  limits.seconds = 0;
  limits.interrupted = [] { return true; };
  CHECK_THROWS_AS(ablate(wide, history, wide.baseline(), all, evaluator, limits), Interrupted);
}

TEST_CASE("the set-backs there is no time for are one together") {
  Formula evaluator(product);
  History history;
  for (Trial trial : {timed(formats().baseline(), 1e-3), timed(best(), 1e-3)}) {
    trial.index = history.size();
    trial.cost.validate = 1;
    CHECK(wall_of_entering(trial) == 2);
    history.append(std::move(trial));
  }
  AblationLimits limits;
  limits.seconds = 9;  // best, baseline and two instead of three
  const Ablation ablation =
      ablate(formats(), history, formats().baseline(), best(), evaluator, limits);
  CHECK(evaluator.races == 1);
  const auto measured = [&](const SetBack& back) { return back.measured(); };
  CHECK(std::ranges::count_if(ablation.knobs, measured) == 2);
  for (const SetBack& back : ablation.knobs) {
    if (back.together.empty()) continue;
    REQUIRE(back.together.size() == 1);
    const SetBack& other = named(ablation, back.together[0]);
    CHECK(other.absent_because == "set back together with " + back.knob);
    CHECK(back.configuration.at(back.knob) == back.from);
    CHECK(back.configuration.at(other.knob) == other.from);
    const Json json = encode(ablation);
    CHECK(encode(decoded<Ablation>(json, "test")) == json);
    return;
  }
  FAIL("none is set back with another");
}

TEST_CASE("programs that run for longer than they say are not set back beyond the time there is") {
  const Formula::Time time = [](const Configuration&) { return 1e-3; };
  Formula evaluator(time);
  History history;
  for (Trial trial : {timed(formats().baseline(), 1e-3), timed(best(), 1e-3)}) {
    trial.index = history.size();
    trial.measurement->samples = {{1e-3, 1, 0}, {1e-3, 1, 0}};
    trial.cost.time = 10;
    CHECK(wall_of_call(trial) == 5);
    history.append(std::move(trial));
  }
  AblationLimits limits;
  limits.seconds = 20;
  const Ablation ablation =
      ablate(formats(), history, formats().baseline(), best(), evaluator, limits);
  CHECK(evaluator.races == 0);
  for (const SetBack& back : ablation.knobs) CHECK_FALSE(back.measured());
}

TEST_CASE("an ablation survives its way through the records") {
  const SearchSpace space = formats();
  Formula evaluator(product);
  const Ablation ablation =
      ablate(space, tried(space, product), space.baseline(), best(), evaluator, {});
  const Json json = encode(ablation);
  CHECK(encode(decoded<Ablation>(json, "test")) == json);
  Json broken = json;
  broken["knobs"][0]["rounds"][0] = {1e-3, 0};
  CHECK_THROWS_AS(decoded<Ablation>(broken, "test"), Error);
  broken = json;
  broken["knobs"][0].erase("knob");
  CHECK_THROWS_AS(decoded<Ablation>(broken, "test"), Error);
}

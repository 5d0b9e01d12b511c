// Pruning is sound: on machines that obey a law of their own, which the engine does not know, a
// search with pruning ends with the same best as one that tries everything, and no configuration
// beats the least time that was proven for it. The spaces and walls are those of the kernels.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "kernel/kernel.h"
#include "space/space_reader.h"
#include "study/search_loop.h"
#include "support/machine_builder.h"
#include "support/synthetic_study.h"

using namespace rooftune;

namespace {

const std::filesystem::path root = ROOFTUNE_SOURCE_DIR;

/// Memory that reads at `load`, writes at `store` and moves both at `both` [B/s], per thread count.
struct Law {
  double load, store, both, flops;
  double time(double read, double write) const {
    return std::max({read / load, write / store, (read + write) / both});
  }
};

struct World {
  Machine machine;
  std::vector<Law> laws;  ///< of 1, 2 ... threads
  double drift;           ///< the machine now over the machine as it was measured
};

World world(Rng& rng) {
  World w;
  w.drift = 0.9 + 0.13 * rng.unit();
  w.machine = test::plain_machine();
  w.machine.cores = 2;
  w.machine.simd_bits = 512;
  w.machine.levels = {{"L2", 4e5 * (1 + rng.unit()), std::nullopt, 2},
                      {"DRAM", std::nullopt, std::nullopt, 1}};
  w.machine.ceilings.clear();
  Law law{8e9 + 2e10 * rng.unit(), 4e9 + 2e10 * rng.unit(), 0, 2e9 + 5e10 * rng.unit()};
  law.both = std::max(law.load, law.store) * (1 + rng.unit());
  for (const int threads : {1, 2}) {
    if (threads == 2) {
      const double scale = 1 + rng.unit();
      law = {law.load * scale, law.store * scale, law.both * scale, law.flops * 2};
    }
    w.laws.push_back(law);
    const auto measured = [&] { return 1 + 0.02 * (rng.unit() - 0.5); };
    const std::string t = std::to_string(threads);
    // The law knows no kinds of operations: whatever the mix.
    w.machine.ceilings.push_back(
        test::core_ceiling("fp64 " + t, law.flops * measured(), threads, {}, "fp64", "any"));
    for (const double share : {0.0, 0.5, 2.0 / 3, 1.0})
      w.machine.ceilings.push_back(test::stream("DRAM " + std::to_string(share) + " " + t, "DRAM",
                                                share, measured() / law.time(share, 1 - share),
                                                threads));
  }
  return w;
}

/// What a configuration does on that machine: at least its walls' traffic, less what caches save,
/// and something more.
class Truth {
 public:
  Truth(World& the_world, const Work& work, const Traffic& traffic, const SearchSpace& space,
        const LeastMovements& stated, std::uint64_t seed)
      : world_(the_world), work_(work), traffic_(traffic), stated_(stated), seed_(seed) {
    for (const Knob& knob : space.knobs())
      if (knob.setting == "threads") threads_ = knob.name;
  }
  double operator()(const Configuration& configuration) const {
    const auto threads = static_cast<std::size_t>(configuration.at(threads_).integer());
    const Law& law = world_.laws.at(threads - 1);
    double read = traffic_.read.value(), write = traffic_.write.value(), passes = 1;
    for (const Movement& movement : stated_.compute(configuration, traffic_)) {
      read = std::max(read, movement.read.value());
      write = std::max(write, movement.write.value());
      passes = std::max(passes, movement.passes);
    }
    const double cached = passes * 2 * *world_.machine.levels.front().capacity;
    read = std::max(0.0, read - cached * test::noise(configuration, seed_));
    write = std::max(0.0, write - cached * test::noise(configuration, seed_ + 1));
    const double least =
        std::max(law.time(read, write), work_.least.at("fp64").value() / law.flops);
    // Some are as fast as the machine can be.
    const double luck = test::noise(configuration, seed_ + 2);
    return least / world_.drift * (luck < 0.2 ? 1 : 1 + 2 * (luck - 0.2) * (luck - 0.2));
  }

 private:
  World& world_;
  const Work& work_;
  const Traffic& traffic_;
  const LeastMovements& stated_;
  std::uint64_t seed_;
  std::string threads_;
};

class Simulated : public Evaluator {
 public:
  explicit Simulated(const Truth& truth) : truth_(truth) {}
  Trial evaluate(const Configuration& configuration, std::optional<double>) override {
    ++evaluated;
    return test::timed(configuration, truth_(configuration));
  }
  Rounds race(const std::vector<Configuration>& configurations, const RacePlan& how,
              const Between&) override {
    std::vector<double> seconds;
    for (const Configuration& configuration : configurations)
      seconds.push_back(truth_(configuration));
    Rounds result;
    result.seconds.assign(static_cast<std::size_t>(how.rounds), seconds);
    return result;
  }
  std::size_t evaluated = 0;

 private:
  const Truth& truth_;
};

/// The kernel's space with only some values of some knobs, so that it can be exhausted.
SearchSpace small(const SearchSpace& whole, Rng& rng, const Facts& facts) {
  std::vector<Knob> knobs = whole.knobs();
  double size = whole.cartesian_size();
  for (int turn = 0; size > 300 && turn < 10000; ++turn) {
    Knob& knob = knobs[rng.below(knobs.size())];
    if (knob.values.size() < 2 || (knob.setting == "threads" && turn < 9000)) continue;
    const std::size_t gone = rng.below(knob.values.size());
    if (knob.values[gone] == knob.fallback) continue;
    size *= static_cast<double>(knob.values.size() - 1) / static_cast<double>(knob.values.size());
    knob.values.erase(knob.values.begin() + static_cast<std::ptrdiff_t>(gone));
    if (gone < knob.flags.size())
      knob.flags.erase(knob.flags.begin() + static_cast<std::ptrdiff_t>(gone));
  }
  return SearchSpace(whole.name(), std::move(knobs), whole.constraints(), facts);
}

struct Share {
  std::size_t configurations = 0, pruned = 0, certified = 0;
};

void check_sound(const std::string& name, const Facts& given, std::uint64_t seeds, Share& share) {
  const Kernel kernel = find_kernel(name, root);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    INFO(name << " seed " << seed);
    Rng rng(seed, 17);
    World w = world(rng);
    Facts facts = given;
    const Work least_work = work(kernel, facts);
    const Traffic least_traffic = traffic(kernel, facts);
    facts.insert({{"machine_cores", 2},
                  {"machine_threads", 2},
                  {"machine_numa_nodes", 1},
                  {"machine_simd_bits", 512},
                  {"machine_l1_bytes", 49152},
                  {"machine_l2_bytes", 400000},
                  {"machine_l3_bytes", 0},
                  {"machine_huge_pages", true},
                  {"machine_fast_memory", false}});
    const auto file = find_space(kernel, "openmp", root);
    const SearchSpace space = small(read_space(file, facts), rng, facts);
    const LeastMovements stated =
        least_movements_from_json(read_json(file), file.string(), space, facts);
    const Truth truth(w, least_work, least_traffic, space, stated, seed);
    const Roofline roofline{least_work, least_traffic, w.machine, 2};
    const LeastTimeOf least = least_times(space, stated, roofline);
    double optimum = HUGE_VAL;
    for (std::uint64_t i = 0; i < space.size(); ++i) {
      const Configuration configuration = space.configuration(i);
      const double seconds = truth(configuration);
      optimum = std::min(optimum, seconds);
      const auto bound = least(configuration);
      REQUIRE(bound);
      INFO(configuration.key() << ": " << bound->because);
      REQUIRE(bound->time.value() <= seconds);
    }
    Simulated evaluator(truth);
    SearchOptions options;
    options.least_time = least;
    options.target_gap = 0.01;
    options.staircase = false;
    const Bound bound = roofline.bound();
    const auto strategy = make_strategy("random");
    StudyRecord record;
    Recorder recorder(record);
    Schedule schedule;
    const SearchEnd end =
        SearchLoop({space, *strategy, bound, evaluator, recorder, schedule}, options).run();
    const History& history = record.history;
    REQUIRE(history.best()->measurement->seconds.value == optimum);
    REQUIRE(end.refuted.empty());
    for (const Trial& trial : history.trials())
      if (const auto floor = trial.ok() && trial.measurement->complete()
                                 ? least(trial.configuration)
                                 : std::nullopt)
        REQUIRE(trial.measurement->seconds.value >= floor->time.value());
    share.configurations += space.size();
    share.pruned += space.size() - evaluator.evaluated;
    share.certified += end.reason == StopReason::certified ? 1 : 0;
    // Whatever was not measured was proven.
    REQUIRE((end.reason == StopReason::certified) == (evaluator.evaluated < space.size()));
  }
}

}  // namespace

TEST_CASE("a search that prunes finds the best of diffusion, diffusion3d and spmv") {
  Share share;
  check_sound("diffusion", {{"n", 4000000}, {"steps", 8}, {"shift", 1}, {"a", 0.25}}, 12, share);
  check_sound("diffusion3d", {{"nx", 160}, {"ny", 160}, {"nz", 160}, {"steps", 4}, {"a", 0.1}}, 12,
              share);
  // A symmetric matrix of a finite-element problem, as `tune` knows it.
  check_sound("spmv",
              {{"matrix", ""},
               {"kind", "fem3d"},
               {"n", 0},
               {"seed", 1},
               {"rows", 222264},
               {"cols", 222264},
               {"nnz", 17159616},
               {"max_row", 81},
               {"mean_row", 77.2},
               {"row_variation", 0.125},
               {"nonempty_rows", 222264},
               {"used_cols", 222264},
               {"bandwidth", 5423},
               {"dense_rows", 0},
               {"symmetric", 1},
               {"single_values", 0},
               {"fill_2x2", 1.18},
               {"fill_3x3", 1.0},
               {"fill_4x4", 1.35},
               {"fill_6x6", 1.35},
               {"fill_8x8", 2.08},
               {"best_block_rows", 3},
               {"best_block_cols", 3},
               {"blocked_bytes", 141682884.0},
               {"full_matrix_bytes", 141682884.0},
               {"least_matrix_bytes", 69792166.125}},
              12, share);
  CHECK(share.certified > 0);
  CHECK(share.pruned > share.configurations / 20);
}

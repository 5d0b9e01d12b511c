// Counting by groups, sums and formulas over a source that the test makes up; then a real one, of
// software events, which need no PMU.
#include "counters/hardware_count.h"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <thread>

#include "core/error.h"
#include "counters/event_set.h"
#include "counters/perf.h"
#include "os/process_tree.h"

using namespace rooftune;

namespace {

constexpr std::uint64_t second = 1'000'000'000;

/// Gives each event the reading of its id; remembers what was open at once.
class FakeSource : public EventSource {
 public:
  std::map<std::string, RawReading> readings;
  std::set<std::string> denied;  ///< cannot be opened
  std::set<std::string> taken;   ///< cannot be read
  std::vector<std::string> opened;
  int open_now = 0, most_open = 0, started = 0;

  int open(const EncodedEvent& event, int, int, int) override {
    if (denied.count(event.id) > 0) throw Error("denied " + event.id, {}, "cure");
    most_open = std::max(most_open, ++open_now);
    opened.push_back(event.id);
    return static_cast<int>(opened.size()) - 1;
  }
  void start(int) override { ++started; }
  void stop(int) override {}
  RawReading read(int handle) override {
    const std::string& id = opened[static_cast<std::size_t>(handle)];
    if (taken.count(id) > 0) throw Error("taken away");
    const auto found = readings.find(id);
    return found == readings.end() ? RawReading{0, second, second} : found->second;
  }
  void close(int) override { --open_now; }
};

EncodedEvent event(const std::string& id, int slots = 1) {
  EncodedEvent made;
  made.id = id;
  made.slots = slots;
  return made;
}

const EventSet& set_named(const std::string& name) {
  static const std::vector<EventSet> sets =
      read_event_sets(std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "machines" / "events");
  for (const EventSet& set : sets)
    if (set.name == name) return set;
  throw Error("no event set " + name);
}

/// Formulas of a set over given counts; events that are not named counted 0.
HardwareCounts counted(const std::string& name, const std::map<std::string, double>& values) {
  const EventSet& set = set_named(name);
  EventCounts counts;
  for (const CounterEvent& one : set.events) counts.totals[one.id] = {Estimate::exact(0), 1};
  for (const auto& [id, value] : values) {
    REQUIRE(set.event(id));
    counts.totals[id] = {Estimate::exact(value), 1};
  }
  return evaluated(set, counts);
}

/// Launches once per group.
EventCounts count(GroupCounter& counter, const std::function<void()>& launch) {
  while (counter.more()) {
    counter.start();
    launch();
    counter.stop();
  }
  return counter.counts();
}

EventCounts count_threads(EventSource& source, const std::vector<EncodedEvent>& events,
                          int counters, const std::function<std::vector<int>()>& threads,
                          const std::function<void()>& launch) {
  GroupCounter counter(source);
  counter.add_threads(events, counters, threads);
  return count(counter, launch);
}

double quantity(const HardwareCounts& counts, const std::string& name) {
  INFO(name);
  REQUIRE(counts.quantities.count(name) == 1);
  return counts.quantities.at(name).value;
}

}  // namespace

TEST_CASE("groups never need more counters than there are") {
  const auto groups = event_groups(
      {event("a"), event("b", 2), event("c", 2), event("d"), event("e", 3), event("f")}, 4);
  REQUIRE(groups.size() == 3);
  for (const auto& group : groups) {
    int slots = 0;
    for (const EncodedEvent& one : group) slots += one.slots;
    CHECK(slots <= 4);
  }
  CHECK(event_groups({}, 4).empty());
}

TEST_CASE("each group has a launch of its own, and everything is closed after") {
  FakeSource source;
  int launches = 0;
  const EventCounts counts = count_threads(
      source, {event("a"), event("b"), event("c")}, 2,
      [] {
        return std::vector<int>{7, 8, 9};
      },
      [&] { ++launches; });
  CHECK(launches == 2);
  CHECK(source.most_open == 6);
  CHECK(source.open_now == 0);
  CHECK(counts.totals.size() == 3);
}

TEST_CASE("threads add up") {
  const EventTotal total = event_total({{100, second, second}, {50, second, second}, {0, 0, 0}});
  CHECK(total.count == Estimate::exact(150));
  CHECK(total.share == 1);
}

TEST_CASE("a shared counter is scaled, with an interval, and noted") {
  FakeSource source;
  source.readings["a"] = {100, second, second / 4};
  const EventCounts counts = count_threads(
      source, {event("a")}, 4, [] { return std::vector<int>{1}; }, [] {});
  const EventTotal& total = counts.totals.at("a");
  CHECK(total.count.value == 400);
  CHECK(total.count.low == 100);
  CHECK(total.count.high == 700);
  CHECK(total.share == 0.25);
}

TEST_CASE("a scaled event widens every quantity that uses it") {
  EventCounts counts;
  const EventSet& set = set_named("neoverse_v1");
  for (const CounterEvent& one : set.events) counts.totals[one.id] = {Estimate::exact(10), 1};
  counts.totals["scale"] = {{400, 100, 700}, 0.25};
  const HardwareCounts all = evaluated(set, counts);
  CHECK(all.quantities.at("flops.any").value == 10 + 2 * 400);
  CHECK(all.quantities.at("flops.any").low == 10 + 2 * 100);
  CHECK(all.quantities.at("flops.any").high == 10 + 2 * 700);
  CHECK(all.quantities.at("loads") == Estimate::exact(10));
  REQUIRE(all.notes.size() == 1);
  CHECK_THAT(all.notes[0], Catch::Contains("scale") && Catch::Contains("25 %"));
}

TEST_CASE("nonsense of the counters is named") {
  CHECK_THROWS_WITH(event_total({{1, second, 2 * second}}), Catch::Contains("longer"));
  CHECK_THROWS_WITH(event_total({{~std::uint64_t{0}, second, second}}),
                    Catch::Contains("overflowed"));
  CHECK_THROWS_WITH(event_total({{0, second, 0}}), Catch::Contains("never got a counter"));
  CHECK_THROWS_WITH(event_total({{5, second, 0}}), Catch::Contains("without ever holding"));
  CHECK_THROWS_WITH(event_total({}), Catch::Contains("no thread ran"));
}

TEST_CASE("events that are denied or taken away take only their quantities with them") {
  FakeSource source;
  source.denied = {"b"};
  source.taken = {"c"};
  const EventCounts counts = count_threads(
      source, {event("a"), event("b"), event("c")}, 4,
      [] {
        return std::vector<int>{1, 2};
      },
      [] {});
  CHECK(counts.totals.count("a") == 1);
  CHECK(counts.totals.size() == 1);
  CHECK(counts.refused.at("b") == "denied b; cure");
  CHECK(counts.refused.at("c") == "taken away");
  CHECK(source.open_now == 0);
}

TEST_CASE("a launch that fails leaves nothing open") {
  FakeSource source;
  CHECK_THROWS_AS(count_threads(
                      source, {event("a")}, 4, [] { return std::vector<int>{1}; },
                      [] { throw Error("launch"); }),
                  Error);
  CHECK(source.open_now == 0);
}

TEST_CASE("a processor's set is counted through the source, and what is not here is missing") {
  FakeSource source;
  source.readings["d8"] = {1000, second, second};
  int launches = 0;
  const EventSet& set = set_named("skylakex");
  GroupCounter counter(source);
  counter.add(set);
  const HardwareCounts counts = evaluated(set, count(counter, [&] { ++launches; }));
  CHECK(quantity(counts, "flops.fp64") == 8000.0 * double(threads_of(getpid()).size()));
  CHECK(launches >= 4);
  if (perf_devices("uncore_imc_[0-9]+").empty())
    CHECK_THAT(counts.missing.at("DRAM.read"), Catch::Contains("uncore_imc"));
}

TEST_CASE("devices are counted on each of their processors, with their own type") {
  FakeSource source;
  source.readings["cas"] = {7, second, second};
  GroupCounter counter(source);
  counter.add_devices({event("cas")}, "imc", {{"imc_0", 17, {0, 24}}, {"imc_1", 18, {0, 24}}});
  const EventCounts counts = count(counter, [] {});
  CHECK(counts.totals.at("cas").count.value == 4 * 7);
  CHECK(source.opened.size() == 4);
}

TEST_CASE("when everything is denied nothing stays open, and every quantity has its reason") {
  FakeSource source;
  const EventSet& set = set_named("zen4");
  for (const CounterEvent& one : set.events) source.denied.insert(one.id);
  GroupCounter counter(source);
  counter.add(set);
  counter.start();
  counter.stop();
  CHECK_FALSE(counter.more());
  const HardwareCounts counts = evaluated(set, counter.counts());
  CHECK(counts.quantities.empty());
  CHECK(counts.missing.size() == set.quantities.size());
}

// Textbook cases: what a loop of a million fused multiply-adds shows on each processor.
TEST_CASE("formulas give the FLOPs of known loops") {
  const double n = 1e6;
  CHECK(quantity(counted("icelakex", {{"d8", 2 * n / 8}}), "flops.fp64") == 2 * n);
  CHECK(quantity(counted("icelakex", {{"s16", 2 * n / 16}}), "flops.fp32") == 2 * n);
  CHECK(quantity(counted("sapphirerapids", {{"h32", 2 * n / 32}}), "flops.fp16") == 2 * n);
  CHECK(quantity(counted("zen3", {{"mac", 2 * n}}), "flops.any") == 2 * n);
  CHECK(quantity(counted("zen3", {{"mac", 2 * n}}), "flops.any.fma") == 2 * n);
  CHECK(quantity(counted("zen5", {{"dp", 2 * n}}), "flops.fp64") == 2 * n);
  CHECK(quantity(counted("neoverse_v1", {{"scale", n}}), "flops.any") == 2 * n);
  CHECK(quantity(counted("a64fx", {{"d_scale", 2 * n / 4}}), "flops.fp64") == 2 * n);
}

TEST_CASE("formulas give the bytes of known streams") {
  const double lines = 1e4;
  CHECK(quantity(counted("skylakex", {{"cas_read", lines}}), "DRAM.read") == 64 * lines);
  CHECK(quantity(counted("graniterapids", {{"cas_write_0", lines}, {"cas_write_1", lines}}),
                 "DRAM.write") == 128 * lines);
  CHECK(quantity(counted("zen2", {{"channel_0", lines}, {"channel_7", lines}}), "DRAM.total") ==
        128 * lines);
  CHECK(quantity(counted("a64fx", {{"l2_in", 3 * lines}, {"swap", lines}, {"mib", lines}}),
                 "DRAM.read") == 256 * lines);
  CHECK(quantity(counted("neoverse_v2", {{"mem_read", lines}}), "DRAM.read") == 32 * lines);
  CHECK(quantity(counted("zen4", {{"l1_in", lines}}), "L2.read") == 64 * lines);
}

TEST_CASE("a formula that gives less than nothing is reported as nonsense, not clamped") {
  const HardwareCounts counts = counted("a64fx", {{"l2_in", 1}, {"swap", 5}});
  CHECK(counts.quantities.count("DRAM.read") == 0);
  CHECK_THAT(counts.missing.at("DRAM.read"), Catch::Contains("nonsense"));
  CHECK(counts.flags.size() == 1);
}

TEST_CASE("software events of the kernel are counted over threads started in the launch") {
  EncodedEvent faults = event("faults");
  faults.description = "software page faults";
  faults.type = 1;
  faults.config = 2;
  constexpr std::size_t pages = 256, page = 4096;
  const auto touch = [] {
    void* memory =
        mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    madvise(memory, pages * page, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
    munmap(memory, pages * page);
  };
  const auto source = kernel_events();
  const EventCounts counts = count_threads(
      *source, {faults}, 4, [] { return threads_of(getpid()); },
      [&] {
        touch();
        std::thread(touch).join();
      });
  if (counts.refused.count("faults") > 0) {
    WARN("skipped: perf events are not permitted here: " << counts.refused.at("faults"));
    return;
  }
  const EventTotal& total = counts.totals.at("faults");
  CHECK(total.share == 1);
  CHECK(total.count.value >= 2 * pages);
  CHECK(total.count.value < 4 * pages);
}

// How busy each part is, against figures by hand; and the amounts that differ.
#include "roofline/busy.h"

#include <catch2/catch.hpp>

#include "roofline/amounts.h"
#include "support/sample_machine.h"

using namespace rooftune;

namespace {

/// Two threads; a line a call for each kind of work.
struct Call {
  Counts counts;
  Roofline roofline{{}, {}, {}, 2};

  Call() {
    counts.details[counted_threads] = Estimate::exact(2);
    roofline.machine.levels = {{"L1", 32e3, 32e3, 2}, {"DRAM", std::nullopt, std::nullopt, 1}};
    auto& all = roofline.machine.ceilings;
    all = {sample::stream("DRAM", "load", 1, 2, 40e9, 1e8),
           sample::stream("DRAM", "load", 1, 1, 25e9, 1e8),
           sample::stream("DRAM", "triad", 2.0 / 3, 2, 30e9, 1e8),
           sample::stream("DRAM", "triad", 2.0 / 3, 2, 36e9, 1e8, true),
           sample::stream("DRAM", "update", 0.5, 2, 50e9, 1e8)};
    for (const int bits : {64, 512}) {
      const double lanes = bits / 64.0;
      for (const auto& [mix, rate] : {std::pair("fma", 16e9),
                                      {"add", 8e9},
                                      {"mul", 8e9},
                                      {"add_mul", 16e9},
                                      {"fma_add", 24e9},
                                      {"div", 1e9}})
        all.push_back(sample::in_core("fp64", bits, mix, 12, 2, rate * lanes));
    }
  }
  void move(double read, double written) {
    counts.traffic["DRAM"] = {Estimate::exact(read), Estimate::exact(written), {}};
  }
  void compute(const char* kind, double count) {
    counts.operations["fp64"][kind] = Estimate::exact(count);
  }
  BusyPart busiest(double seconds, const std::map<std::string, double>& beside = {}) const {
    const Limit found = limit(counts, roofline, Estimate::exact(seconds), beside);
    REQUIRE_FALSE(found.parts.empty());
    return found.parts.front();
  }
};

}  // namespace

TEST_CASE("memory is busy by the rate of the counted mix, of as many threads, in the same rounds") {
  Call call;
  call.move(40e6, 0);
  CHECK(call.busiest(2e-3).part == "memory");
  CHECK(call.busiest(2e-3).share.value == Approx(0.5));
  CHECK(call.busiest(2e-3).rate == Approx(40e9));
  CHECK(call.busiest(2e-3, {{"DRAM load 2t", 0.5}}).share.value == Approx(1));
  // Its level was slower then, not only the one micro-kernel that ran.
  CHECK(call.busiest(2e-3, {{"DRAM update 2t", 0.5}}).share.value == Approx(1));
  call.counts.details[counted_threads] = Estimate::exact(1);
  CHECK(call.busiest(2e-3).share.value == Approx(0.8));
}

TEST_CASE("plain stores read their lines: a nominal rate is not that of the bytes moved") {
  Call call;
  // Three of four bytes are read: the triad of 30 GB/s moves 40.
  call.move(30e6, 10e6);
  CHECK(call.busiest(2e-3).ceiling == "DRAM triad 2t");
  CHECK(call.busiest(2e-3).share.value == Approx(0.5));
  // Streamed, two of three.
  call.counts.details[stored_bytes] = call.counts.details[streamed_bytes] = Estimate::exact(12e6);
  call.move(24e6, 12e6);
  CHECK(call.busiest(2e-3).ceiling == "DRAM triad nt 2t");
  CHECK(call.busiest(2e-3).share.value == Approx(0.5));
}

TEST_CASE("arithmetic is busy by what the micro-kernels of its kinds and widths show") {
  Call call;
  call.counts.details[vector_share] = Estimate::exact(1);
  call.compute("fma", 64e6);  // 128 Mflop at 128 GFLOP/s
  CHECK(call.busiest(2e-3).part == "arithmetic");
  CHECK(call.busiest(2e-3).share.value == Approx(0.5));
  call.compute("add", 64e6);  // beside them, at no time of their own
  CHECK(call.busiest(2e-3).share.value == Approx(0.5));
  CHECK(call.busiest(2e-3).amount == Approx(192e6));
  call.counts.details[vector_share] = Estimate::exact(0);
  CHECK(call.busiest(2e-3).share.value == Approx(4));
  call.compute("div", 10e6);
  call.counts.details[vector_share] = Estimate::exact(0.5);
  const Limit found = limit(call.counts, call.roofline, Estimate::exact(9e-3));
  REQUIRE(found.parts.size() == 2);
  CHECK(found.parts[0].part == "divider");
  CHECK(found.parts[0].share.value == Approx((5e6 / 1e9 + 5e6 / 8e9) / 9e-3));
}

TEST_CASE("work without a rate is named, and a busy part leaves no room for a cause") {
  Call call;
  call.counts.operations["fp80"]["add"] = Estimate::exact(1);
  call.move(40e6, 0);
  call.counts.details[instructions_detail] = Estimate::exact(2e6);
  call.counts.details[busiest_thread] = Estimate::exact(2e6);
  const auto with = [&](double seconds) {
    return limit(call.counts, call.roofline, Estimate::exact(seconds));
  };
  CHECK(with(1e-3).unrated == std::vector<std::string>{"fp80 operations"});
  CHECK(with(1.1e-3).at_limit());
  CHECK_FALSE(with(1.1e-3).cause);
  REQUIRE(with(4e-3).cause);
  CHECK(with(4e-3).cause->kind == Cause::Kind::imbalance);
  CHECK(with(4e-3).cause->share == Approx(0.5));
  CHECK(with(1.5e-3).cause->share == Approx(1 - with(1.5e-3).parts[0].share.value));
}

TEST_CASE("amounts that differ, the largest change first, what follows from them last") {
  Call before, after;
  before.move(204e6, 0);
  after.move(142e6, 0);
  before.compute("fma", 456e6);
  after.compute("fma", 456e6);
  for (auto& [call, share, instructions] : {std::tuple(&before, 0.12, 9e9), {&after, 1.0, 1e9}}) {
    call->counts.details[vector_share] = Estimate::exact(share);
    call->counts.details[instructions_detail] = Estimate::exact(instructions);
  }
  const auto found = amounts(before.counts, after.counts, 9e-3, 4e-3);
  REQUIRE(found.size() == 4);
  CHECK(found[0].what == "operations in vectors");
  CHECK(found[0].before == Approx(12));
  CHECK(found[0].after == Approx(100));
  CHECK(found[1].what == "memory traffic");
  CHECK(found[1].unit == "B");
  CHECK(found[1].before == 204e6);
  CHECK(found[1].after == 142e6);
  CHECK(found[2].what == "instructions");
  CHECK(found[3].unit == "B/s");
  CHECK(found[3].after == Approx(142e6 / 4e-3));
  CHECK(amounts(before.counts, before.counts).empty());
}

TEST_CASE("the reason of a step is what the busy part no longer needs") {
  const auto part = [](const char* name, double share) {
    BusyPart one;
    one.part = name;
    one.share = Estimate::exact(share);
    return one;
  };
  using Amounts = std::vector<Amount>;
  const auto first = [](Amounts all, const Limit& before, double was, const Limit& after,
                        double is) {
    order_by_relief(all, before, was, after, is);
    return all.front().what;
  };
  const Amount bytes{"memory traffic", "B", 111e6, 84e6, Amount::Kind::memory_traffic, "memory"};
  const Amount rate{"memory", "B/s", 30e9, 36e9, Amount::Kind::memory_rate, "memory"};
  const Amount vectors{"operations in vectors", "%", 0, 97, Amount::Kind::vectors, "arithmetic"};
  // Memory binds both: fewer bytes gained more than their rate, and vectors were not needed.
  const auto of = [&](std::vector<BusyPart> parts) {
    Limit limit;
    limit.parts = std::move(parts);
    return limit;
  };
  const Limit before = of({part("memory", 0.9), part("arithmetic", 0.7)});
  const Limit after = of({part("memory", 1.0), part("arithmetic", 0.2)});
  CHECK(first({vectors, rate, bytes}, before, 3.7e-3, after, 2.4e-3) == "memory traffic");
  // Alone, the arithmetic of before would take longer than all of the new call.
  const Limit scalar = of({part("arithmetic", 0.95), part("memory", 0.2)});
  const Limit wide = of({part("memory", 0.3), part("arithmetic", 0.3)});
  CHECK(first({bytes, vectors}, scalar, 9e-3, wide, 2.4e-3) == "operations in vectors");
  // A higher rate is the gain in other words: bytes that explain a third of it come first.
  const Amount fewer{"memory traffic", "B", 489e6, 403e6, Amount::Kind::memory_traffic, "memory"};
  const Amount faster{"memory", "B/s", 54e9, 69e9, Amount::Kind::memory_rate, "memory"};
  const Limit streams = of({part("memory", 0.8)});
  CHECK(first({faster, fewer}, streams, 8.9e-3, streams, 5.8e-3) == "memory traffic");
  // No reason where another part is the busiest.
  const Limit narrow = of({part("L2", 0.7), part("memory", 0.6), part("arithmetic", 0.3)});
  CHECK(first({faster, vectors}, scalar, 9e-3, narrow, 5e-3) == "operations in vectors");
}

TEST_CASE("an amount says how much of a step's gain it explains") {
  BusyPart memory;
  memory.part = "memory";
  const auto busy = [&](double share) {
    Limit limit;
    memory.share = Estimate::exact(share);
    limit.parts = {memory};
    return limit;
  };
  std::vector<Amount> all{
      {"memory traffic", "B", 200e6, 100e6, Amount::Kind::memory_traffic, "memory"}};
  // 20 of 80 ms: the rest of the gain is no part's.
  order_by_relief(all, busy(0.3), 0.1, busy(0.5), 0.02);
  CHECK(all.front().explains == Approx(0.25));
}

TEST_CASE("amounts within the intervals of their counts do not differ") {
  Call before, after;
  before.move(1.1e6, 0);
  after.move(1e6, 0);
  CHECK(amounts(before.counts, after.counts).size() == 1);
  for (auto* call : {&before, &after}) {
    Estimate& read = call->counts.traffic.begin()->second.read;
    read = {read.value, 0.9 * read.value, 1.1 * read.value};
  }
  CHECK(amounts(before.counts, after.counts).empty());
}

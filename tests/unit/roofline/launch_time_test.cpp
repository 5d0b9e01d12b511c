// Times of launches by what their threads do.
#include "roofline/launch_time.h"

#include <catch2/catch.hpp>

#include "roofline/machine.h"

using namespace rooftune;

namespace {

/// 100 multiprocessors of 1 GHz: 32 lanes of double precision, 64 of single.
Machine card_of_even_numbers() {
  Machine machine;
  machine.kind = MachineKind::gpu;
  machine.gpu.emplace();
  machine.gpu->compute_capability = 80;
  machine.gpu->multiprocessors = 100;
  machine.levels = {{"L2", {}, {}}, {"DRAM", {}, {}}};
  const auto ceiling = [&](const char* name, Ceiling::Kind kind, double rate) {
    Ceiling& one = machine.ceilings.emplace_back();
    one.name = name;
    one.kind = kind;
    one.mix = kind == Ceiling::Kind::in_core ? "fma" : "load";
    (kind == Ceiling::Kind::in_core ? one.precision : one.level) = name;
    one.rate = Estimate::exact(rate);
  };
  ceiling("fp64", Ceiling::Kind::in_core, 6.4e12);
  ceiling("fp32", Ceiling::Kind::in_core, 12.8e12);
  ceiling("L2", Ceiling::Kind::bandwidth, 4e12);
  ceiling("DRAM", Ceiling::Kind::bandwidth, 1e12);
  machine.levels[0].capacity = 1e8;
  ceiling("fp16_tensor", Ceiling::Kind::in_core, 2e14);
  return machine;
}

LaunchWork launch_of(const ThreadWork& thread) { return {thread, 1000, 256, 4, 1}; }

}  // namespace

TEST_CASE("the slowest pipe is what compiled code can reach") {
  ThreadWork thread;
  thread.fp64 = 1000;
  thread.integer = 500;
  thread.issued = 1700;
  const auto time = call_time({launch_of(thread)}, card_of_even_numbers(), Seconds(0));
  REQUIRE(time);
  CHECK(time->reached_by == "fp64 pipe");
  CHECK(time->limit == "fp64 pipe");
  CHECK(time->reachable.value() == Approx(1000.0 * 256 * 1000 / 3.2e12));
  CHECK(time->low >= time->reachable);
  CHECK(time->time >= time->low);
  CHECK(time->high > time->time);

  // Twice the launches take twice the time; a longer bound of any code stands above them all.
  LaunchWork twice = launch_of(thread);
  twice.times = 2;
  const auto longer = call_time({twice}, card_of_even_numbers(), Seconds(0));
  CHECK(longer->reachable / time->reachable == Approx(2));
  CHECK(call_time({twice}, card_of_even_numbers(), Seconds(1))->reachable == Seconds(1));
}

TEST_CASE("issue, a level and waiting limit what does little arithmetic") {
  ThreadWork thread;
  thread.fp64 = 10;
  thread.issued = 1000;
  CHECK(call_time({launch_of(thread)}, card_of_even_numbers(), Seconds(0))->reached_by == "issue");
  thread.l2_bytes = 1e4;
  CHECK(call_time({launch_of(thread)}, card_of_even_numbers(), Seconds(0))->limit == "L2");
  thread.wait = 1e7;
  const auto waiting = call_time({launch_of(thread)}, card_of_even_numbers(), Seconds(0));
  CHECK(waiting->limit == "waiting");
  // 1000 blocks, of which the card holds 400.
  CHECK(waiting->low.value() == Approx(2.5 * 1e7 / 1e9));
}

TEST_CASE("one block more than multiprocessors takes as long as two rounds") {
  ThreadWork thread;
  thread.fp64 = 1e5;
  LaunchWork launch = launch_of(thread);
  const auto seconds = [&](double blocks) {
    launch.blocks = blocks;
    return call_time({launch}, card_of_even_numbers(), Seconds(0))->reachable.value();
  };
  CHECK(seconds(101) == Approx(2 * seconds(100)));
  CHECK(seconds(1) == Approx(seconds(100)));
}

TEST_CASE("without a peak of its arithmetic a card has no times of code") {
  Machine machine = card_of_even_numbers();
  std::erase_if(machine.ceilings, [](const Ceiling& one) { return one.name == "fp64"; });
  CHECK_FALSE(call_time({launch_of({})}, machine, Seconds(0)));
}

TEST_CASE("what L2 cannot hold comes from memory, and nothing waits beside it") {
  ThreadWork thread;
  thread.fp64 = 1;
  thread.dram_bytes = 1000;
  thread.wait = 1e5;
  LaunchWork launch = launch_of(thread);
  const auto seconds = [&](double blocks) {
    launch.blocks = blocks;
    return call_time({launch}, card_of_even_numbers(), Seconds(0));
  };
  // More than twice what L2 holds; then a little more, and less.
  const auto much = seconds(10'000);
  CHECK(much->limit == "DRAM");
  CHECK(much->time.value() == Approx(1000.0 * 256 * 10'000 / 1e12));
  CHECK(much->reached_by == "fp64 pipe");
  CHECK(seconds(500)->limit == "waiting");
  CHECK(seconds(300)->limit == "waiting");
}

TEST_CASE("L2 adds slowly, and the tensor pipe has a peak of its own") {
  ThreadWork thread;
  thread.l2_atomics = 10;
  const auto atomics = call_time({launch_of(thread)}, card_of_even_numbers(), Seconds(0));
  CHECK(atomics->limit == "L2");
  CHECK(atomics->low.value() == Approx(10.0 * 256 * 256 * 1000 / 4e12));
  thread = {};
  thread.tensor = 1e5;
  const auto product = call_time({launch_of(thread)}, card_of_even_numbers(), Seconds(0));
  CHECK(product->reached_by == "tensor pipe");
  CHECK(product->reachable.value() == Approx(1e5 * 256 * 1000 / 1e14));
}

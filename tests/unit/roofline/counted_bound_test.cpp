#include "roofline/counted_bound.h"

#include <catch2/catch.hpp>

using namespace rooftune;

namespace {

Machine card() {
  return read_machine(std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "machines" / "rtx3090.json");
}

}  // namespace

TEST_CASE("counts over the rates of all multiprocessors bound the time") {
  CountedWork work;
  work.instructions = 4e9;
  const auto issue = counted_bound(work, card());
  REQUIRE(issue);
  CHECK(issue->ceiling == "issue");
  // A billion cycles of four warps, spread over 82 multiprocessors at 2.1 GHz.
  CHECK(issue->time.value() == Approx(1e9 / 82 / 2.1e9).epsilon(1e-3));
  work.wavefronts = 2e9;
  const auto data = counted_bound(work, card());
  CHECK(data->ceiling == "L1 data");
  CHECK(data->time.value() == Approx(2 * issue->time.value()).epsilon(1e-9));
  // The integer lanes are half of all lanes on this card.
  CountedWork integers;
  integers.integer = 64e9;
  CHECK(counted_bound(integers, card())->ceiling == "integer lanes");
  integers.fp32 = 128e9;
  CHECK(counted_bound(integers, card())->ceiling == "lanes");
}

TEST_CASE("work is read from the profiler's names, and only where there are any") {
  const auto work = counted_work({{"smsp__inst_executed.sum", 7},
                                  {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 20},
                                  {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 3},
                                  {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1},
                                  {"dram__sectors_read.sum", 1e9}});
  REQUIRE(work);
  CHECK(work->instructions == 7);
  CHECK(work->wavefronts == 24);
  CHECK(work->fp32 == 0);
  CHECK_FALSE(counted_work({{"dram__sectors_read.sum", 1e9}}));
}

TEST_CASE("nothing is bounded on a machine whose generation or clock is not known") {
  CountedWork work;
  work.instructions = 1e9;
  Machine machine = card();
  machine.gpu->compute_capability = 61;
  CHECK_FALSE(counted_bound(work, machine));
  machine = card();
  machine.ceilings.clear();
  CHECK_FALSE(counted_bound(work, machine));
  machine = card();
  machine.gpu.reset();
  CHECK_FALSE(counted_bound(work, machine));
}

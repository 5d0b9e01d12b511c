#include "roofline/counted_bound.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace rooftune::roofline {
namespace {

constexpr std::string_view single = "fp32";

/// Of one multiprocessor in one cycle.
struct Throughput {
  double instructions = 4;  ///< warps: one per scheduler
  double fp32 = 64, integer = 64;
  double lanes = 128;  ///< fp32 and integer together
  double memory = 32, wavefronts = 1;
};

/// Compute capability 7.0 and up: four schedulers. From 8.6 on half of the fp32 lanes are those of
/// the integers, 9.0 has 128 beside them.
std::optional<Throughput> throughput(int capability) {
  if (capability < 70 || capability >= 100) return std::nullopt;
  Throughput result;
  if (capability >= 86) result.fp32 = 128;
  return result;
}

/// The sum of the counters present; adds their number to `known`.
double sum(const std::map<std::string, double>& counters, const std::vector<const char*>& names,
           int& known) {
  double total = 0;
  for (const char* const name : names) {
    const auto found = counters.find(name);
    if (found == counters.end()) continue;
    total += found->second;
    ++known;
  }
  return total;
}

}  // namespace

std::optional<CountedWork> counted_work(const std::map<std::string, double>& counters) {
  CountedWork work;
  int known = 0;
  work.instructions = sum(counters, {"smsp__inst_executed.sum"}, known);
  work.fp32 = sum(counters, {"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"}, known);
  work.integer = sum(counters, {"smsp__sass_thread_inst_executed_op_integer_pred_on.sum"}, known);
  work.memory = sum(counters, {"smsp__sass_thread_inst_executed_op_memory_pred_on.sum"}, known);
  work.wavefronts = sum(counters,
                        {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                         "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                         "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
                        known);
  if (known == 0) return std::nullopt;
  return work;
}

std::optional<CountedBound> counted_bound(const CountedWork& work, const Machine& machine) {
  const auto rate = machine.gpu ? throughput(machine.gpu->compute_capability) : std::nullopt;
  if (!rate) return std::nullopt;
  double fp32 = 0;
  for (const Ceiling& ceiling : machine.ceilings)
    if (ceiling.precision == single) fp32 = std::max(fp32, ceiling.rate.high);
  // An FMA counts as two operations.
  const double cycles = fp32 / 2 / rate->fp32;
  if (!(cycles > 0)) return std::nullopt;
  CountedBound bound;
  const auto consider = [&](const char* ceiling, double amount, double per_cycle) {
    const Seconds time{amount / per_cycle / cycles};
    if (time <= bound.time && !bound.ceiling.empty()) return;
    bound = {time, ceiling};
  };
  consider("issue", work.instructions, rate->instructions);
  consider("fp32 lanes", work.fp32, rate->fp32);
  consider("integer lanes", work.integer, rate->integer);
  // 9.0 has 64 integer lanes beside its 128.
  const bool beside = machine.gpu->compute_capability >= 90;
  consider("lanes", work.fp32 + work.integer, beside ? rate->fp32 + rate->integer : rate->lanes);
  consider("load/store", work.memory, rate->memory);
  consider("L1 data", work.wavefronts, rate->wavefronts);
  return bound;
}

}  // namespace rooftune::roofline

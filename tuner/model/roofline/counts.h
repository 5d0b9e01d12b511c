// Counts of one call of a kernel: operations, accesses and bytes across each level, as executed.
// Absent members were not counted; nothing here is ever guessed.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/quantity.h"
#include "roofline/machine.h"

namespace rooftune::roofline {

/// Memory instructions, and the bytes between them and the registers.
struct AccessCount {
  Estimate instructions;
  Estimate bytes;
};

/// Bytes across the boundary outside the next inner level: of "L2", between L1 and L2.
struct LevelCount {
  Estimate read, write;
  Source source;
};

/// Per call of the kernel; intervals are wider than their value where it was scaled (multiplexed
/// events, sampled sets).
struct Counts {
  /// By kind: "add" (and subtract), "mul", "fma", "div", "sqrt", "minmax", "other", one for each
  /// active lane; "flop" where a source does not distinguish kinds (an fma then counts twice
  /// already).
  using Operations = std::map<std::string, Estimate>;
  static constexpr std::string_view fma = "fma";
  static constexpr const char* unknown_precision = "fp";  ///< of operations counted together

  std::string provider;                          ///< name in the table of providers
  std::map<std::string, Operations> operations;  ///< by precision, perhaps unknown
  Source operations_source;
  std::optional<AccessCount> loads, stores;
  Source access_source;
  std::map<std::string, LevelCount> traffic;  ///< by level
  /// Further figures by name: "instructions", "bytes loaded from arrays".
  std::map<std::string, Estimate> details;
  std::vector<std::string> notes;  ///< method of counting, and omissions
  std::vector<std::string> flags;  ///< figures that cannot be right: the reader must see these
};

/// Names among `details` to tell walls apart, behind the name of a level.
inline constexpr const char* allocated_suffix = " bytes read for stores";
inline constexpr const char* scattered_suffix = " bytes without conflicts";
/// Names among `details`, per call, to tell what code has, and what holds it back
/// (bottlenecks(), below).
/// In [0, 1]: operations of instructions with several lanes, of all.
inline constexpr const char* vector_share = "share of operations in vectors";
inline constexpr const char* stored_bytes = "bytes stored to arrays";
inline constexpr const char* streamed_bytes = "bytes streamed";  ///< of these, past the caches
inline constexpr const char* instructions_detail = "instructions";
inline constexpr const char* counted_threads = "threads";
inline constexpr const char* busiest_thread = "instructions of the busiest thread";
inline constexpr const char* scattered_loads = "loads from scattered addresses";
inline constexpr const char* parallel_regions = "parallel regions";
inline constexpr const char* empty_region = "seconds of an empty parallel region";

/// A part of the bytes across a level, by the paradigm able to save it.
struct CountedWall {
  std::string level, name;  ///< compulsory, write allocate, capacity, conflict
  double bytes = 0;
};
/// The counted traffic of a level above `least` bytes: write allocate as counted; conflict, the
/// saving of a placement by chance; capacity, the rest. Uncounted parts stay in capacity. Empty
/// when the level was not counted.
std::vector<CountedWall> counted_walls(const Counts& counts, const std::string& level,
                                       double least);

/// Flops of one precision, fma as 2; zero when it has none.
Estimate flops(const Counts& counts, const std::string& precision);
/// Of all precisions; nullopt when operations were not counted.
std::optional<Estimate> flops(const Counts& counts);

/// One picture from several counts of the same call: the first count of each figure, with its own
/// source. Notes and flags of all.
Counts combined(const std::vector<Counts>& counts);

/// Where two counts of the same call differ by more than `tolerance` (a ratio, 0.05) beyond their
/// intervals: one sentence for each figure, with both values and both sources.
std::vector<std::string> disagreements(const Counts& one, const Counts& other, double tolerance);
/// Every figure is 0: the work is done in code that the provider does not see, as a library's.
bool is_empty(const Counts& counts);
/// Impossible counts of a call of `seconds`: negative, infinite or overflown figures, speeds above
/// every ceiling of the machine, an empty count. One sentence for each.
std::vector<std::string> impossible_counts(const Counts& counts, const Machine& machine,
                                           const Estimate& seconds);

Json to_json(const Counts& counts);
void decode(const Json& json, const Place& place, Counts& counts);

struct Bottleneck {
  enum class Kind {
    regions,
    imbalance,
    latency,
    dependency,    ///< few instructions pass, and their data lie in L1
    instructions,  ///< many pass
  };
  Kind kind;
  /// Time over that of the call; above 1 where loads overlap or a region takes less than an empty
  /// one did. Of `dependency` and `instructions` 0: they have no price.
  double part = 0;
  /// regions: how many per call; imbalance: the busiest thread's instructions over the mean;
  /// latency: scattered loads per call that miss L1; dependency, instructions: instructions that
  /// pass in a cycle of the busiest thread.
  double figure = 0;
  double seconds = 0;  ///< of one empty region, of one load; else 0
};

/// Each with its evidence among `counts.details`, the largest part first; nothing is said without.
/// `seconds`: of a call; what is said holds at both of its ends. Latencies and the clock come from
/// the machine's ceilings; none for a GPU.
std::vector<Bottleneck> bottlenecks(const Counts& counts, const Machine& machine,
                                    const Estimate& seconds);

}  // namespace rooftune::roofline

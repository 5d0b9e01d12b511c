// What one kernel call was counted to do: operations, accesses and bytes across each level. Absent
// members were not counted; nothing here is ever guessed.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/list.h"
#include "core/quantity.h"
#include "roofline/machine.h"

namespace rooftune::roofline {

/// Memory instructions, and the bytes between them and the registers.
struct AccessCount {
  Estimate instructions;
  Estimate bytes;
};

/// Bytes across the boundary outside the next inner level: "L2" has those between L1 and L2.
struct LevelCount {
  Estimate read, write;
  Source source;
  Estimate total() const { return read + write; }
};

/// Per kernel call; an interval is wider than its value where the value was scaled (multiplexed
/// events, sampled sets).
struct Counts {
  /// By kind: "add" (and subtract), "mul", "fma", "div", "sqrt", "minmax", "other", one for each
  /// active lane; "flop" where a source does not distinguish kinds (an fma then counts twice
  /// already).
  using Operations = ByName<Estimate>;
  static constexpr std::string_view fma = "fma";
  static constexpr const char* unknown_precision = "fp";  ///< for operations counted together

  std::string provider;           ///< name in the provider table
  ByName<Operations> operations;  ///< by precision, perhaps unknown
  Source operations_source;
  std::optional<AccessCount> loads, stores;
  Source access_source;
  ByName<LevelCount> traffic;  ///< by level
  /// Further figures by name: "instructions", "bytes loaded from arrays".
  ByName<Estimate> details;
  Texts notes;  ///< how it counted, and what it left out
  Texts flags;  ///< figures that cannot be right: the reader must see these
};
using CountsList = std::vector<Counts>;

/// Names among `details` that tell walls apart; a level's name stands before them.
inline constexpr const char* allocated_suffix = " bytes read for stores";
inline constexpr const char* scattered_suffix = " bytes without conflicts";
/// Names among `details`, per call, that tell what code does and what hinders it (limit()). Which
/// share of all operations comes from instructions with several lanes, in [0, 1].
inline constexpr const char* vector_share = "share of operations in vectors";
inline constexpr const char* stored_bytes = "bytes stored to arrays";
inline constexpr const char* streamed_bytes = "bytes streamed";  ///< among these, past the caches
/// Each array byte once: those read before the call wrote there, and those written last.
inline constexpr const char* bytes_read_first = "distinct bytes read first";
inline constexpr const char* bytes_left_written = "distinct bytes left written";
inline constexpr const char* instructions_detail = "instructions";
inline constexpr const char* counted_threads = "threads";
inline constexpr const char* busiest_thread = "instructions of the busiest thread";
inline constexpr const char* scattered_loads = "loads from scattered addresses";
/// Chains from one loop iteration to the next: the loads whose addresses they make, and their
/// operations, by precision and kind: "dependent fp64 fma".
inline constexpr const char* dependent_loads_detail = "dependent loads";
inline constexpr const char* dependent_prefix = "dependent ";
/// A detail's value; 0 where it was not counted.
double detail_of(const Counts& counts, const std::string& name);

/// Integer operations, also those for addresses and loops: "int64 add", "int32 mul in vectors".
/// Precision and mix are named as a ceiling's; nullopt for another detail.
struct IntegerKind {
  std::string precision, mix;
  bool vector = false;
};
std::optional<IntegerKind> integer_kind(const std::string& detail);
inline constexpr const char* parallel_regions = "parallel regions";
inline constexpr const char* empty_region = "seconds of an empty parallel region";

/// A part of the bytes across a level, by the paradigm that can save it.
struct CountedWall {
  std::string level, name;  ///< compulsory, write allocate, capacity, conflict
  double bytes = 0;
};
/// A level's counted traffic above `least` bytes: write allocate as counted; conflict, which random
/// placement would save; capacity, the rest. Uncounted parts stay in capacity. Empty when the level
/// was not counted.
std::vector<CountedWall> counted_walls(const Counts& counts, const std::string& level,
                                       double least);

/// One precision's flops, fma as 2; zero when it has none.
Estimate flops(const Counts& counts, const std::string& precision);
/// Flops over all precisions; nullopt when operations were not counted.
std::optional<Estimate> flops(const Counts& counts);

/// One picture from several counts of the same call: each figure from the first that counted it,
/// with its own source. Notes and flags from all.
Counts combined(const CountsList& counts);

/// Where two counts of the same call differ by more than `tolerance` (a ratio, 0.05) beyond their
/// intervals: one sentence for each figure, with both values and both sources.
Texts disagreements(const Counts& one, const Counts& other, double tolerance);
/// Every figure is 0: the provider does not see the code that does the work, such as a library's.
bool is_empty(const Counts& counts);
/// Impossible counts for a call that takes `seconds`: negative, infinite or overflown figures,
/// speeds above every ceiling the machine has, an empty count. One sentence for each.
Texts impossible_counts(const Counts& counts, const Machine& machine, const Estimate& seconds);

Json to_json(const Counts& counts);
void decode(const Place& place, Counts& counts);

}  // namespace rooftune::roofline

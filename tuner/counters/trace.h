// The trace of a counting artefact: what its blocks do, and the reading of the words that its
// threads appended. The format is build/counting.h's.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "counters/cache_model.h"

namespace rooftune::inline counters {

/// One thing that a block does each time it runs.
struct TraceStep {
  enum class Kind { load, store, streamed, prefetch, gather, scatter, copy, fill, operation };
  Kind kind = Kind::load;
  bool masked = false, compressed = false;
  int bytes = 0, element = 0, lanes = 0, scale = 1, index_bytes = 0, index_words = 0;
  std::size_t operation = 0;  ///< position among TraceTable::operations
};

struct TraceBlock {
  std::vector<TraceStep> steps;
  std::vector<std::pair<std::size_t, std::uint64_t>> operations;  ///< unmasked: kind and lanes
  std::vector<std::size_t> calls, unknown;                        ///< positions among the names
  std::uint64_t instructions = 0;
  std::size_t words = 1;
};

struct TraceTable {
  std::vector<TraceBlock> blocks;
  std::vector<std::pair<std::string, std::string>> operations;  ///< precision and kind
  std::vector<std::string> calls, unknown;
};
/// Throws Error for a text that is no table.
TraceTable trace_table(const std::string& text);

/// Where an address lies.
struct Region {
  std::uint64_t from = 0, to = 0;
};

/// Accesses of one sort.
struct AccessTally {
  std::uint64_t instructions = 0, bytes = 0;
};

/// What was read from traces so far.
struct TraceTally {
  std::vector<std::uint64_t> blocks;      ///< how often each block ran
  std::vector<std::uint64_t> masked;      ///< active lanes of masked operations, by kind
  AccessTally loads, stores;              ///< all
  AccessTally array_loads, array_stores;  ///< neither on a stack nor in the code's own image
  std::uint64_t streamed_bytes = 0, prefetches = 0, accesses = 0;
};

/// Reads words into a tally and, where there is one, a cache model.
class TraceReader {
 public:
  explicit TraceReader(const TraceTable& table);
  /// Accesses go to these models as well; none at first.
  void simulate(std::vector<CacheModel*> models) { models_ = std::move(models); }
  void add_stack(const Region& stack) { stacks_.push_back(stack); }
  void set_image(const Region& image) { image_ = image; }
  /// Words of whole blocks that `core` appended.
  void read(int core, const std::uint64_t* words, std::size_t count);
  const TraceTally& tally() const { return tally_; }
  void reset();

 private:
  const std::uint64_t* step(const TraceStep& step, int core, const std::uint64_t* word);
  const std::uint64_t* indexed(const TraceStep& step, int core, const std::uint64_t* word);
  void touch(TraceStep::Kind kind, int core, std::uint64_t address, std::uint64_t bytes);
  void count(bool load, std::uint64_t address, std::uint64_t bytes);
  bool in_array(std::uint64_t address) const;

  const TraceTable& table_;
  std::vector<CacheModel*> models_;
  std::vector<Region> stacks_;
  Region image_;
  TraceTally tally_;
};

}  // namespace rooftune::inline counters

// A counting artefact's trace: what its blocks do, and a reader for the words that its threads
// append.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/callback.h"
#include "core/fields.h"
#include "core/list.h"
#include "core/modules.h"
#include "core/unique.h"
#include "instrumentation/cache_model.h"
#include "instrumentation/touched_words.h"
#include "os/dynamic_library.h"

namespace rooftune::instrumentation {

/// A range of addresses, [from, to).
struct Region {
  uint64_t from = 0, to = 0;
  bool holds(uint64_t address) const { return address - from < to - from; }
};

/// Accesses that belong together.
struct AccessTally {
  uint64_t instructions = 0, bytes = 0;
  void add(uint64_t times, uint64_t each) {
    instructions += times;
    bytes += times * each;
  }
};

/// One step in a block, done each time the block runs, and its words in the trace.
struct TraceStep {
  /// load of `bytes`: an address, under a mask an address and a mask; store likewise; streamed, a
  /// store past the caches: an address; prefetch: an address; gather: a base, the index words, a
  /// mask; scatter likewise; copy, a call: to, from, bytes; fill, a call: to, bytes; operation: a
  /// mask.
  ROOFTUNE_NESTED_ENUM(Kind, load, store, streamed, prefetch, gather, scatter, copy, fill,
                       operation)
  Kind kind = Kind::load;
  bool masked = false, compressed = false;  ///< compressed: active elements lie side by side
  int bytes = 0, element = 0, lanes = 0, scale = 1, index_bytes = 0, index_words = 0;
  size_t operation = 0;  ///< position among TraceTable::operations
  /// Whether it leaves one word, an address, and always accesses the same number of bytes.
  bool plain() const { return kind <= Kind::prefetch && !masked; }
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(kind);
    ROOFTUNE_EACH(visit.sparse, self, masked, compressed, bytes, element, lanes);
    visit.sparse("scale", self.scale, 1);
    ROOFTUNE_EACH(visit.sparse, self, index_bytes, index_words, operation);
  }
};

struct TraceBlock {
  std::vector<TraceStep> steps;
  std::vector<std::pair<size_t, uint64_t>> operations;  ///< unmasked: kind and lanes
  Indices calls, unknown;                               ///< positions in TraceTable
  /// If this block closes a loop: the chain from one iteration to the next, as positions in
  /// TraceTable::links and how many of each.
  std::vector<std::pair<size_t, uint64_t>> chain;
  uint64_t instructions = 0;
  size_t words = 1;  ///< the block's number, then its steps' words
  /// Sums lanes over the unmasked operations that are wanted: (kind, lanes) -> bool.
  uint64_t lanes(const auto& wanted) const {
    uint64_t sum = 0;
    for (const auto& [kind, each] : operations) sum += wanted(kind, each) ? each : 0;
    return sum;
  }
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, instructions, words);
    ROOFTUNE_EACH(visit.sparse, self, steps, operations, calls, unknown, chain);
  }
};

/// What all blocks do, by block number. A counting artefact holds it as JSON.
struct TraceTable {
  std::vector<TraceBlock> blocks;
  /// Precision and kind, whole numbers included.
  TextPairs operations;
  Texts links;           ///< the sorts of links in chains: "loads", "fp64 fma"
  Texts calls, unknown;  ///< functions outside, instructions not understood
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, blocks, operations, calls, unknown);
    visit.sparse("links", self.links);
  }
};

/// Sums over the traces that were read.
struct TraceTally {
  uint64_t words = 0;
  std::vector<uint64_t> blocks;  ///< how often each block ran
  std::vector<uint64_t> masked;  ///< active lanes in masked operations, by kind
  AccessTally loads, stores;     ///< all
  /// Bytes that lie neither on a stack nor in the code's own image.
  uint64_t array_loaded = 0, array_stored = 0, streamed_bytes = 0;
  /// Loads from arrays that are neither near the instruction's last address nor continue its
  /// stride: no prefetcher foresees them.
  uint64_t scattered_loads = 0;
  std::vector<uint64_t> instructions;  ///< each thread's
};

/// Reads words into a tally and, where there is one, a cache model.
class TraceReader {
 public:
  explicit TraceReader(const TraceTable& table);
  /// Sends accesses to these models as well; none at first.
  void simulate(std::vector<CacheModel*> models) { models_ = std::move(models); }
  /// Sends them to these words as well; to none at first.
  void watch(TouchedWords* words) { touched_ = words; }
  /// Declares that a region holds no array: a stack, or the code's own image.
  void add_aside(const Region& region);
  /// Reads words that `core` appended, for whole blocks.
  void read(int core, const uint64_t* words, size_t count);
  /// Forgets everything read so far, here and in the models. From now on the call has `windows`
  /// windows, and the first is open.
  void reset(size_t windows = 1);
  /// Words read from now on belong to this window; to none if the number is beyond the last window.
  void open_window(size_t window);
  TraceTally tally(size_t window = 0) const;

 private:
  /// A step, and the region around its last address: all of it arrays, or none.
  struct Step : TraceStep {
    Region around;
    bool aside = false;
    uint64_t last = 0;   ///< address
    int64_t stride = 0;  ///< from the address before the last
  };
  struct Block {
    std::vector<Step> steps;
    size_t words = 1;
    uint64_t instructions = 0;
  };

  const uint64_t* step(Step& step, int core, const uint64_t* word);
  const uint64_t* indexed(Step& step, int core, const uint64_t* word);
  void plain(Step& step, int core, uint64_t address);
  void follow(Step& step, uint64_t address);
  void touch(const Step& step, bool writes, int core, uint64_t address, uint64_t bytes);
  void count(bool load, Step& step, uint64_t address, uint64_t bytes);
  void locate(Step& step, uint64_t address) const;

  const TraceTable& table_;
  std::vector<Block> blocks_;
  std::vector<CacheModel*> models_;
  TouchedWords* touched_ = nullptr;
  std::vector<Region> aside_;
  /// Sums over one window. Plain steps follow from their blocks' counts: here are only the bytes
  /// that they access outside arrays.
  struct Window {
    TraceTally tally;
    uint64_t aside_loaded = 0, aside_stored = 0;
  };
  std::vector<Window> windows_;  ///< and one without a reader
  Window* now_ = nullptr;
};

// A process's traces: one buffer for each thread in a counting artefact, all emptied into one
// reader. One Tracing at a time may be attached; it must outlive the variant's last call. Nothing
// is read before it is asked for: so the woven code runs fastest.

/// Words in one thread's buffer, and in the smallest part that is read or left out. Small enough
/// for an outer cache, large enough to make emptying cheap per word.
inline constexpr size_t trace_buffer_words = size_t{1} << 15;

/// Which parts of a call to read: `number` windows spread over each thread's words, in all a
/// `share` of the words. The first half of each window only fills the models' caches.
struct TraceWindows {
  size_t number = 1;
  double share = 1;
  bool whole() const { return share >= 1; }
};

class Tracing : Unique {
 public:
  Tracing();
  ~Tracing();
  /// Reads the artefact's table and sets its hook. Throws Error when it is no counting artefact.
  void attach(const DynamicLibrary& library);
  /// Calls, and returns how many words all threads appended; they are forgotten.
  uint64_t measure(const Callback& call);
  /// Calls and reads all threads' words. Reading parts needs an earlier measured call of the same
  /// kind. Throws Error when a trace is torn.
  void read(const Callback& call, const TraceWindows& windows = {});
  const TraceTable& table() const { return table_; }
  TraceReader& reader() { return *reader_; }

 private:
  /// The layout that the woven code uses: where the next block goes, and where the buffer ends.
  struct Cursor {
    uint64_t* next;
    uint64_t* end;
  };
  /// One thread's buffer; empties itself when its thread ends.
  struct Buffer;
  struct Lease;

  static void refill(Cursor* cursor, size_t bytes);
  Buffer& buffer_of_this_thread(Cursor* cursor);
  void empty(Buffer& buffer);
  /// Whether to read a thread's words from `position` on; opens their window.
  bool wanted(uint64_t position, uint64_t all);
  /// Calls, and reads if `reading`; all threads' positions begin anew.
  void run(const Callback& call, bool reading);

  static Tracing* attached_;
  uint64_t serial_ = 0;
  TraceTable table_;
  std::unique_ptr<TraceReader> reader_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  bool reading_ = false;
  TraceWindows windows_;
  uint64_t longest_ = 0;  ///< the most words of a thread in the measured call
  std::string fault_;
};

}  // namespace rooftune::instrumentation

// The traces of a process: one buffer per thread of a counting artefact, emptied into one reader.
// One Tracing at a time may be attached; it must outlive the variant's last call. Nothing is read
// before a request: the woven code runs fastest so.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "instrumentation/module.h"
#include "instrumentation/trace.h"
#include "os/dynamic_library.h"

namespace rooftune::instrumentation {

/// Of one thread, and of the smallest part read or left out. Small enough for an outer cache, large
/// enough for a low cost of emptying per word.
inline constexpr std::size_t trace_buffer_words = std::size_t{1} << 15;

/// The parts of a call to read: `number` windows spread over each thread's words, `share` of them
/// in all. The first half of each only fills the caches of the models.
struct TraceWindows {
  std::size_t number = 1;
  double share = 1;
  bool whole() const { return share >= 1; }
};

class Tracing {
 public:
  Tracing();
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;
  /// Reads the artefact's table and sets its hook. Throws Error when it is no counting artefact.
  void attach(const DynamicLibrary& library);
  /// Calls, and returns how many words all threads appended; they are forgotten.
  std::uint64_t measure(const std::function<void()>& call);
  /// Calls and reads the words of all threads. Parts need an earlier measured call of the same
  /// kind. Throws Error when a trace is torn.
  void read(const std::function<void()>& call, const TraceWindows& windows = {});
  const TraceTable& table() const { return table_; }
  TraceReader& reader() { return *reader_; }

 private:
  /// As the woven code has it: where the next block goes, and where the buffer ends.
  struct Cursor {
    std::uint64_t* next;
    std::uint64_t* end;
  };
  /// One thread's buffer; empties itself when its thread ends.
  struct Buffer;
  struct Lease;

  static void refill(Cursor* cursor, std::size_t bytes);
  Buffer& buffer_of_this_thread(Cursor* cursor);
  void empty(Buffer& buffer);
  /// Whether to read a thread's words from `position` on; opens their window.
  bool wanted(std::uint64_t position, std::uint64_t all);
  /// Calls as `reading` says; the positions of all threads begin anew.
  void run(const std::function<void()>& call, bool reading);

  static Tracing* attached_;
  std::uint64_t serial_ = 0;
  TraceTable table_;
  std::unique_ptr<TraceReader> reader_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  bool reading_ = false;
  TraceWindows windows_;
  std::uint64_t longest_ = 0;  ///< words of one thread in the measured call
  std::string fault_;
};

}  // namespace rooftune::instrumentation

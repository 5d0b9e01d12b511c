// The traces of a process: one buffer per thread of a counting artefact, emptied into one reader.
// One Tracing at a time may be attached; it must outlive the variant's last call.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "counters/trace.h"
#include "os/dynamic_library.h"

namespace rooftune::inline counters {

class Tracing {
 public:
  Tracing();
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;
  /// Reads the artefact's table and sets its hook. Throws Error when it is no counting artefact.
  void attach(const DynamicLibrary& library);
  /// Reads what all threads have appended so far. Throws Error when a trace is torn.
  void drain();
  const TraceTable& table() const { return table_; }
  TraceReader& reader() { return *reader_; }
  /// Threads that have appended so far.
  int threads() const;

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

  static Tracing* attached_;
  std::uint64_t serial_ = 0;
  TraceTable table_;
  std::unique_ptr<TraceReader> reader_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::string fault_;
};

}  // namespace rooftune::inline counters

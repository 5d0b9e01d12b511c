#include "instrumentation/tracing.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/error.h"
#include "instrumentation/weaving.h"

namespace rooftune::instrumentation {
namespace {

Region stack_of_this_thread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  const auto from = reinterpret_cast<std::uint64_t>(low);
  return {from, from + size};
}

/// The memory of the shared object around an address.
Region image_of(const void* inside) {
  struct Search {
    std::uint64_t address;
    Region found;
  } search{reinterpret_cast<std::uint64_t>(inside), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        Region all{~std::uint64_t{0}, 0};
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& header = object->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          const std::uint64_t from = object->dlpi_addr + header.p_vaddr;
          all.from = std::min(all.from, from);
          all.to = std::max(all.to, from + header.p_memsz);
        }
        if (wanted.address < all.from || wanted.address >= all.to) return 0;
        wanted.found = all;
        return 1;
      },
      &search);
  return search.found;
}

}  // namespace

struct Tracing::Buffer {
  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(trace_buffer_words);
  Cursor* cursor = nullptr;  ///< in the thread's own memory; null once the thread has ended
  int core = 0;
  std::uint64_t position = 0, measured = 0;  ///< words of this call so far, and of the measured one
};

/// Lives in the thread; its end is the last moment for reading the cursor.
struct Tracing::Lease {
  std::uint64_t owner = 0;  ///< serial: a later Tracing may lie where an earlier one was
  Buffer* buffer = nullptr;
  ~Lease() {
    Tracing* const tracing = attached_;
    if (!tracing || owner != tracing->serial_) return;
    const std::lock_guard lock(tracing->mutex_);
    tracing->empty(*buffer);
    buffer->cursor = nullptr;
  }
};

Tracing* Tracing::attached_ = nullptr;

Tracing::Tracing() {
  static std::atomic<std::uint64_t> count{0};
  serial_ = ++count;
}

Tracing::~Tracing() {
  if (attached_ == this) attached_ = nullptr;
  // An artefact still open must not write on into freed buffers.
  const std::lock_guard lock(mutex_);
  for (const auto& buffer : buffers_)
    if (buffer->cursor) *buffer->cursor = {nullptr, nullptr};
}

void Tracing::attach(const DynamicLibrary& library) {
  auto* const hook = static_cast<void (**)(Cursor*, std::size_t)>(library.find(trace_hook_symbol));
  const auto* const table = static_cast<const char*>(library.find(trace_table_symbol));
  if (!hook || !table) throw Error("the artefact was not built to be counted");
  table_ = decoded<TraceTable>(parse_json(table, "trace table"), "trace table");
  reader_ = std::make_unique<TraceReader>(table_);
  reader_->add_aside(image_of(table));
  attached_ = this;
  *hook = &Tracing::refill;
}

Tracing::Buffer& Tracing::buffer_of_this_thread(Cursor* cursor) {
  thread_local Lease lease;
  if (lease.owner == serial_) return *lease.buffer;
  auto buffer = std::make_unique<Buffer>();
  buffer->cursor = cursor;
  // Constructors wrote to a spare buffer of the artefact's; their words are no part of any call.
  cursor->next = nullptr;
  buffer->core = static_cast<int>(buffers_.size());
  reader_->add_aside(stack_of_this_thread());
  lease.owner = serial_;
  lease.buffer = buffer.get();
  buffers_.push_back(std::move(buffer));
  return *lease.buffer;
}

void Tracing::empty(Buffer& buffer) {
  if (!buffer.cursor || !buffer.cursor->next) return;
  std::uint64_t* const begin = buffer.words.data();
  const auto count = static_cast<std::size_t>(buffer.cursor->next - begin);
  buffer.cursor->next = begin;
  const std::uint64_t position = buffer.position;
  buffer.position += count;
  if (!reading_ || !fault_.empty() || !wanted(position, buffer.measured)) return;
  try {
    reader_->read(buffer.core, begin, count);
  } catch (const Error& error) {
    // The caller may be the variant's code; exceptions must not pass through it.
    fault_ = error.message();
  }
}

void Tracing::refill(Cursor* cursor, std::size_t bytes) {
  Tracing* const self = attached_;
  if (!self) {
    // Destructors of an artefact after its counting: their words have no reader.
    thread_local std::vector<std::uint64_t> unread;
    unread.resize(bytes / 8);
    cursor->next = unread.data();
    cursor->end = cursor->next + unread.size();
    return;
  }
  const std::lock_guard lock(self->mutex_);
  Buffer& buffer = self->buffer_of_this_thread(cursor);
  self->empty(buffer);
  if (bytes > 8 * buffer.words.size()) buffer.words.resize(bytes / 8);
  cursor->next = buffer.words.data();
  cursor->end = cursor->next + buffer.words.size();
}

bool Tracing::wanted(std::uint64_t position, std::uint64_t all) {
  if (windows_.whole()) return true;
  // A new thread has no known length: as long as the longest.
  const std::uint64_t length = std::max(all > 0 ? all : longest_, position + 1);
  const double place = static_cast<double>(position) * static_cast<double>(windows_.number) /
                       static_cast<double>(length);
  const double inside = place - std::floor(place);
  // The first half only fills caches and is not counted.
  const bool counts = 2 * inside >= windows_.share;
  reader_->open_window(counts ? static_cast<std::size_t>(place) : windows_.number);
  return inside < windows_.share;
}

void Tracing::run(const std::function<void()>& call, bool reading) {
  const auto empty_all = [&] {
    const std::lock_guard lock(mutex_);
    for (const auto& buffer : buffers_) empty(*buffer);
  };
  empty_all();
  for (const auto& buffer : buffers_) buffer->position = 0;
  reading_ = reading;
  call();
  empty_all();
  reading_ = false;
  if (!fault_.empty()) throw Error(fault_);
}

std::uint64_t Tracing::measure(const std::function<void()>& call) {
  run(call, false);
  std::uint64_t words = 0;
  for (const auto& buffer : buffers_) {
    words += buffer->measured = buffer->position;
    longest_ = std::max(longest_, buffer->position);
  }
  return words;
}

void Tracing::read(const std::function<void()>& call, const TraceWindows& windows) {
  windows_ = windows;
  run(call, true);
}

}  // namespace rooftune::instrumentation

// Empties a counting artefact's trace thread by thread, and reads its words.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "core/callback.h"
#include "core/error.h"
#include "core/list.h"
#include "instrumentation/trace.h"
#include "instrumentation/weaving.h"

namespace rooftune::instrumentation {
namespace {

Region stack_of_this_thread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  const auto from = reinterpret_cast<uint64_t>(low);
  return {from, from + size};
}

/// The memory that the shared object around an address occupies.
Region image_of(const void* inside) {
  struct Search {
    uint64_t address;
    Region found;
  } search{reinterpret_cast<uint64_t>(inside), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        Region all{~uint64_t{0}, 0};
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& header = object->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          const uint64_t from = object->dlpi_addr + header.p_vaddr;
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

// Reading the words: this runs once for each block that the variant ran, so with few decisions.

using Kind = TraceStep::Kind;

uint64_t active(const TraceStep& step, uint64_t mask) {
  return step.lanes >= 64 ? mask : mask & ((uint64_t{1} << step.lanes) - 1);
}

}  // namespace

struct Tracing::Buffer {
  std::vector<uint64_t> words = std::vector<uint64_t>(trace_buffer_words);
  Cursor* cursor = nullptr;  ///< in the thread's own memory; null once the thread has ended
  int core = 0;
  uint64_t position = 0, measured = 0;  ///< words in this call so far, and in the measured call
};

/// Lives in the thread; its destructor is the last moment to read the cursor.
struct Tracing::Lease {
  uint64_t owner = 0;  ///< serial: a later Tracing may lie where an earlier one was
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
  static std::atomic<uint64_t> count{0};
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
  auto* const hook = static_cast<void (**)(Cursor*, size_t)>(library.find(trace_hook_symbol));
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
  // Constructors wrote to the artefact's spare buffer; their words belong to no call.
  cursor->next = nullptr;
  buffer->core = int(buffers_.size());
  reader_->add_aside(stack_of_this_thread());
  lease.owner = serial_;
  lease.buffer = buffer.get();
  buffers_.push_back(std::move(buffer));
  return *lease.buffer;
}

void Tracing::empty(Buffer& buffer) {
  if (!buffer.cursor || !buffer.cursor->next) return;
  uint64_t* const begin = buffer.words.data();
  const auto count = size_t(buffer.cursor->next - begin);
  buffer.cursor->next = begin;
  const uint64_t position = buffer.position;
  buffer.position += count;
  if (!reading_ || !fault_.empty() || !wanted(position, buffer.measured)) return;
  try {
    reader_->read(buffer.core, begin, count);
  } catch (const Error& error) {
    // The caller may be the variant's code; exceptions must not pass through it.
    fault_ = error.message();
  }
}

void Tracing::refill(Cursor* cursor, size_t bytes) {
  Tracing* const self = attached_;
  if (!self) {
    // An artefact's destructors run after counting: nobody reads their words.
    thread_local std::vector<uint64_t> unread;
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

bool Tracing::wanted(uint64_t position, uint64_t all) {
  if (windows_.whole()) return true;
  // A new thread's length is unknown: it counts as long as the longest.
  const uint64_t length = std::max(all > 0 ? all : longest_, position + 1);
  const double place = double(position) * double(windows_.number) / double(length);
  const double part = std::floor(place);
  // Each window lies elsewhere in its part (multiples of the golden ratio): else work that a call
  // does at its end, or once in so many blocks, would be met never or always.
  double whole = 0;
  const double begin = (1 - windows_.share) * std::modf((part + 1) * std::numbers::phi, &whole);
  const double inside = place - part - begin;
  // The first half only fills caches and is not counted.
  const bool counts = 2 * inside >= windows_.share;
  reader_->open_window(counts ? size_t(part) : windows_.number);
  return inside >= 0 && inside < windows_.share;
}

void Tracing::run(const Callback& call, bool reading) {
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

uint64_t Tracing::measure(const Callback& call) {
  run(call, false);
  uint64_t words = 0;
  for (const auto& buffer : buffers_) {
    words += buffer->measured = buffer->position;
    longest_ = std::max(longest_, buffer->position);
  }
  return words;
}

void Tracing::read(const Callback& call, const TraceWindows& windows) {
  windows_ = windows;
  run(call, true);
}

TraceReader::TraceReader(const TraceTable& table) : table_(table) {
  for (const TraceBlock& block : table.blocks) {
    blocks_.push_back({{}, block.words, block.instructions});
    for (const TraceStep& step : block.steps) blocks_.back().steps.push_back({step, {}});
  }
  reset();
}

void TraceReader::reset(size_t windows) {
  Window empty;
  empty.tally.blocks.resize(table_.blocks.size());
  empty.tally.masked.resize(table_.operations.size());
  windows_.assign(windows + 1, empty);
  now_ = windows_.data();
  for (CacheModel* const model : models_) model->reset_traffic(windows);
}

void TraceReader::open_window(size_t window) {
  now_ = &windows_[std::min(window, windows_.size() - 1)];
  for (CacheModel* const model : models_) model->open_window(window);
}

void TraceReader::add_aside(const Region& region) {
  aside_.push_back(region);
  for (Block& block : blocks_)
    for (Step& step : block.steps) step.around = {};
}

void TraceReader::locate(Step& step, uint64_t address) const {
  step.around = {0, ~uint64_t{0}};
  step.aside = false;
  for (const Region& region : aside_) {
    if (region.holds(address)) {
      step.around = region;
      step.aside = true;
      return;
    }
    if (region.to <= address) step.around.from = std::max(step.around.from, region.to);
    if (region.from > address) step.around.to = std::min(step.around.to, region.from);
  }
}

void TraceReader::count(bool load, Step& step, uint64_t address, uint64_t bytes) {
  if (!step.around.holds(address)) locate(step, address);
  (load ? now_->tally.loads : now_->tally.stores).add(1, bytes);
  if (step.aside) (load ? now_->aside_loaded : now_->aside_stored) += bytes;
}

void TraceReader::touch(const Step& step, bool writes, int core, uint64_t address, uint64_t bytes) {
  if (touched_ && !step.aside && step.kind != Kind::prefetch)
    touched_->touch(writes, address, bytes);
  for (CacheModel* const model : models_) {
    if (step.kind == Kind::streamed)
      model->stream(core, address, bytes);
    else if (writes)
      model->store(core, address, bytes);
    else
      model->load(core, address, bytes);
  }
}

/// A stream goes on nearby or by its stride. Threads share a step, and the thread changes only when
/// a buffer is full, so seldom within a call.
void TraceReader::follow(Step& step, uint64_t address) {
  constexpr int64_t near = 4 * CacheModel::line_bytes;
  const auto distance = int64_t(address - step.last);
  if (distance != step.stride && (distance > near || distance < -near) && !step.aside)
    ++now_->tally.scattered_loads;
  step.last = address;
  step.stride = distance;
}

/// Most of a trace: counts nothing here that the block's count already tells.
void TraceReader::plain(Step& step, int core, uint64_t address) {
  const auto bytes = uint64_t(step.bytes);
  if (!step.around.holds(address)) locate(step, address);
  if (step.aside && step.kind != Kind::prefetch)
    (step.kind == Kind::load ? now_->aside_loaded : now_->aside_stored) += bytes;
  if (step.kind == Kind::load) follow(step, address);
  touch(step, step.kind == Kind::store || step.kind == Kind::streamed, core, address, bytes);
}

TraceTally TraceReader::tally(size_t window) const {
  const auto& [tally, aside_loaded, aside_stored] = windows_[window];
  TraceTally all = tally;
  for (const size_t id : indices(blocks_)) {
    const uint64_t times = tally.blocks[id];
    for (const Step& step : blocks_[id].steps) {
      if (!step.plain()) continue;
      const auto bytes = uint64_t(step.bytes);
      if (step.kind != Kind::prefetch)
        (step.kind == Kind::load ? all.loads : all.stores).add(times, bytes);
      if (step.kind == Kind::streamed) all.streamed_bytes += times * bytes;
    }
  }
  all.array_loaded = all.loads.bytes - aside_loaded;
  all.array_stored = all.stores.bytes - aside_stored;
  return all;
}

const uint64_t* TraceReader::indexed(Step& step, int core, const uint64_t* word) {
  const uint64_t base = *word++;
  const char* const indices = reinterpret_cast<const char*>(word);
  word += step.index_words;
  const uint64_t mask = active(step, *word++);
  const auto element = uint64_t(step.element);
  count(step.kind == Kind::gather, step, base, element * unsigned(std::popcount(mask)));
  for (int lane = 0; lane < step.lanes; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    int64_t index = 0;
    if (step.index_bytes == 8) {
      std::memcpy(&index, indices + 8 * lane, 8);
    } else {
      int32_t narrow = 0;
      std::memcpy(&narrow, indices + 4 * lane, 4);
      index = narrow;
    }
    const uint64_t address = base + uint64_t(index * step.scale);
    if (step.kind == Kind::gather) follow(step, address);
    touch(step, step.kind == Kind::scatter, core, address, element);
  }
  return word;
}

const uint64_t* TraceReader::step(Step& step, int core, const uint64_t* word) {
  if (step.kind == Kind::operation) {
    now_->tally.masked[step.operation] += unsigned(std::popcount(active(step, *word)));
    return word + 1;
  }
  if (step.kind == Kind::gather || step.kind == Kind::scatter) return indexed(step, core, word);
  if (step.kind == Kind::copy || step.kind == Kind::fill) {
    const bool copies = step.kind == Kind::copy;
    const uint64_t to = word[0], from = word[1], bytes = word[copies ? 2 : 1];
    if (copies) {
      count(true, step, from, bytes);
      touch(step, false, core, from, bytes);
    }
    count(false, step, to, bytes);
    touch(step, true, core, to, bytes);
    return word + (copies ? 3 : 2);
  }
  // An access under a mask. Lanes between the first and the last active lane count with them: they
  // share cache lines.
  const uint64_t address = *word++;
  const uint64_t mask = active(step, *word++);
  const auto element = uint64_t(step.element);
  const uint64_t bytes = element * unsigned(std::popcount(mask));
  count(step.kind == Kind::load, step, address, bytes);
  if (mask == 0) return word;
  const auto skipped = unsigned(std::countr_zero(mask));
  const auto spanned = unsigned(64 - std::countl_zero(mask)) - skipped;
  const bool writes = step.kind == Kind::store;
  if (step.compressed)
    touch(step, writes, core, address, bytes);
  else
    touch(step, writes, core, address + element * skipped, element * spanned);
  return word;
}

void TraceReader::read(int core, const uint64_t* words, size_t count) {
  const uint64_t* const end = words + count;
  now_->tally.words += count;
  const auto thread = size_t(core);
  if (now_->tally.instructions.size() <= thread) now_->tally.instructions.resize(thread + 1);
  uint64_t& instructions = now_->tally.instructions[thread];
  while (words < end) {
    const uint64_t id = *words;
    if (id >= blocks_.size() || words + blocks_[id].words > end)
      throw Error("the trace of a counting run is torn", {},
                  "the variant overwrote memory that is not its own");
    Block& block = blocks_[id];
    ++now_->tally.blocks[id];
    instructions += block.instructions;
    const uint64_t* word = words + 1;
    for (Step& one : block.steps) {
      if (one.plain())
        plain(one, core, *word++);
      else
        word = step(one, core, word);
    }
    words += block.words;
  }
}

}  // namespace rooftune::instrumentation

// Reads the words of a trace: this runs once per block of the variant, so it decides little.
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/error.h"
#include "counters/trace.h"

namespace rooftune::inline counters {
namespace {

using Kind = TraceStep::Kind;

std::uint64_t active(const TraceStep& step, std::uint64_t mask) {
  return step.lanes >= 64 ? mask : mask & ((std::uint64_t{1} << step.lanes) - 1);
}

bool inside(const Region& region, std::uint64_t address) {
  return address >= region.from && address < region.to;
}

}  // namespace

TraceReader::TraceReader(const TraceTable& table) : table_(table) { reset(); }

void TraceReader::reset() {
  tally_ = TraceTally{};
  tally_.blocks.resize(table_.blocks.size());
  tally_.masked.resize(table_.operations.size());
}

bool TraceReader::in_array(std::uint64_t address) const {
  if (inside(image_, address)) return false;
  for (const Region& stack : stacks_)
    if (inside(stack, address)) return false;
  return true;
}

void TraceReader::count(bool load, std::uint64_t address, std::uint64_t bytes) {
  AccessTally& all = load ? tally_.loads : tally_.stores;
  ++all.instructions;
  all.bytes += bytes;
  if (!in_array(address)) return;
  AccessTally& arrays = load ? tally_.array_loads : tally_.array_stores;
  ++arrays.instructions;
  arrays.bytes += bytes;
}

void TraceReader::touch(Kind kind, int core, std::uint64_t address, std::uint64_t bytes) {
  ++tally_.accesses;
  if (bytes == 0) return;
  for (CacheModel* const model : models_) {
    if (kind == Kind::streamed)
      model->stream(core, address, bytes);
    else if (kind == Kind::store || kind == Kind::scatter || kind == Kind::fill)
      model->store(core, address, bytes);
    else
      model->load(core, address, bytes);
  }
}

const std::uint64_t* TraceReader::indexed(const TraceStep& step, int core,
                                          const std::uint64_t* word) {
  const std::uint64_t base = *word++;
  const char* const indices = reinterpret_cast<const char*>(word);
  word += step.index_words;
  const std::uint64_t mask = active(step, *word++);
  const auto element = static_cast<std::uint64_t>(step.element);
  count(step.kind == Kind::gather, base, element * static_cast<unsigned>(std::popcount(mask)));
  for (int lane = 0; lane < step.lanes; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    std::int64_t index = 0;
    if (step.index_bytes == 8) {
      std::memcpy(&index, indices + 8 * lane, 8);
    } else {
      std::int32_t narrow = 0;
      std::memcpy(&narrow, indices + 4 * lane, 4);
      index = narrow;
    }
    touch(step.kind, core, base + static_cast<std::uint64_t>(index * step.scale), element);
  }
  return word;
}

const std::uint64_t* TraceReader::step(const TraceStep& step, int core, const std::uint64_t* word) {
  if (step.kind == Kind::operation) {
    tally_.masked[step.operation] += static_cast<unsigned>(std::popcount(active(step, *word)));
    return word + 1;
  }
  if (step.kind == Kind::gather || step.kind == Kind::scatter) return indexed(step, core, word);
  if (step.kind == Kind::copy || step.kind == Kind::fill) {
    const bool copies = step.kind == Kind::copy;
    const std::uint64_t to = word[0], from = word[1], bytes = word[copies ? 2 : 1];
    if (copies) {
      count(true, from, bytes);
      touch(Kind::load, core, from, bytes);
    }
    count(false, to, bytes);
    touch(Kind::store, core, to, bytes);
    return word + (copies ? 3 : 2);
  }
  const std::uint64_t address = *word++;
  auto bytes = static_cast<std::uint64_t>(step.bytes);
  std::uint64_t first = address;
  if (step.masked) {
    const std::uint64_t mask = active(step, *word++);
    const auto element = static_cast<std::uint64_t>(step.element);
    bytes = element * static_cast<unsigned>(std::popcount(mask));
    // Lanes between the first and the last active one share their lines.
    if (!step.compressed && mask != 0)
      first += element * static_cast<unsigned>(std::countr_zero(mask));
    const std::uint64_t span =
        step.compressed || mask == 0
            ? bytes
            : element * static_cast<unsigned>(64 - std::countl_zero(mask) - std::countr_zero(mask));
    count(step.kind == Kind::load, address, bytes);
    touch(step.kind, core, first, span);
    return word;
  }
  if (step.kind == Kind::prefetch) {
    ++tally_.prefetches;
  } else {
    count(step.kind == Kind::load, address, bytes);
    if (step.kind == Kind::streamed) tally_.streamed_bytes += bytes;
  }
  touch(step.kind, core, first, bytes);
  return word;
}

void TraceReader::read(int core, const std::uint64_t* words, std::size_t count) {
  const std::uint64_t* const end = words + count;
  while (words < end) {
    const std::uint64_t id = *words;
    if (id >= table_.blocks.size() || words + table_.blocks[id].words > end)
      throw Error("the trace of a counting run is torn", {},
                  "the variant overwrote memory that is not its own");
    const TraceBlock& block = table_.blocks[id];
    ++tally_.blocks[id];
    const std::uint64_t* word = words + 1;
    for (const TraceStep& one : block.steps) word = step(one, core, word);
    words += block.words;
  }
}

}  // namespace rooftune::inline counters

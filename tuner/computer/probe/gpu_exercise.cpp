// The grids for a card's tasks, their operands and links, and their windows.
#include <fmt/format.h>
#include <rooftune/elements.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "core/list.h"
#include "core/rng.h"
#include "core/version.h"
#include "probe/bench.h"
#include "probe/gpu_plan.h"
#include "run/loaded_variant.h"

namespace rooftune::probe {
namespace {

constexpr int least_threads = 128;

/// Doubles of either sign in [1, 2): never special, and random in every bit, for the card's power
/// depends on the bits.
Numbers random_doubles(size_t count, uint64_t seed) {
  Rng rng(seed, 0);
  Numbers result(count);
  for (double& x : result) {
    const uint64_t bits = rng.next();
    x = std::bit_cast<double>((bits & 0x800fffffffffffffull) | 0x3ff0000000000000ull);
  }
  return result;
}

void fill(CudaDevice& device, const GpuArray& array, uint64_t seed) {
  constexpr int64_t chunk = 16 << 20;
  const size_t count = std::min(chunk, array.bytes()) / 8;
  const Numbers numbers = random_doubles(std::max<size_t>(count, 1), seed);
  for (int64_t at = 0; at < array.bytes(); at += chunk)
    device.upload(static_cast<char*>(array.start()) + at, numbers.data(),
                  std::min(chunk, array.bytes() - at));
}

/// Operand `index`: first factors just above -1, with which x = a x + b flips for long before it
/// settles (a constant number saves power); then summands and starting values in (-1, 1).
double operand(Rng& rng, int index, double slowness) {
  const double random = rng.unit();
  return index < gpu_operands / 4 ? slowness * random - 1 : 2 * random - 1;
}

template <class T>
GpuArray filled_operands(CudaDevice& device, const std::function<T(Rng&, int)>& make) {
  Rng rng(20260, 1);
  std::vector<T> values;
  for (int i = 0; i < gpu_operands; ++i) values.push_back(make(rng, i));
  GpuArray array(device, values.size() * sizeof(T));
  device.upload(array.start(), values.data(), array.bytes());
  return array;
}

template <class Short>
GpuArray pairs(CudaDevice& device) {
  return filled_operands<uint32_t>(device, [](Rng& rng, int i) {
    const uint32_t low = Short(operand(rng, i, 1e-3)).bits;
    return low | uint32_t{Short(operand(rng, i, 1e-3)).bits} << 16;
  });
}

/// What a shape does: arrays walked, items under way per thread, and the kernel's parameters: n
/// items, t times, s stride, f factor, arrays a b c, o operands, l links, r results, y cycles.
struct ShapeRow {
  int arrays, items;
  const char* parameters;
};
// In the order of GpuTask::Shape.
constexpr ShapeRow shape_rows[] = {{0, 0, "tory"},
                                   {1, gpu_items, "ntary"},
                                   {1, gpu_items, "ntary"},
                                   {1, gpu_items, "ntary"},
                                   {1, gpu_stream_items, "ntcy"},
                                   {2, gpu_stream_items, "ntfacy"},
                                   {3, gpu_stream_items, "ntfabcy"},
                                   {1, gpu_stream_items, "ntfby"},
                                   {1, gpu_items, "nstary"},
                                   {1, gpu_items, "ntary"},
                                   {1, 1, "tlry"}};
const ShapeRow& row(GpuTask::Shape shape) { return shape_rows[size_t(shape)]; }

/// A whole number of steps through `items`, at least one.
int64_t whole(int64_t items, int64_t step) { return std::max<int64_t>(1, items / step) * step; }

constexpr int gpu_windows_per_visit = 4;
/// Long against the event's resolution and a launch's cost, short against the times at which a card
/// changes its clock.
constexpr double gpu_window_seconds = 1.5e-3;

double gpu_tolerance(const Ceiling& ceiling) {
  return ceiling.kind == Ceiling::Kind::in_core ? 0.005 : 0.02;
}

std::string method(const GpuTask& task, double walked) {
  const Ceiling& ceiling = task.ceiling;
  switch (task.shape) {
    case GpuTask::Shape::in_core:
      return ceiling.mix == tensor_mix
                 ? fmt::format("mma.sync in {} tiles per warp, random operands", ceiling.ilp)
                 : fmt::format("{} in {} chains per thread, random operands", ceiling.mix,
                               ceiling.ilp);
    case GpuTask::Shape::strided:
      return fmt::format("8 B loaded every {} B, only these counted", ceiling.stride);
    case GpuTask::Shape::random:
      return fmt::format("words of 8 B at random places of {:.0f} MB, {} under way per thread",
                         walked / 1e6, gpu_items);
    case GpuTask::Shape::chase:
      return "one chain through all lines of 128 B in random order, 8 B counted per step";
    default:
      return fmt::format("nominal bytes, random numbers, {:.3g} MB walked", walked / 1e6);
  }
}

}  // namespace

GpuMemory::GpuMemory(GpuMachine& card, int64_t bytes)
    : card_(card), results_(card, most_threads * 8), cycles_(card, 8) {
  for (int i = 0; i < 3; ++i) {
    arrays_.emplace_back(card, bytes);
    fill(card, arrays_.back(), 1 + i);
  }
  operands_.emplace(
      "fp64", filled_operands<double>(card, [](Rng& rng, int i) { return operand(rng, i, 1e-6); }));
  operands_.emplace("fp32", filled_operands<float>(card, [](Rng& rng, int i) {
                      return float(operand(rng, i, 1e-5));
                    }));
  operands_.emplace("fp16", pairs<Half>(card));
  operands_.emplace("bf16", pairs<BFloat16>(card));
}

void* GpuMemory::operands(const std::string& precision) const {
  auto* found = value_at(operands_, precision.substr(0, 4));
  return (!found ? operands_.at("fp32") : *found).start();  // tf32: floats
}

GpuExercise::GpuExercise(const GpuTask& task, const GpuMemory& memory)
    : memory_(memory), kernel_(task.kernel), shape_(task.shape), threads_(task.threads) {
  if (shape_ == Shape::shared) shared_ = int64_t{threads_} * gpu_items * gpu_item_bytes;
  GpuMachine& card = memory_.card();
  const int64_t multiprocessors = card.properties().multiprocessors;
  const int resident = card.resident_blocks(kernel_.c_str(), threads_, shared_);
  const int wanted = task.blocks > 0 ? std::min(task.blocks, resident) : resident;
  blocks_ = task.one_block ? 1 : std::max<int64_t>(1, wanted) * multiprocessors;
  blocks_ = std::min(blocks_, GpuMemory::most_threads / threads_);
  pointers_ = {memory.operands(task.ceiling.precision),
               nullptr,
               memory.results(),
               memory.cycles(),
               memory.array(0),
               memory.array(1),
               memory.array(2)};
  const auto window = int64_t(task.ceiling.working_set);
  switch (shape_) {
    case Shape::in_core:
      units_ = double(blocks_ * threads_) * task.flops;
      return;
    case Shape::chase:
      link(window);
      return;
    case Shape::shared:
      items_ = int64_t{threads_} * gpu_items;
      walked_ = double(items_ * gpu_item_bytes);
      units_ = double(blocks_) * walked_;
      return;
    case Shape::near:  // each block has its own window
      items_ = whole(window / (blocks_ / std::min(blocks_, multiprocessors)) / gpu_item_bytes,
                     int64_t{threads_} * gpu_items);
      walked_ = units_ = double(items_ * gpu_item_bytes * blocks_);
      break;
    default:
      place_window(std::min(window / row(shape_).arrays, memory_.bytes()), task.ceiling.stride);
  }
  if (int64_t(walked_) > row(shape_).arrays * memory_.bytes())
    throw VariantFault{Outcome::crashed,
                       kernel_ + ": its grid walks further than the memory of the probe"};
}

/// Fits the grid, so that it takes whole steps through each array.
void GpuExercise::place_window(int64_t window, double stride) {
  const int at_once = row(shape_).items;
  if (shape_ == Shape::random) {
    items_ = int64_t(std::bit_floor(uint64_t(std::max<int64_t>(window / gpu_word_bytes, 1))));
    walked_ = double(items_ * gpu_word_bytes);
    units_ = double(blocks_ * threads_ * at_once * gpu_word_bytes);
    return;
  }
  const bool strided = shape_ == Shape::strided;
  const int64_t item = strided ? std::llround(stride) : gpu_item_bytes;
  stride_ = item / gpu_word_bytes;
  // Smaller blocks, then fewer, where a single step would take the grid past the window.
  const int64_t per_thread = at_once * item;
  while (threads_ > least_threads && blocks_ * threads_ * per_thread > window) threads_ /= 2;
  blocks_ = std::clamp<int64_t>(window / (threads_ * per_thread), 1, blocks_);
  items_ = whole(window / item, blocks_ * threads_ * at_once);
  walked_ = double(row(shape_).arrays * items_ * item);
  units_ = strided ? double(items_ * gpu_word_bytes) : walked_ * (shape_ == Shape::update ? 2 : 1);
}

/// Links all the window's lines into one random cycle.
void GpuExercise::link(int64_t bytes) {
  const size_t lines = std::max<int64_t>(bytes / gpu_line_bytes, 2);
  constexpr uint32_t words = gpu_line_bytes / 4;
  const Indices order = shuffled(lines, Rng(7, lines));
  std::vector<uint32_t> next(lines * words, 0);
  for (size_t i = 0; i < lines; ++i)
    next[order[i] * words] = uint32_t(order[(i + 1) % lines] * words);
  const int64_t size = next.size() * sizeof(uint32_t);
  links_.emplace_back(memory_.card(), size);
  memory_.card().upload(links_.back().start(), next.data(), size);
  pointers_[1] = links_.back().start();
  walked_ = double(size);
  units_ = gpu_word_bytes;
}

Window GpuExercise::run() {
  int64_t times = amount * (shape_ == Shape::random ? gpu_items : 1);
  double factor = -1;
  std::vector<void*> arguments;
  for (const char parameter : std::string_view(row(shape_).parameters)) {
    constexpr std::string_view in_memory = "olryabc";
    arguments.push_back(parameter == 'n'   ? static_cast<void*>(&items_)
                        : parameter == 't' ? &times
                        : parameter == 's' ? &stride_
                        : parameter == 'f' ? static_cast<void*>(&factor)
                                           : &pointers_[in_memory.find(parameter)]);
  }
  GpuMachine& card = memory_.card();
  const CudaLaunch launch{kernel_.c_str(), CudaSize(blocks_), CudaSize(threads_),
                          shared_,         arguments.data(),  nullptr};
  card.clear(memory_.cycles(), sizeof(int64_t));
  Window window;
  window.seconds = card.seconds([&] { card.launch(launch); });
  int64_t cycles = 0;
  card.download(&cycles, memory_.cycles(), sizeof cycles);
  if (window.seconds > 0) window.clock = double(std::max<int64_t>(cycles, 0)) / window.seconds;
  return window;
}

GpuSubject::GpuSubject(const GpuTask& wanted, const GpuMemory& memory)
    : task(wanted), exercise(wanted, memory) {
  samples = Samples(gpu_tolerance(task.ceiling), on_core_clock(task.ceiling));
}

void GpuSubject::calibrate() {
  constexpr int most_rounds = 24;
  constexpr double most = 1e12;  // work without time never fills a window
  calibrated = true;
  for (int round = 0; round < most_rounds; ++round) {
    const double seconds = std::max(exercise.run().seconds, 1e-7);
    const auto amount = double(exercise.amount);
    const double wanted =
        std::clamp(gpu_window_seconds / seconds * amount, 1.0, std::min(64 * amount, most));
    exercise.amount = std::llround(wanted);
    if (wanted < 1.3 * amount && wanted > 0.7 * amount) break;
  }
}

void GpuSubject::visit() {
  if (!calibrated) calibrate();
  const double before = best_rate();
  exercise.run();  // replaces the last exercise's data in the caches
  for (int i = 0; i < gpu_windows_per_visit; ++i) {
    const Window window = exercise.run();
    if (window.seconds > 0) samples.add(exercise.units() / window.seconds, window.clock);
  }
  count_visit(before);
}

double GpuSubject::quick_rate(int windows) {
  calibrate();
  double best = 0;
  for (int i = 0; i < windows; ++i)
    best = std::max(best, exercise.units() / std::max(exercise.run().seconds, 1e-9));
  return best;
}

Ceiling GpuSubject::measured() const {
  Ceiling ceiling = task.ceiling;
  if (ceiling.kind != Ceiling::Kind::in_core) ceiling.working_set = exercise.walked();
  return probe::measured(
      ceiling, samples,
      fmt::format("tune probe {}: best of {} windows of {:g} ms, {} x {} threads; {}", version,
                  samples.windows(), 1e3 * gpu_window_seconds, exercise.blocks(),
                  exercise.threads(), method(task, exercise.walked())),
      fault);
}

}  // namespace rooftune::probe

// Allocation, first touch and contents for all arrays in a trial.
#include "run/array_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <utility>

#include "core/list.h"
#include "os/topology.h"
#include "run/element.h"
#include "run/fill.h"

namespace rooftune::run {
namespace {

using Access = Argument::Access;

uint64_t next_serial() {
  static uint64_t serial = 0;
  return ++serial;
}

/// Stores a scalar argument in the first bytes at `place`.
void store(const Slot& slot, const Json& value, Scalar& place) {
  with_type(slot.argument.type, [&]<class T>(T*) {
    T number;
    if constexpr (std::is_integral_v<T>)
      number = value.get<T>();
    else
      number = element_from<T>(value.get<double>());
    static_assert(sizeof number <= sizeof place);
    std::memcpy(place.data(), &number, sizeof number);
  });
}

/// Live sets, searched by a signal handler.
std::vector<ArraySet*>& live_sets() {
  static std::vector<ArraySet*> sets;
  return sets;
}

/// See Setup::inputs.
constexpr int other_input = 2;
/// How many elements of an array change at a time: those in which input 1 differs, and poisoned
/// ones.
constexpr int few = 8;

/// The fill for an input: other random numbers from the same distribution.
Fill on_input(Fill fill, int input) {
  constexpr uint64_t stride = 0x9e37'79b9'7f4a'7c15;
  if (fill.kind == Fill::Kind::uniform && input >= other_input) fill.seed += stride * (input - 1);
  return fill;
}

/// The distance from 1 to the next number; 0 for integers, which may be indices into other arrays.
template <class T>
constexpr double epsilon() {
  if constexpr (requires { T::one; })
    return 1.0 / T::one;
  else if constexpr (requires(T complex) { complex.imag(); })
    return epsilon<typename T::value_type>();
  else
    return std::is_floating_point_v<T> ? double(std::numeric_limits<T>::epsilon()) : 0;
}

/// Whether an array gets other numbers on an input without a reference.
bool is_renewed(const Slot& slot) {
  return is_random(slot) ||
         with_type(slot.argument.type, []<class T>(T*) { return epsilon<T>() > 0; });
}

}  // namespace

fs::path array_file(const fs::path& folder, const std::string& name) {
  return folder / (name + ".bin");
}

ArraySet::ArraySet(const Setup& setup, const Placement& placement, const OpenMpRuntime& openmp)
    : setup_(setup),
      openmp_(openmp),
      touch_threads_(placement.touch_threads),
      scalars_(setup.slots.size()),
      serial_(next_serial()) {
  for (const Slot& slot : setup.slots) {
    array_of_slot_.push_back(arrays_.size());
    if (!slot.argument.pointer) continue;
    arrays_.emplace_back(slot, arrays_.size() * placement.offset, placement.huge_pages);
    place(arrays_.back().mapping(), placement);
  }
  for (GuardedArray& array : arrays_) {
    if (array.is(Access::write))
      poison(array);
    else
      fill(array);
    if (array.is(Access::read)) array.mapping().allow_writing(false);
    if (array.is(Access::update)) {
      Original& original = originals_[&array];
      const auto* const bytes = static_cast<const unsigned char*>(array.data());
      if (array.slot().argument.from_problem)
        original.file.emplace(problem_file(array));
      else
        original.copy.assign(bytes, bytes + array.bytes());
    }
    if (!array.is(Access::read)) write(array, [] {});
  }
  live_sets().push_back(this);
}

ArraySet::~ArraySet() { std::erase(live_sets(), this); }

void ArraySet::place(const Mapping& mapping, const Placement& placement) {
  if (placement.fast_memory) {
    const std::string refused = mapping.place_on(topology().fast_nodes);
    if (!refused.empty()) note_ = "high-bandwidth memory was refused: " + refused;
  } else if (placement.interleave) {
    const std::string refused = mapping.interleave();
    if (!refused.empty()) note_ = "NUMA interleaving was refused: " + refused;
  }
}

MappedFile ArraySet::problem_file(const GuardedArray& array) const {
  const std::string& name = array.slot().argument.name;
  MappedFile file(array_file(setup_.problem_folder, name));
  if (file.size() != array.bytes())
    throw Error(fmt::format("the problem made {} bytes of array {}, {} are needed", file.size(),
                            name, array.bytes()));
  return file;
}

void ArraySet::copy(const void* from, GuardedArray& array, int threads) const {
  const int64_t size = array.slot().argument.type.size();
  auto* const to = static_cast<unsigned char*>(array.data());
  openmp_.parallel_for(threads, array.slot().count, [&](int64_t begin, int64_t end) {
    if (begin < end)
      std::memcpy(to + begin * size, static_cast<const unsigned char*>(from) + begin * size,
                  (end - begin) * size);
  });
}

void ArraySet::fill(GuardedArray& array) const {
  const Slot& slot = array.slot();
  if (slot.argument.from_problem) {
    copy(problem_file(array).data(), array, touch_threads_);
  } else {
    const Fill rule = on_input(slot.argument.fill, input_);
    openmp_.parallel_for(touch_threads_, slot.count, [&](int64_t begin, int64_t end) {
      if (begin < end) fill_range(rule, slot.argument.type, array.data(), begin, end, slot.count);
    });
  }
  if (input_ > other_input && !is_random(slot)) shrink(array);
}

/// Scales all numbers alike: their order and symmetry hold, and none leaves its range.
void ArraySet::shrink(GuardedArray& array) const {
  with_type(array.slot().argument.type, [&]<class T>(T*) {
    if constexpr (epsilon<T>() > 0) {
      const double factor = 1 - 4 * epsilon<T>() * (input_ - other_input);
      T* const numbers = static_cast<T*>(array.data());
      openmp_.parallel_for(touch_threads_, array.slot().count, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) numbers[i] = T(exact(numbers[i]) * factor);
      });
    }
  });
}

void ArraySet::fill_changed(GuardedArray& array) const {
  const Slot& slot = array.slot();
  if (!is_random(slot) || slot.count == 0) return;
  const Fill rule = on_input(slot.argument.fill, input_ == 0 ? 0 : std::max(input_, other_input));
  Rng random(slot.argument.fill.seed, slot.count);
  for (int i = 0; i < few; ++i) {
    const int64_t at = random.below(slot.count);
    fill_range(rule, slot.argument.type, array.data(), at, at + 1, slot.count);
  }
}

void ArraySet::restore(GuardedArray& array, int threads) const {
  if (input_ >= other_input) return fill(array);
  copy(originals_.at(&array).data(), array, threads);
  if (input_ != 0) fill_changed(array);
}

void ArraySet::restore(int threads) {
  for (GuardedArray& array : arrays_)
    if (array.is(Access::update)) restore(array, threads);
}

void ArraySet::read_through(int threads) const {
  constexpr int64_t line = 64;
  for (const GuardedArray& array : arrays_) {
    const auto* const bytes = static_cast<const volatile unsigned char*>(array.data());
    openmp_.parallel_for(threads, array.bytes() / line, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end; ++at) bytes[at * line];
    });
  }
}

bool ArraySet::updated() const {
  return any_of(arrays_, [&](const GuardedArray& array) {
    auto* original = value_at(originals_, &array);
    return original && array.bytes() > 0 &&
           std::memcmp(array.data(), original->data(), array.bytes()) != 0;
  });
}

void ArraySet::poison(GuardedArray& array) const {
  const Slot& slot = array.slot();
  openmp_.parallel_for(touch_threads_, slot.count, [&](int64_t begin, int64_t end) {
    poison_range(slot.argument.type, array.data(), begin, end);
  });
}

Arguments ArraySet::pointers(const Json& scalars) {
  if (scalars.size() != setup_.slots.size()) throw Error("wrong number of scalars in a request");
  untouched_ = false;
  Arguments result;
  for (const size_t i : indices(setup_.slots)) {
    const Slot& slot = setup_.slots[i];
    if (!slot.argument.pointer) store(slot, scalars[i], scalars_[i]);
    result.push_back(slot.argument.pointer ? arrays_[array_of_slot_[i]].data()
                                           : static_cast<void*>(scalars_[i].data()));
  }
  return result;
}

Arguments ArraySet::exchanged(Arguments arguments) const {
  if (setup_.swap.empty()) return {};
  for (const auto& [first, second] : setup_.swap) std::swap(arguments[first], arguments[second]);
  return arguments;
}

void ArraySet::refill(int input) {
  if (untouched_ && input == input_) return;
  use(input);
  poison_outputs();
}

void ArraySet::use(int input) {
  stay();
  const bool same = input == input_;
  change_reads(input);
  for (GuardedArray& array : arrays_)
    if (array.is(Access::update) && !(same && array.is_kept()))
      write(array, [&] { restore(array, touch_threads_); });
}

void ArraySet::write(GuardedArray& array, const Callback& body) const {
  array.open();
  body();
  if (setup_.gpu.mode == GpuSetup::Mode::card) array.keep();
}

GuardedArray* ArraySet::holding(const void* start, int64_t bytes) {
  const auto* const first = static_cast<const unsigned char*>(start);
  for (GuardedArray& array : arrays_) {
    const auto* const begin = static_cast<const unsigned char*>(array.data());
    if (first >= begin && first + bytes <= begin + array.bytes()) return &array;
  }
  return nullptr;
}

void ArraySet::stay() {
  for (GuardedArray& array : arrays_) array.stay();
}

void ArraySet::come_home() {
  for (GuardedArray& array : arrays_)
    if (array.away()) array.open();
}

void ArraySet::change_reads(int input) {
  const int before = std::exchange(input_, input);
  const bool all =
      input > other_input || (input != before && std::max(input, before) >= other_input);
  for (GuardedArray& array : arrays_) {
    if (!array.is(Access::read) || !(all ? is_renewed(array.slot()) : is_random(array.slot())))
      continue;
    array.mapping().allow_writing(true);
    all ? fill(array) : fill_changed(array);
    array.mapping().allow_writing(false);
  }
}

void ArraySet::poison_outputs() {
  stay();
  for (GuardedArray& array : arrays_)
    if (array.is(Access::write) && !array.is_kept()) write(array, [&] { poison(array); });
}

void ArraySet::poison_some(Rng& random) {
  for (GuardedArray& array : arrays_) {
    const Slot& slot = array.slot();
    if (!slot.is(Access::write) || slot.count == 0) continue;
    for (int i = 0; i < few; ++i) {
      const auto at = random.below(slot.count);
      poison_range(slot.argument.type, array.data(), at, at + 1);
    }
  }
}

bool ArraySet::updates() const {
  return any_of(arrays_, [](const GuardedArray& array) { return array.is(Access::update); });
}

bool ArraySet::renews() const {
  return any_of(arrays_, [](const GuardedArray& array) {
    return !array.is(Access::write) && is_renewed(array.slot());
  });
}

std::string ArraySet::damage() const {
  for (const GuardedArray& array : arrays_) {
    std::string text = array.damage();
    if (!text.empty()) return text;
  }
  return {};
}

std::optional<VariantFault> forbidden_access(const void* address, bool writing) {
  for (const ArraySet* set : live_sets())
    for (const GuardedArray& array : set->arrays()) {
      std::string text = array.forbidden(address, writing);
      if (text.empty()) continue;
      const auto* const begin = static_cast<const unsigned char*>(array.data());
      const bool inside = address >= begin && address < begin + array.bytes();
      return VariantFault{inside ? Outcome::wrong_result : Outcome::crashed, std::move(text)};
    }
  return {};
}

bool opened_by_access(const void* address) {
  static std::atomic_flag is_busy;
  thread_local const void* last = nullptr;
  // A variant's threads may come here at the same time.
  struct Turn {
    Turn() {
      while (is_busy.test_and_set()) {
      }
    }
    ~Turn() { is_busy.clear(); }
  } const turn;
  const auto* const at = static_cast<const unsigned char*>(address);
  for (ArraySet* set : live_sets())
    for (GuardedArray& array : set->arrays()) {
      const unsigned char* const begin = array.mapping().start();
      if (array.is(Access::read) || at < begin || at >= begin + array.mapping().size()) continue;
      // Where another thread has opened the array meanwhile, the access is tried once more.
      const bool again = array.is_kept() || last != address;
      last = address;
      if (array.is_kept()) array.open();
      return again;
    }
  return false;
}

}  // namespace rooftune::run

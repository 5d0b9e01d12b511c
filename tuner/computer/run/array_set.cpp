// Allocation, first touch and contents of all arrays of a trial.
#include "run/array_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "os/topology.h"
#include "run/fill.h"

namespace rooftune::run {
namespace {

std::uint64_t next_serial() {
  static std::uint64_t serial = 0;
  return ++serial;
}

/// Stores a scalar argument in the first bytes of `place`.
void store(const Slot& slot, const Json& value, std::int64_t& place) {
  with_type(slot.argument.type, [&]<class T>(T*) {
    const T number = value.get<T>();
    std::memcpy(&place, &number, sizeof number);
  });
}

/// Live sets, searched by a signal handler.
std::vector<const ArraySet*>& live_sets() {
  static std::vector<const ArraySet*> sets;
  return sets;
}

/// The fill of another input: other random numbers of the same sequence.
Fill on_input(Fill fill, int input) {
  constexpr std::uint64_t stride = 0x9e37'79b9'7f4a'7c15;
  if (fill.kind == Fill::Kind::uniform) fill.seed += static_cast<std::uint64_t>(input) * stride;
  return fill;
}

}  // namespace

std::filesystem::path array_file(const std::filesystem::path& folder, const std::string& name) {
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
    if (array.slot().argument.access == Argument::Access::write)
      poison(array);
    else
      fill(array);
    if (array.slot().argument.access == Argument::Access::read)
      array.mapping().allow_writing(false);
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

void ArraySet::fill(GuardedArray& array) const {
  const Slot& slot = array.slot();
  const Argument& argument = slot.argument;
  const auto size = static_cast<std::int64_t>(size_of(argument.type));
  std::optional<MappedFile> file;
  if (argument.from_problem) {
    file.emplace(array_file(setup_.problem_folder, argument.name));
    if (file->size() != array.bytes())
      throw Error(fmt::format("the problem made {} bytes of array {}, {} are needed", file->size(),
                              argument.name, array.bytes()));
  }
  auto* const target = static_cast<unsigned char*>(array.data());
  const Fill rule = on_input(argument.fill, input_);
  openmp_.parallel_for(touch_threads_, slot.count, [&](std::int64_t begin, std::int64_t end) {
    if (begin >= end) return;
    if (file)
      std::memcpy(target + begin * size,
                  static_cast<const unsigned char*>(file->data()) + begin * size,
                  static_cast<std::size_t>((end - begin) * size));
    else
      fill_range(rule, argument.type, target, begin, end, slot.count);
  });
}

void ArraySet::poison(GuardedArray& array) const {
  const Slot& slot = array.slot();
  openmp_.parallel_for(touch_threads_, slot.count, [&](std::int64_t begin, std::int64_t end) {
    poison_range(slot.argument.type, array.data(), begin, end);
  });
}

std::vector<void*> ArraySet::pointers(const Json& scalars) {
  if (scalars.size() != setup_.slots.size()) throw Error("wrong number of scalars in a request");
  untouched_ = false;
  std::vector<void*> result;
  for (std::size_t i = 0; i < setup_.slots.size(); ++i) {
    const Slot& slot = setup_.slots[i];
    if (!slot.argument.pointer) store(slot, scalars[i], scalars_[i]);
    result.push_back(slot.argument.pointer ? arrays_[array_of_slot_[i]].data()
                                           : static_cast<void*>(&scalars_[i]));
  }
  return result;
}

void ArraySet::refill(int input) {
  const bool other = std::exchange(input_, input) != input;
  if (untouched_ && !other) return;
  for (GuardedArray& array : arrays_) {
    const Argument::Access access = array.slot().argument.access;
    if (access == Argument::Access::write) poison(array);
    if (access == Argument::Access::update) fill(array);
    if (access != Argument::Access::read || !other || array.slot().argument.from_problem) continue;
    array.mapping().allow_writing(true);
    fill(array);
    array.mapping().allow_writing(false);
  }
}

bool ArraySet::updates() const {
  return std::any_of(arrays_.begin(), arrays_.end(), [](const GuardedArray& array) {
    return array.slot().argument.access == Argument::Access::update;
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

}  // namespace rooftune::run

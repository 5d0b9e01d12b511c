// Allocation, first touch and contents of all arrays of a trial.
#include "run/array_set.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "core/hash.h"
#include "os/topology.h"
#include "run/fill.h"

namespace rooftune::inline run {
namespace {

std::string_view bytes_of(const GuardedArray& array) {
  return {static_cast<const char*>(array.data()), array.bytes()};
}

std::uint64_t next_serial() {
  static std::uint64_t serial = 0;
  return ++serial;
}

/// Stores a scalar argument in the first bytes of `place`.
void store(const Slot& slot, const Json& value, std::int64_t& place) {
  const auto put = [&](auto number) { std::memcpy(&place, &number, sizeof number); };
  switch (slot.argument.type) {
    case Argument::Type::int32:
      return put(value.get<std::int32_t>());
    case Argument::Type::int64:
      return put(value.get<std::int64_t>());
    case Argument::Type::float32:
      return put(value.get<float>());
    case Argument::Type::float64:
      return put(value.get<double>());
  }
}

/// Position of the first element that is not what it was filled with; -1: none.
std::int64_t first_difference(const GuardedArray& array, const Setup& setup) {
  const Slot& slot = array.slot();
  const std::size_t size = size_of(slot.argument.type);
  const auto* const now = static_cast<const unsigned char*>(array.data());
  std::optional<MappedFile> file;
  if (slot.argument.from_problem)
    file.emplace(array_file(setup.problem_folder, slot.argument.name));
  std::vector<unsigned char> element(size);
  for (std::int64_t i = 0; i < slot.count; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * size;
    const void* expected = element.data();
    if (file)
      expected = static_cast<const unsigned char*>(file->data()) + at;
    else
      fill_element(slot.argument.fill, slot.argument.type, element.data(), i, slot.count);
    if (std::memcmp(now + at, expected, size) != 0) return i;
  }
  return -1;
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
    const Mapping& mapping = arrays_.back().mapping();
    if (placement.fast_memory) {
      const std::string refused = mapping.place_on(topology().fast_nodes);
      if (!refused.empty()) note_ = "high-bandwidth memory was refused: " + refused;
    } else if (placement.interleave) {
      const std::string refused = mapping.interleave();
      if (!refused.empty()) note_ = "NUMA interleaving was refused: " + refused;
    }
  }
  for (GuardedArray& array : arrays_) {
    const bool is_output = array.slot().argument.access == Argument::Access::write;
    if (is_output)
      poison(array);
    else
      fill(array);
    fingerprints_.push_back(array.slot().argument.access == Argument::Access::read
                                ? hash_hex(bytes_of(array))
                                : std::string());
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
  openmp_.parallel_for(touch_threads_, slot.count, [&](std::int64_t begin, std::int64_t end) {
    if (begin >= end) return;
    if (file)
      std::memcpy(target + begin * size,
                  static_cast<const unsigned char*>(file->data()) + begin * size,
                  static_cast<std::size_t>((end - begin) * size));
    else
      fill_range(argument.fill, argument.type, target, begin, end, slot.count);
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
  std::vector<void*> result;
  for (std::size_t i = 0; i < setup_.slots.size(); ++i) {
    const Slot& slot = setup_.slots[i];
    if (!slot.argument.pointer) store(slot, scalars[i], scalars_[i]);
    result.push_back(slot.argument.pointer ? arrays_[array_of_slot_[i]].data()
                                           : static_cast<void*>(&scalars_[i]));
  }
  return result;
}

void ArraySet::refill() {
  for (GuardedArray& array : arrays_) {
    if (array.slot().argument.access == Argument::Access::update) fill(array);
    if (array.slot().argument.access == Argument::Access::write) poison(array);
  }
}

std::string ArraySet::damage() const {
  for (const GuardedArray& array : arrays_) {
    std::string text = array.damage();
    if (!text.empty()) return text;
  }
  return {};
}

std::string ArraySet::changed_input() const {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (fingerprints_[i].empty() || hash_hex(bytes_of(arrays_[i])) == fingerprints_[i]) continue;
    const GuardedArray& array = arrays_[i];
    const std::int64_t at = first_difference(array, setup_);
    return fmt::format("array {} is read only, but element {} of {} was changed to {}",
                       array.slot().argument.name, at, array.slot().count,
                       at < 0 ? "?" : element_text(array.slot().argument.type, array.data(), at));
  }
  return {};
}

}  // namespace rooftune::inline run

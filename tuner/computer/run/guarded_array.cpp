// Poison up to the ends of the mapped pages, then inaccessible address space; an access ends the
// process.
#include "run/guarded_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "run/fill.h"

namespace rooftune::run {
namespace {

std::size_t mapped_bytes(std::size_t bytes, std::size_t shift, bool huge_pages) {
  if (bytes > (std::size_t{1} << 60)) throw std::bad_alloc();
  // With huge pages the last one must lie inside as well, or the array's end stays on small ones.
  const std::size_t unit = huge_pages ? huge_page_bytes() : page_bytes();
  return std::max<std::size_t>(1, (shift + bytes + unit - 1) / unit) * unit;
}

/// First byte of [begin, end), both at elements, without poison, else `end`.
const unsigned char* first_change(const Slot& slot, const unsigned char* begin,
                                  const unsigned char* end) {
  std::array<unsigned char, 8> pattern{};
  const std::size_t size = size_of(slot.argument.type);
  poison_range(slot.argument.type, pattern.data(), 0, static_cast<std::int64_t>(8 / size));
  // Whole words first: behind an array on huge pages there can be a lot of it.
  const unsigned char* at = begin;
  while (end - at >= 8 && std::memcmp(at, pattern.data(), 8) == 0) at += 8;
  const auto left = std::min<std::ptrdiff_t>(8, end - at);
  return std::mismatch(at, at + left, pattern.begin()).first;
}

}  // namespace

GuardedArray::GuardedArray(Slot slot, std::size_t shift, bool huge_pages)
    : slot_(std::move(slot)),
      bytes_(static_cast<std::size_t>(slot_.count) * size_of(slot_.argument.type)),
      mapping_(mapped_bytes(bytes_, shift, huge_pages),
               huge_pages ? huge_page_bytes() : page_bytes()),
      data_(mapping_.start() + shift) {
  mapping_.advise_huge_pages(huge_pages);
  // Beside the array only: its first touch belongs to the thread that fills it.
  const auto size = static_cast<std::int64_t>(size_of(slot_.argument.type));
  const auto all = static_cast<std::int64_t>(mapping_.size() - shift);
  poison_range(slot_.argument.type, mapping_.start(), 0, static_cast<std::int64_t>(shift) / size);
  poison_range(slot_.argument.type, data_, slot_.count, all / size);
}

std::string GuardedArray::damage() const {
  const unsigned char* const stop = mapping_.start() + mapping_.size();
  const unsigned char* const end = data_ + bytes_;
  const unsigned char* const behind = first_change(slot_, end, stop);
  if (behind != stop)
    return fmt::format("array {}: written {} bytes behind its end", slot_.argument.name,
                       behind - end);
  const unsigned char* const before = first_change(slot_, mapping_.start(), data_);
  if (before != data_)
    return fmt::format("array {}: written {} bytes before its start", slot_.argument.name,
                       data_ - before);
  return {};
}

std::string GuardedArray::forbidden(const void* address, bool writing) const {
  const auto* const at = static_cast<const unsigned char*>(address);
  const unsigned char* const end = data_ + bytes_;
  const auto guard = mapping_.guard_bytes();
  if (at < mapping_.start() - guard || at >= mapping_.start() + mapping_.size() + guard) return {};
  const char* const done = writing ? "written" : "read";
  const std::string& name = slot_.argument.name;
  if (at < data_)
    return fmt::format("array {}: {} {} bytes before its start", name, done, data_ - at);
  if (at >= end) return fmt::format("array {}: {} {} bytes behind its end", name, done, at - end);
  const auto element = static_cast<std::size_t>(at - data_) / size_of(slot_.argument.type);
  return fmt::format("array {} is read only, but element {} of {} was {}", name, element,
                     slot_.count, done);
}

}  // namespace rooftune::run

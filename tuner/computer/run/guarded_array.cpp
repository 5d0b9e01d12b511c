#include "run/guarded_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

namespace rooftune::run {
namespace {

using Access = Argument::Access;

size_t mapped_bytes(size_t bytes, size_t shift, bool huge_pages) {
  if (bytes > (size_t{1} << 60)) throw std::bad_alloc();
  // With huge pages the last one must lie inside as well, or the array's end stays on small ones.
  const size_t unit = huge_pages ? huge_page_bytes() : page_bytes();
  return std::max<size_t>(1, (shift + bytes + unit - 1) / unit) * unit;
}

using Canary = std::array<unsigned char, 8>;

/// Each array has its own pattern, a number of any length and no NaN: a loop that runs too far over
/// several arrays computes with what lies behind them, and that must not be what lay there.
Canary canary_of(const std::string& name) {
  const uint64_t hash = std::hash<std::string>()(name);
  return std::bit_cast<Canary>(0x4019'0000'3f19'0000U | (hash & 0x3bff) << 32 |
                               (hash >> 16 & 0x3bff));
}

void put_canaries(const Canary& canary, unsigned char* begin, const unsigned char* end) {
  for (size_t i = 0; begin < end; ++begin, ++i) *begin = canary[i % canary.size()];
}

/// The first byte in [begin, end) where the canary is gone, else `end`.
const unsigned char* first_change(const Canary& pattern, const unsigned char* begin,
                                  const unsigned char* end) {
  // Whole words first: behind an array on huge pages there can be many.
  const unsigned char* at = begin;
  while (end - at >= 8 && std::memcmp(at, pattern.data(), 8) == 0) at += 8;
  const auto left = std::min<ptrdiff_t>(8, end - at);
  return std::mismatch(at, at + left, pattern.begin()).first;
}

}  // namespace

GuardedArray::GuardedArray(Slot slot, size_t shift, bool huge_pages)
    : slot_(std::move(slot)),
      bytes_(slot_.count * slot_.argument.type.size()),
      mapping_(mapped_bytes(bytes_, shift, huge_pages),
               huge_pages ? huge_page_bytes() : page_bytes()),
      data_(mapping_.start() + shift) {
  mapping_.advise_huge_pages(huge_pages);
  // Beside the array only: its first touch belongs to the thread that fills it.
  const Canary canary = canary_of(slot_.argument.name);
  put_canaries(canary, mapping_.start(), data_);
  put_canaries(canary, data_ + bytes_, mapping_.start() + mapping_.size());
}

std::string GuardedArray::damage() const {
  // Nobody has written to its pages.
  if (is_kept_) return {};
  const unsigned char* const stop = mapping_.start() + mapping_.size();
  const unsigned char* const end = data_ + bytes_;
  const Canary canary = canary_of(slot_.argument.name);
  const unsigned char* const behind = first_change(canary, end, stop);
  if (behind != stop)
    return fmt::format("array {}: written {} bytes behind its end", slot_.argument.name,
                       behind - end);
  const unsigned char* const before = first_change(canary, mapping_.start(), data_);
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
  const size_t element = (at - data_) / slot_.argument.type.size();
  if (!is(Access::read) || !writing)
    return fmt::format(
        "array {}: element {} of {} was {} after the variant had unmapped or locked it", name,
        element, slot_.count, done);
  return fmt::format("array {} is read only, but element {} of {} was {}", name, element,
                     slot_.count, done);
}

void GuardedArray::keep() {
  mapping_.allow_writing(false);
  is_kept_ = true;
}

void GuardedArray::leave(Away away) {
  away_ = std::move(away);
  mapping_.hide();
}

void GuardedArray::stay() {
  if (!away_) return;
  away_.reset();
  mapping_.allow_writing(false);
}

void GuardedArray::open() {
  if (away_)
    mapping_.replace([&](unsigned char* pages) {
      unsigned char* const first = pages + (data_ - mapping_.start());
      const Canary canary = canary_of(slot_.argument.name);
      put_canaries(canary, pages, first);
      put_canaries(canary, first + bytes_, pages + mapping_.size());
      away_->fetch(first);
    });
  else if (is_kept_)
    mapping_.allow_writing(true);
  away_.reset();
  is_kept_ = false;
}

}  // namespace rooftune::run

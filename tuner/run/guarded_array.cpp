// At least 4 KiB of pattern on both sides, then pages that end the process when touched.
#include "run/guarded_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace rooftune::inline run {
namespace {

constexpr unsigned char canary_byte = 0xA6;
constexpr std::size_t zone = 4096;

std::size_t mapped_bytes(std::size_t bytes, std::size_t shift, bool huge_pages) {
  if (bytes > (std::size_t{1} << 60)) throw std::bad_alloc();
  const std::size_t least = zone + shift + bytes + zone;
  // With huge pages the last one must lie inside as well, or the array's end stays on small ones.
  const std::size_t unit = huge_pages ? huge_page_bytes() : page_bytes();
  return (least + unit - 1) / unit * unit;
}

/// First byte that differs from the pattern, else `end`.
const unsigned char* first_change(const unsigned char* begin, const unsigned char* end) {
  return std::find_if(begin, end, [](unsigned char byte) { return byte != canary_byte; });
}

}  // namespace

GuardedArray::GuardedArray(Slot slot, std::size_t shift, bool huge_pages)
    : slot_(std::move(slot)),
      bytes_(static_cast<std::size_t>(slot_.count) * size_of(slot_.argument.type)),
      mapping_(mapped_bytes(bytes_, shift, huge_pages),
               huge_pages ? huge_page_bytes() : page_bytes()),
      data_(mapping_.start() + zone + shift) {
  mapping_.advise_huge_pages(huge_pages);
  // The zones only: the first touch of the array itself belongs to whoever fills it.
  std::memset(mapping_.start(), canary_byte, zone + shift);
  unsigned char* const end = data_ + bytes_;
  std::memset(end, canary_byte, static_cast<std::size_t>(mapping_.start() + mapping_.size() - end));
}

std::string GuardedArray::damage() const {
  const unsigned char* const stop = mapping_.start() + mapping_.size();
  const unsigned char* const end = data_ + bytes_;
  const unsigned char* const behind = first_change(end, stop);
  if (behind != stop)
    return fmt::format("array {}: written {} bytes behind its end", slot_.argument.name,
                       behind - end);
  const unsigned char* const before = first_change(mapping_.start(), data_);
  if (before != data_)
    return fmt::format("array {}: written {} bytes before its start", slot_.argument.name,
                       data_ - before);
  return {};
}

}  // namespace rooftune::inline run

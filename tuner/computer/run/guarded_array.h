// A kernel's array in its own memory, between zones that nobody may touch. Where calls work on
// copies on a card, the array notices when foreign code first accesses it: what nobody has changed
// or looks at needs no fill and no copy.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "os/mapping.h"
#include "run/message.h"

namespace rooftune::run {

/// An array between forbidden zones; bytes left between it and them have a known value. Without a
/// shift it starts at the zone before it. It ends at the zone behind it when its bytes fill whole
/// pages; else the rest of the last page is a canary: a read brings it into the result, a write
/// destroys it.
class GuardedArray {
 public:
  /// `shift`: how far the first element lies from its page boundary [B], a multiple of the
  /// element's size. Throws std::bad_alloc.
  GuardedArray(Slot slot, size_t shift, bool huge_pages);
  GuardedArray(GuardedArray&&) = default;

  const Slot& slot() const { return slot_; }
  bool is(Argument::Access access) const { return slot_.is(access); }
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  const Mapping& mapping() const { return mapping_; }
  /// "array y: written 8 bytes behind its end", or empty.
  std::string damage() const;
  /// Describes a forbidden access at `address`; empty when it was not to this array: "array y:
  /// written 800 bytes behind its end", "array x is read only, but element 5 of 100 was written".
  std::string forbidden(const void* address, bool writing) const;

  // Where calls work on copies on a card:
  /// The array holds what it was filled with. The first write, by whomever, opens it.
  void keep();
  /// Nobody has written to it since.
  bool is_kept() const { return is_kept_; }
  /// What a comparison on the card found, and how the array comes from there: `fetch` writes it to
  /// the place that it is given.
  struct Away {
    double max_error = 0;
    std::function<void(void*)> fetch;
  };
  /// A kept array: its results stay on the card. The first access, by whomever, opens it.
  void leave(Away away);
  /// Results that are away; nullopt: they are here.
  const std::optional<Away>& away() const { return away_; }
  /// The results on the card are useless now: the array is kept as it was.
  void stay();
  /// Anyone may write from now on. Brings results that are away; throws what fetching throws.
  void open();

 private:
  Slot slot_;
  size_t bytes_;
  Mapping mapping_;
  unsigned char* data_;
  bool is_kept_ = false;
  std::optional<Away> away_;
};

}  // namespace rooftune::run

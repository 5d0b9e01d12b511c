// 64-bit numbers for assignments of a space too large to number.
#pragma once
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "space/configuration.h"

namespace rooftune::space {

/// An assignment of at most 64 bits is its own number. Others are numbered by a hash and kept, so
/// the number leads back: some 40 bytes and the packed values for each one asked for.
class AssignmentNames {
 public:
  /// `values`: number of values by knob.
  explicit AssignmentNames(const std::vector<std::size_t>& values);
  /// The same number for equal assignments, different ones for others. (Only if two hashes collide
  /// does it depend on the order of the calls.)
  std::uint64_t number(const Assignment& assignment) const;
  /// nullopt for a number not given before.
  std::optional<Assignment> assignment(std::uint64_t number) const;

 private:
  using Packed = std::vector<std::uint64_t>;
  Packed packed(const Assignment& assignment) const;
  std::optional<Assignment> unpacked(const std::uint64_t* words) const;

  struct Field {
    std::size_t word;
    int shift, bits;
    std::size_t values;
  };
  std::vector<Field> fields_;
  std::size_t words_ = 1;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::uint64_t, std::size_t> known_;  ///< number -> place in kept_
  mutable std::vector<std::uint64_t> kept_;
};

}  // namespace rooftune::space

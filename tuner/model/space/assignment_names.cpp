// Value numbers packed into words; packed ones too long for one word are kept.
#include "space/assignment_names.h"

#include <algorithm>
#include <bit>

namespace rooftune::space {
namespace {

std::uint64_t hashed(const std::vector<std::uint64_t>& words) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 29)) * 0x94d049bb133111eb;
  }
  return hash ^ (hash >> 32);
}

}  // namespace

AssignmentNames::AssignmentNames(const std::vector<std::size_t>& values) {
  int used = 0;
  for (const std::size_t count : values) {
    const auto bits = static_cast<int>(std::bit_width(count - 1));
    if (used + bits > 64) {
      ++words_;
      used = 0;
    }
    fields_.push_back({words_ - 1, used, bits, count});
    used += bits;
  }
}

AssignmentNames::Packed AssignmentNames::packed(const Assignment& assignment) const {
  Packed words(words_);
  for (std::size_t k = 0; k < fields_.size(); ++k)
    if (fields_[k].bits > 0)
      words[fields_[k].word] |= std::uint64_t{assignment[k]} << fields_[k].shift;
  return words;
}

std::optional<Assignment> AssignmentNames::unpacked(const std::uint64_t* words) const {
  Assignment assignment;
  for (const Field& field : fields_) {
    if (field.bits == 0) {
      assignment.push_back(0);
      continue;
    }
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - field.bits);
    assignment.push_back(static_cast<std::uint32_t>((words[field.word] >> field.shift) & mask));
    if (assignment.back() >= field.values) return std::nullopt;
  }
  return assignment;
}

std::uint64_t AssignmentNames::number(const Assignment& assignment) const {
  const Packed words = packed(assignment);
  if (words_ == 1) return words.front();
  const std::lock_guard lock(mutex_);
  for (std::uint64_t number = hashed(words);; ++number) {
    const auto [found, fresh] = known_.try_emplace(number, kept_.size());
    if (fresh) kept_.insert(kept_.end(), words.begin(), words.end());
    const auto kept = kept_.begin() + static_cast<std::ptrdiff_t>(found->second);
    if (std::equal(words.begin(), words.end(), kept)) return number;
  }
}

std::optional<Assignment> AssignmentNames::assignment(std::uint64_t number) const {
  if (words_ == 1) return unpacked(&number);
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(number);
  if (found == known_.end()) return std::nullopt;
  return unpacked(kept_.data() + found->second);
}

}  // namespace rooftune::space

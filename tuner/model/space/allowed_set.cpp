// The allowed assignments, counted where possible, else with the reason and an estimate.
#include "space/allowed_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/estimate_json.h"

namespace rooftune::space {
namespace {

/// Bounds construction: 256 MB, to keep the program below 500 MB, and some seconds.
constexpr DiagramLimit size_limit{std::size_t{256} << 20, 200'000'000};
/// Least arrivals of walks before their number tells the size.
constexpr std::size_t least_arrivals = 100;

std::uint64_t hashed(const std::vector<std::uint64_t>& words) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 29)) * 0x94d049bb133111eb;
  }
  return hash ^ (hash >> 32);
}

}  // namespace

SpaceExtent counted_extent(std::uint64_t count) {
  SpaceExtent extent;
  extent.count = count;
  const auto size = static_cast<double>(count);
  extent.size = Estimate::exact(size);
  extent.sampling = "uniform";
  return extent;
}

std::string to_text(const SpaceExtent& extent) {
  if (extent.count) return std::to_string(*extent.count);
  if (!extent.size) return "not known how many";
  const auto& [value, low, high] = *extent.size;
  return fmt::format("about {:.4g} [{:.4g}, {:.4g}]", value, low, high);
}

Json count_json(const SpaceExtent& extent) { return encode(extent.count); }

Json not_counted_json(const SpaceExtent& extent) {
  if (extent.counted()) return {};
  return {{"because", extent.because},
          {"sampling", extent.sampling},
          {"estimate", estimate_or_null(extent.size)}};
}

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

AllowedSet::AllowedSet(const ExpressionGraph& graph, std::size_t knobs,
                       const std::vector<ExpressionGraph::NodeId>& conditions) {
  try {
    diagram_.emplace(graph, knobs, conditions, size_limit);
    if (diagram_->size()) {
      extent_ = counted_extent(*diagram_->size());
      return;
    }
    describe_wide();
  } catch (const DiagramTooLarge&) {
    relaxed_.emplace(graph, knobs, conditions);
    describe_relaxed();
  }
  std::vector<std::size_t> values;
  for (std::size_t k = 0; k < knobs; ++k) values.push_back(graph.values(k).size());
  names_.emplace(values);
}

AllowedSet::AllowedSet(Diagram diagram)
    : diagram_(std::move(diagram)), extent_(counted_extent(*diagram_->size())) {}

void AllowedSet::describe_wide() {
  // Sums and products of positive numbers; far more of them than there are levels round less.
  constexpr double rounding = 1e-10;
  const double size = diagram_->magnitude();
  extent_.size = Estimate{size, size * (1 - rounding), size * (1 + rounding)};
  extent_.sampling = "uniform";
  extent_.because = "there are 2^64 configurations or more";
}

void AllowedSet::describe_relaxed() {
  const RelaxedDiagram::Pilot& pilot = relaxed_->pilot();
  extent_.because = fmt::format(
      "its constraints tie the knobs together too closely: {} of {} conditions are checked only "
      "while configurations are drawn",
      relaxed_->left_out(), relaxed_->conditions());
  if (pilot.arrived >= least_arrivals) {
    const double size = relaxed_->magnitude() * pilot.mean;
    const double factor = std::exp(1.96 * pilot.deviation / pilot.mean);
    extent_.size = Estimate{size, size / factor, size * factor};
  }
  switch (relaxed_->how()) {
    case RelaxedDiagram::Draw::uniform:
      extent_.sampling = "uniform";
      break;
    case RelaxedDiagram::Draw::weighted:
      extent_.sampling = fmt::format(
          "nearly uniform: each is picked by weight from 8 draws whose weights spread by {:.0f} %",
          100 * pilot.spread);
      break;
    case RelaxedDiagram::Draw::searched:
      extent_.representative = false;
      extent_.sampling =
          "not uniform: allowed configurations are so rare that they are searched for, and then "
          "moved by random steps";
      break;
  }
}

bool AllowedSet::contains(const Assignment& assignment) const {
  return relaxed_ ? relaxed_->contains(assignment) : diagram_->contains(assignment);
}

std::optional<std::uint64_t> AllowedSet::number(const Assignment& assignment) const {
  if (extent_.counted()) return diagram_->index(assignment);
  return contains(assignment) ? std::optional(names_->number(assignment)) : std::nullopt;
}

std::optional<Assignment> AllowedSet::assignment(std::uint64_t number) const {
  if (!extent_.counted()) return names_->assignment(number);
  if (number >= *diagram_->size()) return std::nullopt;
  return diagram_->assignment(number);
}

std::uint64_t AllowedSet::draw(Rng& rng) const {
  if (extent_.counted()) return rng.below(*diagram_->size());
  return names_->number(relaxed_ ? relaxed_->draw(rng) : diagram_->draw(rng));
}

Assignment AllowedSet::first() const {
  if (relaxed_) return relaxed_->first();
  if (extent_.counted()) return diagram_->assignment(0);
  Assignment assignment(diagram_->depth());
  std::uint32_t node = 0;
  for (std::size_t level = 0; level < diagram_->depth(); ++level) {
    const Diagram::Branch branch = diagram_->branches(level, node).front();
    assignment[diagram_->knob(level)] = branch.value;
    node = branch.child;
  }
  return assignment;
}

}  // namespace rooftune::space

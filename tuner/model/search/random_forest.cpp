#include "search/random_forest.h"

#include <algorithm>
#include <cmath>

namespace rooftune::search {
namespace {

constexpr std::size_t least_rows = 3;
constexpr int splits_tried = 8;

}  // namespace

RandomForest::RandomForest(const std::vector<const Assignment*>& xs, const std::vector<double>& ys,
                           std::size_t trees, Rng& rng)
    : xs_(&xs), ys_(&ys) {
  for (std::size_t t = 0; t < trees; ++t) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < xs.size(); ++i) rows.push_back(rng.below(xs.size()));
    std::vector<Node> tree;
    grow(tree, std::move(rows), rng);
    trees_.push_back(std::move(tree));
  }
}

std::size_t RandomForest::grow(std::vector<Node>& tree, std::vector<std::size_t> rows, Rng& rng) {
  const std::size_t self = tree.size();
  tree.emplace_back();
  double sum = 0;
  for (const std::size_t row : rows) sum += (*ys_)[row];
  tree[self].mean = sum / static_cast<double>(rows.size());
  if (rows.size() < 2 * least_rows) return self;
  std::optional<Node> split;
  double most = 1e-12;
  for (int attempt = 0; attempt < splits_tried; ++attempt) {
    Node node;
    node.knob = static_cast<std::uint32_t>(rng.below((*xs_)[0]->size()));
    node.at_most = (*(*xs_)[rows[rng.below(rows.size())]])[node.knob];
    double left = 0, count = 0;
    for (const std::size_t row : rows)
      if ((*(*xs_)[row])[node.knob] <= node.at_most) {
        left += (*ys_)[row];
        count += 1;
      }
    const double others = static_cast<double>(rows.size()) - count;
    if (count < 1 || others < 1) continue;
    const double difference = left / count - (sum - left) / others;
    const double gain = difference * difference * count * others;
    if (gain <= most) continue;
    most = gain;
    split = node;
  }
  if (!split) return self;
  std::vector<std::size_t> low, high;
  for (const std::size_t row : rows)
    ((*(*xs_)[row])[split->knob] <= split->at_most ? low : high).push_back(row);
  split->mean = tree[self].mean;
  split->left = grow(tree, std::move(low), rng);
  split->right = grow(tree, std::move(high), rng);
  tree[self] = *split;
  return self;
}

RandomForest::Expectation RandomForest::at(const Assignment& x) const {
  double sum = 0, squares = 0;
  for (const std::vector<Node>& tree : trees_) {
    std::size_t node = 0;
    while (tree[node].left != 0)
      node = x[tree[node].knob] <= tree[node].at_most ? tree[node].left : tree[node].right;
    sum += tree[node].mean;
    squares += tree[node].mean * tree[node].mean;
  }
  const auto n = static_cast<double>(trees_.size());
  const double mean = sum / n;
  return {mean, std::sqrt(std::max(squares / n - mean * mean, 1e-8))};
}

}  // namespace rooftune::search

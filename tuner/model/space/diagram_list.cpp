// Builds a diagram of exactly the assignments of a list, with equal remainders shared. The list is
// sorted, so the assignments below a node are one range of it.
#include <algorithm>
#include <cassert>
#include <map>

#include "space/diagram.h"

namespace rooftune::space {

class ListedDiagram {
 public:
  ListedDiagram(std::size_t knobs, std::vector<Assignment> list) : list_(std::move(list)) {
    std::sort(list_.begin(), list_.end());
    list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
    levels_.resize(knobs);
    known_.resize(knobs);
    for (std::size_t k = 0; k < knobs; ++k) levels_[k].knob = k;
    node(0, 0, list_.size());
  }
  std::vector<Diagram::Level> levels() { return std::move(levels_); }
  std::uint64_t size() const { return list_.size(); }

 private:
  using Key = std::vector<std::uint32_t>;

  /// The node of `level` for the continuations of the assignments [begin, end).
  std::uint32_t node(std::size_t level, std::size_t begin, std::size_t end) {
    if (level == levels_.size()) return 0;
    Key key;
    std::vector<Diagram::Edge> edges;
    for (std::size_t at = begin; at < end;) {
      const std::uint32_t value = list_[at][level];
      std::size_t after = at;
      while (after < end && list_[after][level] == value) ++after;
      const std::uint32_t child = node(level + 1, at, after);
      edges.push_back({value, child, at - begin});
      key.insert(key.end(), {value, child});
      at = after;
    }
    Diagram::Level& here = levels_[level];
    const auto [found, fresh] =
        known_[level].try_emplace(std::move(key), static_cast<std::uint32_t>(here.total.size()));
    if (!fresh) return found->second;
    here.edges.insert(here.edges.end(), edges.begin(), edges.end());
    here.begin.push_back(static_cast<std::uint32_t>(here.edges.size()));
    here.total.push_back(end - begin);
    return found->second;
  }

  std::vector<Assignment> list_;
  std::vector<Diagram::Level> levels_;
  std::vector<std::map<Key, std::uint32_t>> known_;
};

Diagram Diagram::of_assignments(std::vector<std::size_t> values, std::vector<Assignment> list) {
  assert(!list.empty());
  Diagram diagram;
  ListedDiagram built(values.size(), std::move(list));
  diagram.values_ = std::move(values);
  diagram.size_ = built.size();
  diagram.magnitude_ = static_cast<double>(built.size());
  diagram.levels_ = built.levels();
  return diagram;
}

}  // namespace rooftune::space

// Builds a diagram: forward over partial assignments with equal ones merged, then backward dropping
// dead ends and sharing equal remainders.
// The caller owes a limit on the edges, which bounds memory and time.
#include <algorithm>
#include <unordered_map>

#include "space/diagram.h"
#include "space/diagram_order.h"
#include "space/state_table.h"

namespace rooftune {

class DiagramBuilder {
 public:
  DiagramBuilder(const ExpressionGraph& graph, std::vector<DiagramStep> steps, std::size_t limit,
                 WrongTypePolicy policy)
      : graph_(graph),
        steps_(std::move(steps)),
        registers_(graph.registers()),
        limit_(limit),
        policy_(policy) {}

  std::vector<Diagram::Level> levels() {
    StateTable states(0);
    states.number({});
    for (std::size_t s = 0; s < steps_.size(); ++s) states = forward(s, states);
    std::vector<Diagram::Level> levels(steps_.size());
    // The end is one node with one (empty) remainder.
    std::vector<std::uint32_t> renamed(states.size(), 0);
    std::vector<std::uint64_t> totals{1};
    for (std::size_t s = steps_.size(); s-- > 0;) {
      levels[s] = shared(s, renamed, totals);
      levels[s].knob = steps_[s].knob;
      totals = levels[s].total;
      raw_[s] = {};
    }
    return levels;
  }

 private:
  static constexpr std::uint32_t kDead = 0xffffffff;
  struct RawEdge {
    std::uint32_t value, child;
  };
  struct RawLevel {
    std::vector<std::size_t> begin{0};
    std::vector<RawEdge> edges;
  };

  /// All states of the next level that a state of this one reaches.
  StateTable forward(std::size_t s, const StateTable& states) {
    const DiagramStep& step = steps_[s];
    const std::vector<ExpressionGraph::NodeId> none;
    const auto& recalled = s == 0 ? none : steps_[s - 1].remembered;
    const auto knob = graph_.knob_node(step.knob);
    StateTable next(step.remembered.size());
    std::vector<Scalar> key(step.remembered.size());
    RawLevel raw;
    for (std::size_t state = 0; state < states.size(); ++state) {
      const std::span<const Scalar> known = states.state(state);
      for (std::size_t i = 0; i < recalled.size(); ++i) registers_[recalled[i]] = known[i];
      for (const std::uint32_t value : step.values) {
        if (knob) registers_[*knob] = graph_.values(step.knob)[value];
        if (!survives(step)) continue;
        for (std::size_t i = 0; i < key.size(); ++i) key[i] = registers_[step.remembered[i]];
        raw.edges.push_back({value, next.number(key)});
        if (++edges_ > limit_) throw DiagramTooLarge{};
      }
      raw.begin.push_back(raw.edges.size());
    }
    raw_.push_back(std::move(raw));
    return next;
  }

  bool survives(const DiagramStep& step) {
    for (std::size_t i = 0; i < step.program.size(); ++i) {
      const ExpressionGraph::NodeId node = step.program[i];
      registers_[node] = graph_.result(node, registers_);
      if (step.condition[i] && !condition_holds(registers_[node], policy_)) return false;
    }
    return true;
  }

  /// The nodes of one level with equal edges made one. `renamed` maps states of the level below to
  /// its nodes on entry, and states of this level to the new nodes on return.
  Diagram::Level shared(std::size_t s, std::vector<std::uint32_t>& renamed,
                        const std::vector<std::uint64_t>& totals) const {
    const RawLevel& raw = raw_[s];
    Diagram::Level level;
    std::vector<std::uint32_t> names(raw.begin.size() - 1, kDead);
    std::unordered_multimap<std::uint64_t, std::uint32_t> known;
    std::vector<Diagram::Edge> edges;
    for (std::size_t state = 0; state < names.size(); ++state) {
      edges.clear();
      std::uint64_t total = 0, hash = 0;
      for (std::size_t e = raw.begin[state]; e < raw.begin[state + 1]; ++e) {
        const std::uint32_t child = renamed[raw.edges[e].child];
        if (child == kDead) continue;
        edges.push_back({raw.edges[e].value, child, total});
        hash = (hash ^ ((std::uint64_t{raw.edges[e].value} << 32) + child)) * 0xbf58476d1ce4e5b9;
        hash ^= hash >> 31;
        if (__builtin_add_overflow(total, totals[child], &total)) throw TooManyAssignments{};
      }
      if (edges.empty()) continue;
      names[state] = known_node(level, known, hash, edges);
      if (names[state] != kDead) continue;
      names[state] = static_cast<std::uint32_t>(level.total.size());
      known.emplace(hash, names[state]);
      level.edges.insert(level.edges.end(), edges.begin(), edges.end());
      level.begin.push_back(static_cast<std::uint32_t>(level.edges.size()));
      level.total.push_back(total);
    }
    renamed = std::move(names);
    return level;
  }

  static std::uint32_t known_node(
      const Diagram::Level& level,
      const std::unordered_multimap<std::uint64_t, std::uint32_t>& known, std::uint64_t hash,
      const std::vector<Diagram::Edge>& edges) {
    const auto [first, last] = known.equal_range(hash);
    for (auto candidate = first; candidate != last; ++candidate) {
      const auto other = level.edges_of(candidate->second);
      if (std::equal(other.begin(), other.end(), edges.begin(), edges.end(),
                     [](const Diagram::Edge& a, const Diagram::Edge& b) {
                       return a.value == b.value && a.child == b.child;
                     }))
        return candidate->second;
    }
    return kDead;
  }

  const ExpressionGraph& graph_;
  std::vector<DiagramStep> steps_;
  std::vector<Scalar> registers_;
  std::vector<RawLevel> raw_;
  std::size_t limit_, edges_ = 0;
  WrongTypePolicy policy_;
};

Diagram::Diagram(const ExpressionGraph& graph, std::size_t knobs,
                 const std::vector<ExpressionGraph::NodeId>& conditions, std::size_t limit,
                 WrongTypePolicy policy) {
  for (std::size_t k = 0; k < knobs; ++k) values_.push_back(graph.values(k).size());
  levels_ = DiagramBuilder(graph, diagram_steps(graph, knobs, conditions, policy), limit, policy)
                .levels();
  if (levels_.empty())
    size_ = std::all_of(conditions.begin(), conditions.end(),
                        [&](ExpressionGraph::NodeId node) {
                          return condition_holds(graph.nodes()[node].constant, policy);
                        })
                ? 1
                : 0;
  else if (!levels_.front().total.empty())
    size_ = levels_.front().total.front();
}

}  // namespace rooftune

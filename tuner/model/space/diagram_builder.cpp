// Builds a decision diagram of the allowed assignments.
//
// Asking the constraints for every point of the Cartesian product takes hours from 10^9 points on,
// and a tree of partial assignments still has one leaf for each allowed one. But most of the
// choices soon no longer matter: once the conditions on three knobs are decided, only the others
// count.
//  - Forward, knob by knob: two partial assignments are one state when all results that conditions
//    still need are equal. Their continuations are then equal too, so the number of states is that
//    of different remembered results, not of assignments (compilation by separation of states:
//    Bergman, Cire, van Hoeve, Hooker, Decision Diagrams for Optimization, 2016).
//  - Backward: states that lead nowhere go, and nodes with equal edges become one (reduction in
//    Bryant, IEEE Trans. Computers C-35(8), 1986). The forward pass cannot do this, because it does
//    not know the continuations yet.
//  - Each edge keeps how many assignments lie through the edges before it. An assignment and its
//    number lead to each other by one walk from the root; a uniform draw is a uniform number.
// Memory and operations are bounded, since the number of states cannot be foretold.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "space/diagram.h"
#include "space/diagram_order.h"
#include "space/state_table.h"
#include "space/step_program.h"

namespace rooftune::space {

class DiagramBuilder {
 public:
  DiagramBuilder(const ExpressionGraph& graph, std::vector<DiagramStep> steps,
                 const DiagramLimit& limit, WrongTypePolicy policy)
      : graph_(graph),
        steps_(std::move(steps)),
        registers_(graph.registers()),
        limit_(limit),
        policy_(policy) {}

  std::vector<Diagram::Level> levels() {
    StateTable states(0);
    states.number({});
    for (std::size_t s = 0; s < steps_.size(); ++s) states = forward(s, states);
    reached_ = std::vector<RawEdge>();
    std::vector<Diagram::Level> levels(steps_.size());
    // The end is one node with one (empty) remainder.
    Diagram::Level end;
    end.begin.push_back(0);
    end.total = {1};
    std::vector<std::uint32_t> renamed(states.size(), 0);
    states = StateTable(0);
    for (std::size_t s = steps_.size(); s-- > 0;) {
      const Diagram::Level& next = s + 1 < steps_.size() ? levels[s + 1] : end;
      levels[s] = shared(s, renamed);
      levels[s].knob = steps_[s].knob;
      if (!wide_ && !count(levels[s], next)) {
        wide_ = true;
        end.rounded = {1};
        for (std::size_t below = steps_.size(); --below > s;)
          widen(levels[below], below + 1 < steps_.size() ? levels[below + 1] : end);
      }
      if (wide_) widen(levels[s], next);
      bytes_ -= raw_[s].bytes();
      raw_[s] = {};
    }
    return levels;
  }
  bool wide() const { return wide_; }

 private:
  static constexpr std::uint32_t dead_end = 0xffffffff;
  struct RawEdge {
    std::uint32_t value, child;
  };
  struct RawLevel {
    std::vector<std::size_t> begin{0};
    std::vector<RawEdge> edges;
    std::size_t bytes() const {
      return begin.capacity() * sizeof(std::size_t) + edges.capacity() * sizeof(RawEdge);
    }
  };

  /// All states of the next level within reach of a state of this one.
  StateTable forward(std::size_t s, const StateTable& states) {
    const DiagramStep& step = steps_[s];
    const std::vector<ExpressionGraph::NodeId> none;
    const auto& recalled = s == 0 ? none : steps_[s - 1].remembered;
    StepProgram program(graph_, step, s == 0 ? nullptr : &steps_[s - 1]);
    StateTable next(step.remembered.size());
    std::vector<Scalar> key(step.remembered.size());
    RawLevel raw;
    raw.begin.reserve(states.size() + 1);
    reached_.clear();
    for (std::size_t state = 0; state < states.size(); ++state) {
      const std::span<const Scalar> known = states.state(state);
      for (std::size_t i = 0; i < recalled.size(); ++i) registers_[recalled[i]] = known[i];
      for (std::size_t begin = 0; begin < step.values.size(); begin += StepProgram::block) {
        program.run(registers_, begin, policy_);
        for (const std::uint8_t lane : program.survivors()) {
          program.remember(registers_, lane, key);
          reached_.push_back({step.values[begin + lane], next.number(key)});
        }
      }
      raw.begin.push_back(reached_.size());
      operations_ += step.values.size() * (step.program.size() + 1);
      if (operations_ > limit_.operations) throw DiagramTooLarge{};
      refuse_beyond(bytes_ + raw.bytes() + reached_.capacity() * sizeof(RawEdge) + states.bytes() +
                    next.bytes());
    }
    raw.edges = reached_;
    bytes_ += raw.bytes();
    raw_.push_back(std::move(raw));
    return next;
  }

  void refuse_beyond(std::size_t bytes) const {
    if (bytes > limit_.bytes) throw DiagramTooLarge{};
  }

  /// The nodes of one level with equal edges made one. `renamed` maps states of the level below to
  /// its nodes on entry, and states of this level to the new nodes on return.
  Diagram::Level shared(std::size_t s, std::vector<std::uint32_t>& renamed) {
    const RawLevel& raw = raw_[s];
    Diagram::Level level;
    std::vector<std::uint32_t> names(raw.begin.size() - 1, dead_end);
    std::unordered_multimap<std::uint64_t, std::uint32_t> known;
    std::vector<Diagram::Edge> edges;
    for (std::size_t state = 0; state < names.size(); ++state) {
      edges.clear();
      std::uint64_t hash = 0;
      for (std::size_t e = raw.begin[state]; e < raw.begin[state + 1]; ++e) {
        const std::uint32_t child = renamed[raw.edges[e].child];
        if (child == dead_end) continue;
        edges.push_back({raw.edges[e].value, child, 0});
        hash = (hash ^ ((std::uint64_t{raw.edges[e].value} << 32) + child)) * 0xbf58476d1ce4e5b9;
        hash ^= hash >> 31;
      }
      if (edges.empty()) continue;
      names[state] = known_node(level, known, hash, edges);
      if (names[state] != dead_end) continue;
      names[state] = static_cast<std::uint32_t>(level.nodes());
      known.emplace(hash, names[state]);
      level.edges.insert(level.edges.end(), edges.begin(), edges.end());
      level.begin.push_back(static_cast<std::uint32_t>(level.edges.size()));
      refuse_beyond(bytes_ + bytes(level) + names.size() * sizeof(std::uint32_t));
    }
    bytes_ += bytes(level);
    renamed = std::move(names);
    return level;
  }

  /// Including the table to find equal nodes again, and the totals.
  static std::size_t bytes(const Diagram::Level& level) {
    constexpr std::size_t per_node = 4 * sizeof(void*) + sizeof(std::uint64_t);
    return level.edges.capacity() * sizeof(Diagram::Edge) +
           level.begin.capacity() * sizeof(std::uint32_t) + level.nodes() * per_node;
  }

  /// Counts the assignments below each node and before each edge; false when a number does not fit.
  static bool count(Diagram::Level& level, const Diagram::Level& next) {
    level.total.reserve(level.nodes());
    for (std::size_t node = 0; node < level.nodes(); ++node) {
      std::uint64_t total = 0;
      for (std::size_t e = level.begin[node]; e < level.begin[node + 1]; ++e) {
        Diagram::Edge& edge = level.edges[e];
        edge.before = total;
        if (__builtin_add_overflow(total, next.total[edge.child], &total)) return false;
      }
      level.total.push_back(total);
    }
    return true;
  }

  /// The same with rounded numbers; edges keep their share.
  static void widen(Diagram::Level& level, const Diagram::Level& next) {
    level.total = {};
    level.rounded.reserve(level.nodes());
    for (std::size_t node = 0; node < level.nodes(); ++node) {
      double total = 0, before = 0;
      for (std::size_t e = level.begin[node]; e < level.begin[node + 1]; ++e)
        total += next.rounded[level.edges[e].child];
      for (std::size_t e = level.begin[node]; e < level.begin[node + 1]; ++e) {
        // Below 1 even after rounding: at least one configuration comes after.
        level.edges[e].before = static_cast<std::uint64_t>(
            std::min(std::ldexp(before / total, 64), std::ldexp(1 - 0x1p-53, 64)));
        before += next.rounded[level.edges[e].child];
      }
      if (!std::isfinite(total)) throw TooManyAssignments{};
      level.rounded.push_back(total);
    }
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
    return dead_end;
  }

  const ExpressionGraph& graph_;
  std::vector<DiagramStep> steps_;
  std::vector<Scalar> registers_;
  std::vector<RawLevel> raw_;
  std::vector<RawEdge> reached_;  ///< of the level at hand: grows once, not with every level
  DiagramLimit limit_;
  WrongTypePolicy policy_;
  std::size_t bytes_ = 0;
  std::uint64_t operations_ = 0;
  bool wide_ = false;
};

Diagram::Diagram(const ExpressionGraph& graph, std::size_t knobs,
                 const std::vector<ExpressionGraph::NodeId>& conditions, const DiagramLimit& limit,
                 WrongTypePolicy policy, const std::vector<ExpressionGraph::NodeId>& later) {
  for (std::size_t k = 0; k < knobs; ++k) values_.push_back(graph.values(k).size());
  DiagramBuilder builder(graph, diagram_steps(graph, knobs, conditions, policy, later), limit,
                         policy);
  levels_ = builder.levels();
  if (levels_.empty())
    size_ = std::all_of(conditions.begin(), conditions.end(),
                        [&](ExpressionGraph::NodeId node) {
                          return condition_holds(graph.nodes()[node].constant, policy);
                        })
                ? 1
                : 0;
  else if (builder.wide())
    size_.reset();
  else if (!levels_.front().total.empty())
    size_ = levels_.front().total.front();
  magnitude_ = size_ ? static_cast<double>(*size_) : levels_.front().rounded.front();
}

}  // namespace rooftune::space

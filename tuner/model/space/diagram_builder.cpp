// Builds the decision diagram that holds the allowed assignments.
//
// Asking the constraints about every point in the Cartesian product takes hours from 10^9 points
// on, and a tree of partial assignments still has one leaf for each allowed point. But most choices
// soon no longer matter: once the conditions on three knobs are decided, only the others count.
//  - Forward, knob by knob: two partial assignments are one state when all results that conditions
//    still need are equal. Their continuations are then equal too, so there are as many states as
//    different remembered results, not as assignments (compilation by separation of states:
//    Bergman, Cire, van Hoeve, Hooker, Decision Diagrams for Optimization, 2016).
//  - Backward: states that lead nowhere go, and nodes with equal edges become one (reduction in
//    Bryant, IEEE Trans. Computers C-35(8), 1986). The forward pass cannot do this, because it does
//    not know the continuations yet.
//  - Each edge keeps how many assignments lie through the edges before it. An assignment and its
//    number lead to each other by one walk from the root; a uniform draw is a uniform number.
// Memory and operations are bounded, since nobody can foretell how many states there will be.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/list.h"
#include "space/diagram.h"

namespace rooftune::space {

/// One level's different states, numbered as they appear.
class StateTable {
 public:
  explicit StateTable(size_t width) : width_(width), slots_(16, free) {}

  size_t size() const { return count_; }
  /// How much memory it holds [B].
  size_t bytes() const {
    return scalars_.capacity() * sizeof(Scalar) + slots_.capacity() * sizeof(uint32_t);
  }
  std::span<const Scalar> state(size_t number) const {
    return std::span(scalars_).subspan(number * width_, width_);
  }
  /// The number of an equal state, or a new one.
  uint32_t number(std::span<const Scalar> sought) {
    // Nothing is remembered: there is one state.
    if (width_ == 0 && count_ == 1) return 0;
    if (2 * (count_ + 1) > slots_.size()) grow();
    size_t slot = hash(sought) & (slots_.size() - 1);
    for (; slots_[slot] != free; slot = (slot + 1) & (slots_.size() - 1))
      if (equal(state(slots_[slot]), sought)) return slots_[slot];
    slots_[slot] = uint32_t(count_);
    append(scalars_, sought);
    return uint32_t(count_++);
  }

 private:
  static constexpr uint32_t free = 0xffffffff;

  static bool equal(std::span<const Scalar> a, std::span<const Scalar> b) {
    for (const size_t i : indices(a))
      if (a[i] != b[i]) return false;
    return true;
  }
  static uint64_t hash(std::span<const Scalar> state) {
    uint64_t h = 0x9e3779b97f4a7c15;
    for (const Scalar& scalar : state) {
      h ^= uint64_t(scalar.bits) + uint64_t(scalar.tag);
      h *= 0xbf58476d1ce4e5b9;
      h ^= h >> 29;
    }
    return h ^ (h >> 32);
  }
  void grow() {
    slots_.assign(2 * slots_.size(), free);
    for (size_t i = 0; i < count_; ++i) {
      size_t slot = hash(state(i)) & (slots_.size() - 1);
      while (slots_[slot] != free) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = uint32_t(i);
    }
  }

  size_t width_, count_ = 0;
  Scalars scalars_;
  std::vector<uint32_t> slots_;
};

struct RawEdge {
  uint32_t value, child;
};

/// A level before equal nodes become one: its states, with edges to the next level's.
struct RawLevel {
  size_t knob = 0;
  Indices begin{0};
  std::vector<RawEdge> edges;
  size_t bytes() const {
    return begin.capacity() * sizeof(size_t) + edges.capacity() * sizeof(RawEdge);
  }
};
using RawLevels = std::vector<RawLevel>;

/// The memory that both passes may take.
struct Budget {
  size_t limit, bytes = 0;
  void refuse_beyond(size_t more) const {
    if (bytes + more > limit) throw DiagramTooLarge{};
  }
};

class ForwardPass {
 public:
  ForwardPass(const ExpressionGraph& graph, DiagramSteps steps, const DiagramLimit& limit,
              WrongTypePolicy policy, Budget& budget)
      : graph_(graph),
        steps_(std::move(steps)),
        registers_(graph.registers()),
        most_operations_(limit.operations),
        policy_(policy),
        budget_(budget) {}

  RawLevels levels() {
    StateTable states(0);
    states.number({});
    for (const size_t s : indices(steps_)) states = forward(s, states);
    return std::move(raw_);
  }

 private:
  /// All states on the next level that a state on this level reaches.
  StateTable forward(size_t s, const StateTable& states) {
    const DiagramStep& step = steps_[s];
    const ExpressionGraph::NodeIds none;
    const auto& recalled = s == 0 ? none : steps_[s - 1].remembered;
    StateTable next(step.remembered.size());
    Scalars key(step.remembered.size());
    RawLevel raw;
    raw.knob = step.knob;
    raw.begin.reserve(states.size() + 1);
    reached_.clear();
    for (const size_t state : indices(states)) {
      const std::span<const Scalar> known = states.state(state);
      for (const size_t i : indices(recalled)) registers_[recalled[i]] = known[i];
      for (const uint32_t value : step.values) {
        if (!survives(graph_, step, value, registers_, policy_)) continue;
        for (const size_t i : indices(key)) key[i] = registers_[step.remembered[i]];
        reached_.push_back({value, next.number(key)});
      }
      raw.begin.push_back(reached_.size());
      operations_ += step.values.size() * (step.program.size() + 1);
      if (operations_ > most_operations_) throw DiagramTooLarge{};
      budget_.refuse_beyond(raw.bytes() + reached_.capacity() * sizeof(RawEdge) + states.bytes() +
                            next.bytes());
    }
    raw.edges = reached_;
    budget_.bytes += raw.bytes();
    raw_.push_back(std::move(raw));
    return next;
  }

  const ExpressionGraph& graph_;
  DiagramSteps steps_;
  Scalars registers_;
  RawLevels raw_;
  std::vector<RawEdge> reached_;  ///< the level at hand's: grows once, not with every level
  uint64_t most_operations_, operations_ = 0;
  WrongTypePolicy policy_;
  Budget& budget_;
};

namespace {

/// The levels for a sorted list without duplicates: a state for each different beginning.
RawLevels raw_levels(const Assignments& list, size_t knobs) {
  RawLevels raw(knobs);
  Indices begins{0}, next;  // the states', in the list
  for (size_t level = 0; level < knobs; ++level) {
    raw[level].knob = level;
    next.clear();
    for (const size_t state : indices(begins)) {
      const size_t end = state + 1 < begins.size() ? begins[state + 1] : list.size();
      for (size_t at = begins[state]; at < end; ++at) {
        if (at > begins[state] && list[at][level] == list[at - 1][level]) continue;
        const size_t child = level + 1 == knobs ? 0 : next.size();
        raw[level].edges.push_back({list[at][level], uint32_t(child)});
        next.push_back(at);
      }
      raw[level].begin.push_back(raw[level].edges.size());
    }
    begins.swap(next);
  }
  return raw;
}

}  // namespace

class DiagramReduction {
 public:
  DiagramReduction(RawLevels raw, Budget& budget) : raw_(std::move(raw)), budget_(budget) {}

  std::vector<Diagram::Level> levels() {
    std::vector<Diagram::Level> levels(raw_.size());
    // The end is one node with one (empty) remainder.
    Diagram::Level end;
    end.begin.push_back(0);
    end.total = {1};
    std::vector<uint32_t> renamed{0};
    for (size_t s = raw_.size(); s-- > 0;) {
      const Diagram::Level& next = s + 1 < raw_.size() ? levels[s + 1] : end;
      levels[s] = shared(raw_[s], renamed);
      levels[s].knob = raw_[s].knob;
      count(levels[s], next);
      budget_.bytes -= raw_[s].bytes();
      raw_[s] = {};
    }
    return levels;
  }

 private:
  static constexpr uint32_t dead_end = 0xffffffff;

  /// Merges the nodes on a level that have equal edges. `renamed` maps the states below to their
  /// nodes on entry, and this level's states to the new nodes on return.
  Diagram::Level shared(const RawLevel& raw, std::vector<uint32_t>& renamed) {
    Diagram::Level level;
    std::vector<uint32_t> names(raw.begin.size() - 1, dead_end);
    std::unordered_multimap<uint64_t, uint32_t> known;
    std::vector<Diagram::Edge> edges;
    for (const size_t state : indices(names)) {
      edges.clear();
      uint64_t hash = 0;
      for (size_t e = raw.begin[state]; e < raw.begin[state + 1]; ++e) {
        const uint32_t child = renamed[raw.edges[e].child];
        if (child == dead_end) continue;
        edges.push_back({raw.edges[e].value, child, 0});
        hash = (hash ^ ((uint64_t{raw.edges[e].value} << 32) + child)) * 0xbf58476d1ce4e5b9;
        hash ^= hash >> 31;
      }
      if (edges.empty()) continue;
      names[state] = known_node(level, known, hash, edges);
      if (names[state] != dead_end) continue;
      names[state] = uint32_t(level.nodes());
      known.emplace(hash, names[state]);
      append(level.edges, edges);
      level.begin.push_back(uint32_t(level.edges.size()));
      budget_.refuse_beyond(bytes(level) + names.size() * sizeof(uint32_t));
    }
    budget_.bytes += bytes(level);
    renamed = std::move(names);
    return level;
  }

  /// Including the table to find equal nodes again, and the totals.
  static size_t bytes(const Diagram::Level& level) {
    constexpr size_t per_node = 4 * sizeof(void*) + sizeof(uint64_t);
    return level.edges.capacity() * sizeof(Diagram::Edge) +
           level.begin.capacity() * sizeof(uint32_t) + level.nodes() * per_node;
  }

  /// Counts the assignments below each node and before each edge.
  static void count(Diagram::Level& level, const Diagram::Level& next) {
    level.total.reserve(level.nodes());
    for (size_t node = 0; node < level.nodes(); ++node) {
      uint64_t total = 0;
      for (size_t e = level.begin[node]; e < level.begin[node + 1]; ++e) {
        Diagram::Edge& edge = level.edges[e];
        edge.before = total;
        if (__builtin_add_overflow(total, next.total[edge.child], &total))
          throw TooManyAssignments{};
      }
      level.total.push_back(total);
    }
  }

  static uint32_t known_node(const Diagram::Level& level,
                             const std::unordered_multimap<uint64_t, uint32_t>& known,
                             uint64_t hash, const std::vector<Diagram::Edge>& edges) {
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

  RawLevels raw_;
  Budget& budget_;
};

Diagram::Diagram(const ExpressionGraph& graph, size_t knobs,
                 const ExpressionGraph::NodeIds& conditions, const DiagramLimit& limit,
                 WrongTypePolicy policy) {
  for (size_t k = 0; k < knobs; ++k) values_.push_back(graph.values(k).size());
  Budget budget{limit.bytes};
  ForwardPass forward(graph, diagram_steps(graph, knobs, conditions, policy), limit, policy,
                      budget);
  levels_ = DiagramReduction(forward.levels(), budget).levels();
  if (levels_.empty())
    size_ = all_of(conditions,
                   [&](ExpressionGraph::NodeId node) {
                     return condition_holds(graph.nodes()[node].constant, policy);
                   })
                ? 1
                : 0;
  else if (!levels_.front().total.empty())
    size_ = levels_.front().total.front();
}

Diagram Diagram::of_assignments(Indices values, Assignments list) {
  sort(list);
  drop_repeats(list);
  Diagram diagram;
  Budget unlimited{SIZE_MAX};
  diagram.levels_ = DiagramReduction(raw_levels(list, values.size()), unlimited).levels();
  diagram.values_ = std::move(values);
  diagram.size_ = list.size();
  return diagram;
}

}  // namespace rooftune::space

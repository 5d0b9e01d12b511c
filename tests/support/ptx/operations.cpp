// What each instruction of PTX does. Words that change nothing here (rounding to nearest, hints for
// caches, scopes) are listed; all others refuse the instruction.
#include <cstring>
#include <set>

#include "support/ptx/types.h"

namespace rooftune::ptx {
namespace {

// ---- Memory

struct Load {
  template <class T>
  static void run(Machine& m, Thread& t, const Instruction& i) {
    std::array<T, 4> values{};
    const auto count = static_cast<std::size_t>(i.elements);
    m.load(t, i.space, t.bits(i.address), values.data(), count * sizeof(T));
    for (std::size_t k = 0; k < count; ++k) t.put<T>(i.operands[k], values[k]);
  }
};
template <bool AtOnce>
struct Store {
  template <class T>
  static void run(Machine& m, Thread& t, const Instruction& i) {
    std::array<T, 4> values{};
    const auto count = static_cast<std::size_t>(i.elements);
    for (std::size_t k = 0; k < count; ++k) values[k] = t.get<T>(i.operands[k]);
    m.store(t, i.space, t.bits(i.address), values.data(), count * sizeof(T), AtOnce);
  }
};
struct Exchange {
  template <class T>
  static T of(T, T b) {
    return b;
  }
};
struct Increment {
  template <class T>
  static T of(T a, T b) {
    return a >= b ? T(0) : T(a + 1);
  }
};
struct Decrement {
  template <class T>
  static T of(T a, T b) {
    return a == 0 || a > b ? b : T(a - 1);
  }
};
/// With a result (atom) or without (red).
template <class Op>
struct Atomic {
  template <class T>
  static void run(Machine& m, Thread& t, const Instruction& i) {
    unsigned char* const at = m.atomic(t, i.space, t.bits(i.address), sizeof(T));
    T old;
    std::memcpy(&old, at, sizeof old);
    const T fresh = Op::of(old, t.get<T>(i.operands.back()));
    std::memcpy(at, &fresh, sizeof fresh);
    if (i.operands.size() > 1) t.put<T>(i.operands[0], old);
  }
};
struct CompareAndSwap {
  template <class T>
  static void run(Machine& m, Thread& t, const Instruction& i) {
    unsigned char* const at = m.atomic(t, i.space, t.bits(i.address), sizeof(T));
    T old;
    std::memcpy(&old, at, sizeof old);
    const T fresh = t.get<T>(i.operands[2]);
    if (old == t.get<T>(i.operands[1])) std::memcpy(at, &fresh, sizeof fresh);
    t.put<T>(i.operands[0], old);
  }
};

// ---- Control, barriers, warps

enum Shuffle { shuffle_up, shuffle_down, shuffle_bfly, shuffle_idx };
enum Vote { vote_any, vote_all, vote_uni, vote_ballot };

void shuffled(Machine&, Thread&, const Instruction&);
void voted(Machine&, Thread&, const Instruction&);
void synchronised(Machine& m, Thread& t, const Instruction& i) {
  m.meet_warp(t, t.get<std::uint32_t>(i.operands[0]));
}
void shuffled(Machine& m, Thread& t, const Instruction& i) {
  m.meet_warp(t, t.get<std::uint32_t>(i.operands.back()));
}
void voted(Machine& m, Thread& t, const Instruction& i) {
  m.meet_warp(t, t.get<std::uint32_t>(i.operands.back()));
}

Space space_of(const Words& words) {
  for (const std::string& word : words) {
    if (word == "global" || word == "const") return Space::global;
    if (word.rfind("shared", 0) == 0) return Space::shared;
    if (word == "local") return Space::local;
    if (word == "param") return Space::parameter;
  }
  return Space::generic;
}

template <class Op>
Handler with_result(const std::string& type) {
  return type[0] == 'f' ? for_reals<Atomic<Op>>(type) : for_integers<Atomic<Op>>(type);
}

Handler atomic_operation(const Words& words, const std::string& type) {
  if (has(words, "add")) return with_result<Add>(type);
  if (has(words, "exch")) return for_integers<Atomic<Exchange>>(type);
  if (has(words, "cas")) return for_integers<CompareAndSwap>(type);
  if (has(words, "min")) return for_integers<Atomic<Least>>(type);
  if (has(words, "max")) return for_integers<Atomic<Most>>(type);
  if (has(words, "and")) return for_integers<Atomic<And>>(type);
  if (has(words, "or")) return for_integers<Atomic<Or>>(type);
  if (has(words, "xor")) return for_integers<Atomic<Xor>>(type);
  if (has(words, "inc")) return for_integers<Atomic<Increment>>(type);
  if (has(words, "dec")) return for_integers<Atomic<Decrement>>(type);
  throw Fault("operation");
}

Handler asynchronous(const Words& words, Instruction& i) {
  if (has(words, "commit_group"))
    return [](Machine& m, Thread& t, const Instruction&) { m.commit(t); };
  if (has(words, "wait_all"))
    return [](Machine& m, Thread& t, const Instruction&) {
      m.commit(t);
      m.wait_for_copies(t, 0);
    };
  if (has(words, "wait_group"))
    return [](Machine& m, Thread& t, const Instruction& one) {
      m.wait_for_copies(t, t.bits(one.operands[0]));
    };
  if (words[1] != "async" || has(words, "bulk") || i.operands.size() > 3) throw Fault("operation");
  return [](Machine& m, Thread& t, const Instruction& one) {
    const auto bytes = static_cast<std::size_t>(t.bits(one.operands[1]));
    const auto read = one.operands.size() > 2 ? t.get<std::uint32_t>(one.operands[2]) : bytes;
    m.copy(t, {&one, t.bits(one.address), t.bits(one.operands[0]), bytes, read});
  };
}

Handler warp_operation(const Words& words, Instruction& i) {
  if (words[0] == "shfl") {
    static constexpr Named kinds[] = {
        {"up", shuffle_up}, {"down", shuffle_down}, {"bfly", shuffle_bfly}, {"idx", shuffle_idx}};
    i.mode = mode_of(words, kinds);
    i.has_second_result = i.operands.size() == 6;
    return shuffled;
  }
  static constexpr Named kinds[] = {
      {"any", vote_any}, {"all", vote_all}, {"uni", vote_uni}, {"ballot", vote_ballot}};
  i.mode = mode_of(words, kinds);
  return voted;
}

Handler barrier(const Words& words) {
  if (has(words, "warp")) return synchronised;
  if (!has(words, "sync")) throw Fault("operation");
  return [](Machine& m, Thread& t, const Instruction& i) {
    m.wait_at_barrier(t, t.bits(i.operands[0]), i.operands.size() > 1 ? t.bits(i.operands[1]) : 0);
  };
}

Handler address_conversion(const Words& words) {
  if (!has(words, "shared")) return Unary<Same>::run<std::uint64_t>;
  if (has(words, "to"))
    return [](Machine&, Thread& t, const Instruction& i) {
      t.put(i.operands[0], t.bits(i.operands[1]) - shared_start);
    };
  return [](Machine&, Thread& t, const Instruction& i) {
    t.put(i.operands[0], t.bits(i.operands[1]) + shared_start);
  };
}

Handler control(const std::string& name) {
  if (name == "bra") return [](Machine&, Thread& t, const Instruction& i) { t.next = i.target; };
  if (name == "call") return [](Machine& m, Thread& t, const Instruction& i) { m.enter(t, i); };
  if (name == "ret" || name == "exit")
    return [](Machine& m, Thread& t, const Instruction&) { m.leave(t); };
  if (name == "trap") return [](Machine& m, Thread& t, const Instruction&) { m.fail(t, "a trap"); };
  if (name == "membar" || name == "fence")
    return [](Machine& m, Thread& t, const Instruction&) { m.fence(t); };
  if (name == "nanosleep" || name == "prefetch")
    return [](Machine&, Thread& t, const Instruction&) { t.paused = true; };
  return nullptr;
}

/// Words that change nothing here, or that the operation itself has looked at.
const std::set<std::string> known_words{
    "rn",      "uni",     "sync",     "aligned",      "async",      "approx",   "ftz",
    "relaxed", "acquire", "release",  "acq_rel",      "sc",         "gpu",      "cta",
    "sys",     "gl",      "volatile", "weak",         "global",     "shared",   "shared::cta",
    "const",   "local",   "param",    "to",           "ca",         "cg",       "cs",
    "nc",      "lu",      "cv",       "wb",           "wt",         "lo",       "hi",
    "wide",    "cc",      "v2",       "v4",           "rni",        "rzi",      "rmi",
    "rpi",     "warp",    "barrier",  "up",           "down",       "bfly",     "idx",
    "any",     "all",     "ballot",   "commit_group", "wait_group", "wait_all", "add",
    "exch",    "cas",     "min",      "max",          "and",        "or",       "xor",
    "inc",     "dec",     "L2::128B", "L2::64B"};

}  // namespace

void exchange(Machine& machine, const std::array<Thread*, 32>& lanes) {
  std::array<std::uint32_t, 32> values{};
  std::uint32_t there = 0, ballot = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!lanes[lane]) continue;
    const Instruction& one = lanes[lane]->current();
    there |= 1u << lane;
    if (one.run == shuffled)
      values[lane] = lanes[lane]->get<std::uint32_t>(one.operands[one.has_second_result ? 2 : 1]);
    else if (one.run == voted && lanes[lane]->get<bool>(one.operands[1]))
      ballot |= 1u << lane;
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!lanes[lane]) continue;
    Thread& thread = *lanes[lane];
    const Instruction& one = thread.current();
    if (one.run == synchronised) {
      ++thread.warp_epoch;
    } else if (one.run == voted) {
      if (one.mode == vote_ballot)
        thread.put(one.operands[0], ballot);
      else
        thread.put(one.operands[0], one.mode == vote_any   ? ballot != 0
                                    : one.mode == vote_all ? ballot == there
                                                           : ballot == there || ballot == 0);
    } else {
      const std::size_t first = one.has_second_result ? 3 : 2;
      const auto by = static_cast<int>(thread.get<std::uint32_t>(one.operands[first]) & 31);
      const auto limits = thread.get<std::uint32_t>(one.operands[first + 1]);
      const int clamp = static_cast<int>(limits & 31), segment = static_cast<int>(limits >> 8 & 31);
      const int me = static_cast<int>(lane), low = me & segment,
                high = (me & segment) | (clamp & ~segment);
      const int wanted = one.mode == shuffle_up     ? me - by
                         : one.mode == shuffle_down ? me + by
                         : one.mode == shuffle_bfly ? me ^ by
                                                    : low | (by & ~segment);
      const bool valid = one.mode == shuffle_up ? wanted >= high : wanted <= high;
      const unsigned from = valid ? static_cast<unsigned>(wanted) : lane;
      if (!(there >> from & 1)) machine.fail(thread, "a shuffle from a lane that takes no part");
      thread.put(one.operands[0], values[from]);
      if (one.has_second_result) thread.put(one.operands[1], valid);
    }
  }
}

Handler handler(const Words& words, Instruction& i) {
  const std::string &name = words[0], &type = words.back();
  if (name == "setp") return arithmetic(words, i);
  for (std::size_t k = 1; k + (name == "cvt" ? 2 : 1) < words.size(); ++k)
    if (!known_words.count(words[k])) throw Fault("word");
  if (const Handler found = control(name)) return found;
  if (name == "cp") return asynchronous(words, i);
  if (name == "bar" || name == "barrier") return barrier(words);
  if (name == "shfl" || name == "vote") return warp_operation(words, i);
  if (name == "cvta") return address_conversion(words);
  i.space = space_of(words);
  const bool at_once = has(words, "volatile") || has(words, "relaxed") || has(words, "release");
  if (name == "ld" || name == "ldu") return for_numbers<Load>(type);
  if (name == "st")
    return at_once ? for_numbers<Store<true>>(type) : for_numbers<Store<false>>(type);
  if (name == "atom" || name == "red") return atomic_operation(words, type);
  return arithmetic(words, i);
}

}  // namespace rooftune::ptx

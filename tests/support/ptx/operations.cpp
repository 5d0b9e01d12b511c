// What each instruction of PTX does. Words that change nothing here (rounding to nearest, hints for
// caches, scopes) are listed; all others refuse the instruction.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "support/ptx/machine.h"

namespace rooftune::ptx {
namespace {

using Words = std::vector<std::string>;

// ---- From the names of types to C++'s

/// The handler that F, a template over one type, has for the type of this name.
template <class F>
Handler for_integers(const std::string& type) {
  const std::string bits = type.substr(1);
  const bool is_signed = type[0] == 's';
  if (bits == "8") return is_signed ? F::template run<std::int8_t> : F::template run<std::uint8_t>;
  if (bits == "16")
    return is_signed ? F::template run<std::int16_t> : F::template run<std::uint16_t>;
  if (bits == "32")
    return is_signed ? F::template run<std::int32_t> : F::template run<std::uint32_t>;
  if (bits == "64")
    return is_signed ? F::template run<std::int64_t> : F::template run<std::uint64_t>;
  throw Fault("type");
}
template <class F>
Handler for_reals(const std::string& type) {
  if (type == "f32") return F::template run<float>;
  if (type == "f64") return F::template run<double>;
  throw Fault("type");
}
template <class F>
Handler for_numbers(const std::string& type) {
  return type[0] == 'f' ? for_reals<F>(type) : for_integers<F>(type);
}

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

/// T with all its bits as a value without a sign; arithmetic wraps there.
template <class T>
using Bits = std::make_unsigned_t<T>;

template <class Op>
struct Unary {
  template <class T>
  static void run(Machine&, Thread& t, const Instruction& i) {
    t.put<T>(i.operands[0], Op::of(t.get<T>(i.operands[1])));
  }
};
template <class Op>
struct Binary {
  template <class T>
  static void run(Machine&, Thread& t, const Instruction& i) {
    t.put<T>(i.operands[0], Op::of(t.get<T>(i.operands[1]), t.get<T>(i.operands[2])));
  }
};

template <class T, class W>
T wrapped(W value) {
  return static_cast<T>(value);
}

struct Add {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a + b;
    else
      return wrapped<T>(std::uint64_t(a) + std::uint64_t(b));
  }
};
struct Subtract {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a - b;
    else
      return wrapped<T>(std::uint64_t(a) - std::uint64_t(b));
  }
};
struct Multiply {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a * b;
    else
      return wrapped<T>(std::uint64_t(a) * std::uint64_t(b));
  }
};
struct High {
  template <class T>
  static T of(T a, T b) {
    using Wide = std::conditional_t<std::is_signed_v<T>, Int128, Uint128>;
    return static_cast<T>((Wide(a) * Wide(b)) >> (8 * sizeof(T)));
  }
};
struct Least {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fmin(a, b);
    else
      return std::min(a, b);
  }
};
struct Most {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fmax(a, b);
    else
      return std::max(a, b);
  }
};
struct And {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  static T of(T a) {
    if constexpr (std::is_same_v<T, bool>)
      return !a;
    else
      return static_cast<T>(~a);
  }
};
struct Same {
  template <class T>
  static T of(T a) {
    return a;
  }
};
struct Negative {
  template <class T>
  static T of(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return -a;
    else
      return wrapped<T>(0 - std::uint64_t(a));
  }
};
struct Absolute {
  template <class T>
  static T of(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(a);
    else
      return a < 0 ? wrapped<T>(0 - std::uint64_t(a)) : a;
  }
};
struct Root {
  template <class T>
  static T of(T a) {
    return std::sqrt(a);
  }
};
struct Reciprocal {
  template <class T>
  static T of(T a) {
    return 1 / a;
  }
};
struct CountOnes {
  template <class T>
  static T of(T a) {
    return static_cast<T>(std::popcount(Bits<T>(a)));
  }
};

/// The fast reciprocals look at the upper half of a number and give one; subnormals are zeros.
double upper_half(double a) {
  if (std::fpclassify(a) == FP_SUBNORMAL) return std::copysign(0.0, a);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) & 0xffffffff00000000ull);
}
struct FastReciprocal {
  static double of(double a) { return upper_half(1 / upper_half(a)); }
};
struct FastReciprocalRoot {
  static double of(double a) { return upper_half(1 / std::sqrt(upper_half(a))); }
};

// Results of another width than the arguments.
struct LeadingZeros {
  template <class T>
  static void run(Machine&, Thread& t, const Instruction& i) {
    t.put(i.operands[0], std::uint32_t(std::countl_zero(Bits<T>(t.get<T>(i.operands[1])))));
  }
};
template <bool Adds>
struct Wide {
  template <class T>
  static void run(Machine&, Thread& t, const Instruction& i) {
    const auto product = static_cast<std::uint64_t>(std::int64_t(t.get<T>(i.operands[1])) *
                                                    std::int64_t(t.get<T>(i.operands[2])));
    t.put(i.operands[0], product + (Adds ? t.bits(i.operands[3]) : 0));
  }
};
template <class Op>
struct MultiplyAdd {
  template <class T>
  static void run(Machine&, Thread& t, const Instruction& i) {
    const T product = Op::of(t.get<T>(i.operands[1]), t.get<T>(i.operands[2]));
    t.put<T>(i.operands[0], Add::of(product, t.get<T>(i.operands[3])));
  }
};
struct Fused {
  template <class T>
  static void run(Machine&, Thread& t, const Instruction& i) {
    t.put<T>(i.operands[0],
             std::fma(t.get<T>(i.operands[1]), t.get<T>(i.operands[2]), t.get<T>(i.operands[3])));
  }
};
template <bool Remainder>
struct Divide {
  template <class T>
  static void run(Machine& m, Thread& t, const Instruction& i) {
    const T a = t.get<T>(i.operands[1]), b = t.get<T>(i.operands[2]);
    if constexpr (std::is_floating_point_v<T>) {
      t.put<T>(i.operands[0], a / b);
    } else {
      if (b == 0) m.fail(t, "an integer division by zero");
      if (std::is_signed_v<T> && b == T(-1))
        return t.put<T>(i.operands[0], Remainder ? T(0) : Negative::of(a));
      t.put<T>(i.operands[0], static_cast<T>(Remainder ? a % b : a / b));
    }
  }
};
template <bool Left>
struct Shift {
  template <class T>
  static void run(Machine&, Thread& t, const Instruction& i) {
    const T a = t.get<T>(i.operands[1]);
    const auto by = std::min<std::uint32_t>(t.get<std::uint32_t>(i.operands[2]), 8 * sizeof(T));
    const bool all = by == 8 * sizeof(T);
    if (Left) return t.put<T>(i.operands[0], all ? T(0) : wrapped<T>(std::uint64_t(a) << by));
    t.put<T>(i.operands[0], all ? static_cast<T>(a < 0 ? -1 : 0) : static_cast<T>(a >> by));
  }
};

/// add.cc, addc, sub.cc, subc, mad.cc, madc of 32 or 64 bits: the modes add up.
enum Carry { takes_carry = 1, gives_carry = 2, subtracts = 4, multiplies = 8, takes_high = 16 };
struct Carrying {
  template <class T>
  static void run(Machine&, Thread& t, const Instruction& i) {
    using Double = Uint128;
    constexpr int bits = 8 * sizeof(T);
    Double a = t.get<T>(i.operands[1]), b = t.get<T>(i.operands[2]);
    if (i.mode & multiplies) {
      a = static_cast<T>(i.mode & takes_high ? (a * b) >> bits : a * b);
      b = t.get<T>(i.operands[3]);
    }
    std::uint64_t& flag = t.registers[carry];
    const Double in = i.mode & takes_carry ? flag : 0;
    const Double sum = i.mode & subtracts ? a - b - in : a + b + in;
    if (i.mode & gives_carry) flag = (sum >> bits & 1) != 0;
    t.put<T>(i.operands[0], static_cast<T>(sum));
  }
};

enum Comparison { eq, ne, lt, le, gt, ge, ordered, unordered, or_unordered = 8 };
enum Join { alone = 0, joined_and = 16, joined_or = 32, joined_xor = 48 };

template <class T>
bool holds(int mode, T a, T b) {
  const bool nan = a != a || b != b;
  if (nan) return (mode & or_unordered) != 0 || (mode & 7) == unordered;
  switch (mode & 7) {
    case eq:
      return a == b;
    case ne:
      return a != b;
    case lt:
      return a < b;
    case le:
      return a <= b;
    case gt:
      return a > b;
    case ge:
      return a >= b;
    case ordered:
      return true;
    default:
      return false;
  }
}
struct Compare {
  template <class T>
  static void run(Machine&, Thread& t, const Instruction& i) {
    const std::size_t results = i.has_second_result ? 2 : 1;
    const bool here =
        holds(i.mode, t.get<T>(i.operands[results]), t.get<T>(i.operands[results + 1]));
    for (std::size_t k = 0; k < results; ++k) {
      bool one = here != (k == 1);
      if (const int join = i.mode & joined_xor; join != alone) {
        const bool other = t.get<bool>(i.operands[results + 2]);
        one = join == joined_and ? one && other : join == joined_or ? one || other : one != other;
      }
      t.put(i.operands[k], one);
    }
  }
};
struct Select {
  template <class T>
  static void run(Machine&, Thread& t, const Instruction& i) {
    t.put<T>(i.operands[0], t.get<T>(i.operands[t.get<bool>(i.operands[3]) ? 1 : 2]));
  }
};

enum Rounding { none, to_nearest, to_zero, down, up };
template <class To, class From>
To converted(int mode, From value) {
  if constexpr (std::is_floating_point_v<From>) {
    const From whole = mode == to_nearest ? std::nearbyint(value)
                       : mode == to_zero  ? std::trunc(value)
                       : mode == down     ? std::floor(value)
                       : mode == up       ? std::ceil(value)
                                          : value;
    if constexpr (std::is_floating_point_v<To>) {
      return static_cast<To>(whole);
    } else {
      // Out of range: the nearest; NaN: 0, or the highest bit of 64.
      using Limits = std::numeric_limits<To>;
      if (std::isnan(value)) return sizeof(To) == 8 ? static_cast<To>(1ull << 63) : To(0);
      if (whole <= static_cast<From>(Limits::min())) return Limits::min();
      if (whole >= static_cast<From>(Limits::max())) return Limits::max();
      return static_cast<To>(whole);
    }
  } else {
    return static_cast<To>(value);
  }
}
template <class From>
struct ConvertFrom {
  template <class To>
  static void run(Machine&, Thread& t, const Instruction& i) {
    t.put<To>(i.operands[0], converted<To>(i.mode, t.get<From>(i.operands[1])));
  }
};
Handler conversion(const std::string& to, const std::string& from) {
  const std::string bits = from.substr(1);
  if (from == "f64") return for_numbers<ConvertFrom<double>>(to);
  if (from == "f32") return for_numbers<ConvertFrom<float>>(to);
  const bool is_signed = from[0] == 's';
  if (bits == "8")
    return is_signed ? for_numbers<ConvertFrom<std::int8_t>>(to)
                     : for_numbers<ConvertFrom<std::uint8_t>>(to);
  if (bits == "16")
    return is_signed ? for_numbers<ConvertFrom<std::int16_t>>(to)
                     : for_numbers<ConvertFrom<std::uint16_t>>(to);
  if (bits == "32")
    return is_signed ? for_numbers<ConvertFrom<std::int32_t>>(to)
                     : for_numbers<ConvertFrom<std::uint32_t>>(to);
  if (bits == "64")
    return is_signed ? for_numbers<ConvertFrom<std::int64_t>>(to)
                     : for_numbers<ConvertFrom<std::uint64_t>>(to);
  throw Fault("type");
}

/// mov between a register and the vector of its parts.
struct Spread {
  template <class T>
  static void run(Machine&, Thread& t, const Instruction& i) {
    const int parts = i.elements, bits = static_cast<int>(8 * sizeof(T)) / parts;
    const std::uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
    if (i.mode == 0) {
      const std::uint64_t all = t.bits(i.operands.back());
      for (int k = 0; k < parts; ++k) t.put(i.operands[std::size_t(k)], all >> bits * k & mask);
    } else {
      std::uint64_t all = 0;
      for (int k = 0; k < parts; ++k)
        all |= (t.bits(i.operands[std::size_t(k) + 1]) & mask) << bits * k;
      t.put(i.operands[0], all);
    }
  }
};

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

/// The operations that the words of an instruction choose from; words behind them are its type.
struct Named {
  const char* name;
  int mode;
};
template <std::size_t N>
int mode_of(const Words& words, const Named (&table)[N]) {
  for (const std::string& word : words)
    for (const Named& one : table)
      if (word == one.name) return one.mode;
  throw Fault("operation");
}

bool has(const Words& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
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

template <class Op>
Handler bitwise(const std::string& type) {
  return type == "pred" ? Binary<Op>::template run<bool> : for_integers<Binary<Op>>(type);
}

/// The product's low half, high half or all of it, with a third number added or not.
Handler product(const Words& words, const std::string& type, bool adds) {
  if (type[0] == 'f') return adds ? for_reals<Fused>(type) : for_reals<Binary<Multiply>>(type);
  if (has(words, "wide"))
    return adds ? for_integers<Wide<true>>(type) : for_integers<Wide<false>>(type);
  if (has(words, "hi"))
    return adds ? for_integers<MultiplyAdd<High>>(type) : for_integers<Binary<High>>(type);
  return adds ? for_integers<MultiplyAdd<Multiply>>(type) : for_integers<Binary<Multiply>>(type);
}

Handler carrying(const Words& words, const std::string& type, Instruction& i) {
  const std::string& name = words[0];
  i.mode = (name.back() == 'c' ? takes_carry : 0) | (has(words, "cc") ? gives_carry : 0) |
           (name.rfind("sub", 0) == 0 ? subtracts : 0) |
           (name.rfind("mad", 0) == 0 ? multiplies : 0) | (has(words, "hi") ? takes_high : 0);
  return for_integers<Carrying>("u" + type.substr(1));
}

Handler comparison(const Words& words, const std::string& type, Instruction& i) {
  static constexpr Named comparisons[] = {{"eq", eq},
                                          {"ne", ne},
                                          {"lt", lt},
                                          {"le", le},
                                          {"gt", gt},
                                          {"ge", ge},
                                          {"lo", lt},
                                          {"ls", le},
                                          {"hi", gt},
                                          {"hs", ge},
                                          {"num", ordered},
                                          {"nan", unordered},
                                          {"equ", eq | or_unordered},
                                          {"neu", ne | or_unordered},
                                          {"ltu", lt | or_unordered},
                                          {"leu", le | or_unordered},
                                          {"gtu", gt | or_unordered},
                                          {"geu", ge | or_unordered}};
  i.mode = mode_of({words[1]}, comparisons);
  const std::size_t results = i.text.find('|') != std::string::npos ? 2 : 1;
  i.has_second_result = results == 2;
  if (i.operands.size() == results + 3)
    i.mode |= has(words, "and") ? joined_and : has(words, "or") ? joined_or : joined_xor;
  return for_numbers<Compare>(type);
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

Handler arithmetic(const Words& words, const std::string& type, Instruction& i) {
  const std::string& name = words[0];
  const bool is_fast = has(words, "approx") && type == "f64";
  if (has(words, "cc") || name == "addc" || name == "subc" || name == "madc")
    return carrying(words, type, i);
  if (name == "add") return for_numbers<Binary<Add>>(type);
  if (name == "sub") return for_numbers<Binary<Subtract>>(type);
  if (name == "mul") return product(words, type, false);
  if (name == "mad" || name == "fma") return product(words, type, true);
  if (name == "div") return for_numbers<Divide<false>>(type);
  if (name == "rem") return for_integers<Divide<true>>(type);
  if (name == "min") return for_numbers<Binary<Least>>(type);
  if (name == "max") return for_numbers<Binary<Most>>(type);
  if (name == "abs") return for_numbers<Unary<Absolute>>(type);
  if (name == "neg") return for_numbers<Unary<Negative>>(type);
  if (name == "and") return bitwise<And>(type);
  if (name == "or") return bitwise<Or>(type);
  if (name == "xor") return bitwise<Xor>(type);
  if (name == "not") return type == "pred" ? Unary<Not>::run<bool> : for_integers<Unary<Not>>(type);
  if (name == "shl") return for_integers<Shift<true>>(type);
  if (name == "shr") return for_integers<Shift<false>>(type);
  if (name == "popc") return for_integers<Unary<CountOnes>>(type);
  if (name == "clz") return for_integers<LeadingZeros>(type);
  if (name == "selp") return for_numbers<Select>(type);
  if (name == "sqrt") return for_reals<Unary<Root>>(type);
  if (name == "rcp")
    return is_fast ? Unary<FastReciprocal>::run<double> : for_reals<Unary<Reciprocal>>(type);
  if (name == "rsqrt" && is_fast) return Unary<FastReciprocalRoot>::run<double>;
  throw Fault("operation");
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
  if (name == "setp") return comparison(words, type, i);
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
  if (name == "mov") {
    if (type == "pred") return Unary<Same>::run<bool>;
    return i.elements > 1 ? for_integers<Spread>("b" + type.substr(1))
                          : for_integers<Unary<Same>>("b" + type.substr(1));
  }
  if (name == "cvt") {
    static constexpr Named roundings[] = {
        {"rni", to_nearest}, {"rzi", to_zero}, {"rmi", down}, {"rpi", up}};
    i.mode = none;
    for (const Named& one : roundings)
      if (has(words, one.name)) i.mode = one.mode;
    return conversion(words[words.size() - 2], type);
  }
  return arithmetic(words, type, i);
}

}  // namespace rooftune::ptx

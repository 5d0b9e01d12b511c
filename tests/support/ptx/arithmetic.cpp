// Instructions that only touch registers.
#include <limits>

#include "support/ptx/types.h"

namespace rooftune::ptx {
namespace {

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
/// So many bits of the first in the second, from a place on.
struct Insert {
  template <class T>
  static void run(Machine&, Thread& t, const Instruction& i) {
    constexpr unsigned width = 8 * sizeof(T);
    const unsigned place = t.get<std::uint32_t>(i.operands[3]) & 255,
                   length = t.get<std::uint32_t>(i.operands[4]) & 255;
    const std::uint64_t ones = length >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1,
                        there = place < width ? ones << place : 0,
                        from = std::uint64_t(Bits<T>(t.get<T>(i.operands[1]))),
                        into = std::uint64_t(Bits<T>(t.get<T>(i.operands[2])));
    t.put(i.operands[0],
          T(Bits<T>((into & ~there) | ((place < width ? from << place : 0) & there))));
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

}  // namespace

Handler arithmetic(const Words& words, Instruction& i) {
  const std::string &name = words[0], &type = words.back();
  if (name == "setp") return comparison(words, type, i);
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
  if (name == "bfi") return for_integers<Insert>(type);
  if (name == "clz") return for_integers<LeadingZeros>(type);
  if (name == "selp") return for_numbers<Select>(type);
  if (name == "sqrt") return for_reals<Unary<Root>>(type);
  if (name == "rcp")
    return is_fast ? Unary<FastReciprocal>::run<double> : for_reals<Unary<Reciprocal>>(type);
  if (name == "rsqrt" && is_fast) return Unary<FastReciprocalRoot>::run<double>;
  throw Fault("operation");
}

}  // namespace rooftune::ptx

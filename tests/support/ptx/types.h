// Operations over C++'s types, and which of them the name of a type in PTX means.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/ptx/machine.h"

namespace rooftune::ptx {

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

inline bool has(const Words& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Computes, compares, moves or converts registers: the handler of these words. Throws Fault.
Handler arithmetic(const Words& words, Instruction& instruction);

}  // namespace rooftune::ptx

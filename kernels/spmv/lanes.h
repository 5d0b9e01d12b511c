// Vector access that sparse formats need: gathers of x, parts of vectors, sums of lanes, prefetch.
// The caller keeps indices in range; a load of a part never touches what lies beyond it.
#pragma once
#include <cstdint>

#include "knobs.h"
#include "rooftune/vector.h"

namespace spmv_kernel {

using rooftune::load;
using rooftune::store;
using rooftune::Vector;

#if defined(__GNUC__) && !defined(__clang__) && KNOB_GATHER == KNOB_GATHER_INSTRUCTION
#if defined(__AVX512F__) && defined(__AVX512VL__)
#define SPMV_GATHER_8 1
#endif
#if defined(__AVX2__)
#define SPMV_GATHER_4 1
#endif
#endif

#ifdef SPMV_GATHER_4
typedef std::int32_t Index4 __attribute__((vector_size(16)));

ROOFTUNE_INLINE Index4 indices4(const std::int32_t* c) {
  Index4 v;
  __builtin_memcpy(&v, c, sizeof v);
  return v;
}
ROOFTUNE_INLINE Index4 indices4(const std::uint16_t* c) {
  typedef std::uint16_t Short __attribute__((vector_size(8)));
  Short v;
  __builtin_memcpy(&v, c, sizeof v);
  return __builtin_convertvector(v, Index4);
}
#endif
#ifdef SPMV_GATHER_4
ROOFTUNE_INLINE Index4 indices4(const std::uint8_t* c) {
  typedef unsigned char Byte __attribute__((vector_size(4)));
  Byte v;
  __builtin_memcpy(&v, c, sizeof v);
  return __builtin_convertvector(v, Index4);
}
#endif
#ifdef SPMV_GATHER_8
typedef std::int32_t Index8 __attribute__((vector_size(32)));

ROOFTUNE_INLINE Index8 indices8(const std::int32_t* c) {
  Index8 v;
  __builtin_memcpy(&v, c, sizeof v);
  return v;
}
ROOFTUNE_INLINE Index8 indices8(const std::uint16_t* c) {
  typedef short Short __attribute__((vector_size(16)));
  Short v;
  __builtin_memcpy(&v, c, sizeof v);
  // What gcc makes of __builtin_convertvector goes by halves.
  return reinterpret_cast<Index8>(__builtin_ia32_pmovzxwd256(v));
}
#endif

#ifdef SPMV_GATHER_8
ROOFTUNE_INLINE Index8 indices8(const std::uint8_t* c) {
  typedef char Byte __attribute__((vector_size(16)));
  typedef long long Pair __attribute__((vector_size(16)));
  Pair v{};
  __builtin_memcpy(&v, c, 8);
  return reinterpret_cast<Index8>(__builtin_ia32_pmovzxbd256(reinterpret_cast<Byte>(v)));
}
#endif

/// W stored values from any address, in double precision.
template <int W>
ROOFTUNE_INLINE Vector<W> values(const double* v) {
  return load<W>(v);
}
template <int W>
ROOFTUNE_INLINE Vector<W> values(const float* v) {
  if constexpr (W == 1) {
    return static_cast<double>(*v);
  } else {
    typedef float Single __attribute__((vector_size(4 * W)));
    Single single;
    __builtin_memcpy(&single, v, sizeof single);
    return __builtin_convertvector(single, Vector<W>);
  }
}

/// {x[c[0]], ..., x[c[V - 1]]}
template <int V, class Index>
ROOFTUNE_INLINE Vector<V> gather(const double* x, const Index* c) {
#ifdef SPMV_GATHER_8
  if constexpr (V == 8)
    return __builtin_ia32_gathersiv8df(Vector<8>{}, x, indices8(c), static_cast<char>(-1), 8);
#endif
#ifdef SPMV_GATHER_4
  if constexpr (V == 4) {
    typedef long long Mask __attribute__((vector_size(32)));
    return __builtin_ia32_gathersiv4df(Vector<4>{}, x, indices4(c),
                                       reinterpret_cast<Vector<4>>(Mask{-1, -1, -1, -1}), 8);
  }
#endif
  // Joined from halves: of a list of eight the compiler loads all columns first, and runs out of
  // registers.
  if constexpr (V == 8)
    return __builtin_shufflevector(gather<4>(x, c), gather<4>(x, c + 4), 0, 1, 2, 3, 4, 5, 6, 7);
  else if constexpr (V == 4)
    return __builtin_shufflevector(gather<2>(x, c), gather<2>(x, c + 2), 0, 1, 2, 3);
  else if constexpr (V == 2)
    return Vector<2>{x[c[0]], x[c[1]]};
  else
    return x[c[0]];
}

template <int V>
ROOFTUNE_INLINE double sum(const Vector<V>& v) {
  if constexpr (V == 8) {
    const Vector<4> low = __builtin_shufflevector(v, v, 0, 1, 2, 3);
    const Vector<4> high = __builtin_shufflevector(v, v, 4, 5, 6, 7);
    return sum<4>(low + high);
  } else if constexpr (V == 4) {
    const Vector<2> low = __builtin_shufflevector(v, v, 0, 1);
    const Vector<2> high = __builtin_shufflevector(v, v, 2, 3);
    return sum<2>(low + high);
  } else if constexpr (V == 2) {
    return v[0] + v[1];
  } else {
    return v;
  }
}

/// Sum of v[k] x[c[k]] over k < n < 8.
template <class Value, class Index>
ROOFTUNE_INLINE double rest(const Value* v, const Index* c, std::int64_t n, const double* x) {
  double s = 0;
  for (std::int64_t k = 0; k < n; ++k) s += v[k] * x[c[k]];
  return s;
}

#ifdef SPMV_GATHER_8
/// Eight columns of which only the first ones count: the caller's array may end there, a layout's
/// own array may be read beyond.
ROOFTUNE_INLINE Index8 part_indices(const std::int32_t* c, unsigned char mask) {
  typedef int Native __attribute__((vector_size(32)));
  return (Index8)__builtin_ia32_loaddqusi256_mask(reinterpret_cast<const int*>(c), Native{}, mask);
}
ROOFTUNE_INLINE Index8 part_indices(const std::uint16_t* c, unsigned char) { return indices8(c); }

ROOFTUNE_INLINE Vector<8> part_values(const double* v, unsigned char mask) {
  return __builtin_ia32_loadupd512_mask(v, Vector<8>{}, mask);
}
ROOFTUNE_INLINE Vector<8> part_values(const float* v, unsigned char mask) {
  typedef float Single __attribute__((vector_size(32)));
  return __builtin_convertvector((Single)__builtin_ia32_loadups256_mask(v, Single{}, mask),
                                 Vector<8>);
}

/// The first n < 8 products as a vector; the masked lanes are zero and no x is read for them.
template <class Value, class Index>
ROOFTUNE_INLINE Vector<8> part(const Value* v, const Index* c, std::int64_t n, const double* x) {
  const auto mask = static_cast<unsigned char>((1u << n) - 1);
  return part_values(v, mask) * __builtin_ia32_gathersiv8df(Vector<8>{}, x, part_indices(c, mask),
                                                            static_cast<char>(mask), 8);
}
#endif

/// Asks for what lies `ahead` elements beyond p; may point past the array.
template <class T>
ROOFTUNE_INLINE void prefetch_ahead(const T* p, std::int64_t ahead) {
  const auto at = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(p) +
                                                static_cast<std::uintptr_t>(ahead) * sizeof(T));
#if KNOB_PREFETCH_HINT == KNOB_PREFETCH_HINT_NTA
  __builtin_prefetch(at, 0, 0);
#else
  __builtin_prefetch(at, 0, 3);
#endif
}

/// y = alpha A x + beta y, in place of y = A x; with beta = 0 y is only written.
struct Scaled {
  double* y;
  double alpha, beta;

  Scaled operator+(std::int64_t i) const { return {y + i, alpha, beta}; }
};

/// Where sums go, and what they are multiplied with there.
ROOFTUNE_INLINE double* place(double* y) { return y; }
ROOFTUNE_INLINE double* place(const Scaled& to) { return to.y; }
ROOFTUNE_INLINE double factor(double*) { return 1; }
ROOFTUNE_INLINE double factor(const Scaled& to) { return to.alpha; }

/// Writes W elements of y, past the caches when the knob says so.
template <int W = 1>
ROOFTUNE_INLINE void put(double* y, const Vector<W>& v) {
#if KNOB_NT_STORE
  if (W == 1 || reinterpret_cast<std::uintptr_t>(y) % (8 * W) == 0)
    return rooftune::stream<W>(y, v);
#endif
  store<W>(y, v);  // never joined to a scatter instruction, which is slower
}
template <int W = 1>
ROOFTUNE_INLINE void put(const Scaled& to, const Vector<W>& v) {
  store<W>(to.y, to.alpha * v + (to.beta == 0 ? Vector<W>{} : to.beta * load<W>(to.y)));
}

/// More of a sum that was put.
template <class Y>
ROOFTUNE_INLINE void add(Y y, double v) {
  *place(y) += factor(y) * v;
}

}  // namespace spmv_kernel

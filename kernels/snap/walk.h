// The order in which rows of u_j, and of its derivatives, are raised: along j with mb fixed, which
// keeps one row alive, or layer by layer.
// The caller's visit(j, mb, strand) sees every row mb <= j/2 once, after the rows it needs.
#pragma once
#include "body.h"

namespace snap_kernel {

/// A row of u and, for N = 4, of its derivatives by x, y and z.
template <class T, int N>
struct Strand {
  Row<T> row[N];
};

template <class T, int N>
ROOFTUNE_FUNCTION void mirror_strand(int j, int mb, const Strand<T, N>& in, Strand<T, N>& out) {
  for (int n = 0; n < N; ++n) mirror_row(j, mb, in.row[n], out.row[n]);
}

/// Raises rows by computing u; load(j, mb, row) of Stored takes u from where stage U left it.
template <bool Rooted, class T>
struct Raiser {
  Bond<T> bond;
  const BondSlope<T>* slope;
  Roots root;

  template <int N>
  ROOFTUNE_FUNCTION void slopes(int j, int mb, Strand<T, N>& s) const {
    if constexpr (N > 1)
      for (int c = 0; c < 3; ++c)
        raise_slope<Rooted>(bond, *slope, c, j, mb, root, s.row[0], s.row[c + 1], s.row[c + 1]);
  }
  template <int N>
  ROOFTUNE_FUNCTION void operator()(int j, int mb, Strand<T, N>& s) const {
    slopes(j, mb, s);
    raise_row<Rooted>(bond, j, mb, root, s.row[0], s.row[0]);
  }
  template <int N>
  ROOFTUNE_FUNCTION void start(Strand<T, N>& s) const {
    s.row[0].re[0] = T{} + 1.0;
    s.row[0].im[0] = T{};
    for (int n = 1; n < N; ++n) s.row[n].re[0] = s.row[n].im[0] = T{};
  }
};

template <bool Rooted, class T, class Load>
struct StoredRaiser : Raiser<Rooted, T> {
  Load load;
  template <int N>
  ROOFTUNE_FUNCTION void operator()(int j, int mb, Strand<T, N>& s) const {
    this->slopes(j, mb, s);
    load(j, mb, s.row[0]);
  }
};

/// Raises the rows of N bonds side by side.
template <bool Rooted, class T, int N>
struct ParallelRaiser {
  Bond<T> bond[N];
  Roots root;

  ROOFTUNE_FUNCTION void operator()(int j, int mb, Strand<T, N>& s) const {
    for (int n = 0; n < N; ++n) raise_row<Rooted>(bond[n], j, mb, root, s.row[n], s.row[n]);
  }
  ROOFTUNE_FUNCTION void start(Strand<T, N>& s) const {
    for (int n = 0; n < N; ++n) {
      s.row[n].re[0] = T{} + 1.0;
      s.row[n].im[0] = T{};
    }
  }
};

/// mb outside, j inside.
template <class T, int N, class Raise, class Visit>
ROOFTUNE_FUNCTION void walk_rows(int twojmax, const Raise& raise, const Visit& visit) {
  Strand<T, N> now, kept;
  raise.start(now);
  visit(0, 0, now);
  for (int mb = 0; 2 * mb <= twojmax; ++mb) {
    // Row mb of layer 2 mb - 1 is the mirror of row mb - 1, which was kept.
    if (mb > 0) mirror_strand(2 * mb - 1, mb - 1, kept, now);
    for (int j = mb == 0 ? 1 : 2 * mb; j <= twojmax; ++j) {
      raise(j, mb, now);
      visit(j, mb, now);
      if (j == 2 * mb + 1) kept = now;
    }
  }
}

/// j outside, mb inside; a row per mb is alive.
template <class T, int N, class Raise, class Visit>
ROOFTUNE_FUNCTION void walk_layers(int twojmax, const Raise& raise, const Visit& visit) {
  Strand<T, N> now[largest_twojmax / 2 + 1];
  raise.start(now[0]);
  visit(0, 0, now[0]);
  for (int j = 1; j <= twojmax; ++j) {
    if (j % 2 == 0) mirror_strand(j - 1, j / 2 - 1, now[j / 2 - 1], now[j / 2]);
    for (int mb = 0; 2 * mb <= j; ++mb) {
      raise(j, mb, now[mb]);
      visit(j, mb, now[mb]);
    }
  }
}

/// A number that the compiler knows.
template <int N>
struct Known {
  ROOFTUNE_FUNCTION constexpr operator int() const { return N; }
};

/// One chain of walk_rows from layer J on, every length known to the compiler.
template <int J, int Mb, int Last, class T, int N, class Raise, class Visit>
ROOFTUNE_FUNCTION void walk_chain(const Raise& raise, const Visit& visit, Strand<T, N>& now,
                                  Strand<T, N>& kept) {
  if constexpr (J <= Last) {
    raise(Known<J>{}, Known<Mb>{}, now);
    visit(Known<J>{}, Known<Mb>{}, now);
    if constexpr (J == 2 * Mb + 1) kept = now;
    walk_chain<J + 1, Mb, Last>(raise, visit, now, kept);
  }
}

/// walk_rows with a known 2J, unrolled.
template <int Last, int Mb, class T, int N, class Raise, class Visit>
ROOFTUNE_FUNCTION void walk_unrolled(const Raise& raise, const Visit& visit,
                                     const Strand<T, N>& before) {
  if constexpr (2 * Mb <= Last) {
    Strand<T, N> now, kept;
    if constexpr (Mb == 0) {
      raise.start(now);
      visit(Known<0>{}, Known<0>{}, now);
    } else {
      mirror_strand(Known<2 * Mb - 1>{}, Mb - 1, before, now);
    }
    walk_chain<(Mb == 0 ? 1 : 2 * Mb), Mb, Last>(raise, visit, now, kept);
    walk_unrolled<Last, Mb + 1>(raise, visit, kept);
  }
}

}  // namespace snap_kernel

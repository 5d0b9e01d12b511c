// Constants of SNAP for one 2J: Clebsch-Gordan coefficients, couplings, roots and weights.
// The caller builds them once; beta lists the bispectrum coefficients with j >= j1 >= j2, in the
// order j1, j2, j.
#pragma once
#include "body.h"

namespace snap_kernel {

/// A growing array of constants: the heavy containers stay out of a variant's compile time.
template <class T>
class List {
 public:
  List() = default;
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() { delete[] at_; }
  void clear() { size_ = 0; }
  void push(const T& value) {
    if (size_ == room_) grow();
    at_[size_++] = value;
  }
  int size() const { return size_; }
  T* data() { return at_; }
  const T* data() const { return at_; }
  T& operator[](int i) { return at_[i]; }
  const T& operator[](int i) const { return at_[i]; }

 private:
  void grow() {
    room_ = 2 * room_ + 64;
    T* wider = new T[static_cast<unsigned>(room_)];
    for (int i = 0; i < size_; ++i) wider[i] = at_[i];
    delete[] at_;
    at_ = wider;
  }
  T* at_ = nullptr;
  int size_ = 0, room_ = 0;
};

/// n!, exact up to 22! and so for every argument below.
inline double factorial(int n) {
  double product = 1;
  for (int i = 2; i <= n; ++i) product *= i;
  return product;
}

/// C^{j1 j2 j} of m1 and m2, both counted from 0 (Varshalovich, Moskalev, Khersonskii, 8.2.1).
inline double clebsch_gordan(int j1, int m1, int j2, int m2, int j) {
  const int a = 2 * m1 - j1, b = 2 * m2 - j2, c = a + b;
  if (c < -j || c > j) return 0;
  const int s = (j1 + j2 - j) / 2, up1 = (j1 - a) / 2, up2 = (j2 + b) / 2;
  const int shift1 = (j - j2 + a) / 2, shift2 = (j - j1 - b) / 2;
  double sum = 0;
  for (int z = larger(0, larger(-shift1, -shift2)); z <= smaller(s, smaller(up1, up2)); ++z)
    sum += (z % 2 == 0 ? 1.0 : -1.0) /
           (factorial(z) * factorial(s - z) * factorial(up1 - z) * factorial(up2 - z) *
            factorial(shift1 + z) * factorial(shift2 + z));
  const double triangle = factorial(s) * factorial((j1 - j2 + j) / 2) *
                          factorial((j2 - j1 + j) / 2) / factorial((j1 + j2 + j) / 2 + 1);
  return sum * __builtin_sqrt(triangle * factorial((j1 + a) / 2) * factorial(up1) * factorial(up2) *
                              factorial((j2 - b) / 2) * factorial((j + c) / 2) *
                              factorial((j - c) / 2) * (j + 1));
}

/// Places of the bispectrum coefficients.
class BetaPlaces {
 public:
  explicit BetaPlaces(int twojmax) {
    for (int j1 = 0; j1 <= twojmax; ++j1)
      for (int j2 = 0; j2 <= j1; ++j2)
        for (int j = j1 - j2; j <= smaller(twojmax, j1 + j2); j += 2)
          if (j >= j1) place_[j1][j2][j] = count_++;
  }
  int count() const { return count_; }
  int operator()(int j1, int j2, int j) const { return place_[j1][j2][j]; }

 private:
  int place_[longest_row][longest_row][longest_row] = {};
  int count_ = 0;
};

/// Constants for one 2J. Filled by build(); const afterwards.
struct Tables {
  int twojmax = -1;
  List<double> root;          ///< sqrt(p/q), [16][16]
  List<double> scale;         ///< per half element: u over its monomial
  List<double> cg;            ///< per (j1, j2, j, m1 + m2): over m1
  List<Coupling> couplings;   ///< order of j1, j2, j, mb, ma, or of their target
  List<int> target_first;     ///< per half element its first coupling, when ordered by target
  List<double> product_c;     ///< coefficients of products
  List<int> product_targets;  ///< elements of Y that products go to
  List<Product> products;     ///< by pairs (j1, j2), or sorted by the lengths of their loops

  void build(int order, const double* beta, bool by_target, bool sorted);
  Constants constants() const {
    return {root.data(),      scale.data(),    cg.data(),           product_c.data(),
            couplings.data(), products.data(), target_first.data(), product_targets.data(),
            couplings.size(), products.size()};
  }

 private:
  void build_roots();
  void build_couplings(const double* beta);
  void build_products(const double* beta);
  void add_products(const BetaPlaces& place, const double* beta, int j1, int j2);
  void sort_products();
  void order_by_target();
};

/// Factor of Z(j1, j2, j) in Y_j: the derivative of the energy by U_j, all three places of U in a
/// triple product gathered.
inline double coupling_factor(const BetaPlaces& place, const double* beta, int j1, int j2, int j) {
  if (j >= j1) return beta[place(j1, j2, j)] * (j1 != j ? 1 : j2 == j ? 3 : 2);
  const double ratio = (j1 + 1.0) / (j + 1.0);
  if (j >= j2) return beta[place(j, j2, j1)] * ratio * (j2 == j ? 2 : 1);
  return beta[place(j2, j, j1)] * ratio;
}

inline void Tables::build(int order, const double* beta, bool by_target, bool sorted) {
  twojmax = order;
  build_roots();
  build_couplings(beta);
  build_products(beta);
  if (by_target) order_by_target();
  if (sorted) sort_products();
}

inline void Tables::build_roots() {
  root.clear();
  scale.clear();
  for (int p = 0; p <= longest_row; ++p)
    for (int q = 0; q <= longest_row; ++q) root.push(q == 0 ? 0 : __builtin_sqrt(double(p) / q));
  // sqrt(binomial(j, mb) / binomial(j, ma))
  for (int j = 0; j <= twojmax; ++j)
    for (int mb = 0; 2 * mb <= j; ++mb)
      for (int ma = 0; ma <= j; ++ma)
        scale.push(__builtin_sqrt(factorial(ma) * factorial(j - ma) /
                                  (factorial(mb) * factorial(j - mb))));
}

inline void Tables::build_couplings(const double* beta) {
  const BetaPlaces place(twojmax);
  couplings.clear();
  cg.clear();
  for (int j1 = 0; j1 <= twojmax; ++j1)
    for (int j2 = 0; j2 <= j1; ++j2)
      for (int j = j1 - j2; j <= smaller(twojmax, j1 + j2); j += 2) {
        const int shift = (j1 + j2 - j) / 2;
        int start[longest_row];
        for (int m = 0; m <= j; ++m) {
          start[m] = cg.size();
          const Span span(j1, j2, m + shift);
          for (int m1 = span.low; m1 <= span.high; ++m1)
            cg.push(clebsch_gordan(j1, m1, j2, m + shift - m1, j));
        }
        const double factor = coupling_factor(place, beta, j1, j2, j);
        for (int mb = 0; 2 * mb <= j; ++mb)
          for (int ma = 0; ma <= j; ++ma) {
            const Span rows(j1, j2, mb + shift), columns(j1, j2, ma + shift);
            couplings.push(
                {full_offset(j1) + rows.low * (j1 + 1) + columns.low,
                 full_offset(j2) + (mb + shift - rows.low) * (j2 + 1) + ma + shift - columns.low,
                 rows.count(), columns.count(), j1 + 1, j2 + 1, start[mb], start[ma],
                 half_offset(j) + mb * (j + 1) + ma, factor});
          }
      }
}

inline void Tables::build_products(const double* beta) {
  const BetaPlaces place(twojmax);
  products.clear();
  product_c.clear();
  product_targets.clear();
  for (int j1 = 0; j1 <= twojmax; ++j1)
    for (int j2 = 0; j2 <= j1; ++j2) add_products(place, beta, j1, j2);
}

/// All products of U_j1 and U_j2. For j1 = j2 those with rows exchanged are the same: half of them
/// count twice. Of the middle row of Y only the half that contractions use is made.
inline void Tables::add_products(const BetaPlaces& place, const double* beta, int j1, int j2) {
  const int sum = j1 + j2, top = sum <= twojmax ? sum : twojmax - (sum - twojmax) % 2;
  int row_c[2 * longest_row], column_c[2 * longest_row], values[2 * longest_row];
  for (int m = 0; m <= sum; ++m) {
    const int least = larger(j1 - j2, 2 * m > sum ? 2 * m - sum : sum - 2 * m);
    const Span span(j1, j2, m);
    values[m] = least > top ? 0 : (top - least) / 2 + 1;
    column_c[m] = product_c.size();
    for (int m1 = span.low; m1 <= span.high; ++m1)
      for (int j = top; j >= least; j -= 2) product_c.push(clebsch_gordan(j1, m1, j2, m - m1, j));
    row_c[m] = product_c.size();
    for (int m1 = span.low; m1 <= span.high; ++m1)
      for (int j = top; j >= least; j -= 2)
        product_c.push(clebsch_gordan(j1, m1, j2, m - m1, j) *
                       coupling_factor(place, beta, j1, j2, j) * (j1 == j2 && 2 * m1 != m ? 2 : 1));
  }
  for (int mb = 0; 2 * mb <= sum; ++mb)
    for (int ma = 0; ma <= (2 * mb == sum ? sum / 2 : sum); ++ma) {
      const int count = smaller(values[mb], values[ma]), shift = (sum - top) / 2;
      if (count == 0) continue;
      const Span rows(j1, j2, mb), columns(j1, j2, ma);
      const int row_count = j1 == j2 ? mb / 2 - rows.low + 1 : rows.count();
      products.push({full_offset(j1) + rows.low * (j1 + 1) + columns.low,
                     full_offset(j2) + (mb - rows.low) * (j2 + 1) + ma - columns.low,
                     short(row_count), short(columns.count()), short(j1 + 1), short(j2 + 1),
                     short(count), short(values[mb]), short(values[ma]), row_c[mb], column_c[ma],
                     product_targets.size()});
      for (int q = 0; q < count; ++q) {
        const int j = top - 2 * q;
        product_targets.push(half_offset(j) + (mb - shift - q) * (j + 1) + ma - shift - q);
      }
    }
}

/// Equal loops after each other, which branch prediction likes.
inline void Tables::sort_products() {
  const auto key = [](const Product& p) { return (p.count * 64 + p.columns) * 64 + p.rows; };
  // Shell sort: a few thousand elements, once.
  for (int gap = products.size() / 2; gap > 0; gap /= 2)
    for (int i = gap; i < products.size(); ++i) {
      const Product moved = products[i];
      int at = i;
      for (; at >= gap && key(products[at - gap]) > key(moved); at -= gap)
        products[at] = products[at - gap];
      products[at] = moved;
    }
}

/// Stable counting sort: all couplings of one element of Y together.
inline void Tables::order_by_target() {
  const int elements = half_offset(twojmax + 1), count = couplings.size();
  target_first.clear();
  for (int e = 0; e <= elements; ++e) target_first.push(0);
  for (int i = 0; i < count; ++i) ++target_first[couplings[i].target + 1];
  for (int e = 0; e < elements; ++e) target_first[e + 1] += target_first[e];
  List<int> next;
  for (int e = 0; e < elements; ++e) next.push(target_first[e]);
  Coupling* const sorted = new Coupling[static_cast<unsigned>(count)];
  for (int i = 0; i < count; ++i) sorted[next[couplings[i].target]++] = couplings[i];
  for (int i = 0; i < count; ++i) couplings[i] = sorted[i];
  delete[] sorted;
}

}  // namespace snap_kernel

// The knobs of snap that mean the same on every back end, with their defaults (the plain variant):
// how U, Z and dU are computed. The caller includes it before anything that reads the macros.
#pragma once

#ifndef KNOB_RECURSION
#define KNOB_RECURSION_ROOTS 0
#define KNOB_RECURSION_MONOMIALS 1
#define KNOB_RECURSION KNOB_RECURSION_ROOTS
#endif
#ifndef KNOB_RECURSION_ORDER
#define KNOB_RECURSION_ORDER_LAYERS 0
#define KNOB_RECURSION_ORDER_ROWS 1
#define KNOB_RECURSION_ORDER KNOB_RECURSION_ORDER_LAYERS
#endif
#ifndef KNOB_PRODUCTS
#define KNOB_PRODUCTS_SINGLE 0
#define KNOB_PRODUCTS_SHARED 1
#define KNOB_PRODUCTS KNOB_PRODUCTS_SINGLE
#endif
#ifndef KNOB_SORT_PRODUCTS
#define KNOB_SORT_PRODUCTS 0
#endif
#ifndef KNOB_DERIVATIVE
#define KNOB_DERIVATIVE_RECURSION 0
#define KNOB_DERIVATIVE_ROTATION 1
#define KNOB_DERIVATIVE KNOB_DERIVATIVE_RECURSION
#endif
#ifndef KNOB_STORE_DU
#define KNOB_STORE_DU 0
#endif
#ifndef KNOB_COMPLEX_PARTS
#define KNOB_COMPLEX_PARTS_INTERLEAVED 0
#define KNOB_COMPLEX_PARTS_SPLIT 1
#define KNOB_COMPLEX_PARTS KNOB_COMPLEX_PARTS_INTERLEAVED
#endif
#ifndef KNOB_FIXED_TWOJMAX
#define KNOB_FIXED_TWOJMAX 0
#endif

namespace snap_kernel {

constexpr bool rooted = KNOB_RECURSION == KNOB_RECURSION_ROOTS;
constexpr bool by_rows = KNOB_RECURSION_ORDER == KNOB_RECURSION_ORDER_ROWS;
constexpr bool shares_products = KNOB_PRODUCTS == KNOB_PRODUCTS_SHARED;
constexpr bool rotates = KNOB_DERIVATIVE == KNOB_DERIVATIVE_ROTATION;
constexpr bool interleaved = KNOB_COMPLEX_PARTS == KNOB_COMPLEX_PARTS_INTERLEAVED;

}  // namespace snap_kernel

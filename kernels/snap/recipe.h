// The knobs of snap that every back end has: how U, Z and dU are computed.
#pragma once

namespace snap_kernel {

constexpr bool rooted = KNOB_RECURSION == KNOB_RECURSION_ROOTS;
constexpr bool by_rows = KNOB_RECURSION_ORDER == KNOB_RECURSION_ORDER_ROWS;
constexpr bool shares_products = KNOB_PRODUCTS == KNOB_PRODUCTS_SHARED;
constexpr bool rotates = KNOB_DERIVATIVE == KNOB_DERIVATIVE_ROTATION;

}  // namespace snap_kernel

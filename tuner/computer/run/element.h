// C++ types for array elements, by the type that a manifest gives.
#pragma once
#include <fmt/format.h>
#include <rooftune/elements.h>

#include <boost/mp11/algorithm.hpp>
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

#include "kernel/element_type.h"
#include "kernel/kernel.h"

namespace rooftune::run {

/// In the order of Element; a structure has a byte.
using ElementTypes =
    std::tuple<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, Truth,
               Half, BFloat16, float, double, std::complex<float>, std::complex<double>, uint8_t>;

/// Calls body(T*) with a null pointer to the element's type.
template <class Body>
auto with_type(ElementType type, Body body) {
  return boost::mp11::mp_with_index<std::tuple_size_v<ElementTypes>>(
      size_t(type.element()), [&](auto index) {
        return body(static_cast<std::tuple_element_t<index, ElementTypes>*>(nullptr));
      });
}

/// A complex number counts by its modulus.
template <class T>
double size_of(T value) {
  return double(std::abs(exact(value)));
}

/// As messages show it.
template <class T>
std::string shown([[maybe_unused]] ElementType type, const T& value) {
  if constexpr (requires { value.imag(); })
    return fmt::format("{}{:+}i", value.real(), value.imag());
  else if constexpr (std::is_integral_v<T>)
    return type.element() == Element::bytes ? fmt::format("0x{:02x}", value)
                                            : fmt::format("{}", value);
  else if constexpr (std::is_floating_point_v<T>)
    return fmt::format("{}", value);
  else
    return fmt::format("{}", exact(value));
}

}  // namespace rooftune::run

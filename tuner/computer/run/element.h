// Elements of arrays by the type that a manifest gives them.
#pragma once
#include <fmt/format.h>
#include <rooftune/elements.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include "kernel/element_type.h"
#include "kernel/kernel.h"

namespace rooftune::run {

/// Calls body(T*) with a null pointer of the element's type; of a structure that of a byte.
template <class Body>
auto with_type(ElementType type, Body body) {
  const auto of = [&]<class T>() { return body(static_cast<T*>(nullptr)); };
  switch (type.element()) {
    case Element::int8:
      return of.template operator()<std::int8_t>();
    case Element::int16:
      return of.template operator()<std::int16_t>();
    case Element::int32:
      return of.template operator()<std::int32_t>();
    case Element::int64:
      return of.template operator()<std::int64_t>();
    case Element::uint8:
    case Element::bytes:
      return of.template operator()<std::uint8_t>();
    case Element::uint16:
      return of.template operator()<std::uint16_t>();
    case Element::uint32:
      return of.template operator()<std::uint32_t>();
    case Element::uint64:
      return of.template operator()<std::uint64_t>();
    case Element::boolean:
      return of.template operator()<Truth>();
    case Element::half:
      return of.template operator()<Half>();
    case Element::bfloat16:
      return of.template operator()<BFloat16>();
    case Element::float32:
      return of.template operator()<float>();
    case Element::complex_float:
      return of.template operator()<std::complex<float>>();
    case Element::complex_double:
      return of.template operator()<std::complex<double>>();
    case Element::float64:
      break;
  }
  return of.template operator()<double>();
}

/// Complex ones by their modulus.
template <class T>
double size_of(T value) {
  return static_cast<double>(std::abs(exact(value)));
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

/// Writes elements [begin, end) of an array of `count` elements at `data`. Integers get the real
/// value rounded down, so uniform ones lie in [low, high). Both parts of complex numbers are
/// uniform; else they are real.
void fill_range(const Fill& fill, ElementType type, void* data, std::int64_t begin,
                std::int64_t end, std::int64_t count);

/// Writes values no kernel computes to elements [begin, end): a NaN, or 0x7f7f... for others.
void poison_range(ElementType type, void* data, std::int64_t begin, std::int64_t end);
/// True when all `count` elements still hold the poison.
bool is_all_poison(ElementType type, const void* data, std::int64_t count);
/// Eight bytes of poison, the same from each element on.
std::uint64_t poison_word(ElementType type);
/// Of bytes from the start of an element on.
void poison_bytes(ElementType type, void* data, std::size_t bytes);

}  // namespace rooftune::run

// What compiles with quantities, and which misuse does not.
#include "core/quantity.h"

#include <concepts>

using namespace rooftune;

namespace {

template <class A, class B>
concept added = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept accumulated = requires(A a, B b) {
  a += b;
};
template <class A, class B>
concept compared = requires(A a, B b) {
  a < b;
};
template <class A>
concept condition = std::constructible_from<bool, A>;
/// One passes, is stored and is returned as the other.
template <class A, class B>
concept taken_as = std::convertible_to<A, B>;

using Moved = decltype(Bytes() * Seconds());
using PerByte = decltype(Flops() / Bytes());

// Right uses.
static_assert(added<Seconds, Seconds> && accumulated<Flops, Flops> && compared<Seconds, Seconds>);
static_assert(taken_as<decltype(Bytes() / Seconds()), ByteRate>);
static_assert(taken_as<decltype(Bytes() / ByteRate()), Seconds>);
static_assert(taken_as<PerByte, Intensity>);
static_assert(taken_as<decltype((Seconds() + 2 * Seconds()) / Seconds()), double>);

static_assert(!added<Bytes, Seconds>, "bytes plus seconds");
static_assert(!taken_as<Bytes, Seconds>, "bytes stored as seconds");
static_assert(!compared<Seconds, Bytes>, "seconds compared with bytes");
static_assert(!taken_as<double, Seconds>, "a number stored as seconds");
static_assert(!taken_as<Seconds, double>, "seconds stored as a number");
static_assert(!taken_as<ByteRate, Seconds>, "a rate passed as a time");
static_assert(!taken_as<Moved, ByteRate>, "bytes times seconds as a rate");
static_assert(!accumulated<Flops, double>, "a number added to flops");
static_assert(!taken_as<PerByte, double>, "flops over bytes as a number");
static_assert(!condition<Seconds>, "a quantity as a condition");

}  // namespace

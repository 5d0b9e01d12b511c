// Arrays whose calls work on copies beside them: what opens them, and what they hold then.
#include "run/guarded_array.h"

#include <catch2/catch.hpp>

#include "run/array_set.h"
#include "run/fill.h"

using namespace rooftune;
using Catch::Contains;

TEST_CASE("an array beside a card is opened by the first access, and comes down with it") {
  Setup setup;
  setup.gpu.mode = GpuSetup::Mode::card;
  Slot slot;
  slot.argument.name = "y";
  slot.argument.type = Argument::Type::float64;
  slot.argument.pointer = true;
  slot.argument.access = Argument::Access::write;
  slot.count = 1000;
  setup.slots = {slot};
  const OpenMpRuntime openmp({});
  ArraySet arrays(setup, Placement{}, openmp);
  GuardedArray& y = arrays.arrays().front();
  auto* const elements = static_cast<double*>(y.data());
  const auto is_poison = [&] { return is_all_poison(slot.argument.type, elements, 1000); };
  const GuardedArray::Away away{0.5, [](void* to) {
                                  for (int i = 0; i < 1000; ++i) static_cast<double*>(to)[i] = 7;
                                }};
  CHECK(y.is_kept());
  CHECK(is_poison());
  CHECK(arrays.holding(elements + 10, 8) == &y);
  CHECK(arrays.holding(elements, 8001) == nullptr);
  y.leave(away);
  CHECK(y.away()->max_error == 0.5);
  y.stay();
  CHECK(y.is_kept());
  CHECK(is_poison());
  y.leave(away);
  CHECK(opened_by_access(elements + 3));
  CHECK_FALSE(y.away());
  CHECK_FALSE(y.is_kept());
  CHECK(elements[0] == 7);
  CHECK(elements[999] == 7);
  CHECK(y.damage().empty());
  // Another thread may have opened it: a second time at one place it is a fault.
  CHECK(opened_by_access(elements + 5));
  CHECK_FALSE(opened_by_access(elements + 5));
  CHECK_FALSE(opened_by_access(&setup));
  arrays.poison_outputs();
  CHECK(y.is_kept());
  CHECK(is_poison());
  y.open();
  elements[1000] = 7;
  CHECK_THAT(y.damage(), Contains("array y: written 0 bytes behind its end"));
}

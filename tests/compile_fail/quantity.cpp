// One misuse of quantities per value of CASE; with CASE 0 only right uses, which must compile.
#include "core/quantity.h"

using namespace rooftune;

[[maybe_unused]] static double seconds_of(Seconds time) { return time.value(); }

void use() {
  const Bytes bytes(64);
  const Seconds time(2);
  const Flops flops(8);
  [[maybe_unused]] const ByteRate rate = bytes / time;
  [[maybe_unused]] const Seconds again = bytes / rate;
  [[maybe_unused]] const Intensity intensity = flops / bytes;
  [[maybe_unused]] const double ratio = (time + 2 * time) / time;
  [[maybe_unused]] const bool shorter = time < again;
#if CASE == 1
  [[maybe_unused]] const auto sum = bytes + time;
#elif CASE == 2
  [[maybe_unused]] const Seconds wrong = bytes;
#elif CASE == 3
  [[maybe_unused]] const bool less = time < bytes;
#elif CASE == 4
  [[maybe_unused]] const Seconds implicit = 2.0;
#elif CASE == 5
  [[maybe_unused]] const double bare = time;
#elif CASE == 6
  seconds_of(rate);
#elif CASE == 7
  [[maybe_unused]] const ByteRate product = bytes * time;
#elif CASE == 8
  Flops total;
  total += 1.0;
#elif CASE == 9
  [[maybe_unused]] const double number = flops / bytes;
#elif CASE == 10
  if (time) return;
#endif
}

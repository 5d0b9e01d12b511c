#include "report/figures.h"

#include <catch2/catch.hpp>

using namespace rooftune;

TEST_CASE("significant digits") {
  CHECK(significant(3.14159, 3) == "3.14");
  CHECK(significant(0.0021, 3) == "0.00210");
  CHECK(significant(12345, 3) == "12345");
  CHECK(significant(9.996, 3) == "10.0");
  CHECK(significant(0, 3) == "0");
  CHECK(significant(1e12, 3) == "1.00e+12");
  CHECK(significant(std::numeric_limits<double>::infinity(), 3) == "inf");
}

TEST_CASE("times carry unit and interval") {
  CHECK(seconds_text(1.2345e-3) == "1.234 ms");
  CHECK(seconds_text(4.2e-8) == "42.00 ns");
  CHECK(seconds_text(2.5) == "2.500 s");
  CHECK(seconds_text(185) == "3 min 05 s");
  CHECK(seconds_interval({1e-3, 0.99e-3, 1.02e-3}) == "1.000 ms [0.9900, 1.020]");
  CHECK(seconds_text(0) == "0 s");
}

TEST_CASE("the prefix does not jump between value and text") {
  // 999.96 ns would read "1000.0 ns".
  CHECK(seconds_text(999.96e-9) == "1.000 us");
  CHECK(rate_text(999.96e6, "flop") == "1.00 GFLOP/s");
}

TEST_CASE("rates name their unit") {
  CHECK(rate_text(6.02e9, "flop") == "6.02 GFLOP/s");
  CHECK(rate_text(31e9, "B") == "31.0 GB/s");
  CHECK(rate_text(1.2e9, "element") == "1.20 G element/s");
  CHECK(rate_text(12, "call") == "12.0 call/s");
  CHECK(rate_interval({31e9, 30.5e9, 31.2e9}, "B") == "31.0 GB/s [30.5, 31.2]");
}

TEST_CASE("ratios and counts") {
  CHECK(ratio_text(3.119) == "3.12x");
  CHECK(ratio_interval({3.1, 3.05, 3.2}) == "3.10x [3.05, 3.20]");
  // What a busy machine may have taken off entirely.
  CHECK(seconds_interval({63.6e-3, 62.5e-9, 64e-3}) == "63.60 ms [0, 64.00]");
  CHECK(count_text(1234567) == "1,234,567");
  CHECK(count_text(999) == "999");
  CHECK(count_text(-1234) == "-1,234");
  CHECK(count_text(1e18) == "1e+18");
}

TEST_CASE("durations of the user's patience") {
  CHECK(duration_text(0) == "0 s");
  CHECK(duration_text(0.25) == "250 ms");
  CHECK(duration_text(12.34) == "12.3 s");
  CHECK(duration_text(200) == "3 min 20 s");
  CHECK(duration_text(7320) == "2 h 02 min");
}

TEST_CASE("configurations show what differs") {
  Configuration a, b;
  a.set("unroll", 1);
  a.set("simd", 4);
  b.set("unroll", 8);
  b.set("simd", 4);
  CHECK(difference_text(b, a) == "unroll=8");
  CHECK(difference_text(a, a) == "(baseline)");
}

TEST_CASE("lists are spoken") {
  CHECK(list_text({}).empty());
  CHECK(list_text({"a"}) == "a");
  CHECK(list_text({"a", "b", "c"}) == "a, b and c");
}

TEST_CASE("a latency is the time of one load, whatever its rate is kept in") {
  Ceiling ceiling;
  ceiling.kind = Ceiling::Kind::latency;
  ceiling.rate = {128e9, 126e9, 130e9};
  ceiling.stride = 64;
  ceiling.threads = 2;
  // Two threads load a line of 64 bytes each per nanosecond.
  CHECK(ceiling_text(ceiling, false) == "1.00 ns");
  CHECK(ceiling_text(ceiling, true) == "1.00 ns [0.985 ns, 1.02 ns]");
  ceiling.kind = Ceiling::Kind::bandwidth;
  CHECK(ceiling_text(ceiling, false) == "128 GB/s");
}

TEST_CASE("axis units take a prefix") {
  CHECK(axis_unit(3e9, "flop").text == "GFLOP/s");
  CHECK(axis_unit(3e9, "flop").factor == 1e9);
  CHECK(axis_unit(3e6, "update").text == "M update/s");
  CHECK(axis_unit(3, "call").text == "call/s");
  CHECK(axis_unit(3e9, "B").text == "GB/s");
}

TEST_CASE("amounts have three digits at most, and a unit") {
  CHECK(amount_text(8.4e7, "B") == "84 MB");
  CHECK(amount_text(6.514e8, "flop") == "651 Mflop");
  CHECK(amount_text(7.07e-3, "s") == "7.07 ms");
  CHECK(amount_text(98.4, "%") == "98 %");
  CHECK(amount_text(0.4, "%") == "below 1 %");
  CHECK(amount_text(3.21, "x") == "3.21x");
  CHECK(amount_text(1.2e6, "load") == "1.2 M loads");
  CHECK(amount_text(1, "thread") == "1 thread");
}

TEST_CASE("a changed amount stands in the unit of the larger") {
  CHECK(amount_change(2.04e8, 1.42e8, "B") == "204 -> 142 MB");
  CHECK(amount_change(2.3e10, 3.8e10, "B/s") == "23 -> 38 GB/s");
  CHECK(amount_change(8, 100, "%") == "8 -> 100 %");
  CHECK(amount_change(1, 2, "thread") == "1 -> 2 threads");
  CHECK(amount_change(0, 134e6, "B") == "0 -> 134 MB");
  CHECK(amount_change(2e9, 3e5, "B") == "2 GB -> 300 kB");
}

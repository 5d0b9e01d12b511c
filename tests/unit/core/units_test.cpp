// Units: the table, both ways, and its refusals.
#include "core/units.h"

#include <catch2/catch.hpp>

#include "core/error.h"

namespace rooftune {

TEST_CASE("quantities are read in base units") {
  CHECK(byte_rate_unit("KiB/s") == 1024);
  CHECK(byte_rate_unit("kB/s") == 1000);
  CHECK(flop_rate_unit("GFLOP/s") == 1e9);
  CHECK(flop_rate_unit("Tflop/s") == 1e12);
  CHECK(flop_rate_unit("MFlop/s") == 1e6);
  CHECK(parse_bytes("2 MiB").value() == 2097152);
  CHECK(parse_bytes(" 48 KiB ").value() == 49152);
  CHECK(parse_bytes("8 B").value() == 8);
  CHECK(parse_bytes("1 PB").value() == 1e15);
  CHECK(parse_bytes("31.2 GB").value() == Approx(31.2e9));
  CHECK(hertz_unit("GHz") == 1e9);
}

TEST_CASE("durations") {
  CHECK(parse_duration("90").value() == 90);
  CHECK(parse_duration("90s").value() == 90);
  CHECK(parse_duration("10min").value() == 600);
  CHECK(parse_duration("1.5h").value() == 5400);
  CHECK(parse_duration("250ms").value() == 0.25);
  CHECK(parse_duration("3 us").value() == Approx(3e-6));
  CHECK(parse_duration("2d").value() == 172800);
  CHECK_THROWS_WITH(parse_duration("10m"),
                    "unknown unit \"m\" in duration \"10m\"\nhint: ns, us, ms, s, min, h or d");
  CHECK_THROWS_AS(parse_duration("-1s"), Error);
  CHECK_THROWS_AS(parse_duration(""), Error);
  CHECK_THROWS_AS(parse_duration("soon"), Error);
  CHECK_THROWS_AS(parse_duration("1e308 d"), Error);
}

TEST_CASE("unknown units are refused with the unit that was meant") {
  CHECK_THROWS_WITH(byte_rate_unit("KB/s"),
                    "unknown unit \"KB/s\" for a rate of bytes\nhint: kB/s or KiB/s");
  CHECK_THROWS_WITH(byte_rate_unit("gb/s"),
                    "unknown unit \"gb/s\" for a rate of bytes\nhint: GB/s or GiB/s");
  CHECK_THROWS_WITH(bytes_unit("kib"), "unknown unit \"kib\" for a number of bytes\nhint: KiB");
  CHECK_THROWS_WITH(flop_rate_unit("bananas"),
                    "unknown unit \"bananas\" for a rate of operations\nhint: write for example "
                    "GFLOP/s or GiFLOP/s");
  CHECK_THROWS_AS(parse_bytes("5"), Error);
  CHECK_THROWS_AS(parse_bytes("GB"), Error);
  CHECK_THROWS_AS(parse_bytes("-5 GB"), Error);
  CHECK_THROWS_AS(parse_bytes("nan GB"), Error);
  CHECK_THROWS_AS(parse_bytes("inf GB"), Error);
  CHECK_THROWS_AS(parse_bytes("1e999 GB"), Error);
  CHECK_THROWS_AS(parse_bytes("1e300 PB"), Error);
  CHECK_THROWS_AS(parse_bytes("5 GB/s"), Error);
  CHECK(byte_rate_unit("GB/s") == 1e9);
  CHECK(flop_rate_unit("FLOP/s") == 1);
  CHECK(bytes_unit("GiB") == 0x1p30);
}

TEST_CASE("quantities print with three digits and the fitting prefix") {
  CHECK(to_text(ByteRate(31.2e9)) == "31.2 GB/s");
  CHECK(to_text(ByteRate(999.6e6)) == "1.00 GB/s");
  CHECK(to_text(ByteRate(0)) == "0 B/s");
  CHECK(to_text(FlopRate(217.04e9)) == "217 GFLOP/s");
  CHECK(to_text(FlopRate(3.4e18)) == "3400 PFLOP/s");
  CHECK(to_text(Hertz(3.39e9)) == "3.39 GHz");
  CHECK(to_text(Bytes(49152)) == "48 KiB");
  CHECK(to_text(Bytes(1536)) == "1.50 KiB");
  CHECK(to_text(Bytes(1000)) == "1000 B");
  CHECK(to_text(Bytes(0x1p30)) == "1 GiB");
  CHECK(to_text(Bytes(0)) == "0 B");
  CHECK(to_text(Seconds(1.25e-3)) == "1.25 ms");
  CHECK(to_text(Seconds(0.0000125)) == "12.5 us");
  CHECK(to_text(Seconds(3e-9)) == "3.00 ns");
  CHECK(to_text(Seconds(99.96)) == "100 s");
  CHECK(to_text(Seconds(600)) == "10.0 min");
  CHECK(to_text(Seconds(9000)) == "2.50 h");
  CHECK(to_text(Seconds(0)) == "0 s");
  CHECK(to_text(Seconds(-0.5)) == "-500 ms");
}

}  // namespace rooftune

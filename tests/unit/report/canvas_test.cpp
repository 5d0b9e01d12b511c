#include "report/canvas.h"

#include <catch2/catch.hpp>

using namespace rooftune;

TEST_CASE("braille dots lie where they were drawn") {
  Canvas canvas(2, 1, true);
  canvas.line(0, 0, 0, 0, Ink::none);
  canvas.line(3, 3, 3, 3, Ink::none);
  CHECK(canvas.row(0, false) == "\u2801\u2880");
}

TEST_CASE("ASCII lines use their stroke and texts lie above") {
  Canvas canvas(5, 1, false);
  canvas.line(0, 0, 4, 0, Ink::none, 1, '-');
  canvas.text(1, 0, "ab", Ink::none);
  CHECK(canvas.row(0, false) == "-ab--");
  CHECK_FALSE(canvas.free(0, 0, 2));
  CHECK(canvas.free(3, 0, 2));
  CHECK_FALSE(canvas.free(4, 0, 2));
}

TEST_CASE("what lies outside is cut off") {
  Canvas canvas(3, 2, true);
  canvas.line(-50, -50, 50, 50, Ink::red);
  canvas.text(2, 1, "long", Ink::none);
  canvas.text(-1, 0, "xy", Ink::none);
  canvas.text(0, 7, "no", Ink::none);
  CHECK(columns_of(canvas.row(0, false)) <= 3);
  CHECK(canvas.row(1, false).back() == 'l');
  CHECK(canvas.row(0, false)[0] == 'y');
}

TEST_CASE("colours wrap runs and nothing else") {
  Canvas canvas(4, 1, true);
  canvas.text(0, 0, "aa", Ink::red);
  canvas.text(2, 0, "b", Ink::none);
  CHECK(canvas.row(0, true) == "\033[31maa\033[0mb");
  CHECK(canvas.row(0, false) == "aab");
}

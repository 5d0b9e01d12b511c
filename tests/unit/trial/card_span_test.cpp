// What is said of a card that was slowed or shared while it was timed.
#include "trial/card_span.h"

#include <catch2/catch.hpp>

#include "core/fields.h"

using namespace rooftune;
using Catch::Contains;

TEST_CASE("of a quiet card, and of one that tells nothing, nothing is said") {
  CHECK(card_doubts({}).empty());
  CHECK(card_notes({}).empty());
  CardSpan quiet;
  // Idle clocks are low, and that is no fault.
  quiet.clock = 345e6;
  quiet.most_clock = 1980e6;
  quiet.slowed = {{"heat", 0.04}, {"power", 0.049}};
  CHECK(card_doubts(quiet).empty());
  CHECK(card_notes(quiet).empty());
}

TEST_CASE("heat and a brake of the hardware make doubts, the power limit a note") {
  CardSpan span;
  span.clock = 1200e6;
  span.most_clock = 1980e6;
  span.slowed = {{"heat", 0.34}, {"power", 0.5}};
  span.slowing = {"heat", "hardware"};
  const auto doubts = card_doubts(span);
  REQUIRE(doubts.size() == 2);
  CHECK(doubts[0] ==
        "heat lowered the card's clock for 34 % of the time, 1200 of 1980 MHz at the end");
  CHECK(doubts[1] ==
        "a brake of its hardware lowered the card's clock, 1200 of 1980 MHz at the end");
  CHECK(card_notes(span) ==
        std::vector<std::string>{"its power limit lowered the card's clock for 50 % of the time, "
                                 "1200 of 1980 MHz at the end"});
}

TEST_CASE("a brake that is on at the end counts where it costs a twentieth, or nobody knows") {
  CardSpan span;
  span.slowing = {"heat"};
  CHECK(card_doubts(span).size() == 1);
  span.most_clock = 1980e6;
  CHECK(card_doubts(span).size() == 1);
  // As an H100 ran: 1965 of 1980 MHz.
  span.clock = 1965e6;
  CHECK(card_doubts(span).empty());
  span.clock = 1880e6;
  CHECK(card_doubts(span).size() == 1);
}

TEST_CASE("other processes are named, three of them") {
  CardSpan span;
  span.others = {"a (pid 1)", "b (pid 2)", "c (pid 3)"};
  CHECK(card_doubts(span) == std::vector<std::string>{"others had work on the card meanwhile: a "
                                                      "(pid 1), b (pid 2), c (pid 3)"});
  span.others.push_back("d (pid 4)");
  CHECK_THAT(card_doubts(span).at(0), Contains("c (pid 3) and 1 more"));
}

TEST_CASE("what is not known of a card is not written") {
  CHECK(encode(CardSpan()) == Json::object());
  CardSpan span;
  span.clock = 1e9;
  span.slowed = {{"power", 0.5}};
  span.others = {"a (pid 1)"};
  CHECK(encode(decoded<CardSpan>(encode(span), "here")) == encode(span));
}

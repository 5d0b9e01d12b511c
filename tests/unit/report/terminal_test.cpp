#include "report/terminal.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "report/progress_line.h"
#include "report/text_table.h"
#include "support/sample_report.h"

using namespace rooftune;
using Catch::Contains;

namespace {

TerminalStyle style(int width, bool unicode = true, bool colour = false) {
  TerminalStyle s;
  s.width = width;
  s.unicode = unicode;
  s.colour = colour;
  return s;
}

/// What -v prints.
std::string whole_view(const StudyResult& report, const TerminalStyle& style) {
  return terminal_summary(report, style) + terminal_details(report, style);
}

int widest(const std::string& text) {
  std::istringstream lines(text);
  int most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, columns_of(line));
  return most;
}

StudyResult with_escapes() {
  StudyResult report = sample::report();
  report.header.kernel = "evil\x1b[2J\nname";
  report.setup.title = "\x9b\x07 title";
  report.notes.push_back("\x1b]0;owned\x07");
  report.trials[5].detail = "\x1b[31merror";
  report.roofline.machine.name = "m\r\n";
  return report;
}

}  // namespace

TEST_CASE("no line is wider than the terminal") {
  for (const int width : {40, 52, 64, 80, 100, 120, 160})
    for (const bool unicode : {true, false}) {
      INFO(width << (unicode ? " unicode" : " ascii"));
      CHECK(widest(whole_view(sample::report(), style(width, unicode))) <= width);
      CHECK(widest(terminal_machine(sample::machine(), style(width, unicode), true)) <= width);
    }
}

TEST_CASE("without UTF-8 there is only ASCII, without colour no escape") {
  StudyResult report = sample::report();
  report.setup.title = "y = \u03b1 x";
  for (const char c : whole_view(report, style(80, false)))
    CHECK(static_cast<unsigned char>(c) < 0x80);
  CHECK(whole_view(report, style(80)).find('\033') == std::string::npos);
  CHECK(whole_view(report, style(80, true, true)).find("\033[32m") != std::string::npos);
}

TEST_CASE("colour changes nothing but escapes") {
  std::string coloured = whole_view(sample::report(), style(100, true, true)), plain;
  for (std::size_t i = 0; i < coloured.size(); ++i)
    if (coloured[i] == '\033')
      while (coloured[i] != 'm') ++i;
    else
      plain += coloured[i];
  // Trailing blanks inside a coloured cell may stay.
  const auto trimmed = [](const std::string& text) {
    std::istringstream lines(text);
    std::string out;
    for (std::string line; std::getline(lines, line);) {
      while (!line.empty() && line.back() == ' ') line.pop_back();
      out += line + '\n';
    }
    return out;
  };
  CHECK(trimmed(plain) == trimmed(whole_view(sample::report(), style(100))));
}

TEST_CASE("the details say all that was asked for") {
  const std::string text = whole_view(sample::report(), style(120));
  for (const char* needed :
       {"DRAM load huge 2t", "2026-11-21", "GFLOP/s", "nonzero/s", "threads 1 -> 2",
        "step 3: format, index_bits", "passed by step 2", "ahead", "budget of 60 evaluations",
        "build 37.2 s", "55 ok", "cannot be told from the best", "this machine has one NUMA node"})
    CHECK_THAT(text, Contains(needed));
}

TEST_CASE("the answer fits a screen of a hundred columns") {
  const StudyResult report = sample::report();
  const std::string text = terminal_summary(report, style(160));
  // With a line for failures and a note.
  CHECK(std::count(text.begin(), text.end(), '\n') <= 21);
  CHECK(widest(text) <= 100);
}

TEST_CASE("a doubt is a line in words below the table") {
  StudyResult report = sample::report();
  report.inconclusive = {"neighbours disturbed 7 of 12 rounds"};
  report.flags = {"two sources disagree", "a third one too"};
  const std::string text = terminal_summary(report, style(100));
  CHECK_THAT(text, Contains("doubt      neighbours disturbed 7 of 12 rounds\n"));
  CHECK_THAT(text, Contains("1 more with -v"));
  CHECK_THAT(text, !Contains("[1]"));
  CHECK_THAT(terminal_details(report, style(100)), Contains("a third one too"));
}

TEST_CASE("control characters of user files never reach the terminal") {
  for (const bool unicode : {true, false}) {
    const std::string text = whole_view(with_escapes(), style(80, unicode));
    for (const char c : text) {
      const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n';
      CHECK_FALSE(control);
      CHECK(c != '\x7f');
    }
    CHECK(text.find("\x1b") == std::string::npos);
  }
  ProgressState state;
  state.latest = with_escapes().trials[5];
  CHECK(plain_progress(state).find('\x1b') == std::string::npos);
}

TEST_CASE("studies that went wrong are reported too") {
  StudyResult report = sample::report();
  report.best.reset();
  report.baseline.reset();
  report.speedup.reset();
  report.ledger.clear();
  report.ties.clear();
  report.staircase.reset();
  report.no_baseline_because = "the baseline ended as build_failed: no such file";
  const std::string text = whole_view(report, style(80));
  CHECK_THAT(text, Contains("No configuration of spmv could be measured"));
  CHECK_THAT(text, Contains("the baseline ended as build_failed"));
  report.trials.clear();
  CHECK_THAT(whole_view(report, style(80)), Contains("no trial"));
}

TEST_CASE("the style follows the environment") {
  CHECK(TerminalStyle::detect(true, 120, "en_US.UTF-8", "xterm", "").unicode);
  CHECK(TerminalStyle::detect(true, 120, "C.utf8", "xterm", "").unicode);
  CHECK(TerminalStyle::detect(true, 120, "C.utf8", "xterm", "").colour);
  CHECK(TerminalStyle::detect(true, 120, "C.utf8", "xterm", "").width == 120);
  CHECK_FALSE(TerminalStyle::detect(true, 120, "C", "xterm", "").unicode);
  CHECK_FALSE(TerminalStyle::detect(true, 120, "", "xterm", "").unicode);
  CHECK_FALSE(TerminalStyle::detect(true, 120, "C.utf8", "xterm", "1").colour);
  CHECK_FALSE(TerminalStyle::detect(true, 120, "C.utf8", "dumb", "").colour);
  CHECK_FALSE(TerminalStyle::detect(false, 0, "C.utf8", "xterm", "").colour);
  CHECK(TerminalStyle::detect(false, 0, "C.utf8", "xterm", "").width == 100);
  CHECK(TerminalStyle::detect(true, 10, "C.utf8", "xterm", "").width == 40);
}

TEST_CASE("progress fits the line and says where things are") {
  ProgressState state;
  state.trials = 17;
  state.planned = 60;
  state.elapsed = 12.4;
  state.done = 17.0 / 60;
  state.incumbent = 2.5e-3;
  state.gain = 1.24;
  state.latest = sample::report().trials[5];
  for (const int width : {40, 80, 120}) {
    const std::string line = progress_line(state, style(width));
    CHECK(columns_of(line) < width);
    CHECK(line.find('\n') == std::string::npos);
    CHECK_THAT(line, Contains("17/60"));
  }
  CHECK_THAT(progress_line(state, style(120)), Contains("best 2.500 ms, 1.24x faster"));
  CHECK_THAT(progress_line(state, style(120)), Contains("31.4 s left"));
  CHECK_THAT(plain_progress(state), Contains("[17/60] build failed"));
  CHECK(plain_progress(state).back() == '\n');
  state.latest->detail = std::string(300, 'e');
  CHECK(columns_of(plain_progress(state)) <= 121);

  state.has = "threads=2";
  state.failure = "build failed: unroll=8: " + std::string(200, 'e');
  for (const std::string& one : progress_view(state, style(60))) CHECK(columns_of(one) < 60);
  REQUIRE(progress_view(state, style(60)).size() == 3);
  CHECK_THAT(progress_view(state, style(60))[1], Contains("best has threads=2"));
  CHECK_THAT(progress_view(state, style(60))[2], Contains("failed last: build failed: unroll=8"));
}

TEST_CASE("no time left is promised before something is known") {
  ProgressState state;
  state.elapsed = 3;
  CHECK_FALSE(remaining(state));
  state.done = 0.5;
  CHECK(remaining(state).value() == Approx(3));
  state.phase = Progress::Phase::race;
  CHECK_FALSE(remaining(state));
}

TEST_CASE("texts wrap at words and break only what is longer than a line") {
  CHECK(wrapped("one two three", 8) == std::vector<std::string>{"one two", "three"});
  CHECK(wrapped("abcdefghijkl", 8) == std::vector<std::string>{"abcdefgh", "ijkl"});
  CHECK(wrapped("", 8) == std::vector<std::string>{""});
  CHECK(fitted("abcdefgh", 6) == "abc...");
  CHECK(fitted("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", 6) ==
        "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9");
}

// The time of a run in what it prints.
#include "run/metric.h"

#include <catch2/catch.hpp>

using namespace rooftune;
using Catch::Matchers::Contains;

namespace {

Metric metric(const std::string& text, const std::string& unit = "s", double amount = 1) {
  Program program;
  program.metric = text;
  program.unit = unit;
  return Metric(program, amount);
}

std::string metric_fault(const std::string& text, const std::string& unit = "s") {
  try {
    metric(text, unit);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("the clock is a metric") {
  CHECK(metric("wall").read("time: 3", 0.5).seconds == std::vector<double>{0.5});
}

TEST_CASE("a pattern finds its figure in a line, and every further one is a sample") {
  const Metric time = metric(R"(regex:time: *(\S+) ms)", "ms");
  CHECK(time.read("hello\ntime: 2.5 ms\nbye\n", 9).seconds == std::vector<double>{2.5e-3});
  CHECK(time.read("time: 1 ms, time: 2 ms\r\ntime:4e0 ms", 9).seconds ==
        std::vector<double>{1e-3, 2e-3, 4e-3});
}

TEST_CASE("a JSON pointer finds its figure among other lines, and a list is several samples") {
  const Metric time = metric("json:/timing/seconds");
  CHECK(time.read(R"({"timing": {"seconds": 0.25}})", 9).seconds == std::vector<double>{0.25});
  CHECK(time.read("starting\n{\n \"timing\": {\"seconds\": [1, 2.5]}\n}\n", 9).seconds ==
        std::vector<double>{1, 2.5});
  CHECK(time.read("{\"timing\": {\"seconds\": 1}}\n{\"timing\": {\"seconds\": 2}}\nend\n", 9)
            .seconds == std::vector<double>{2});
  CHECK(time.read("[info] a\n[info] b\n{\"timing\": {\"seconds\": \"3\"}}", 9).seconds ==
        std::vector<double>{3});
  CHECK_THAT(time.read("{\"timing\": 3}", 9).fault, Contains("json:/timing/seconds"));
}

TEST_CASE("a rate is turned into the time of what a run does") {
  CHECK(metric("regex:(.+)", "1/s").read("4", 9).seconds == std::vector<double>{0.25});
  // 3 GB at 1.5 GB/s.
  CHECK(metric("regex:(.+)", "GB/s", 3e9).read("1.5", 9).seconds == std::vector<double>{2});
  CHECK(metric("regex:(.+)", "MFLOP/s", 1e6).read("4", 9).seconds == std::vector<double>{0.25});
}

TEST_CASE("what is no time above 0 is said, and gives no sample") {
  const Metric time = metric(R"(regex:time: (\S+))");
  for (const auto& [output, says] :
       std::vector<std::pair<std::string, std::string>>{{"time: -3", "-3"},
                                                        {"time: 0", "no time above 0"},
                                                        {"time: nan", "nan"},
                                                        {"time: inf", "inf"},
                                                        {"time: 3ms", "no number"},
                                                        {"time: 1\ntime: 0", "no time above 0"},
                                                        {"tim: 3", "no metric"},
                                                        {"", "no metric"}}) {
    const Metric::Reading reading = time.read(output, 9);
    INFO(output << ": " << reading.fault);
    CHECK(reading.seconds.empty());
    CHECK_THAT(reading.fault, Contains(says));
  }
  CHECK_THAT(metric("regex:(.+)", "GB/s").read("0", 9).fault, Contains("no rate above 0"));
}

TEST_CASE("a time below what a run can have is another number") {
  const Metric time = metric("regex:time: (.+)");
  for (const char* output : {"time: 1e-300", "time: 0.9e-9", "time: 0.9e-6"}) {
    const Metric::Reading reading = time.read(output, 1);
    CHECK_THAT(reading.fault, Contains("another number fits \"regex:time: (.+)\""));
    CHECK(reading.seconds.empty());
  }
  CHECK(time.read("time: 1.1e-6", 1).seconds.size() == 1);
  // Of one call, as its unit says.
  CHECK(metric("regex:(.+)", "ns").read("3.2", 10).fault.empty());
  CHECK_FALSE(metric("regex:(.+)", "ns").read("0.2", 10).fault.empty());
  CHECK(metric("regex:(.+)", "1/s").read("1e12", 10).fault.empty());
}

TEST_CASE("a metric that cannot be read is named with its cure") {
  CHECK_THAT(metric_fault("regex:time: ("), Contains("regular expression") && Contains("--metric"));
  CHECK_THAT(metric_fault("regex:time"), Contains("no group") && Contains("parentheses"));
  CHECK_THAT(metric_fault("json:time"), Contains("JSON pointer"));
  CHECK_THAT(metric_fault("time"), Contains("unknown metric") && Contains("wall"));
  CHECK_THAT(metric_fault("wall", "ms"), Contains("--metric-unit"));
  CHECK_THAT(metric_fault("regex:(.+)", "GB"), Contains("unknown unit") && Contains("GB/s"));
}

TEST_CASE("a line of any length is searched without harm") {
  const std::string line(1 << 20, 'x');
  CHECK_THAT(metric("regex:^(x|y)*z(.)").read(line, 1).fault, Contains("no metric"));
}

TEST_CASE("the last lines of an output are shown, short and without the empty ones") {
  CHECK(last_lines("\n \n") == "it printed nothing");
  CHECK(last_lines("1\n2\n3\n\n4\n5\n6\n") == "it printed at last:\n  2\n  3\n  4\n  5\n  6");
}

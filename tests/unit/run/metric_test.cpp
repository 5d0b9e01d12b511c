// The time of a run in what it prints.
#include "run/metric.h"

#include <catch2/catch.hpp>

using namespace rooftune;
using Catch::Contains;

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

TEST_CASE("a metric is a formula over figures, smaller or larger is better") {
  Program program;
  program.figures = {{"speed", "regex:speed (\\S+)"}, {"power", "max:regex:power (\\S+)"}};
  const std::string output = "speed 12\npower 4\n";
  const auto read = [&](const std::string& metric, const std::string& unit = "1") {
    program.metric = metric;
    program.unit = unit;
    return Metric(program, 1).read(output, 9, ProgramFigures(program).read(output, 9));
  };
  CHECK(read("max:speed / power").seconds == std::vector<double>{1.0 / 3});
  CHECK(read("min:power * wall").seconds == std::vector<double>{36});
  CHECK(read("power", "ms").seconds == std::vector<double>{4e-3});
  CHECK_THAT(read("max:speed - 12").fault, Contains("speed - 12 = 0") && Contains("above 0"));
  CHECK_THAT(read("max:speed / (power - 4)").fault, Contains("max:speed / (power - 4)"));
  CHECK_THROWS_WITH(read("max:spede"), Contains("--metric") && Contains("\"spede\" is no figure"));
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
                                                        {"time: 3xx", "no number"},
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
  // One call's, as its unit says.
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

TEST_CASE("numbers are read as programs print them, and what may mean two is none") {
  const auto value = [](const std::string& text) {
    const auto number = printed_number(text);
    return number ? number->value : -1;
  };
  for (const char* text : {"1.6D-02", "0.016", "16e-3", "0,016", "+0.016", "0m0.016s", "0:00.016"})
    CHECK(value(text) == Approx(0.016));
  for (const char* text : {"1,612.0", "1_612", "1612", "26:52", "0h26m52s", "1.612d3"})
    CHECK(value(text) == Approx(1612));
  CHECK(value("1:02:03.5") == Approx(3723.5));
  CHECK(value("1,234,567") == 1234567);
  CHECK(value("-1.5") == -1.5);
  CHECK(printed_number("16.02ms")->unit == "ms");
  CHECK(printed_number("98.5 %")->unit == "%");
  CHECK(printed_number("0:01.60")->unit == "s");
  for (const char* text : {"1,612", "", "ms", "******", "1.2.3", "1,2,3", "0x10", "1e999"}) {
    INFO(text);
    CHECK_FALSE(printed_number(text));
  }
}

TEST_CASE("a printed unit outranks the stated one, and one of another kind is a fault") {
  CHECK(metric("regex:time: (.+)").read("time: 16.02ms", 9).seconds.at(0) == Approx(16.02e-3));
  CHECK(metric("regex:real (.+)").read("real 0m0.016s", 9).seconds.at(0) == Approx(0.016));
  CHECK(metric("regex:(.+)", "GB/s", 3e9).read("1500 MByte/s", 9).seconds.at(0) == Approx(2));
  CHECK_THAT(metric("regex:(.+)").read("3 GB/s", 9).fault, Contains("no number in s"));
}

TEST_CASE("rates have the names that programs give them") {
  for (const char* unit : {"GB/s", "GByte/s", "GBytes/sec", "GB/sec"})
    CHECK(metric_unit(unit).factor == 1e9);
  for (const char* unit : {"GFLOP/s", "GFLOPS", "GFlops/s", "Gflop/s"})
    CHECK(metric_unit(unit).kind == MetricUnit::Kind::flops);
  CHECK(metric_unit("msec").factor == 1e-3);
}

TEST_CASE("any figure is an objective with its direction") {
  CHECK(metric("min:regex:energy: (\\S+)", "J").read("energy: 2.5", 9).seconds ==
        std::vector<double>{2.5});
  CHECK(metric("max:regex:(\\S+) MLUP/s", "MLUP/s").read("4 MLUP/s", 9).seconds ==
        std::vector<double>{0.25});
  CHECK(metric("max:json:/accuracy", "1").read("{\"accuracy\": 0.5}", 9).seconds ==
        std::vector<double>{2});
  CHECK(metric("min:regex:(.+)", "%").read("12.5%", 9).seconds == std::vector<double>{12.5});
  CHECK_THAT(metric("max:json:/a", "1").read("{\"a\": 0}", 9).fault, Contains("no figure above 0"));
  CHECK_THAT(metric_fault("regex:(.+)", "MLUP/s"), Contains("max:regex"));
  CHECK_THAT(metric_fault("max:wall"), Contains("minimised"));
}

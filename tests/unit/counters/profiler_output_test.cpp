// What other profilers print: tables in the documented forms, written for these tests.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "core/error.h"
#include "counters/cuda/nvidia.h"
#include "counters/likwid.h"
#include "counters/provider.h"

using namespace rooftune;

namespace {

/// "a|b" as a line of quoted cells.
std::string line(const std::string& cells) {
  std::string text = "\"";
  for (const char c : cells) text += c == '|' ? std::string("\",\"") : std::string(1, c);
  return text + "\"\n";
}

/// A table of two metrics in these units.
std::string table(const std::string& units, const std::string& values) {
  return line("ID|Kernel Name|a__b.sum|c__d.sum") + line("||" + units) + line("0|k|" + values);
}
const std::vector<std::string> both{"a__b.sum", "c__d.sum"};

const std::string wide =
    "==PROF== Connected to process 4711\n"
    "checksum 3.14, all fine\n"
    "==PROF== Disconnected\n" +
    line(
        "ID|Process ID|Kernel Name|Block Size|device__attribute_clock_rate|"
        "dram__bytes_read.sum|gpu__time_duration.sum|"
        "sm__sass_thread_inst_executed_op_dfma_pred_on.sum") +
    line("|||||byte|nsecond|inst") +
    line("0|4711|triad<double>(int, double*)|(256, 1, 1)|1410000|805,306,368|612,480|33,554,432");

std::string likwid_table(const std::string& rate_0, const std::string& rate_1) {
  return "STRUCT,Info,3,,\n"
         "CPU name:,Intel(R) Xeon(R) Gold 6148,,,\n"
         "TABLE,Group 1 Raw,FLOPS_DP,2,\n"
         "Event,Counter,HWThread 0,HWThread 1\n"
         "INSTR_RETIRED_ANY,FIXC0,1000,2000\n"
         "FP_ARITH_INST_RETIRED_512B_PACKED_DOUBLE,PMC3,500,250\n"
         "TABLE,Group 1 Raw STAT,FLOPS_DP,2,,\n"
         "Event,Counter,Sum,Min,Max,Avg\n"
         "INSTR_RETIRED_ANY STAT,FIXC0,3000,1000,2000,1500\n"
         "TABLE,Group 1 Metric,FLOPS_DP,2,\n"
         "Metric,HWThread 0,HWThread 1,\n"
         "Runtime (RDTSC) [s],0.5,0.5,\n"
         "DP [MFLOP/s]," +
         rate_0 + "," + rate_1 +
         ",\n"
         "TABLE,Group 1 Metric STAT,FLOPS_DP,2,\n"
         "Metric,Sum,Min,Max,Avg\n"
         "DP [MFLOP/s] STAT,300,100,200,150\n";
}

std::string said(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("numbers of ncu in both locales") {
  CHECK(number_style("9,00") == NumberStyle::comma);
  CHECK(number_style("1.5") == NumberStyle::point);
  CHECK(number_style("1,234,567") == NumberStyle::point);
  CHECK(number_style("1.234.567") == NumberStyle::comma);
  CHECK(number_style("1.234.567,5") == NumberStyle::comma);
  CHECK(number_style("1,234.5") == NumberStyle::point);
  CHECK(number_style("1,234") == NumberStyle::unknown);
  CHECK(number_style("1234,567") == NumberStyle::comma);
  CHECK(number_style("17") == NumberStyle::unknown);
  CHECK(ncu_number("1,234", NumberStyle::unknown) == 1234);
  CHECK(ncu_number("1,234", NumberStyle::comma) == 1.234);
  CHECK(ncu_number("1.234.567,5", NumberStyle::comma) == 1234567.5);
  CHECK(ncu_number("9,00", NumberStyle::comma) == 9);
  CHECK(ncu_number("1.5e+09", NumberStyle::point) == 1.5e9);
  CHECK_THROWS_AS(ncu_number("(!) nan", NumberStyle::point), Error);
  CHECK_THROWS_AS(ncu_number("", NumberStyle::point), Error);
}

TEST_CASE("a table with decimal commas, and values that ncu did not collect") {
  const NcuSums sums = ncu_sums("==PROF== x\n" + table("byte|ns", "9,00|1.234"), both);
  CHECK(sums.values == std::vector<double>{9, 1234});
  CHECK_THAT(said([] { ncu_sums(table("byte|ns", "9,00|9.5"), both); }),
             Catch::Contains("two locales"));
  const NcuSums lacking = ncu_sums(table("furlong|ns", "1.5|n/a"), both);
  CHECK(std::isnan(lacking.values[0]));
  CHECK(std::isnan(lacking.values[1]));
}

TEST_CASE("ncu's refusals become reasons with cures") {
  CHECK_THAT(said([] {
               ncu_sums(
                   "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not "
                   "have permission\n",
                   {});
             }),
             Catch::Contains("administrators") &&
                 Catch::Contains("NVreg_RestrictProfilingToAdminUsers=0"));
  CHECK_THAT(said([] { ncu_sums("==ERROR== LibraryNotLoaded\n", {}); }), Catch::Contains("gVisor"));
  CHECK_THAT(said([] { ncu_sums("==ERROR== The application returned an error code (11)\n", {}); }),
             Catch::Contains("error code (11)"));
  CHECK_THAT(said([] { ncu_sums("==WARNING== No kernels were profiled.\n", {}); }),
             Catch::Contains("no kernel was profiled"));
  CHECK_THAT(said([] { ncu_sums(table("byte|ns", "1|2") + "\"0\",\"7\"\n", {}); }),
             Catch::Contains("cut"));
  CHECK_THAT(said([] { ncu_sums(line("ID|Kernel Name|a__b.sum"), {}); }),
             Catch::Contains("no kernel"));
  CHECK_THAT(said([] { ncu_sums(line("ID|Kernel Name|a__b.sum") + line("0|k|1"), {}); }),
             Catch::Contains("no row of units"));
  CHECK_THAT(said([] { ncu_sums(table("byte|ns", "1|many"), both); }), Catch::Contains("many"));
}

TEST_CASE("the command that runs ncu leaves clocks and caches alone") {
  const Command command = ncu_around("ncu", {"a__b.sum", "c__d.sum"});
  const auto& argv = command.argv;
  const auto after = [&](const std::string& option) {
    const auto at = std::find(argv.begin(), argv.end(), option);
    return at == argv.end() ? std::string() : *(at + 1);
  };
  CHECK(after("--clock-control") == "none");
  CHECK(after("--cache-control") == "none");
  CHECK(after("--print-units") == "base");
  CHECK(after("--metrics") == "a__b.sum,c__d.sum");
  CHECK(command.environment.at("LC_ALL") == "C");
}

TEST_CASE("around a worker ncu waits for the profiled span, and its kernels add up") {
  const Command command = ncu_around("/opt/ncu", {"a.sum", "b.sum"});
  CHECK(command.argv.front() == "/opt/ncu");
  CHECK(command.argv.back() == "a.sum,b.sum");
  CHECK(std::count(command.argv.begin(), command.argv.end(), "--profile-from-start") == 1);
  const std::vector<std::string> metrics{"dram__bytes_read.sum", "gpu__time_duration.sum",
                                         "no.sum"};
  const NcuSums one = ncu_sums(wide, metrics);
  CHECK(one.kernels == 1);
  CHECK(one.values[0] == 805306368);
  CHECK(std::isnan(one.values[2]));
  const NcuSums two =
      ncu_sums(wide + line("1|4711|other()|(1, 1, 1)|1410000|1,000,000|480|1"), metrics);
  CHECK(two.kernels == 2);
  CHECK(two.values[0] == 806306368);
  CHECK(two.values[1] == 612960);
  CHECK_THAT(said([] { ncu_sums("==PROF== Connected\n" + line("ID|Kernel Name|x"), {"x"}); }),
             Catch::Contains("has no kernel"));
}

TEST_CASE("likwid's tables: threads add up, statistics are left out") {
  const auto groups = read_likwid_csv("noise\n" + likwid_table("100", "200"));
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].name == "FLOPS_DP");
  CHECK(groups[0].metrics.count("INSTR_RETIRED_ANY") == 0);
  CHECK(groups[0].metrics.at("DP [MFLOP/s]") == 300);
  CHECK(groups[0].seconds == 0.5);
  CHECK(likwid_quantities(groups).at("flops.fp64") == Approx(150e6));
}

TEST_CASE("the difference of two likwid runs is one launch") {
  const auto few = read_likwid_csv(likwid_table("100", "100"));
  const auto many = read_likwid_csv(likwid_table("200", "300"));
  const HardwareCounts counts = likwid_difference(few, many, 10);
  CHECK(counts.quantities.at("flops.fp64").value == Approx(15e6));
  CHECK(counts.quantities.at("flops.fp64").low < 15e6);
  CHECK(counts.quantities.at("flops.fp64").high > 15e6);
  const HardwareCounts less = likwid_difference(many, few, 10);
  CHECK_THAT(less.missing.at("flops.fp64"), Catch::Contains("counted less"));
}

TEST_CASE("likwid's refusals become reasons with cures") {
  CHECK_THAT(said([] {
               read_likwid_csv("Cannot get access to MSRs. Please check permissions to the MSRs\n");
             }),
             Catch::Contains("may not count") && Catch::Contains("likwid-accessD"));
  CHECK_THAT(said([] { read_likwid_csv("Cannot find group FLOPS_DP\n"); }),
             Catch::Contains("likwid-perfctr -a"));
  CHECK_THAT(said([] { read_likwid_csv(""); }), Catch::Contains("no table"));
  CHECK_THAT(said([] { read_likwid_csv(likwid_table("a lot", "1")); }), Catch::Contains("a lot"));
  CHECK_THAT(said([] {
               read_likwid_csv("TABLE,Group 1 Metric,L2,1\nMetric,HWThread 0,HWThread 1\nX,1\n");
             }),
             Catch::Contains("cut"));
}

TEST_CASE("the likwid of this machine counts, or says why not") {
  const Availability here = likwid_availability();
  CHECK_FALSE(here.reason.empty());
  if (!here.available) {
    WARN("skipped: " << here.reason);
    CHECK_FALSE(here.cure.empty());
  }
}

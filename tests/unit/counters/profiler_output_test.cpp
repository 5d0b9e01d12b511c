// What other profilers print: tables in the documented forms, written for these tests.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "core/error.h"
#include "counters/cuda/ncu.h"
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

const std::string long_head =
    line("ID|Process ID|Kernel Name|Section Name|Metric Name|Metric Unit|Metric Value");

std::string long_line(int id, const std::string& metric, const std::string& unit,
                      const std::string& value) {
  return line(std::to_string(id) + "|7|triad(int, double*)||" + metric + "|" + unit + "|" + value);
}

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

TEST_CASE("units reach bytes, ns and counts") {
  CHECK(ncu_scale("Mbyte") == 1e6);
  CHECK(ncu_scale("usecond") == 1e3);
  CHECK(ncu_scale("ns") == 1);
  CHECK(ncu_scale("inst") == 1);
  CHECK_FALSE(ncu_scale("furlong"));
}

TEST_CASE("the long form of ncu's table") {
  const auto kernels = read_ncu_csv(
      "==PROF== Connected\n" + long_head + long_line(0, "dram__bytes_read.sum", "Mbyte", "805.31") +
      "printed by the program\n" + long_line(0, "sm__cycles_elapsed.avg", "cycle", "612,480.25") +
      long_line(0, "Elapsed Cycles", "cycle", "high") +
      long_line(0, "lts__t_bytes.sum", "byte", "n/a") +
      long_line(1, "dram__bytes_read.sum", "furlong", "1.5"));
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].name == "triad(int, double*)");
  CHECK(kernels[0].metrics.at("dram__bytes_read.sum") == Approx(805.31e6));
  CHECK(kernels[0].metrics.at("sm__cycles_elapsed.avg") == 612480.25);
  CHECK(kernels[0].left_out.count("lts__t_bytes.sum") == 1);
  CHECK_THAT(kernels[1].left_out.at("dram__bytes_read.sum"), Catch::Contains("furlong"));
}

TEST_CASE("the wide form of ncu's table") {
  const auto kernels = read_ncu_csv(wide);
  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0].metrics.at("dram__bytes_read.sum") == 805306368);
  CHECK(kernels[0].metrics.at("gpu__time_duration.sum") == 612480);
}

TEST_CASE("a table with decimal commas") {
  const auto kernels =
      read_ncu_csv(long_head + long_line(0, "dram__bytes_read.sum", "Kbyte", "9,00") +
                   long_line(0, "lts__t_bytes.sum", "byte", "1.234"));
  CHECK(kernels[0].metrics.at("dram__bytes_read.sum") == 9000);
  CHECK(kernels[0].metrics.at("lts__t_bytes.sum") == 1234);
  CHECK_THAT(said([] {
               read_ncu_csv(long_head + long_line(0, "a__b.sum", "byte", "9,00") +
                            long_line(0, "a__c.sum", "byte", "9.5"));
             }),
             Catch::Contains("two locales"));
}

TEST_CASE("ncu's refusals become reasons with cures") {
  CHECK_THAT(said([] {
               read_ncu_csv(
                   "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not "
                   "have permission\n");
             }),
             Catch::Contains("administrators") &&
                 Catch::Contains("NVreg_RestrictProfilingToAdminUsers=0"));
  CHECK_THAT(said([] { read_ncu_csv("==ERROR== LibraryNotLoaded\n"); }), Catch::Contains("gVisor"));
  CHECK_THAT(said([] { read_ncu_csv("==ERROR== The application returned an error code (11)\n"); }),
             Catch::Contains("error code (11)"));
  CHECK_THAT(said([] { read_ncu_csv("==WARNING== No kernels were profiled.\n"); }),
             Catch::Contains("no kernel was profiled"));
  CHECK_THAT(said([] { read_ncu_csv(long_head + "\"0\",\"7\"\n"); }), Catch::Contains("cut"));
  CHECK_THAT(said([] { read_ncu_csv(long_head); }), Catch::Contains("no kernel"));
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
  CHECK(groups[0].events.at("INSTR_RETIRED_ANY") == 3000);
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
  CHECK_THAT(
      said([] { read_likwid_csv("TABLE,Group 1 Raw,L2,1\nEvent,Counter,HWThread 0\nX,PMC0\n"); }),
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

#include "report/roofline_view.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "report/figures.h"
#include "support/sample_staircase.h"

using namespace rooftune;
using Catch::Contains;

namespace {

const RooflineLine& line(const RooflineView& view, const std::string& name) {
  for (const RooflineLine& one : view.lines)
    if (one.name == name) return one;
  throw std::runtime_error("no line " + name);
}

}  // namespace

TEST_CASE("the bound lies near its ceiling, which may bind a part of the traffic only") {
  const RooflineView view = roofline_view(sample::report());
  REQUIRE(view.x);
  REQUIRE(view.bound);
  CHECK(view.level == "DRAM");
  const RooflineLine& binding = line(view, "DRAM load huge 2t");
  CHECK(binding.binding);
  CHECK(binding.roof);
  CHECK(view.bound->y == Approx(binding.rate * *view.x).epsilon(0.1));
}

TEST_CASE("the stairs lead up to below the bound, and all bytes are counted ones") {
  const RooflineView view = roofline_view(sample::climbed());
  const Performance speed = performance(sample::climbed().roofline.work);
  REQUIRE(view.stairs.size() == 5);
  for (std::size_t i = 1; i < 5; ++i) CHECK(view.stairs[i - 1].y < view.stairs[i].y);
  CHECK(view.stairs.back().y < view.bound->y);
  CHECK(view.stairs.front().x == Approx(speed.amount / 1.44e8));
  CHECK(view.stairs[3].x == Approx(speed.amount / 8.8e7));
}

TEST_CASE("a stair without counts stands between its neighbours, and says so") {
  RooflineView view = roofline_view(sample::climbed());
  CHECK_FALSE(view.stairs[2].counted);
  CHECK(view.stairs[2].x == Approx(std::sqrt(view.stairs[1].x * view.stairs[3].x)));
  StudyResult result = sample::climbed();
  for (Stair& stair : result.staircase->stairs) stair.counts.reset();
  view = roofline_view(result);
  for (const RooflinePoint& stair : view.stairs) CHECK(stair.x == *view.x);
}

TEST_CASE("the lines are roofs, broken ceilings in the words of the table, and the next ahead") {
  const RooflineView view = roofline_view(sample::climbed());
  CHECK(line(view, "DRAM load huge 2t").words == "DRAM bandwidth");
  CHECK(line(view, "DRAM store 1t").words ==
        "DRAM without huge pages, without streamed stores, on fewer threads");
  CHECK(line(view, "DRAM store 1t").broken);
  CHECK(line(view, "fp64 fma scalar ilp1 1t").words == "fp64 on fewer threads");
  for (const RooflineLine& one : view.lines) CHECK((one.family == "DRAM" || one.family == "fp64"));
}

TEST_CASE("other precisions and more threads than the study has are left out") {
  StudyResult report = sample::report();
  RooflineView view = roofline_view(report);
  for (const RooflineLine& one : view.lines) CHECK(one.family != "fp32");
  report.roofline.threads = 1;
  view = roofline_view(report);
  for (const RooflineLine& one : view.lines) CHECK(one.name.find("2t") == std::string::npos);
}

TEST_CASE("a stride in the innermost cache moves no whole lines, and is no roof there") {
  StudyResult report = sample::report();
  Ceiling strided = report.roofline.machine.ceilings.front();
  for (const Ceiling& ceiling : report.roofline.machine.ceilings)
    if (ceiling.level == report.roofline.machine.levels.front().name) strided = ceiling;
  REQUIRE(strided.kind == Ceiling::Kind::bandwidth);
  strided.name = "strided";
  strided.stride = 64;
  strided.rate = {1e15, 1e15, 1e15};
  report.roofline.machine.ceilings.push_back(strided);
  for (const auto& view : {roofline_view(report), machine_view(report.roofline.machine)})
    for (const RooflineLine& one : view.lines) CHECK(one.name != "strided");
}

TEST_CASE("every family has one roof, and the axes hold all points") {
  const RooflineView view = roofline_view(sample::report());
  std::map<std::string, int> roofs;
  for (const RooflineLine& one : view.lines) roofs[one.family] += one.roof;
  for (const auto& [family, count] : roofs) {
    INFO(family);
    CHECK(count == 1);
  }
  std::vector<RooflinePoint> points = view.stairs;
  points.push_back(*view.bound);
  for (const RooflinePoint& p : points) {
    CHECK(p.x > view.x_low);
    CHECK(p.x < view.x_high);
    CHECK(p.y > view.y_low);
    CHECK(p.y < view.y_high);
  }
  for (const RooflinePoint& wall : view.walls) CHECK(wall.x < *view.x);
  CHECK(view.walls.size() == 2);
}

TEST_CASE("a kernel without flops is charted in items, one without items in calls") {
  StudyResult report = sample::report();
  report.roofline.work.least.clear();
  report.roofline.work.nominal = Flops(0);
  RooflineView view = roofline_view(report);
  CHECK(view.unit == "nonzero");
  for (const RooflineLine& one : view.lines) CHECK(one.diagonal);
  report.roofline.work.items = 0;
  view = roofline_view(report);
  CHECK(view.unit == "call");
  CHECK(view.stairs.back().y == Approx(1 / report.best->seconds.value));
}

TEST_CASE("levels whose data stays in an inner cache are not drawn") {
  StudyResult report = sample::report();
  report.roofline.traffic = {Bytes(40000), Bytes(20000), Bytes(60000), true, {}};
  report.bound.ceiling = "fp64 fma 512 ilp12 2t";
  report.bound.parts.clear();
  const RooflineView view = roofline_view(report);
  CHECK(view.level == "L1");
  for (const RooflineLine& one : view.lines) CHECK(one.family != "DRAM");
  CHECK(line(view, "L1 load 2t").roof);
}

TEST_CASE("nominal work that exceeds the least raises the in-core lines alike") {
  StudyResult report = sample::report();
  report.roofline.work.nominal = Flops(2e7);
  const RooflineView view = roofline_view(report);
  const RooflineLine& peak = line(view, "fp64 fma 512 ilp12 2t");
  for (const Ceiling& ceiling : report.roofline.machine.ceilings)
    if (ceiling.name == peak.name) {
      CHECK(peak.rate == Approx(2 * ceiling.rate.value));
      CHECK_THAT(peak.hover, Contains(rate_text(ceiling.rate.value, rate_unit(ceiling))) &&
                                 Contains("nominal work, 2 times the least"));
      CHECK(peak.rate_label == rate_text(2 * ceiling.rate.value, rate_unit(ceiling)) + " nominal");
    }
}

TEST_CASE(
    "a ceiling that the bound uses for a part of the operations lies where the bound has it") {
  StudyResult report = sample::report();
  const double seconds = 1e-5;
  report.bound.parts.front().time = Seconds(seconds);
  const RooflineView view = roofline_view(report);
  const RooflineLine& peak = line(view, report.bound.parts.front().ceiling);
  CHECK(peak.rate == Approx(performance(report.roofline.work).rate(seconds)));
  CHECK_THAT(peak.hover, Contains("what this ceiling limits"));
}

TEST_CASE("a line of a machine is named by what it lacks of its family's roof") {
  const RooflineView view = machine_view(sample::machine());
  CHECK(line(view, "DRAM load huge 2t").words == "DRAM without streamed stores");
  CHECK(line(view, "DRAM load 2t").words == "DRAM without huge pages, without streamed stores");
  CHECK_THAT(line(view, "DRAM load 2t").hover,
             Catch::StartsWith("DRAM without huge pages, without streamed stores\nDRAM load 2t\n"
                               "32.4 GB/s"));
  int roofs = 0;
  for (const RooflineLine& one : view.lines) roofs += one.words == "DRAM bandwidth";
  CHECK(roofs == 1);
}

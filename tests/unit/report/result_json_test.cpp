#include <catch2/catch.hpp>

#include "core/file.h"
#include "report/answer.h"
#include "support/published_schema.h"
#include "support/sample_report.h"

using namespace rooftune;
using rooftune::testing::PublishedSchema;

namespace {

/// Types of the members that ISSUE and docs promise, by JSON pointer.
const std::vector<std::pair<const char*, Json::value_t>> promised{
    {"/schema", Json::value_t::string},
    {"/kernel", Json::value_t::string},
    {"/problem", Json::value_t::object},
    {"/machine", Json::value_t::string},
    {"/backend", Json::value_t::string},
    {"/bound/seconds", Json::value_t::number_float},
    {"/bound/ceiling", Json::value_t::string},
    {"/bound/source", Json::value_t::object},
    {"/baseline/configuration", Json::value_t::object},
    {"/baseline/seconds/value", Json::value_t::number_float},
    {"/baseline/seconds/low", Json::value_t::number_float},
    {"/baseline/seconds/high", Json::value_t::number_float},
    {"/best/configuration", Json::value_t::object},
    {"/best/seconds/value", Json::value_t::number_float},
    {"/best/gap/total", Json::value_t::number_float},
    {"/best/gap/interval/low", Json::value_t::number_float},
    {"/best/gap/work", Json::value_t::null},
    {"/best/gap/traffic", Json::value_t::null},
    {"/best/gap/rate", Json::value_t::null},
    {"/best/gap/unknown_because", Json::value_t::string},
    {"/speedup/value", Json::value_t::number_float},
    {"/ledger", Json::value_t::array},
    {"/ledger/0/name", Json::value_t::string},
    {"/ledger/0/kind", Json::value_t::string},
    {"/ledger/0/broken_by", Json::value_t::number_unsigned},
    {"/headline", Json::value_t::string},
    {"/claims/0/kind", Json::value_t::string},
    {"/claims/0/figures/gain/value", Json::value_t::number_float},
    {"/staircase/steps/1/configuration", Json::value_t::object},
    {"/staircase/steps/1/changes/0/knob", Json::value_t::string},
    {"/staircase/steps/1/seconds/value", Json::value_t::number_float},
    {"/staircase/steps/1/gain/low", Json::value_t::number_float},
    {"/staircase/steps/3/because/0/before", Json::value_t::number_float},
    {"/staircase/steps/3/broke/0", Json::value_t::string},
    {"/staircase/limit/part", Json::value_t::string},
    {"/staircase/limit/busy/value", Json::value_t::number_float},
    {"/staircase/more/at_most/value", Json::value_t::number_float},
    {"/staircase/more/by", Json::value_t::string},
    {"/stop/reason", Json::value_t::string},
    {"/cost/build", Json::value_t::number_float},
    {"/cost/validate", Json::value_t::number_float},
    {"/cost/time", Json::value_t::number_float},
    {"/cost/total", Json::value_t::number_float},
    {"/cost/waiting", Json::value_t::number_float},
    {"/study/id", Json::value_t::string},
    {"/notes", Json::value_t::array}};

}  // namespace

TEST_CASE("the result holds what was promised") {
  const Json json = to_json(sample::report());
  for (const auto& [pointer, type] : promised) {
    INFO(pointer);
    REQUIRE(json.contains(Json::json_pointer(pointer)));
    CHECK(json.at(Json::json_pointer(pointer)).type() == type);
  }
  CHECK(json["schema"] == "rooftune-result-2");
}

TEST_CASE("the published schema holds for results, and for nothing else") {
  PublishedSchema schema("result");
  const Json json = to_json(sample::report());
  CHECK(schema.holds(json));
  for (const char* pointer : {"/headline", "/claims/0/text", "/staircase/steps/1/because",
                              "/best/gap/total", "/ledger/0/passed_by"}) {
    INFO(pointer);
    Json less = json;
    const Json::json_pointer place(pointer);
    less.at(place.parent_pointer()).erase(place.back());
    CHECK_FALSE(schema.holds(less));
  }
  Json other = json;
  other["claims"][0]["kind"] = "splendid";
  CHECK_FALSE(schema.holds(other));
}

TEST_CASE("the published schema knows every kind of claim") {
  const Json schema =
      read_json(std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "docs/schema/result.schema.json");
  Json kinds = Json::array();
  for (const Claim::Kind kind : enumerators<Claim::Kind>()) kinds.push_back(to_text(kind));
  CHECK(schema.at("definitions").at("claim").at("properties").at("kind").at("enum") == kinds);
}

TEST_CASE("the ceiling that binds comes with its rate and with what it gave meanwhile") {
  StudyResult report = sample::report();
  const Ceiling& roof = *ceiling_named(report.roofline.machine.ceilings, report.bound.ceiling);
  const Json json = to_json(report).at("bound").at("rate");
  CHECK(json.at("value") == roof.rate.value);
  CHECK(json.at("unit") == "B/s");
  report.paired_gap.reset();
  report.drifts.clear();
  CHECK(to_json(report).at("bound").at("rate").at("meanwhile").is_null());
  report.drifts.push_back({roof, 0.7, 0.9, ""});
  CHECK(to_json(report).at("bound").at("rate").at("meanwhile").get<double>() ==
        Approx(0.9 * roof.rate.value));
  const double gap = report.best->gap.total.value;
  report.paired_gap = Estimate::exact(0.8 * gap);
  CHECK(to_json(report).at("bound").at("rate").at("meanwhile").get<double>() ==
        Approx(0.8 * roof.rate.value));
}

TEST_CASE("every outcome is counted, also those that never happened") {
  const Json json = to_json(sample::report());
  std::uint64_t total = 0;
  for (const Outcome outcome : enumerators<Outcome>()) {
    REQUIRE(json["trials"].contains(to_text(outcome)));
    total += json["trials"][to_text(outcome)].get<std::uint64_t>();
  }
  CHECK(total == sample::report().trials.size());
  CHECK(json["trials"]["out_of_memory"] == 0);
  CHECK(json["trials"]["ok"] == 55);
}

TEST_CASE("known factors multiply to the total") {
  StudyResult report = sample::report();
  Gap& gap = report.best->gap;
  gap.work = 1.02;
  gap.traffic = 1.1;
  gap.rate = gap.total.value / (1.02 * 1.1);
  const Json json = to_json(report)["best"]["gap"];
  CHECK(json["total"].get<double>() ==
        Approx(json["work"].get<double>() * json["traffic"].get<double>() *
               json["rate"].get<double>()));
}

TEST_CASE("nothing measured: null, not left out") {
  StudyResult report = sample::report();
  report.best.reset();
  report.baseline.reset();
  report.speedup.reset();
  report.ties.clear();
  report.no_baseline_because = "the baseline ended as build_failed";
  const Json json = to_json(report);
  CHECK(json["best"].is_null());
  CHECK(json["baseline"].is_null());
  CHECK(json["speedup"].is_null());
  CHECK(json["absent"]["baseline"] == "the baseline ended as build_failed");
}

TEST_CASE("the document survives a round trip") {
  const Json json = to_json(sample::report());
  CHECK(parse_json(json.dump(), "result") == json);
}

TEST_CASE("kernels without flops or items have null rates") {
  StudyResult report = sample::report();
  report.roofline.work.nominal = Flops(0);
  report.roofline.work.items = 0;
  report.roofline.work.item.clear();
  const Json rates = to_json(report)["best"]["rates"];
  CHECK(rates["flops_per_second"].is_null());
  CHECK(rates["items_per_second"].is_null());
  CHECK(rates["least_bytes_per_second"].is_number());
}

// Manifests, good and bad: what is read, and that every fault is named with its pointer.
#include <catch2/catch.hpp>

#include "kernel/kernel.h"
#include "support/manifest_folder.h"

using namespace rooftune;
using namespace rooftune::testing;
using Catch::Contains;

namespace {

/// The text of the Error that reading a manifest ends in; empty when it reads.
std::string fault_of(const Json& manifest) {
  const ManifestFolder folder(manifest);
  try {
    read_kernel(folder.path());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Json changed(const std::string& pointer, const Json& value) {
  Json manifest = triad_manifest();
  manifest[Json::json_pointer("/" + pointer)] = value;
  return manifest;
}

Json without(const std::string& pointer) {
  Json manifest = triad_manifest();
  const Json::json_pointer place("/" + pointer);
  manifest[place.parent_pointer()].erase(place.back());
  return manifest;
}

}  // namespace

TEST_CASE("a complete manifest gives every member of the kernel") {
  const ManifestFolder folder(triad_manifest());
  const Kernel kernel = read_kernel(folder.path());
  CHECK(kernel.name == "triad");
  CHECK(kernel.function == "triad");
  CHECK(kernel.folder.is_absolute());
  REQUIRE(kernel.parameters.size() == 3);
  CHECK(kernel.parameters[0].fallback == Value(1000));
  CHECK(kernel.parameters[0].max == 4e9);
  CHECK_FALSE(kernel.parameters[0].required);
  CHECK(kernel.parameters[2].choices == std::vector<std::string>{"up", "down"});
  REQUIRE(kernel.arguments.size() == 6);
  CHECK_FALSE(kernel.arguments[1].pointer);
  CHECK(kernel.arguments[1].type == Argument::Type::float64);
  CHECK(kernel.arguments[2].type == Argument::Type::int32);
  CHECK(kernel.arguments[3].pointer);
  CHECK(kernel.arguments[3].fill.kind == Fill::Kind::uniform);
  CHECK(kernel.arguments[3].fill.low == -1);
  CHECK(kernel.arguments[3].fill.seed == 7);
  CHECK(kernel.arguments[4].type == Argument::Type::float32);
  CHECK(kernel.arguments[4].access == Argument::Access::update);
  CHECK(kernel.arguments[5].access == Argument::Access::write);
  CHECK(kernel.item == "element");
  CHECK(kernel.walls.size() == 2);
  CHECK(kernel.warm);
  CHECK(kernel.tolerance.relative == 1e-13);
  CHECK(kernel.tolerance.scale == "max");
  CHECK_FALSE(kernel.problem.has_value());
  REQUIRE(kernel.backend("openmp"));
  CHECK(kernel.backend("openmp")->prepare);
  CHECK_FALSE(kernel.backend("openmp")->finish);
  CHECK(kernel.backend("openmp")->flags == std::vector<std::string>{"-funroll-loops"});
  CHECK(kernel.backend("cuda") == nullptr);
}

TEST_CASE("defaults: cold caches are asked for, tolerance and nominal work may be left out") {
  Json manifest = triad_manifest();
  manifest["cache"] = "cold";
  manifest.erase("tolerance");
  manifest["work"].erase("nominal");
  manifest["work"]["least"]["fp32"] = "n";
  const ManifestFolder folder(manifest);
  const Kernel kernel = read_kernel(folder.path());
  CHECK_FALSE(kernel.warm);
  CHECK(kernel.tolerance.scale == "element");
  CHECK(work(kernel, problem_parameters(kernel, {})).nominal == Flops(3000));
}

TEST_CASE("results are compared by their types, unless an argument states how") {
  Json manifest = triad_manifest();
  manifest.erase("tolerance");
  const auto tolerance = [&](const char* type, const Json& check = {}) {
    manifest["arguments"][5]["type"] = type;
    manifest["arguments"][5].erase("check");
    if (!check.is_null()) manifest["arguments"][5]["check"] = check;
    return read_kernel(ManifestFolder(manifest).path()).arguments[5].tolerance;
  };
  CHECK(tolerance("double*").relative == 1e-12);
  CHECK(tolerance("float*").relative == 1e-5);
  CHECK(tolerance("half*").relative == 1e-2);
  CHECK(tolerance("uint8*").relative == 0);
  CHECK(tolerance("uint8*", {{"absolute", 1}}).absolute == 1);
  const Tolerance units = tolerance("complex<float>*", {{"ulp", 4}, {"nan", true}});
  CHECK(units.ulp == 4);
  CHECK(units.relative == 0);
  CHECK(units.nan);
  manifest["tolerance"] = {{"relative", 1e-3}};
  CHECK(tolerance("float*").relative == 1e-3);
  CHECK(tolerance("int32*").relative == 0);
  CHECK(tolerance("float*", {{"relative", 1e-4}}).relative == 1e-4);
}

TEST_CASE("whole numbers that a manifest fixes are constants, real ones are not") {
  Json manifest = triad_manifest();
  manifest["arguments"][1]["value"] = 0.25;
  manifest["arguments"][2]["value"] = 4;
  const ManifestFolder folder(manifest);
  CHECK(constants(read_kernel(folder.path())) == std::vector<std::string>{"block = 4"});
}

TEST_CASE("arrays and facts of a problem need problem.cpp, and get it") {
  Json manifest = triad_manifest();
  manifest["facts"] = {"rows"};
  manifest["arguments"][3] =
      Json::parse(R"({"name": "b", "type": "double*", "from": "problem", "access": "read"})");
  CHECK_THAT(fault_of(manifest), Contains("facts") && Contains("arguments/3/from"));
  manifest["problem"] = "problem.cpp";
  CHECK_THAT(fault_of(manifest), Contains("problem: there is no file"));
  manifest["tolerance"]["scale"] = "row_sums";
  const ManifestFolder folder(manifest);
  folder.write("problem.cpp", "");
  const Kernel kernel = read_kernel(folder.path());
  CHECK(kernel.arguments[3].from_problem);
  CHECK(kernel.facts == std::vector<std::string>{"rows"});
  CHECK(kernel.tolerance.scale == "row_sums");
}

TEST_CASE("each fault is named at its place, with a cure") {
  struct Row {
    Json manifest;
    std::string place, words;
  };
  const std::vector<Row> rows = {
      {changed("schema", "rooftune-kernel-9"), "schema", "rooftune-kernel-1"},
      {without("schema"), "schema", ""},
      {changed("name", "tri ad"), "name", "no name"},
      {changed("name", "../up"), "name", "no name"},
      {changed("name", "my-triad"), "function", "cannot name a C++ function"},
      {changed("function", "double"), "function", "cannot name"},
      {changed("parameters/0/type", "integr"), "parameters/0/type", "did you mean \"integer\""},
      {changed("parameters/0/default", "many"), "parameters/0/default", "no whole number"},
      {changed("parameters/0/default", 0), "parameters/0/default", "out of range"},
      {changed("parameters/0/default", true), "parameters/0/default", "no value of type integer"},
      {changed("parameters/0/default", {{"cpu", 5}, {"gpu", 0}}), "parameters/0/default/gpu",
       "out of range"},
      {changed("parameters/0/default", {{"cpu", 5}}), "parameters/0/default/gpu",
       "no value of type integer"},
      {changed("parameters/0/min", 5e9), "parameters/0/min", "range is empty"},
      {changed("parameters/0/choices", Json{"a"}), "parameters/0/choices", "only parameters"},
      {changed("parameters/1/name", "n"), "parameters/1/name", "declared twice"},
      {changed("parameters/1/name", "lambda fn"), "parameters/1/name", "cannot name"},
      {changed("parameters/2/default", "sideways"), "parameters/2/default", "choices"},
      {changed("parameters/2/min", 1), "parameters/2/min", "only numbers"},
      {changed("work/operations", Json{{"fp64", {{"fma", "n"}}}}), "work/operations/fp64/fma",
       "add"},
      {changed("work/operations", Json{{"fp64", {{"add", "nn"}}}}), "work/operations/fp64/add",
       "unknown name \"nn\""},
      {changed("work/operations", Json{{"bf16", {{"add", "n"}}}}), "work/operations/bf16",
       "no work of this precision"},
      {changed("arguments/1/name", "n"), "arguments/1/name", "declared twice"},
      {changed("arguments/1/name", "2s"), "arguments/1/name", "cannot name"},
      {changed("arguments/1/name", "class"), "arguments/1/name", "cannot name"},
      {changed("arguments/1/type", "complex"), "arguments/1/type", "unknown type"},
      {changed("arguments/3/type", "float32*"), "arguments/3/type",
       "bool half bfloat16 float double complex<float>"},
      {changed("arguments/1/type", "bytes:24"), "arguments/1/type", "a structure has no value"},
      {changed("arguments/3/type", "bytes:24*"), "arguments/3/fill", "problem"},
      {changed("arguments/1/check", Json::object()), "arguments/1/check", "only arrays"},
      {changed("arguments/3/check", Json::object()), "arguments/3/check", "no result to check"},
      {changed("arguments/5/check", Json{{"ulps", 2}}), "arguments/5/check/ulps", "unknown member"},
      {changed("arguments/5/check", Json{{"ulp", -1}}), "arguments/5/check/ulp", "at least 0"},
      {changed("arguments/5/check", Json{{"nan", "yes"}}), "arguments/5/check/nan", ""},
      {changed("arguments/1/count", "n"), "arguments/1/count", "only arrays"},
      {changed("arguments/1/file", "openmp.cpp"), "arguments/1/file", "only arrays"},
      {changed("arguments/3/file", "b.npy"), "arguments/3/file", "there is no file"},
      {changed("arguments/3/file", "openmp.cpp"), "arguments/3/fill", "leave one of them out"},
      {changed("arguments/5/file", "openmp.cpp"), "arguments/5/file", "holds NaN"},
      {changed("arguments/3/result", "openmp.cpp"), "arguments/3/result", "only reads"},
      {changed("arguments/4/result", "openmp.cpp"), "reference", "leave one of them out"},
      {changed("arguments/4/result", "openmp.cpp"), "arguments/5/result", "others have one"},
      {changed("arguments/1/value", "s +"), "arguments/1/value", "s +"},
      {without("arguments/1/value"), "arguments/1/value", "a scalar needs its value"},
      {changed("arguments/3/value", "n"), "arguments/3/value", "an array has"},
      {changed("arguments/3/count", "nn"), "arguments/3/count", "unknown name \"nn\""},
      {changed("arguments/3/count", "n*"), "arguments/3/count", "n*"},
      {without("arguments/3/count"), "arguments/3/count", "from"},
      {changed("arguments/3/access", "reads"), "arguments/3/access", "did you mean \"read\"?"},
      {without("arguments/3/access"), "access", ""},
      {changed("arguments/3/from", "file"), "arguments/3/from", "only \"problem\""},
      {changed("arguments/3/fill/kind", "random"), "arguments/3/fill/kind", "uniform"},
      {changed("arguments/3/fill/low", 2), "arguments/3/fill/low", "range is empty"},
      {changed("arguments/3/fill/seed", -1), "arguments/3/fill/seed", "not be negative"},
      {changed("arguments/3/fill/scale", 2), "arguments/3/fill", "scale"},
      {without("arguments/4/fill/value"), "arguments/4/fill", "value"},
      {changed("arguments/5/fill", Json{{"kind", "zero"}}), "arguments/5/fill", "NaN"},
      {changed("arguments", Json::array()), "arguments", "at least one"},
      {changed("work/least/fp65", "n"), "work/least/fp65", "did you mean \"fp64\""},
      {changed("work/least/fp64", "2*m"), "work/least/fp64", "unknown name \"m\""},
      {without("work/item"), "work/item", "singular"},
      {without("work"), "work", "missing"},
      {without("traffic"), "traffic", "missing"},
      {without("traffic/write"), "traffic/write", "missing"},
      {changed("traffic/read", Json::array()), "traffic/read", ""},
      {changed("walls/0/breaks", "ntstore"), "walls/0/breaks", "did you mean \"nt_store\""},
      {changed("walls/1/name", "write allocate"), "walls/1/name", "second wall"},
      {changed("tolerance/relative", -1), "tolerance/relative", "at least 0"},
      {changed("tolerance/scale", "rows"), "tolerance/scale", "element, max"},
      {changed("cache", "hot"), "cache", "warm, cold"},
      {changed("reference", "refrence.cpp"), "reference", "there is no file"},
      {without("reference"), "reference", ""},
      {changed("backends/openmp/source", "omp.cpp"), "backends/openmp/source", "there is no file"},
      {changed("backends/openmp/prepare", "yes"), "backends/openmp/prepare", ""},
      {changed("backends/openmp/flags", Json{"-fplugin=evil.so"}), "backends/openmp/flags",
       "not allowed"},
      {changed("backends", Json::object()), "backends", "at least one back end"},
      {changed("paramters", 1), "paramters", "parameters"},
      {changed("walls/0/levle", "L1"), "kernel.json: /walls/0/levle", "level"},
  };
  for (const Row& row : rows) {
    const std::string fault = fault_of(row.manifest);
    INFO(row.manifest.dump());
    CHECK_THAT(fault, Contains("kernel.json"));
    CHECK_THAT(fault, Contains(row.place));
    CHECK_THAT(fault, Contains(row.words));
  }
}

TEST_CASE("arrays that change roles are named in pairs, and every other pair is refused") {
  Json manifest = triad_manifest();
  // x, read, and y, written, of one type and size.
  manifest["arguments"] = Json::parse(R"([
    {"name": "n", "type": "int64", "value": "n"},
    {"name": "x", "type": "double*", "count": "n", "access": "read"},
    {"name": "y", "type": "double*", "count": "n", "access": "write"},
    {"name": "f", "type": "float*", "count": "n", "access": "update"},
    {"name": "z", "type": "double*", "count": "n + 1", "access": "write"}])");
  const auto fault = [&](const char* swap) {
    manifest["swap"] = Json::parse(swap);
    return fault_of(manifest);
  };
  CHECK(fault(R"([["x", "y"]])").empty());
  const ManifestFolder folder(manifest);
  const Kernel kernel = read_kernel(folder.path());
  REQUIRE(kernel.swap.size() == 1);
  CHECK(kernel.swap[0] == std::pair<std::size_t, std::size_t>(1, 2));
  CHECK(kernel.evolves);
  CHECK(kernel.arguments[1].access == Argument::Access::update);
  CHECK(kernel.arguments[2].access == Argument::Access::write);

  const auto [swap, why] = GENERATE(table<const char*, const char*>({
      {R"([["x", "yy"]])", "/swap/0: there is no argument \"yy\""},
      {R"([["n", "y"]])", "/swap/0: \"n\" is a scalar"},
      {R"([["x", "x"]])", "/swap/0: an array stands here twice"},
      {R"([["x", "y"], ["x", "y"]])", "/swap/1: an array stands here twice"},
      {R"([["f", "y"]])", "/swap/0: f and y have different types"},
      {R"([["x", "z"]])", "/swap/0: x and z have different sizes"},
      {R"([["y", "x"]])", "/swap/0: a call reads the first of a pair and writes the second"},
      {R"([["x", "y", "f"]])", "/swap/0: expected an array of two"},
      {R"([["x", 5]])", "/swap/0/1"},
      {R"("x y")", "/swap: expected an array"},
      {R"({"x": "y"})", "/swap: expected an array"},
  }));
  CAPTURE(swap);
  CHECK_THAT(fault(swap), Contains(why));
  manifest["evolves"] = false;
  CHECK_THAT(fault(R"([["x", "y"]])"), Contains("/evolves: calls that exchange arrays"));
  manifest.erase("evolves");
  manifest["arguments"][2]["result"] = "openmp.cpp";
  CHECK_THAT(fault(R"([["x", "y"]])"), Contains("/swap: results of one call are none of later"));
}

TEST_CASE("all faults of a manifest come at once") {
  Json manifest = triad_manifest();
  manifest["cache"] = "hot";
  manifest["reference"] = "gone.cpp";
  manifest["traffic"]["read"] = "16*";
  manifest["arguments"][0]["type"] = "int";
  const std::string fault = fault_of(manifest);
  CHECK_THAT(fault, Contains("cache") && Contains("reference") && Contains("traffic/read") &&
                        Contains("arguments/0/type"));
}

TEST_CASE("what is no manifest at all is refused") {
  const ManifestFolder list(std::string("[1, 2]"));
  CHECK_THROWS_WITH(read_kernel(list.path()), Contains("JSON object"));
  const ManifestFolder torn(std::string("{\"schema\": \"rooftune-ker"));
  CHECK_THROWS_AS(read_kernel(torn.path()), Error);
  CHECK_THROWS_WITH(read_kernel(torn.path() / "nowhere"), Contains("no folder"));
  std::filesystem::remove(torn.path() / "kernel.json");
  CHECK_THROWS_AS(read_kernel(torn.path()), Error);
}

TEST_CASE("a back end says which arrays it keeps, and what a library of it can do besides") {
  Json manifest = triad_manifest();
  Json& backend = manifest["backends"].begin().value();
  const Json as_it_was = backend;
  const std::string array = manifest["arguments"][3]["name"];
  backend["prepare"] = true;
  backend["holds"] = {array};
  backend["functions"] = {
      {{"name", "renew"},
       {"doc", "other values"},
       {"arguments",
        {{{"name", array}, {"type", "double*"}}, {{"name", "k"}, {"type", "int64"}}}}}};
  const ManifestFolder folder(manifest);
  const Kernel kernel = read_kernel(folder.path());
  const Backend& read = kernel.backends.front();
  CHECK(read.holds == std::vector<std::string>{array});
  REQUIRE(read.functions.size() == 1);
  CHECK(read.functions[0].name == "renew");
  REQUIRE(read.functions[0].parameters.size() == 2);
  CHECK(read.functions[0].parameters[0].pointer);
  CHECK_FALSE(read.functions[0].parameters[0].written);
  CHECK_FALSE(read.functions[0].parameters[1].pointer);

  Json wrong = manifest;
  wrong["backends"].begin().value()["holds"] = {"nothing"};
  CHECK_THAT(fault_of(wrong), Contains("unknown word \"nothing\""));
  wrong = manifest;
  wrong["backends"].begin().value()["functions"][0]["arguments"][1]["type"] = "half";
  CHECK_THAT(fault_of(wrong), Contains("no type of C"));
  wrong = manifest;
  wrong["backends"].begin().value()["prepare"] = false;
  CHECK_THAT(fault_of(wrong), Contains("prepares nothing"));
}

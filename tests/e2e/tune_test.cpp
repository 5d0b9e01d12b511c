// One study from the command line to JSON, page, records, index, export and resumption.
#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <tuple>

#include "core/file.h"
#include "support/night.h"
#include "support/tool.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;
using Catch::Contains;
using Catch::StartsWith;

TEST_CASE("tune writes the result that the documentation promises") {
  const User user;
  const Json result =
      user.tuned({"--kernel", "triad", "--problem", "n=2000", "--budget", "5", whole_study});
  CHECK(result.at("schema") == "rooftune-result-2");
  CHECK(result.at("kernel") == "triad");
  CHECK(result.at("problem").at("n") == 2000);
  CHECK(result.at("machine") == "host");
  CHECK(result.at("backend") == "openmp");
  CHECK(result.at("bound").at("seconds").get<double>() > 0);
  CHECK(result.at("bound").at("ceiling").is_string());
  CHECK_FALSE(result.at("bound").at("source").is_null());
  for (const char* who : {"baseline", "best"}) {
    const Json& seconds = result.at(who).at("seconds");
    CHECK(seconds.at("low").get<double>() <= seconds.at("value").get<double>());
    CHECK(seconds.at("value").get<double>() <= seconds.at("high").get<double>());
    CHECK(result.at(who).at("configuration").contains("threads"));
  }
  CHECK(result.at("best").at("gap").at("total").get<double>() > 1);
#if defined(__x86_64__)
  const Json& gap = result.at("best").at("gap");
  CHECK(gap.at("counted_by") == "instrumented");
  CHECK(gap.at("work").get<double>() * gap.at("traffic").get<double>() *
            gap.at("rate").get<double>() ==
        Approx(gap.at("total").get<double>()));
  CHECK(result.at("best").at("counts").at("details").at("bytes stored to arrays") == 16000);
  CHECK(result.at("baseline").at("counts").at("flags").empty());
#endif
  CHECK(result.at("ledger").is_array());
  CHECK(result.at("stop").at("reason") == "budget");
  int trials = 0;
  for (const auto& [outcome, count] : result.at("trials").items()) trials += count.get<int>();
  // Steps of the staircase cost none of the budget.
  CHECK(trials >= 5);
  const Json& cost = result.at("cost");
  CHECK(cost.at("total").get<double>() >= cost.at("waiting").get<double>());

  CHECK(user.files("results/records", ".jsonl").size() == 1);
  CHECK(user.files("results/reports", ".html").size() == 1);
  CHECK(user.files("results/reports", ".svg").size() == 1);
}

TEST_CASE("counting can be left out, and is then never guessed") {
  const User user;
  const std::vector<std::string> words{"--kernel", "triad", "--problem", "n=2000", "--budget", "2"};
  const auto with = [&](const std::string& counters) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--counters", counters});
    return all;
  };
  const Json result = user.tuned(with("none"));
  CHECK(result.at("best").at("gap").at("work").is_null());
  CHECK(result.at("best").at("counts").is_null());
  const Ran wrong = user.tune(with("instrumentd"));
  CHECK(wrong.code == 2);
  CHECK(wrong.says("did you mean \"instrumented\""));
}

TEST_CASE(
    "the same command resumes, a larger budget continues, --fresh starts anew and keeps the old") {
  const User user;
  const std::vector<std::string> words{"--kernel", "triad",          "--problem",
                                       "n=1000",   "--no-staircase", "--budget"};
  const auto with = [&](const std::string& budget, std::vector<std::string> more = {}) {
    std::vector<std::string> all = words;
    all.push_back(budget);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  user.tuned(with("4"));
  const Ran again = user.tune(with("4"));
  CHECK(again.code == 0);
  CHECK(again.says("4 trials are on record"));
  const Json more = user.tuned(with("6"));
  int trials = 0;
  for (const auto& [outcome, count] : more.at("trials").items()) trials += count.get<int>();
  CHECK(trials == 6);
  const Json fresh = user.tuned(with("3", {"--fresh"}));
  trials = 0;
  for (const auto& [outcome, count] : fresh.at("trials").items()) trials += count.get<int>();
  CHECK(trials == 3);
  // What was set aside is compressed.
  CHECK(user.files("results/records", ".jsonl").size() == 1);
  CHECK(user.files("results/records", ".gz").size() == 3);
}

TEST_CASE("the staircase is measured, stored, and not measured again on resumption") {
  const User user;
  const std::vector<std::string> words{"--kernel", "diffusion", "--problem", "n=20000,steps=8",
                                       "--budget", "6",         whole_study};
  const Json first = user.tuned(words);
  const Json& steps = first.at("staircase").at("steps");
  if (first.at("baseline_stands").get<bool>()) {
    WARN("nothing beat the baseline on this busy machine: no step to measure");
    CHECK(steps.size() <= 1);
    return;
  }
  REQUIRE(steps.size() >= 2);
  CHECK(steps.front().at("configuration") == first.at("baseline").at("configuration"));
  CHECK(steps.back().at("configuration") == first.at("best").at("configuration"));
  double product = 1;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    CHECK_FALSE(steps[i].at("changes").empty());
    product *= steps[i].at("gain").at("value").get<double>();
  }
  const auto seconds = [](const Json& step) {
    return step.at("seconds").at("value").get<double>();
  };
  CHECK(product == Approx(seconds(steps.front()) / seconds(steps.back())));
  for (const Json& entry : first.at("ledger"))
    if (!entry.at("broken_by").is_null()) CHECK(entry.at("broken_by").get<std::size_t>() > 0);
  const Json again = user.tuned(words);
  CHECK(again.at("staircase") == first.at("staircase"));
  CHECK(again.at("ledger") == first.at("ledger"));
}

TEST_CASE("report, explain, export and index read what tune left") {
  const User user;
  user.tuned({"--kernel", "triad", "--problem", "n=3000", "--budget", "4"});
  const Ran report =
      user.tune({"report", "--kernel", "triad", "-o", user.path("page.html").string()});
  CHECK(report.code == 0);
  CHECK(read_text(user.path("page.html")).find("<svg") != std::string::npos);
  CHECK(std::filesystem::exists(user.path("page.svg")));

  const Ran explain = user.tune({"explain", "--kernel", "triad", "best"});
  CHECK(explain.code == 0);
  CHECK(explain.says("artefact "));
  CHECK(explain.says("no code is faster than "));
  CHECK(user.tune({"explain", "--kernel", "triad"}).says("what its id is made of"));
  CHECK(user.tune({"explain", "--kernel", "triad", "99"}).code == 2);

  const auto plotted = [&](const std::string& name) {
    const std::string file = user.path(name).string();
    const Ran ran = user.tune({"report", "-o", file});
    return ran.code == 0 ? read_text(file) : ran.output;
  };
  CHECK_THAT(plotted("a.svg"), StartsWith("<svg") && Contains("triad on host"));
  CHECK_THAT(plotted("d.md"), Contains("your baseline"));
  CHECK_THAT(plotted("f.gif"), Contains("no report ends with \".gif\""));

  CHECK(user.tune({"export", "--kernel", "triad", "--format", "json", "-o",
                   user.path("best.json").string(), "--as-recorded"})
            .code == 0);
  CHECK(read_json(user.path("best.json")).contains("configuration"));
  CHECK(user.tune({"export", "--kernel", "triad", "--format", "header", "--as-recorded"})
            .says("#define ROOFTUNE_TRIAD_"));
  const Ran unknown = user.tune({"export", "--kernel", "triad", "--format", "pascal"});
  CHECK(unknown.code == 2);
  CHECK(unknown.says("one of header, json, best-known"));
}

TEST_CASE("the doctor says what is here, what it does to results, and the cure") {
  const User user;
  const Ran ran = user.tune({"doctor"});
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(ran.says("Studies run here"));
  const Json all = parse_json(user.tune({"doctor", "--json"}).output, "doctor");
  std::set<std::string> what;
  for (const Json& check : all.at("checks")) {
    what.insert(check.at("what"));
    const bool good = check.at("state") == "good";
    CHECK(good == check.at("effect").get<std::string>().empty());
  }
  for (const char* needed : {"compiler", "processor", "counters", "ceilings", "results", "cache"})
    CHECK(what.contains(needed));

  std::ofstream(user.path("file")) << "no folder";
  const Ran faulty = user.tune({"doctor", "--results", "file/results"});
  INFO(faulty.output);
  CHECK(faulty.code == 3);
  CHECK(faulty.says("cannot be written"));
  CHECK(faulty.says("ROOFTUNE_RESULTS"));
  const Ran without = user.tune({"doctor"}, {{"ROOFTUNE_CXX", "/nowhere/g++"}});
  INFO(without.output);
  CHECK(without.code == 3);
  CHECK(without.says("Studies cannot run here: 1 fault."));
}

TEST_CASE("a dry run of a host that was never measured measures nothing") {
  const User user;
  // Its own installation, since that of the build may have been measured.
  for (const char* folder : {"kernels", "search_spaces", "machines"})
    std::filesystem::create_directories(user.path("home") / folder);
  for (const char* folder : {"kernels/triad", "search_spaces"}) {
    std::filesystem::remove(user.path("home") / folder);
    std::filesystem::create_directory_symlink(std::filesystem::path(ROOFTUNE_SOURCE_DIR) / folder,
                                              user.path("home") / folder);
  }
  const auto dry_run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--kernel", "triad", "--dry-run"});
    return user.tune(more, {{"ROOFTUNE_HOME", user.path("home").string()},
                            {"ROOFTUNE_MACHINES", user.path("none").string()}});
  };
  const Ran ran = dry_run({});
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(ran.says("not known, this machine was never probed"));
  CHECK(ran.says("nothing was measured"));
  CHECK(std::filesystem::is_empty(user.path("home/machines")));
}

TEST_CASE("a dry run prints bound and space and measures nothing") {
  const User user;
  const Ran ran = user.tune({"--kernel", "diffusion3d", "--dry-run"});
  CHECK(ran.code == 0);
  CHECK(ran.says("bound: "));
  CHECK(ran.says("nothing was measured"));
  CHECK(user.files("results", ".jsonl").empty());
  const Ran steps = user.tune({"--kernel", "diffusion", "--dry-run", "--path", "published"});
  INFO(steps.output);
  CHECK(steps.says("first: the baseline, the published steps, proposals of strategy roofline"));
}

TEST_CASE("after a resumption only what is the best is called a new best") {
  const User user;
  const auto lines = [&](const char* budget) {
    const Ran ran = user.tune({"--kernel", "triad", "--problem", "n=2000", "--strategy", "random",
                               "--counters", "none", "--no-staircase", "--budget", budget});
    INFO(ran.output);
    CHECK(ran.code == 0);
    int told = 0;
    std::istringstream text(ran.output);
    for (std::string line; std::getline(text, line);) {
      const std::size_t time = line.find("] ") + 2, end = line.find(" (new best), best ");
      if (end == std::string::npos) continue;
      ++told;
      // "[7/9] 1.09 us (new best), best 1.09 us, gap ..."
      const std::string latest = line.substr(time, end - time);
      CHECK(line.find(" (new best), best " + latest) == end);
    }
    return told;
  };
  CHECK(lines("3") >= 1);
  lines("8");
}

TEST_CASE("lists show kernels, machines, strategies, knobs and counters") {
  const User user;
  for (const char* kernel :
       {"triad", "euler", "finite_difference", "diffusion", "diffusion3d", "spmv"})
    CHECK(user.tune({"list", "kernels"}).says(kernel));
  CHECK(user.tune({"list", "machines"}).says("host"));
  CHECK(user.tune({"list", "strategies"}).says("bayes_gp"));
  CHECK(user.tune({"list", "knobs", "--kernel", "spmv"}).says("format"));
  CHECK(user.tune({"list", "counters"}).says("perf"));
  CHECK(parse_json(user.tune({"list", "kernels", "--json"}).output, "list").is_array());
}

TEST_CASE("studies are listed whole, compared, and written as a table") {
  const User user;
  const auto tuned = [&](const char* n) {
    return user
        .tuned({"--kernel", "triad", "--problem", std::string("n=") + n, "--budget", "2",
                "--no-staircase", "--counters", "none", "--results", user.path("mine").string()})
        .at("study")
        .at("id")
        .get<std::string>();
  };
  const std::string first = tuned("1000"), second = tuned("2000");
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--results", user.path("mine").string()});
    const Ran ran = user.tune(words);
    INFO(ran.output);
    CHECK(ran.code == 0);
    return ran.output;
  };
  const Json listed = parse_json(run({"list", "studies", "--json"}), "list");
  REQUIRE(listed.size() == 2);
  CHECK(listed[0].at("id") == first);
  CHECK(listed[0].at("problem").at("n") == 1000);
  CHECK(listed[1].at("trials") == 2);
  CHECK(listed[1].at("best_seconds").is_number());
  CHECK(run({"list", "studies"}).find(second.substr(0, 8)) != std::string::npos);
  const std::string compared = run({"report", first.substr(0, 8), second});
  CHECK(compared.find("kernel or problem differ") != std::string::npos);
  CHECK(compared.find("n=1000") != std::string::npos);
  const std::string folder = (user.path("mine/records") / ("triad.openmp." + second)).string();
  run({"report", folder, "-o", user.path("all.csv").string()});
  CHECK(read_text(user.path("all.csv")).find("trial,outcome,seconds") == 0);
  CHECK(user.tune({"report", first, second, second}).code == 2);
  CHECK(user.tune({"report", first, "--kernel", "triad"}).code == 2);
}

TEST_CASE("the page of a study is written again while it runs, and loads itself") {
  const User user;
  user.write("space.json", R"({"schema": "rooftune-space-1", "knobs": [{"name": "seconds",
      "values": [1, 2], "default": 2}]})");
  std::thread study([&] {
    user.tune({"--command", "sleep {seconds}", "--space", "space.json", "--budget", "2"});
  });
  Ran watched;
  std::thread watcher([&] {
    do watched = user.tune({"report", "--kernel", "sleep", "--watch"});
    while (watched.says("is on record here"));  // before its first trial
  });
  const auto page = [&] {
    const auto pages = user.files("results/reports", ".html");
    return pages.empty() ? std::string() : read_text(pages.front());
  };
  bool loads_itself = false;
  for (int look = 0; look < 600 && !loads_itself; ++look) {
    loads_itself = page().find("http-equiv=\"refresh\"") != std::string::npos;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  study.join();
  watcher.join();
  INFO(watched.output);
  CHECK(loads_itself);
  CHECK(watched.code == 0);
  CHECK(watched.says("watching until the study ends"));
  CHECK(page().find("http-equiv=\"refresh\"") == std::string::npos);
}

TEST_CASE("the machine's own roofline is drawn") {
  const User user;
  const Ran ran = user.tune({"report", "--machine", "host"});
  CHECK(ran.code == 0);
  CHECK(std::filesystem::exists(user.path("results/reports/machine.host.html")));
  CHECK(std::filesystem::exists(user.path("results/reports/machine.host.svg")));
}

TEST_CASE("spmv is tuned on a Matrix Market file") {
  const User user;
  user.write("small.mtx",
             "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n4 4 6\n"
             "1 1 4.0\n2 1 -1\n2 2 4\n3 3 4\n4 3 -1e0\n4 4 4\n");
  const Json result = user.tuned({"--kernel", "spmv", "--problem", "matrix=small.mtx", "--budget",
                                  "4", "--no-staircase", "--counters", "none"});
  CHECK(result.at("trials").at("ok").get<int>() >= 3);
  CHECK(result.at("best").at("seconds").at("value").get<double>() > 0);
}

TEST_CASE("spmv is tuned on a real matrix") {
  const auto matrix = data("matrices/bcsstk16.mtx");
  if (!matrix) {
    WARN("skipped: ROOFTUNE_DATA is not set or holds no matrices/bcsstk16.mtx");
    return;
  }
  const User user;
  const Json result = user.tuned({"--kernel", "spmv", "--problem", "matrix=" + matrix->string(),
                                  "--budget", "6", "--no-staircase", "--counters", "none"});
  CHECK(result.at("trials").at("wrong_result") == 0);
  CHECK(result.at("trials").at("ok").get<int>() >= 5);
}

TEST_CASE("kernels with vectors of their own compile with another compiler, and agree") {
  const User user;
  user.write("openmp.cpp", "#include <omp.h>\nint main() { return omp_get_max_threads() < 1; }\n");
  Command command;
  command.argv = {"clang++", "-fopenmp", "openmp.cpp", "-o", "openmp"};
  command.directory = user.path("");
  if (!find_program("clang++") || execute(command).status.code != 0) {
    WARN("skipped: there is no clang++ with OpenMP");
    return;
  }
  // By day each way in which lanes are used, at night all values of all knobs.
  using Words = std::vector<std::string>;
  for (const auto& [kernel, problem, lanes] :
       {std::tuple("lbmhd", "nx=24,ny=4,nz=3",
                   Words{"simd_width=2", "simd_width=4,streaming=push,layout=rows"}),
        {"hor_visc", "nx=32,ny=12,nz=9", Words{"simd_width=4"}},
        {"spmv", "kind=laplace2d,n=30",
         Words{"simd_width=4,gather=instruction", "format=sell,chunk_lanes=4",
               "format=bcsr,block_rows=3,block_cols=3", "format=tiles"}}}) {
    Words words{"check", kernel, "--backend", "openmp", "--problem", problem};
    if (testing::at_night())
      words.insert(words.end(), {"--sample", "4"});
    else
      for (const std::string& set : lanes) words.insert(words.end(), {"--set", set});
    const Ran ran = user.tune(words, {{"ROOFTUNE_CXX", "clang++"}});
    INFO(ran.output);
    CHECK(ran.says(testing::at_night() ? "sample 4" : lanes.back()));
    // Not its exit code: threads of another OpenMP runtime may spin when a busy machine looks.
    CHECK_FALSE(ran.says("build_failed"));
    CHECK_FALSE(ran.says("wrong_result"));
  }
}

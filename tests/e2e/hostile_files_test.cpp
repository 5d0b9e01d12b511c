// Files that somebody wrote to exhaust the machine: `tune` refuses each with its place, in little
// memory; large honest files are read in memory that is in proportion.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <catch2/catch.hpp>
#include <functional>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

struct Measured {
  int code = -1;
  double peak_mb = 0;
  std::string output;
};

/// Runs `tune` with nothing around it, so that the peak is its own.
Measured measured(const User& user, const std::vector<std::string>& words) {
  const std::string log = user.path("log").string();
  std::vector<char*> arguments{const_cast<char*>("tune")};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const int sink = ::open(log.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    ::dup2(sink, 1);
    ::dup2(sink, 2);
    ::execv(ROOFTUNE_TUNE, arguments.data());
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  REQUIRE(::wait4(child, &status, 0, &usage) == child);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, static_cast<double>(usage.ru_maxrss) / 1024,
          read_text(log)};
}

/// `head`, then `piece` so many times, then `tail`; packed when the name says so.
void write_large(const std::filesystem::path& file, const std::string& head,
                 const std::function<std::string(int)>& piece, int times, const std::string& tail) {
  const bool packs = file.extension() == ".gz", tightly = file.stem() == "bomb";
  const gzFile stream = gzopen(file.c_str(), !packs ? "wbT" : tightly ? "wb9" : "wb1");
  REQUIRE(stream != nullptr);
  const auto put = [&](const std::string& text) {
    return gzwrite(stream, text.data(), static_cast<unsigned>(text.size())) ==
           static_cast<int>(text.size());
  };
  bool written = put(head);
  for (int i = 0; written && i < times; ++i) written = put(piece(i));
  written = written && put(tail);
  REQUIRE((gzclose(stream) == Z_OK && written));
}

struct Hostile {
  std::string name, head, piece;
  int times;
  std::string tail, words;
};

/// The sanitizers keep what is freed, so that their peaks say nothing.
#if defined(__SANITIZE_ADDRESS__)
constexpr double most_mb = 1e9;
#else
constexpr double most_mb = 300;
#endif

}  // namespace

TEST_CASE("hostile files are refused in little memory") {
  const std::string block(1 << 16, '0'), blanks(1 << 16, ' ');
  const std::vector<Hostile> files{
      {"bomb.gz", "", block, 4000, "", "expands more than 250 times"},
      {"list.json", "[", "0,", 10'000'000, "0]", "more than 1000000 values"},
      {"empties.gz", "[", "{},", 10'000'000, "{}]", "more than 1000000 values"},
      {"knob.json", R"({"name": "s", "parameters": [{"name": "a", "values": [)", "0,", 10'000'000,
       R"(0]}], "constraints": []})", "more than 1000000 values"},
      {"results.json", R"({"results": [)", "{},", 5'000'000, "{}]}", "/results/0/configuration"},
      {"entry.json", R"({"cache": {"1": {"a": 1, "times": [)", "1,", 10'000'000, "1]}}}",
       "one element has more than 100000 values"},
      {"blank.json", "", blanks, 2000, "1", "a text, number or blank of more than 8388608 bytes"},
      {"text.json", "{\"cache\": {\"1\": \"", block, 2000, "\"}}",
       "a text, number or blank of more than 8388608 bytes"}};
  const User user;
  for (const Hostile& file : files) {
    INFO(file.name);
    write_large(
        user.path(file.name), file.head, [&](int) { return file.piece; }, file.times, file.tail);
    const Measured run = measured(user, {"space", user.path(file.name).string(), "--count"});
    INFO(run.output);
    CHECK(run.code == 2);
    CHECK(run.output.find(file.name) != std::string::npos);
    CHECK(run.output.find(file.words) != std::string::npos);
    CHECK(run.output.find("hint: ") != std::string::npos);
    CHECK(run.peak_mb < most_mb);
    std::filesystem::remove(user.path(file.name));
  }
}

TEST_CASE("a recording of 100,000 results is read in proportion") {
  const User user;
  const auto file = user.path("large.json");
  write_large(
      file,
      R"({"device_name": "d", "kernel_name": "k", "problem_size": 1, "tune_params_keys": ["a", "b"],
 "tune_params": {}, "objective": "time", "cache": {)",
      [](int i) {
        return fmt::format(
            "{}\n\"{},{}\": {{\"a\": {}, \"b\": {}, \"time\": {}, \"times\": [1.25, 1.5, 1.75], "
            "\"timestamp\": \"2026-11-21 09:30:00\"}}",
            i == 0 ? "" : ",", i / 1000, i % 1000, i / 1000, i % 1000, 1 + i);
      },
      100'000, "}}");
  const Measured run = measured(user, {"space", file.string(), "--count", "--json"});
  INFO(run.output.substr(0, 2000));
  REQUIRE(run.code == 0);
  CHECK(parse_json(run.output, "count").at("valid") == 100'000);
  CHECK(run.peak_mb < most_mb);
}

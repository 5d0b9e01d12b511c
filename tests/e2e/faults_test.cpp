// What a shell can tell apart: exit codes, full disks, pipes where files belong, and words from
// files that would rather be commands.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <optional>

#include "core/file.h"
#include "core/text.h"
#include "rogue.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// Texts that would do something where they are not quoted.
const std::string nasty =
    "</script><script>alert(1)</script>\"; touch owned #*/ int x; /*`touch owned` $(touch owned) "
    "'\n\x1b[2J\x07\xe2\x80\xae";

/// `tune` under a limit of the shell, such as "-f 4": files of 4 blocks of 512 bytes.
Ran limited(const User& user, const std::string& limit, const std::vector<std::string>& words) {
  Command command;
  command.argv = {"/bin/sh", "-c", "ulimit " + limit + "; exec \"$0\" \"$@\"", ROOFTUNE_TUNE};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  command.environment = user.environment();
  command.directory = user.path("");
  command.limit = std::chrono::seconds(300);
  const Finished finished = execute(command);
  INFO("tune ended: " << finished.status.text());
  return {finished.status.code.value_or(-1), finished.output};
}

/// `tune` with results that are mounted read-only, for itself alone; absent where this user may
/// not.
std::optional<Ran> with_read_only_results(const User& user, const std::vector<std::string>& words) {
  Command command;
  command.argv = {"unshare",
                  geteuid() == 0 ? "-m" : "-rm",
                  "/bin/sh",
                  "-c",
                  "mount --bind results results && mount -o remount,ro,bind results || exit 99; "
                  "exec \"$0\" \"$@\"",
                  ROOFTUNE_TUNE};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  command.environment = user.environment();
  command.directory = user.path("");
  command.limit = std::chrono::seconds(300);
  const Finished finished = execute(command);
  const bool began = finished.status.code && *finished.status.code != 99 &&
                     finished.output.find("unshare: ") == std::string::npos;
  return began ? std::optional<Ran>({*finished.status.code, finished.output}) : std::nullopt;
}

void check_plain(const std::string& text) {
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\x07') == std::string::npos);
  CHECK(text.find("\xe2\x80\xae") == std::string::npos);
}

/// The rogue kernel, with words of `nasty` wherever a file may have words.
void write_hostile(const User& user) {
  write_rogue(user, "hostile", {"well", "wrong"});
  Json kernel = read_json(user.path("hostile/kernel.json"));
  kernel["title"] = nasty;
  kernel["parameters"][0]["doc"] = nasty;
  kernel["work"]["item"] = nasty;
  user.write("hostile/kernel.json", kernel.dump());
  Json space = read_json(user.path("hostile/hostile.openmp.json"));
  space["knobs"][0]["doc"] = nasty;
  user.write("hostile/hostile.openmp.json", space.dump());
  user.write("hostile/openmp.cpp", R"(#include <cstdint>
#include <stdexcept>
void hostile(std::int64_t n, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];
  if (KNOB_MODE == KNOB_MODE_WRONG) throw std::runtime_error("\033[2J\007\xe2\x80\xae<b>\xff");
}
)");
}

}  // namespace

TEST_CASE("exit codes tell usage, a failed study, a missing service and a full disk apart") {
  const User user;
  write_rogue(user, "liar", {"wrong"});
  write_rogue(user, "good", {"well"});
  const auto code = [&](const std::vector<std::string>& words) {
    const Ran ran = user.tune(words);
    INFO(ran.output);
    CHECK_FALSE(ran.says("internal error"));
    CHECK_FALSE(ran.says("exception"));
    return ran.code;
  };
  CHECK(code({"--kernl", "good"}) == 2);
  CHECK(code({"sweep", "nowhere.json"}) == 2);
  CHECK(code({"--kernel", "./liar", "--budget", "2"}) == 1);
  CHECK(code({"--kernel", "./good", "--machine", "auto", "--gpu", "99"}) == 3);
  // Nothing can be made there, whoever asks.
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--kernel", "./good", "--budget", "1", "--results", "/proc/results"},
           {"report", "--machine", "host", "-o", "/proc/results/page.html"},
           {"report", "--machine", "host", "-o", "/proc/page.html"},
           {"list", "kernels", "--json"}}) {
    INFO(words[0]);
    CHECK(code(words) == (words[0] == "list" ? 0 : 74));
  }
  user.write("in_the_way", "");
  CHECK(code({"report", "--machine", "host", "-o", "in_the_way/page.html"}) == 74);
  user.write("plan.json",
             R"({"schema": "rooftune-sweep-1", "studies": [{"kernel": "./liar", "budget": 2}]})");
  CHECK(code({"sweep", "plan.json", "--results", "in_the_way"}) == 74);
  CHECK(code({"sweep", "plan.json", "-q"}) == 3);
  const Ran help = user.tune({"help", "all"});
  for (const char* known : {"0 done", "74 files", "75 the same", "130 interrupted"})
    CHECK(help.says(known));
}

TEST_CASE("a stack too small for any command is raised, and where it cannot be, said") {
  const User user;
  CHECK(limited(user, "-S -s 64", {"list", "kernels"}).code == 0);
  const Ran hard = limited(user, "-s 64", {"list", "kernels"});
  INFO(hard.output);
  // Who may raise hard limits gets the usual stack.
  CHECK((hard.code == 0 || hard.says("too little for any command (ulimit -s 8192)")));
}

TEST_CASE("a file beyond the limit of its size is an error with words and no death") {
  const User user;
  write_rogue(user, "good", {"well"});
  // What compilers and workers write is there already, so that the record is what does not fit.
  const std::vector<std::string> words{"--kernel", "./good", "--problem", "n=10",
                                       "--budget", "1",      "--fresh",   "-q"};
  REQUIRE(user.tune(words).code == 0);
  const Ran record = limited(user, "-f 4", words);
  INFO(record.output);
  CHECK(record.code == 74);
  CHECK(record.says("File too large"));
  CHECK(record.says("hint: make room"));
  const Ran page = limited(user, "-f 8", {"report", "--machine", "host", "-o", "page.html"});
  INFO(page.output);
  CHECK(page.code == 74);
  CHECK(page.says("page.html: cannot be written: File too large"));
  CHECK_FALSE(std::filesystem::exists(user.path("page.html")));
}

TEST_CASE(
    "a sweep on a full disk ends, blames no study, and goes on when there is room, but on a "
    "read-only one it does not begin") {
  const User user;
  for (const char* const name : {"good", "more"}) write_rogue(user, name, {"well"});
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "name": "full", "watch": false,
    "defaults": {"budget": 1, "problem": {"n": 10}},
    "studies": [{"kernel": "./good"}, {"kernel": "./more"}]})");
  // What compilers and workers write is there already, so that the record is what does not fit.
  REQUIRE(user.tune({"sweep", "plan.json", "-q"}).code == 0);
  const Ran full = limited(user, "-f 4", {"sweep", "plan.json", "-q"});
  INFO(full.output);
  CHECK(full.code == 74);
  CHECK(full.says("hint: make room"));
  const Ran ran = user.tune({"sweep", "plan.json", "--continue"});
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(ran.says("== good: 1 of 2"));
  CHECK(ran.says("more: done after"));
  // The night that the disk cut short is the one that went on.
  std::size_t nights = 0;
  for (const auto& entry : std::filesystem::directory_iterator(user.path("results/sweeps/full")))
    nights += entry.is_directory() ? 1 : 0;
  CHECK(nights == 2);
  CHECK(user.tune({"records", "verify"}).code == 0);

  const auto read_only = with_read_only_results(user, {"sweep", "plan.json", "-q"});
  if (!read_only) {
    WARN("skipped: read-only results, since nothing may be mounted here");
    return;
  }
  INFO(read_only->output);
  CHECK(read_only->code == 74);
  CHECK(read_only->says("Read-only file system"));
  CHECK(with_read_only_results(user, {"records", "verify"})->code == 0);
}

TEST_CASE("pipes and directories among records and inputs hold nobody up") {
  const User user;
  write_rogue(user, "good", {"well"});
  user.tuned({"--kernel", "./good", "--budget", "1", "-q"});
  const auto folder = user.files("results/records", ".jsonl").at(0).parent_path();
  REQUIRE(mkfifo((folder / "0.jsonl").c_str(), 0600) == 0);
  std::filesystem::create_directories(folder / "1.jsonl");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"report", "--kernel", "good"},
                                             {"explain", "--kernel", "./good"},
                                             {"export", "--kernel", "good"},
                                             {"records", "verify"},
                                             {"--kernel", "./good", "--budget", "1", "-q"}}) {
    const Ran ran = user.tune(words, {}, 120);
    INFO(words[0] << ": " << ran.output);
    CHECK(ran.code == 0);
  }
  REQUIRE(mkfifo(user.path("a.mtx").c_str(), 0600) == 0);
  for (const std::string& file : {user.path("a.mtx").string(), std::string("/dev/zero")}) {
    const Ran ran = user.tune({"--kernel", "spmv", "--problem", "matrix=" + file}, {}, 120);
    INFO(ran.output);
    CHECK(ran.code == 2);
    CHECK(ran.says("is a pipe or a device"));
  }
}

TEST_CASE("words of a kernel are words on every terminal, page, record and export") {
  const User user;
  write_hostile(user);
  const Ran check = user.tune({"check", "./hostile"});
  check_plain(check.output);
  const Ran tuned = user.tune({"--kernel", "./hostile", "--budget", "3"});
  INFO(tuned.output);
  CHECK(tuned.code == 0);
  check_plain(tuned.output);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"explain", "--kernel", "./hostile", "1"},
           {"explain", "--kernel", "./hostile"},
           {"report", "--kernel", "hostile"},
           {"list", "knobs", "--kernel", "./hostile"},
           {"--kernel", "./hostile", "--dry-run"},
           {"--kernel", "./hostile", "--budget", "3", "--json", "-"},
           {"export", "--kernel", "hostile", "--format", "t4"},
           {"check", "./hostile", "--emit-knobs", "knobs.h"}}) {
    const Ran ran = user.tune(words);
    INFO(words[0] << ": " << ran.output);
    CHECK(ran.code == 0);
    check_plain(ran.output);
  }
  for (const char* end : {".jsonl", ".html", ".svg"}) {
    const auto files = user.files("results", end);
    CHECK_FALSE(files.empty());
    for (const auto& file : files) {
      const std::string text = read_text(file);
      INFO(file);
      check_plain(text);
      CHECK(text == plain_text(text));
      CHECK((std::string(end) == ".jsonl" || text.find("alert(1)</script>") == std::string::npos));
    }
  }
  CHECK_FALSE(std::filesystem::exists(user.path("owned")));
  CHECK_FALSE(std::filesystem::exists(user.path("hostile/owned")));
  CHECK(user.tune({"export", "--kernel", "hostile", "--format", "header", "-o", "best.h"}).code ==
        0);
  Command compile;
  compile.argv = {"g++", "-x", "c++", "-Wall", "-Werror", "-fsyntax-only", "best.h"};
  compile.directory = user.path("");
  const Finished compiled = execute(compile);
  INFO(compiled.output);
  CHECK(compiled.status.ok());
}

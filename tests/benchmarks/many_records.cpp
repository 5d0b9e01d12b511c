// The cost of a great many records: to bring them together, and pages of all nights.
//   many_records [studies=1000] [trials=1000] [samples=11] [FOLDER]
// Makes the results of five computers, `trials` in each study, and a night of a series for
// each study. Every step runs in a process of its own; wall and CPU time [s] and its largest
// memory.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>

#include "core/file.h"
#include "store/study_record.h"
#include "store/study_store.h"
#include "support/store_fixture.h"
#include "support/sweep_nights.h"
#include "sweep/formats.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

constexpr int computers = 5;

struct Size {
  int studies = 1000, trials = 1000, samples = 11;
};

Trial trial(std::uint64_t index, int samples) {
  Trial trial =
      example_trial(index, static_cast<int>(index), 1e-3 + 1e-9 * static_cast<double>(index));
  for (const char* knob : {"block_rows", "block_columns", "prefetch", "schedule"})
    trial.configuration.set(knob, Value(static_cast<int>(index % 7)));
  auto& all = trial.measurement->samples;
  for (int i = 0; i < samples; ++i) all.push_back({1.0123456789e-3 * (1 + 1e-5 * i), 0.998, i % 3});
  all.erase(all.begin(), all.begin() + 3);
  return trial;
}

std::string line(const Event& event) {
  return json_text({{"schema", "rooftune-record-2"},
                    {"event", event_name(event)},
                    {"body", body_json(event)}}) +
         "\n";
}

/// As RecordWriter leaves them, without waiting for the disk a million times.
void write_records(const std::filesystem::path& folder, const Size& size) {
  std::string trials;
  for (int i = 0; i < size.trials; ++i) {
    const Trial one = trial(static_cast<std::uint64_t>(i), size.samples);
    trials += line(Started{one.configuration, one.index}) + line(one);
  }
  for (int s = 0; s < size.studies; ++s) {
    StudyHeader header = example_header();
    header.id = fmt::format("{:016x}", s);
    const auto results = folder / std::to_string(s % computers);
    make_folders(study_directory(results, header));
    put_text(study_directory(results, header) / "20261123T020000Z.node.1.jsonl",
             line(header) + line(example_setup()) + trials);
  }
}

void write_nights(const std::filesystem::path& results, const Size& size) {
  constexpr int series = 100;
  test::Nights nights(results);
  for (int night = 0; night < std::max(1, size.studies / series); ++night) {
    nights.begin();
    for (int s = 0; s < std::min(series, size.studies); ++s) {
      test::MadeUpStudy study;
      study.kernel = fmt::format("kernel{}", s);
      study.seconds *= 1 + 1e-3 * ((night * 7 + s) % 11);
      nights.add(study.kernel, study);
    }
  }
}

void measure(const std::string& name, const std::function<void()>& step) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    step();
    _exit(0);
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  fmt::print("{:<6} {:8.1f} s wall {:8.1f} s CPU {:8.0f} MB{}\n", name, wall.count(),
             seconds(used.ru_utime) + seconds(used.ru_stime),
             static_cast<double>(used.ru_maxrss) / 1024, status == 0 ? "" : "  failed");
}

}  // namespace

int main(int argc, char** argv) {
  Size size;
  if (argc > 1) size.studies = std::stoi(argv[1]);
  if (argc > 2) size.trials = std::stoi(argv[2]);
  if (argc > 3) size.samples = std::stoi(argv[3]);
  const TemporaryDirectory own;
  const std::filesystem::path folder = argc > 4 ? std::filesystem::path(argv[4]) : own.path();
  const auto results = folder / "all";
  make_folders(results);
  measure("write", [&] {
    write_records(folder, size);
    write_nights(results, size);
  });
  measure("copy", [&] {
    for (int i = 0; i < std::min(computers, size.studies); ++i)
      std::filesystem::copy(folder / std::to_string(i), results,
                            std::filesystem::copy_options::recursive);
  });
  measure("site", [&] {
    make_folders(folder / "site" / series_folder);
    for (const auto& [name, text] : sweep_site(read_history(results), {}, utc_now()))
      write_atomically(folder / "site" / name, text);
  });
  return 0;
}

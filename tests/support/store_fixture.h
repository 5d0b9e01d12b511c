// Example studies and trials, and a results directory that goes away with its owner.
#pragma once
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "core/rng.h"
#include "os/temporary_directory.h"
#include "store/record_reader.h"
#include "store/record_writer.h"
#include "store/study_store.h"

namespace rooftune::testing {

inline StudyHeader example_header() {
  StudyHeader header;
  header.id = "0123abcd";
  header.kernel = "spmv";
  header.backend = "openmp";
  header.machine = "host";
  header.machine_id = "feed";
  header.strategy = "local";
  header.seed = 18446744073709551615u;
  header.problem = Json{{"n", 1000}, {"kind", "fem"}};
  header.threads = 2;
  header.cache_state = "warm";
  header.explanation = "kernel = spmv\nsource = <12 bytes>";
  return header;
}

inline Configuration example_configuration(int unroll) {
  Configuration configuration;
  configuration.set("unroll", Value(unroll));
  configuration.set("format", Value("csr"));
  return configuration;
}

/// A trial that is ok and took `seconds` a call.
inline Trial example_trial(std::uint64_t index, int unroll, double seconds = 1e-3) {
  Trial trial;
  trial.index = index;
  trial.configuration = example_configuration(unroll);
  Measurement measurement;
  measurement.samples = {{seconds, 1, 0}, {seconds * 1.01, 0.995, 0}, {seconds * 1.5, 0.7, 3}};
  measurement.seconds = {seconds, seconds * 0.99, seconds * 1.02};
  measurement.best = seconds;
  measurement.median = seconds * 1.01;
  trial.measurement = measurement;
  trial.cost = {0.5, 0.1, 0.25, 0.9, 0.4};
  trial.artefact = "0badcafe";
  trial.started = "2026-11-21T09:30:00Z";
  return trial;
}

inline Trial failed_trial(std::uint64_t index, int unroll, Outcome outcome,
                          const std::string& detail) {
  Trial trial = example_trial(index, unroll);
  trial.outcome = outcome;
  trial.detail = detail;
  trial.measurement.reset();
  return trial;
}

/// Trials of every outcome with texts that JSON must escape, from a seed.
inline std::vector<Trial> random_trials(std::uint64_t seed, std::size_t count) {
  Rng rng(seed, count);
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < count; ++i) {
    const Outcome outcome = enumerators<Outcome>()[rng.below(enumerators<Outcome>().size())];
    std::string detail;
    for (std::uint64_t k = rng.below(20); k > 0; --k)
      detail += static_cast<char>(32 + rng.below(95));
    const int unroll = static_cast<int>(rng.below(1000));
    trials.push_back(outcome == Outcome::ok
                         ? example_trial(i, unroll, 1e-6 + rng.unit())
                         : failed_trial(i, unroll, outcome, detail + "\n\"\\\t"));
  }
  return trials;
}

/// A setup that holds its model, of one input.
inline StudySetup example_setup() {
  StudySetup setup;
  setup.version = "0.1.0";
  setup.command = {"tune", "--kernel", "spmv"};
  setup.compiler = "g++ 12.2.0";
  setup.title = "sparse matrix times vector";
  setup.kernel_folder = "/kernels/spmv";
  setup.space = {"/search_spaces/spmv.openmp.json", Json{{"schema", "rooftune-space-1"}}};
  setup.machine.name = "host";
  setup.machine.levels = {{"L2", 1e6, 2e6, 2}, {"DRAM", {}, {}, 1}};
  Ceiling ceiling;
  ceiling.name = "DRAM load 2t";
  ceiling.kind = Ceiling::Kind::bandwidth;
  ceiling.level = "DRAM";
  ceiling.mix = "load";
  ceiling.threads = 2;
  ceiling.reads = 1;
  ceiling.rate = {20e9, 19e9, 21e9};
  ceiling.requirements = {Paradigm::tlp};
  setup.machine.ceilings = {ceiling};
  InputModel input;
  input.problem = {{"n", 1000}, {"kind", "fem"}};
  input.facts = {{"nnz", 5000}};
  input.work.least["fp64"] = Flops(1e4);
  input.work.nominal = Flops(1e4);
  input.traffic.read = Bytes(6e4);
  input.traffic.write = Bytes(8e3);
  input.traffic.footprint = Bytes(6.8e4);
  input.traffic.walls = {
      {"write allocate", Paradigm::write_allocate, "DRAM", Bytes(6.8e4), Bytes(8e3)}};
  setup.inputs = {input};
  setup.not_counted_because = "nobody counts here";
  return setup;
}

class ResultsDirectory {
 public:
  std::filesystem::path path() const { return directory_.path() / "results"; }
  std::optional<StudyRecord> study() const { return read_study(path(), example_header()); }
  /// Writes a file of records as one session would; returns its path.
  std::filesystem::path write(const std::vector<Trial>& trials) const {
    RecordWriter writer(path(), example_header());
    for (const Trial& trial : trials) {
      writer.append(Started{trial.configuration, trial.index});
      writer.append(trial);
    }
    return writer.file();
  }

 private:
  TemporaryDirectory directory_;
};

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
inline void put_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

/// Equality by what is stored.
inline bool same(const Trial& a, const Trial& b) { return encode(a) == encode(b); }

}  // namespace rooftune::testing

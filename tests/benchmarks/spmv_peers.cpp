// Measures variants of spmv against other sparse libraries, in turns, on Matrix Market files or
// generated matrices (kind=fem3d or kind=fem3d,42):
//   spmv_peers [threads=N] [seconds=S] [list=1] [configuration="format=sell index_bits=16"]...
//   FILE...
// The caller leaves the machine alone meanwhile; without a configuration a dozen usual ones
// compete.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "space/space_reader.h"
#include "sparse_peers.h"
#include "unit/kernels/variant_sample.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Contestant {
  std::string name;
  std::function<void()> call;
  double best = INFINITY;  ///< [s] per call
};

struct Options {
  int threads = 1;
  double seconds = 0.3;  ///< per contestant
  bool list = false;     ///< every variant, not the best alone
  std::vector<std::string> configurations, files;
};

const std::vector<std::string> usual = {
    "",
    "simd_width=8",
    "simd_width=4 unroll=2",
    "simd_width=8 split=merge",
    "simd_width=8 index_bits=16 layout_huge_pages=true",
    "format=sell index_bits=16 sort_rows=1",
    "format=sell index_bits=16 sort_rows=0 simd_width=8 threads=1",
    "format=sell index_bits=16",
    "format=sell index_bits=16 split=nonzeros simd_width=8",
    "format=sell index_bits=16 chunk_rows=16 layout_huge_pages=true",
    "format=sell index_bits=16 sort_rows=0 chunk_rows=16 simd_width=8 layout_huge_pages=true",
    "format=sell index_bits=8 chunk_rows=16 simd_width=8",
    "format=sell index_bits=8 sort_rows=1",
    "format=tiles index_bits=16",
    "format=tiles tile_steps=32 layout_huge_pages=true",
    "half=true index_bits=16 simd_width=8",
    "half=true format=bcsr index_bits=16",
    "value_bits=32 format=sell index_bits=8 chunk_rows=16",
    "value_bits=32 format=sell index_bits=16 sort_rows=0 chunk_rows=16 simd_width=8",
    "format=bcsr index_bits=16",
    "format=bcsr index_bits=16 unroll=2 layout_huge_pages=true"};

Facts facts(const MemoryProblem& problem, int threads) {
  Facts all = {{"machine_cores", Value(threads)},
               {"machine_threads", Value(threads)},
               {"machine_l1_bytes", Value(0)},
               {"machine_l2_bytes", Value(0)}};
  for (const auto& [name, value] : problem.facts) {
    const bool whole = value == std::floor(value);
    all[name] = whole ? Value(static_cast<std::int64_t>(value)) : Value(value);
  }
  return on_small_machine(all);
}

/// The baseline with the values that `text` names; nullopt where this matrix does not allow it.
std::optional<Configuration> configuration(const SearchSpace& space, const std::string& text) {
  Configuration result = space.baseline();
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const Knob* knob = space.knob(word.substr(0, equals));
    if (!knob) throw std::runtime_error("no knob \"" + word + "\"");
    for (const Value& value : knob->values)
      if (to_text(value) == word.substr(equals + 1)) result.set(knob->name, value);
  }
  result = space.normalised(result);
  if (!space.allowed(result)) return std::nullopt;
  return result;
}

/// Parameters of the problem that a word names: a file, or a kind and its size.
std::map<std::string, std::string> parameters(const std::string& word) {
  if (word.rfind("kind=", 0) != 0) return {{"matrix", word}};
  const std::size_t comma = word.find(',');
  const std::string size = comma == std::string::npos ? "0" : word.substr(comma + 1);
  return {{"kind", word.substr(5, comma == std::string::npos ? comma : comma - 5)}, {"n", size}};
}

class Contest {
 public:
  Contest(const Kernel& kernel, const std::string& file, const Options& options)
      : options_(options), problem_(solved(parameters(file))), a_(loaded(problem_)) {
    y_.assign(static_cast<std::size_t>(a_.rows), 0.0);
    entries_ = a_.entries();
    arguments_ = {&a_.rows,         &a_.cols,        &entries_,   a_.pointer.data(),
                  a_.column.data(), a_.value.data(), a_.x.data(), y_.data()};
    const SearchSpace space = read_space(find_space(kernel, "openmp", ROOFTUNE_SOURCE_DIR),
                                         facts(problem_, options.threads));
    for (const std::string& text : options.configurations) {
      const auto chosen = configuration(space, text);
      if (chosen) add_variant(kernel, space, *chosen, text);
    }
    for (Peer& peer : sparse_peers(a_, options.threads))
      add(peer.name, [this, multiply = peer.multiply] { multiply(a_.x.data(), y_.data()); });
  }

  void run() {
    const double end = now() + options_.seconds * static_cast<double>(contestants_.size());
    while (now() < end)
      for (Contestant& contestant : contestants_) turn(contestant);
  }

  void print(const std::string& file) const {
    const double flops = 2 * static_cast<double>(entries_);
    const auto better = [](const Contestant& p, const Contestant& q) { return p.best < q.best; };
    const auto best =
        std::min_element(contestants_.begin(), contestants_.begin() + variants_, better);
    std::printf("%-24s %8.2f GFLOP/s, %8.2f us: %s\n", std::filesystem::path(file).stem().c_str(),
                flops / best->best * 1e-9, best->best * 1e6, best->name.c_str());
    std::printf("%24s %8.2f GFLOP/s, x %.2f baseline\n", "", flops / contestants_[0].best * 1e-9,
                contestants_[0].best / best->best);
    for (auto variant = contestants_.begin();
         options_.list && variant != contestants_.begin() + variants_; ++variant)
      std::printf("%24s %8.2f GFLOP/s, %s\n", "", flops / variant->best * 1e-9,
                  variant->name.c_str());
    for (auto peer = contestants_.begin() + variants_; peer != contestants_.end(); ++peer)
      std::printf("%24s %8.2f GFLOP/s, x %.2f %s\n", "", flops / peer->best * 1e-9,
                  peer->best / best->best, peer->name.c_str());
    std::fflush(stdout);
  }

 private:
  void add_variant(const Kernel& kernel, const SearchSpace& space, const Configuration& chosen,
                   const std::string& text) {
    auto variant = std::make_shared<BuiltFunction>(kernel, space, chosen);
    variant->set_openmp(static_cast<int>(chosen.at("threads").integer()), "static", 0);
    variant->prepare(arguments_.data());
    add(text.empty() ? "baseline" : text, [this, variant] { variant->call(arguments_.data()); });
    ++variants_;
  }

  /// Nobody is measured who computes something else.
  void add(const std::string& name, std::function<void()> call) {
    std::fill(y_.begin(), y_.end(), std::nan(""));
    call();
    const std::vector<double> wanted = a_.product();
    const std::vector<double>& scale = problem_.reals.at("y_scale");
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (!(std::abs(y_[i] - wanted[i]) <= 2.3e-16 * scale[i]))
        throw std::runtime_error(name + " is wrong in row " + std::to_string(i));
    contestants_.push_back({name, std::move(call)});
  }

  /// About 5 ms of one contestant: the first call finds the caches as the others left them.
  static void turn(Contestant& contestant) {
    contestant.call();
    const double first = now();
    const int calls = contestant.best < 1e-4 ? static_cast<int>(3e-4 / contestant.best) + 1 : 1;
    do {
      const double start = now();
      for (int k = 0; k < calls; ++k) contestant.call();
      contestant.best = std::min(contestant.best, (now() - start) / calls);
    } while (now() - first < 5e-3);
  }

  Options options_;
  MemoryProblem problem_;
  Sparse a_;
  std::vector<double> y_;
  std::int64_t entries_ = 0;
  std::vector<void*> arguments_;
  std::vector<Contestant> contestants_;
  std::ptrdiff_t variants_ = 0;
};

Options options(int count, char** words) {
  Options result;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const std::string text = word.substr(word.find('=') + 1);
    if (word.rfind("threads=", 0) == 0)
      result.threads = std::stoi(text);
    else if (word.rfind("seconds=", 0) == 0)
      result.seconds = std::stod(text);
    else if (word.rfind("list=", 0) == 0)
      result.list = text == "1";
    else if (word.rfind("configuration=", 0) == 0)
      result.configurations.push_back(text);
    else
      result.files.push_back(word);
  }
  if (result.configurations.empty()) result.configurations = usual;
  if (!result.configurations.front().empty())
    result.configurations.insert(result.configurations.begin(), "");
  return result;
}

}  // namespace

int main(int count, char** words) {
  const Options chosen = options(count, words);
  const Kernel kernel = find_kernel("spmv", ROOFTUNE_SOURCE_DIR);
  for (const std::string& file : chosen.files) {
    try {
      Contest contest(kernel, file, chosen);
      contest.run();
      contest.print(file);
    } catch (const Refusal& refusal) {
      std::fprintf(stderr, "%s: %s\n", refusal.where.c_str(), refusal.message.c_str());
      return 1;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", file.c_str(), error.what());
      return 1;
    }
  }
  return chosen.files.empty() ? 2 : 0;
}
